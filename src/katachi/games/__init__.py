"""Games: the contract that every search shares, the registry, the check for users' own games, and Go.

Start with `contract`; `katachi.games.go` is Go; the native half is cpp/games. Games of other libraries come through
`openspiel(name)` and `gymnasium(env)`, which load theirs when they are first called.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from katachi.games.gymnasium_game import gymnasium as gymnasium
    from katachi.games.openspiel_game import openspiel as openspiel

__all__ = ["gymnasium", "openspiel"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "gymnasium":
        from katachi.games.gymnasium_game import gymnasium

        return gymnasium
    if name == "openspiel":
        from katachi.games.openspiel_game import openspiel

        return openspiel
    raise AttributeError(f"module 'katachi.games' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
