"""What is wrong with a position, as one sentence: its key, its FEN, its outcome, what make or unmake left of it.

Place (divergence, boards, move) ──tell_state──▶ "After the king move e1d1, which gives up the castling rights,
                                                  the subject still holds a castling right that is lost: K"

Our own board complains in texts of its own (`refute.engines.own`); they are read here, and completed by what
the position tells. Any other text is quoted, or left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import chess

from refute.board.zobrist import name_difference
from refute.divergence import Divergence, Facet, Verdict
from refute.reasons import men_on
from refute.remarks import CLOCK, EVERY_MOVES, NUMBER, PASSED, RIGHTS, effects

COMPLAINT: Final = "no complaint"  # what was expected where our own board found a fault in itself
LONGEST: Final = 300

# How the text of a complaint names a part of the position, and what a move does to that part.
TOPICS: Final = (
    ("castling", RIGHTS),
    ("rook home", RIGHTS),
    ("en passant", PASSED),
    ("halfmove clock", CLOCK),
    ("fullmove number", NUMBER),
    ("move number", NUMBER),
    ("side to move", ""),
    ("key was", ""),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A divergence with the boards to tell it on."""

    divergence: Divergence
    board: chess.Board | None  # at the end of the walk
    before: chess.Board | None  # where the move at fault is made
    move: chess.Move | None  # that move, if it is legal there
    noun: str  # the move in words; empty where there is none

    @property
    def complaint(self) -> str:
        """What our own board says of itself, without the stage it was at; empty where nothing can be read."""
        text = self.divergence.actual
        if self.divergence.expected != COMPLAINT or not text.isascii() or not text.isprintable():
            return ""
        text = re.sub(r"^after (?:make|unmake|null|unmake null): ", "", text)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"

    def which(self, topic: str | None = None) -> str:
        """What is special about the move, of one topic or of any: ", which …,"."""
        if self.before is None or self.move is None:
            return ""
        told = [effect for effect in effects(self.before, self.move) if effect.topic not in EVERY_MOVES or topic]
        clause = next((effect.clause for effect in told if topic is None or effect.topic == topic), "")
        return f", which {clause}," if clause else ""

    def after(self, topic: str | None = None) -> str:
        """Where it shows: after a move, or in the position as it is."""
        if not self.noun:
            return "In this position"
        is_unmade = self.divergence.verdict is Verdict.UNMAKE and self.divergence.facet is not Facet.RESTORE
        return f"After {self.noun}{self.which(topic)}{' was made and unmade,' if is_unmade else ''}"


def topic_of(text: str) -> str | None:
    """What part of the position a text begins with, as effects have their topics."""
    first = text.partition(";")[0]
    return next((topic for words, topic in TOPICS if words in first), None)


def tell_state(place: Place) -> str | None:
    """One sentence without its full stop; None for a facet that is not about a position's state."""
    tell = TELLERS.get(place.divergence.facet)
    return tell(place) if tell is not None else None


# ------------------------------------------------------------------------------ make and unmake


def _invariants(place: Place) -> str:
    text = place.complaint
    if text.startswith("a castling right is held") and (lost := _lost_rights(place)):
        return f"{place.after(RIGHTS)} the subject still holds a castling right that is lost: {lost}"
    if text.startswith("the en passant square") and (stale := _stale_square(place)):
        return f"{place.after(PASSED)} the subject still has the en passant square {stale}"
    # A tally is one number with three sums in it.
    text = re.sub(
        r"^(\w+'s) tally differs.*", r"\1 sums of material, scores and phase are not what its men add up to", text
    )
    told = f": {text}" if text else ""
    return f"{place.after(topic_of(text))} the subject's board contradicts itself{told}"


def _lost_rights(place: Place) -> str:
    if place.before is None or place.move is None:
        return ""
    after = place.before.copy(stack=False)
    after.push(place.move)
    left = after.castling_xfen()
    return "".join(letter for letter in place.before.castling_xfen() if letter not in left)


def _stale_square(place: Place) -> str:
    """The en passant square that a move or a null move had to end."""
    board = place.before if place.move is not None else place.board
    if board is None or board.ep_square is None:
        return ""
    is_pawn = place.move is not None and board.piece_type_at(place.move.from_square) == chess.PAWN
    if is_pawn and place.move is not None and abs(place.move.to_square - place.move.from_square) == 16:
        return ""  # it has a square of its own to be wrong about
    return chess.square_name(board.ep_square)


def _restore(place: Place) -> str:
    text = place.complaint.partition("; and with the squares")[0]
    if place.divergence.move is None:
        return _taken_back(place, text)
    special = place.which(topic_of(text)) if text else place.which()
    told = f": {_named_key(text)}" if text else ""
    return f"Unmaking {place.noun}{special} does not restore the position{told}"


