"""Perft in slices, so that a long count shows how far it is and can be interrupted.

position ──root moves──▶ … ──▶ slices of a few plies, counted in one call each ──▶ Tally
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from refute.board import Position

# Four plies take at most some milliseconds in most positions, and are long enough that making moves
# between them costs nothing.
SLICE: Final = 4

Leaf = Callable[["Position", int], dict[str, int]]


@dataclass
class Tally:
    """What was counted so far; `divide` has only the root moves that are finished."""

    nodes: int = 0
    divide: dict[str, int] = field(default_factory=dict)
    details: dict[str, int] = field(default_factory=dict)  # includes "nodes"; empty unless asked for
    seconds: float = 0.0  # spent counting, without starting engines

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the time until the block is left, whatever way."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - started


def count_plain(position: Position, depth: int) -> dict[str, int]:
    return {"nodes": position.perft(depth)}


def count_played(position: Position, depth: int) -> dict[str, int]:
    return {"nodes": position.perft(depth, bulk=False)}


def count_detailed(position: Position, depth: int) -> dict[str, int]:
    return position.perft_detailed(depth)


def count_by_root_move(
    position: Position, depth: int, leaf: Leaf, tally: Tally, finished: Callable[[], None] = lambda: None
) -> None:
    """Fill the tally root move by root move; interrupted, it holds what was finished."""
    if depth < 2:
        # The last ply cannot be sliced: what its moves are is known only where they start.
        tally.divide.update({position.uci(move): 1 for move in position.legal_moves()} if depth else {})
        _add(tally, leaf(position, depth))
        return
    for text, move in sorted((position.uci(move), move) for move in position.legal_moves()):
        position.make(move)
        counts = _count_sliced(position, depth - 1, leaf)
        position.unmake()
        tally.divide[text] = counts["nodes"]
        _add(tally, counts)
        finished()


def count_hashed(position: Position, depth: int, megabytes: int, tally: Tally, *, divide: bool) -> None:
    """Fill the tally with one table for the whole count, or with one for each root move to divide it."""
    if not divide or depth == 0:
        tally.nodes = position.perft_hashed(depth, megabytes=megabytes)
        return
    for text, move in sorted((position.uci(move), move) for move in position.legal_moves()):
        position.make(move)
        nodes = position.perft_hashed(depth - 1, megabytes=megabytes)
        position.unmake()
        tally.divide[text] = nodes
        tally.nodes += nodes


def count_checked(position: Position, depth: int, tally: Tally) -> None:
    """Fill the tally with a checked count, divided by a plain one; raises BrokenInvariant."""
    nodes = position.perft_checked(depth)
    count_by_root_move(position, depth, count_plain, tally)
    tally.nodes = nodes


def _count_sliced(position: Position, depth: int, leaf: Leaf) -> dict[str, int]:
    if depth <= SLICE:
        return leaf(position, depth)
    total: dict[str, int] = {"nodes": 0}
    for move in position.legal_moves():
        position.make(move)
        for name, count in _count_sliced(position, depth - 1, leaf).items():
            total[name] = total.get(name, 0) + count
        position.unmake()
    return total


def _add(tally: Tally, counts: dict[str, int]) -> None:
    tally.nodes += counts["nodes"]
    if len(counts) > 1:
        for name, count in counts.items():
            tally.details[name] = tally.details.get(name, 0) + count
