"""One sentence that says what is special about a divergent move, derived from the position alone.

Divergence ──▶ "The subject lists the en passant capture e5d6, but it takes both pawns off
                rank 5 and uncovers the rook on h5."
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import chess

from refute.divergence import Divergence, Facet, Verdict
from refute.engines.protocol import Trouble
from refute.errors import quote
from refute.kinds import NAMES, NO_KIND
from refute.misread import tell_fen
from refute.reasons import kind_on, why_illegal
from refute.remarks import captured_square, remarks
from refute.states import Place, tell_state
from refute.walk import Walk

MANY_MOVES: Final = 100  # a list that may have found its array too small


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
            as_if = _as_if(divergence, board)
            if as_if:
                wrong = _move_lists(divergence, board).removeprefix("The subject ")
                return f"Once {made} was {done}, the subject lists its moves as if {as_if}: it {wrong}"
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
        if which := _which(board, missing[0]):
            also = also.replace(f"{which},", "", 1)  # said of the missing one already
        return f"{_missing(board, missing)}; it also {also}"
    if missing:
        return f"{_missing(board, missing)}{_of_many(divergence)}"
    if extra:
        return _extra(board, extra, divergence)
    if divergence.actual_moves:
        return "The subject's move list differs from the witness's"
    return _contradiction(divergence, board)


def _contradiction(divergence: Divergence, board: chess.Board) -> str:
    """It lists moves in several ways, and they differ."""
    told = Place(divergence, board, None, None, "").complaint or quote(divergence.actual)
    if divergence.move is None:
        return f"The subject contradicts itself: {told}"
    over = f"{describe(board, divergence.move)}{_which(board, divergence.move)}"
    return f"The subject contradicts itself over {over}: {told}"


def _which(board: chess.Board, uci: str) -> str:
    """What is special about a legal move: ", which …"."""
    move = _legal(board, uci)
    special = remarks(board, move) if move is not None else []
    return f", which {special[0]}" if special else ""


def _missing(board: chess.Board, missing: Sequence[str]) -> str:
    return f"The subject misses {describe(board, missing[0])}{_which(board, missing[0])}{_others(missing)}"


def _of_many(divergence: Divergence) -> str:
    listed, all_of_them = len(divergence.actual_moves), len(divergence.expected_moves)
    return f"; it lists {listed} moves of {all_of_them}" if all_of_them > MANY_MOVES and listed else ""


def _extra(board: chess.Board, extra: Sequence[str], divergence: Divergence) -> str:
    move = extra[0]
    told = describe(board, move)
    why = why_illegal(board, move)
    if why:
        return f"The subject lists {told}, but {why}{_others(extra)}"
    if divergence.actual_moves.count(move) == 1:
        return f"The subject lists {told}, which the witness does not{_others(extra)}"
    which = _which(board, move)
    return f"The subject lists {told}{which}{',' if which else ''} more than once{_others(extra)}"


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
        kind = "capturing promotion" if kind_on(board, missing).startswith("capturing") else "promotion"
        return f"The subject lists the {kind} {missing[:4]} without saying what the pawn becomes"
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


# ------------------------------------------------------------------------------ moves as if


def _as_if(divergence: Divergence, board: chess.Board) -> str:
    """What the last move would have left undone, if the subject's moves are those of such a board."""
    before = board_after(divergence.walk.prefix(len(divergence.walk) - 1))
    move = _legal(before, divergence.walk.moves[-1]) if before is not None else None
    if before is None or move is None or not divergence.actual_moves:
        return ""
    listed = sorted(divergence.actual_moves)
    for words, guess in _guesses(before, move, board):
        if sorted(guess.uci(legal) for legal in guess.legal_moves) == listed:
            return words
    return ""


