"""One sentence that says what is special about a divergent move, derived from the position alone.

Divergence ──▶ "The subject lists the en passant capture e5d6, but it takes both pawns off
                rank 5 and uncovers the rook on h5."
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import chess

from refute.divergence import Divergence, Facet, Verdict
from refute.engines.protocol import Trouble
from refute.errors import quote
from refute.kinds import NO_KIND
from refute.reasons import kind_on, men_on, why_illegal
from refute.remarks import effects, remarks
from refute.walk import Walk

FEN_FIELDS: Final = (
    "piece placement",
    "side to move",
    "castling rights",
    "en passant square",
    "halfmove clock",
    "move number",
)
SHOWN_FIELD: Final = 24


def board_after(walk: Walk) -> chess.Board | None:
    """The board python-chess has at the end of a walk; None where it cannot follow."""
    try:
        board = chess.Board(walk.fen, chess960=walk.chess960)
        for move in walk.moves:
            board.push_uci(move)
    except ValueError:
        return None
    return board


def explain(divergence: Divergence) -> str:
    """Say in one sentence what went wrong; no text that an engine printed is repeated unquoted."""
    sentence = _sentence(divergence)
    if divergence.path_dependent:
        sentence += "; the FEN alone does not show it"
    return f"{sentence}."


def made_last(divergence: Divergence) -> bool:
    """Whether the divergent move was already made: then it is the walk's last."""
    return bool(divergence.walk.moves) and divergence.walk.moves[-1] == divergence.move


def _sentence(divergence: Divergence) -> str:
    board = board_after(divergence.walk)
    if divergence.facet is Facet.MOVES and board is not None:
        if divergence.verdict in (Verdict.MAKE, Verdict.UNMAKE) and divergence.walk.moves:
            made = _last_made(divergence)
            done = "made" if divergence.verdict is Verdict.MAKE else "unmade"
            return f"Once {made} was {done}, {_lower(_move_lists(divergence, board))}"
        return _move_lists(divergence, board)
    return _state(divergence, board)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _move_lists(divergence: Divergence, board: chess.Board) -> str:
    missing, extra = divergence.missing, divergence.extra
    if divergence.move in extra and divergence.move not in missing:
        extra = (divergence.move or "", *(move for move in extra if move != divergence.move))
    elif divergence.move in missing:
        missing = (divergence.move or "", *(move for move in missing if move != divergence.move))
    if missing and extra:
        respelt = _respelt(board, missing[0], extra)
        if respelt:
            return respelt
        also = _extra(board, extra, divergence).removeprefix("The subject ")
        return f"{_missing(board, missing)}; it also {also}"
    if missing:
        return _missing(board, missing)
    if extra:
        return _extra(board, extra, divergence)
    if divergence.actual_moves:
        return "The subject's move list differs from the witness's"
    return f"The subject contradicts itself: {divergence.actual}"


def _missing(board: chess.Board, missing: Sequence[str]) -> str:
    move = _legal(board, missing[0])
    special = remarks(board, move) if move is not None else []
    which = f", which {special[0]}" if special else ""
    return f"The subject misses {describe(board, missing[0])}{which}{_others(missing)}"


def _extra(board: chess.Board, extra: Sequence[str], divergence: Divergence) -> str:
    move = extra[0]
    told = describe(board, move)
    why = why_illegal(board, move)
    if why:
        return f"The subject lists {told}, but {why}{_others(extra)}"
    if divergence.actual_moves.count(move) == 1:
        return f"The subject lists {told}, which the witness does not{_others(extra)}"
    return f"The subject lists {told} more than once{_others(extra)}"


def _respelt(board: chess.Board, missing: str, extra: Sequence[str]) -> str:
    """One move written in a way the witness does not write it."""
    same = [move for move in extra if move[:2] == missing[:2]]
    if kind_on(board, missing).endswith("castle"):
        for move in same:
            if kind_on(board, move) == "king captures own piece":
                return f"The subject writes {describe(board, missing)} as {quote(move)}, in Chess960's way"
            if kind_on(board, move).endswith("castle") and _legal(board, move) == _legal(board, missing):
                return f"The subject writes {describe(board, missing)} as {quote(move)}, in the standard way"
    if len(missing) == 5 and missing[:4] in same:
        return f"The subject lists {missing[:4]} without saying what the pawn becomes"
    return ""


def _others(moves: Sequence[str]) -> str:
    rest = len(set(moves)) - 1
    if rest <= 0:
        return ""
    return f" (and {rest} other move{'s' if rest > 1 else ''} likewise)"


def _legal(board: chess.Board, uci: str) -> chess.Move | None:
    try:
        return board.parse_uci(uci) or None  # a null move is falsy, and no move of a game
    except ValueError:
        return None


def describe(board: chess.Board, uci: str) -> str:
    """The move as a noun: "the en passant capture e5d6"."""
    kind = kind_on(board, uci)
    if kind == "not a move":
        return quote(uci)
    if kind == "null move":
        return "the null move"
    if kind == "en passant":
        return f"the en passant capture {uci}"
    for opening in ("promotion", "capturing promotion"):
        if kind.startswith(f"{opening} to"):
            return f"the {opening} {uci}"
    if kind.endswith((" move", " capture", " push", " castle")):
        return f"the {kind} {uci}"
    return f"the move {uci}"


