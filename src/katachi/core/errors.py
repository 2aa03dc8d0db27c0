"""The error tree: everything that Katachi raises on purpose is a KatachiError with the offending value in its message.

The native core raises the first four by name (cpp/core/errors.hpp).
"""


class KatachiError(Exception):
    """The root: catch this to catch every error that Katachi raises on purpose."""


class IllegalMoveError(KatachiError, ValueError):
    """A move that the rules forbid, or that is not a move of the game at all."""


class InvalidArgumentError(KatachiError, ValueError):
    """An argument outside its domain: a board size, a negative budget."""


class GameContractError(KatachiError):
    """A game that breaks the contract of `katachi.games.contract.Game`."""


class DivergenceError(KatachiError, ArithmeticError):
    """Values of a search or a learner that have grown beyond all bounds, or are no numbers any more."""


class ParseError(KatachiError, ValueError):
    """Text that cannot be read: a vertex, a diagram, a player spec."""


class EngineError(KatachiError):
    """An external engine that is missing, silent, dead or wrong."""


class EngineTimeoutError(EngineError):
    """An external engine that did not answer in time."""


class EngineMoveError(EngineError):
    """An external engine that answered with a move that is illegal, or none at all."""


class SettingsError(KatachiError, ValueError):
    """A settings model that refuses a key or a value."""


class StoreError(KatachiError):
    """A file of games that cannot be used: damaged, locked, or something else."""


class DataSetError(StoreError):
    """A data set that cannot be used: missing, damaged, or of something else."""


class UnknownNameError(KatachiError, LookupError):
    """A name that is not in a registry: a game, a rule set, a player."""


class UnsupportedRulesError(KatachiError, ValueError):
    """Rules that Katachi knows and refuses rather than approximates."""


class WeightsError(StoreError):
    """A file of weights that cannot be used: missing, damaged, or of something else."""


class WorkerError(KatachiError):
    """Work that failed in another process, or that killed the process it ran in."""
