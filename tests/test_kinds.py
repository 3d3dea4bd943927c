"""The kind of a move is read from the FEN, for legal and impossible moves alike."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refute.kinds import kind_of_move

PLACES = "r3k2r/P5P1/8/3pP3/8/2n5/1P1B4/R3K2R"
WHITE = f"{PLACES} w KQkq d6 0 1"


@pytest.mark.parametrize(
    ("uci", "kind"),
    [
        ("e5d6", "en passant"),
        ("e1g1", "king-side castle"),
        ("e1c1", "queen-side castle"),
        ("e1h1", "king captures own piece"),
        ("e1e2", "king move"),
        ("e1g1q", "promotion of a king"),
        ("e1d2", "king captures own piece"),
        ("g7g8n", "promotion to n"),
        ("g7h8q", "capturing promotion to q"),
        ("a7a8b", "promotion to b"),
        ("g7g8", "promotion without a letter"),
        ("b2b3q", "promotion off the last rank"),
        ("d2c3q", "promotion of a bishop"),
        ("b2b3", "pawn push"),
        ("b2b4", "double push"),
        ("b2c3", "pawn capture"),
        ("b2h3", "pawn move"),
        ("b2b1", "pawn move"),
        ("d2c3", "bishop capture"),
        ("d2e3", "bishop move"),
        ("a1a2", "rook move"),
        ("a1a7", "rook captures own piece"),
        ("h1h8", "rook capture"),
        ("c3b1", "opponent's piece"),
        ("d4d5", "no such piece"),
        ("0000", "null move"),
        ("e2e9", "not a move"),
        ("e1e1", "not a move"),
        ("e7e8k", "not a move"),
        ("e7e8qq", "not a move"),
        ("", "not a move"),
        (None, "-"),
    ],
)
def test_each_kind_has_its_word(uci: str | None, kind: str) -> None:
    assert kind_of_move(WHITE, uci) == kind


def test_black_moves_are_named_as_white_ones_are() -> None:
    fen = "r3k2r/1p6/8/8/3pP3/8/6p1/R3K2R b KQkq e3 0 1"
    kinds = [kind_of_move(fen, uci) for uci in ("d4e3", "e8g8", "e8c8", "b7b5", "g2h1n")]
    assert kinds == [
        "en passant",
        "king-side castle",
        "queen-side castle",
        "double push",
        "capturing promotion to n",
    ]


def test_chess960_castles_by_taking_the_own_rook() -> None:
    fen = "8/8/8/4k3/8/8/8/1RK3R1 w GB - 0 1"
    assert kind_of_move(fen, "c1g1", chess960=True) == "king-side castle"
    assert kind_of_move(fen, "c1b1", chess960=True) == "queen-side castle"
    assert kind_of_move(fen, "c1d1", chess960=True) == "king move"


def test_a_stale_en_passant_capture_is_still_en_passant() -> None:
    assert kind_of_move("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6") == "en passant"


@given(st.text(max_size=80), st.text(max_size=6))
def test_nothing_makes_it_raise(fen: str, uci: str) -> None:
    assert kind_of_move(fen, uci)
    assert kind_of_move(fen, "e2e4")


@pytest.mark.parametrize("fen", ["", "9/8", "8/8/8/8/8/8/8/7\u0131 w - - 0 1", "p" * 5000, "8/8/8/8/8/8/8/8/8 w"])
def test_an_unreadable_board_has_no_kind(fen: str) -> None:
    assert kind_of_move(fen, "e2e4") == "-"


@given(st.lists(st.integers(0, 10**6), max_size=60))
def test_legal_moves_are_never_called_impossible(choices: list[int]) -> None:
    board = chess.Board()
    for choice in choices:
        legal = list(board.legal_moves)
        if not legal:
            return
        for move in legal:
            kind = kind_of_move(board.fen(en_passant="fen"), move.uci())
            assert (kind == "en passant") == board.is_en_passant(move)
            assert kind.endswith("castle") == board.is_castling(move)
            assert kind.endswith(f"promotion to {move.uci()[4:]}") == bool(move.promotion)
            assert not kind.startswith(("no ", "not ", "opponent"))
            assert "own piece" not in kind
        board.push(legal[choice % len(legal)])
