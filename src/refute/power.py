"""Proof of power: hunt a planted fault until it is found, and say how long that took and how small it became.

Trial (fault, seed, whose walks, budget) ──measure──▶ Measured      one of them
trials ──measure_all, in processes──▶ Measured, as they come in
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any, Final

from refute.board import fen
from refute.compare import Comparer, counts_quickly
from refute.divergence import Divergence
from refute.engines.faults import Planted
from refute.engines.faulty import FAULTS, open_fault
from refute.engines.protocol import Ability, Answer, Question
from refute.engines.spec import open_engine
from refute.errors import EngineError, SpecError
from refute.shrink import shrink
from refute.walk import Walk
from refute.walking import KNOWN_FENS, uniform_walk, walk_number

OURS: Final = "ours"
UNIFORM: Final = "uniform"
PERFT: Final = "perft"

DEFAULT_POSITIONS: Final = 20_000
DEFAULT_WITNESSES: Final = ("python-chess",)
SHRINK_SECONDS: Final = 30.0
MOST_SECONDS: Final = 600.0  # one trial; a rail for a fault that makes the board crawl

MOST_MOVES: Final = 1
MOST_MOVES_OF_A_PATH: Final = 3

PERFT_DEPTH: Final = 4
# The six positions that perft is usually compared on, with their published counts at depth 4; the cheapest
# first, so that a fault which shows in all of them is found for the fewest nodes.
PERFT_COUNTS: Final = tuple(
    sorted(zip((197_281, 4_085_603, 43_238, 422_333, 2_103_487, 3_894_594), (fen.START, *KNOWN_FENS), strict=True))
)


@dataclass(frozen=True, slots=True)
class Trial:
    """One fault to be found, by whose walks, and at what price at most."""

    name: str
    seed: int = 1
    walks: str = OURS  # or UNIFORM, or PERFT, whose budget is its six positions
    budget: int = DEFAULT_POSITIONS
    against: tuple[str, ...] = DEFAULT_WITNESSES
    shrinks: bool = True


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of a trial. Where nothing was found, `positions` is what was spent."""

    name: str
    class_: str
    what: str
    seed: int
    walks: str
    found: bool
    positions: int  # or nodes, for perft
    seconds: float  # until found; shrinking is not counted
    verdict: str | None = None
    verdict_right: bool | None = None
    facet: str | None = None
    kind: str | None = None
    pieces: int | None = None  # men left after shrinking
    moves: int | None = None  # moves left after shrinking
    is_path: bool = False  # moves must be made for it to show, whatever the position
    fewest: int = 0  # moves of the shortest walk that can show it, where that is longer than others may be
    shrink_seconds: float | None = None
    walk: str | None = None  # the shrunk walk, as a UCI position command

    @property
    def is_small(self) -> bool:
        """Whether no more moves are left than a fault of its kind may keep."""
        most = self.fewest or (MOST_MOVES_OF_A_PATH if self.is_path else MOST_MOVES)
        return self.moves is not None and self.moves <= most

    @property
    def is_history(self) -> bool:
        """Whether only a longer game shows it, so that it is held to the fewest moves there can be."""
        return self.fewest > 0

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "class": self.class_,
            "seed": self.seed,
            "found": self.found,
            "positions": self.positions,
            "seconds": round(self.seconds, 3),
            "verdict": self.verdict,
            "verdict_right": self.verdict_right,
            "pieces": self.pieces,
            "moves": self.moves,
            "facet": self.facet,
            "kind": self.kind,
            "path": self.is_path,
            "fewest": self.fewest,
            "shrink_seconds": None if self.shrink_seconds is None else round(self.shrink_seconds, 3),
            "walk": self.walk,
            "what": self.what,
        }


def pick(names: Sequence[str] = (), *, class_: str | None = None) -> list[Planted]:
    """The faults of these names and this class, in the order they are listed; all of them when none is named."""
    for name in names:
        if name not in FAULTS:
            open_fault(name)  # raises, and names those that are near
    classes = sorted({fault.class_ for fault in FAULTS.values()}, key=str.lower)
    if class_ is not None and class_ not in classes:
        raise SpecError(f"there is no class {class_!r} of faults: expected one of {', '.join(classes)}")
    picked = [
        fault
        for fault in FAULTS.values()
        if (not names or fault.name in names) and (class_ is None or fault.class_ == class_)
    ]
    if not picked:
        raise SpecError(f"there is no fault of the class {class_!r} among {', '.join(names)}")
    return picked


