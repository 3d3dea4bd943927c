"""One contestant of a benchmark in a process of its own: reads what to count, answers how many.

← {"compiled": true, "path": "…/_core.cpython-311-x86_64-linux-gnu.so"}
→ {"count": "bulk", "fen": "…", "depth": 6}
← 119060324
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Final

import chess

from refute.board import Position, _core, fen, is_compiled


def count_chess(board: chess.Board, depth: int) -> int:
    """Perft with python-chess, every move made and taken back."""
    if depth == 0:
        return 1
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += count_chess(board, depth - 1)
        board.pop()
    return nodes


def count_chess_bulk(board: chess.Board, depth: int) -> int:
    """Perft with python-chess, the last ply counted and not played."""
    if depth == 1:
        return board.legal_moves.count()
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += count_chess_bulk(board, depth - 1)
        board.pop()
    return nodes


OWN: Final[dict[str, Callable[[Position, int], int]]] = {
    "bulk": lambda position, depth: position.perft(depth),
    "checked": lambda position, depth: position.perft_checked(depth),
}
THEIRS: Final[dict[str, Callable[[chess.Board, int], int]]] = {
    "python-chess": count_chess,
    "python-chess bulk": count_chess_bulk,
}


def answer(line: str) -> int:
    """Do what one line asks."""
    asked = json.loads(line)
    if asked["count"] in OWN:
        return OWN[asked["count"]](fen.parse(asked["fen"]), asked["depth"])
    return THEIRS[asked["count"]](chess.Board(asked["fen"]), asked["depth"])


def work() -> None:
    """Greet, then answer line by line until there are no more."""
    print(json.dumps({"compiled": is_compiled(), "path": _core.__file__}), flush=True)
    for line in sys.stdin:
        print(answer(line), flush=True)


if __name__ == "__main__":
    work()
