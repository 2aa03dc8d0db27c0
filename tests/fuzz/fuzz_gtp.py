"""GTP lines by coverage-guided fuzzing (atheris): whatever arrives, every line gets one well-formed answer.

    python -m tests.fuzz.fuzz_gtp -runs=100000 -max_len=2000

It starts from the recorded sessions (tests/golden/gtp). `make fuzz` installs atheris and runs this beside its siblings.
"""

import io
import logging
import os
import sys
import tempfile
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

SESSIONS = Path(__file__).parents[1] / "golden" / "gtp"


class Source(io.RawIOBase):
    """All bytes at once, then the end."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._data.read(size)


def one_input(data: bytes) -> None:
    """A whole session. Slashes are taken out, so that no file outside the working folder is touched."""
    from katachi.games.go.rules import Rules
    from katachi.gtp.go_session import GoSession
    from katachi.gtp.server import serve
    from katachi.players.registry import make_player
    from tests.fuzz.gtp_lines import ANSWER

    sink = io.BytesIO()
    session = GoSession(make_player("random"), 1, size=(5, 5), rules=Rules.named("chinese"))
    serve(session, Source(data.replace(b"/", b"").replace(b"kata-benchmark", b"")), sink)
    said = sink.getvalue()
    assert b"internal error" not in said, said
    for answer in said.split(b"\n\n")[:-1]:
        assert ANSWER.fullmatch(answer + b"\n\n"), answer


def instrument(atheris: Any, module: ModuleType) -> None:  # noqa: ANN401
    """Lets the functions of a module report their branches: those of an editable install escape the hook of atheris."""
    for holder in (module, *(value for value in vars(module).values() if isinstance(value, type))):
        for function in vars(holder).values():
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                atheris.instrument_func(function)


def main() -> None:
    import atheris

    one_input(b"name\n")  # loads the engine
    for name, module in list(sys.modules.items()):
        if name.startswith("katachi.gtp."):
            instrument(atheris, module)
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for session in SESSIONS.glob("*.gtp"):
            said = [line[2:] for line in session.read_text(encoding="utf-8").splitlines() if line.startswith(">")]
            for start in range(0, len(said), 10):
                Path(corpus, f"{session.stem}{start}").write_text("\n".join(said[start : start + 10]), encoding="utf-8")
        os.chdir(folder)
        atheris.Setup([*sys.argv, str(corpus)], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
