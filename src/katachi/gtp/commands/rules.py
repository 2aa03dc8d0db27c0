"""Rule sets in the words of KataGo and of the KGS server."""

import json
from typing import Literal

from katachi.core.errors import ParseError
from katachi.games.go.rules import Rules
from katachi.gtp.go_session import GoSession
from katachi.gtp.registry import Json, command

_KGS = {"chinese": "chinese-kgs"}  # the others have our names
_LARGEST = 1e300


@command("kata-get-rules")
def get_rules(session: GoSession) -> str:
    """The parts of the rule set, as JSON."""
    return json.dumps(session.rules.to_katago())


@command("kata-set-rules")
def set_rules(session: GoSession, rules: Json) -> None:
    """A rule set by name or by parts; komi stays, unless the parts name one."""
    session.change_rules(_rules(rules, session.rules))


@command("kata-set-rule")
def set_rule(session: GoSession, part: str, value: Json) -> None:
    """One part of the rule set."""
    parts: dict[str, object] = {**session.rules.to_katago(), part: value}
    session.change_rules(Rules.from_katago(parts, session.rules.komi))


@command("kgs-rules")
def kgs_rules(session: GoSession, name: Literal["chinese", "aga", "japanese", "new_zealand"]) -> None:
    """A rule set by the server's name for it."""
    session.change_rules(Rules.named(_KGS.get(name, name), session.rules.komi))


def _rules(given: object, before: Rules) -> Rules:
    if isinstance(given, str):
        return Rules.named(given, before.komi)
    if not isinstance(given, dict):
        raise ParseError(f"rules are a name or a JSON object, not {given!r}")
    parts = dict(given)
    komi = parts.pop("komi", before.komi)
    if isinstance(komi, bool) or not isinstance(komi, int | float) or not abs(komi) < _LARGEST:
        raise ParseError(f"komi is a number, not {komi!r}")
    return Rules.from_katago(parts, float(komi))
