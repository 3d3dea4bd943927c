"""Whether a wrong move is wrong on one square only: then a table has a wrong entry there, whatever else it shows.

a finding, a rook on d4 ──▶ the same men one file on, one rank up, … ──▶ "d4" where no list but its own is wrong
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

import chess

from refute.board.move import encode_uci
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.protocol import Ability, Answer, Engine, Question
from refute.explain import board_after

ONLY_ON: Final = "only_on"  # the note
MOST_PLACES: Final = 32
SLIDERS: Final = (chess.BISHOP, chess.ROOK, chess.QUEEN)


def only_square(found: Divergence, subject: Engine) -> str | None:
    """The square of a slider whose move is wrong there and nowhere else; None where that cannot be said."""
    if found.facet is not Facet.MOVES or found.verdict is not Verdict.MOVEGEN or found.walk.moves or not found.move:
        return None
    board = board_after(found.walk)
    square = chess.SQUARE_NAMES.index(found.move[:2]) if found.move[:2] in chess.SQUARE_NAMES else None
    if board is None or square is None or board.piece_type_at(square) not in SLIDERS:
        return None
    others = list(itertools.islice(_elsewhere(board), MOST_PLACES))
    walks = [type(found.walk)(other.fen(), (), found.walk.chess960) for other in others]
    answers = subject.at(walks, Question(frozenset({Ability.MOVES}))) if walks else []
    if not answers or any(map(_is_wrong, others, answers)):
        return None
    return found.move[:2]


def _is_wrong(board: chess.Board, said: object) -> bool:
    legal = sorted(encode_uci(move.uci()) for move in board.legal_moves)
    return not isinstance(said, Answer) or said.moves is None or sorted(said.moves) != legal


def _elsewhere(board: chess.Board) -> Iterator[chess.Board]:
    """The men moved together by some files and ranks: all of them, then all but the kings."""
    if board.castling_rights or board.ep_square is not None:
        return
    steps = [(files, ranks) for files in range(-7, 8) for ranks in range(-7, 8) if files or ranks]
    steps.sort(key=lambda step: abs(step[0]) + abs(step[1]))
    for fixed in (0, board.kings):
        for files, ranks in steps:
            other = _moved(board, files, ranks, fixed)
            if other is not None and other.is_valid():
                yield other


def _moved(board: chess.Board, files: int, ranks: int, fixed: chess.Bitboard) -> chess.Board | None:
    """None where a man would leave the board or stand on another."""
    men: dict[chess.Square, chess.Piece] = {}
    for square, man in board.piece_map().items():
        file, rank = chess.square_file(square), chess.square_rank(square)
        if not chess.BB_SQUARES[square] & fixed:
            file, rank = file + files, rank + ranks
        if not (0 <= file < 8 and 0 <= rank < 8) or chess.square(file, rank) in men:
            return None
        men[chess.square(file, rank)] = man
    other = board.copy(stack=False)
    other.set_piece_map(men)
    return other
