"""Claim: the pseudo-legal moves that leave the king safe are the legal moves, each once, as many as are counted."""

from __future__ import annotations

from typing import Any

from hypothesis import given

import refute.board
from refute.divergence import Facet, Verdict
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.MOVES, Verdict.MOVEGEN


def check(board: Any, walk: Walk) -> None:
    position = board.fen.parse(walk.fen, chess960=walk.chess960)
    for text in (*walk.moves, None):
        legal = sorted(position.legal_moves())
        pseudo = position.pseudo_legal_moves()
        assert sorted(move for move in pseudo if position.is_safe(move)) == legal == sorted(position.filtered_moves())
        assert len(set(legal)) == len(legal) == position.count_moves()
        assert len(set(pseudo)) == len(pseudo)
        assert not any(position.is_legal(move) for move in set(pseudo) - set(legal))
        if text:
            position.make_uci(text)


@given(walks() | walks(chess960=True))
def test_pseudo_legal_filtered_is_legal(walk: Walk) -> None:
    check(refute.board, walk)
