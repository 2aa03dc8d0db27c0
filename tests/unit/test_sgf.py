"""SGF as text and tree: the grammar, charsets, limits, and what errors say."""

import copy
import gc
import os
import pickle
import stat
from pathlib import Path

import pytest

from katachi.core.errors import InvalidArgumentError, KatachiError
from katachi.games.go import sgf
from katachi.games.go.sgf import (
    CHARSETS,
    MAX_TOKENS,
    SgfError,
    SgfNode,
    format_sgf,
    load_sgf,
    parse_sgf,
    parse_sgf_collection,
    save_sgf,
)
from tests.fuzz.sgf_mutations import as_saved

DEEP = 100_000


def test_a_small_tree() -> None:
    root = parse_sgf(b"(;FF[4]GM[1]AB[aa][bb:cc](;B[dd]C[first];W[])(;B[ee]\n(;W[ff])(;W[gg]N[\\]])))")
    assert root.properties == {"FF": ["4"], "GM": ["1"], "AB": ["aa", "bb:cc"]}
    assert [[*node.properties] for node in root.walk()] == [
        [*root.properties],
        ["B", "C"],
        ["W"],
        ["B"],
        ["W"],
        ["W", "N"],
    ]
    assert [node.comment for node in root.main_line()] == ["", "first", ""]
    last = root.children[1].children[1]
    assert (last.properties["N"], last.text("N")) == (["\\]"], "]")
    assert "B" in root.children[0]
    assert "B" not in root
    assert repr(last) == "<SgfNode W N, 0 children>"


def test_a_tree_is_written_with_its_charset_and_ff_first() -> None:
    root = parse_sgf("(;GM[1]CA[big5]AB[aa];B[dd]C[文\\]:]XYZ[kept])")
    assert format_sgf(root) == "(;FF[4]AB[aa]CA[UTF-8]GM[1];B[dd]C[文\\]:]XYZ[kept])\n".encode()
    assert root.properties["CA"] == ["big5"]  # writing does not change the tree
    assert format_sgf(parse_sgf("(;FF[3])")).startswith(b"(;FF[3]")


def test_collections() -> None:
    data = b"mail (;GM[1]) between [ (; GM[2];) after"
    assert [root.properties["GM"] for root in parse_sgf_collection(data)] == [["1"], ["2"]]
    assert parse_sgf(data).properties == {"GM": ["1"]}
    with pytest.raises(SgfError, match="byte 22: the file ends before the game does"):
        parse_sgf_collection(b"(;GM[1]) (;GM[2]      ")


def test_what_stands_after_the_first_game_does_not_matter() -> None:
    assert parse_sgf(b"(;GM[1]) (;B[") == parse_sgf(b"(;GM[1])")


def test_old_property_names_lose_their_lower_case_letters() -> None:
    assert parse_sgf("(;GaMe[1]AddBlack[aa];White[bb])").properties == {"GM": ["1"], "AB": ["aa"]}


def test_a_property_given_twice_is_merged() -> None:
    root = parse_sgf("(;AB[aa]C[one]AB[bb][cc]C[two])")
    assert root.properties["AB"] == ["aa", "bb", "cc"]
    assert (root.comment, root.simple_text("C")) == ("one\ntwo", "one two")


@pytest.mark.parametrize(
    ("raw", "text", "simple"),
    [
        ("a\\]b\\\\c\\:d:e", "a]b\\c:d:e", "a]b\\c:d:e"),
        ("a\r\nb\rc\n\rd\ne", "a\nb\nc\nd\ne", "a b c d e"),
        ("soft\\\nbreak\\\r\nagain", "softbreakagain", "softbreakagain"),
        ("\ttab\vother\f", " tab other ", "tab other"),
        ("", "", ""),
    ],
)
def test_text_values(raw: str, text: str, simple: str) -> None:
    node = parse_sgf(f"(;C[{raw}])")
    assert node.properties["C"] == [raw]
    assert (node.text("C"), node.simple_text("C"), node.text("N")) == (text, simple, None)
    assert parse_sgf(format_sgf(node)).properties["C"] == [raw]


