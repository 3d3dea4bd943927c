"""Claim: unmake brings back every field of the position before, along a walk and for every move at its end."""

from __future__ import annotations

from typing import Any

from hypothesis import given

import refute.board
from refute.divergence import Facet, Verdict
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.RESTORE, Verdict.UNMAKE


def check(board: Any, walk: Walk) -> None:
    position = board.fen.parse(walk.fen, chess960=walk.chess960)
    before = []
    for text in walk.moves:
        before.append(position.fields())
        position.make_uci(text)
    fields = position.fields()
    for move in position.legal_moves():
        position.make(move)
        position.unmake()
        assert position.fields() == fields, f"after making and unmaking {position.uci(move)}"
    for ply in reversed(range(len(walk))):
        position.unmake()
        assert position.fields() == before[ply], f"after unmaking {walk.moves[ply]}"
        assert position.validate() is None
    assert position.ply == 0


@given(walks() | walks(chess960=True))
def test_unmake_restores(walk: Walk) -> None:
    check(refute.board, walk)
