"""Claim: at every position of a walk, our legal moves are python-chess's, each of them once."""

from __future__ import annotations

from typing import Any

import chess
from hypothesis import given

import refute.board
from refute.divergence import Facet, Verdict
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.MOVES, Verdict.MOVEGEN


def check(board: Any, walk: Walk) -> None:
    position = board.fen.parse(walk.fen, chess960=walk.chess960)
    witness = chess.Board(walk.fen, chess960=walk.chess960)
    for text in (*walk.moves, None):
        ours = sorted(map(position.uci, position.legal_moves()))
        assert ours == sorted(move.uci() for move in witness.legal_moves)
        assert position.is_check() == witness.is_check()
        if text:
            position.make_uci(text)
            witness.push_uci(text)
    assert board.fen.write(position) == witness.fen()


@given(walks() | walks(chess960=True))
def test_moves_match_python_chess(walk: Walk) -> None:
    check(refute.board, walk)
