"""What differs between two boards is told in words, squares first, and nothing that differs is left out."""

from __future__ import annotations

import pytest

from refute.board import fen
from refute.board.changes import tell_changes
from refute.walk import START_FEN

CASTLED = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


def changed(**fields: object) -> str:
    before = fen.parse(CASTLED).fields()
    return tell_changes(before, before | {name.replace("_", " "): value for name, value in fields.items()})


def test_nothing_is_told_of_equal_boards() -> None:
    assert changed() == ""


def test_a_rook_left_behind_is_told_by_its_squares_alone() -> None:
    told = tell_changes(fen.parse(CASTLED).fields(), fen.parse("4k3/8/8/8/8/8/8/4KR2 w - - 0 1").fields())
    assert told.startswith("f1 was empty, is a white rook; h1 was a white rook, is empty; castling was K, is -; ")
    assert "and with the squares bitboards, white's occupancy, occupancy" in told
    assert len(told) < 300


def test_a_set_that_changed_alone_is_the_fault_and_is_told_in_full() -> None:
    bitboards = list(fen.parse(CASTLED).fields()["bitboards"])  # type: ignore[call-overload]  # fields are objects
    bitboards[3] ^= 1 << 7 | 1 << 5
    assert changed(bitboards=tuple(bitboards)) == "the set of white rooks lost h1 and gained f1"
    assert changed(occupancy=0x80) == "occupancy lost e1, e8"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"turn": 1}, "side to move was white, is black"),
        ({"castling": 15}, "castling was K, is KQkq"),
        ({"en_passant": 20}, "en passant was none, is e3"),
        ({"rook_homes": (7, 0, None, None)}, "the rook home of Q was none, is a1"),
        ({"halfmove_clock": 3}, "halfmove clock was 0, is 3"),
        ({"fullmove_number": 9}, "fullmove number was 1, is 9"),
        ({"chess960": True}, "chess960 was False, is True"),
        ({"en_passant_in_key": True}, "en passant in key was False, is True"),
    ],
)
def test_every_other_field_has_its_words(fields: dict[str, object], expected: str) -> None:
    assert changed(**fields) == expected


def test_no_field_that_differs_is_left_out() -> None:
    before = fen.parse(CASTLED).fields()
    for name, value in before.items():
        other = value + 1 if isinstance(value, int) else (9, *value[1:]) if isinstance(value, tuple) else 20
        assert tell_changes(before, before | {name: other}), name


def test_another_board_altogether_stays_short() -> None:
    told = tell_changes(fen.parse(START_FEN).fields(), fen.parse(CASTLED).fields())
    assert "more squares differ" in told
    assert len(told) < 700
