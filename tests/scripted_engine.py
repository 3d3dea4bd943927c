"""A UCI engine that is right in everything but one twist: Python source, in a file whose name is its argument.

A twist defines anew whatever it wants to be wrong: a name below, or how the engine answers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import chess

NAME = "Scripted 1.0"
OPTIONS: list[str] = []
SHOWS = False  # whether it knows `d`
asked = 0  # how many times it was told `go`


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


def greet() -> None:
    say(f"id name {NAME}", *OPTIONS, "uciok")


def ready() -> None:
    say("readyok")


def place(board: chess.Board, fen: str, moves: list[str]) -> chess.Board:
    """The position after the command; `board` is the one before it."""
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)
    return board


def moves(board: chess.Board) -> list[chess.Move]:
    return list(board.legal_moves)


def nodes(board: chess.Board, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in moves(board):
        board.push(move)
        total += nodes(board, depth - 1)
        board.pop()
    return total


def lines(board: chess.Board, depth: int) -> Iterator[tuple[str, int]]:
    for move in moves(board):
        board.push(move)
        yield move.uci(), nodes(board, depth - 1)
        board.pop()


def go(board: chess.Board, depth: int) -> None:
    total = 0
    for move, count in lines(board, depth):
        say(f"{move}: {count}")
        total += count
    say("", f"Nodes searched: {total}", "")


def show(board: chess.Board) -> None:
    squares = " ".join(map(chess.square_name, board.checkers()))
    say("a drawing", "Fen: " + board.fen(en_passant="fen"), "Key: 1234", "Checkers: " + squares)


right = go  # what a twist may fall back on

if __name__ == "__main__":
    exec("import os, time\n" + Path(sys.argv[1]).read_text(encoding="utf-8"))
    board = chess.Board()
    for line in sys.stdin:
        words = line.split()
        if words == ["uci"]:
            greet()
        elif words == ["isready"]:
            ready()
        elif words == ["position", "startpos"]:
            board = chess.Board()
        elif words[:2] == ["position", "fen"]:
            cut = words.index("moves") if "moves" in words else len(words)
            board = place(board, " ".join(words[2:cut]), words[cut + 1 :])
        elif words[:2] == ["go", "perft"]:
            asked += 1
            go(board, int(words[2]))
        elif words == ["d"] and SHOWS:
            show(board)
        elif words == ["quit"]:
            break
