"""Synthesised positions, each composed around one of the rules of chess that generators get wrong.

theme ──compose──▶ Draft ──repair──▶ Position, legal for every witness (its last move may still be on it)

A draft is composed with White as the side the theme is about, and turned round half of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from refute.board import Position, fen
from refute.board.constants import BISHOP, BLACK, KING, KNIGHT, NO_SQUARE, PAWN, QUEEN, ROOK, WHITE
from refute.board.move import DOUBLE_PUSH
from refute.board.tables import FILE_A, FILE_H, FILES, PAWN_ATTACKS, RANK_1, RANK_8
from refute.drafts import ALL_MEN, ALL_OFFICERS, BLACK_MEN, BOARD, Draft

PINNED: Final = (PAWN, PAWN, KNIGHT, BISHOP, ROOK, QUEEN)
SLIDERS: Final = (BISHOP, ROOK, ROOK, QUEEN)
FILE_PINNED: Final = (*PINNED, PAWN, PAWN)
COMPASS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
RANK_2: Final = RANK_1 << 8
RANK_3: Final = RANK_1 << 16
RANK_4: Final = RANK_1 << 24
RANK_5: Final = RANK_1 << 32
RANK_6: Final = RANK_1 << 40
RANK_7: Final = RANK_1 << 48
MIDDLE: Final = RANK_3 | RANK_4 | RANK_5 | RANK_6
EDGES: Final = FILE_A | FILE_H | RANK_1 | RANK_8


def _ray(square: int, step: tuple[int, int]) -> tuple[int, ...]:
    file, rank = (square & 7) + step[0], (square >> 3) + step[1]
    squares = []
    while 0 <= file < 8 and 0 <= rank < 8:
        squares.append(rank * 8 + file)
        file, rank = file + step[0], rank + step[1]
    return tuple(squares)


# RAYS[square][direction]: the squares from there to the edge, nearest first; odd directions are diagonal.
RAYS: Final = [[_ray(square, step) for step in COMPASS] for square in range(64)]


def few_men(draft: Draft) -> None:
    """Kings close to each other or cornered, and up to four men: near mate, stalemate or a dead draw."""
    draft.put_in(KING, EDGES if draft.chance(0.6) else BOARD)
    white = draft.king(WHITE)
    near = 0
    for ray in RAYS[white]:
        near |= sum(1 << square for square in ray[1:3])
    # Opposition: the kings bar each other's way.
    draft.put_enemy_king(near if draft.chance(0.6) else BOARD)
    if draft.chance(0.35):
        # Which minor pieces can still mate is a rule of its own, and bishops alone another.
        draft.scatter(draft.one_of((1, 2, 2, 3)), kinds=(BISHOP,) if draft.chance(0.5) else (KNIGHT, BISHOP))
        return
    for _ in range(draft.one_of((0, 1, 1, 1, 2, 2, 2, 3, 4))):
        piece = draft.one_of((PAWN, KNIGHT, BISHOP, BISHOP, ROOK, QUEEN))
        draft.put_in(piece + (0 if draft.chance(0.35) else BLACK_MEN), BOARD)


def scattered(draft: Draft) -> None:
    """Men anywhere: every man on every square, with every kind of blocker."""
    draft.put_kings()
    if draft.chance(0.5):
        # Sliders see each other on every line, at every distance.
        draft.scatter(draft.one_of((10, 16, 22, 28)), kinds=SLIDERS)
    else:
        draft.scatter(draft.one_of((4, 8, 12, 16, 22, 28)))
    draft.calm = draft.chance(0.5)


def edges(draft: Draft) -> None:
    """Men along the edges, where a shifted or stepped square may wrap round the board."""
    draft.put_kings(EDGES, EDGES)
    draft.scatter(5 + draft.below(8), squares=FILE_A | FILE_H)
    draft.scatter(draft.below(8), squares=EDGES | FILE_A << 1 | FILE_H >> 1)
    draft.calm = draft.chance(0.5)


def skirmish(draft: Draft) -> None:
    """Pawns at every stage, with men before them: single and double steps, captures, blocks."""
    draft.put_kings(RANK_1 | RANK_2 | RANK_3, RANK_8 | RANK_7 | RANK_6)
    for _ in range(3 + draft.below(6)):
        draft.put_in(PAWN, RANK_2 if draft.chance(0.5) else RANK_5 if draft.chance(0.3) else BOARD)
        draft.put_in(PAWN + BLACK_MEN, RANK_7 if draft.chance(0.4) else RANK_4 if draft.chance(0.5) else BOARD)
    draft.scatter(draft.below(8), kinds=ALL_OFFICERS, squares=MIDDLE if draft.chance(0.6) else BOARD)
    draft.calm = draft.chance(0.7)


def castling(draft: Draft) -> None:
    """Kings and rooks at home with rights, the squares between them attacked here and there."""
    go_home(draft, WHITE)
    if draft.chance(0.7):
        go_home(draft, BLACK)
        trouble_castling(draft, BLACK)
        trouble_castling(draft, WHITE)
    elif draft.chance(0.5):
        # On the file where a castled rook arrives: the castle gives check.
        draft.put_enemy_king(FILES[draft.one_of((3, 5))])
    else:
        draft.put_enemy_king()
        trouble_castling(draft, WHITE)
    draft.scatter(draft.below(4), squares=BOARD & ~(RANK_1 | RANK_8) if draft.chance(0.8) else BOARD)
    draft.calm = draft.chance(0.7)


def go_home(draft: Draft, colour: int) -> None:
    """A king and its rooks at home, with the rights; one rook may be missing, or have lost its right."""
    rank = 56 * colour
    king, low, high = rank + 4, rank, rank + 7
    if draft.chess960 and draft.chance(0.8):
        file = 1 + draft.below(6)
        king, low, high = rank + file, rank + draft.below(file), rank + file + 1 + draft.below(7 - file)
    draft.put(KING + BLACK_MEN * colour, king)
    for side, home in ((0, high), (1, low)):
        if draft.chance(0.85) and draft.put(ROOK + BLACK_MEN * colour, home) and draft.chance(0.9):
            draft.castling |= 1 << 2 * colour + side
            draft.homes[2 * colour + side] = home
    if draft.chance(0.15):
        # A rook more on the rank: which of them holds the right?
        draft.put_in(ROOK + BLACK_MEN * colour, 0xFF << rank)


def trouble_castling(draft: Draft, colour: int) -> None:
    """Attack some squares of a home rank, shelter others, and now and then leave a man in the way."""
    rank = 56 * colour
    if draft.chance(0.2):
        # Where the rook passes and the king does not, an attack bars nothing and a man bars all.
        if draft.chance(0.5):
            draft.aim(rank + 1, 1 - colour)
        else:
            draft.put(draft.one_of((KNIGHT, BISHOP, QUEEN)) + BLACK_MEN * draft.below(2), rank + 1)
        return
    if draft.chess960 and draft.chance(0.35):
        _look_through_rook(draft, colour)
        return
    if draft.chance(0.5):
        before = rank + 8 if colour == WHITE else rank - 8
        for file in range(8):
            if draft.chance(0.6):
                draft.put(PAWN + BLACK_MEN * colour, before + file)
    for _ in range(draft.one_of((0, 1, 1, 1, 2, 2, 3))):
        file = draft.one_of((0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 7))
        draft.aim(rank + file, 1 - colour, kinds=ALL_MEN)
    if draft.chance(0.2):
        draft.put_in(draft.one_of((KNIGHT, BISHOP, QUEEN)) + BLACK_MEN * draft.below(2), 0xFF << rank)


def _look_through_rook(draft: Draft, colour: int) -> None:
    """An enemy slider in the corner behind a rook that holds a right: once the rook has left, it sees the king."""
    rank = 56 * colour
    for right, corner in ((2 * colour, rank + 7), (2 * colour + 1, rank)):
        if draft.homes[right] != NO_SQUARE:
            draft.put(draft.one_of((ROOK, QUEEN)) + BLACK_MEN * (1 - colour), corner)


def promotion(draft: Draft) -> None:
    """Pawns one step from promotion, with men to take beside them: rooks that still hold rights too."""
    if draft.chance(0.6):
        go_home(draft, BLACK)
        draft.put_in(KING, BOARD & ~(RANK_6 | RANK_7 | RANK_8))
    else:
        draft.put_kings()
        for _ in range(draft.below(4)):
            draft.put_in(draft.one_of(ALL_OFFICERS) + BLACK_MEN, RANK_8)
    for _ in range(1 + draft.below(3)):
        draft.put_in(PAWN, RANK_7)
    if draft.chance(0.5):
        draft.put_in(PAWN + BLACK_MEN, RANK_2)
        draft.put_in(draft.one_of(ALL_OFFICERS), RANK_1)
    for right in (2, 3):
        home = draft.homes[right]
        if home != NO_SQUARE and draft.chance(0.7):
            draft.put_in(PAWN, PAWN_ATTACKS[64 + home])
    draft.scatter(draft.below(5))
    draft.calm = draft.chance(0.8)


def rooks_at_home(draft: Draft) -> None:
    """Rooks that hold rights and can be taken at home, by sliders, knights and each other."""
    go_home(draft, WHITE)
    go_home(draft, BLACK)
    for right in range(4):
        home = draft.homes[right]
        if home != NO_SQUARE and draft.chance(0.5):
            draft.aim(home, 1 - (right >> 1))
    draft.scatter(draft.below(6))
    draft.calm = draft.chance(0.8)


def pins(draft: Draft) -> None:
    """A king with men before it and enemy sliders behind them, on any of its eight lines."""
    draft.put_kings()
    king = draft.king(WHITE)
    for direction in range(8):
        ray = RAYS[king][direction]
        if len(ray) < 2 or draft.chance(0.5):
            continue
        near = draft.below(len(ray) - 1)
        far = near + 1 + draft.below(len(ray) - 1 - near)
        # On a file, a pawn may still push along its pin.
        draft.put(draft.one_of(FILE_PINNED if direction & 3 == 0 else PINNED), ray[near])
        slider = draft.one_of((QUEEN, BISHOP if direction & 1 else ROOK))
        if draft.chance(0.12):
            slider = ROOK if direction & 1 else BISHOP  # the wrong slider: no pin at all
        draft.put(slider + BLACK_MEN, ray[far])
    if draft.chance(0.5):
        draft.aim(king, BLACK, kinds=ALL_MEN)  # a check that a pinned man may not meet
    else:
        draft.calm = draft.chance(0.7)
    draft.scatter(draft.below(5))


def checks(draft: Draft) -> None:
    """A king in check, or in two at once, with men that may step between or take."""
    draft.put_kings(EDGES if draft.chance(0.4) else BOARD)
    king = draft.king(WHITE)
    checker = draft.aim(king, BLACK, kinds=(*ALL_MEN, BISHOP, ROOK, QUEEN))
    if draft.chance(0.35):
        draft.aim(king, BLACK)
    if checker is not None and draft.chance(0.6):
        draft.aim(checker, WHITE, kinds=ALL_MEN)
        if draft.chance(0.5):
            draft.aim(checker, BLACK)  # protected: the king may not take it
    draft.scatter(2 + draft.below(8))


def batteries(draft: Draft) -> None:
    """Our slider behind our own man, aimed at their king: any move of the man discovers check."""
    draft.put_kings()
    king = draft.king(BLACK)
    for direction in range(8):
        ray = RAYS[king][direction]
        if len(ray) < 2 or draft.chance(0.6):
            continue
        near = draft.below(len(ray) - 1)
        far = near + 1 + draft.below(len(ray) - 1 - near)
        draft.put(draft.one_of((PAWN, KNIGHT, KNIGHT, BISHOP, ROOK)), ray[near])
        draft.put(draft.one_of((QUEEN, BISHOP if direction & 1 else ROOK)), ray[far])
    draft.scatter(draft.below(5))
    draft.calm = draft.chance(0.9)


# Found by annealing placements of nine queens and the other men a side can own, by our own count of
# their moves: 214 to 218, which nobody has exceeded.
CROWDS: Final = (
    "b3Q3/1Q4Q1/3Q4/Q4Q2/2Q4R/4Q3/pR4Q1/kNNBB1K1",
    "R4Q2/2Q4Q/4Q3/1Q4Q1/3Q4/R4Q2/bpQ5/k1NNBBK1",
    "3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/3Q3K/nR6/kNN1B1RB",
    "3Q2K1/NQ4Q1/p3Q3/B1Q4Q/B4Q2/N2Q4/pR4Q1/kb2R3",
    "1Q4R1/3Q3K/5Q2/Q6Q/2Q5/4Q3/nR4QB/kBNQ3N",
    "nR4Q1/4Q3/2Q4Q/Q4Q2/N2Q4/N5Q1/Bp2Q1K1/k1B4R",
)


def _men_of(placement: str) -> tuple[tuple[int, int], ...]:
    position = fen.parse(f"{placement} w - - 0 1")
    return tuple((position.piece_at(square), square) for square in range(64) if position.occupancy() >> square & 1)


CROWDED_MEN: Final = tuple(_men_of(placement) for placement in CROWDS)


def queens(draft: Draft) -> None:
    """Many queens and free lines: a hundred legal moves and more, up to the most there can be."""
    for piece, square in CROWDED_MEN[draft.below(len(CROWDED_MEN))]:
        draft.put(piece, square)
    # Taking white men off leaves a crowd, and moves them about; most stay, so that most lines stay free.
    for _ in range(draft.one_of((0, 0, 2, 6, 15, 40))):
        square = draft.below(64)
        piece = draft.board[square]
        if piece < KING:
            draft.take_off(square)
            if draft.chance(0.5):
                draft.put_in(piece, BOARD)
    draft.calm = True


def en_passant(draft: Draft) -> None:
    """A black pawn about to step past white ones, White's king on a line where that matters.

    The pawn is still at home: `compose` plays the step, so that the square it leaves is a real one.
    """
    line = draft.one_of((0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5))
    inner = line < 2  # rank and diagonal need room on both sides
    file = draft.below(8)
    beside = file - 1 if file == 7 or (file and draft.chance(0.5)) else file + 1
    while inner and (beside in (0, 7) or file in (0, 7)):
        file = 1 + draft.below(6)
        beside = file + draft.one_of((-1, 1))
    origin, passed, landing, taker = 48 + file, 40 + file, 32 + file, 32 + beside
    draft.turn = BLACK
    draft.put(PAWN + BLACK_MEN, origin)
    draft.put(PAWN, taker)
    draft.occupied |= 1 << passed | 1 << landing  # nothing may stand in the way
    if draft.chance(0.3) and 0 <= 2 * file - beside < 8:
        draft.put(PAWN, 32 + 2 * file - beside)
    if line == 0:
        skewer_rank(draft, landing, taker)
    elif line == 1:
        line_up(draft, taker, draft.one_of((1, 3, 5, 7)))
    elif line == 2:
        line_up(draft, taker, draft.one_of((0, 4)))
    elif line == 3:
        draft.put_in(KING, PAWN_ATTACKS[64 + landing])  # the step gives check, and taking answers it
    elif line == 4:
        line_up(draft, origin, draft.one_of((1, 2, 3, 5, 6, 7)))  # the step discovers check
    if not draft.owned[KING]:
        draft.put_in(KING, BOARD)
    # Now and then where taking en passant gives check.
    draft.put_enemy_king(PAWN_ATTACKS[passed] if draft.chance(0.15) else BOARD)
    draft.scatter(draft.below(5))
    draft.occupied &= ~(1 << passed | 1 << landing)
    draft.calm = True


def skewer_rank(draft: Draft, landing: int, taker: int) -> None:
    """King and rook or queen on the two pawns' rank, one on either side: both pawns would leave at once."""
    low, high = min(landing, taker), max(landing, taker)
    left, right = list(range(32, low)), list(range(high + 1, 40))
    if draft.chance(0.5):
        left, right = right, left
    draft.put(KING, draft.one_of(left))
    draft.put(draft.one_of((ROOK, QUEEN)) + BLACK_MEN, draft.one_of(right))


