"""Perft suites: one FEN a line with the counts it must give, `FEN ;D1 20 ;D2 400`.

line ──parse_line──▶ PerftCase ──write_line──▶ line
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike
from typing import Final

from refute.board import fen as fen_text
from refute.errors import EpdError, FenError, quote
from refute.reading import read_bytes

LARGEST_SUITE: Final = 16 * 1024 * 1024  # bytes
LONGEST_LINE: Final = 2048  # characters

# At most 24 digits: far above any perft count known, far below where turning digits into a number costs.
_OPERATION: Final = re.compile(r"D([1-9][0-9]?) +(0|[1-9][0-9]{0,23})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PerftCase:
    """A FEN of six fields and its perft counts by depth."""

    fen: str
    counts: dict[int, int]
    chess960: bool = False


def parse_line(line: str, *, chess960: bool = False) -> PerftCase:
    """Read `FEN ;D1 20 ;D2 400`, the FEN of four or six fields; anything else raises EpdError.

    The FEN is kept as it was given, with the clocks 0 1 added when it had none.
    """
    if len(line) > LONGEST_LINE:
        raise EpdError(f"{quote(line)} is longer than {LONGEST_LINE} characters")
    fen, *operations = (part.strip(" \t\r\n") for part in line.split(";"))
    try:
        position = fen_text.parse(fen, chess960=chess960)
    except FenError as fault:
        raise EpdError(str(fault)) from None
    if not operations:
        raise EpdError(f"{quote(line)} has no counts, expected ';D1 20' after the FEN")
    counts: dict[int, int] = {}
    for operation in operations:
        match = _OPERATION.fullmatch(operation)
        if match is None:
            raise EpdError(f"{quote(operation)} is not a depth 1 to 99 and a count, like 'D1 20'")
        depth = int(match[1])
        if depth in counts:
            raise EpdError(f"{quote(operation)} gives depth {depth} a second time")
        counts[depth] = int(match[2])
    if fen.count(" ") == 3:
        fen += " 0 1"
    return PerftCase(fen, counts, position.chess960)


def write_line(case: PerftCase) -> str:
    """Write the line, without its end, that `parse_line` reads as the same case."""
    return case.fen + "".join(f" ;D{depth} {nodes}" for depth, nodes in sorted(case.counts.items()))


def read_suite(path: str | PathLike[str], *, chess960: bool = False) -> list[PerftCase]:
    """Read every case of a file, skipping blank lines and `#` comments; EpdError names file and line."""
    cases = []
    for number, line in enumerate(_read_text(path).split("\n"), start=1):
        text = line.strip(" \t\r")
        if not text or text.startswith("#"):
            continue
        try:
            cases.append(parse_line(text, chess960=chess960))
        except EpdError as fault:
            raise EpdError(f"{str(path)!a}, line {number}: {fault}") from None
    return cases


def _read_text(path: str | PathLike[str]) -> str:
    data = read_bytes(path, most=LARGEST_SUITE, error=EpdError)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        number = data.count(b"\n", 0, fault.start) + 1
        raise EpdError(f"{str(path)!a}, line {number}: byte {data[fault.start]:#04x} is not UTF-8 text") from None