# ---------------------------------------------------------------- one trial


def measure(trial: Trial) -> Measured:
    """Hunt one fault until it is found or the budget is spent; the same trial finds the same walk."""
    fault = FAULTS[trial.name]
    nothing = Measured(fault.name, fault.class_, fault.what, trial.seed, trial.walks, False, 0, 0.0)
    nothing = replace(nothing, is_path=fault.path, fewest=fault.fewest)
    if trial.walks == PERFT:
        return _count(nothing)
    with ExitStack() as stack:
        subject = stack.enter_context(open_fault(trial.name))
        witnesses = [stack.enter_context(open_engine(spec)) for spec in trial.against]
        depth = 2 if any(map(counts_quickly, witnesses)) else 0
        comparer = Comparer(subject, witnesses, depth=depth, chess960=fault.chess960)
        started = time.perf_counter()
        found, positions = _hunt(trial, comparer)
        missed = replace(nothing, positions=positions, seconds=time.perf_counter() - started)
        return missed if found is None else _refine(trial, comparer, missed, found)


def _hunt(trial: Trial, comparer: Comparer) -> tuple[Divergence | None, int]:
    chess960 = FAULTS[trial.name].chess960
    make = walk_number if trial.walks == OURS else uniform_walk
    deadline = time.monotonic() + MOST_SECONDS

    def walks() -> Iterator[Walk]:
        index = 0
        while not _is_stopped():
            yield make(trial.seed, index, chess960=chess960)
            index += 1

    positions = 0
    with closing(comparer.compare_all(walks())) as comparisons:
        for comparison in comparisons:
            positions += comparison.positions
            if positions > trial.budget:
                return None, trial.budget
            if comparison.divergence is not None:
                return comparison.divergence, positions
            if positions == trial.budget or time.monotonic() > deadline:
                break
    return None, positions


def _refine(trial: Trial, comparer: Comparer, measured: Measured, found: Divergence) -> Measured:
    """What is told to the user is the shrunk divergence, so that is what is judged."""
    if trial.shrinks:
        found = shrink(found, comparer, seconds=SHRINK_SECONDS)
    return replace(
        measured,
        found=True,
        verdict=str(found.verdict),
        verdict_right=str(found.verdict) in FAULTS[trial.name].verdicts,
        facet=str(found.facet),
        kind=found.kind,
        pieces=found.pieces if trial.shrinks else None,
        moves=len(found.walk) if trial.shrinks else None,
        shrink_seconds=found.notes.get("shrink_seconds"),
        walk=str(found.walk),
    )


def _count(nothing: Measured) -> Measured:
    """Perft of the six positions, and whether any count is not the published one; a board that raises is found."""
    question = Question(frozenset({Ability.PERFT}), PERFT_DEPTH)
    nodes, found = 0, False
    started = time.perf_counter()
    with open_fault(nothing.name) as engine:
        for published, text in PERFT_COUNTS:
            answer = engine.at([Walk(text)], question)[0]
            counted = sum((answer.divide or {}).values()) if isinstance(answer, Answer) else 0
            nodes += counted or published
            found = counted != published
            if found or _is_stopped():
                break
    return replace(nothing, found=found, positions=nodes, seconds=time.perf_counter() - started)


# ---------------------------------------------------------------- many trials

# Set when the user interrupts; in a worker it is the main process's, and no signal is needed to see it.
_stop: Any = None


def _is_stopped() -> bool:
    return _stop is not None and bool(_stop.is_set())


def _begin(stop: Any) -> None:
    """In a worker: Ctrl-C reaches the whole process group, and the main process alone decides what it means."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def measure_all(trials: Iterable[Trial], *, jobs: int | None = None) -> Generator[Measured, None, None]:
    """Measure each trial, in as many processes as there are cores; yields them as they come in.

    Left early, or interrupted, it lets go of its processes: what was yielded is what was done.
    """
    todo = list(trials)
    jobs = min(jobs or os.cpu_count() or 1, len(todo))
    if jobs <= 1:
        yield from map(measure, todo)
        return
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(stop,))
    try:
        for done in as_completed([pool.submit(measure, trial) for trial in todo]):
            yield done.result()
    except BrokenProcessPool:
        raise EngineError("a process that measured a fault died; try --jobs 1 to see which fault it was") from None
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
