"""A board being composed by chance, and what makes it a position that every witness calls legal.

Draft ──put, aim, scatter──▶ Draft ──position──▶ Position, after every impossible man was taken off

Every choice comes from `random.random()` alone: the one method of `random.Random` whose sequence is
promised never to change, so that a seed means the same positions on every Python.
"""

from __future__ import annotations

from random import Random
from typing import Final

from refute.board import Position
from refute.board._core import slider_lookup
from refute.board.constants import (
    BISHOP,
    BLACK,
    EMPTY,
    KING,
    KNIGHT,
    NO_SQUARE,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
)
from refute.board.tables import KING_ATTACKS, KNIGHT_ATTACKS, LINE, PAWN_ATTACKS, RANK_1, RANK_8

BLACK_MEN: Final = 6  # added to a kind, makes it a black man
MOST_OWNED: Final = (8, 2, 2, 2, 1, 1)  # of each kind before any pawn promotes
BOARD: Final = (1 << 64) - 1
PAWN_SQUARES: Final = BOARD ^ RANK_1 ^ RANK_8

# The other colour's piece, for turning a draft round.
OTHER: Final = (6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 12)
ALL_OFFICERS: Final = (KNIGHT, BISHOP, ROOK, QUEEN)
ANY_MAN: Final = (PAWN, PAWN, PAWN, KNIGHT, BISHOP, ROOK, QUEEN)


