"""The key tables: 64-bit numbers from splitmix64, seeded with the letters "refute".

In this order: piece 0 on a1 … piece 11 on h8 (768 numbers), white's castling rights by rook file a … h
and black's (16), the en passant file a … h (8), black to move (1). Rights are keyed by the rook's file,
so that two Chess960 positions that differ only in *which* rook may castle have different keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from refute.board.changes import MEN
from refute.board.constants import ALL
from refute.board.move import SQUARE_NAMES

SEED: Final = int.from_bytes(b"refute", "big")


def splitmix64(seed: int) -> Iterator[int]:
    """Yield the splitmix64 sequence: a counter in golden-ratio steps, each number well stirred."""
    while True:
        seed = (seed + 0x9E37_79B9_7F4A_7C15) & ALL
        z = ((seed ^ seed >> 30) * 0xBF58_476D_1CE4_E5B9) & ALL
        z = ((z ^ z >> 27) * 0x94D0_49BB_1331_11EB) & ALL
        yield z ^ z >> 31


_numbers = splitmix64(SEED)
PIECE_KEYS: Final = [next(_numbers) for _ in range(12 * 64)]
CASTLING_KEYS: Final = [next(_numbers) for _ in range(2 * 8)]  # colour * 8 + rook file
EN_PASSANT_KEYS: Final = [next(_numbers) for _ in range(8)]
BLACK_KEY: Final = next(_numbers)
# Not part of the key: odd multipliers for fingerprint(), one a field, so that no single change can cancel.
MIXERS: Final = [next(_numbers) | 1 for _ in range(128)]


@cache
def _names() -> dict[int, str]:
    """What each number of the key stands for."""
    names = {key: f"a {MEN[at >> 6]} on {SQUARE_NAMES[at & 63]}" for at, key in enumerate(PIECE_KEYS)}
    for at, key in enumerate(CASTLING_KEYS):
        names[key] = f"a castling right of {('white', 'black')[at >> 3]}, {'abcdefgh'[at & 7]}-file"
    names |= {key: f"en passant, {'abcdefgh'[at]}-file" for at, key in enumerate(EN_PASSANT_KEYS)}
    names[BLACK_KEY] = "the side to move"
    return names


def name_difference(one: int, other: int) -> str:
    """What two keys differ in, where that is one number or two of the tables; empty where it is anything else.

    >>> name_difference(PIECE_KEYS[0], BLACK_KEY)
    'a white pawn on a1 and the side to move'
    """
    names, difference = _names(), one ^ other
    if difference in names:
        return names[difference]
    return next(
        (f"{name} and {names[key ^ difference]}" for key, name in names.items() if key ^ difference in names), ""
    )
