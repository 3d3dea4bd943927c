"""Claim: compiled, the board gives the very answers that the same source gives interpreted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import refute.board.outcome
from refute.board.copies import interpreted_copy
from refute.divergence import Facet, Verdict
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.INVARIANTS, Verdict.MAKE


def answers(board: Any, position: Any) -> tuple[object, ...]:
    return (
        position.fields(),
        position.fingerprint(),
        position.legal_moves(),
        position.pseudo_legal_moves(),
        position.checkers(),
        position.pinned(),
        board.outcome.outcome(position, claims=True),
        board.fen.write(position, en_passant="always"),
    )


def check(board: Any, walk: Walk) -> None:
    interpreted: Any = interpreted_copy("refute_interpreted_board")
    boards = (board, interpreted)
    ours, theirs = (one.fen.parse(walk.fen, chess960=walk.chess960) for one in boards)
    for text in (*walk.moves, None):
        assert answers(board, ours) == answers(interpreted, theirs)
        if text:
            ours.make_uci(text)
            theirs.make_uci(text)
    assert ours.perft_detailed(2) == theirs.perft_detailed(2)


@pytest.mark.skipif(not refute.board.is_compiled(), reason="the board runs interpreted: there is nothing to compare")
@given(walks() | walks(chess960=True))
def test_compiled_matches_interpreted(walk: Walk) -> None:
    check(refute.board, walk)