class Draft:
    """A board being composed. Men go only where they may stand; what is still illegal is repaired at the end."""

    __slots__ = ("board", "castling", "fullmove", "halfmove", "homes", "occupied", "random", "turn")

    def __init__(self, random: Random) -> None:
        self.random = random
        self.board = [EMPTY] * 64
        self.occupied = 0
        self.turn = WHITE
        self.castling = 0
        self.homes = [NO_SQUARE] * 4
        self.halfmove = 0
        self.fullmove = 1

    # ------------------------------------------------------------ choosing

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def below(self, limit: int) -> int:
        return int(self.random.random() * limit)

    def one_of(self, choices: tuple[int, ...] | list[int]) -> int:
        return choices[int(self.random.random() * len(choices))]

    def square_in(self, squares: int) -> int | None:
        """One of the squares of a set that are still empty, or None when there is none."""
        squares &= BOARD & ~self.occupied
        for _ in range(self.below(squares.bit_count())):
            squares &= squares - 1
        return (squares & -squares).bit_length() - 1 if squares else None

    # ------------------------------------------------------------ placing

    def put(self, piece: int, square: int) -> bool:
        """Put a man on a square, unless it is taken or no pawn can stand there."""
        if self.occupied >> square & 1 or (piece % 6 == PAWN and not PAWN_SQUARES >> square & 1):
            return False
        self.board[square] = piece
        self.occupied |= 1 << square
        return True

    def put_in(self, piece: int, squares: int) -> int | None:
        """Put a man on any empty square of a set; None when there was none."""
        square = self.square_in(squares & PAWN_SQUARES if piece % 6 == PAWN else squares)
        if square is not None:
            self.board[square] = piece
            self.occupied |= 1 << square
        return square

    def clear(self, square: int) -> None:
        self.board[square] = EMPTY
        self.occupied &= ~(1 << square)

    def put_kings(self, white: int = BOARD, black: int = BOARD) -> None:
        """Both kings, never side by side."""
        king = self.put_in(KING, white)
        if king is None:
            king = self.put_in(KING, BOARD)
            assert king is not None
        if self.put_in(KING + BLACK_MEN, black & ~KING_ATTACKS[king]) is None:
            self.put_in(KING + BLACK_MEN, ~KING_ATTACKS[king] & BOARD)

    def king(self, colour: int) -> int:
        return self.board.index(KING + BLACK_MEN * colour)

    def scatter(self, count: int, *, kinds: tuple[int, ...] = ANY_MAN, squares: int = BOARD) -> None:
        """Strew men of either colour."""
        for _ in range(count):
            self.put_in(self.one_of(kinds) + (BLACK_MEN if self.chance(0.5) else 0), squares)

    def aim(self, square: int, colour: int, *, kinds: tuple[int, ...] = ALL_OFFICERS) -> int | None:
        """Put a man of the colour where it attacks the square; None when there is no room."""
        kind = self.one_of(kinds)
        if kind == PAWN:
            squares = PAWN_ATTACKS[(1 - colour) * 64 + square]
        elif kind == KNIGHT:
            squares = KNIGHT_ATTACKS[square]
        elif kind == QUEEN:
            squares = slider_lookup(square, self.occupied, self.chance(0.5))
        else:
            squares = slider_lookup(square, self.occupied, kind == BISHOP)
        return self.put_in(kind + BLACK_MEN * colour, squares)

    # ------------------------------------------------------------ finishing

    def turn_round(self) -> None:
        """Swap the colours and the ends of the board; the position means the same for the other side."""
        self.board = [OTHER[piece] for rank in range(56, -8, -8) for piece in self.board[rank : rank + 8]]
        self.turn ^= 1
        self.castling = self.castling >> 2 | (self.castling & 3) << 2
        homes = self.homes
        self.homes = [home ^ 56 if home != NO_SQUARE else home for home in (homes[2], homes[3], homes[0], homes[1])]

    def mirror(self) -> None:
        """Swap the king's side and the queen's; only without castling rights."""
        self.board = [piece for rank in range(0, 64, 8) for piece in self.board[rank : rank + 8][::-1]]

    def set_clocks(self, *, high: float = 0.1) -> None:
        """Clocks as games have them, and now and then about to end a game."""
        if self.chance(high):
            self.halfmove = self.one_of((95, 97, 98, 99, 99, 100, 147, 148, 149, 149, 150))
            self.fullmove = 80 + self.below(160)
        else:
            self.halfmove = self.below(30) if self.chance(0.5) else 0
            self.fullmove = 1 + self.halfmove // 2 + self.below(90 if self.chance(0.9) else 900)

    def position(self, *, chess960: bool = False) -> Position:
        """The position, once every man that makes it illegal has been taken off."""
        self.trim()
        position = Position()
        while True:
            position.set_up(
                self.board,
                self.turn,
                self.castling,
                self.homes,
                NO_SQUARE,
                self.halfmove,
                self.fullmove,
                chess960=chess960,
            )
            surplus = impossible_checkers(position)
            if not surplus:
                return position
            while surplus:
                self.take_off((surplus & -surplus).bit_length() - 1)
                surplus &= surplus - 1

    def take_off(self, square: int) -> None:
        """Take a man off, and with a rook the right it held."""
        for right in range(4):
            if self.homes[right] == square:
                self.castling &= ~(1 << right)
                self.homes[right] = NO_SQUARE
        self.clear(square)

    def trim(self) -> None:
        """Take off men that no side can own: more than eight pawns and promoted pieces together."""
        for colour in (WHITE, BLACK):
            base = colour * BLACK_MEN
            counts = [self.board.count(base + kind) for kind in range(5)]
            promoted = sum(max(0, counts[kind] - MOST_OWNED[kind]) for kind in ALL_OFFICERS)
            for kind in (PAWN, KNIGHT, BISHOP, ROOK, QUEEN):
                while counts[PAWN] + promoted > 8 and counts[kind] > (MOST_OWNED[kind] if kind else 0):
                    self.take_off(self.board.index(base + kind))
                    counts[kind] -= 1
                    promoted -= kind != PAWN


def impossible_checkers(position: Position) -> int:
    """Men whose checks no legal last move explains; none when the position is sound.

    Either they attack the king of the side that just moved, or they are more than the two that one
    move can bring to bear, or two of them stand on one line with the king.
    """
    turn = position.turn
    waiting = position.attackers(position.king(1 - turn), turn)
    if waiting:
        return waiting
    checkers = position.checkers()
    count = checkers.bit_count()
    if count < 2:
        return 0
    first = checkers & -checkers
    if count > 2:
        return checkers ^ first
    king = position.king(turn)
    line = LINE[(first.bit_length() - 1) * 64 + (checkers ^ first).bit_length() - 1]
    return first if line >> king & 1 else 0
