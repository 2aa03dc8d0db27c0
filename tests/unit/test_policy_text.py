"""Playout policies as text: what is read is what is printed, and mistakes are shown where they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi import make_player
from katachi.core.errors import ParseError, SettingsError
from katachi.players.spec import format_spec, parse_spec
from katachi.policies.policy_text import (
    LEARNT_NAMES,
    PLAIN_NAMES,
    LearntPolicy,
    MixedPolicy,
    PlainPolicy,
    PolicyTree,
    ShapePolicy,
    SwitchedPolicy,
    canonical_policy,
    format_policy,
    parse_policy,
    parts_of,
)


def mixed(parts: list[tuple[int, PolicyTree]]) -> MixedPolicy:
    total = sum(weight for weight, _ in parts)
    return MixedPolicy(tuple((weight / total, part) for weight, part in parts))


plain = st.builds(PlainPolicy, st.sampled_from(PLAIN_NAMES))
learnt = st.builds(LearntPolicy, st.just("greedy"), st.floats(0, 1)) | st.builds(
    LearntPolicy, st.sampled_from(LEARNT_NAMES[1:]), st.floats(0, exclude_min=True, allow_infinity=False)
)
shapes = st.builds(ShapePolicy, st.text("abz019/._+-", min_size=1))
policies: st.SearchStrategy[PolicyTree] = st.recursive(
    plain | learnt | shapes,
    lambda inside: (
        st.builds(SwitchedPolicy, st.floats(0, 1e12), inside, inside)
        | st.builds(mixed, st.lists(st.tuples(st.integers(1, 10**6), inside), min_size=1, max_size=4))
    ),
    max_leaves=8,
)


@given(policies)
def test_what_is_printed_is_read_again(policy: PolicyTree) -> None:
    text = format_policy(policy)
    assert parse_policy(text) == policy
    assert canonical_policy(f" {text.replace('(', ' ( ').replace(';', ' ;  ').replace('*', ' * ')} ") == text
    spec = parse_spec(f"uct:sims=5,playout_policy={text},c_p=2")
    assert spec.options == {"sims": 5, "playout_policy": text, "c_p": 2}
    assert parse_spec(format_spec(spec)) == spec


def test_the_tree_of_a_text() -> None:
    text = "switch(6.5; greedy(0.1); mix(0.4*uniform + .6*fuego))"
    assert parse_policy(text) == SwitchedPolicy(
        6.5,
        LearntPolicy("greedy", 0.1),
        MixedPolicy(((0.4, PlainPolicy("uniform")), (0.6, PlainPolicy("fuego")))),
    )
    assert canonical_policy(text) == "switch(6.5;greedy(0.1);mix(0.4*uniform+0.6*fuego))"
    assert [format_policy(part) for part in parts_of(parse_policy(text))] == ["greedy(0.1)", "uniform", "fuego"]
    assert canonical_policy("switch(1e3;softmax(1e-05);gaussian(2.0))") == "switch(1000;softmax(1e-05);gaussian(2))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"expected a policy: uniform, mogo, fuego, greedy\(EPSILON\).*, at the end"),
        ("fuega", r"there is no policy 'fuega': did you mean 'fuego'\? known: .*, at column 1: 'fuega'"),
        ("fuego(1)", r"expected the end after 'fuego', at column 6: '\(1\)'"),
        ("greedy", r"expected '\(' of greedy\(EPSILON\), at the end"),
        ("greedy()", r"epsilon of greedy is a number from 0 to 1, at column 8: '\)'"),
        ("greedy(1.1)", r"epsilon of greedy is a number from 0 to 1, not 1.1, at column 8: '1.1\)'"),
        ("greedy(-1)", r"from 0 to 1, not -1, at column 8"),
        ("gaussian(0)", r"gaussian\(SD\) takes a number above 0, not 0, at column 10: '0\)'"),
        ("softmax(1e999)", r"softmax\(TAU\) takes a number above 0, not 1e999"),
        ("softmax(0.1", r"expected '\)' of softmax\(TAU\), at the end"),
        ("softmax-shapes", r"expected '\(' of softmax-shapes\(FILE\), at the end"),
        ("softmax-shapes( )", r"softmax-shapes\(FILE\) takes a file of weights, or shipped, at column 17: '\)'"),
        ("softmax-shapes(a;b)", r"expected '\)' of softmax-shapes\(FILE\), at column 17: ';b\)'"),
        ("mix(uniform)", r"a share of mix is a number above 0, at column 5: 'uniform\)'"),
        ("mix(0*uniform+1*fuego)", "a share of mix is a number above 0, not 0, at column 5"),
        ("mix(0.4*uniform+0.5*fuego)", "the shares of mix add up to 0.9 instead of 1, at column 1"),
        ("switch(3;mix(0.4*uniform+0.5*fuego);fuego)", "the shares of mix add up to 0.9 instead of 1, at column 10"),
        ("mix(0.4 uniform)", r"expected '\*' of mix\(SHARE\*POLICY\+…\), at column 9: 'uniform\)'"),
        ("switch(6,greedy(0.1),fuego)", r"expected ';' of switch\(MOVES;POLICY;POLICY\), at column 9: ',greedy"),
        ("switch(-1;fuego;mogo)", "the moves before a switch are a number from 0, not -1, at column 8"),
        ("switch(6;fuego;best)", "there is no policy 'best': known: .*, at column 16"),
        ("switch(6;fuego)", r"expected ';' of switch\(MOVES;POLICY;POLICY\), at column 15: '\)'"),
        ("switch(0;fuego;" * 21 + "fuego" + ")" * 21, "more than 20 policies inside each other, at column 295"),
    ],
)
def test_mistakes_are_shown(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_policy(text)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("uct:sims=1,playout_policy=greedy", r"playout_policy: .*expected '\('.*also weighted, mast, heuristic"),
        (
            "flat-mc:sims=1,policy=greedy(2)",
            "FlatMcSettings.policy: .*epsilon of greedy is a number from 0 to 1, not 2",
        ),
        ("policy:name=mix(0.5*mogo)", "PolicySettings.name: .*add up to 0.5 instead of 1"),
    ],
)
def test_settings_show_the_same_mistakes(spec: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make_player(spec)


def test_settings_have_one_text_for_a_policy() -> None:
    one, two = (
        make_player(f"policy:name={text}") for text in ("mix(0.50*mogo + .5*greedy(1))", "mix(0.5*mogo+0.5*greedy(1))")
    )
    assert one.settings == two.settings
    assert one.name == two.name == "policy:name=mix(0.5*mogo+0.5*greedy(1))"
