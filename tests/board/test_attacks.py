"""Attack tables equal their definitions, and every fast look-up the slow rays."""

from __future__ import annotations

import random
from collections.abc import Callable

import chess
import pytest

from refute.board import Position, _core, fen, is_compiled, magics, tables
from refute.board.constants import ALL, BLACK, EMPTY, KING, WHITE
from refute.board.copies import interpreted_copy, source_of
from refute.board.move import SQUARE_NUMBERS

SQUARES = range(64)


def offset(a: int, b: int) -> tuple[int, int]:
    """Files and ranks from a to b."""
    return (b & 7) - (a & 7), (b >> 3) - (a >> 3)


def reach(a: int, holds: Callable[[int, int], bool]) -> int:
    """The squares whose offset from a, files then ranks, is such that it holds."""
    return sum(1 << b for b in SQUARES if holds(*offset(a, b)))


def is_straight(files: int, ranks: int) -> bool:
    return (files == 0) != (ranks == 0)


def is_diagonal(files: int, ranks: int) -> bool:
    return files != 0 and abs(files) == abs(ranks)


def test_knight_attacks_are_one_and_two_squares_away() -> None:
    for a in SQUARES:
        assert tables.KNIGHT_ATTACKS[a] == reach(a, lambda files, ranks: sorted((abs(files), abs(ranks))) == [1, 2])


def test_king_attacks_are_the_neighbours() -> None:
    for a in SQUARES:
        assert tables.KING_ATTACKS[a] == reach(a, lambda files, ranks: max(abs(files), abs(ranks)) == 1)


def test_pawn_attacks_are_diagonally_ahead() -> None:
    for a in SQUARES:
        assert tables.PAWN_ATTACKS[a] == reach(a, lambda files, ranks: abs(files) == 1 and ranks == 1)
        assert tables.PAWN_ATTACKS[64 + a] == reach(a, lambda files, ranks: abs(files) == 1 and ranks == -1)


def test_between_and_line_follow_their_definitions() -> None:
    for a in SQUARES:
        for b in SQUARES:
            files, ranks = offset(a, b)
            line = between = 0
            if is_straight(files, ranks) or is_diagonal(files, ranks):
                for c in SQUARES:
                    to_file, to_rank = offset(a, c)
                    if files * to_rank == ranks * to_file:
                        line |= 1 << c
                        # Strictly inside: ahead of a, and short of b.
                        along = to_file * files + to_rank * ranks
                        between |= (0 < along < files * files + ranks * ranks) << c
            assert tables.LINE[a * 64 + b] == line
            assert tables.BETWEEN[a * 64 + b] == between


def test_rays_and_lines_through_a_square_follow_their_definitions() -> None:
    for a in SQUARES:
        assert tables.ROOK_RAYS[a] == reach(a, is_straight)
        assert tables.BISHOP_RAYS[a] == reach(a, is_diagonal)
        assert tables.FILES[a] == reach(a, lambda files, _: files == 0)
        assert tables.DIAGONALS[a] == reach(a, lambda files, ranks: files == ranks)
        assert tables.ANTIDIAGONALS[a] == reach(a, lambda files, ranks: files == -ranks)


def classical(square: int, occupied: int, *, diagonal: bool) -> int:
    return (tables.classical_bishop if diagonal else tables.classical_rook)(square, occupied)


def named(squares: str) -> int:
    return sum(1 << SQUARE_NUMBERS[name] for name in squares.split())


def test_classical_rays_stop_at_the_first_man() -> None:
    d4 = SQUARE_NUMBERS["d4"]
    blockers = named("d6 f4 b2")
    assert tables.classical_rook(d4, blockers) == named("d5 d6 e4 f4 d3 d2 d1 c4 b4 a4")
    assert tables.classical_bishop(d4, blockers) == named("c3 b2 e5 f6 g7 h8 e3 f2 g1 c5 b6 a7")


def occupancies(square: int, rng: random.Random) -> list[int]:
    """Empty, full, one blocker on each square, rings, and random ones from sparse to dense."""
    rim = tables.BACK_RANKS | tables.FILE_A | tables.FILE_H
    few = [rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64) for _ in range(16)]
    some = [rng.getrandbits(64) for _ in range(8)]
    many = [rng.getrandbits(64) | rng.getrandbits(64) for _ in range(8)]
    edges = [0, ALL, rim, ALL ^ rim, 1 << square, ALL ^ 1 << square, tables.KING_ATTACKS[square]]
    return edges + [1 << other for other in SQUARES] + [ALL ^ 1 << other for other in SQUARES] + few + some + many


@pytest.mark.parametrize("diagonal", [False, True], ids=["rook", "bishop"])
def test_slider_look_up_equals_the_classical_rays(diagonal: bool) -> None:
    rng = random.Random(2)
    for square in SQUARES:
        for occupied in occupancies(square, rng):
            expected = classical(square, occupied, diagonal=diagonal)
            assert _core.slider_lookup(square, occupied, diagonal) == expected, (square, hex(occupied))


