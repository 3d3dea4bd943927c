"""One process's share of a run: hunt its walks, make what it finds small, and be done in time.

time given ──▶ hunt ──first finding──▶ hunt a little longer ──▶ drill, shrink, explain ──time left──▶ hunt …
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from refute.board import fen
from refute.causes import key_of
from refute.compare import Comparer
from refute.divergence import Divergence, Signature
from refute.engines.protocol import Ability
from refute.errors import InputError
from refute.explain import explain
from refute.finding import read_walk, write_finding
from refute.hunter import LAST_ANSWERS, MOST_QUARANTINED, Found, Held, Hunter
from refute.report.result import quarantine_to_json
from refute.suite.claims import PUBLISHED, claim_of
from refute.suite.run import Run, State
from refute.walk import Walk
from refute.workers import runs_foreign_code

FOR_CHESS960: Final = 0.2  # of the time, or of the walks
BEFORE_SHRINKING: Final = 0.5  # of the time left when something is found: there may be more to find
REST_SECONDS: Final = 3.0  # for all that is left to do after Ctrl-C
MOST_SECONDS: Final = 10.0  # for shrinking one finding
OF_ONE_COMPARISON: Final = ("trouble", "depth")  # notes that another comparison writes anew


@dataclass(frozen=True, slots=True)
class Share:
    """Which walks are a process's own: every `step`-th from `first` on."""

    name: str = "main"
    first: int = 0
    step: int = 1

    @classmethod
    def of_worker(cls, name: str, count: int) -> Share:
        """The share of xdist's worker gwN."""
        return cls(name, int("".join(filter(str.isdigit, name)) or "0"), max(1, count))

    @property
    def hunts(self) -> bool:
        """Whether it hunts at all: one started in a dead worker's place might only die of the same walk."""
        return self.first < self.step


def hunt_share(run: Run, share: Share) -> None:
    """Hunt until the run's time is over, at least one walk of each kind; every finding is on disk at once."""
    run.begin()
    if not share.hunts or run.left() <= 0:
        return
    state = State()
    # What is under way then may still come, and that takes time too.
    until = time.monotonic() + run.left() - run.reserve - min(LAST_ANSWERS, run.seconds / 20)
    track = run.track(share.name)
    try:
        run.write_state(share.name, state)
        with closing(Hunter(run.hunting_options)) as hunter:
            why = _why_not_chess960(hunter.comparer)
            _introduce(state, hunter, why)
            left = until - time.monotonic()
            standard = _Chase(run, share, hunter, state, track)
            # The first walk is walked however long it takes, but by an engine that hangs no longer than shows it.
            known = time.monotonic() + run.options.timeout
            with hunter.comparer.hurried(max(until, known) + LAST_ANSWERS):
                standard.hunt(until if why else until - left * FOR_CHESS960)
            if not why:
                with closing(Hunter(replace(run.hunting_options, chess960=True))) as other:
                    chess960 = _Chase(run, share, other, state, track)
                    # By now it is known whether it answers at all.
                    with other.comparer.hurried(until + LAST_ANSWERS):
                        chess960.hunt(until)
                    with hunter.comparer.hurried(until + LAST_ANSWERS):
                        chess960.hand_over(standard)
    finally:
        # One that could not start has nothing to tell, and nobody must wait for it.
        state.is_done = True
        run.write_state(share.name, state)
        track.close()


def refine_rest(run: Run) -> None:
    """Drill and shrink, in a hurry, what processes that were interrupted left as they had found it.

    One cause behind many wrong counts is one finding then, as in a run that was not interrupted.
    """
    left = run.left_behind()
    raw = [found for found in left if "shrunk" not in found.notes and "claim" not in found.notes]
    if not raw or runs_foreign_code(run.options):
        return  # what runs in our own process could hang or crash it, and there is nobody else left to tell
    end = time.monotonic() + REST_SECONDS
    for chess960 in sorted({found.walk.chess960 for found in raw}):
        options = replace(run.hunting_options, chess960=chess960)
        with closing(Hunter(options)) as hunter, run.track("rest") as track:
            chase = _Chase(run, Share(), hunter, State(), track)
            known = [found for found in left if found not in raw and claim_of(found) is not PUBLISHED]
            mine = [found for found in raw if found.walk.chess960 == chess960]
            chase.kept = {key_of(found): found for found in known if found.walk.chess960 == chess960}
            # Another process may have one of the same cause, which keeps its file, and its walks with it.
            before = {key: found.count for key, found in chase.kept.items()}
            for found in mine:
                chase.counts[key_of(found)] += found.count
            chase._refine(mine, end)
            for key, found in list(chase.kept.items()):
                chase._write(replace(found, count=before.get(key, 0) + chase.walks_of(key)))


