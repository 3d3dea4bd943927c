"""The hunt: seed, budget, workers and stop; everything else is handed what it needs.

walk numbers ──▶ Hunter (one process each) ──events──▶ Tally ──▶ HuntResult
                    │ compare, features
                    └ a finding: on disk first, then drilled, shrunk, explained, and on disk again
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from refute.beneath import beneath
from refute.causes import key_of
from refute.compare import Comparer, Skip, counts_quickly
from refute.divergence import Divergence, Facet, Quarantine, Signature
from refute.drill import drill_finding
from refute.engines.process import DEFAULT_TIMEOUT
from refute.engines.protocol import Engine
from refute.engines.spec import find_stockfish, open_engine
from refute.errors import EngineError
from refute.explain import explain
from refute.features import FeatureCounter
from refute.finding import finding_path, write_finding
from refute.kept import take_in, time_stamp
from refute.places import ONLY_ON, only_square
from refute.report.result import HuntResult
from refute.shrink import INTERRUPTED, NOT_REPRODUCED, notes_of, shrink
from refute.walk import Walk
from refute.walking import walk_number

DEFAULT_SECONDS: Final = 30.0
DEFAULT_FOLDER: Final = Path(".refute")
HURRIED_SECONDS: Final = 0.5  # after Ctrl-C, or when the time is over: a last look, not a wait
LAST_ANSWERS: Final = 0.5  # seconds for those that are due when the time is over
LEAST_TIMEOUT: Final = 3.0
ATTEMPTS: Final = 3  # at shrinking a hang, for it to be worth while
BATCH: Final = 32  # walks each engine is asked about before the next has its turn
TICK_SECONDS: Final = 0.25
MOST_QUARANTINED: Final = 100  # kept; more only say again that the witnesses disagree


@dataclass(frozen=True, slots=True)
class Options:
    """What a hunt was asked to do. `against` empty means every witness there is."""

    engine: str = "own"
    against: tuple[str, ...] = ()
    seed: int = 0
    walks: int | None = None
    seconds: float | None = None
    depth: int | None = None  # perft at every position; None: 2 with a quick witness, else only the moves
    jobs: int = 1
    chess960: bool = False
    keep_going: bool = False
    shrinks: bool = True
    timeout: float = DEFAULT_TIMEOUT
    folder: Path = DEFAULT_FOLDER


@dataclass(frozen=True, slots=True)
class Tick:
    """How far one hunter has come, all told."""

    walks: int
    positions: int
    nodes: int
    features: dict[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """A divergence, already on disk; `index` is its walk's number."""

    index: int
    divergence: Divergence


@dataclass(frozen=True, slots=True)
class Held:
    """A position on which the witnesses disagree."""

    quarantine: Quarantine


Event = Tick | Found | Held


def timeout_within(seconds: float | None) -> float:
    """How long an engine may be silent in a hunt of that time.

    One hang must not take the time of a whole hunt, nor a busy machine look like one.
    """
    return DEFAULT_TIMEOUT if seconds is None else max(LEAST_TIMEOUT, min(DEFAULT_TIMEOUT, seconds / 10))


def default_witnesses(subject: str) -> tuple[tuple[str, ...], tuple[Skip, ...]]:
    """python-chess, and Stockfish when it is installed; nobody is a witness in its own case."""
    specs = [] if subject == "python-chess" else ["python-chess"]
    skipped: list[Skip] = []
    if subject != "stockfish":
        try:
            find_stockfish()
            specs.append("stockfish")
        except EngineError as error:
            skipped.append(Skip("perft", str(error)))
    return tuple(specs), tuple(skipped)


