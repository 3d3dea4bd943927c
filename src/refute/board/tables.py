"""Attack, between and line tables, built in plain Python and never compiled.

The rays here are the *classical* ones: walk each direction until a man stands in the way. They are
slow and obviously right; the magic and PEXT look-ups of the core are filled from them and compared
with them by the tests.
"""

from __future__ import annotations

from typing import Final

from refute.board.constants import ALL

ROOK_STEPS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
BISHOP_STEPS: Final = ((1, 1), (1, -1), (-1, -1), (-1, 1))
KNIGHT_STEPS: Final = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
Steps = tuple[tuple[int, int], ...]


def leap(square: int, steps: Steps) -> int:
    """The squares one step away that are still on the board."""
    file, rank = square & 7, square >> 3
    return sum(1 << (rank + r) * 8 + file + f for f, r in steps if 0 <= file + f < 8 and 0 <= rank + r < 8)


def ray_attacks(square: int, occupied: int, steps: Steps) -> int:
    """The squares a slider sees: along each direction up to and including the first man."""
    attacks = 0
    for file_step, rank_step in steps:
        file, rank = (square & 7) + file_step, (square >> 3) + rank_step
        while 0 <= file < 8 and 0 <= rank < 8:
            bit = 1 << rank * 8 + file
            attacks |= bit
            if occupied & bit:
                break
            file, rank = file + file_step, rank + rank_step
    return attacks


def classical_rook(square: int, occupied: int) -> int:
    """What a rook on the square attacks, the readable way."""
    return ray_attacks(square, occupied, ROOK_STEPS)


def classical_bishop(square: int, occupied: int) -> int:
    """What a bishop on the square attacks, the readable way."""
    return ray_attacks(square, occupied, BISHOP_STEPS)


SQUARES: Final = range(64)
FILE_A: Final = 0x0101_0101_0101_0101
FILE_H: Final = FILE_A << 7
NOT_FILE_A: Final = ALL ^ FILE_A
NOT_FILE_H: Final = ALL ^ FILE_H
RANK_1: Final = 0xFF
RANK_3: Final = RANK_1 << 16
RANK_6: Final = RANK_1 << 40
RANK_8: Final = RANK_1 << 56
BACK_RANKS: Final = RANK_1 | RANK_8

KNIGHT_ATTACKS: Final = [leap(s, KNIGHT_STEPS) for s in SQUARES]
KING_ATTACKS: Final = [leap(s, ROOK_STEPS + BISHOP_STEPS) for s in SQUARES]
# Indexed by colour * 64 + square: what a pawn of that colour on that square attacks.
PAWN_ATTACKS: Final = [leap(s, ((-1, 1), (1, 1))) for s in SQUARES] + [leap(s, ((-1, -1), (1, -1))) for s in SQUARES]

ROOK_RAYS: Final = [classical_rook(s, 0) for s in SQUARES]
BISHOP_RAYS: Final = [classical_bishop(s, 0) for s in SQUARES]
FILES: Final = [FILE_A << (s & 7) for s in SQUARES]
# A pawn pinned on one of these may still capture along it.
DIAGONALS: Final = [ray_attacks(s, 0, ((1, 1), (-1, -1))) | 1 << s for s in SQUARES]  # a1-h8 direction
ANTIDIAGONALS: Final = [ray_attacks(s, 0, ((1, -1), (-1, 1))) | 1 << s for s in SQUARES]

# The occupancy that matters to a slider: its rays without their last squares, which it attacks anyway.
ROOK_MASKS: Final = [
    sum(ray_attacks(s, 0, (d,)) & ~(RANK_8, FILE_H, RANK_1, FILE_A)[i] for i, d in enumerate(ROOK_STEPS))
    for s in SQUARES
]
BISHOP_MASKS: Final = [BISHOP_RAYS[s] & ~(BACK_RANKS | FILE_A | FILE_H) for s in SQUARES]


def _between_and_line() -> tuple[list[int], list[int]]:
    between, line = [0] * 4096, [0] * 4096
    for a in SQUARES:
        for rays, classical in ((ROOK_RAYS, classical_rook), (BISHOP_RAYS, classical_bishop)):
            for b in SQUARES:
                if rays[a] >> b & 1:
                    ends = 1 << a | 1 << b
                    between[a * 64 + b] = classical(a, ends) & classical(b, ends)
                    line[a * 64 + b] = (rays[a] & rays[b]) | ends
    return between, line


# Indexed by from * 64 + to. BETWEEN excludes both ends; LINE runs from edge to edge. Zero off a line.
BETWEEN, LINE = _between_and_line()
