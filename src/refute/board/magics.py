"""Magic numbers for slider look-ups where the CPU has no PEXT, and the search that found them.

`(occupied & mask) * magic >> 64 - bits` gives every arrangement of blockers an index of its own, or one it
shares only with arrangements that see the same squares. `python -m refute.board.magics` prints the
numbers below again: it tries sparse splitmix64 numbers in order until one works for each square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from refute.board import tables
from refute.board.constants import ALL
from refute.board.zobrist import splitmix64


def subsets(mask: int) -> Iterator[int]:
    """Every subset of a mask's bits, each once."""
    subset = 0
    while True:
        yield subset
        subset = (subset - mask) & mask
        if subset == 0:
            return


def find_magic(square: int, mask: int, attacks: Callable[[int, int], int]) -> int:
    """The first sparse number that indexes every arrangement of blockers without harm."""
    bits = mask.bit_count()
    cases = [(subset, attacks(square, subset)) for subset in subsets(mask)]
    numbers = splitmix64(square << 32 | bits)
    while True:
        magic = next(numbers) & next(numbers) & next(numbers)
        if (mask * magic & ALL).bit_count() - (mask * magic & ALL >> 8).bit_count() < 5:
            continue  # the top byte would hardly vary: not worth the full trial
        seen: dict[int, int] = {}
        if all(seen.setdefault((s * magic & ALL) >> 64 - bits, a) == a for s, a in cases):
            return magic


ROOK_MAGICS: Final = [
    0x158004400182A130,
    0x0440100040002000,
    0x0100087040A00101,
    0x450008A010000500,
    0x9900104300043800,
    0x0200282102002410,
    0x04001628102C0081,
    0x1200004108820024,
    0x8006800084400034,
    0x4080402000401001,
    0x6282801002802001,
    0x0000801000080080,
    0x0080808008000400,
    0x802100082401004E,
    0x0821000200040100,
    0x0522000100442082,
    0x0080004040002000,
    0x0100808040002004,
    0x0004430010200300,
    0x40048A00102201C0,
    0x8408808004000800,
    0x0000808002000400,
    0x8000040008010210,
    0x0300120008810044,
    0x0180088100204501,
    0xC020024140003000,
    0x0800100080200080,
    0x0810002100100D00,
    0x0022000A00201004,
    0x0084000202001008,
    0x2800080400295052,
    0x60810003000080E6,
    0x1000400090800420,
    0x0A81402001C01008,
    0x0820200101004411,
    0x0001422012000A00,
    0x8040480005001100,
    0x5402000401010008,
    0x0081020001010004,
    0x00008448AE000104,
    0x10014000812B8000,
    0x0000401081010020,
    0x0020001008808020,
    0x0C50008800818010,
    0x2002110108010004,
    0x0806000400808100,
    0x0206000401020088,
    0x1838108400420001,
    0x8100C1002A800100,
    0x0040081000A000A0,
    0x0090802000100080,
    0x0098080010008080,
    0xC400840080180180,
    0x0010800600040180,
    0x8806000108040200,
    0x03000100408C0200,
    0x0000208001001041,
    0x1400408501102202,
    0x0014A00029021043,
    0x2000604C09007001,
    0x0402000460900802,
    0x020A000408D00102,
    0x10000200E1100804,
    0x0084104104002082,
]
BISHOP_MAGICS: Final = [
    0x0208080800840010,
    0x0042024812128000,
    0x0841010101126004,
    0x8204042080000040,
    0x0481104005828000,
    0x8001100824060010,
    0x10008608A0040002,
    0x0008840441100800,
    0xC020200411080105,
    0x0000020848008080,
    0x2800100164410210,
    0x0540040400820010,
    0x0020411040040040,
    0x0001022220200000,
    0x1200009808021051,
    0x101013038201200C,
    0x0104196008100120,
    0xA004000810044040,
    0x0401021000420240,
    0x0001081801450022,
    0x8A00810C00A00000,
    0x2451000200808480,
    0x1608801428841000,
    0x4080410082080100,
    0x100B400028082820,
    0x88901C0008050400,
    0x4A04220004180200,
    0x00080800048A0020,
    0x00C2488004002000,
    0xA002008004101081,
    0x0A4B420001009015,
    0x004C102401028200,
    0x3601041000405024,
    0x0084012080040452,
    0x020082C100300400,
    0x8004202020080080,
    0x2240002020160080,
    0x2020040420410482,
    0x0041040080871840,
    0x08040084800A0050,
    0x300404A02440080A,
    0x0342010403042010,
    0x0031008241003002,
    0x4404944204800800,
    0x0002300602004090,
    0x0681022803104200,
    0x0120040C00403480,
    0x4410014100282100,
    0x4412080202500200,
    0x3129012090040194,
    0x2400042908080101,
    0x0A01A04084040004,
    0xA8004020024C0010,
    0x0004892048138080,
    0x3320082189040001,
    0x4020018121010180,
    0x0013002210022810,
    0x60C0448401011000,
    0x88000000444C1002,
    0x40140A2C00420200,
    0x4000902110020A04,
    0x4201004505080200,
    0x0000080888080A40,
    0x0208500400404600,
]


def _print() -> None:
    for name, masks, attacks in (
        ("ROOK_MAGICS", tables.ROOK_MASKS, tables.classical_rook),
        ("BISHOP_MAGICS", tables.BISHOP_MASKS, tables.classical_bishop),
    ):
        print(f"{name}: Final = [")
        for square in tables.SQUARES:
            print(f"    0x{find_magic(square, masks[square], attacks):016X},")
        print("]")


if __name__ == "__main__":
    _print()
