"""Which stones are alive, by the majority of uniform playouts; and the score once the dead ones are gone."""

from katachi._core import Rng
from katachi.core.types import Action, Player, Point
from katachi.games.go.position import Position
from katachi.games.go.vertex import neighbours

__all__ = ["PLAYOUTS", "attacking_points", "chains", "dead_chains", "final_score"]

PLAYOUTS = 500


def chains(position: Position) -> list[list[Point]]:
    """Every chain on the board, its stones ascending, ordered by the first."""
    found = {tuple(position.chain(point)) for point, stone in enumerate(position.stones()) if stone != "."}
    return [list(chain) for chain in sorted(found)]


def dead_chains(position: Position, rng: Rng, playouts: int = PLAYOUTS) -> list[list[Point]]:
    """The chains whose points the opponent holds at the end of most playouts.

    Under rules without a friendly pass no stone is dead: what stands on the board counts. Random play does not
    understand seki, and may call one side of it dead.
    """
    if not position.rules.friendly_pass:
        return []
    black_share = position.ownership(playouts, rng)
    dead = []
    for chain in chains(position):
        balance = sum(black_share[point] for point in chain)
        owner = Player.BLACK if position.stones()[chain[0]] == "X" else Player.WHITE
        if (balance if owner is Player.BLACK else -balance) < 0:
            dead.append(chain)
    return dead


def attacking_points(position: Position, rng: Rng, playouts: int = PLAYOUTS) -> list[Action]:
    """The liberties of the opponent's dead chains, ascending: where the player to move can begin to take them off.

    Dead by playouts under any rules, for these stones are to be captured.
    """
    stones = position.stones()
    enemy = "O" if position.to_play is Player.BLACK else "X"
    friendly = position.with_rules(position.rules.replace(friendly_pass=True))
    dead = [point for chain in dead_chains(friendly, rng, playouts) for point in chain if stones[point] == enemy]
    around = {q for point in dead for q in neighbours(point, position.width, position.height)}
    return [Action(point) for point in sorted(around) if stones[point] == "."]


def final_score(position: Position, rng: Rng, playouts: int = PLAYOUTS) -> float:
    """Black's margin without the dead chains."""
    dead = [point for chain in dead_chains(position, rng, playouts) for point in chain]
    return position.without(dead).score() if dead else position.score()
