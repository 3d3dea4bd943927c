"""Mutation testing of the board: every small mistake in `board/_core.py` is tried, and must be told from the truth.

_core.py ──mutating──▶ mutants ──▶ workers, one trial at a time ──▶ Outcome each ──▶ Report
                          └ equivalents.toml: those that were shown to be no mistakes, with the reason

A mutant runs interpreted in a process of its own kind: it may loop, eat memory or die, and only its
worker goes with it.
"""

from __future__ import annotations

import fnmatch
import hashlib
import multiprocessing
import signal
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.resources import files
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from refute.board.copies import source_of
from refute.errors import InputError, RefuteError, quote
from refute.mutating import Mutant, find_mutants, show_diff
from refute.trial import CRASH, TIMEOUT, Kill, Trial

MODULE: Final = "_core"
EQUIVALENTS: Final = "equivalents.toml"
DEFAULT_WALKS: Final = 128
DEFAULT_LIMIT: Final = 120.0
MEMORY: Final = 3 * 2**30  # bytes of address space a worker may have


@dataclass(frozen=True, slots=True)
class Options:
    """What is to be tried, and how. `limit` is the seconds after which a worker that fell silent is ended."""

    names: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0
    walks: int = DEFAULT_WALKS
    jobs: int = 1
    limit: float = DEFAULT_LIMIT
    equivalents: bool = False  # try those too: one that is killed is recorded wrongly


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one mutant; `kill` is None when it survived."""

    mutant: Mutant
    kill: Kill | None
    seconds: float
    reason: str = ""  # why it is recorded as equivalent, if it is


@dataclass(slots=True)
class Report:
    """A run, finished or not."""

    options: Options
    source: str
    total: int  # mutants there are
    chosen: list[Mutant]
    equivalent: dict[str, str]  # name → reason, of the mutants there are
    stale: list[str]  # recorded as equivalent, and no mutant any more
    outcomes: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def killed(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.kill is not None and not outcome.reason]

    @property
    def survivors(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.kill is None and not outcome.reason]

    @property
    def misjudged(self) -> list[Outcome]:
        """Recorded as equivalent, and killed all the same."""
        return [outcome for outcome in self.outcomes if outcome.kill is not None and outcome.reason]

    @property
    def planned(self) -> list[Mutant]:
        """Those to be tried: the equivalent ones only when asked for."""
        return [mutant for mutant in self.chosen if self.options.equivalents or mutant.name not in self.equivalent]

    @property
    def score(self) -> float:
        """The share of mutants killed, of those tried that are not equivalent."""
        tried = len(self.killed) + len(self.survivors)
        return len(self.killed) / tried if tried else 1.0

    @property
    def is_clean(self) -> bool:
        return not (self.survivors or self.misjudged or self.stale)

    def killers(self) -> dict[str, int]:
        """How many mutants each kind of check killed."""
        return dict(Counter(outcome.kill.by for outcome in self.killed if outcome.kill is not None).most_common())

    def to_json(self) -> dict[str, Any]:
        return {
            "seed": self.options.seed,
            "walks": self.options.walks,
            "seconds": round(self.seconds, 1),
            "interrupted": self.interrupted,
            "mutants": self.total,
            "chosen": len(self.chosen),
            "tried": len(self.outcomes),
            "killed": len(self.killed),
            "survived": len(self.survivors),
            "equivalent": len([mutant for mutant in self.chosen if mutant.name in self.equivalent]),
            "score": round(self.score, 4),
            "by": self.killers(),
            "stale": self.stale,
            "misjudged": [_outcome_json(outcome) for outcome in self.misjudged],
            "survivors": [
                {**_outcome_json(outcome), "diff": show_diff(self.source, outcome.mutant)} for outcome in self.survivors
            ],
            "outcomes": [_outcome_json(outcome) for outcome in self.outcomes],
        }


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    kill = outcome.kill
    return {
        "name": outcome.mutant.name,
        "function": outcome.mutant.function,
        "line": outcome.mutant.line,
        "rule": outcome.mutant.rule,
        "by": None if kill is None else kill.by,
        "check": None if kill is None else kill.check,
        "detail": None if kill is None else kill.detail,
        "seconds": round(outcome.seconds, 3),
    }


# -------------------------------------------------------------------- which mutants


def read_equivalents(text: str | None = None) -> dict[str, str]:
    """The reviewed list, name → reason; a name twice, or one without a reason, is an error."""
    if text is None:
        text = files("refute").joinpath(EQUIVALENTS).read_text(encoding="utf-8")
    try:
        groups = tomllib.loads(text).get("equivalent", [])
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{EQUIVALENTS}: {error}") from None
    reasons: dict[str, str] = {}
    for group in groups:
        if not group.get("reason", "").strip():
            raise InputError(f"{EQUIVALENTS}: a group of {len(group.get('mutants', []))} mutants has no reason")
        for name in group["mutants"]:
            if name in reasons:
                raise InputError(f"{EQUIVALENTS}: {quote(name)} is there twice")
            reasons[name] = " ".join(group["reason"].split())
    return reasons


def choose(mutants: Sequence[Mutant], options: Options) -> list[Mutant]:
    """Those named, or all; then the sample, which edits elsewhere in the source do not change."""
    chosen = list(mutants)
    if options.names:
        wanted: set[str] = set()
        for text in options.names:
            matching = {mutant.name for mutant in mutants if _matches(mutant, text)}
            if not matching:
                raise InputError(f"no mutant and no function is called {quote(text)}{_near(mutants, text)}")
            wanted |= matching
        chosen = [mutant for mutant in mutants if mutant.name in wanted]
    if options.sample is not None:
        kept = {mutant.name for mutant in shuffled(chosen, options.seed)[: options.sample]}
        chosen = [mutant for mutant in chosen if mutant.name in kept]
    return chosen


def shuffled(mutants: Sequence[Mutant], seed: int) -> list[Mutant]:
    """In an order that the seed and the names alone decide."""
    return sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed}:{mutant.name}".encode()).digest())


def _matches(mutant: Mutant, text: str) -> bool:
    function = mutant.function
    return text in (mutant.name, function, function.rpartition(".")[2]) or fnmatch.fnmatchcase(mutant.name, text)


def _near(mutants: Sequence[Mutant], text: str) -> str:
    functions = {mutant.function.rpartition(".")[2] for mutant in mutants}
    near = get_close_matches(text[:80], sorted(functions), n=3, cutoff=0.5)
    return f": did you mean {', '.join(near)}?" if near else ": `refute mutants --list` names them all"


def prepare(options: Options, source: str | None = None, equivalent: dict[str, str] | None = None) -> Report:
    """The report of a run that has not begun: what there is, and what is chosen of it."""
    source = source_of(MODULE) if source is None else source
    mutants = find_mutants(source)
    names = {mutant.name for mutant in mutants}
    recorded = read_equivalents() if equivalent is None else equivalent
    return Report(
        options,
        source,
        len(mutants),
        choose(mutants, options),
        {name: reason for name, reason in recorded.items() if name in names},
        [name for name in recorded if name not in names],
    )


# -------------------------------------------------------------------- running them


@dataclass(slots=True)
class _Worker:
    process: Any  # multiprocessing's process classes differ by context
    pipe: Connection
    mutant: Mutant | None = None
    began: float = 0.0
    is_ready: bool = False


def run_mutants(report: Report, listen: Callable[[Report], None] | None = None) -> Report:
    """Try every chosen mutant; Ctrl-C ends the run, and what was done by then is reported.

    The seed decides the order, so that runs that are ended early try others each time.
    """
    options = report.options
    waiting = shuffled(report.planned, options.seed)[::-1]
    context = multiprocessing.get_context("spawn")
    began = time.monotonic()
    workers: list[_Worker] = []
    try:
        for _ in range(min(options.jobs, len(waiting))):
            workers.append(_start(context, report))
        while waiting or any(worker.mutant is not None for worker in workers):
            for worker in list(workers):
                outcome = _hear(worker, report)
                if outcome is not None:
                    report.outcomes.append(outcome)
                    if not worker.process.is_alive():
                        workers.remove(worker)
                        worker.pipe.close()
                        workers += [_start(context, report)] if waiting else []
                        continue
                if worker.is_ready and worker.mutant is None and waiting:
                    _hand(worker, waiting.pop())
            report.seconds = time.monotonic() - began
            if listen is not None:
                listen(report)
            wait([worker.pipe for worker in workers], timeout=0.2)
    except KeyboardInterrupt:
        report.interrupted = True
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.join()
            worker.pipe.close()
    report.seconds = time.monotonic() - began
    report.outcomes.sort(key=lambda outcome: outcome.mutant.start)
    return report


def _start(context: Any, report: Report) -> _Worker:
    here, there = context.Pipe()
    arguments = (there, report.source, report.options.seed, report.options.walks)
    process = context.Process(target=_work, args=arguments, daemon=True)
    process.start()
    there.close()
    return _Worker(process, here)


def _hand(worker: _Worker, mutant: Mutant) -> None:
    worker.mutant, worker.began = mutant, time.monotonic()
    worker.pipe.send(mutant)


def _hear(worker: _Worker, report: Report) -> Outcome | None:
    """What became of the worker's mutant, if anything has by now; a worker that is lost is ended."""
    mutant = worker.mutant
    seconds = time.monotonic() - worker.began
    kill: Kill | None
    try:
        if not worker.pipe.poll():
            if mutant is None or seconds < report.options.limit:
                return None
            kill = Kill(TIMEOUT, "the worker", f"silent for {report.options.limit:g} s")
            worker.process.kill()
            worker.process.join()
        else:
            message = worker.pipe.recv()
            if isinstance(message, RefuteError):
                raise RefuteError(str(message))
            if not worker.is_ready:
                worker.is_ready = True
                return None
            kill = message
    except (EOFError, OSError):
        worker.process.join()
        if mutant is None:
            raise RefuteError(f"a worker died before its first mutant, exit code {worker.process.exitcode}") from None
        kill = Kill(CRASH, "the worker", f"died with exit code {worker.process.exitcode}")
    assert mutant is not None
    worker.mutant = None
    return Outcome(mutant, kill, seconds, report.equivalent.get(mutant.name, ""))


def _work(pipe: Connection, source: str, seed: int, walks: int) -> None:
    """What a worker does: a trial for each mutant it is sent, until nobody sends any more."""
    # Ctrl-C reaches the whole process group; the main process alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    try:
        trial = Trial(source, seed=seed, walks=walks)
        pipe.send("ready")
        while True:
            pipe.send(trial.run(pipe.recv()))
    except RefuteError as error:
        pipe.send(RefuteError(str(error)))
    except (EOFError, OSError):
        return


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return  # not on Windows; the time limit is all there is
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
