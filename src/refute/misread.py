"""What is wrong with a position that was read or written as a FEN, as one sentence.

right "… w KQkq - 0 1", given "… w KQk - 0 1"  ──▶  "its castling rights are 'KQk' where 'KQkq' is right"
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import chess

from refute.divergence import Verdict
from refute.engines.protocol import Trouble
from refute.errors import quote
from refute.remarks import CLOCK, NUMBER, PASSED, PLACEMENT, RIGHTS
from refute.states import Place, topic_of

FIELDS: Final = (
    "piece placement",
    "side to move",
    "castling rights",
    "en passant square",
    "halfmove clock",
    "move number",
)
TOPICS: Final = (PLACEMENT, "", RIGHTS, PASSED, CLOCK, NUMBER)
SHOWN_FIELD: Final = 60
MOST_SQUARES: Final = 4  # told one by one
FEN: Final = r"'([^']{1,120})'"

READ: Final = "The subject reads the FEN wrong"
WRITTEN: Final = "The subject writes the position wrong"


def tell_fen(place: Place) -> str:
    """One sentence without its full stop about a position that is not the one it should be."""
    if place.complaint:
        return _complaint(place)
    divergence = place.divergence
    if divergence.notes.get("trouble") == Trouble.ASTRAY:
        what = "does not go along" if divergence.walk.moves else "does not take the position"
        return f"{place.after()} the subject {what}: {quote(divergence.actual)}"
    told = difference(divergence.expected, divergence.actual, place.board)
    wrong = _wrong_fields(divergence.expected, divergence.actual)
    if not divergence.walk.moves and divergence.verdict is Verdict.FEN:
        return f"{READ}: {told}" if told else READ
    after = place.after(TOPICS[wrong[0]] if len(wrong) == 1 else None)
    return f"{after} the subject's position is wrong{f': {told}' if told else ''}"


def _complaint(place: Place) -> str:
    """What our own board found when it read back what it had written."""
    text, board = place.complaint, place.board
    # It writes the square behind every double push; so it is compared with a FEN that does.
    right = board.fen(en_passant="fen") if board is not None else ""
    if (match := re.match(rf"its own FEN {FEN} is refused: (.+)", text)) is not None:
        told = difference(right, match[1], board) if right else match[2]
        return f"{_where(place)} cannot be read back: {told or match[2]}"
    if (match := re.match(rf"a fresh board read from {FEN} is another position: (.+)", text)) is not None:
        told = difference(right, match[1], board) if right and not _is_same(right, match[1]) else ""
        if told:
            return f"{WRITTEN}: {told}"
        changes = re.sub(r"; key was [0-9a-f]{16}, is [0-9a-f]{16}", "", match[2])
        return f"{place.after(topic_of(changes))} the subject reads its own FEN {quote(match[1])} as another: {changes}"
    if (match := re.match(rf"written {FEN}, expected {FEN}$", text)) is not None:
        return f"{WRITTEN}: {difference(match[2], match[1], board)}"
    return f"{place.after()} the subject's position is wrong: {text}"


def _where(place: Place) -> str:
    return f"{place.after()} the FEN that the subject writes" if place.noun else "The FEN that the subject writes"


def _is_same(right: str, given: str) -> bool:
    """Whether two FENs mean one position, however they write its rights."""
    try:
        one, other = chess.Board(right, chess960=True), chess.Board(given, chess960=True)
    except ValueError:
        return False
    return one == other


def _wrong_fields(right: str, given: str) -> list[int]:
    wanted, got = right.split(), given.split()
    if len(wanted) != len(got) or len(wanted) not in (4, 6):
        return []
    return [number for number, pair in enumerate(zip(wanted, got, strict=True)) if pair[0] != pair[1]]


def difference(right: str, given: str, board: chess.Board | None) -> str:
    """What is wrong with a FEN, field by field; "" where the two do not differ as FENs."""
    wrong = _wrong_fields(right, given)
    if not wrong:
        return ""
    wanted, got = right.split(), given.split()
    if len(wrong) > 1:
        names = [FIELDS[number] for number in wrong]
        told = f"its {', '.join(names[:-1])} and {names[-1]} are wrong"
        if wrong == [4, 5]:
            is_swapped = wanted[4:] == got[:3:-1]
            told = f"its {FIELDS[4]} and {FIELDS[5]} are {'exchanged' if is_swapped else 'wrong'}"
            told += f", {quote(' '.join(got[4:]))} where {quote(' '.join(wanted[4:]))} is right"
        return told
    (number,) = wrong
    if number == 0:
        return _placement(wanted[0], got[0])
    return f"its {_is(number, got[number], wanted[number])}{_why(number, wanted[number], got[number], board)}"


def _is(number: int, given: str, right: str) -> str:
    verb = "are" if FIELDS[number].endswith("s") else "is"
    if max(len(given), len(right)) > SHOWN_FIELD:
        return f"{FIELDS[number]} {verb} wrong"
    return f"{FIELDS[number]} {verb} {quote(given)} where {quote(right)} is right"


def _placement(right: str, given: str) -> str:
    wanted, got = _men(right), _men(given)
    if wanted is None or got is None:
        return f"its {_is(0, given, right)}"
    for words, mirrored in _mirrored(wanted):
        if mirrored == got:
            return f"its piece placement is {words}"
    odd = [square for square in range(64) if wanted[square] != got[square]]
    if len(odd) > MOST_SQUARES:
        return f"its {_is(0, given, right)}"
    told = [f"{chess.square_name(square)} {_holds(got[square])} instead of {_man(wanted[square])}" for square in odd]
    return f"in its piece placement {' and '.join(told)}"


def _men(placement: str) -> list[chess.Piece | None] | None:
    try:
        board = chess.BaseBoard(placement)
    except ValueError:
        return None
    return [board.piece_at(square) for square in chess.SQUARES]


def _man(piece: chess.Piece | None) -> str:
    return (
        "nothing" if piece is None else f"a {'white' if piece.color else 'black'} {chess.piece_name(piece.piece_type)}"
    )


def _holds(piece: chess.Piece | None) -> str:
    return "is empty" if piece is None else f"holds {_man(piece)}"


def _mirrored(men: list[chess.Piece | None]) -> Iterator[tuple[str, list[chess.Piece | None]]]:
    yield "mirrored from left to right", [men[square ^ 7] for square in chess.SQUARES]
    yield "upside down", [men[square ^ 56] for square in chess.SQUARES]
    yield "turned round", [men[square ^ 63] for square in chess.SQUARES]
    swapped = [None if man is None else chess.Piece(man.piece_type, not man.color) for man in men]
    yield "of exchanged colours", swapped


def _why(number: int, right: str, given: str, board: chess.Board | None) -> str:
    """What in the position makes the field what it is."""
    if board is None:
        return ""
    if FIELDS[number] == "en passant square" and right == "-":
        return ", for no pawn can take there"
    if FIELDS[number] == "castling rights":
        return _why_rook(right, given, board)
    return ""


def _why_rook(right: str, given: str, board: chess.Board) -> str:
    """Which rook a letter of KQkq means where there are several."""
    for letter in (letter for letter in right + given if letter in "KQkq"):
        side = letter.isupper()
        king = board.king(side)
        rooks = chess.SquareSet(board.pieces_mask(chess.ROOK, side) & (chess.BB_RANK_1 if side else chess.BB_RANK_8))
        sided = [rook for rook in rooks if king is not None and (rook > king) == (letter in "Kk")]
        if len(sided) > 1:
            outermost = chess.square_name(sided[-1 if letter in "Kk" else 0])
            return f", for {letter} means the outermost rook, on {outermost}"
    return ""
