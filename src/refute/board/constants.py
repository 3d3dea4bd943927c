"""The numbers the board is written in; `_core.pxd` repeats them as C constants.

squares  a1 = 0, b1 = 1 … h8 = 63        colours  white 0, black 1
kinds    P N B R Q K = 0 … 5             pieces   colour * 6 + kind, 12 for an empty square
rights   1 white king-side, 2 white queen-side, 4 black king-side, 8 black queen-side
"""

from __future__ import annotations

from typing import Final

WHITE: Final = 0
BLACK: Final = 1

PAWN: Final = 0
KNIGHT: Final = 1
BISHOP: Final = 2
ROOK: Final = 3
QUEEN: Final = 4
KING: Final = 5
EMPTY: Final = 12
PIECE_LETTERS: Final = "PNBRQKpnbrqk"

NO_SQUARE: Final = 64
NO_MOVE: Final = 0  # a1a1 quiet: no piece moves nowhere, so the number is free to mean the null move

# Every square is entered by at most sixteen of one side's men: one along each of eight directions and
# eight knights. Promotion makes four moves of one, for at most three pawns a square, on eight squares.
# That, and two castles, bounds any position a FEN can hold, however many queens it has.
MOST_MOVES: Final = 56 * 16 + 8 * (16 + 3 * 3) + 2

UNDO_WORDS: Final = 2

ONE: Final = 1
ALL: Final = 0xFFFF_FFFF_FFFF_FFFF
