"""Why a move is not legal, in words.

board, "e5d6"  ──why_illegal──▶  "it takes both pawns off rank 5 and uncovers the rook on h5"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import chess

from refute.kinds import kind_of_move

ONLY_PAWNS_PROMOTE: Final = "only a pawn that reaches the last rank promotes"


def kind_on(board: chess.Board, uci: str) -> str:
    """The kind of a move on a board python-chess holds."""
    return kind_of_move(board.fen(en_passant="fen"), uci, chess960=board.chess960)


def man_on(board: chess.Board, square: int) -> str:
    """Name the man and its square: "rook on h5"."""
    kind = board.piece_type_at(square)
    name = chess.piece_name(kind) if kind is not None else "nothing"
    return f"{name} on {chess.square_name(square)}"


def men_on(board: chess.Board, squares: Iterable[int]) -> str:
    """Name several men: "the rook on h5 and the knight on f3"."""
    return " and ".join(f"the {man_on(board, square)}" for square in squares)


def line_between(one: int, other: int) -> str:
    """Name the line two squares share."""
    if chess.square_rank(one) == chess.square_rank(other):
        return f"rank {chess.square_rank(one) + 1}"
    if chess.square_file(one) == chess.square_file(other):
        return f"the {chess.FILE_NAMES[chess.square_file(one)]}-file"
    return "the diagonal"


def pinner_of(board: chess.Board, square: int) -> int | None:
    """The slider that pins the man on this square to its king, if one does."""
    king = board.king(board.turn)
    if king is None or king == square or not board.is_pinned(board.turn, square):
        return None
    lifted = board.copy(stack=False)
    lifted.remove_piece_at(square)
    line = chess.SquareSet.ray(king, square)
    pinners = [attacker for attacker in lifted.attackers(not board.turn, king) if attacker in line]
    return pinners[0] if pinners else None


def why_illegal(board: chess.Board, uci: str) -> str:
    """One clause that says why the move is illegal; "" when it is legal after all."""
    kind = kind_on(board, uci)
    if kind == "not a move":
        return "that is not a move at all"
    if kind == "null move":
        return "passing is not a move of a game"
    move = chess.Move.from_uci(uci)
    if kind == "no such piece":
        return f"{uci[:2]} is empty"
    if kind == "opponent's piece":
        return f"the {man_on(board, move.from_square)} is not the mover's own"
    if kind.endswith("own piece"):
        return f"{uci[2:4]} holds the mover's own {_name(board, move.to_square)}"
    if kind.endswith("castle"):
        return _why_no_castle(board, move, kind)
    if board.piece_type_at(move.to_square) == chess.KING:
        return "a king is never captured"
    return _why_not_promoted(kind) or _why_not_reached(board, move, kind) or _why_unsafe(board, move)


def _name(board: chess.Board, square: int) -> str:
    return man_on(board, square).split(" ", 1)[0]


def _why_not_promoted(kind: str) -> str:
    if kind == "promotion without a letter":
        return "a pawn that reaches the last rank must promote"
    if kind.startswith(("promotion off", "promotion of a")):
        return ONLY_PAWNS_PROMOTE
    return ""


def _why_not_reached(board: chess.Board, move: chess.Move, kind: str) -> str:
    if board.piece_type_at(move.from_square) == chess.PAWN:
        return _why_pawn_not_reached(board, move, kind)
    if move.to_square in board.attacks(move.from_square):
        return ""
    empty = chess.BaseBoard.empty()
    empty.set_piece_at(move.from_square, board.piece_at(move.from_square))
    if move.to_square in empty.attacks(move.from_square):
        return f"it jumps over {men_on(board, _blockers(board, move.from_square, move.to_square)[:1])}"
    if move.to_square in wrapped(move.from_square, empty.piece_type_at(move.from_square)):
        return "it wraps around the edge of the board"
    return f"a {_name(board, move.from_square)} does not move like that"


def _blockers(board: chess.Board, one: int, other: int) -> list[int]:
    """The men between two squares, the one nearest to the first square first."""
    between = [square for square in chess.SquareSet.between(one, other) if board.piece_at(square)]
    return sorted(between, key=lambda square: chess.square_distance(one, square))


STEPS: Final = {
    chess.KNIGHT: (6, 10, 15, 17),
    chess.BISHOP: (7, 9),
    chess.ROOK: (1, 8),
    chess.QUEEN: (1, 7, 8, 9),
    chess.KING: (1, 7, 8, 9),
}


def wrapped(square: int, kind: int | None) -> Iterator[int]:
    """Squares a careless generator reaches by adding numbers without minding the edge."""
    longest = 1 if kind in (chess.KNIGHT, chess.KING) else 7
    for step in STEPS.get(kind or 0, ()):
        for times in range(1, longest + 1):
            yield from (square + step * times, square - step * times)


def _why_pawn_not_reached(board: chess.Board, move: chess.Move, kind: str) -> str:
    target = chess.square_name(move.to_square)
    step = 8 if board.turn else -8
    if kind in ("pawn push", "double push") or kind.startswith("promotion to"):
        if kind == "double push":
            if chess.square_rank(move.from_square) != (1 if board.turn else 6):
                return "only a pawn on its first square may move two ranks"
            if board.piece_at(move.from_square + step):
                return f"it jumps over {men_on(board, [move.from_square + step])}"
        return f"{men_on(board, [move.to_square])} stands in its way" if _victim(board, move) else ""
    if kind == "en passant":
        if board.ep_square == move.to_square:
            return ""
        if board.ep_square is None:
            return "no pawn has just made a double push"
        return f"the pawn that may be taken en passant is the one behind {chess.square_name(board.ep_square)}"
    if kind == "pawn capture" or kind.startswith("capturing"):
        return "" if _victim(board, move) else f"there is nothing to capture on {target}"
    if move.to_square - move.from_square in (step + 1, step - 1):
        return "it wraps around the edge of the board"
    if (move.to_square - move.from_square) * step < 0:
        return "a pawn does not move backwards"
    return "a pawn does not move like that"


def _victim(board: chess.Board, move: chess.Move) -> bool:
    return board.piece_at(move.to_square) is not None


def _why_no_castle(board: chess.Board, move: chess.Move, kind: str) -> str:
    king, us = move.from_square, board.turn
    king_side = kind.startswith("king")
    rook = castling_rook(board, king_side=king_side)
    if rook is None or king != board.king(us):
        return _why_no_right(board, king, king_side=king_side)
    checkers = board.checkers()
    if checkers:
        return f"it castles out of check by {men_on(board, checkers)}"
    home = chess.square_rank(king) * 8
    king_target, rook_target = home + (6 if king_side else 2), home + (5 if king_side else 3)
    way = chess.SquareSet.between(king, rook) | chess.SquareSet.between(king, king_target)
    way |= chess.SquareSet.between(rook, rook_target) | chess.SquareSet.from_square(king_target)
    way |= chess.SquareSet.from_square(rook_target)
    in_the_way = [square for square in way if square not in (king, rook) and board.piece_at(square)]
    if in_the_way:
        return f"{men_on(board, in_the_way)} stand{'s' if len(in_the_way) == 1 else ''} in the way"
    for square in chess.SquareSet.between(king, king_target):
        if board.is_attacked_by(not us, square):
            return f"it castles through {_attacked(board, square)}"
    if board.is_attacked_by(not us, king_target):
        return f"it castles into {_attacked(board, king_target)}"
    after = board.copy(stack=False)
    after.push(chess.Move(king, rook) if board.chess960 else move)
    uncovered = after.attackers(not us, king_target)
    if not uncovered:
        return ""
    return f"the rook's leaving {chess.square_name(rook)} uncovers {men_on(board, uncovered)}"


def _attacked(board: chess.Board, square: int) -> str:
    by = men_on(board, board.attackers(not board.turn, square))
    return f"{chess.square_name(square)}, which is attacked by {by}"


def castling_rook(board: chess.Board, *, king_side: bool) -> int | None:
    """The rook that still carries the right to castle to this side."""
    king = board.king(board.turn)
    rank = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    if king is None:
        return None
    rooks = chess.SquareSet(board.clean_castling_rights() & rank)
    sided = [rook for rook in rooks if (rook > king) == king_side]
    return sided[-1 if king_side else 0] if sided else None


def _why_no_right(board: chess.Board, king: int, *, king_side: bool) -> str:
    corner = (7 if king_side else 0) + (0 if board.turn else 56)
    if chess.square_rank(king) != chess.square_rank(corner):
        return "a king castles only on its first rank"
    name = chess.square_name(corner)
    if not board.chess960:
        past = board.copy()
        while past.move_stack:
            # Popped from the end: what the last capture there took is what matters.
            move = past.pop()
            if move.to_square == corner and past.piece_at(corner) == chess.Piece(chess.ROOK, board.turn):
                return f"the rook was captured on {name}"
        if board.piece_at(corner) != chess.Piece(chess.ROOK, board.turn):
            return f"there is no rook on {name} to castle with"
    return f"the right to castle {'king' if king_side else 'queen'}-side is lost"


def _why_unsafe(board: chess.Board, move: chess.Move) -> str:
    king = board.king(board.turn)
    if king is None:
        return ""
    after = board.copy(stack=False)
    after.push(move)
    new_king = after.king(board.turn)
    if new_king is None:
        return ""
    attackers = after.attackers(not board.turn, new_king)
    if not attackers:
        return ""
    if move.from_square == king:
        return _why_king_unsafe(board, move, attackers)
    checkers = board.checkers()
    if len(checkers) > 1:
        return f"in a double check by {men_on(board, checkers)} only the king may move"
    pinner = pinner_of(board, move.from_square)
    if pinner is not None and pinner in attackers:
        return (
            f"the {man_on(board, move.from_square)} is pinned along {line_between(king, pinner)} "
            f"by the {man_on(board, pinner)}"
        )
    uncovered = attackers - checkers
    if board.is_en_passant(move) and uncovered:
        return _why_uncovers(board, move, king, min(uncovered))
    return f"it leaves the king on {chess.square_name(king)} in check by {men_on(board, attackers)}"


def _why_king_unsafe(board: chess.Board, move: chess.Move, attackers: chess.SquareSet) -> str:
    target = chess.square_name(move.to_square)
    if _victim(board, move):
        return f"the {man_on(board, move.to_square)} is defended by {men_on(board, attackers)}"
    if not attackers & board.attackers(not board.turn, move.to_square):
        # Seen only once the king has left: its own square was the one in the way.
        return f"the king stays on the line of {men_on(board, attackers)}, which checks through it"
    return f"{target} is attacked by {men_on(board, attackers)}"


def _why_uncovers(board: chess.Board, move: chess.Move, king: int, slider: int) -> str:
    line = line_between(king, slider)
    if line.startswith("rank"):
        return f"it takes both pawns off {line} and uncovers the {man_on(board, slider)}"
    captured = move.to_square + (-8 if board.turn else 8)
    return f"it takes the {man_on(board, captured)} off {line} and uncovers the {man_on(board, slider)}"
