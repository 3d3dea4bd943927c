"""Claim: a null move passes the turn and nothing else, unmaking it restores all, and in check it is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import refute.board
from refute.divergence import Facet, Verdict
from refute.errors import MoveError
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.NULL, Verdict.MAKE


def check(board: Any, walk: Walk) -> None:
    position = board.fen.parse(walk.fen, chess960=walk.chess960)
    for text in (*walk.moves, None):
        before = position.fields()
        if position.is_check():
            with pytest.raises(MoveError):
                position.make_null()
        else:
            position.make_null()
            assert position.validate() is None
            assert position.key == position.compute_key() != before["key"]
            passed = position.fields()
            assert (passed["turn"], passed["en passant"]) == (1 - before["turn"], None)
            assert passed["board"] == before["board"]
            assert passed["castling"] == before["castling"]
            position.unmake()
        assert position.fields() == before
        if text:
            position.make_uci(text)


@given(walks() | walks(chess960=True))
def test_null_move_restores(walk: Walk) -> None:
    check(refute.board, walk)