def _guesses(before: chess.Board, move: chess.Move, after: chess.Board) -> Iterator[tuple[str, chess.Board]]:
    """Boards on which one thing of the last move was forgotten, in words."""

    def change(square: int, piece: chess.Piece | None) -> chess.Board:
        board = after.copy(stack=False)
        board.set_piece_at(square, piece)
        return board

    if move.promotion is not None:
        for kind in (chess.PAWN, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT):
            words = f"the pawn had become a {chess.piece_name(kind)}" if kind > 1 else "the pawn had not promoted"
            yield words, change(move.to_square, chess.Piece(kind, before.turn))
    if before.is_en_passant(move):
        victim = captured_square(before, move)
        still = f"the pawn on {chess.square_name(victim)} were still there"
        yield still, change(victim, before.piece_at(victim))
    if before.is_castling(move):
        moved = [square for square in chess.SQUARES if before.piece_at(square) != after.piece_at(square)]
        for home in (square for square in moved if before.piece_type_at(square) == chess.ROOK):
            board = after.copy(stack=False)
            for square in moved:
                if after.piece_type_at(square) == chess.ROOK:
                    board.remove_piece_at(square)
            board.set_piece_at(home, before.piece_at(home))
            yield f"the rook were still on {chess.square_name(home)}", board
    if before.castling_rights != after.castling_rights:
        board = after.copy(stack=False)
        board.castling_rights = before.castling_rights
        yield "no castling right had been lost", board
    if before.ep_square is not None and after.ep_square is None:
        board = after.copy(stack=False)
        board.ep_square = before.ep_square
        yield f"the en passant square were still {chess.square_name(before.ep_square)}", board
    if after.ep_square is not None:
        board = after.copy(stack=False)
        board.ep_square = None
        yield f"no pawn could be taken en passant on {chess.square_name(after.ep_square)}", board


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
            return f"the {opening} {uci} to a {NAMES[uci[4]]}"
    if kind.endswith((" move", " capture", " push", " castle")):
        return f"the {kind} {uci}"
    return f"the move {uci}"


def _last_made(divergence: Divergence) -> str:
    before = board_after(divergence.walk.prefix(len(divergence.walk) - 1))
    last = divergence.walk.moves[-1]
    return describe(before, last) if before is not None else f"the move {last}"


def _place(divergence: Divergence, board: chess.Board | None) -> Place:
    """The move a state fault hangs on, and the board it is made on."""
    walk, move = divergence.walk, divergence.move
    if move is None and not walk.moves:
        return Place(divergence, board, None, None, "")
    made = walk.moves[-1] if move is None else move
    before = board_after(walk.prefix(len(walk) - 1) if move is None or made_last(divergence) else walk)
    if before is None:
        return Place(divergence, board, None, None, f"the move {quote(made)}")
    legal = None if kind_on(before, made) == NO_KIND else _legal(before, made)
    return Place(divergence, board, before, legal, describe(before, made))


OTHERWISE: Final = {
    Facet.CRASH: "the subject gives no usable answer",
    Facet.TIMEOUT: "the subject gives no answer in time",
    Facet.MOVES: "the subject's move list differs from the witness's",
}


def _crashed(divergence: Divergence) -> bool:
    """Whether it really died; nonsense printed by a living engine has the same facet."""
    # A finding that does not say what the trouble was is from before anyone could: a crash, as it was called then.
    return divergence.facet is Facet.CRASH and divergence.notes.get("trouble", Trouble.CRASH) == Trouble.CRASH


def _state(divergence: Divergence, board: chess.Board | None) -> str:
    place = _place(divergence, board)
    if divergence.facet is Facet.FEN:
        return tell_fen(place)
    if divergence.facet is Facet.PERFT and divergence.notes.get("trouble") == Trouble.MISCOUNT:
        return f"{place.after()} the subject's total is not the sum of its own divide"
    told = tell_state(place)
    if told is not None:
        return told
    does = "the subject crashes" if _crashed(divergence) else OTHERWISE[divergence.facet]
    depth = divergence.notes.get("depth")
    counting = divergence.notes.get("shrunk") == "whole" and divergence.facet is not Facet.MOVES and depth
    return f"{place.after()} {does}{f' when it counts to depth {depth}' if counting else ''}"
