"""Composed positions are legal for every witness, and show what they are composed for."""

from __future__ import annotations

import subprocess
from random import Random

import chess
import pytest

from refute.board import Position, fen
from refute.board.constants import BISHOP, BLACK, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE
from refute.drafts import BLACK_MEN, BOARD, MOST_OWNED, Draft, impossible_checkers
from refute.features import FeatureCounter
from refute.placements import CROWDS, THEMES, compose

both_variants = pytest.mark.parametrize("chess960", [False, True], ids=["standard", "chess960"])
every_theme = pytest.mark.parametrize("theme", THEMES)


def samples(theme: str, count: int, *, chess960: bool = False) -> list[Position]:
    random = Random(f"tests of {theme}")
    return [compose(random, theme, chess960=chess960) for _ in range(count)]


@every_theme
@both_variants
def test_python_chess_and_our_reader_call_every_position_legal(theme: str, chess960: bool) -> None:
    for position in samples(theme, 150, chess960=chess960):
        text = fen.write(position, en_passant="always")
        assert chess.Board(text, chess960=chess960).status() == chess.STATUS_VALID, text
        assert fen.parse(text, chess960=chess960) == position, text
        assert position.validate() is None, text


@every_theme
def test_no_side_owns_more_men_than_promotion_can_give(theme: str) -> None:
    for position in samples(theme, 100):
        for colour in (WHITE, BLACK):
            owned = [position.bitboard(BLACK_MEN * colour + kind).bit_count() for kind in range(6)]
            promoted = sum(max(0, owned[kind] - MOST_OWNED[kind]) for kind in range(KNIGHT, KING))
            assert owned[PAWN] + promoted <= 8, fen.write(position)
            assert owned[KING] == 1


@both_variants
def test_stockfish_counts_the_same_moves_in_every_theme(stockfish: str, chess960: bool) -> None:
    positions = [position for theme in THEMES for position in samples(theme, 12, chess960=chess960)]
    lines = ["uci", f"setoption name UCI_Chess960 value {str(chess960).lower()}"]
    for position in positions:
        lines += [f"position fen {fen.write(position, en_passant='always')}", "go perft 1"]
    talk = subprocess.run(
        [stockfish], input="\n".join([*lines, "quit", ""]), capture_output=True, text=True, timeout=60, check=True
    )
    counts = [int(line.split(": ")[1]) for line in talk.stdout.splitlines() if line.startswith("Nodes searched")]
    assert counts == [position.count_moves() for position in positions]


# What each theme is for: a feature, and the least share of its positions that must show it.
PURPOSES = [
    ("few men", "kings keep each other at a distance", 0.25),
    ("few men", "insufficient material", 0.2),
    ("scattered", "king may not take a protected man", 0.15),
    ("edges", "pin on a file", 0.02),
    ("skirmish", "double step beside an enemy pawn", 0.25),
    ("skirmish", "double step barred by a man on its second square", 0.3),
    ("castling", "castling barred: the king would pass an attacked square", 0.2),
    ("castling", "castling barred: the king would land on an attacked square", 0.1),
    ("castling", "castling although the rook passes an attacked square", 0.02),
    ("promotion", "promotion to a knight", 0.6),
    ("promotion", "capture and promotion to a queen", 0.4),
    ("promotion", "right lost by a rook's capture by promotion", 0.25),
    ("rooks at home", "right lost by a rook's capture", 0.5),
    ("rooks at home", "rook takes rook and both sides lose a right", 0.25),
    ("pins", "pin on a rank", 0.25),
    ("pins", "pin on a file", 0.25),
    ("pins", "pin on a diagonal", 0.35),
    ("pins", "pinned man may not meet the check", 0.05),
    ("checks", "double check", 0.15),
    ("checks", "check met by stepping between", 0.04),
    ("queens", "100 legal moves or more", 0.8),
    ("queens", "200 legal moves or more", 0.25),
    ("en passant", "en passant", 0.35),
    ("en passant", "en passant refused: rank pin", 0.08),
    ("en passant", "en passant refused: diagonal pin", 0.05),
    ("en passant", "en passant refused: another man gives check", 0.05),
    ("en passant", "en passant as evasion", 0.05),
]


@pytest.mark.parametrize(("theme", "feature", "share"), PURPOSES)
def test_a_theme_shows_what_it_is_composed_for(theme: str, feature: str, share: float) -> None:
    counter = FeatureCounter()
    for position in samples(theme, 300):
        counter.see(position, position.legal_moves())
    assert counter.counts[feature] >= 300 * share