def _last_made(divergence: Divergence) -> str:
    before = board_after(divergence.walk.prefix(len(divergence.walk) - 1))
    last = divergence.walk.moves[-1]
    return describe(before, last) if before is not None else f"the move {last}"


def _subject_of_state(divergence: Divergence) -> tuple[str, str]:
    """The move a state fault hangs on, as a noun, and what is special about making it."""
    walk, move = divergence.walk, divergence.move
    if move is None and not walk.moves:
        return "", ""
    made = walk.moves[-1] if move is None else move
    before = board_after(walk.prefix(len(walk) - 1) if move is None or made_last(divergence) else walk)
    if before is None:
        return f"the move {quote(made)}", ""
    legal = _legal(before, made)
    if legal is None or kind_on(before, made) == NO_KIND:
        return describe(before, made), ""
    special = next(effects(before, legal), "")
    return describe(before, made), f", which {special}," if special else ""


STATE: Final = {
    Facet.KEY: "{after} the subject's key is not the key of the position",
    Facet.RESTORE: "Unmaking {what}{special} does not restore the position",
    Facet.INVARIANTS: "{after} the subject's board contradicts itself",
    Facet.NULL: "Making and unmaking a null move{there} does not leave the position as it was",
    Facet.PERFT: "{after} the subject counts other nodes than the witness, though their move lists agree",
    Facet.CRASH: "{after} the subject gives no usable answer",
    Facet.TIMEOUT: "{after} the subject gives no answer in time",
    Facet.MOVES: "{after} the subject's move list differs from the witness's",
    Facet.CHECK: "{after} the subject is wrong about check",
    Facet.OUTCOME: "{after} the subject is wrong about the outcome",
    Facet.FEN: "{after} the subject's position differs from the witness's",
}


CRASHES: Final = "{after} the subject crashes"


def _crashed(divergence: Divergence) -> bool:
    """Whether it really died; nonsense printed by a living engine has the same facet."""
    # A finding that does not say what the trouble was is from before anyone could: a crash, as it was called then.
    return divergence.facet is Facet.CRASH and divergence.notes.get("trouble", Trouble.CRASH) == Trouble.CRASH


def _state(divergence: Divergence, board: chess.Board | None) -> str:
    what, special = _subject_of_state(divergence)
    unmade = divergence.verdict is Verdict.UNMAKE and divergence.facet is not Facet.RESTORE
    after = f"After {what}{special}{' was made and unmade,' if unmade else ''}" if what else "In this position"
    shape = CRASHES if _crashed(divergence) else STATE[divergence.facet]
    if divergence.facet is Facet.PERFT and divergence.notes.get("trouble") == Trouble.MISCOUNT:
        shape = "{after} the subject's total is not the sum of its own divide"
    if divergence.facet is Facet.RESTORE and divergence.move is None:
        shape = "Unmaking the moves of the walk, one after another, does not lead back to where they were made"
    sentence = shape.format(after=after, what=what, special=special, there=f" after {what}" if what else "")
    if divergence.facet is Facet.FEN:
        return sentence + _fen_difference(divergence)
    depth = divergence.notes.get("depth")
    if divergence.facet in (Facet.CRASH, Facet.TIMEOUT) and divergence.notes.get("shrunk") == "whole" and depth:
        return f"{sentence} when it counts to depth {depth}"
    if board is None:
        return sentence
    if divergence.facet is Facet.CHECK:
        return sentence + _check(board)
    if divergence.facet is Facet.OUTCOME:
        return sentence + _outcome(board)
    return sentence


def _fen_difference(divergence: Divergence) -> str:
    expected, actual = divergence.expected.split(), divergence.actual.split()
    if len(expected) != len(actual) or len(expected) not in (4, 6):
        return ""
    both = zip(FEN_FIELDS, expected, actual, strict=False)
    wrong = [(name, right, given) for name, right, given in both if right != given]
    if not wrong:
        return ""
    if len(wrong) > 1:
        return f" in its {', '.join(name for name, _, _ in wrong[:-1])} and {wrong[-1][0]}"
    name, right, given = wrong[0]
    if max(len(right), len(given)) > SHOWN_FIELD:
        return f" in its {name}"
    return f" in its {name}: {quote(given)} where {quote(right)} is right"


def _check(board: chess.Board) -> str:
    king = board.king(board.turn)
    if king is None:
        return ""
    where = f"the king on {chess.square_name(king)}"
    checkers = board.checkers()
    return f": {where} is in check by {men_on(board, checkers)}" if checkers else f": {where} is not in check"


def _outcome(board: chess.Board) -> str:
    outcome = board.outcome()
    if outcome is None:
        return ": the game goes on"
    return f": it is {outcome.termination.name.lower().replace('_', ' ')}"
