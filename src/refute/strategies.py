"""Hypothesis strategies for your own tests: `walks()` and `positions()`.

    @given(walks())
    def test_my_generator(walk): ...

Hypothesis draws one seed and one limit for a whole walk and the walk maker does the rest, so a walk
costs a handful of draws however long it is. Shrinking lowers the limit, which leaves the beginning of the same
walk, and then moves on to plainer sources. A walk that fails replays from its seed and from itself.
"""

from __future__ import annotations

from random import Random
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from refute.errors import InputError
from refute.walk import LONGEST_WALK, Walk
from refute.walking import ROUND, SOURCES, make_walk

DEFAULT_PLIES: Final = 200
# Bytes, because Hypothesis likes its integers small: the same few seeds would come up again and again.
SEEDS: Final = st.binary(min_size=8, max_size=8).map(lambda block: int.from_bytes(block, "big"))

# In proportion to a hunt's round. Hypothesis shrinks towards the first: few men, and walks soon over.
_PLAINEST_FIRST: Final = tuple(sorted(ROUND, key=SOURCES.index))


def walks(*, chess960: bool = False, max_plies: int = DEFAULT_PLIES) -> SearchStrategy[Walk]:
    """Legal walks of at most `max_plies`, from the starting position and from composed ones.

    Every position on them is one that python-chess and Stockfish both call legal. Walks from the
    starting position average more than forty plies unless `max_plies` forbids it.
    """
    _check_chess960(chess960)
    if isinstance(max_plies, bool) or not isinstance(max_plies, int) or not 0 <= max_plies <= LONGEST_WALK:
        raise InputError(f"max_plies={max_plies!r}: expected a whole number from 0 to {LONGEST_WALK}")

    def build(limit: int, source: str, seed: int) -> Walk:
        return make_walk(Random(seed), chess960=chess960, sources=(source,), longest=min(limit, max_plies))

    # A sum, because one number drawn is small so often that walks would not leave the opening; most sums
    # are no limit at all, and shrinking lowers them as well as it lowers a number.
    part = st.integers(0, max_plies)
    limits = st.tuples(part, part, part).map(sum)
    # The limit first: what is drawn first is shrunk first, and short is better than plain.
    return st.builds(build, limits, st.sampled_from(_PLAINEST_FIRST), SEEDS)


def positions(*, chess960: bool = False) -> SearchStrategy[str]:
    """Legal positions as FENs, most of them composed so that some rule bites at once."""
    _check_chess960(chess960)

    def build(source: str, seed: int) -> str:
        return make_walk(Random(seed), chess960=chess960, sources=(source,), longest=0).fen

    return st.builds(build, st.sampled_from(_PLAINEST_FIRST), SEEDS)


def _check_chess960(chess960: bool) -> None:
    if not isinstance(chess960, bool):
        raise InputError(f"chess960={chess960!r}: expected True or False")