def test_setting_text() -> None:
    node = SgfNode()
    node.set_text("KATACHI", "a]b\\c\n[d:]")
    assert node.properties["KATACHI"] == ["a\\]b\\\\c\n[d:\\]"]
    assert parse_sgf(format_sgf(node)).text("KATACHI") == "a]b\\c\n[d:]"
    node.comment = "x"
    node.comment = ""
    node.set_text("KATACHI", None)
    assert node.properties == {}
    for name in ("", "c", "C1", "C" * 65):
        with pytest.raises(InvalidArgumentError, match="capital letters"):
            node.set_text(name, "x")
    with pytest.raises(InvalidArgumentError, match="no Unicode"):
        node.set_text("C", "\ud800")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "byte 0: no game found in 0 bytes"),
        ("nothing (here;)", "byte 0: no game found in 15 bytes read as utf-8"),
        ("(;B[aa]", "byte 7: the file ends before the game does: 1 parentheses"),
        ("(;B[aa", "byte 3: the value that begins here is never closed"),
        ("(;B[aa\\]) ", "byte 3: the value that begins here is never closed"),
        ("(;B)", "byte 2: property 'B' has no value"),
        ("(;B", "byte 2: property 'B' has no value: the file ends"),
        ("(;[aa])", "byte 2: the value 'aa' follows no property name"),
        ("(;B[aa];[bb])", "byte 8: the value 'bb' follows no property name"),
        ("(;(B[aa]))", "byte 3: property 'B' stands outside of a node"),
        ("(;(;)B[aa])", "byte 5: property 'B' stands outside of a node"),
        ("(;(;);)", "byte 5: a node follows the variations"),
        ("(;())", "byte 3: a variation begins without a node"),
        ("(;((;)))", "byte 3: a variation begins without a node"),
        ("(;\n B[aa] 7 )", "byte 10: '7' stands where a property"),
        ("(;C[漢]é)", "byte 8: 'é' stands where"),
        ("(;" + "A" * 64 + "[x])", None),
        ("(;B[aa]" + "A" * 65 + "[x])", "byte 7: the property name 'A{40}…' has more than 64 letters"),
        ("(;B[aa]" + "Ab" * 40, "byte 7: the property name '(Ab){20}…' has more than 64 letters"),
        ("(;abc[x])", "byte 2: property name 'abc' has no capital letter"),
        ("(;B[" + "x" * 99 + "][y])(", None),
        ("(;B[aa][" + "x" * 99, "byte 7: the value that begins"),
        ("(;B[aa]\ud800)", r"byte 7: '\\ud800' is half of a surrogate pair"),
    ],
)
def test_bad_grammar_is_shown_with_its_place(data: str, message: str | None) -> None:
    if message is None:
        parse_sgf(data)
        return
    with pytest.raises(SgfError, match=f"^SGF, {message}"):
        parse_sgf(data)


# -- charsets

JAPANESE = "表示ソフト、能力の予定ゾ"
CHINESE = "許功蓋沘的圍棋程式"
SIMPLIFIED = "围棋程序乗俓乚"
KOREAN = "한국 바둑"


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("Shift_JIS", JAPANESE),
        ("cp932", "表示ソ①～"),
        ("EUC-JP", "表示ソフト"),
        ("iso-2022-jp", "表示ソフト"),
        ("Big5", CHINESE),
        ("GB2312", "围棋程序"),
        ("GBK", SIMPLIFIED),
        ("gb18030", SIMPLIFIED + "\U0001f600"),
        ("EUC-KR", KOREAN),
        ("cp949", KOREAN + "똠"),
        ("windows-1252", "Fünf € für später"),
        ("ISO-8859-1", "Größe"),
        ("koi8-r", "Привет"),
        ("UTF-8", JAPANESE + CHINESE + KOREAN),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_charsets(charset: str, text: str, first: bool) -> None:
    first |= charset == "iso-2022-jp"  # its characters look like ASCII: the property cannot be found behind them
    head = f"CA[{charset}]PB[{text}]" if first else f"PB[{text}]CA[{charset}]"
    data = f"(;FF[4]{head}C[{text}\\]\\\\];B[aa])".encode(charset)
    root = parse_sgf(data)
    assert (root.text("PB"), root.comment) == (text, text + "]\\")
    assert format_sgf(root).decode().count(text) == 2
    assert parse_sgf(data, encoding=charset) == root


def test_the_bytes_of_these_texts_are_dangerous() -> None:
    """Otherwise the test above would prove nothing."""
    for charset, text in (("shift_jis", JAPANESE), ("big5", CHINESE), ("gbk", SIMPLIFIED)):
        assert set(text.encode(charset)) >= {ord("\\"), ord("]")}, charset


def test_every_allowed_charset_writes_ascii_as_ascii() -> None:
    ascii_text = bytes(range(128)).decode()
    for charset in CHARSETS:
        assert ascii_text.encode().decode(charset) == ascii_text, charset


# -- bytes that are escaped, where FF[4] has characters in mind