class Hunter:
    """One process's share of a hunt: its own engines, and the walks whose numbers it is given."""

    def __init__(self, options: Options) -> None:
        self.options = options
        specs, skipped = (options.against, ()) if options.against else default_witnesses(options.engine)
        with ExitStack() as stack:
            subject = stack.enter_context(open_engine(options.engine, timeout=options.timeout))
            witnesses = [stack.enter_context(open_engine(spec, timeout=options.timeout)) for spec in specs]
            self.comparer = Comparer(
                subject, witnesses, depth=_depth(options.depth, witnesses), chess960=options.chess960
            )
            self._stack = stack.pop_all()
        self.skipped = (*skipped, *self.comparer.skipped)
        self.features = FeatureCounter(chess960=options.chess960)
        self.walks = self.positions = self.nodes = 0
        self.seen: set[Signature] = set()
        self.is_interrupted = False  # the hunt was; what is found is still made small, in a hurry
        self.stops = False  # and then it was again

    def close(self) -> None:
        self._stack.close()

    def notice(self, told: Callable[[int], None]) -> None:
        """Tell which engine runs: n while the n-th witness is at work in this process, 0 at any other time."""
        for number, engine in enumerate((self.comparer.subject, *self.comparer.witnesses)):
            if hasattr(engine, "notice"):
                engine.notice = partial(_tell_who, told, number)

    def tick(self) -> Tick:
        return Tick(self.walks, self.positions, self.nodes, dict(self.features.counts))

    def run(
        self, indices: Iterable[int], *, watch: Callable[[int], None] | None = None, until: float | None = None
    ) -> Generator[Event, None, None]:
        """Compare along each walk; yields ticks now and then, and whatever is found at once.

        `watch` hears the number of the walk that is compared next, so that whoever dies of it is known. Walks are
        cut so that they end by the moment `until`: a slow engine may need longer for one than the hunt has left.
        """
        options = self.options
        numbers: list[int] = []

        def walks() -> Iterator[Walk]:
            for index in indices:
                numbers.append(index)
                if watch is not None:
                    # Not this one, which is only begun: the walk before it is still to be compared.
                    watch(numbers[0])
                walk = walk_number(options.seed, index, chess960=options.chess960)
                yield walk if until is None else self._fitting(walk, began, until)
            if watch is not None and numbers:
                watch(numbers[0])

        ticked = began = time.monotonic()
        last = None if until is None else until + LAST_ANSWERS
        # Whoever is watched must be on the walk it says; and a foreign engine may be slow.
        batch = BATCH if watch is None and options.engine.startswith(("own", "fault:")) else 1
        with closing(self.comparer.compare_all(walks(), batch=batch)) as comparisons, ExitStack() as hurry:
            if self.walks:
                hurry.enter_context(self.comparer.hurried(last))
            for comparison in comparisons:
                index = numbers.pop(0)
                self.walks += 1
                if self.walks == 1:
                    # Only the very first may take what it needs, so that an engine that never answers is known for it.
                    hurry.enter_context(self.comparer.hurried(last))
                self.positions += comparison.positions
                self.nodes += comparison.nodes
                self.features.see_walk(comparison.walk)
                if comparison.quarantine is not None:
                    yield Held(comparison.quarantine)
                if comparison.divergence is not None:
                    yield self._keep(index, comparison.divergence)
                if time.monotonic() - ticked >= TICK_SECONDS:
                    ticked = time.monotonic()
                    yield self.tick()
        yield self.tick()

    def _fitting(self, walk: Walk, began: float, until: float) -> Walk:
        """As much of the walk as can be compared by then, at the pace so far; what is unknown is not cut."""
        now = time.monotonic()
        if not self.walks or now <= began:
            return walk
        # Half of it, because the walk before this one may still be under way.
        most = int(self.positions / (now - began) * max(until - now, 0.0) / 2)
        return walk if len(walk) < most else walk.prefix(max(most - 1, 0))

    def _keep(self, index: int, found: Divergence) -> Found:
        """Write a finding down before anything else happens to it; then make it small and clear."""
        found = replace(found, seed=self.options.seed, original=found.walk)
        if key_of(found) in self.seen:
            return Found(index, found)
        self.seen.add(key_of(found))
        path = finding_path(self.options.folder / "found", found)
        write_finding(path, found)
        return Found(index, replace(found, notes={**found.notes, "path": str(path)}))

    def drilled(self, found: Divergence) -> Divergence:
        """The wrong move list below a wrong count or a crash; any other finding as it is."""
        if not self.options.shrinks or not found.notes.get("shrinks", True):
            return found
        return beneath(drill_finding(found, self.comparer), self.comparer)

    def shrunk(self, found: Divergence, seconds: float) -> Divergence:
        """The finding made small in that time and explained; what was noted of it stays noted.

        Ctrl-C keeps the best so far, and sets `stops`.
        """
        small, square = found, None
        if self.options.shrinks and found.notes.get("shrinks", True):
            best, end = [found], time.monotonic() + seconds
            if found.facet is Facet.TIMEOUT and seconds < ATTEMPTS * self.options.timeout:
                seconds = 0.0  # each attempt would wait for nothing
            try:
                small = shrink(found, self.comparer, seconds=seconds, listen=best.append)
                best.append(small)
                with self.comparer.hurried(end):
                    square = only_square(small, self.comparer.subject)
            except KeyboardInterrupt:
                self.is_interrupted = self.stops = True
                small = replace(best[-1], notes={**best[-1].notes, "shrunk": INTERRUPTED})
        notes = {name: note for name, note in notes_of(small, found).items() if name != ONLY_ON}
        if square is not None:
            notes[ONLY_ON] = square
        small = replace(small, seed=found.seed, original=found.original, notes=notes)
        told = explain(small)
        if small.notes.get("shrunk") == NOT_REPRODUCED:
            told += " It was seen once, and not again when asked alone: the subject may remember earlier positions."
        return replace(small, explanation=told)

    def refine(self, found: Divergence, seconds: float) -> Divergence:
        """Shrink and explain a finding, and replace its file by what came of it."""
        return self._replaced(self.shrunk(found, HURRIED_SECONDS if self.is_interrupted else seconds))

    def explained(self, found: Divergence, shrunk: str) -> Divergence:
        """The finding as it is, with a sentence, and a note of how shrinking went."""
        notes = {**found.notes, "shrunk": shrunk} if found.notes.get("shrinks", True) else found.notes
        return self._replaced(replace(found, explanation=explain(found), notes=notes))

    def _replaced(self, small: Divergence) -> Divergence:
        if "path" not in small.notes:
            return small
        # Drilled, it has another signature, and its file is named after it; there is one at every moment.
        found_as = Path(small.notes["path"])
        path = finding_path(found_as.parent, small)
        small = replace(small, notes={**small.notes, "path": str(path)})
        write_finding(path, small)
        if path != found_as:
            found_as.unlink(missing_ok=True)
        return small


