"""What the C compiler gives the compiled core, in plain Python for the interpreted one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from refute.board import tables
from refute.board.constants import ALL, UNDO_WORDS

popcount: Final = int.bit_count


def first(bits: int) -> int:
    """The lowest set bit's square."""
    return (bits & -bits).bit_length() - 1


def several(bits: int) -> int:
    """Nonzero when more than one bit is set."""
    return bits & bits - 1


def check_signals() -> None:
    """Interpreted code notices Ctrl-C by itself."""


class Slides(dict[int, int]):
    """What a slider on one square sees, by blockers: worked out on first need, then remembered."""

    def __init__(self, square: int, attacks: Callable[[int, int], int]) -> None:
        self.square = square
        self.attacks = attacks

    def __missing__(self, blockers: int) -> int:
        seen = self[blockers] = self.attacks(self.square, blockers)
        return seen


ROOK_SLIDES: Final = [Slides(square, tables.classical_rook) for square in tables.SQUARES]
BISHOP_SLIDES: Final = [Slides(square, tables.classical_bishop) for square in tables.SQUARES]
ROOK_MASKS: Final = tables.ROOK_MASKS
BISHOP_MASKS: Final = tables.BISHOP_MASKS


def rook_attacks(square: int, occupied: int) -> int:
    """What a rook on the square attacks."""
    return ROOK_SLIDES[square][occupied & ROOK_MASKS[square]]


def bishop_attacks(square: int, occupied: int) -> int:
    """What a bishop on the square attacks."""
    return BISHOP_SLIDES[square][occupied & BISHOP_MASKS[square]]


class SparseTable(dict[int, int]):
    """A table of words that takes memory only for those written."""

    def __missing__(self, at: int) -> int:
        return 0


def allocate_table(words: int) -> list[int]:
    """A table of zeros."""
    return SparseTable()  # type: ignore[return-value]  # indexed like the list of words it stands for


def free_table(table: list[int]) -> None:
    """Interpreted tables go by themselves."""


def slider_index(occupied: int, mask: int, magic: int, shift: int) -> int:
    """Where the blockers of a slider lead, the magic way; compiled, PEXT may do the same in one step."""
    return ((occupied & mask) * magic & ALL) >> shift


# What the compiled core fills at import. Interpreted, the rays are remembered as they are met instead,
# because filling these takes half a second; a test fills them to prove the magics.
LOOKUPS: Final = [0] * 512
SLIDES: Final = SparseTable()


class HasUndo(Protocol):
    """What `grow_undo` asks of a position."""

    undo: list[int]
    capacity: int


def grow_undo(position: HasUndo) -> None:
    """Double the undo stack."""
    position.undo.extend([0] * UNDO_WORDS * (position.capacity or 32))
    position.capacity = position.capacity * 2 or 32
