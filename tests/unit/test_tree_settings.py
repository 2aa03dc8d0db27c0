"""The settings of the tree search on both sides of the language border: the same fields, the same values."""

from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest

from katachi import InvalidArgumentError, KeyKind
from katachi._core import GameFacts, TreeSearchOptions
from katachi.core.errors import SettingsError
from katachi.search.tree_settings import PRESETS, TreeSearchSettings, preset

# What a player does with a search is no business of native code; a number as V_playout is a field of its own there.
PYTHON_ONLY = {"final_move", "between_moves", "forget_share", "weights"}
NATIVE_ONLY = {"playout_constant", "policy", "prior_shapes"}
FACTS = GameFacts(players=2, action_space=9, return_bounds=(0, 1), key=KeyKind.EXACT)


def native_fields() -> set[str]:
    return {name for name in dir(TreeSearchOptions) if not name.startswith("_")}


def literals(annotation: Any) -> list[Any]:  # noqa: ANN401
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [value for part in get_args(annotation) if part is not NoneType for value in literals(part)]


def test_both_sides_have_the_same_fields() -> None:
    assert set(TreeSearchSettings.model_fields) - PYTHON_ONLY == native_fields() - NATIVE_ONLY


def test_the_defaults_agree() -> None:
    native, given = (
        {
            name: str(value) if name == "policy" else value
            for name in native_fields()
            for value in [getattr(options, name)]
        }
        for options in (TreeSearchOptions(), TreeSearchSettings().to_native(FACTS))
    )
    assert native == given


@pytest.mark.parametrize("name", sorted(set(TreeSearchSettings.model_fields) - PYTHON_ONLY))
def test_native_code_takes_every_value_that_a_setting_names(name: str) -> None:
    taken = 0
    for value in literals(TreeSearchSettings.model_fields[name].annotation):
        settings = TreeSearchSettings.model_construct(**(TreeSearchSettings().model_dump() | {name: value}))
        native = getattr(settings.to_native(FACTS), name)
        if (name, value) in (("new_nodes", "all"), ("v_init", "heuristic"), ("first_play_urgency", "first")):
            assert native is None
        elif name == "v_init":
            assert native == 0.5
        else:
            assert native == value
        taken += 1
    named = {"learner", "step_size", "control", "structure", "normalisation", "v_playout", "opponent"}
    assert taken > 1 or name not in named


def test_native_code_refuses_other_values() -> None:
    options = TreeSearchOptions()
    with pytest.raises(InvalidArgumentError, match="learner has no value 'magic'"):
        options.learner = "magic"


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid(name: str) -> None:
    preset(name).to_native(FACTS)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"lambda": 0.5}, "lambda is for td"),
        ({"learner": "td", "convention": "state", "reward_timing": "final-sum"}, "final-sum is for afterstates"),
        ({"learner": "td", "timing": "online", "cut_rule": "drop"}, "cannot be dropped"),
        ({"learner": "td", "timing": "online", "v_playout": "converged-next"}, "not known online"),
        ({"learner": "max", "convention": "state"}, "max backups are for afterstates"),
        ({"v_playout": "leaf-terminal", "structure": "graph"}, "leaf-terminal is for trees"),
        ({"rave": "mc-rave", "structure": "graph"}, "rave=mc-rave is for trees"),
        ({"expansion": "all-children", "structure": "graph"}, "expansion=all-children is for trees"),
        ({"rave": "rave", "expansion": "all-children"}, "RAVE and priors need node"),
        ({"prior": "even"}, "prior=even counts for nothing"),
        ({"prior": "even", "prior_visits": 3, "structure": "fixed"}, "prior=even is for trees"),
        ({"prior": "even", "prior_visits": 3, "v_init": "heuristic"}, "one first value"),
        ({"prior": "even", "prior_visits": 3, "convention": "state"}, "prior_visits are for afterstates"),
        ({"prior": "even", "prior_visits": 3, "weights": "w.safetensors"}, "weights=w.safetensors are for"),
        ({"rave": "mc-rave", "rave_k": -1}, "rave_k"),
        ({"rave": "mc-rave", "prior": "shapes", "prior_rules": 1.5}, "prior_rules"),
    ],
)
def test_contradictions_are_refused_by_name(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        TreeSearchSettings(**settings)


def test_max_backups_in_a_game_of_chance_need_its_outcomes() -> None:
    chance = GameFacts(players=2, action_space=2, return_bounds=(0, 1), deterministic=False, key=KeyKind.EXACT)
    with pytest.raises(InvalidArgumentError, match="needs transitions=observed"):
        TreeSearchSettings(learner="max").check_game(chance, "pig")
    TreeSearchSettings(learner="max", transitions="observed").check_game(chance, "pig")