def escaped_by_bytes(text: str, charset: str) -> bytes:
    return text.encode(charset).replace(b"\\", b"\\\\").replace(b"]", b"\\]")


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("Shift_JIS", JAPANESE),
        ("cp932", "表示ソ①ゾ"),
        ("iso-2022-jp", "\\表示]ソフト\\"),
        ("Big5", CHINESE),
        ("big5hkscs", CHINESE),
        ("cp950", CHINESE),
        ("GBK", SIMPLIFIED),
        ("gb18030", SIMPLIFIED + "\U0001f600"),
        ("johab", KOREAN + "\\]"),
    ],
)
def test_escaped_bytes(charset: str, text: str) -> None:
    head = f"(;FF[4]CA[{charset}]PB[".encode()
    for end in ("", "x", "]"):
        raw = escaped_by_bytes(text + end, charset)
        data = head + raw + b"]PW[x];B[aa]C[" + raw + b"\\:\\\n:" + raw + b"];W[bb])"
        root = parse_sgf(data)
        assert (root.text("PB"), root.text("PW")) == (text + end, "x")
        assert [[*node.properties] for node in root.main_line()][1:] == [["B", "C"], ["W"]]
        comment = root.children[0].properties["C"][0]
        assert root.children[0].comment == f"{text}{end}::{text}{end}"
        assert comment.count(":") == 2  # escapes of colons and of line breaks are kept: one of the two is escaped
        assert "\\:\\\n:" in comment
        assert parse_sgf_collection(data + data) == [root, root]
        assert parse_sgf(format_sgf(root)) == as_saved(root)


@pytest.mark.parametrize("name", ["表", "ソ", "表示", "能", "x表"])
def test_both_ways_to_escape(name: str) -> None:
    head = b"(;CA[Shift_JIS]PB["
    for raw in (name.encode("cp932"), escaped_by_bytes(name, "cp932")):
        assert parse_sgf(head + raw + b"]PW[x]RE[0];B[aa])").text("PB") == name
        assert parse_sgf(head + raw + b"])").text("PB") == name


def test_errors_are_those_of_the_reading_by_characters() -> None:
    with pytest.raises(SgfError, match="byte 22: '7' stands where"):
        parse_sgf(b"(;CA[Shift_JIS]PB[\x95\\x]7)")
    with pytest.raises(SgfError, match=r"byte 10: b'.x95' is no big5"):
        parse_sgf(b"(;CA[big5]\x95 C[\xa5\\\\]7)")


def test_many_escaped_bytes_and_open_brackets_are_read_soon() -> None:
    for data in (b"C[\x95" + b"\\\\" * 300_000 + b"]", b"C[\x95\\\\]" + b"[" * 300_000):
        with pytest.raises(SgfError):
            parse_sgf(b"(;CA[Shift_JIS]" + data)


# -- supersets


@pytest.mark.parametrize(
    ("charset", "codec", "text"),
    [
        ("GB2312", "gb18030", "乗俓\U0001f600"),
        ("gbk", "gb18030", "\U0001f600"),
        ("Shift_JIS", "cp932", "①～髙"),
        ("x-sjis", "cp932", "①"),
        ("ms_kanji", "cp932", "①"),
        ("windows-31j", "cp932", "①"),
        ("EUC-KR", "cp949", "똠"),
        ("ks_c_5601", "cp949", "똠"),
        ("us-ascii", "utf-8", "漢é"),
        ("ascii", "cp1252", "é€"),
        ("ISO-8859-1", "latin-1", "é\x80"),
    ],
)
def test_charsets_are_read_as_what_includes_them(charset: str, codec: str, text: str) -> None:
    assert parse_sgf(f"(;CA[{charset}]C[{text}])".encode(codec)).comment == text
    assert parse_sgf(f"(;C[{text}])".encode(codec), encoding=charset).comment == text
    assert parse_sgf(f"(;C[{text}]CA[{charset}])".encode(codec)).comment == text


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-32", "utf-16-be"])
def test_byte_order_marks(charset: str) -> None:
    text = f"(;CA[big5]PB[{JAPANESE}];B[aa])"
    mark = "" if charset != "utf-16-be" else "\ufeff"
    root = parse_sgf((mark + text).encode(charset))
    assert root.text("PB") == JAPANESE
    assert parse_sgf((mark + text).encode(charset), encoding="shift_jis") == root  # the mark knows better
    with pytest.raises(SgfError, match=rf"byte {len((mark + '(;C[' + KOREAN + ']').encode(charset))}: '\?'"):
        parse_sgf(f"{mark}(;C[{KOREAN}]?)".encode(charset))