def _introduce(state: State, hunter: Hunter, why_not_chess960: str) -> None:
    comparer = hunter.comparer
    state.subject = comparer.subject.name
    state.witnesses = [witness.name for witness in comparer.witnesses]
    state.versions = [list(pair) for pair in comparer.versions]
    state.skipped = [[skip.check, skip.why] for skip in hunter.skipped]
    if why_not_chess960:
        state.skipped.append(["chess960", why_not_chess960])
    state.asked = sorted(comparer.question.asks)


def _why_not_chess960(comparer: Comparer) -> str:
    for engine in (comparer.subject, *comparer.witnesses):
        if Ability.CHESS960 not in engine.abilities:
            lacks: dict[Ability, str] = getattr(engine, "lacks", {})
            return f"{engine.name} does not play it: {lacks.get(Ability.CHESS960, 'it does not say why')}"
    return ""


def _numbers(run: Run, share: Share, *, chess960: bool) -> Iterator[int]:
    if run.options.walks is None:
        return itertools.count(share.first, share.step)
    most = max(1, round(run.options.walks * FOR_CHESS960)) if chess960 else run.options.walks
    return iter(range(share.first, most, share.step))


class _Chase:
    """One hunter, standard or Chess960, and what it has found."""

    def __init__(self, run: Run, share: Share, hunter: Hunter, state: State, track: BinaryIO) -> None:
        self.run = run
        self.share = share
        self.hunter = hunter
        self.state = state
        self.track = track
        self.before = replace(state)
        hunter.notice(partial(run.note_engine, track))
        self.walks = _numbers(run, share, chess960=hunter.options.chess960)
        self.has_walks = True
        # All by what tells causes apart, which may be more than their signatures.
        self.counts: Counter[Signature] = Counter()  # as found
        self.causes: dict[Signature, Signature] = {}  # as found → once drilled
        self.kept: dict[Signature, Divergence] = {}  # once drilled

    def hunt(self, end: float) -> None:
        """Hunt and refine in turns until the end."""
        while self.has_walks and (self.hunter.walks == 0 or time.monotonic() < end):
            self._refine(self._chase(end), end)
            self._tell()

    def _chase(self, end: float) -> list[Divergence]:
        """Hunt until the end, or until what was found wants to be shrunk."""
        fresh: list[Divergence] = []
        stop = end

        def numbers() -> Iterator[int]:
            is_first = self.hunter.walks == 0
            while is_first or time.monotonic() < stop:
                is_first = False
                index = next(self.walks, None)
                if index is None:
                    self.has_walks = False
                    return
                yield index

        note = partial(self.run.note, self.track, chess960=self.hunter.options.chess960)
        for event in self.hunter.run(numbers(), watch=note, until=end):
            if isinstance(event, Held) and len(self.state.quarantined) < MOST_QUARANTINED:
                self.state.quarantined.append(quarantine_to_json(event.quarantine))
            elif isinstance(event, Found):
                self.counts[key_of(event.divergence)] += 1
                if "path" in event.divergence.notes:  # the first of its kind
                    if not fresh:
                        now = time.monotonic()
                        stop = now + (end - now) * BEFORE_SHRINKING
                    fresh.append(event.divergence)
        return fresh

    def _tell(self) -> None:
        tick, state, before = self.hunter.tick(), self.state, self.before
        state.walks = before.walks + tick.walks
        state.positions = before.positions + tick.positions
        if self.hunter.options.chess960:
            state.chess960_positions = tick.positions
        state.nodes = before.nodes + tick.nodes
        state.features = {**before.features, **tick.features}
        for name, times in before.features.items():
            state.features[name] = times + tick.features.get(name, 0)
        self.run.write_state(self.share.name, state)
        for key, found in self.kept.items():
            walks = self.walks_of(key)
            if walks != found.count:
                self._write(replace(found, count=walks))

    # ---------------------------------------------------------------- findings

    def _refine(self, fresh: list[Divergence], end: float) -> None:
        """Drill all, so that one cause is one finding; then shrink, those that refute a new claim first."""
        queue: dict[Signature, Divergence] = {}
        for found in fresh:
            with self.hunter.comparer.hurried(end + LAST_ANSWERS):
                deeper = self.hunter.drilled(found)
            key = self.causes[key_of(found)] = key_of(deeper)
            if key in queue or key in self.kept:
                _remove(found)
                continue
            queue[key] = deeper
        for left in range(len(queue), 0, -1):
            refuted = {claim_of(found).test for found in self.kept.values()}
            key = min(queue, key=lambda one: claim_of(queue[one]).test in refuted)
            seconds = min(MOST_SECONDS, (end - time.monotonic()) / left)
            self._settle(key, self.hunter.shrunk(queue.pop(key), max(seconds, 0.0)))
            if self.hunter.stops:
                raise KeyboardInterrupt  # which it kept back until the finding was written

    def _settle(self, key: Signature, small: Divergence) -> None:
        """Keep a finding by what it has become: made small, it may turn out to be one that is known."""
        now = key_of(small)
        self.causes = {first: now if cause == key else cause for first, cause in self.causes.items()}
        if now in self.kept:
            _remove(small)
        else:
            self._write(small)

    def walks_of(self, key: Signature) -> int:
        """How many walks showed what became this finding."""
        return sum(self.counts[first] for first, cause in self.causes.items() if cause == key)

    def _write(self, found: Divergence) -> None:
        """Write a finding in the place of the file it had before."""
        path = self.run.path_of(found)
        write_finding(path, found)
        if str(path) != found.notes["path"]:
            _remove(found)
        self.kept[key_of(found)] = replace(found, notes={**found.notes, "path": str(path)})

    def find(self, walk: Walk) -> Divergence | None:
        """What is wrong along a walk, as near to its cause as it can be told."""
        comparer = self.hunter.comparer
        found = _uncounted(comparer).compare(walk).divergence or comparer.compare(walk).divergence
        return self.hunter.drilled(found) if found is not None else None

    def hand_over(self, standard: _Chase) -> None:
        """Leave to standard chess what it shows as well: only the rest says something of Chess960."""
        shown = {(key.facet, key.verdict): claim_of(found) for key, found in standard.kept.items()}
        for key, found in list(self.kept.items()):
            walk = _as_standard(found.walk)
            same = standard.find(walk) if walk is not None else None
            if key in standard.kept:
                _remove(found)
            elif same is not None:
                notes = {name: note for name, note in found.notes.items() if name not in OF_ONE_COMPARISON}
                same = replace(same, original=walk, seed=found.seed, count=found.count, notes={**notes, **same.notes})
                standard._write(replace(same, explanation=explain(same)))
            elif (key.facet, key.verdict) in shown:
                # Most likely the same cause; kept, because it may not be.
                self._write(replace(found, notes={**found.notes, "claim": shown[(key.facet, key.verdict)].test}))


def _uncounted(comparer: Comparer) -> Comparer:
    """The same without perft, which sees a wrong move one ply before it can be made, as another fault."""
    return Comparer(comparer.subject, comparer.witnesses)


def _as_standard(walk: Walk) -> Walk | None:
    """The same walk as standard chess, where there is one."""
    try:
        start = fen.parse(walk.fen, chess960=True)
        text = fen.write(start, en_passant="always")
        if fen.parse(text, chess960=False).chess960:
            return None
        return read_walk(str(Walk(text, walk.moves)))
    except InputError:
        return None


def _remove(found: Divergence) -> None:
    Path(found.notes["path"]).unlink(missing_ok=True)
