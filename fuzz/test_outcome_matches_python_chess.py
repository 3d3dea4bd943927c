"""Claim: a game is over when python-chess says so, and for the same reason."""

from __future__ import annotations

from typing import Any

import chess
from hypothesis import given

import refute.board.outcome
from refute.divergence import Facet, Verdict
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.OUTCOME, Verdict.MOVEGEN


def expected(board: chess.Board) -> str | None:
    # In our order: the library calls a stalemate with bare kings insufficient material.
    reasons = {
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "insufficient-material": board.is_insufficient_material(),
        "seventyfive-moves": board.is_seventyfive_moves(),
        "fivefold-repetition": board.is_fivefold_repetition(),
        "fifty-moves": board.is_fifty_moves(),
        "threefold-repetition": board.is_repetition(3),
    }
    return next((name for name, holds in reasons.items() if holds), None)


def check(board: Any, walk: Walk) -> None:
    position = board.fen.parse(walk.fen, chess960=walk.chess960)
    witness = chess.Board(walk.fen, chess960=walk.chess960)
    for text in (*walk.moves, None):
        reason = expected(witness)
        assert board.outcome.outcome(position, claims=True) == reason
        must = None if reason in ("fifty-moves", "threefold-repetition") else reason
        assert board.outcome.outcome(position) == must
        if text:
            position.make_uci(text)
            witness.push_uci(text)


@given(walks() | walks(chess960=True))
def test_outcome_matches_python_chess(walk: Walk) -> None:
    check(refute.board, walk)