def line_up(draft: Draft, square: int, direction: int) -> None:
    """King and slider on a line through the square, one on either side of it."""
    ahead, behind = RAYS[square][direction], RAYS[square][direction ^ 4]
    if ahead and behind and draft.put(KING, draft.one_of(ahead)):
        draft.put(draft.one_of((QUEEN, BISHOP if direction & 1 else ROOK)) + BLACK_MEN, draft.one_of(behind))


Theme = Callable[[Draft], None]
THEMES: Final[dict[str, Theme]] = {
    "few men": few_men,
    "scattered": scattered,
    "edges": edges,
    "skirmish": skirmish,
    "castling": castling,
    "promotion": promotion,
    "rooks at home": rooks_at_home,
    "pins": pins,
    "checks": checks,
    "batteries": batteries,
    "queens": queens,
    "en passant": en_passant,
}


# Composed for the side to move; the others are as telling with the other side to move.
MOVER_MATTERS: Final = frozenset(("en passant", "batteries", "promotion", "pins", "checks", "queens"))


def compose(random: Random, theme: str, *, chess960: bool = False) -> Position:
    """A legal position of the theme; the double step of an en passant position is on its undo stack."""
    draft = Draft(random, chess960=chess960)
    THEMES[theme](draft)
    draft.set_clocks()
    if draft.chance(0.5):
        draft.turn_round()
    if not draft.castling and draft.chance(0.5):
        draft.mirror()
    if theme not in MOVER_MATTERS and draft.chance(0.25):
        draft.turn ^= 1
    position = draft.position()
    if theme == "en passant":
        _step_past(position)
    return position


def _step_past(position: Position) -> None:
    """Play a double step that an enemy pawn stands ready for, or any, if there is one."""
    pawns = position.bitboard(PAWN + BLACK_MEN * (1 - position.turn))
    ready = pawns << 1 & ~FILE_A | pawns >> 1 & ~FILE_H
    steps = [move for move in position.legal_moves() if move >> 12 == DOUBLE_PUSH]
    for move in steps:
        if ready >> (move & 63) & 1:
            position.make(move)
            return
    if steps:
        position.make(steps[0])
