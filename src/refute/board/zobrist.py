"""The key tables: 64-bit numbers from splitmix64, seeded with the letters "refute".

In this order: piece 0 on a1 … piece 11 on h8 (768 numbers), white's castling rights by rook file a … h
and black's (16), the en passant file a … h (8), black to move (1). Rights are keyed by the rook's file,
so that two Chess960 positions that differ only in *which* rook may castle have different keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from refute.board.constants import ALL

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
