"""Material, piece-square scores and phase, packed so that one addition updates all four.

A *tally* is one number per colour with four lanes that never borrow from each other, because every
man adds a positive amount to each:

    bits 0-16 material    17-34 middlegame    35-52 endgame    53-61 phase

The scores follow a small formula (the centre is good for pieces, advance is good for pawns, a king
hides early and walks late) rather than a tuned table: they are here to be kept right, not to play well.
"""

from __future__ import annotations

from typing import Final

VALUES: Final = (100, 320, 330, 500, 900, 0)
PHASES: Final = (0, 1, 1, 2, 4, 0)
MIDDLEGAME: Final = 17
ENDGAME: Final = 35
PHASE: Final = 53
# Raises every square score above zero; taken off again by the reader of the lane, once a man.
LIFT: Final = 64


def _square_score(kind: int, file: int, rank: int) -> tuple[int, int]:
    centre = 6 - (abs(2 * file - 7) + abs(2 * rank - 7)) // 2  # -1 in the corners, 5 in the middle
    if kind == 0:
        return centre * 2 + rank * 2, rank * 8
    if kind == 5:
        return -rank * 8 + abs(2 * file - 7) * 3, centre * 5
    return centre * (0, 5, 4, 1, 2)[kind], centre * (0, 4, 3, 1, 4)[kind]


def _tally(kind: int, square: int) -> int:
    value = VALUES[kind]
    middlegame, endgame = _square_score(kind, square & 7, square >> 3)
    return (
        value | (value + middlegame + LIFT) << MIDDLEGAME | (value + endgame + LIFT) << ENDGAME | PHASES[kind] << PHASE
    )


# Indexed by piece * 64 + square; black's squares are mirrored, so both sides count alike.
TALLIES: Final = [_tally(k, s) for k in range(6) for s in range(64)] + [
    _tally(k, s ^ 56) for k in range(6) for s in range(64)
]
