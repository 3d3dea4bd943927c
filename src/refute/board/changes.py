"""What differs between two states of a board, told in the words of a chess player.

    fields before, fields after ──tell_changes──▶ "f1 was empty, is a white rook; castling was KQ, is K"

The squares come first. Sets and sums that follow from them are only named where they changed along with them,
and told in full where they changed alone, because then they are the fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from refute.board.constants import EMPTY, NO_SQUARE
from refute.board.move import SQUARE_NAMES

MEN: Final = tuple(
    f"{side} {man}" for side in ("white", "black") for man in ("pawn", "knight", "bishop", "rook", "queen", "king")
)
RIGHTS: Final = "KQkq"
SETS: Final = ("white's occupancy", "black's occupancy", "occupancy")
FOLLOWING: Final = ("bitboards", *SETS, "white's tally", "black's tally")
SQUARE_CHANGE: Final = re.compile(r"\b[a-h][1-8] was ([^,;]*), is ([^,;]*)")
PLACE: Final = re.compile(
    r"\b(?:white|black)(?:'s)?\b|\b(?:pawn|knight|bishop|rook|queen|king)s?\b|\b[a-h](?:[1-8]|-file)"
)
MOST_SQUARES: Final = 8  # a board with more changes than these is another board


def tell_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """One line for all fields (as `Position.fields` has them) that differ; empty when none does.

    >>> tell_changes({"turn": 0, "castling": 3, "key": 1}, {"turn": 0, "castling": 1, "key": 17})
    'castling was KQ, is K; key was 0000000000000001, is 0000000000000011'
    """
    changed = [name for name in before if before[name] != after[name]]
    squares = list(_squares(before["board"], after["board"])) if "board" in changed else []
    following = [name for name in changed if squares and name in FOLLOWING]
    told = squares[:MOST_SQUARES]
    if len(squares) > MOST_SQUARES:
        told.append(f"{len(squares) - MOST_SQUARES} more squares differ")
    for name in changed:
        if name != "board" and name not in following:
            told += _field(name, before[name], after[name])
    if following:
        told.append(f"and with the squares {', '.join(following)}")
    return "; ".join(told)


def sort_of_change(told: str) -> str:
    """What was told of a change, without the place: what is lost or wrong, and not where.

    >>> sort_of_change("d4 was a black pawn, is empty; castling was KQ, is K")
    'a man is gone'
    >>> sort_of_change("castling was KQ, is K; key was 0000000000000001, is 0000000000000011")
    'castling'
    >>> sort_of_change("the key differs, by a castling right of white, a-file and a castling right of white, h-file")
    'the key differs, by a castling right of …, …'
    """
    squares = SQUARE_CHANGE.findall(told)
    if squares:
        return " and ".join(sorted({_sort_of_square(was, now) for was, now in squares}))
    first = re.split(r" (?:was|lost|gained) |;", told, maxsplit=1)[0]
    told, by, terms = PLACE.sub("…", first).rpartition(", by ")
    # Two of a sort are one.
    return told + by + " and ".join(dict.fromkeys(terms.split(" and ")))


def _sort_of_square(was: str, now: str) -> str:
    if now == "empty":
        return "a man is gone"
    return "a man too many" if was == "empty" else "another man"


def _squares(before: tuple[int, ...], after: tuple[int, ...]) -> Iterator[str]:
    for square, (was, now) in enumerate(zip(before, after, strict=True)):
        if was != now:
            yield f"{SQUARE_NAMES[square]} was {_man(was)}, is {_man(now)}"


def _man(piece: int) -> str:
    if piece == EMPTY:
        return "empty"
    return f"a {MEN[piece]}" if 0 <= piece < len(MEN) else f"man number {piece}"


def _field(name: str, was: Any, now: Any) -> Iterator[str]:
    match name:
        case "bitboards":
            for man, old, new in zip(MEN, was, now, strict=True):
                if old != new:
                    yield f"the set of {man}s {_sets(old, new)}"
        case "rook homes":
            for right, old, new in zip(RIGHTS, was, now, strict=True):
                if old != new:
                    yield f"the rook home of {right} was {_square(old)}, is {_square(new)}"
        case _ if name in SETS:
            yield f"{name} {_sets(was, now)}"
        case "turn":
            yield f"side to move was {_side(was)}, is {_side(now)}"
        case "castling":
            yield f"castling was {_rights(was)}, is {_rights(now)}"
        case "en passant":
            yield f"en passant was {_square(was)}, is {_square(now)}"
        case "key":
            yield f"key was {was:016x}, is {now:016x}"
        case _:
            yield f"{name} was {was}, is {now}"


def _sets(was: int, now: int) -> str:
    parts = [
        f"{word} {', '.join(_names(bits))}" for word, bits in (("lost", was & ~now), ("gained", now & ~was)) if bits
    ]
    return " and ".join(parts)


def _names(bits: int) -> list[str]:
    return [name for square, name in enumerate(SQUARE_NAMES) if bits >> square & 1]


def _square(square: int | None) -> str:
    if square is None or square == NO_SQUARE:
        return "none"
    return SQUARE_NAMES[square] if 0 <= square < 64 else f"square number {square}"


def _side(side: int) -> str:
    return ("white", "black")[side] if side in (0, 1) else f"side number {side}"


def _rights(rights: int) -> str:
    return "".join(letter for bit, letter in enumerate(RIGHTS) if rights >> bit & 1) or "-"
