"""A scripted UCI engine that is right in everything but one twist."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from refute.engines.uci import UciEngine

SCRIPT = '''
import os, sys, time
import chess

OPTIONS = ["option name UCI_Chess960 type check default false"]
SHOWS = False  # whether it knows `d`
asked = 0  # how many times it was told `go`

def say(*lines):
    print(*lines, sep="\\n", flush=True)

def nodes(board, depth):
    if depth == 0:
        return 1
    total = 0
    for move in list(board.legal_moves):
        board.push(move)
        total += nodes(board, depth - 1)
        board.pop()
    return total

def lines(board, depth):
    for move in list(board.legal_moves):
        board.push(move)
        yield move.uci(), nodes(board, depth - 1)
        board.pop()

def greet():
    say("id name Scripted 1.0", *OPTIONS, "uciok")

def go(board, depth):
    total = 0
    for move, count in lines(board, depth):
        say(f"{move}: {count}")
        total += count
    say("", f"Nodes searched: {total}", "")

def place(board, fen, moves):
    """The position after the command; `board` is the one before it."""
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)
    return board

def ready():
    say("readyok")

def show(board):
    squares = " ".join(map(chess.square_name, board.checkers()))
    say("a drawing", "Fen: " + board.fen(en_passant="fen"), "Key: 1234", "Checkers: " + squares)

@TWIST@

board = chess.Board()
for line in sys.stdin:
    words = line.split()
    if words == ["uci"]:
        greet()
    elif words == ["isready"]:
        ready()
    elif words[:2] == ["position", "fen"]:
        cut = words.index("moves") if "moves" in words else len(words)
        board = place(board, " ".join(words[2:cut]), words[cut + 1:])
    elif words[:2] == ["go", "perft"]:
        asked += 1
        go(board, int(words[2]))
    elif words == ["d"] and SHOWS:
        show(board)
    elif words == ["quit"]:
        break
'''


@pytest.fixture
def write_script(tmp_path: Path) -> Callable[[str], list[str]]:
    """Write the scripted engine with a twist to its source; gives the command that runs it."""
    number = 0

    def write(twist: str = "") -> list[str]:
        nonlocal number
        number += 1
        path = tmp_path / f"scripted{number}.py"
        path.write_text(SCRIPT.replace("@TWIST@", dedent(twist)), encoding="utf-8")
        return [sys.executable, str(path)]

    return write


@pytest.fixture
def open_scripted(write_script: Callable[[str], list[str]]) -> Iterator[Callable[..., UciEngine]]:
    """Open the scripted engine with a twist; it is closed after the test."""
    engines = []

    def open_it(twist: str = "", *, timeout: float = 5.0) -> UciEngine:
        engines.append(UciEngine(write_script(twist), name="scripted", timeout=timeout))
        return engines[-1]

    yield open_it
    for engine in engines:
        engine.close()
