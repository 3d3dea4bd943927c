"""The 16-bit move: flag << 12 | from << 6 | to.

    15  14  13  12 | 11 10 9 8 7 6 | 5 4 3 2 1 0
    promo capt  s1  s0     from            to

    flag  0 quiet   1 double push   2 king-side castle   3 queen-side castle
          4 capture 5 en passant
          8 9 10 11 promotion to N B R Q     12 13 14 15 the same, capturing

A castling move is stored as *king takes own rook*, in standard chess and Chess960 alike: the target
is the rook's home square, so that one number means one move in both. Only its UCI text differs.
"""

from __future__ import annotations

from typing import Final

from refute.errors import MoveError, quote

QUIET: Final = 0
DOUBLE_PUSH: Final = 1
KING_CASTLE: Final = 2
QUEEN_CASTLE: Final = 3
CAPTURE: Final = 4
EN_PASSANT: Final = 5
PROMOTION: Final = 8  # + 0..3 for N B R Q, + 4 when capturing

PROMOTION_LETTERS: Final = "nbrq"
SQUARE_NAMES: Final = tuple(f + r for r in "12345678" for f in "abcdefgh")
SQUARE_NUMBERS: Final = {name: number for number, name in enumerate(SQUARE_NAMES)}


class Move(int):
    """A move as one 16-bit number, with names for its parts.

    >>> move = Move.of(52, 60, PROMOTION + 3)
    >>> move.source, move.target, move.promotion, move.is_capture
    (52, 60, 'q', False)
    """

    __slots__ = ()

    @classmethod
    def of(cls, source: int, target: int, flag: int = QUIET) -> Move:
        """Pack a move; refuses squares and flags that do not fit their bits."""
        if not (0 <= source < 64 and 0 <= target < 64 and 0 <= flag < 16):
            raise MoveError(f"no move goes from {source!r} to {target!r} with flag {flag!r}")
        return cls(flag << 12 | source << 6 | target)

    @property
    def source(self) -> int:
        return (self >> 6) & 63

    @property
    def target(self) -> int:
        """The square moved to; of a castling move, the rook's home square."""
        return self & 63

    @property
    def flag(self) -> int:
        return self >> 12

    @property
    def is_capture(self) -> bool:
        return self & 0x4000 != 0

    @property
    def is_en_passant(self) -> bool:
        return self & 0xF000 == EN_PASSANT << 12

    @property
    def is_double_push(self) -> bool:
        return self & 0xF000 == DOUBLE_PUSH << 12

    @property
    def is_castle(self) -> bool:
        return self & 0xE000 == KING_CASTLE << 12

    @property
    def is_promotion(self) -> bool:
        return self & 0x8000 != 0

    @property
    def promotion(self) -> str | None:
        """The letter promoted to, or None."""
        return PROMOTION_LETTERS[(self >> 12) & 3] if self & 0x8000 else None

    def uci(self, *, chess960: bool = False) -> str:
        """UCI text: a castle is e1g1 in standard chess, king takes rook (e1h1) in Chess960."""
        target = self.target
        if self.is_castle and not chess960:
            # Standard castling ends on the g or c file of the king's own rank.
            target = (self.source & 56) | (6 if self.flag == KING_CASTLE else 2)
        return SQUARE_NAMES[self.source] + SQUARE_NAMES[target] + (self.promotion or "")

    def __repr__(self) -> str:
        return f"Move.of({self.source}, {self.target}, {self.flag})"


# A *code* is what a UCI move text says and no more: from | to << 6 | promotion << 12, with promotion
# 0 for none and 1..4 for n b r q. Engines answer in codes, because comparing two multisets of small
# numbers costs a tenth of comparing their texts.


def encode_uci(text: str) -> int:
    """The code of a UCI move text; the text alone is judged, not whether any position allows it."""
    source = SQUARE_NUMBERS.get(text[:2])
    target = SQUARE_NUMBERS.get(text[2:4])
    if source is None or target is None or len(text) not in (4, 5):
        raise MoveError(f"{quote(text)} is not a move: expected two squares, like e2e4 or e7e8q")
    if len(text) == 4:
        return source | target << 6
    promotion = PROMOTION_LETTERS.find(text[4]) + 1
    if promotion == 0:
        raise MoveError(f"{quote(text)} promotes to {quote(text[4])}: expected one of n b r q")
    return source | target << 6 | promotion << 12


def decode_uci(code: int) -> str:
    """The UCI text of a code; exactly undoes `encode_uci`."""
    text = SQUARE_NAMES[code & 63] + SQUARE_NAMES[code >> 6 & 63]
    promotion = code >> 12
    return text + PROMOTION_LETTERS[promotion - 1] if promotion else text