def test_a_battery_has_a_move_that_discovers_check() -> None:
    found = 0
    for position in samples("batteries", 100):
        for move in position.legal_moves():
            position.make(move)
            found += position.checkers() & ~(1 << (move & 63)) != 0
            position.unmake()
    assert found >= 100


def test_chess960_puts_kings_and_rooks_anywhere_at_home() -> None:
    counter = FeatureCounter(chess960=True)
    homes: set[int | None] = set()
    for position in samples("castling", 400, chess960=True):
        counter.see(position, position.legal_moves())
        homes.update((position.rook_home(0), position.rook_home(1)))
    assert homes >= set(range(8))
    assert counter.counts["castling barred: the rook shields its king"] > 0
    assert counter.counts["castling: king and rook change places"] > 0


def test_an_en_passant_position_was_reached_by_its_double_step() -> None:
    stepped = [position for position in samples("en passant", 100) if position.ply]
    assert len(stepped) >= 90
    for position in stepped:
        assert position.en_passant is not None
        position.unmake()
        assert position.validate() is None
        assert not position.is_check()


@pytest.mark.parametrize("placement", CROWDS)
def test_a_crowd_has_nearly_as_many_moves_as_there_can_be(placement: str) -> None:
    assert 214 <= fen.parse(f"{placement} w - - 0 1").count_moves() <= 218


@pytest.mark.parametrize(
    "text",
    [
        "4k3/8/8/8/8/8/8/R3K2r w Q - 0 1",
        "4k3/8/8/8/8/8/3p4/4K2r w - - 0 1",
        "k7/8/8/8/8/8/8/4K3 w - - 0 1",
    ],
    ids=["one check", "two checks", "no check"],
)
def test_checks_that_a_move_can_give_are_possible(text: str) -> None:
    assert impossible_checkers(fen.parse(text)) == 0


@pytest.mark.parametrize(
    "text",
    [
        "4r1k1/8/8/8/8/3n4/3p4/4K3 w - - 0 1",
        "4r1k1/8/8/8/8/4K3/8/4r3 w - - 0 1",
    ],
    ids=["three checks", "two on one line"],
)
def test_checks_that_no_move_can_give_are_named(text: str) -> None:
    position = fen.parse(text)
    assert chess.Board(text).status() != chess.STATUS_VALID
    assert impossible_checkers(position) & position.checkers()


def test_a_check_of_the_side_that_just_moved_is_impossible() -> None:
    draft = Draft(Random(0))
    draft.put(KING, 0)
    draft.put(KING + BLACK_MEN, 63)
    draft.put(ROOK, 7)
    position = draft.position()
    assert position.piece_at(7) != ROOK
    assert impossible_checkers(position) == 0


def test_a_draft_refuses_men_beyond_what_a_side_can_own() -> None:
    draft = Draft(Random(0))
    assert all(draft.put(QUEEN, square) for square in range(9))
    assert not draft.put(QUEEN, 9)
    assert not draft.put(PAWN, 9)
    assert draft.put(BISHOP, 9)
    draft.take_off(0)
    assert draft.put(PAWN, 10)


def test_a_draft_refuses_taken_squares_and_pawns_on_back_ranks() -> None:
    draft = Draft(Random(0))
    assert draft.put(KNIGHT, 20)
    assert not draft.put(KNIGHT, 20)
    assert not draft.put(PAWN, 3)
    assert draft.put_in(PAWN, 0xFF) is None
    assert draft.square_in(1 << 20) is None


def test_taking_a_rook_off_takes_its_right_along() -> None:
    draft = Draft(Random(0))
    draft.put(KING, 4)
    draft.put(ROOK, 7)
    draft.castling, draft.homes[0] = 1, 7
    draft.take_off(7)
    assert draft.castling == 0


def test_turning_round_twice_changes_nothing() -> None:
    draft = Draft(Random(5))
    THEMES["castling"](draft)
    board, castling, homes = draft.board.copy(), draft.castling, draft.homes.copy()
    draft.turn_round()
    assert draft.board != board
    draft.turn_round()
    assert (draft.board, draft.castling, draft.homes) == (board, castling, homes)


def test_mirroring_swaps_the_files() -> None:
    draft = Draft(Random(5))
    draft.put_in(KNIGHT, 1 << 8)
    draft.put_in(BISHOP, 1 << 62)
    draft.mirror()
    assert draft.board.index(KNIGHT) == 15
    assert draft.board.index(BISHOP) == 57
    assert sum(piece < 12 for piece in draft.board) == 2


def test_squares_are_drawn_from_the_whole_set() -> None:
    draft = Draft(Random(1))
    drawn = {draft.square_in(BOARD) for _ in range(1500)}
    assert drawn == set(range(64))
    assert {draft.square_in(0x8001) for _ in range(60)} == {0, 15}