def test_without_a_charset_utf_8_is_tried_first() -> None:
    assert parse_sgf("(;C[é漢])".encode()).comment == "é漢"
    assert parse_sgf("(;C[é])".encode("latin-1")).comment == "é"
    assert parse_sgf("(;CA[]C[é])".encode("latin-1")).comment == "é"
    assert parse_sgf("(;C[漢])".encode("utf-16-le"), encoding="utf-16-le").comment == "漢"


TRANSFORMATIONS = ["rot13", "bz2", "zip", "hex", "base64", "uu", "quopri", "punycode", "idna", "unicode_escape"]
UNKNOWN = [
    "undefined",
    "utf-7",
    "klingon",
    "mbcs",
    "shift_jis_2004",
    "cp037",
    "../etc",
    "utf-8\\]",
    "x" * 200,
    "漢",
    "utf-16",
    "a\0b",
]


@pytest.mark.parametrize("name", [*TRANSFORMATIONS, *UNKNOWN])
def test_charsets_that_are_refused(name: str) -> None:
    with pytest.raises(SgfError, match=r"^SGF, root node, property CA '.* name it with encoding= \(--encoding\), "):
        parse_sgf(f"(;CA[{name}]C[abc])".encode())
    if name != "utf-16":
        with pytest.raises(InvalidArgumentError, match="encoding"):
            parse_sgf(b"(;C[abc])", encoding=name)


def test_a_charset_that_only_a_comment_mentions_is_not_used() -> None:
    assert parse_sgf(b"(;C[see CA[big5];B[aa])").comment == "see CA[big5"
    assert parse_sgf("(;C[é: see CA[big5]CA[UTF-8])".encode()).comment == "é: see CA[big5"
    assert parse_sgf("(;C[é];N[x]CA[big5])".encode()).comment == "é"  # only the first node counts


def test_bytes_of_another_charset_are_shown_with_their_place() -> None:
    with pytest.raises(SgfError, match=r"byte 13: b'\\xe9' is no utf-8; .*, name it with encoding= \(--encoding\)"):
        parse_sgf(b"(;CA[UTF-8]C[\xe9])")
    with pytest.raises(SgfError, match=r"byte 15: b'\\x8f' is no shift_jis"):
        parse_sgf(b"(;CA[Shift_JIS]\x8f")
    assert parse_sgf(b"(;CA[UTF-8]C[\xe9])", encoding="latin-1").comment == "é"
    with pytest.raises(SgfError, match=r"byte 4: b'.xd8.xd8' is no utf-16-le"):
        parse_sgf(b"\xff\xfe(\0\xd8\xd8")
    with pytest.raises(InvalidArgumentError, match="already decoded"):
        parse_sgf("(;)", encoding="utf-8")


