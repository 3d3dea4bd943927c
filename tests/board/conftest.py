"""What the board's tests share: positions from random games, and Stockfish's own counts."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Iterator

import pytest

from refute.board import Position, fen, is_compiled

# A sanitizer build is some ten times slower: it looks at fewer positions, and less deep.
FAST = is_compiled() and not os.environ.get("REFUTE_SHALLOW")

STARTS = (
    fen.START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
)


def wander(position: Position, plies: int, rng: random.Random) -> Iterator[str]:
    """Play random moves, giving each position's FEN; en passant captures and castles are preferred."""
    for _ in range(plies):
        yield fen.write(position, en_passant="always")
        moves = position.legal_moves()
        if not moves:
            return
        rare = [move for move in moves if move >> 12 in (1, 2, 3, 5, 8)]
        position.make(rng.choice(rare if rare and rng.random() < 0.25 else moves))


@pytest.fixture(scope="session")
def sample() -> list[tuple[str, bool]]:
    """A few hundred (FEN, chess960) from random games, in both kinds of chess."""
    rng = random.Random(1)
    found: set[tuple[str, bool]] = set()
    for text in STARTS * (4 if FAST else 1):
        found.update((line, False) for line in wander(fen.parse(text), 100, rng))
    for number in rng.sample(range(960), 24 if FAST else 6):
        found.update((line, True) for line in wander(fen.chess960_start(number), 100, rng))
    return sorted(rng.sample(sorted(found), 900 if FAST else 250))


@pytest.fixture
def positions(sample: list[tuple[str, bool]]) -> list[Position]:
    """The same as fresh positions, which a test may play on."""
    return [fen.parse(text, chess960=chess960) for text, chess960 in sample]


Divider = Callable[[str, int, bool], dict[str, int]]


@pytest.fixture(scope="session")
def stockfish_divide(stockfish: str) -> Iterator[Divider]:
    """A function that asks Stockfish for `go perft`, divided: (FEN, depth, chess960) → {move: nodes}."""
    with subprocess.Popen([stockfish], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ask, answer = process.stdin, process.stdout

        def divide(text: str, depth: int, chess960: bool) -> dict[str, int]:
            ask.write(f"setoption name UCI_Chess960 value {str(chess960).lower()}\n")
            ask.write(f"position fen {text}\ngo perft {depth}\n")
            ask.flush()
            counts: dict[str, int] = {}
            for line in answer:
                move, colon, nodes = line.partition(": ")
                if move == "Nodes searched":
                    return counts
                if colon and move[:1] in "abcdefgh" and len(move) in (4, 5):
                    counts[move] = int(nodes)
            raise AssertionError(f"Stockfish fell silent at {text}")

        yield divide
        ask.write("quit\n")
        ask.flush()