def _taken_back(place: Place, text: str) -> str:
    """Every move alone is restored, and the walk is not."""
    made = len(place.divergence.walk)
    count = re.fullmatch(r"taking back (\d{1,4}) moves from here does not lead where the walk was", text)
    where = f": unmake number {count[1]} of {made} goes wrong" if count is not None else ""
    return f"Unmaking the moves of the walk, one after another, does not lead back to where they were made{where}"


def _named_key(text: str) -> str:
    """Two keys as what they differ in, where that has a name."""
    keys = re.search(r"key was ([0-9a-f]{16}), is ([0-9a-f]{16})", text)
    by = name_difference(int(keys[1], 16), int(keys[2], 16)) if keys is not None else ""
    return text.replace(keys[0], f"the key is off by {by}") if keys is not None and by else text


# ------------------------------------------------------------------------------ null moves


def _null(place: Place) -> str:
    text, board = place.complaint, place.board
    square = "" if board is None or board.ep_square is None else chess.square_name(board.ep_square)
    there = f" after {place.noun}" if place.noun else ""
    if place.divergence.verdict is Verdict.UNMAKE or not text:
        told = f": {_not_undone(text, board, square)}" if text else ""
        return f"Making and unmaking a null move{there} does not leave the position as it was{told}"
    ends = f" and ends the en passant square {square}" if square else ""
    after = f"After {f'{place.noun} and ' if place.noun else ''}a null move, which changes the side to move{ends},"
    if text.startswith("the en passant square") and square:
        return f"{after} the subject still has the en passant square {square}"
    if text.startswith("the key differs"):
        return f"{after} {_key_differs(text)}"
    return f"{after} the subject's board contradicts itself: {text}"


def _not_undone(text: str, board: chess.Board | None, square: str) -> str:
    """What unmake did not put back: a null move changes so little that the rest tells which it is."""
    if text.startswith("the key differs"):
        takeable = board is not None and board.has_legal_en_passant()
        also = f" or the en passant square {square}" if square and takeable else ""
        return f"the key does not go with the side to move{also}"
    if text != "not every field is what it was":
        return text
    # Were the side to move among them, the key would not go with it.
    changed = ["the halfmove clock"]
    changed += ["the move number"] if board is not None and not board.turn else []
    changed += [f"the en passant square {square}"] if square else []
    return f"{' or '.join(changed)} is not put back"


# ------------------------------------------------------------------------------ keys and counts


def _key_differs(text: str) -> str:
    by = text.partition(", by ")[2]
    by = re.sub(r"\ben passant, ([a-h])-file", r"the en passant file \1", by)
    by = re.sub(r"\ba castling right of (white|black), ([a-h])-file", r"\1's castling right on the \2-file", by)
    return f"the subject's key is off by {by}" if by else "the subject's key is not the key of the position"


def _key(place: Place) -> str:
    text = place.complaint
    if text.startswith("the key differs"):
        by = text.partition(", by ")[2]
        return f"{place.after(topic_of(by) if by else None)} {_key_differs(text)}"
    if text.startswith("the en passant file is in the key"):
        return f"{place.after(PASSED)} {_key_of_square(place)}"
    shared = re.fullmatch(r"the key [0-9a-f]{16} is shared by positions that differ in the ([a-z ]+) alone", text)
    if shared is not None:
        return f"The subject has one key for positions that differ in the {shared[1]} alone{_here(place, shared[1])}"
    if text.startswith("an en passant square that nobody can take on"):
        return f"The subject's key changes with the en passant square{_here(place, '')}, on which no pawn can take"
    if text.startswith("a fresh board read from"):
        told = _named_key(text.rpartition(": ")[2])
        return f"{place.after()} the subject's key is not the one of the same position read from its FEN: {told}"
    if place.divergence.expected.endswith("as this position had it earlier on the walk"):
        return f"{place.after()} the subject's key is another than when the same position stood on the board before"
    if place.divergence.actual.endswith(", as another position"):
        return f"{place.after()} the subject's key is that of another position of the walk"
    return f"{place.after()} the subject's key is not the key of the position"


def _key_of_square(place: Place) -> str:
    if place.before is None or place.move is None:
        return "the subject's key is not the key of the position: the en passant file in it is wrong"
    after = place.before.copy(stack=False)
    after.push(place.move)
    if after.has_legal_en_passant():
        return "the subject's key lacks the en passant file, although a capture there is legal"
    return "the subject's key has an en passant file in it, although no capture there is legal"


