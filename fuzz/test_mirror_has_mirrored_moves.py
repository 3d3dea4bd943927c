"""Claim: with colours and ranks exchanged, in the FEN or on the board, the moves are the same, mirrored."""

from __future__ import annotations

from typing import Any

from hypothesis import given

import refute.board
from refute.divergence import Facet, Verdict
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.MOVES, Verdict.MOVEGEN
RANKS = str.maketrans("12345678", "87654321")


def mirrored(fen: str) -> str:
    placement, turn, rights, square, *clocks = fen.split(" ")
    placement = "/".join(reversed(placement.split("/"))).swapcase()
    rights = "".join(sorted(rights.swapcase(), key=str.islower))  # White's first again
    return " ".join([placement, "b" if turn == "w" else "w", rights, square.translate(RANKS), *clocks])


def check(board: Any, walk: Walk) -> None:
    position = board.fen.parse(walk.fen, chess960=walk.chess960)
    for text in (*walk.moves, None):
        twin = board.fen.parse(mirrored(board.fen.write(position, en_passant="always")), chess960=walk.chess960)
        assert twin == position.mirrored()
        ours = sorted(map(position.uci, position.legal_moves()))
        assert ours == sorted(twin.uci(move).translate(RANKS) for move in twin.legal_moves())
        assert position.is_check() == twin.is_check()
        if text:
            position.make_uci(text)


@given(walks() | walks(chess960=True))
def test_mirror_has_mirrored_moves(walk: Walk) -> None:
    check(refute.board, walk)
