"""How a game ended, if it did: mate, stalemate, dead position, move counts and repetition."""

from __future__ import annotations

import enum
from typing import Final

from refute.board._core import Position
from refute.board.constants import BISHOP, KNIGHT, PAWN, QUEEN, ROOK

FIFTY_MOVES_PLIES: Final = 100
SEVENTYFIVE_MOVES_PLIES: Final = 150

_DARK_SQUARES: Final = 0xAA55AA55AA55AA55  # a1 is dark
_BLACK_MEN: Final = 6  # added to a kind, makes it a black man


class Outcome(enum.StrEnum):
    """Why no more moves are played; the last two only when a player claims them."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient-material"
    SEVENTYFIVE_MOVES = "seventyfive-moves"
    FIVEFOLD_REPETITION = "fivefold-repetition"
    FIFTY_MOVES = "fifty-moves"
    THREEFOLD_REPETITION = "threefold-repetition"


def outcome(position: Position, *, claims: bool = False) -> Outcome | None:
    """The first outcome that holds, in the order of `Outcome`, or None while the game goes on.

    With `claims` the fifty-move rule and threefold repetition count too, as they stand on the board;
    a claim by a move only intended (FIDE 9.2.1, 9.3.1) is not looked for.
    """
    if position.count_moves() == 0:
        return Outcome.CHECKMATE if position.is_check() else Outcome.STALEMATE
    if is_dead(position):
        return Outcome.INSUFFICIENT_MATERIAL
    halfmove = position.halfmove
    if halfmove >= SEVENTYFIVE_MOVES_PLIES:
        return Outcome.SEVENTYFIVE_MOVES
    # A position comes back every fourth ply at the soonest: fivefold takes 16 plies, threefold 8.
    times = position.repetitions() if halfmove >= 8 else 1
    if times >= 5:
        return Outcome.FIVEFOLD_REPETITION
    if claims and halfmove >= FIFTY_MOVES_PLIES:
        return Outcome.FIFTY_MOVES
    if claims and times >= 3:
        return Outcome.THREEFOLD_REPETITION
    return None


def is_dead(position: Position) -> bool:
    """Whether no sequence of moves can mate, judged by material alone.

    That is: bare kings, one knight and nothing else, or only bishops that all stand on one colour.
    """
    men = position.bitboard
    # Pawns, then rooks, then queens: nearly every position leaves by the first of these.
    for kind in (PAWN, ROOK, QUEEN):
        if men(kind) or men(kind + _BLACK_MEN):
            return False
    knights = men(KNIGHT) | men(KNIGHT + _BLACK_MEN)
    bishops = men(BISHOP) | men(BISHOP + _BLACK_MEN)
    if knights:
        return not bishops and knights & (knights - 1) == 0
    return not bishops & _DARK_SQUARES or not bishops & ~_DARK_SQUARES