def _tell_who(told: Callable[[int], None], number: int, begins: bool) -> None:
    told(number if begins else 0)


def _depth(depth: int | None, witnesses: Sequence[Engine]) -> int:
    if depth is not None:
        return depth
    return 2 if any(map(counts_quickly, witnesses)) else 0


@dataclass(slots=True)
class Tally:
    """What all hunters together have done and found."""

    options: Options
    ticks: dict[int, Tick] = field(default_factory=dict)
    findings: dict[Signature, Divergence] = field(default_factory=dict)
    counts: dict[Signature, int] = field(default_factory=dict)
    indices: dict[Signature, int] = field(default_factory=dict)  # the number of each finding's walk
    absorbed: dict[Signature, list[Divergence]] = field(default_factory=dict)  # found as well, of the same cause
    quarantined: list[Quarantine] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    began: str = field(default_factory=time_stamp)

    def take(self, job: int, event: Event) -> None:
        if isinstance(event, Tick):
            self.ticks[job] = event
        elif isinstance(event, Held):
            if len(self.quarantined) < MOST_QUARANTINED:
                self.quarantined.append(event.quarantine)
        else:
            signature = key_of(event.divergence)
            self.counts[signature] = self.counts.get(signature, 0) + 1
            if event.index < self.indices.get(signature, event.index + 1):
                # Whichever worker was quicker, the walk of the lowest number stands for its signature.
                known = self.findings.get(signature)
                self.findings[signature] = event.divergence
                self.indices[signature] = event.index
                if known is not None:
                    _forget(known, event.divergence)
            else:
                _forget(event.divergence, self.findings[signature])

    def put(self, signature: Signature, better: Divergence) -> None:
        """Put a better form of a finding in its place; one of the same signature already there takes it in."""
        self.findings.pop(signature)
        count = self.counts.pop(signature)
        key = key_of(better)
        known = self.findings.get(key)
        self.counts[key] = self.counts.get(key, 0) + count
        index = self.indices.pop(signature, 0)
        self.indices[key] = min(index, self.indices.get(key, index))
        if known is None:
            self.findings[key] = better
        else:
            _forget(better, known)

    def merge(self, best: Signature, others: Sequence[Signature]) -> None:
        """Let one finding stand for others that have the same cause."""
        self.findings[best] = take_in(self.findings[best], [self.findings[one] for one in others])
        for one in others:
            self.absorbed.setdefault(best, []).append(self.findings.pop(one))
            self.counts[best] += self.counts.pop(one)
            self.indices[best] = min(self.indices.get(best, 0), self.indices.pop(one, 0))

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def total(self) -> Tick:
        """The hunters' ticks added up."""
        features = FeatureCounter(chess960=self.options.chess960)
        for tick in self.ticks.values():
            features.add(tick.features)
        ticks = self.ticks.values()
        return Tick(
            sum(tick.walks for tick in ticks),
            sum(tick.positions for tick in ticks),
            sum(tick.nodes for tick in ticks),
            dict(features.counts),
        )

    def result(self, hunter: Hunter, *, interrupted: bool) -> HuntResult:
        """What the reports are made from."""
        total = self.total()
        found_first = sorted(self.findings.items(), key=lambda item: self.indices.get(item[0], 0))
        divergences = (replace(found, count=self.counts[signature]) for signature, found in found_first)
        return HuntResult(
            subject=hunter.comparer.subject.name,
            witnesses=tuple(witness.name for witness in hunter.comparer.witnesses),
            seed=self.options.seed,
            walks=total.walks,
            positions=total.positions,
            nodes=total.nodes,
            seconds=self.seconds,
            features=total.features,
            skipped=hunter.skipped,
            quarantined=tuple(self.quarantined),
            divergences=tuple(divergences),
            interrupted=interrupted,
            versions=hunter.comparer.versions,
        )


def _forget(found: Divergence, known: Divergence) -> None:
    """Remove the file of a finding whose cause is on disk already, in another file."""
    if "path" in found.notes and found.notes["path"] != known.notes.get("path"):
        Path(found.notes["path"]).unlink(missing_ok=True)


Listener = Callable[[Tally], None]


def end_of(options: Options, started: float) -> float | None:
    """The moment when the time is over, for a hunt that has a time."""
    seconds = options.seconds
    if seconds is None and options.walks is None:
        seconds = DEFAULT_SECONDS
    return None if seconds is None else started + seconds


def budget(options: Options, started: float, *, first: int = 0, step: int = 1) -> Iterator[int]:
    """Walk numbers until the walks or the seconds are spent."""
    end = end_of(options, started)
    index = first
    while options.walks is None or index < options.walks:
        if end is not None and time.monotonic() >= end:
            return
        yield index
        index += step
