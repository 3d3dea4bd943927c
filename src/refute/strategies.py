"""Hypothesis strategies for your own tests: `walks()` and `positions()`.

    @given(walks())
    def test_my_generator(walk): ...

Hypothesis draws one block of bytes for a whole walk (a limit, a source, a seed) and the walk maker does
the rest, because a draw for each ply would cost more than generating its moves. Shrinking lowers the
limit first, which leaves the beginning of the same walk. A walk that fails replays from its block, and
from itself.
"""

from __future__ import annotations

from random import Random
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from refute.errors import InputError
from refute.walk import LONGEST_WALK, Walk
from refute.walking import ROUND, SOURCES, START, make_walk

DEFAULT_PLIES: Final = 200

# Limit, source, seed: what comes first is shrunk first. Bytes, because Hypothesis likes its integers small,
# and one block, because it likes to repeat draws of one kind: either way few seeds would come up often.
BLOCKS: Final = st.binary(min_size=10, max_size=10)

# As in a hunt's round, but a test of a hundred examples should see the starting position a few times.
# Hypothesis shrinks towards the first: few men, and walks soon over.
_PLAINEST_FIRST: Final = tuple(sorted((*ROUND, START, START), key=SOURCES.index))


def _walk(block: bytes, longest: int, chess960: bool) -> Walk:
    source = _PLAINEST_FIRST[block[1] % len(_PLAINEST_FIRST)]
    return make_walk(Random(int.from_bytes(block[2:], "big")), chess960=chess960, sources=(source,), longest=longest)


def walks(*, chess960: bool = False, max_plies: int = DEFAULT_PLIES) -> SearchStrategy[Walk]:
    """Legal walks of at most `max_plies`, from the starting position and from composed ones.

    Every position on them is one that python-chess and Stockfish both call legal. Walks from the
    starting position average more than forty plies unless `max_plies` forbids it.
    """
    _check_chess960(chess960)
    if isinstance(max_plies, bool) or not isinstance(max_plies, int) or not 0 <= max_plies <= LONGEST_WALK:
        raise InputError(f"max_plies={max_plies!r}: expected a whole number from 0 to {LONGEST_WALK}")

    # Most limits exceed what a walk would like to go, and so are none.
    return BLOCKS.map(lambda block: _walk(block, min(block[0], max_plies), chess960))


def positions(*, chess960: bool = False) -> SearchStrategy[str]:
    """Legal positions as FENs, most of them composed so that some rule bites at once."""
    _check_chess960(chess960)

    return BLOCKS.map(lambda block: _walk(block, 0, chess960).fen)


def _check_chess960(chess960: bool) -> None:
    if not isinstance(chess960, bool):
        raise InputError(f"chess960={chess960!r}: expected True or False")
