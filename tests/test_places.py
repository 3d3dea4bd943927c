"""A wrong entry of a table is wrong on one square; what is wrong anywhere else too is no such entry."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from refute.causes import causes_of, group
from refute.compare import Comparer
from refute.divergence import Divergence
from refute.engines.faulty import open_fault
from refute.engines.protocol import Engine
from refute.engines.pyobject import FunctionEngine
from refute.engines.python_chess import PythonChessEngine
from refute.places import ONLY_ON, only_square
from refute.walk import Walk

MISSING = "4k3/8/8/8/3r4/8/8/4K3 b - - 0 1"
JUMPS = "4k3/8/8/8/3qp3/8/8/4K3 b - - 0 1"
UNCOVERS = "8/8/8/8/3kPpR1/8/8/4K3 b - e3 0 1"  # along a rank, seen from the king on d4
EXCHANGED = "4k3/8/8/3KPpr1/8/8/8/8 w - f6 0 1"  # where colours are exchanged the king is on d4


def seen(fault: str, fen: str) -> Divergence:
    return seen_by(open_fault(fault), fen)


def seen_by(subject: Engine, fen: str) -> Divergence:
    found = Comparer(subject, [PythonChessEngine()]).compare(Walk(fen)).divergence
    assert found is not None
    square = only_square(found, subject)
    return found if square is None else replace(found, notes={**found.notes, ONLY_ON: square})


def test_a_slider_that_is_wrong_on_one_square_is_known_for_it() -> None:
    assert seen("wrong-magic", MISSING).notes[ONLY_ON] == "d4"


def test_a_slider_that_is_wrong_wherever_it_stands_is_bound_to_no_square() -> None:
    assert ONLY_ON not in seen("slider-stops-short", "4k3/8/8/8/3R4/3p4/8/4K3 w - - 0 1").notes


def test_what_one_wrong_entry_lets_a_slider_miss_and_jump_over_is_one_cause() -> None:
    found = [seen("wrong-magic", fen) for fen in (MISSING, JUMPS, UNCOVERS, EXCHANGED)]
    assert group([causes_of(one) for one in found]) == [[0, 1, 2, 3]]


def test_without_the_one_square_missing_and_jumping_are_two_causes() -> None:
    found = [replace(seen("wrong-magic", fen), notes={}) for fen in (MISSING, JUMPS)]
    assert group([causes_of(one) for one in found]) == [[0], [1]]


def test_a_note_that_is_no_square_binds_nothing() -> None:
    found = [replace(seen("wrong-magic", fen), notes={ONLY_ON: ["d4"]}) for fen in (MISSING, JUMPS)]
    assert group([causes_of(one) for one in found]) == [[0], [1]]


def twice_wrong(fen: str) -> list[str]:
    """A rook on h1 misses h4; and no king-side castle, no en passant, no knight of a pawn is ever listed."""
    board = chess.Board(fen)
    return [
        move.uci()
        for move in board.legal_moves
        if not board.is_kingside_castling(move)
        and not board.is_en_passant(move)
        and move.promotion != chess.KNIGHT
        and not (move == chess.Move(chess.H1, chess.H4) and board.piece_type_at(chess.H1) == chess.ROOK)
    ]


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/7P/8/8/4K2R w K - 0 1",
        "4k3/8/8/3pP3/7P/8/8/4K2R w - d6 0 1",
        "4k3/1P6/8/8/7P/8/8/4K2R w - - 0 1",
    ],
    ids=["castle", "en passant", "promotion"],
)
def test_a_wrong_entry_is_no_reason_for_what_has_nothing_to_do_with_its_slider(fen: str) -> None:
    subject = FunctionEngine(twice_wrong, name="twice wrong", timeout=10)
    entry = seen_by(subject, "4k3/8/8/8/8/8/8/4K2R w - - 0 1")
    assert entry.notes[ONLY_ON] == "h1"
    assert group([causes_of(entry), causes_of(seen_by(subject, fen))]) == [[0], [1]]


def test_a_wrong_entry_is_the_reason_for_a_king_that_its_slider_does_not_frighten() -> None:
    def moves(fen: str) -> list[str]:
        extra = ["g4h4"] if chess.Board(fen).piece_at(chess.G4) == chess.Piece(chess.KING, chess.WHITE) else []
        return twice_wrong(fen) + extra

    subject = FunctionEngine(moves, name="blind on one file", timeout=10)
    entry = seen_by(subject, "4k3/8/8/8/8/8/8/4K2R w - - 0 1")
    assert entry.notes[ONLY_ON] == "h1"
    unseen = seen_by(subject, "4k3/8/8/8/6K1/8/8/7r w - - 0 1")
    assert group([causes_of(entry), causes_of(unseen)]) == [[0, 1]]
