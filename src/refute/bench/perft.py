"""`refute bench perft`: our perft beside Stockfish's and python-chess's, in one run, on one thread."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from refute.bench import Lap, Row, race
from refute.bench.contestants import (
    HERE,
    CannotMeasure,
    Contestant,
    Stockfish,
    Worker,
    python,
    start_compiled,
    start_portable,
)

ROUNDS: Final = 5
QUICK_ROUNDS: Final = 2
LONG_ENOUGH: Final = 5.0  # seconds that each race takes at least, unless the number of rounds is given
LONGEST_IMPORT: Final = 0.1  # seconds

START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE: Final = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
POSITION_4: Final = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"

NODES: Final = {
    START: (1, 20, 400, 8_902, 197_281, 4_865_609, 119_060_324),
    KIWIPETE: (1, 48, 2_039, 97_862, 4_085_603, 193_690_690),
    POSITION_4: (1, 6, 264, 9_467, 422_333, 15_833_292, 706_045_033),
}

ALONE: Final = "nobody to race"  # not a reason of its own: the missing contestant has one

Running = TypeVar("Running", bound=Contestant)
Tell = Callable[[str], None]
Count = Callable[[str, int], Lap]  # a FEN and a depth


class Pace(NamedTuple):
    """How often everyone is measured, and how long at least."""

    rounds: int
    seconds: float


class Course(NamedTuple):
    """A position and how deep it is counted; shallower when only trying the bench out."""

    name: str
    fen: str
    depth: int
    quick: int

    def at(self, *, quick: bool) -> tuple[str, int]:
        """What the course is called and how deep it goes."""
        depth = self.quick if quick else self.depth
        return f"{self.name} d{depth}", depth


BESIDE_STOCKFISH: Final = (
    Course("start", START, 6, 5),
    Course("Kiwipete", KIWIPETE, 5, 4),
    Course("position 4", POSITION_4, 5, 4),
)
# python-chess goes one ply less deep here: each then takes about a second.
CHECKED: Final = (Course("start", START, 5, 4), Course("Kiwipete", KIWIPETE, 4, 3))
INTERPRETED: Final = (Course("start", START, 4, 3), Course("Kiwipete", KIWIPETE, 3, 2))


def measure_perft(*, rounds: int | None = None, quick: bool = False, tell: Tell = lambda stage: None) -> list[Row]:
    """All rows; what cannot be measured is a row that says why. `tell` hears what is being measured."""
    if rounds is not None:
        pace = Pace(rounds, 0.0)
    else:
        pace = Pace(QUICK_ROUNDS, 0.0) if quick else Pace(ROUNDS, LONG_ENOUGH)
    return [
        *_rows_beside_stockfish(pace, tell, quick=quick),
        *_rows_checked(pace, tell, quick=quick),
        *_rows_interpreted(pace, tell, quick=quick),
        _row_import(pace, tell),
    ]


def _rows_beside_stockfish(pace: Pace, tell: Tell, *, quick: bool) -> list[Row]:
    tuned_rows: list[Row] = []
    portable_rows: list[Row] = []
    with ExitStack() as stack:
        tell("building a portable copy of the board")
        portable = _enter(stack, lambda: start_portable(stack))
        tuned = _enter(stack, start_compiled)
        stockfish = _enter(stack, Stockfish)
        lanes = {
            "tuned": tuned if isinstance(tuned, str) else tuned.counter("bulk"),
            "portable": portable if isinstance(portable, str) else portable.counter("bulk"),
            "Stockfish": stockfish if isinstance(stockfish, str) else stockfish.count,
        }
        for course in BESIDE_STOCKFISH:
            name, depth = course.at(quick=quick)
            tell(f"bulk perft beside Stockfish, {name}")
            laps = _race(lanes, course.fen, dict.fromkeys(lanes, depth), pace)
            theirs = laps["Stockfish"]
            measure = f"compiled bulk perft ÷ Stockfish, {name}"
            tuned_rows.append(_row(measure, laps["tuned"], theirs, must=3.0, aim=5.0))
            measure = f"portable build, bulk perft ÷ Stockfish, {name}"
            portable_rows.append(_row(measure, laps["portable"], theirs, must=1.8, aim=3.0))
    return tuned_rows + portable_rows


def _rows_checked(pace: Pace, tell: Tell, *, quick: bool) -> list[Row]:
    rows = []
    with ExitStack() as stack:
        ours = _enter(stack, start_compiled)
        theirs = _enter(stack, Worker)
        lanes = {
            "ours": ours if isinstance(ours, str) else ours.counter("checked"),
            "theirs": theirs if isinstance(theirs, str) else theirs.counter("python-chess"),
        }
        for course in CHECKED:
            name, depth = course.at(quick=quick)
            tell(f"checked perft beside python-chess, {name}")
            laps = _race(lanes, course.fen, {"ours": depth, "theirs": depth - 1}, pace)
            measure = f"compiled checked perft ÷ python-chess plain perft, {course.name}"
            rows.append(_row(measure, laps["ours"], laps["theirs"], must=20.0, aim=100.0))
    return rows


def _rows_interpreted(pace: Pace, tell: Tell, *, quick: bool) -> list[Row]:
    rows = []
    with ExitStack() as stack:
        ours = _enter(stack, lambda: Worker(REFUTE_PURE="1"))
        theirs = _enter(stack, Worker)
        if isinstance(ours, Worker) and ours.is_compiled:
            ours = "refused: REFUTE_PURE=1 ran the compiled board"
        lanes = {
            "ours": ours if isinstance(ours, str) else ours.counter("bulk"),
            "theirs": theirs if isinstance(theirs, str) else theirs.counter("python-chess bulk"),
        }
        for course in INTERPRETED:
            name, depth = course.at(quick=quick)
            tell(f"interpreted perft beside python-chess, {name}")
            laps = _race(lanes, course.fen, dict.fromkeys(lanes, depth), pace)
            measure = f"interpreted bulk perft ÷ python-chess with legal_moves.count(), {name}"
            rows.append(_row(measure, laps["ours"], laps["theirs"], must=3.0, aim=5.0))
    return rows


def _row_import(pace: Pace, tell: Tell, *, path: Path = HERE) -> Row:
    """How many times `import refute` fits into the time it may take."""
    tell("import refute")
    code = (
        "import sys, time; started = time.perf_counter(); import refute; "
        "print(time.perf_counter() - started, 'numpy' in sys.modules)"
    )
    measure = f"{LONGEST_IMPORT} s ÷ import refute, without numpy"
    best = float("inf")
    for _ in range(max(pace.rounds, 3)):
        argv, environment = python("-c", code, path=path)
        done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60, check=True)
        seconds, numpy = done.stdout.split()
        if numpy == "True":
            return Row(measure, 0.0, 1.0, why="import refute imports numpy")
        best = min(best, float(seconds))
    return Row(
        measure, LONGEST_IMPORT / best, 1.0, ours=f"{best * 1e3:.2f} ms", theirs=f"{LONGEST_IMPORT * 1e3:.0f} ms"
    )


def _enter(stack: ExitStack, start: Callable[[], Running]) -> Running | str:
    """A contestant that lives as long as the stack, or why there is none."""
    try:
        runner = start()
    except CannotMeasure as reason:
        return str(reason)
    stack.enter_context(runner)
    return runner


def _race(lanes: Mapping[str, Count | str], fen: str, depths: Mapping[str, int], pace: Pace) -> dict[str, Lap | str]:
    """The best lap of each lane that has a contestant, and the reason of each that has none."""
    results: dict[str, Lap | str] = {name: lane for name, lane in lanes.items() if isinstance(lane, str)}
    racers = {
        name: _counted_right(name, lane, fen, depths[name]) for name, lane in lanes.items() if not isinstance(lane, str)
    }
    if len(racers) < 2:
        return results | dict.fromkeys(racers, ALONE)
    try:
        return results | race(racers, rounds=pace.rounds, seconds=pace.seconds)
    except CannotMeasure as reason:
        return results | dict.fromkeys(racers, str(reason))


def _counted_right(name: str, count: Count, fen: str, depth: int) -> Callable[[], Lap]:
    """A count that is worth nothing unless it is right."""

    def run() -> Lap:
        lap = count(fen, depth)
        if lap.nodes != NODES[fen][depth]:
            raise CannotMeasure(f"{name} counted {lap.nodes:,} in {fen!r} d{depth}, expected {NODES[fen][depth]:,}")
        return lap

    return run


def _row(measure: str, ours: Lap | str, theirs: Lap | str, *, must: float, aim: float) -> Row:
    if isinstance(ours, Lap) and isinstance(theirs, Lap):
        return Row.of(measure, ours, theirs, must=must, aim=aim)
    reasons = [reason for reason in (ours, theirs) if isinstance(reason, str) and reason != ALONE]
    return Row(measure, None, must, aim, why="; ".join(dict.fromkeys(reasons)))
