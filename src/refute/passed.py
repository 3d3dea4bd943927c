"""A double push, told by a FEN's en passant square or made as a move: the same position, twice over.

…/3pP3/… w - d6 0 2   ◀─ name_passed_square ─   …/3pP3/… w - - 0 2, reached by d7d5
                       ─ before_push ────────▶   …/3p4/…/4P3/… b - - 0 1, then d7d5
"""

from __future__ import annotations

import re

from refute.walk import Walk


def name_passed_square(fen: str, move: str) -> str:
    """The FEN with its en passant square, takeable or not, when the move that led there was a double push."""
    fields = fen.split(" ")
    if fields[3] == "-" and move[0] == move[2] and move[1] + move[3] in ("24", "75"):
        rank = _squares(fields[0].split("/")[8 - int(move[3])])
        if rank[ord(move[0]) - ord("a")] in "Pp":
            fields[3] = move[0] + ("3" if move[1] == "2" else "6")
    return " ".join(fields)


def before_push(walk: Walk) -> Walk | None:
    """The same position with its double push made instead of told; None where no square is told."""
    fields = walk.fen.split(" ")
    if walk.moves or len(fields) != 6 or fields[3] == "-":
        return None
    file = ord(fields[3][0]) - ord("a")
    pawn, origin, landing = ("p", 7, 5) if fields[1] == "w" else ("P", 2, 4)
    ranks = [_squares(rank) for rank in fields[0].split("/")]
    ranks[8 - landing] = ranks[8 - landing][:file] + "." + ranks[8 - landing][file + 1 :]
    ranks[8 - origin] = ranks[8 - origin][:file] + pawn + ranks[8 - origin][file + 1 :]
    placement = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), rank) for rank in ranks)
    turn, number = ("b", int(fields[5]) - 1) if pawn == "p" else ("w", int(fields[5]))
    fen = f"{placement} {turn} {fields[2]} - 0 {max(number, 1)}"
    return Walk(fen, (f"{fields[3][0]}{origin}{fields[3][0]}{landing}",), walk.chess960)


def _squares(rank: str) -> str:
    """A rank of a FEN, a character a square."""
    return re.sub(r"\d", lambda digit: "." * int(digit[0]), rank)
