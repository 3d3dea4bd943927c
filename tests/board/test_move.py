"""A move's sixteen bits say what the move is, and its text says no less."""

from __future__ import annotations

import doctest

import pytest

from refute.board import Position, move
from refute.board.move import (
    CAPTURE,
    DOUBLE_PUSH,
    EN_PASSANT,
    KING_CASTLE,
    PROMOTION,
    QUEEN_CASTLE,
    QUIET,
    SQUARE_NAMES,
    Move,
    decode_uci,
    encode_uci,
)
from refute.errors import MoveError

E1, G1, H1, A1, E7, E8, D8 = 4, 6, 7, 0, 52, 60, 59

# flag → (capture, en passant, double push, castle, promotion letter)
FLAGS = {
    QUIET: (False, False, False, False, None),
    DOUBLE_PUSH: (False, False, True, False, None),
    KING_CASTLE: (False, False, False, True, None),
    QUEEN_CASTLE: (False, False, False, True, None),
    CAPTURE: (True, False, False, False, None),
    EN_PASSANT: (True, True, False, False, None),
    **{PROMOTION + i: (False, False, False, False, "nbrq"[i]) for i in range(4)},
    **{PROMOTION + 4 + i: (True, False, False, False, "nbrq"[i]) for i in range(4)},
}


@pytest.mark.parametrize("flag", sorted(FLAGS))
def test_each_flag_answers_every_predicate(flag: int) -> None:
    made = Move.of(E7, D8, flag)
    said = (made.is_capture, made.is_en_passant, made.is_double_push, made.is_castle, made.promotion)
    assert said == FLAGS[flag]
    assert made.is_promotion == (FLAGS[flag][4] is not None)


def test_parts_come_back_from_the_packed_number() -> None:
    for source in range(64):
        for target in range(64):
            for flag in (QUIET, EN_PASSANT, PROMOTION + 7):
                made = Move.of(source, target, flag)
                assert (made.source, made.target, made.flag) == (source, target, flag)
                assert int(made) == flag << 12 | source << 6 | target


@pytest.mark.parametrize("parts", [(-1, 0, 0), (64, 0, 0), (0, -1, 0), (0, 64, 0), (0, 0, -1), (0, 0, 16)])
def test_parts_that_do_not_fit_are_refused(parts: tuple[int, int, int]) -> None:
    with pytest.raises(MoveError, match="no move goes"):
        Move.of(*parts)


def test_repr_evaluates_to_the_move() -> None:
    made = Move.of(E7, E8, PROMOTION + 3)
    assert repr(made) == "Move.of(52, 60, 11)"
    assert eval(repr(made)) == made


@pytest.mark.parametrize(
    ("made", "standard", "chess960"),
    [
        pytest.param(Move.of(12, 28, DOUBLE_PUSH), "e2e4", "e2e4", id="double push"),
        pytest.param(Move.of(E7, D8, PROMOTION + 4), "e7d8n", "e7d8n", id="capturing promotion"),
        pytest.param(Move.of(E1, H1, KING_CASTLE), "e1g1", "e1h1", id="white king side"),
        pytest.param(Move.of(E1, A1, QUEEN_CASTLE), "e1c1", "e1a1", id="white queen side"),
        pytest.param(Move.of(E8, 63, KING_CASTLE), "e8g8", "e8h8", id="black king side"),
        pytest.param(Move.of(E8, 56, QUEEN_CASTLE), "e8c8", "e8a8", id="black queen side"),
    ],
)
def test_castling_text_depends_on_the_kind_of_chess(made: Move, standard: str, chess960: str) -> None:
    assert made.uci() == standard
    assert made.uci(chess960=True) == chess960


def test_codes_and_texts_are_one_to_one() -> None:
    texts = [a + b + p for a in SQUARE_NAMES for b in SQUARE_NAMES for p in ("", "n", "q")]
    codes = [encode_uci(text) for text in texts]
    assert len(set(codes)) == len(texts)
    assert [decode_uci(code) for code in codes] == texts


@pytest.mark.parametrize(
    "text",
    [
        "", "e", "e2", "e2e", "e2e9", "i2e4", "E2E4", "e2e4x", "e7e8k", "e7e8p", "e7e8Q", "e2e4qq", "e2-e4",
        "0000", " e2e4", "e2e4 ", "e2e4\n", "e2 e4", "e2e4\0", "é2e4", "e²e4", "O-O", "e2e4" * 3000,
    ],
)  # fmt: skip
def test_texts_that_are_no_moves_are_refused_and_quoted(text: str) -> None:
    with pytest.raises(MoveError) as caught:
        encode_uci(text)
    message = str(caught.value)
    assert ascii(text)[1:20] in message
    assert message.isprintable()
    assert len(message) < 250


def test_position_and_move_write_the_same_text(positions: list[Position]) -> None:
    for position in positions:
        for number in position.legal_moves():
            text = position.uci(number)
            assert Move(number).uci(chess960=position.chess960) == text
            assert position.parse_uci(text) == number
            assert position.code(number) == encode_uci(text)


def test_codes_are_the_legal_moves_texts_sorted(positions: list[Position]) -> None:
    for position in positions:
        assert position.codes() == sorted(encode_uci(position.uci(made)) for made in position.legal_moves())


def test_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(move) == doctest.TestResults(failed=0, attempted=2)
