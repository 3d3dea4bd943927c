"""python-chess as an engine: the main witness, so it computes what is asked and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

import chess

from refute.board.move import encode_uci
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.errors import InputError, quote
from refute.walk import Walk

_RIGHTS: Final = ((chess.BB_H1, "K"), (chess.BB_A1, "Q"), (chess.BB_H8, "k"), (chess.BB_A8, "q"))
_GAPS: Final = tuple(("1" * run, str(run)) for run in range(8, 1, -1))


class PythonChessEngine:
    """The library python-chess, in this process."""

    def __init__(self, *, name: str = "python-chess") -> None:
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> str:
        return f"python-chess {chess.__version__}"

    @property
    def abilities(self) -> frozenset[Ability]:
        return _ABILITIES

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        """Answer at every position of the walk, up to the first Fault."""
        answers: list[Answer | Fault] = []
        board = _board(walk)
        if isinstance(board, Fault):
            return [board]
        for text in walk.moves:
            answer = _answer(board, question)
            answers.append(answer)
            fault = _push(board, text, answer.moves)
            if fault is not None:
                answers.append(fault)
                return answers
        answers.append(_answer(board, question))
        return answers

    def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        """Answer at the end of each walk: exactly len(walks) answers."""
        return [_answer_at(walk, question) for walk in walks]

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


_ABILITIES: Final = frozenset(
    {
        Ability.MOVES,
        Ability.PERFT,
        Ability.FEN,
        Ability.NUMBERS,
        Ability.CHECK,
        Ability.OUTCOME,
        Ability.CHESS960,
    }
)


def board_after(walk: Walk) -> chess.Board | Fault:
    """The walk's end as a board with its history, or why there is none."""
    board = _board(walk)
    if isinstance(board, Fault):
        return board
    for text in walk.moves:
        fault = _push(board, text, None)
        if fault is not None:
            return fault
    return board


def write_fen(board: chess.Board) -> str:
    """Exactly `board.fen(en_passant="legal")`, in a third of its time."""
    squares = ["1"] * 64
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    for ours, letters in ((board.occupied_co[True], "PNBRQK"), (board.occupied_co[False], "pnbrqk")):
        for men, letter in zip(kinds, letters, strict=True):
            men &= ours
            while men:
                lowest = men & -men
                squares[lowest.bit_length() - 1 ^ 56] = letter
                men ^= lowest
    flat = "".join(squares)
    placement = "/".join([flat[start : start + 8] for start in range(0, 64, 8)])
    for gap, digit in _GAPS:
        placement = placement.replace(gap, digit)
    rights = "-"
    if board.castling_rights:
        if board.chess960:
            rights = board.castling_xfen()
        else:
            clean = board.clean_castling_rights()
            rights = "".join([letter for rook, letter in _RIGHTS if clean & rook]) or "-"
    square = "-"
    if board.ep_square is not None and board.has_legal_en_passant():
        square = chess.SQUARE_NAMES[board.ep_square]
    turn = "w" if board.turn else "b"
    return f"{placement} {turn} {rights} {square} {board.halfmove_clock} {board.fullmove_number}"


def _board(walk: Walk) -> chess.Board | Fault:
    try:
        board = chess.Board(walk.fen, chess960=walk.chess960)
    except ValueError as error:
        return Fault(Trouble.ASTRAY, f"does not read {quote(walk.fen)}: {error}")
    for white in (True, False):
        kings = (board.kings & board.occupied_co[white]).bit_count()
        if kings != 1:
            side = "White" if white else "Black"
            return Fault(Trouble.ASTRAY, f"does not play {quote(walk.fen)}: {side} has {kings} kings")
    return board


def _push(board: chess.Board, text: str, legal: Sequence[int] | None) -> Fault | None:
    """Play the move if it is one; `legal` spares asking for the legal moves a second time."""
    try:
        code = encode_uci(text)
    except InputError as error:
        return Fault(Trouble.ASTRAY, str(error))
    promotion = code >> 12
    move = chess.Move(code & 63, code >> 6 & 63, promotion + 1 if promotion else None)
    is_legal = code in legal if legal is not None else board.is_legal(move)
    if not is_legal:
        return Fault(Trouble.ASTRAY, f"{text} is not legal in {quote(board.fen())}")
    board.push(move)
    return None


def _answer_at(walk: Walk, question: Question) -> Answer | Fault:
    board = board_after(walk)
    return board if isinstance(board, Fault) else _answer(board, question)


def _answer(board: chess.Board, question: Question) -> Answer:
    asks = question.asks
    answer = Answer()
    if Ability.MOVES in asks:
        answer.moves = sorted(
            [
                move.from_square | move.to_square << 6 | (move.promotion - 1 << 12 if move.promotion else 0)
                for move in board.generate_legal_moves()
            ]
        )
    if Ability.CHECK in asks:
        answer.check = board.is_check()
    if Ability.OUTCOME in asks:
        answer.outcome = _outcome(board, answer)
    if Ability.FEN in asks:
        answer.fen = write_fen(board)
    if Ability.NUMBERS in asks:
        answer.numbers = _numbers(board)
    if Ability.PERFT in asks and question.depth > 0:
        answer.divide = _divide(board, question.depth)
    return answer


def _numbers(board: chess.Board) -> tuple[int, ...]:
    """What its FEN would say, in the order of our own board's `numbers`."""
    square = board.ep_square
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[True],
        board.occupied_co[False],
        0 if board.turn else 1,
        board.clean_castling_rights(),
        square if square is not None and board.has_legal_en_passant() else -1,
        board.halfmove_clock,
        board.fullmove_number,
    )


def _outcome(board: chess.Board, answer: Answer) -> str:
    can_move = bool(answer.moves) if answer.moves is not None else any(board.generate_legal_moves())
    if not can_move:
        return "checkmate" if board.is_check() else "stalemate"
    # Any pawn, rook or queen can mate; asking this first spares the library's four square-colour questions.
    if not (board.pawns | board.rooks | board.queens) and board.is_insufficient_material():
        return "insufficient-material"
    if board.halfmove_clock >= 150:
        return "seventyfive-moves"
    # A fifth occurrence needs four returns of four reversible plies each.
    if board.halfmove_clock >= 16 and board.is_fivefold_repetition():
        return "fivefold-repetition"
    return ""


def _divide(board: chess.Board, depth: int) -> dict[int, int]:
    divide: dict[int, int] = {}
    for move in board.generate_legal_moves():
        board.push(move)
        promotion = move.promotion - 1 << 12 if move.promotion else 0
        divide[move.from_square | move.to_square << 6 | promotion] = _perft(board, depth - 1)
        board.pop()
    return divide


def _perft(board: chess.Board, depth: int) -> int:
    if depth == 0:
        return 1
    if depth == 1:
        return board.legal_moves.count()
    nodes = 0
    for move in board.generate_legal_moves():
        board.push(move)
        nodes += _perft(board, depth - 1)
        board.pop()
    return nodes
