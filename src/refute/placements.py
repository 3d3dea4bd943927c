"""Synthesised positions, each composed around one of the rules of chess that generators get wrong.

theme ──compose──▶ Draft ──repair──▶ Position, legal for every witness (its last move may still be on it)

A draft is composed with White as the side the theme is about, and turned round half of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from refute.board import Position
from refute.board.constants import BISHOP, BLACK, KING, KNIGHT, NO_SQUARE, PAWN, QUEEN, ROOK, WHITE
from refute.board.move import DOUBLE_PUSH
from refute.board.tables import FILE_A, FILE_H, KING_ATTACKS, PAWN_ATTACKS, RANK_1, RANK_8
from refute.drafts import ALL_OFFICERS, BLACK_MEN, BOARD, Draft

COMPASS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
SLIDERS: Final = (BISHOP, ROOK, QUEEN)
RANK_2: Final = RANK_1 << 8
RANK_4: Final = RANK_1 << 24
RANK_5: Final = RANK_1 << 32
RANK_7: Final = RANK_1 << 48
MIDDLE: Final = RANK_1 << 16 | RANK_4 | RANK_5 | RANK_1 << 40
EDGES: Final = FILE_A | FILE_H | RANK_1 | RANK_8
CORNERS: Final = 1 | 1 << 7 | 1 << 56 | 1 << 63


def _ray(square: int, step: tuple[int, int]) -> tuple[int, ...]:
    file, rank = (square & 7) + step[0], (square >> 3) + step[1]
    squares = []
    while 0 <= file < 8 and 0 <= rank < 8:
        squares.append(rank * 8 + file)
        file, rank = file + step[0], rank + step[1]
    return tuple(squares)


# RAYS[square][direction]: the squares from there to the edge, nearest first; odd directions are diagonal.
RAYS: Final = [[_ray(square, step) for step in COMPASS] for square in range(64)]


def few_men(draft: Draft, chess960: bool) -> None:
    """Kings close to each other or cornered, and up to four men: near mate, stalemate or a dead draw."""
    draft.put_kings(EDGES if draft.chance(0.5) else BOARD)
    white = draft.king(WHITE)
    if draft.chance(0.6):
        # Opposition: the kings bar each other's way.
        draft.clear(draft.king(BLACK))
        near = 0
        for ray in RAYS[white]:
            near |= sum(1 << square for square in ray[1:3])
        if draft.put_in(KING + BLACK_MEN, near & ~KING_ATTACKS[white]) is None:
            draft.put_in(KING + BLACK_MEN, BOARD & ~KING_ATTACKS[white])
    for _ in range(draft.one_of((0, 1, 1, 1, 2, 2, 2, 3, 4))):
        piece = draft.one_of((PAWN, KNIGHT, BISHOP, BISHOP, ROOK, QUEEN))
        draft.put_in(piece + (0 if draft.chance(0.4) else BLACK_MEN), BOARD)


def scattered(draft: Draft, chess960: bool) -> None:
    """Men anywhere: every man on every square, with every kind of blocker."""
    draft.put_kings()
    draft.scatter(draft.one_of((4, 8, 12, 16, 22, 28)))


def edges(draft: Draft, chess960: bool) -> None:
    """Men along the edges, where a shifted or stepped square may wrap round the board."""
    draft.put_kings(EDGES, EDGES)
    draft.scatter(5 + draft.below(8), squares=FILE_A | FILE_H)
    draft.scatter(draft.below(8), squares=EDGES | FILE_A << 1 | FILE_H >> 1)


def skirmish(draft: Draft, chess960: bool) -> None:
    """Pawns at every stage, with men before them: single and double steps, captures, blocks."""
    draft.put_kings(RANK_1 | RANK_2 | RANK_1 << 16, RANK_8 | RANK_7 | RANK_1 << 40)
    for _ in range(3 + draft.below(6)):
        draft.put_in(PAWN, RANK_2 if draft.chance(0.5) else BOARD)
        draft.put_in(PAWN + BLACK_MEN, RANK_7 if draft.chance(0.4) else RANK_4 if draft.chance(0.5) else BOARD)
    draft.scatter(draft.below(8), kinds=ALL_OFFICERS, squares=MIDDLE if draft.chance(0.6) else BOARD)


def castling(draft: Draft, chess960: bool) -> None:
    """Kings and rooks at home with rights, the squares between them attacked here and there."""
    both = draft.chance(0.7)
    _go_home(draft, WHITE, chess960)
    if both:
        _go_home(draft, BLACK, chess960)
    else:
        draft.put_in(KING + BLACK_MEN, RANK_8 | RANK_7 | RANK_1 << 40)
    for colour in (WHITE, BLACK):
        if colour == WHITE or both:
            _trouble_castling(draft, colour)
    draft.scatter(draft.below(5), squares=BOARD & ~(RANK_1 | RANK_8) if draft.chance(0.8) else BOARD)


def _go_home(draft: Draft, colour: int, chess960: bool) -> None:
    """A king and its rooks at home, with the rights; one rook may be missing, or have lost its right."""
    rank = 56 * colour
    king, low, high = rank + 4, rank, rank + 7
    if chess960 and draft.chance(0.8):
        file = 1 + draft.below(6)
        king, low, high = rank + file, rank + draft.below(file), rank + file + 1 + draft.below(7 - file)
    draft.put(KING + BLACK_MEN * colour, king)
    for side, home in ((0, high), (1, low)):
        if draft.chance(0.85) and draft.put(ROOK + BLACK_MEN * colour, home) and draft.chance(0.9):
            draft.castling |= 1 << 2 * colour + side
            draft.homes[2 * colour + side] = home


def _trouble_castling(draft: Draft, colour: int) -> None:
    """Attack some squares of a home rank, shelter others, and now and then leave a man in the way."""
    rank = 56 * colour
    before = rank + 8 if colour == WHITE else rank - 8
    if draft.chance(0.5):
        for file in range(8):
            if draft.chance(0.6):
                draft.put(PAWN + BLACK_MEN * colour, before + file)
    for _ in range(draft.one_of((0, 1, 1, 1, 2, 2, 3))):
        draft.aim(rank + draft.below(8), 1 - colour, kinds=(PAWN, KNIGHT, BISHOP, ROOK, QUEEN))
    if draft.chance(0.25):
        draft.put_in(draft.one_of((KNIGHT, BISHOP, QUEEN)) + BLACK_MEN * draft.below(2), 0xFF << rank)


def promotion(draft: Draft, chess960: bool) -> None:
    """Pawns one step from promotion, with men to take beside them: rooks that still hold rights too."""
    if draft.chance(0.6):
        _go_home(draft, BLACK, chess960)
        draft.put_in(KING, BOARD & ~(RANK_7 | RANK_8 | RANK_1 << 40))
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


def rooks_at_home(draft: Draft, chess960: bool) -> None:
    """Rooks that hold rights and can be taken at home, by sliders, knights and each other."""
    _go_home(draft, WHITE, chess960)
    _go_home(draft, BLACK, chess960)
    for right in range(4):
        home = draft.homes[right]
        if home != NO_SQUARE and draft.chance(0.5):
            draft.aim(home, 1 - (right >> 1))
    draft.scatter(draft.below(8))


def pins(draft: Draft, chess960: bool) -> None:
    """A king with men before it and enemy sliders behind them, on any of its eight lines."""
    draft.put_in(KING, BOARD)
    king = draft.king(WHITE)
    draft.put_in(KING + BLACK_MEN, BOARD & ~KING_ATTACKS[king])
    for direction in range(8):
        ray = RAYS[king][direction]
        if len(ray) < 2 or draft.chance(0.5):
            continue
        near = draft.below(len(ray) - 1)
        far = near + 1 + draft.below(len(ray) - 1 - near)
        draft.put(draft.one_of((PAWN, PAWN, KNIGHT, BISHOP, ROOK, QUEEN)), ray[near])
        slider = draft.one_of((QUEEN, BISHOP if direction & 1 else ROOK))
        if draft.chance(0.12):
            slider = ROOK if direction & 1 else BISHOP  # the wrong slider: no pin at all
        draft.put(slider + BLACK_MEN, ray[far])
    if draft.chance(0.35):
        draft.aim(king, BLACK, kinds=(PAWN, KNIGHT, BISHOP, ROOK, QUEEN))  # a check that a pinned man may not meet
    draft.scatter(draft.below(6))


def checks(draft: Draft, chess960: bool) -> None:
    """A king in check, or in two at once, with men that may step between or take."""
    draft.put_kings(EDGES if draft.chance(0.4) else BOARD)
    king = draft.king(WHITE)
    checker = draft.aim(king, BLACK, kinds=(PAWN, KNIGHT, BISHOP, ROOK, QUEEN, BISHOP, ROOK, QUEEN))
    if draft.chance(0.35):
        draft.aim(king, BLACK)
    if checker is not None and draft.chance(0.6):
        draft.aim(checker, WHITE, kinds=(PAWN, KNIGHT, BISHOP, ROOK, QUEEN))
        if draft.chance(0.5):
            draft.aim(checker, BLACK)  # protected: the king may not take it
    draft.scatter(2 + draft.below(8))


def batteries(draft: Draft, chess960: bool) -> None:
    """Our slider behind our own man, aimed at their king: any move of the man discovers check."""
    draft.put_in(KING + BLACK_MEN, BOARD)
    king = draft.king(BLACK)
    for direction in range(8):
        ray = RAYS[king][direction]
        if len(ray) < 2 or draft.chance(0.65):
            continue
        near = draft.below(len(ray) - 1)
        far = near + 1 + draft.below(len(ray) - 1 - near)
        draft.put(draft.one_of((PAWN, KNIGHT, KNIGHT, BISHOP, ROOK)), ray[near])
        draft.put(draft.one_of((QUEEN, BISHOP if direction & 1 else ROOK)), ray[far])
    draft.put_in(KING, BOARD & ~KING_ATTACKS[king])
    draft.scatter(draft.below(6))


def queens(draft: Draft, chess960: bool) -> None:
    """Many queens and free lines: a hundred legal moves and more."""
    corner = draft.one_of((0, 7, 56, 63))
    draft.put(KING + BLACK_MEN, corner)
    draft.put_in(KING, BOARD & ~KING_ATTACKS[corner])
    for _ in range(3 + draft.below(7)):
        draft.put_in(QUEEN, BOARD)
    for kind in (ROOK, BISHOP, KNIGHT):
        if draft.chance(0.5):
            draft.put_in(kind, BOARD)
            draft.put_in(kind, BOARD)
    # Something must shield their king from so many queens.
    for square in range(64):
        if KING_ATTACKS[corner] >> square & 1:
            draft.clear(square)
            draft.put(draft.one_of((PAWN, KNIGHT, BISHOP)) + BLACK_MEN, square)


def en_passant(draft: Draft, chess960: bool) -> None:
    """A black pawn about to step past white ones, White's king on a line where that matters.

    The pawn is still at home: `compose` plays the step, so that the square it leaves is a real one.
    """
    file = draft.below(8)
    origin, passed, landing = 48 + file, 40 + file, 32 + file
    draft.turn = BLACK
    draft.put(PAWN + BLACK_MEN, origin)
    draft.occupied |= 1 << passed | 1 << landing  # nothing may stand in the way
    beside = [square for square in (landing - 1, landing + 1) if square >> 3 == 4]
    taker = draft.one_of(beside)
    draft.put(PAWN, taker)
    if draft.chance(0.25):
        draft.put(PAWN, beside[0] + beside[-1] - taker)
    line = draft.one_of((0, 0, 1, 1, 2, 3, 3, 4, 5))
    if line == 0:
        _skewer_rank(draft, landing, taker)
    elif line <= 2:
        _pin_taker(draft, taker, diagonal=line == 1)
    elif line == 3:
        draft.put_in(KING, PAWN_ATTACKS[64 + landing])  # the step gives check, and taking answers it
    elif line == 4:
        _open_line(draft, origin)
    if KING not in draft.board:
        draft.put_in(KING, BOARD)
    draft.put_in(KING + BLACK_MEN, BOARD & ~KING_ATTACKS[draft.king(WHITE)])
    draft.scatter(draft.below(7))
    draft.occupied &= ~(1 << passed | 1 << landing)


def _skewer_rank(draft: Draft, landing: int, taker: int) -> None:
    """King and rook or queen on the two pawns' rank, one on either side: both pawns would leave at once."""
    low, high = min(landing, taker), max(landing, taker)
    left, right = list(range(32, low)), list(range(high + 1, 40))
    if draft.chance(0.5):
        left, right = right, left
    if left and right:
        draft.put(KING, draft.one_of(left))
        draft.put(draft.one_of((ROOK, QUEEN)) + BLACK_MEN, draft.one_of(right))


