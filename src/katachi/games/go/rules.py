"""Rule sets of Go, by name and by parts. Area scoring only: other rules are refused, never approximated."""

import json
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field

from katachi import _core
from katachi.core.errors import SettingsError, UnknownNameError, UnsupportedRulesError
from katachi.core.settings import Settings, did_you_mean

__all__ = ["RULE_SETS", "Rules"]

_KO = {"simple": _core.Ko.SIMPLE, "positional": _core.Ko.POSITIONAL, "situational": _core.Ko.SITUATIONAL}
_BONUS = {"0": _core.HandicapBonus.NONE, "N": _core.HandicapBonus.STONES, "N-1": _core.HandicapBonus.STONES_LESS_ONE}

_ALIASES = {"bga": "aga", "french": "aga", "chinese-kgs": "chinese-ogs", "tromptaylor": "tromp-taylor"}

_REFUSED = {
    "japanese": "territory scoring",
    "korean": "territory scoring",
    "territory": "territory scoring",
    "lasker-maas": "territory scoring",
    "stone-scoring": "a group tax",
    "ancient-area": "a group tax",
    "ancient-territory": "territory scoring and a group tax",
    "aga-button": "a button",
    "ing": "Ing's ko rule",
}


_KATAGO_PARTS: dict[str, tuple[str | bool, ...]] = {
    "ko": ("SIMPLE", "POSITIONAL", "SITUATIONAL"),
    "scoring": ("AREA", "TERRITORY"),
    "tax": ("NONE", "SEKI", "ALL"),
    "suicide": (False, True),
    "hasButton": (False, True),
    "whiteHandicapBonus": ("0", "N", "N-1"),
    "friendlyPassOk": (False, True),
}


class Rules(Settings):
    """A rule set. `Rules.named("aga", komi=6.5)`, or by parts: `Rules(ko="simple", suicide=True, komi=0)`."""

    ko: Literal["simple", "positional", "situational"] = Field(
        default="positional",
        description="What may not be repeated: the last ko, any colouring, any colouring with the same player to move.",
    )
    suicide: bool = Field(default=False, description="May a move remove the mover's own stones?")
    komi: float = Field(default=7.5, description="Points for White (Silver 5.6: 7.5). Halves avoid draws.")
    handicap_bonus: Literal["0", "N", "N-1"] = Field(
        default="0", description="Points for White with N handicap stones."
    )
    friendly_pass: bool = Field(
        default=False,
        description="Are dead stones taken off at the end? If not, all stones on the board count as alive.",
    )
    scoring: Literal["area"] = Field(
        default="area", description="Stones and surrounded points, all stones on the board alive."
    )

    def __init__(self, **values: object) -> None:
        scoring = str(values.get("scoring", "area")).lower()
        if scoring != "area":
            raise UnsupportedRulesError(f"scoring {values['scoring']!r} is not supported: Katachi counts area only")
        super().__init__(**{**values, "scoring": scoring})

    @classmethod
    def named(cls, name: str, komi: float | None = None) -> Self:
        """A rule set by name, with its usual komi or another."""
        key = name.strip().lower().replace("_", "-").replace(" ", "-")
        key = _ALIASES.get(key, key)
        if key in _REFUSED:
            supported = ", ".join(RULE_SETS)
            raise UnsupportedRulesError(
                f"rules {name!r} need {_REFUSED[key]}, which is not supported; supported: {supported}"
            )
        if key not in RULE_SETS:
            raise UnknownNameError(f"there are no rules called {name!r}: {did_you_mean(key, RULE_SETS)}")
        parts = RULE_SETS[key]
        return cls(**(parts if komi is None else {**parts, "komi": komi}))

    @property
    def name(self) -> str:
        """The name of the first rule set with these parts, komi aside; otherwise the parts themselves."""
        for name, parts in RULE_SETS.items():
            if self.replace(komi=0) == Rules(**{**parts, "komi": 0}):
                return name
        suicide = "suicide" if self.suicide else "no suicide"
        passing = "friendly pass" if self.friendly_pass else "no friendly pass"
        return f"{self.ko} ko, {suicide}, handicap bonus {self.handicap_bonus}, {passing}"

    def to_katago(self) -> dict[str, str | bool]:
        """The parts as KataGo's `kata-get-rules` spells them; komi is not one of them."""
        return {
            "ko": self.ko.upper(),
            "scoring": "AREA",
            "tax": "NONE",
            "suicide": self.suicide,
            "hasButton": False,
            "whiteHandicapBonus": self.handicap_bonus,
            "friendlyPassOk": self.friendly_pass,
        }

    @classmethod
    def from_katago(cls, parts: Mapping[str, object], komi: float) -> Self:
        """The inverse of `to_katago`; parts that are not given are those of `chinese`.

        What Katachi does not play is an UnsupportedRulesError, an unknown part or value a SettingsError.
        """
        given = {**cls.named("chinese").to_katago(), **parts}
        unknown = sorted(given.keys() - _KATAGO_PARTS.keys())
        if unknown:
            raise SettingsError(f"rules have no part {unknown[0]!r}: {did_you_mean(unknown[0], _KATAGO_PARTS)}")
        for part, values in _KATAGO_PARTS.items():
            value = given[part]
            if not any(value == known and type(value) is type(known) for known in values):
                known = ", ".join(map(json.dumps, values))
                raise SettingsError(f"rules: {part} is one of {known}, not {value!r}")
        for part, supported in (("scoring", "AREA"), ("tax", "NONE"), ("hasButton", False)):
            if given[part] != supported:
                raise UnsupportedRulesError(f"rules with {part} {given[part]!r} are not supported: only {supported!r}")
        return cls(
            ko=str(given["ko"]).lower(),
            suicide=given["suicide"],
            komi=komi,
            handicap_bonus=given["whiteHandicapBonus"],
            friendly_pass=given["friendlyPassOk"],
        )

    def to_native(self) -> _core.Rules:
        """What the core acts on."""
        return _core.Rules(
            ko=_KO[self.ko], suicide=self.suicide, komi=self.komi, handicap_bonus=_BONUS[self.handicap_bonus]
        )


# The parts as KataGo's rules table gives them; `cgos` is what the computer Go server and all matches here use.
RULE_SETS: dict[str, dict[str, object]] = {
    "cgos": {"ko": "positional", "suicide": False, "komi": 7.5, "handicap_bonus": "0"},
    "tromp-taylor": {"ko": "positional", "suicide": True, "komi": 7.5, "handicap_bonus": "0"},
    "chinese": {"ko": "simple", "suicide": False, "komi": 7.5, "handicap_bonus": "N", "friendly_pass": True},
    "chinese-ogs": {"ko": "positional", "suicide": False, "komi": 7.5, "handicap_bonus": "N", "friendly_pass": True},
    "aga": {"ko": "situational", "suicide": False, "komi": 7.5, "handicap_bonus": "N-1", "friendly_pass": True},
    "new-zealand": {"ko": "situational", "suicide": True, "komi": 7.0, "handicap_bonus": "0", "friendly_pass": True},
}