def _here(place: Place, field: str) -> str:
    """What the position has of the field that the key leaves out."""
    if place.board is None:
        return ""
    square = "" if place.board.ep_square is None else f" {chess.square_name(place.board.ep_square)}"
    rights = f": here {place.board.castling_xfen()}"
    told = {"": square, "en passant square": f": here{square}, where a capture is legal", "castling rights": rights}
    return told.get(field, "")


def _perft(place: Place) -> str:
    counts = re.fullmatch(r"perft (\d+) is (\d+), and (\d+) with a hash table", place.complaint)
    if counts is not None:
        depth, plain, hashed = counts.groups()
        return (
            f"In this position the subject counts {hashed} nodes at depth {depth} with a hash table and {plain} "
            "without: positions that differ share one key"
        )
    depth = place.divergence.notes.get("depth")
    deep = f" at depth {depth}" if type(depth) is int and depth > 1 else ""
    if place.noun:
        return (
            f"Below {place.noun}{place.which()} the subject counts other nodes than the witness{deep}, "
            "though their move lists agree"
        )
    return f"In this position the subject counts other nodes than the witness{deep}, though their move lists agree"


# ------------------------------------------------------------------------------ check and outcome


def _check(place: Place) -> str:
    board = place.board
    king = board.king(board.turn) if board is not None else None
    told = ""
    if board is not None and king is not None:
        where, checkers = f"the king on {chess.square_name(king)}", board.checkers()
        told = f": {where} is in check by {men_on(board, checkers)}" if checkers else f": {where} is not in check"
    return f"{place.after()} the subject is wrong about check{told}"


def _outcome(place: Place) -> str:
    board = place.board
    if board is None:
        return f"{place.after()} the subject is wrong about the outcome"
    outcome = board.outcome()
    truth = "the game goes on" if outcome is None else f"it is {outcome.termination.name.lower().replace('_', ' ')}"
    said = NAMES.get(place.divergence.actual)
    told = (
        f"the subject {said}, but {truth}" if said is not None else f"the subject is wrong about the outcome: {truth}"
    )
    why = _why_outcome(board, outcome, place.divergence.actual)
    return f"{place.after('')} {told}{f': {why}' if why else ''}"  # what else the move does is beside the point


NAMES: Final = {
    "checkmate": "says checkmate",
    "stalemate": "says stalemate",
    "insufficient-material": "says that neither side can mate",
    "seventyfive-moves": "ends the game by the 75-move rule",
    "fivefold-repetition": "ends the game by fivefold repetition",
    "the game goes on": "lets the game go on",
}


def _why_outcome(board: chess.Board, outcome: chess.Outcome | None, said: str) -> str:
    """What in the position makes the outcome what it is, where two of them are easily mistaken."""
    side = "White" if board.turn else "Black"
    ends = chess.Termination
    termination = outcome.termination if outcome is not None else None
    if termination in (ends.CHECKMATE, ends.STALEMATE):
        checked = "is in check" if board.is_check() else "is not in check"
        return f"{side} has no legal move and {checked}"
    if said == "fivefold-repetition" or termination is ends.FIVEFOLD_REPETITION:
        times = next((count for count in range(5, 1, -1) if board.is_repetition(count)), 1)
        return _times(times)
    if said == "seventyfive-moves" or termination is ends.SEVENTYFIVE_MOVES:
        return f"the halfmove clock is at {board.halfmove_clock}, and 150 ends the game by itself"
    if said == "insufficient-material":
        return f"a mate is possible with {_men_besides_kings(board)}"
    return f"no mate is possible with {_men_besides_kings(board)}" if termination is ends.INSUFFICIENT_MATERIAL else ""


def _times(times: int) -> str:
    ordinal = {1: "first", 2: "second", 3: "third", 4: "fourth"}.get(times, "fifth")
    return f"the position stands on the board for the {ordinal} time, and the fifth ends the game by itself"


def _men_besides_kings(board: chess.Board) -> str:
    men = chess.SquareSet(board.occupied & ~board.kings)
    if not men:
        return "the kings alone"
    if board.bishops == int(men) and men & chess.BB_LIGHT_SQUARES and men & chess.BB_DARK_SQUARES:
        return f"bishops on squares of both colours, {men_on(board, men)}"
    return men_on(board, men) if len(men) <= 4 else f"{len(men)} men besides the kings"


TELLERS: Final[dict[Facet, Callable[[Place], str]]] = {
    Facet.INVARIANTS: _invariants,
    Facet.RESTORE: _restore,
    Facet.NULL: _null,
    Facet.KEY: _key,
    Facet.PERFT: _perft,
    Facet.CHECK: _check,
    Facet.OUTCOME: _outcome,
}