@pytest.mark.parametrize("square", [-1, 64, 1000])
def test_slider_look_up_refuses_what_is_no_square(square: int) -> None:
    with pytest.raises(ValueError, match="is not a square"):
        _core.slider_lookup(square, 0, diagonal=False)


def test_masks_are_the_rays_without_the_squares_they_end_on() -> None:
    """A blocker outside the mask never matters, and every blocker inside it does."""
    for square in SQUARES:
        for mask, diagonal in ((tables.ROOK_MASKS[square], False), (tables.BISHOP_MASKS[square], True)):
            empty = classical(square, 0, diagonal=diagonal)
            for other in SQUARES:
                matters = classical(square, 1 << other, diagonal=diagonal) != empty
                assert (mask >> other & 1) == matters


def wrong_slides(lookups: list[int], slides: dict[int, int], diagonal: bool) -> int:
    """How many look-ups, over every square and every arrangement of blockers, disagree with the rays."""
    wrong = 0
    for square in SQUARES:
        mask, magic, shift, start = lookups[(diagonal * 64 + square) * 4 :][:4]
        rays = tables.classical_bishop if diagonal else tables.classical_rook
        for blockers in magics.subsets(mask):
            wrong += slides.get(start + ((blockers * magic & ALL) >> shift), 0) != rays(square, blockers)
    return wrong


def test_every_magic_tells_every_arrangement_of_blockers_apart() -> None:
    copy = interpreted_copy("refute_board_filled")
    copy._core._fill_sliders()
    slides = copy._core.SLIDES
    assert len(slides) <= 107_648
    assert max(slides) < 107_648, "the compiled table has no room for more"
    assert wrong_slides(copy._core.LOOKUPS, slides, diagonal=False) == 0
    assert wrong_slides(copy._core.LOOKUPS, slides, diagonal=True) == 0


def test_a_magic_that_does_not_work_is_noticed() -> None:
    edited = source_of("magics") + "\nBISHOP_MAGICS = (1, *BISHOP_MAGICS[1:])\n"
    copy = interpreted_copy("refute_board_bad_magic", {"magics": edited})
    copy._core._fill_sliders()
    assert wrong_slides(copy._core.LOOKUPS, copy._core.SLIDES, diagonal=True) > 0


def test_the_search_finds_the_magics_again() -> None:
    corner, middle = 63, 27
    assert magics.find_magic(corner, tables.BISHOP_MASKS[corner], tables.classical_bishop) == magics.BISHOP_MAGICS[63]
    assert magics.find_magic(middle, tables.BISHOP_MASKS[middle], tables.classical_bishop) == magics.BISHOP_MAGICS[27]


def test_attackers_and_pins_are_python_chess_ones(sample: list[tuple[str, bool]]) -> None:
    for text, chess960 in sample[:: 3 if is_compiled() else 5]:
        position = fen.parse(text, chess960=chess960)
        board = chess.Board(text, chess960=chess960)
        for square in SQUARES:
            for colour in (WHITE, BLACK):
                expected = board.attackers_mask(colour == WHITE, square)
                assert position.attackers(square, colour) == expected
                assert position.is_attacked(square, colour) == bool(expected)
        assert position.checkers() == board.checkers_mask()
        men = chess.SquareSet(position.occupied(position.turn) & ~(1 << position.king(position.turn)))
        assert position.pinned() == sum(1 << square for square in men if board.is_pinned(board.turn, square))


@pytest.mark.parametrize("bad", [-1, 64, 1 << 20])
def test_squares_colours_and_pieces_out_of_range_are_refused(bad: int) -> None:
    position = fen.start_position()
    asks: list[Callable[[], object]] = [
        lambda: position.piece_at(bad),
        lambda: position.bitboard(bad),
        lambda: position.occupied(bad),
        lambda: position.king(bad),
        lambda: position.attackers(bad, WHITE),
        lambda: position.attackers(0, bad),
        lambda: position.is_attacked(bad, WHITE),
        lambda: position.is_attacked(0, bad),
        lambda: position.rook_home(bad),
        lambda: position.material(bad),
    ]
    for ask in asks:
        with pytest.raises(ValueError, match=str(bad)):
            ask()


def test_an_empty_board_has_no_kings_to_ask_about() -> None:
    empty = Position()
    assert [empty.piece_at(square) for square in SQUARES] == [EMPTY] * 64
    asks: list[Callable[[], object]] = [empty.legal_moves, empty.is_check, empty.pinned, empty.count_moves]
    asks.append(lambda: empty.king(WHITE))
    for ask in asks:
        with pytest.raises(ValueError, match="king"):
            ask()
    assert empty.bitboard(KING) == 0
