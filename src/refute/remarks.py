"""What is special about a move that is legal, in words.

board, e5d6  ──remarks──▶  ["blocks the check by the rook on e8", …]       why a generator may miss it
             ──effects──▶  Effect("rights", "gives up a castling right")   what a make may forget
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import chess

from refute.reasons import castling_rook, line_between, man_on, men_on, pinner_of, wrapped

SLIDERS: Final = (chess.BISHOP, chess.ROOK, chess.QUEEN)


class Effect(NamedTuple):
    """What a move changes besides moving one man, as a clause after "which"."""

    topic: str  # the part of the position it is about: one of the four below, or "clock" or "number"
    clause: str


PLACEMENT: Final = "placement"
RIGHTS: Final = "rights"
PASSED: Final = "passed"  # the square that a double push passed over
CLOCK: Final = "clock"
NUMBER: Final = "number"
EVERY_MOVES: Final = (CLOCK, NUMBER)  # what every move has an effect on, so that it is told only where it matters


def remarks(board: chess.Board, move: chess.Move) -> list[str]:
    """What is special about choosing a legal move: clauses after "which", most telling first."""
    return [
        *_answers_check(board, move),
        *_obeys_rules(board, move),
        *_goes(board, move),
        *(effect.clause for effect in effects(board, move) if effect.topic not in EVERY_MOVES),
        *_ends(board, move),
    ]


def _answers_check(board: chess.Board, move: chess.Move) -> Iterator[str]:
    checkers = board.checkers()
    if len(checkers) > 1:
        yield f"evades a double check by {men_on(board, checkers)}"
    for checker in checkers if len(checkers) == 1 else ():
        by = men_on(board, [checker])
        if captured_square(board, move) == checker:
            how = " en passant" if board.is_en_passant(move) else ""
            yield f"captures{how} {by}, which gives check"
        elif board.piece_type_at(move.from_square) == chess.KING:
            yield f"evades the check by {by}"
        else:
            yield f"blocks the check by {by}"


def captured_square(board: chess.Board, move: chess.Move) -> int:
    """Where a capture takes a man off the board: its target, or beside it en passant."""
    return move.to_square + (-8 if board.turn else 8) if board.is_en_passant(move) else move.to_square


def _obeys_rules(board: chess.Board, move: chess.Move) -> Iterator[str]:
    king = board.king(board.turn)
    pinner = pinner_of(board, move.from_square)
    if pinner is not None and king is not None:
        line = line_between(king, pinner)
        if move.to_square == pinner:
            yield f"captures {men_on(board, [pinner])}, which pins it along {line}"
        else:
            yield f"stays on {line}, along which {men_on(board, [pinner])} pins it"
    if board.is_castling(move):
        yield from _castles(board, move)


def _castles(board: chess.Board, move: chess.Move) -> Iterator[str]:
    king_side = board.is_kingside_castling(move)
    rook = castling_rook(board, king_side=king_side)
    if rook is None:
        return
    if board.is_attacked_by(not board.turn, rook):
        yield f"is allowed although the {man_on(board, rook)} is attacked"
    beside = move.from_square & 56 | 1
    if not king_side and not board.chess960 and board.is_attacked_by(not board.turn, beside):
        yield f"is allowed although {chess.square_name(beside)}, which only the rook crosses, is attacked"
    if board.chess960:
        yield f"moves the king from {chess.square_name(move.from_square)} and the rook from {chess.square_name(rook)}"
    yield "has its right, and a way free of men and of attacks"


# ------------------------------------------------------------------------------ how a man goes


def _goes(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """What is special about the way a man goes there."""
    piece = board.piece_type_at(move.from_square)
    if board.is_castling(move):
        return
    if piece == chess.PAWN:
        yield from _pawn_goes(board, move)
    elif piece == chess.KING and not board.is_check():
        yield from _king_goes(board, move)
    elif piece in SLIDERS:
        yield _slides(board, move)


def _pawn_goes(board: chess.Board, move: chess.Move) -> Iterator[str]:
    if board.is_en_passant(move):
        takers = [one for one in board.generate_legal_ep() if one.to_square == move.to_square]
        if len(takers) > 1:
            yield f"is one of two ways to take en passant on {chess.square_name(move.to_square)}"
    elif move.promotion not in (None, chess.QUEEN):
        yield "is an underpromotion"
    elif abs(move.to_square - move.from_square) == 16:
        yield "goes two ranks from the pawn's first square"
    elif board.is_capture(move) and move.to_square & 7 in (0, 7):
        yield "takes towards the edge of the board"
    elif board.is_capture(move) and move.from_square & 7 in (0, 7):
        yield "takes from the edge of the board"


def _king_goes(board: chess.Board, move: chess.Move) -> Iterator[str]:
    target = chess.square_name(move.to_square)
    for square in chess.SquareSet(board.occupied_co[not board.turn]):
        if _wraps_onto(board, square, move.to_square):
            yield f"goes to {target}, which {men_on(board, [square])} attacks only around the edge of the board"
            return
    if board.is_capture(move):
        yield f"takes {men_on(board, [move.to_square])}, which no man defends"
    else:
        yield f"goes to {target}, which no man attacks"


def _wraps_onto(board: chess.Board, square: int, target: int) -> bool:
    """Whether a short-stepping man would attack a square if it went on around the edge."""
    kind = board.piece_type_at(square)
    if chess.square_distance(square, target) <= 2:
        return False
    if kind == chess.PAWN:
        step = 8 if board.color_at(square) else -8
        return target - square in (step - 1, step + 1)
    return kind in (chess.KNIGHT, chess.KING) and target in wrapped(square, kind)


def _slides(board: chess.Board, move: chess.Move) -> str:
    line = line_between(move.from_square, move.to_square)
    if board.is_capture(move):
        return f"takes the first man on its line, {men_on(board, [move.to_square])}"
    steps = chess.square_distance(move.from_square, move.to_square)
    return f"slides {steps} square{'s' if steps > 1 else ''} along {line}"


# ------------------------------------------------------------------------------ what it changes


def effects(board: chess.Board, move: chess.Move) -> Iterator[Effect]:
    """What a legal move changes besides moving one man, the most telling first."""
    carried = chess.SquareSet(board.clean_castling_rights())
    if move.to_square in carried and board.color_at(move.to_square) != board.turn:
        yield Effect(RIGHTS, f"captures the {man_on(board, move.to_square)}, which still carries a castling right")
    if board.is_en_passant(move):
        captured = chess.square_name(captured_square(board, move))
        yield Effect(PLACEMENT, f"takes a pawn beside it, on {captured}, not on its target square")
        yield Effect(PASSED, f"uses up the en passant square {chess.square_name(move.to_square)}")
    elif board.is_capture(move):
        yield Effect(PLACEMENT, f"takes {men_on(board, [move.to_square])}")
    yield from _gives_up_rights(board, move)
    if board.piece_type_at(move.from_square) == chess.PAWN and abs(move.to_square - move.from_square) == 16:
        yield from _double_push(board, move)
    if board.ep_square is not None and not board.is_en_passant(move):
        yield Effect(PASSED, f"lets the en passant square {chess.square_name(board.ep_square)} lapse")
    yield from _counts(board, move)


def _gives_up_rights(board: chess.Board, move: chess.Move) -> Iterator[Effect]:
    carried = chess.SquareSet(board.clean_castling_rights())
    if board.is_castling(move):
        king_side = board.is_kingside_castling(move)
        rook = castling_rook(board, king_side=king_side)
        home = move.from_square & 56
        if rook is not None and rook != home + (5 if king_side else 3):
            way = f"from {chess.square_name(rook)} to {chess.square_name(home + (5 if king_side else 3))}"
            yield Effect(PLACEMENT, f"moves the rook too, {way}, and gives up the castling rights")
        yield Effect(RIGHTS, "gives up the castling rights")
    elif move.from_square in carried:
        yield Effect(RIGHTS, "gives up a castling right")
    elif move.from_square == board.king(board.turn) and board.has_castling_rights(board.turn):
        yield Effect(RIGHTS, "gives up the castling rights")
    elif board.piece_type_at(move.from_square) == chess.ROOK and _is_corner_of(board, move.to_square):
        corner = chess.square_name(move.to_square)
        yield Effect(RIGHTS, f"brings a rook to {corner}, which has no castling right there")


def _is_corner_of(board: chess.Board, square: int) -> bool:
    """Whether a rook of the side to move would be at home there, beside a king at home."""
    return square in ((0, 7) if board.turn else (56, 63)) and board.king(board.turn) == (4 if board.turn else 60)


def _double_push(board: chess.Board, move: chess.Move) -> Iterator[Effect]:
    after = board.copy(stack=False)
    after.push(move)
    square = chess.square_name((move.from_square + move.to_square) // 2)
    if after.has_legal_en_passant():
        yield Effect(PASSED, f"can be answered en passant on {square}")
    elif after.has_pseudo_legal_en_passant():
        yield Effect(PASSED, f"could be answered en passant on {square}, but no such capture is legal")
    else:
        yield Effect(PASSED, f"leaves the square {square} behind, where no pawn can take en passant")


def _counts(board: chess.Board, move: chess.Move) -> Iterator[Effect]:
    if board.is_zeroing(move):
        yield Effect(CLOCK, "sets the halfmove clock to 0")
    else:
        yield Effect(CLOCK, "is neither a capture nor a pawn's move, and lets the halfmove clock run on")
    if board.turn:
        yield Effect(NUMBER, "is White's, and leaves the move number as it is")
    else:
        yield Effect(NUMBER, "is Black's, and raises the move number")


def _ends(board: chess.Board, move: chess.Move) -> Iterator[str]:
    if board.legal_moves.count() == 1:
        yield "is the only legal move"
    after = board.copy(stack=False)
    after.push(move)
    if after.is_checkmate():
        yield "gives mate"
    elif len(after.checkers()) > 1:
        yield "gives a double check"
    elif after.is_check():
        yield "gives check" if move.to_square in after.checkers() else "gives a discovered check"
