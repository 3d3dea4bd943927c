"""Claim: the key kept up move by move is the one computed from scratch, and the one a fresh board has."""

from __future__ import annotations

from typing import Any

from hypothesis import given

import refute.board
from refute.divergence import Facet, Verdict
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.KEY, Verdict.HASH


def check(board: Any, walk: Walk) -> None:
    position = board.fen.parse(walk.fen, chess960=walk.chess960)
    keys = []
    for text in walk.moves:
        keys.append(position.key)
        position.make_uci(text)
        assert position.key == position.compute_key(), f"after making {text}"
        assert position.key != keys[-1], f"{text} changed the position and not its key"
    # Read back without the en passant square that nothing can take on: it is no part of the key.
    fresh = board.fen.parse(board.fen.write(position), chess960=walk.chess960)
    assert fresh.key == position.key
    assert position.key_history() == keys
    for text in reversed(walk.moves):
        position.unmake()
        assert position.key == keys.pop() == position.compute_key(), f"after unmaking {text}"


@given(walks() | walks(chess960=True))
def test_key_matches_scratch(walk: Walk) -> None:
    check(refute.board, walk)