@pytest.mark.parametrize("charset", sorted(CHARSETS - {"ascii"}))
def test_offsets_are_those_of_the_original_file(charset: str) -> None:
    """Also beyond the step of 65536 bytes by which they are counted."""
    letters = (JAPANESE + CHINESE + SIMPLIFIED + KOREAN + "éПغאกΩşżēĝ").encode(charset, "ignore").decode(charset) or "x"
    for repeats in (1, 70_000 // len(letters.encode(charset))):
        before = f"(;CA[{charset}]C[{letters * repeats}]".encode(charset)
        with pytest.raises(SgfError, match=rf"byte {len(before)}: '7' stands where"):
            parse_sgf(before + b"7)")


# -- size


def deep(levels: int) -> SgfNode:
    root = node = SgfNode()
    for _ in range(levels):
        node = node.add_child({"B": ["aa"], "C": ["x"]})
    return root


def test_deep_trees() -> None:
    """Nothing recurses: reading, writing, comparing, copying, sending, forgetting."""
    root = deep(DEEP)
    again = parse_sgf(format_sgf(root))
    assert list(again.main_line())[-1].comment == "x"
    assert again == as_saved(root)
    assert copy.copy(root) == root
    twin = copy.deepcopy(root)
    assert twin == root
    list(twin.main_line())[-1].comment = "y"
    assert twin != root
    assert pickle.loads(pickle.dumps(root)) == root
    del again, twin, root
    gc.collect()


def test_deep_variations() -> None:
    root = parse_sgf(b"(;" * DEEP + b"B[aa]" + b")" * DEEP)
    assert sum(1 for _ in root.main_line()) == DEEP
    assert "B" in list(root.walk())[-1]
    root = parse_sgf(b"(;" + b"(;W[aa])" * DEEP + b")")
    assert len(root.children) == DEEP
    assert parse_sgf(format_sgf(root)).children == root.children


def test_copies_are_independent() -> None:
    root = parse_sgf("(;AB[aa];B[bb](;W[cc])(;W[dd];B[ee])(;W[ff]))")
    twin = root.copy()
    assert twin == root
    twin.properties["AB"].append("bb")
    twin.children[0].children[1].children[0].add_child()
    assert root == parse_sgf("(;AB[aa];B[bb](;W[cc])(;W[dd];B[ee])(;W[ff]))")
    assert root != twin
    assert root != "(;)"


@pytest.mark.parametrize("unit", [b";", b"[]", b"A ", b"A[]", b"(;", b"\\", b" (", b"[", b";(;)"])
def test_files_with_too_much_in_them(unit: bytes) -> None:
    head = b"(;C[" if unit == b"\\" else b"(;A" if unit == b"[]" else b"(;"
    data = head + unit * (MAX_TOKENS // 2 + MAX_TOKENS // 2 * (unit != b"A[]") + 1)
    with pytest.raises(SgfError, match=r"byte \d+: (too large|a variation begins|the value .* never closed)"):
        parse_sgf(data)


def test_files_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sgf, "MAX_BYTES", 100)
    assert parse_sgf(b"(;C[" + b"x" * 94 + b"])").comment == "x" * 94
    for data in (b"(;C[" + b"x" * 95 + b"])", "(;C[" + "é" * 48 + "])"):
        with pytest.raises(SgfError, match="byte 100: too large: more than 100 bytes"):
            parse_sgf(data)


def test_the_collector_is_left_as_it_was() -> None:
    assert gc.isenabled()
    parse_sgf("(;)")
    with pytest.raises(SgfError):
        parse_sgf("(;")
    assert gc.isenabled()


# -- writing


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("C", ["]"], r"property C '\]': \] and"),
        ("C", ["ok", "\\"], "property C '.*need a"),
        ("C", [], "property C: no value"),
        ("C", ["\ud800"], "property C .*no Unicode"),
        ("c", ["x"], "property 'c': expected 1 to 64 capital letters"),
    ],
)
def test_trees_that_cannot_be_written(name: str, values: list[str], message: str) -> None:
    root = parse_sgf("(;(;B[aa];W[bb])(;B[cc]))")
    for node, where in (
        (root, "root node"),
        (root.children[0].children[0], "node 2 of the main line"),
        (root.children[1], "node 1 of a variation"),
    ):
        node.properties[name] = values
        with pytest.raises(SgfError, match=f"^SGF, {where}, {message}"):
            format_sgf(root)
        del node.properties[name]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    root = parse_sgf("(;FF[4]CA[UTF-8]C[漢];B[aa])")
    save_sgf(root, path)
    assert load_sgf(path) == root
    link = tmp_path / "link.sgf"
    link.symlink_to(path)
    root.comment = "changed"
    save_sgf(root, link)
    assert link.is_symlink()
    assert load_sgf(path).comment == "changed"
    assert sorted(os.listdir(tmp_path)) == ["game.sgf", "link.sgf"]
    path.write_bytes(b"(;")
    with pytest.raises(SgfError, match=r"game\.sgf: SGF, byte 2: the file ends"):
        load_sgf(path)


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.sgf"
    path.write_bytes(b"(;C[old])")

    def full(*_: object) -> None:
        raise OSError("no space left")

    for function in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, function, full)
            with pytest.raises(OSError, match="no space"):
                save_sgf(SgfNode(), path)
        assert os.listdir(tmp_path) == ["game.sgf"]
        assert load_sgf(path).comment == "old"
    with pytest.raises(OSError, match="missing"):
        save_sgf(SgfNode(), tmp_path / "missing" / "game.sgf")


def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    save_sgf(SgfNode(), path)
    usual = stat.S_IMODE(path.stat().st_mode)
    for mode in (0o600, 0o664, 0o444):
        path.chmod(mode)
        save_sgf(SgfNode(), path)
        assert stat.S_IMODE(path.stat().st_mode) == mode != usual


def test_names_as_long_as_the_system_allows(tmp_path: Path) -> None:
    for name in ("n" * 255, "漢" * 85):
        save_sgf(SgfNode(), tmp_path / name)
        assert load_sgf(tmp_path / name) == as_saved(SgfNode())


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link, Path(os.devnull)):
        with pytest.raises(OSError, match="not a regular file") as caught:
            save_sgf(SgfNode(), path)
        assert (caught.value.filename, path.is_file()) == (str(path), False)
    with pytest.raises(IsADirectoryError):
        save_sgf(SgfNode(), tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


def test_errors_are_katachis() -> None:
    assert issubclass(SgfError, KatachiError)
