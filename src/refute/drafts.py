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
ALL_MEN: Final = (PAWN, *ALL_OFFICERS)
ANY_MAN: Final = (PAWN, PAWN, PAWN, KNIGHT, BISHOP, ROOK, QUEEN)


class Draft:
    """A board being composed. Men go only where they may stand; what is still illegal is repaired at the end."""

    __slots__ = (
        "board", "calm", "castling", "chess960", "fullmove", "halfmove",
        "homes", "occupied", "owned", "random", "spare", "turn",
    )  # fmt: skip

    def __init__(self, random: Random, *, chess960: bool = False) -> None:
        self.random = random
        self.chess960 = chess960
        self.board = [EMPTY] * 64
        self.occupied = 0
        self.owned = [0] * 12
        self.spare = [8, 8]  # pawns each side has not put on the board yet, as themselves or promoted
        self.calm = False  # whether the side to move must not be in check
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
        count = squares.bit_count()
        if count > 12:
            # Guessing is quicker than counting out; after a few misses, count all the same.
            for _ in range(8):
                square = int(self.random.random() * 64)
                if squares >> square & 1:
                    return square
        for _ in range(self.below(count)):
            squares &= squares - 1
        return (squares & -squares).bit_length() - 1 if squares else None

    # ------------------------------------------------------------ placing

    def put(self, piece: int, square: int) -> bool:
        """Put a man on a square, unless it is taken, no pawn can stand there, or the side can own no more."""
        colour, kind = divmod(piece, 6)
        if self.occupied >> square & 1 or (kind == PAWN and not PAWN_SQUARES >> square & 1):
            return False
        if kind == PAWN or self.owned[piece] >= MOST_OWNED[kind]:
            if not self.spare[colour]:
                return False
            self.spare[colour] -= 1
        self.owned[piece] += 1
        self.board[square] = piece
        self.occupied |= 1 << square
        return True

    def put_in(self, piece: int, squares: int) -> int | None:
        """Put a man on any empty square of a set; None when it could go nowhere."""
        square = self.square_in(squares & PAWN_SQUARES if piece % 6 == PAWN else squares)
        return square if square is not None and self.put(piece, square) else None

    def take_off(self, square: int) -> None:
        """Take a man off, and with a rook the right it held."""
        piece = self.board[square]
        colour, kind = divmod(piece, 6)
        self.owned[piece] -= 1
        if kind == PAWN or self.owned[piece] >= MOST_OWNED[kind]:
            self.spare[colour] += 1
        self.board[square] = EMPTY
        self.occupied &= ~(1 << square)
        for right in range(4):
            if self.homes[right] == square:
                self.castling &= ~(1 << right)
                self.homes[right] = NO_SQUARE

    def put_kings(self, white: int = BOARD, black: int = BOARD) -> None:
        """Both kings, never side by side."""
        self.put_in(KING, white)
        self.put_enemy_king(black)

    def put_enemy_king(self, squares: int = BOARD) -> None:
        """The black king, away from the white one."""
        away = BOARD & ~KING_ATTACKS[self.king(WHITE)]
        if self.put_in(KING + BLACK_MEN, squares & away) is None:
            self.put_in(KING + BLACK_MEN, away)

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
        board = self.board
        self.board = [OTHER[piece] for rank in range(56, -8, -8) for piece in board[rank : rank + 8]]
        self.turn ^= 1
        self.castling = self.castling >> 2 | (self.castling & 3) << 2
        homes = self.homes
        self.homes = [home ^ 56 if home != NO_SQUARE else home for home in homes[2:] + homes[:2]]
        self.owned = self.owned[6:] + self.owned[:6]
        self.spare.reverse()

    def mirror(self) -> None:
        """Swap the king's side and the queen's; only without castling rights."""
        board = self.board
        self.board = [piece for rank in range(7, 71, 8) for piece in board[rank : rank - 8 if rank > 7 else None : -1]]

    def set_clocks(self, *, high: float = 0.12) -> None:
        """Clocks as games have them, and now and then about to end a game."""
        if self.chance(high):
            self.halfmove = self.one_of((95, 97, 98, 99, 99, 100, 147, 148, 149, 149, 150, 152))
            self.fullmove = 80 + self.below(160)
        else:
            self.halfmove = self.below(30) if self.chance(0.5) else 0
            self.fullmove = 1 + self.halfmove // 2 + self.below(90 if self.chance(0.9) else 900)

    def position(self) -> Position:
        """The position, once every man that makes it illegal has been taken off."""
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
                chess960=self.chess960,
            )
            surplus = impossible_checkers(position) or (position.checkers() if self.calm else 0)
            if not surplus:
                return position
            while surplus:
                self.take_off((surplus & -surplus).bit_length() - 1)
                surplus &= surplus - 1


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
