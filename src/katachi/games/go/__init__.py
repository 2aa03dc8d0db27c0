"""Go: rules, positions with history, diagrams, symmetries, and the game as the contract sees it.

    >>> from katachi.games.go import Position
    >>> position = Position(5, 5).play("C3").play("D3")
    >>> print(position)
       A B C D E
     5 . . . . . 5
     4 . . . . . 4
     3 . . X O . 3
     2 . . . . . 2
     1 . . . . . 1
       A B C D E
    Black (X) to play, captured: 0 X, 0 O

`rules` has the rule sets, `position` real play, `vertex` all coordinates, `diagram` and `svg` the pictures, `symmetry`
the dihedral group, `sgf` and `record` the files, `handicap` the beginning of a game and `status` its end, `game` the
contract. The native half is cpp/games/go; the slow twin is katachi.reference.go_rules.
"""

from katachi._core import EyeRule
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position
from katachi.games.go.record import Record
from katachi.games.go.rules import RULE_SETS, Rules
from katachi.games.go.symmetry import Symmetry
from katachi.games.go.vertex import format_vertex, parse_vertex

__all__ = ["RULE_SETS", "EyeRule", "GoGame", "Position", "Record", "Rules", "Symmetry", "format_vertex", "parse_vertex"]
