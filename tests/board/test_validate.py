"""Each invariant, broken on purpose, is named; each field, changed alone, changes the fingerprint."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from refute.board import Position, fen
from refute.board._core import INVARIANTS
from refute.board.constants import ALL, EMPTY, NO_MOVE, NO_SQUARE
from refute.board.copies import FOLDER, interpreted_copy
from refute.board.move import SQUARE_NUMBERS

# Only an interpreted position has fields that can be reached to be broken; its source is the compiled one's.
PLAIN: Any = interpreted_copy("refute_board_plain")

WHITE_PAWN, WHITE_KNIGHT, WHITE_ROOK, WHITE_KING = 0, 1, 3, 5
BLACK_PAWN, BLACK_ROOK, BLACK_KING = 6, 9, 11
CASTLING = "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1"
PASSED = "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2"


def square(name: str) -> int:
    return SQUARE_NUMBERS[name]


def bit(name: str) -> int:
    return 1 << SQUARE_NUMBERS[name]


Breaking = Callable[[Any], object]
BREAKS: list[tuple[str, int, str, Breaking]] = [
    ("a rook where a pawn stands", 1, CASTLING, lambda p: set_item(p.pieces, WHITE_ROOK, p.pieces[3] | bit("a2"))),
    ("mailbox says knight", 2, CASTLING, lambda p: set_item(p.board, square("a2"), WHITE_KNIGHT)),
    ("mailbox says empty", 2, CASTLING, lambda p: set_item(p.board, square("a2"), EMPTY)),
    ("bitboard has one man more", 2, CASTLING, lambda p: set_item(p.pieces, 1, bit("d4"))),
    ("mailbox has one man more", 3, CASTLING, lambda p: set_item(p.board, square("d4"), BLACK_PAWN)),
    ("bitboard lost a man", 3, CASTLING, lambda p: set_item(p.pieces, 0, p.pieces[0] ^ bit("a2"))),
    ("white's occupancy", 4, CASTLING, lambda p: set_item(p.colours, 0, p.colours[0] ^ bit("d4"))),
    ("black's occupancy", 5, CASTLING, lambda p: set_item(p.colours, 1, p.colours[1] ^ bit("a7"))),
    ("both occupancies", 6, CASTLING, lambda p: setattr(p, "occupied_squares", p.occupied_squares ^ bit("d4"))),
    ("no white king", 7, CASTLING, lambda p: p._remove(WHITE_KING, square("e1"))),
    ("two white kings", 7, CASTLING, lambda p: p._place(WHITE_KING, square("d4"))),
    ("no black king", 8, CASTLING, lambda p: p._remove(BLACK_KING, square("e8"))),
    ("two black kings", 8, CASTLING, lambda p: p._place(BLACK_KING, square("d4"))),
    ("white pawn on rank 1", 9, CASTLING, lambda p: p._place(WHITE_PAWN, square("b1"))),
    ("black pawn on rank 8", 9, CASTLING, lambda p: p._place(BLACK_PAWN, square("b8"))),
    ("white's rook is gone", 10, CASTLING, lambda p: p._remove(WHITE_ROOK, square("h1"))),
    ("black's rook stepped aside", 10, CASTLING, lambda p: p._shift(BLACK_ROOK, square("a8"), square("b8"))),
    ("white's king stepped aside", 10, CASTLING, lambda p: p._shift(WHITE_KING, square("e1"), square("d1"))),
    ("black's king stepped up", 10, CASTLING, lambda p: p._shift(BLACK_KING, square("e8"), square("e7"))),
    ("a right without a home", 10, CASTLING, lambda p: set_item(p.rook_homes, 3, NO_SQUARE)),
    ("a right out of nowhere", 10, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", lambda p: setattr(p, "castling", 1)),
    ("no pawn passed", 11, CASTLING, lambda p: setattr(p, "ep", square("e6"))),
    ("passed on the wrong rank", 11, PASSED, lambda p: setattr(p, "ep", square("e3"))),
    ("the passed square is taken", 11, PASSED, lambda p: p._place(WHITE_KNIGHT, square("e6"))),
    ("the pawn's origin is taken", 11, PASSED, lambda p: p._place(WHITE_KNIGHT, square("e7"))),
    ("the passing pawn is gone", 11, PASSED, lambda p: p._remove(BLACK_PAWN, square("e5"))),
    ("takeable but not in the key", 12, PASSED, lambda p: setattr(p, "ep_keyed", 0)),
    ("in the key but not takeable", 12, CASTLING, lambda p: setattr(p, "ep_keyed", 1)),
    ("halfmove clock below zero", 13, CASTLING, lambda p: setattr(p, "halfmove", -1)),
    ("move number zero", 13, CASTLING, lambda p: setattr(p, "fullmove", 0)),
    ("a third side", 14, CASTLING, lambda p: setattr(p, "side", 2)),
    ("the turn passed in check", 15, "4k3/8/8/8/8/8/8/K3R3 b - - 0 1", lambda p: setattr(p, "side", 0)),
    ("key off by a bit", 16, CASTLING, lambda p: setattr(p, "key", p.key ^ 1)),
    ("a right lost, its key kept", 16, CASTLING, lambda p: setattr(p, "castling", 14)),
    ("the turn passed, its key kept", 16, CASTLING, lambda p: setattr(p, "side", 1)),
    ("white's tally", 17, CASTLING, lambda p: set_item(p.tallies, 0, p.tallies[0] + 1)),
    ("black's tally", 18, CASTLING, lambda p: set_item(p.tallies, 1, p.tallies[1] - (1 << 53))),
]


def set_item(array: list[int], at: int, value: int) -> None:
    assert array[at] != value, "nothing would be broken"
    array[at] = value


@pytest.mark.parametrize(("number", "text", "breaking"), [pytest.param(*rest, id=name) for name, *rest in BREAKS])
def test_validate_names_the_broken_invariant(number: int, text: str, breaking: Breaking) -> None:
    position = PLAIN.fen.parse(text)
    assert position.validate() is None
    breaking(position)
    assert position.validate() == INVARIANTS[number]


def test_every_invariant_is_broken_by_some_test() -> None:
    assert {number for _, number, _, _ in BREAKS} == set(range(1, len(INVARIANTS)))
    assert len(set(INVARIANTS)) == len(INVARIANTS)


def test_every_position_met_in_games_is_valid(positions: list[Position]) -> None:
    assert [position.validate() for position in positions] == [None] * len(positions)


def set_up(men: dict[str, int], **changes: int | list[int]) -> Position:
    """Set up what FEN would refuse; compiled too."""
    mailbox = [EMPTY] * 64
    for name, piece in {"e1": WHITE_KING, "e8": BLACK_KING, **men}.items():
        mailbox[square(name)] = piece
    values: dict[str, Any] = {
        "turn": 0, "castling": 0, "rook_homes": [NO_SQUARE] * 4, "en_passant": NO_SQUARE, "halfmove": 0, "fullmove": 1,
    }  # fmt: skip
    position = Position()
    position.set_up(mailbox, **{**values, **changes}, chess960=False)
    return position


UNSOUND = [
    pytest.param({"e1": EMPTY}, {}, 7, id="no white king"),
    pytest.param({"d1": WHITE_KING}, {}, 7, id="two white kings"),
    pytest.param({"d8": BLACK_KING}, {}, 8, id="two black kings"),
    pytest.param({"a1": WHITE_PAWN}, {}, 9, id="white pawn on rank 1"),
    pytest.param({"h8": WHITE_PAWN}, {}, 9, id="white pawn on rank 8"),
    pytest.param({"b1": BLACK_PAWN}, {"turn": 1}, 9, id="black pawn on rank 1"),
    pytest.param({}, {"castling": 15}, 10, id="rights without homes"),
    pytest.param({}, {"castling": 15, "rook_homes": [7, 0, 63, 56]}, 10, id="rights without rooks"),
    pytest.param({"h2": WHITE_ROOK}, {"castling": 1, "rook_homes": [15, 64, 64, 64]}, 10, id="a rook home on rank 2"),
    pytest.param(
        {"a1": WHITE_ROOK}, {"castling": 1, "rook_homes": [0, 64, 64, 64]}, 10, id="king-side rook on the a file"
    ),
    pytest.param({"d5": WHITE_PAWN}, {"en_passant": 44}, 11, id="en passant without a victim"),
    pytest.param({"d5": WHITE_PAWN}, {"en_passant": 0}, 11, id="en passant on a1"),
    pytest.param({}, {"fullmove": 0}, 13, id="move number zero"),
    pytest.param({"e4": WHITE_ROOK}, {}, 15, id="black in check with white to move"),
]


@pytest.mark.parametrize(("men", "changes", "number"), UNSOUND)
def test_unsound_positions_are_named_and_cannot_be_played(
    men: dict[str, int], changes: dict[str, int | list[int]], number: int
) -> None:
    position = set_up(men, **changes)
    before = position.fields()
    assert position.validate() == INVARIANTS[number]
    plays: list[Callable[[], object]] = [
        position.legal_moves,
        position.pseudo_legal_moves,
        position.filtered_moves,
        position.count_moves,
        position.codes,
        position.make_null,
        position.audit,
        lambda: position.make(NO_MOVE),
        lambda: position.make_uci("e1e2"),
        lambda: position.is_legal(NO_MOVE),
        lambda: position.is_safe(NO_MOVE),
        lambda: position.perft(2),
        lambda: position.perft(2, bulk=False),
        lambda: position.perft_hashed(2, megabytes=1),
        lambda: position.perft_checked(2),
        lambda: position.perft_detailed(2),
        lambda: position.divide(2),
    ]
    for play in plays:
        with pytest.raises(ValueError):
            play()
    assert position.fields() == before
    assert position.copy().validate() == INVARIANTS[number]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mailbox", [EMPTY] * 63),
        ("mailbox", [EMPTY] * 65),
        ("mailbox", [13] * 64),
        ("mailbox", [-1] * 64),
        ("mailbox", [1 << 40] * 64),
        ("mailbox", []),
        ("turn", 2),
        ("turn", -1),
        ("castling", 16),
        ("castling", -1),
        ("castling", 1 << 70),
        ("rook_homes", [64] * 3),
        ("rook_homes", [65] * 4),
        ("rook_homes", [-1] * 4),
        ("en_passant", 65),
        ("en_passant", -1),
        ("halfmove", -1),
        ("halfmove", 1 << 80),
        ("fullmove", -1),
        ("fullmove", 1 << 80),
    ],
)
def test_set_up_refuses_numbers_out_of_range(field: str, value: Any) -> None:
    position = fen.start_position()
    before = position.fingerprint()
    values: dict[str, Any] = {"mailbox": [EMPTY] * 64, "turn": 0, "castling": 0, "rook_homes": [64] * 4}
    values |= {"en_passant": 64, "halfmove": 0, "fullmove": 1, field: value}
    with pytest.raises(ValueError):
        position.set_up(**values, chess960=False)
    assert position.fingerprint() == before


# ---------------------------------------------------------------- the fingerprint

CONSTANT = {
    "capacity": "room, not state",
    "undo": "what lies below the present; its depth is covered",
    "is_sound": "whether that is so, zero until set up",
    "unsound": "the verdict on the set-up",
    "keeps": "fixed by the set-up",
    "castle_paths": "fixed by the set-up",
    "castle_routes": "fixed by the set-up",
    "castle_keys": "fixed by the set-up",
}
ARRAYS = {"pieces": 12, "colours": 2, "tallies": 2, "board": 64, "rook_homes": 4}
NUMBERS = (
    "occupied_squares",
    "key",
    "side",
    "castling",
    "ep",
    "ep_keyed",
    "halfmove",
    "fullmove",
    "is_chess960",
    "ply",
)


def declared_fields() -> set[str]:
    """The fields of Position as its C declaration has them."""
    text = (FOLDER / "_core.pxd").read_text(encoding="utf-8")
    body = text[text.index("cdef class Position") :]
    return set(re.findall(r"^    cdef [^()]*?(\w+)(?:\[\d+\])?$", body, re.MULTILINE))


def test_fingerprint_tests_cover_every_declared_field() -> None:
    assert declared_fields() == {*ARRAYS, *NUMBERS, *CONSTANT}


@pytest.mark.parametrize("text", [CASTLING, PASSED, fen.START], ids=["castling", "en passant", "start"])
def test_any_single_change_of_any_field_changes_the_fingerprint(text: str) -> None:
    position = PLAIN.fen.parse(text)
    before = position.fingerprint()
    tried = 0
    for name, length in ARRAYS.items():
        array = getattr(position, name)
        assert len(array) == length
        for at in range(length):
            kept = array[at]
            for change in (1, 2, 8, 1 << 31, 1 << 63):
                array[at] = kept ^ change
                assert position.fingerprint() != before, (name, at, change)
                tried += 1
            array[at] = kept
    for name in NUMBERS:
        kept = getattr(position, name)
        for change in (1, 2, 64, 1 << 62):
            setattr(position, name, kept ^ change)
            assert position.fingerprint() != before, (name, change)
            tried += 1
        setattr(position, name, kept)
    assert position.fingerprint() == before
    assert tried == 84 * 5 + 10 * 4


@pytest.mark.parametrize("name", [*ARRAYS, *NUMBERS])
def test_any_single_change_of_any_field_but_depth_shows_in_fields(name: str) -> None:
    position = PLAIN.fen.parse(CASTLING)
    twin = position.copy()
    if name in ARRAYS:
        for at in range(ARRAYS[name]):
            kept = getattr(position, name)[at]
            getattr(position, name)[at] = kept ^ 1
            assert position != twin
            getattr(position, name)[at] = kept
    else:
        setattr(position, name, getattr(position, name) ^ 1)
        # How deep the undo stack is does not make two positions different.
        assert (position == twin) == (name == "ply")


def test_fingerprints_are_64_bits_and_tell_positions_apart(positions: list[Position]) -> None:
    prints = {position.fingerprint() for position in positions}
    assert len(prints) == len(positions)
    assert all(0 <= number <= ALL for number in prints)


def test_fingerprint_covers_both_clocks() -> None:
    texts = [f"4k3/8/8/8/8/8/8/4K2R w K - {half} {full}" for half in range(20) for full in range(20, 40)]
    assert len({fen.parse(text).fingerprint() for text in texts}) == 400
    assert len({fen.parse(text).key for text in texts}) == 1


def test_a_position_that_was_never_set_up_cannot_be_played() -> None:
    position = Position.__new__(Position)
    with pytest.raises((ValueError, AttributeError)):
        position.legal_moves()
