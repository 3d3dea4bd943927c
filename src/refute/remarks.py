"""What is special about a move that is legal, in words.

board, e5d6  ──remarks──▶  ["blocks the check by the rook on e8", …]    why a generator may miss it
             ──effects──▶  "gives up a castling right", …               what a make may forget
"""

from __future__ import annotations

from collections.abc import Iterator

import chess

from refute.reasons import castling_rook, line_between, man_on, men_on, pinner_of


def remarks(board: chess.Board, move: chess.Move) -> list[str]:
    """What is special about choosing a legal move: clauses after "which", most telling first."""
    return [
        *_answers_check(board, move),
        *_obeys_rules(board, move),
        *effects(board, move),
        *_ends(board, move),
    ]


def _answers_check(board: chess.Board, move: chess.Move) -> Iterator[str]:
    checkers = board.checkers()
    if len(checkers) > 1:
        yield f"evades a double check by {men_on(board, checkers)}"
    for checker in checkers if len(checkers) == 1 else ():
        captured = move.to_square
        if board.is_en_passant(move):
            captured += -8 if board.turn else 8
        by = men_on(board, [checker])
        if captured == checker:
            how = ", en passant" if board.is_en_passant(move) else ""
            yield f"captures {by}, which gives check{how}"
        elif board.piece_type_at(move.from_square) == chess.KING:
            yield f"evades the check by {by}"
        else:
            yield f"blocks the check by {by}"


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
        yield "moves king and rook in Chess960's way"


def effects(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """What a legal move changes besides moving one man, as clauses after "which"."""
    carried = chess.SquareSet(board.clean_castling_rights())
    if move.to_square in carried and board.color_at(move.to_square) != board.turn:
        yield f"captures the {man_on(board, move.to_square)}, which still carries a castling right"
    if board.is_en_passant(move):
        captured = move.to_square + (-8 if board.turn else 8)
        yield f"takes a pawn beside it, on {chess.square_name(captured)}, not on its target square"
    if move.promotion in (chess.KNIGHT, chess.BISHOP, chess.ROOK):
        yield "is an underpromotion"
    if board.is_castling(move):
        yield "moves two men at once and gives up the castling rights"
    elif move.from_square in carried:
        yield "gives up a castling right"
    elif move.from_square == board.king(board.turn) and board.has_castling_rights(board.turn):
        yield "gives up the castling rights"
    if board.piece_type_at(move.from_square) == chess.PAWN and abs(move.to_square - move.from_square) == 16:
        yield from _double_push(board, move)
    if board.ep_square is not None and board.has_legal_en_passant() and not board.is_en_passant(move):
        yield f"lets the en passant square {chess.square_name(board.ep_square)} lapse"


def _double_push(board: chess.Board, move: chess.Move) -> Iterator[str]:
    after = board.copy(stack=False)
    after.push(move)
    square = chess.square_name((move.from_square + move.to_square) // 2)
    if after.has_legal_en_passant():
        yield f"can be answered en passant on {square}"
    elif after.has_pseudo_legal_en_passant():
        yield f"could be answered en passant on {square}, but no such capture is legal"
    else:
        yield f"leaves the square {square} behind, where no pawn can take en passant"


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