def _pin_taker(draft: Draft, taker: int, *, diagonal: bool) -> None:
    """King and slider on a line through the pawn that wants to take."""
    direction = draft.one_of((1, 3, 5, 7)) if diagonal else draft.one_of((0, 4))
    ahead, behind = RAYS[taker][direction], RAYS[taker][direction ^ 4]
    if ahead and behind:
        draft.put(KING, draft.one_of(ahead))
        draft.put(draft.one_of((QUEEN, BISHOP if diagonal else ROOK)) + BLACK_MEN, draft.one_of(behind))


def _open_line(draft: Draft, origin: int) -> None:
    """King and slider on a line through the pawn's home: the step itself discovers check."""
    direction = draft.one_of((1, 2, 3, 5, 6, 7))
    ahead, behind = RAYS[origin][direction], RAYS[origin][direction ^ 4]
    if ahead and behind:
        draft.put(KING, draft.one_of(ahead))
        draft.put(draft.one_of((QUEEN, BISHOP if direction & 1 else ROOK)) + BLACK_MEN, draft.one_of(behind))


Theme = Callable[[Draft, bool], None]
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
    draft = Draft(random)
    THEMES[theme](draft, chess960)
    draft.set_clocks()
    if draft.chance(0.5):
        draft.turn_round()
    if not draft.castling and draft.chance(0.5):
        draft.mirror()
    if theme not in MOVER_MATTERS and draft.chance(0.25):
        draft.turn ^= 1
    position = draft.position(chess960=chess960)
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
