"""The kind of a move, read from FEN text alone: the word that groups findings of one cause.

kind_of_move("…/3pP3/… w - d6 0 1", "e5d6")  ──▶  "en passant"
"""

from __future__ import annotations

from typing import Final

from refute.board.move import PROMOTION_LETTERS, SQUARE_NUMBERS

NO_KIND: Final = "-"
NAMES: Final = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
LONGEST_PLACEMENT: Final = 71  # 64 men and seven slashes


def kind_of_move(fen: str, uci: str | None, *, chess960: bool = False) -> str:
    """Name the kind of a move, legal or not, in words that stay the same while a finding shrinks.

    Never raises: it is asked about whatever an engine printed. "-" stands for no move at all.
    """
    if uci is None:
        return NO_KIND
    if uci == "0000":
        return "null move"
    source, target = SQUARE_NUMBERS.get(uci[:2]), SQUARE_NUMBERS.get(uci[2:4])
    if source is None or target is None or source == target or (uci[4:] and uci[4:] not in tuple(PROMOTION_LETTERS)):
        return "not a move"
    men, white = _read(fen)
    if men is None:
        return NO_KIND
    man, victim = men[source], men[target]
    if not man:
        return "no such piece"
    if man.isupper() != white:
        return "opponent's piece"
    name = NAMES[man.lower()]
    if name == "king" and not uci[4:]:
        castle = _castle(source, target, victim, white=white, chess960=chess960)
        if castle:
            return castle
    if victim and victim.isupper() == white:
        return f"{name} captures own piece"
    if name == "pawn":
        return _pawn(men, source, target, uci[4:], white=white)
    if uci[4:]:
        return f"promotion of a {name}"
    return f"{name} capture" if victim else f"{name} move"


def _read(fen: str) -> tuple[list[str] | None, bool]:
    """Sixty-four letters ("" for an empty square, a1 first) and whether White is to move."""
    fields = fen.split()
    if not fields or len(fields[0]) > LONGEST_PLACEMENT:
        return None, True
    men: list[str] = []
    for rank in reversed(fields[0].split("/")):
        row: list[str] = []
        for letter in rank:
            if letter in "12345678":
                row += [""] * int(letter)
            elif letter.lower() in NAMES and letter.isascii():
                row.append(letter)
            else:
                return None, True
        if len(row) != 8:
            return None, True
        men += row
    return (men if len(men) == 64 else None), fields[1:2] != ["b"]


def _castle(source: int, target: int, victim: str, *, white: bool, chess960: bool) -> str:
    """The side castled to, or "" when the king's move is no castle."""
    if source >> 3 != target >> 3:
        return ""
    if victim == ("R" if white else "r"):
        # Standard chess writes e1g1; there, "king takes rook" is a slip of its own kind.
        if not chess960:
            return ""
    elif abs(source - target) != 2:
        return ""
    return "king-side castle" if target > source else "queen-side castle"


def _pawn(men: list[str], source: int, target: int, letter: str, *, white: bool) -> str:
    forward = 1 if white else -1
    ranks = ((target >> 3) - (source >> 3)) * forward
    files = abs((target & 7) - (source & 7))
    if target >> 3 == (7 if white else 0) and ranks == 1 and files <= 1:
        if not letter:
            return "promotion without a letter"
        return f"{'capturing ' if files else ''}promotion to {letter}"
    if letter:
        return "promotion off the last rank"
    if files == 0 and ranks in (1, 2):
        return "pawn push" if ranks == 1 else "double push"
    if files == 1 and ranks == 1:
        # A pawn that goes diagonally onto an empty square of its sixth rank means to take en
        # passant, whether or not the FEN's field allows it: a stale field is one such bug.
        return "en passant" if not men[target] and target >> 3 == (5 if white else 2) else "pawn capture"
    return "pawn move"
