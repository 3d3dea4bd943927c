"""How fast a hunt is, beside what it cannot be faster than: python-chess walking, and Stockfish counting."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import chess

from refute.bench import Lap, Row, race
from refute.board import is_compiled
from refute.engines.protocol import Ability, Question
from refute.engines.spec import find_stockfish, open_engine
from refute.errors import EngineError
from refute.hunt import Options, Tally, hunt
from refute.walking import walk_number

Tell = Callable[[str], None]

CROSS_DEPTH: Final = 4
CORES: Final = 2
SEED: Final = 1


def measure_hunt(*, rounds: int | None, quick: bool, tell: Tell) -> list[Row]:
    """The rows of `refute bench hunt`."""
    if not is_compiled():
        why = "the board runs interpreted; build it first (pip install .)"
        return [Row("hunt", None, must, why=why) for must in (0.3, 0.7, 1.1)]
    with tempfile.TemporaryDirectory() as folder:
        options = Options(seed=SEED, folder=Path(folder))
        return [
            _walking(options, rounds or 5, 1.0 if quick else 4.0, tell),
            _counting(options, rounds or 3, 3.0 if quick else 15.0, tell),
            _memory(options, 2.0 if quick else 60.0, 10.0 if quick else 600.0, tell),
        ]


def _walking(options: Options, rounds: int, seconds: float, tell: Tell) -> Row:
    """Positions a second of a hunt with every check, beside a python-chess walk with none."""
    tell("a hunt beside a bare python-chess walk")

    def hunting() -> Lap:
        result = hunt(replace(options, against=("python-chess",), seconds=seconds))
        return Lap(result.positions, result.seconds)

    def walking() -> Lap:
        return _bare_walk(options.seed, seconds)

    best = _fastest({"hunt": hunting, "walk": walking}, rounds)
    return Row.of("hunt positions/s ÷ bare python-chess walk", best["hunt"], best["walk"], must=0.3, aim=0.6)


def _bare_walk(seed: int, seconds: float) -> Lap:
    """List the legal moves and push one, from the starting position, again and again."""
    chance = random.Random(seed)
    positions = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        board = chess.Board()
        for _ in range(80):
            moves = list(board.legal_moves)
            positions += 1
            if not moves:
                break
            board.push(chance.choice(moves))
    return Lap(positions, time.perf_counter() - started)


def _counting(options: Options, rounds: int, seconds: float, tell: Tell) -> Row:
    """Nodes a second cross-checked against Stockfish on two cores, beside Stockfish counting alone on one."""
    measure = f"nodes/s cross-checked at depth {CROSS_DEPTH} on {CORES} cores ÷ Stockfish's own"
    tell(f"a hunt at depth {CROSS_DEPTH} beside Stockfish alone")
    try:
        find_stockfish()
    except EngineError as error:
        return Row(measure, None, 0.7, 0.95, why=str(error))

    def hunting() -> Lap:
        result = hunt(
            replace(options, against=("stockfish",), seconds=seconds, depth=CROSS_DEPTH, jobs=CORES),
            listen := _Clock(),
        )
        return Lap(result.nodes, result.seconds - listen.idle)

    def counting() -> Lap:
        return _bare_count(options.seed, seconds)

    best = _fastest({"hunt": hunting, "count": counting}, rounds)
    return Row.of(measure, best["hunt"], best["count"], must=0.7, aim=0.95)


class _Clock:
    """How long the workers took to start, which a hunt of hours does not notice and a lap of seconds does."""

    def __init__(self) -> None:
        self.idle = 0.0

    def __call__(self, tally: Tally) -> None:
        if self.idle == 0.0:
            self.idle = tally.seconds


def _bare_count(seed: int, seconds: float) -> Lap:
    question = Question(frozenset({Ability.PERFT}), CROSS_DEPTH)
    nodes = index = 0
    with open_engine("stockfish") as stockfish:
        started = time.perf_counter()
        while time.perf_counter() - started < seconds:
            walk = walk_number(seed, index)
            for answer in stockfish.at([walk.prefix(plies) for plies in range(len(walk) + 1)], question):
                nodes += sum((getattr(answer, "divide", None) or {}).values())
            index += 1
        return Lap(nodes, time.perf_counter() - started)


def _memory(options: Options, early: float, late: float, tell: Tell) -> Row:
    """Memory early in a hunt beside memory late in it: a ratio of 1 is a hunt that keeps nothing."""
    tell(f"memory over {late:.0f} s")
    seen: dict[float, int] = {}

    def listen(tally: Tally) -> None:
        for moment in (early, late - 1):
            if moment not in seen and tally.seconds >= moment:
                seen[moment] = _resident()

    hunt(replace(options, against=("python-chess",), seconds=late), listen)
    first, last = seen[early], seen.get(late - 1, _resident())
    return Row(
        f"memory after {early:.0f} s ÷ after {late:.0f} s (1.1 times as much is allowed)",
        first / last,
        round(1 / 1.1, 3),
        1.0,
        f"{first >> 20} MB",
        f"{last >> 20} MB",
    )


def _resident() -> int:
    """Bytes of memory this process holds now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS in /proc/self/status")


def _fastest(contestants: dict[str, Callable[[], Lap]], rounds: int) -> dict[str, Lap]:
    """As `race`, but by speed: these laps have a fixed time, not a fixed length."""
    best: dict[str, Lap] = {}
    for _ in range(rounds):
        for name, lap in race(contestants, rounds=1).items():
            if name not in best or lap.speed > best[name].speed:
                best[name] = lap
    return best
