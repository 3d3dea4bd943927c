"""A hunt in several processes: each its own engines and every n-th walk, and no finding lost if one dies.

main ──walk numbers j, j+n, j+2n …──▶ worker j
     ◀──events over a pipe───────────           a worker that dies was walking number `current`
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

from refute.causes import group
from refute.divergence import Divergence, Facet, Quarantine, Verdict
from refute.errors import EngineError, RefuteError
from refute.finding import finding_path, write_finding
from refute.hunter import (
    HURRIED_SECONDS,
    Event,
    Found,
    Held,
    Hunter,
    Listener,
    Options,
    Tally,
    budget,
    default_witnesses,
    end_of,
)
from refute.kept import names_of
from refute.kinds import NO_KIND
from refute.refining import group_findings, is_time_to_refine, keep_findings, refine_findings
from refute.report.result import HuntResult
from refute.shrink import INTERRUPTED
from refute.walking import walk_number

START_SECONDS: Final = 20.0  # for a process to start, and to import what is ours
FAR: Final = 2**62
NONE_YET: Final = -1  # the number of a worker's walk while it starts
PATIENCE: Final = 5.0  # seconds a worker has to end once told to
LOOK_EVERY: Final = 0.2  # seconds between two looks at workers that tell nothing
STALLED: Final = 10  # timeouts without an answer, until an engine in the worker's own process is called hung
SLOW_START: Final = 10  # times what it should take, until a worker is not waited for any more
STALLED_AT_END: Final = 2  # the same, once the time of the hunt is over


@dataclass(slots=True)
class Worker:
    """One process and what is shared with it."""

    job: int
    process: Any  # multiprocessing's process classes differ by context
    events: Connection
    first: int  # the number of its first walk
    current: Any  # the number of the walk it compares
    asked: Any  # the number of the witness that runs in its process; 0 for none, and the subject is to blame
    begun: Any  # how often an engine has begun, or ended, an answer in its process
    is_done: bool = False
    seen: tuple[int, int] = (NONE_YET, 0)  # its walk and its answers when it was last looked at
    since: float = 0.0  # and the time when they last changed
    has_stalled: bool = False

    @property
    def index(self) -> int:
        """The number of the walk that it is on, or starts for."""
        return self.first if self.current.value == NONE_YET else int(self.current.value)


def hunt_in_processes(options: Options, listen: Listener | None = None) -> HuntResult:
    """Hunt with `options.jobs` workers; findings are the same as with one."""
    context = multiprocessing.get_context("spawn")
    # Walks past the limit are left alone: that is how every number of jobs stops at the same finding.
    limit = _number(context, FAR)
    tally = Tally(options)
    opened = time.monotonic()
    here = Hunter(options)  # refines what is found; and a wrong SPEC is told before anything starts
    start_seconds = START_SECONDS + time.monotonic() - opened
    workers: list[Worker] = []
    stopping: list[Found] = []  # what ends a hunt that stops at the first: several, found at the same moment
    office: _Office | None = None
    interrupted = False
    try:
        try:
            tally.started = time.monotonic()
            office = _Office(context, options, limit, tally.started, start_seconds)
            for job in range(options.jobs):
                # One by one: the first may have found something when Ctrl-C comes while the next is starting.
                workers.append(office.start(job, first=job))
            for job, event in office.events(workers):
                if isinstance(event, Found) and not options.keep_going:
                    stopping.append(event)
                    limit.value = min(limit.value, event.index)
                else:
                    tally.take(job, event)
                if is_time_to_refine(tally):
                    limit.value = -1
                if listen is not None:
                    listen(tally)
        except KeyboardInterrupt:
            interrupted = True
            limit.value = -1
        for worker in workers:
            for job, event in _last_events(worker):
                if isinstance(event, Found) and not options.keep_going:
                    stopping.append(event)
                else:
                    tally.take(job, event)
        for event in sorted(stopping, key=lambda event: event.index):
            tally.take(0, event)
        refiner = _Apart(here, office) if office is not None and runs_foreign_code(options) else here
        refiner.is_interrupted = interrupted
        interrupted |= refine_findings(tally, refiner)
        if not options.keep_going:
            _leave_to_first(tally)
        group_findings(tally)
        keep_findings(tally)
        return tally.result(here, interrupted=interrupted)
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.join()
        here.close()


@dataclass(frozen=True, slots=True)
class _Office:
    """Starts workers, hears them, and notices those that die or stand still."""

    context: Any
    options: Options
    limit: Any
    started: float
    start_seconds: float  # for a process to start, and to import these engines

    def start(self, job: int, *, first: int) -> Worker:
        current, asked, begun = (_number(self.context, value) for value in (NONE_YET, 0, 0))
        process, events = self.run(_work, self.options, job, first, (current, asked, begun), self.limit, self.started)
        return Worker(job, process, events, first, current, asked, begun, since=time.monotonic())

    def run(self, work: Callable[..., None], options: Options, *args: Any) -> tuple[Any, Connection]:
        """Start a process of ours, which is given the options, where to tell, and the rest; and where to hear it."""
        receiver, sender = self.context.Pipe(duplex=False)
        process = self.context.Process(target=work, args=(options, sender, *args), daemon=True)
        # Started by the first process otherwise, it would let signals through again that are held back here.
        resource_tracker.ensure_running()
        # Ctrl-C reaches the whole process group. Held back here, it finds the worker deaf from its first moment.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sender.close()
        return process, receiver

    def events(self, workers: list[Worker]) -> Iterator[tuple[int, Event]]:
        """What the workers tell, until all are done; one that dies is a finding, and is started again."""
        while waiting := {worker.events: worker for worker in workers if not worker.is_done}:
            for ready in wait(list(waiting), timeout=LOOK_EVERY):
                assert isinstance(ready, Connection)
                worker = waiting[ready]
                try:
                    message = ready.recv()
                except (EOFError, OSError):
                    worker.is_done = True
                    worker.process.join()
                    death = _death(self.options, worker)
                    yield worker.job, death
                    goes_on = self.options.keep_going or isinstance(death, Held)
                    if goes_on and worker.index < self.limit.value:
                        first = worker.index + self.options.jobs
                        workers.append(self.start(worker.job + self.options.jobs, first=first))
                    continue
                if message is None:
                    worker.is_done = True
                elif isinstance(message, RefuteError):
                    raise EngineError(str(message))
                else:
                    yield message
            for worker in waiting.values():
                self._watch(worker)

    def _watch(self, worker: Worker) -> None:
        """End a worker whose engine, in its process, has been silent for too long: nothing else can."""
        now, end = time.monotonic(), end_of(self.options, self.started)
        seen = worker.current.value, worker.begun.value
        if seen != worker.seen:
            worker.seen, worker.since = seen, now
            return
        if seen[0] == NONE_YET:
            # It imports its engine, as this process could: that is no answer that somebody waits for.
            if now - worker.since > SLOW_START * self.start_seconds:
                raise EngineError(f"a worker did not start within {SLOW_START * self.start_seconds:.0f} s")
            return
        # What is Python's gives up by itself when its time is over, so that this is not.
        timeouts = STALLED if end is None or now < end else STALLED_AT_END
        if runs_foreign_code(self.options) and now - worker.since > timeouts * self.options.timeout:
            worker.has_stalled = True
            worker.process.kill()


def runs_foreign_code(options: Options) -> bool:
    """Whether an engine runs inside the hunting process, where it can crash or hang it."""
    return any(spec.startswith("py:") for spec in (options.engine, *options.against))


def _become_mute() -> None:
    # Standard output is the main process's, which may be asked for JSON there; engines print, in C too.
    os.dup2(2, 1)


def _become_deaf() -> None:
    # The main process alone decides what Ctrl-C means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _work(
    options: Options, events: Connection, job: int, first: int, told: tuple[Any, Any, Any], limit: Any, started: float
) -> None:
    """What a worker does: hunt its walks and tell what happens."""
    current, asked, begun = told
    _become_deaf()
    _become_mute()

    def numbers() -> Iterator[int]:
        for index in budget(options, started, first=first, step=options.jobs):
            if index > limit.value:
                return
            yield index

    def watch(index: int) -> None:
        current.value = index

    def notice(number: int) -> None:
        asked.value = number
        begun.value += 1

    try:
        hunter = Hunter(options)
    except RefuteError as error:
        events.send(error)
        return
    hunter.notice(notice)
    # An engine that ends the process runs no `finally`: that is how its death is told from an error of ours.
    last: RefuteError | None = EngineError("a worker failed; its error is told above")
    try:
        with closing(hunter.run(numbers(), watch=watch, until=end_of(options, started))) as happening:
            for event in happening:
                events.send((job, event))
                if isinstance(event, Found) and not options.keep_going:
                    # Its walks come in their order: whatever it found from here on would not be the first.
                    events.send((job, hunter.tick()))
                    break
        last = None
    finally:
        hunter.close()
        events.send(last)


def _death(options: Options, worker: Worker) -> Found | Held:
    """A worker died: what it was asked about killed it, and that is a finding, or a witness that cannot be believed."""
    index = worker.index
    walk = walk_number(options.seed, index, chess960=options.chess960)
    code = worker.process.exitcode
    how = f"died of signal {-code}" if code is not None and code < 0 else f"died with exit code {code}"
    if worker.has_stalled:
        how = f"gave no answer for {time.monotonic() - worker.since:.0f} s"
    how = f"the process it ran in {how}, on walk number {index}"
    if worker.asked.value:
        witnesses = options.against or default_witnesses(options.engine)[0]
        return Held(Quarantine(walk, Facet.CRASH, ((witnesses[worker.asked.value - 1], how),)))
    found = Divergence(
        walk=walk,
        facet=Facet.TIMEOUT if worker.has_stalled else Facet.CRASH,
        verdict=Verdict.CRASH,
        kind=NO_KIND,
        subject=options.engine,
        witness="itself",
        expected="an answer",
        actual=how,
        seed=options.seed,
        original=walk,
    )
    path = finding_path(options.folder / "found", found)
    write_finding(path, found)
    return Found(index, replace(found, notes={"path": str(path), "shrinks": False}))


class _Apart:
    """Refines in processes of their own, which the engine that runs inside may crash or hang."""

    def __init__(self, here: Hunter, office: _Office) -> None:
        self.here = here
        self.office = office
        self.comparer = here.comparer
        self.is_interrupted = False
        self.stops = False

    def drilled(self, found: Divergence) -> Divergence:
        """As it is: that, too, asks the engine."""
        return found

    def refine(self, found: Divergence, seconds: float) -> Divergence:
        """What came of it; the finding as it was where nothing did."""
        if not found.notes.get("shrinks", True):
            return self.here.explained(found, INTERRUPTED)
        if self.is_interrupted:
            seconds = min(seconds, HURRIED_SECONDS)
        small: Divergence | None = None
        process, told = self.office.run(_refine, self.office.options, found, seconds)
        try:
            # It keeps its time by itself, unless it never comes back from code that is not Python's.
            if told.poll(self.office.start_seconds + seconds + self.office.options.timeout):
                small = told.recv()
        except (EOFError, OSError):
            pass  # it died of something on the way, which is not what was found
        except KeyboardInterrupt:
            self.is_interrupted = self.stops = True
        finally:
            process.kill()
            process.join()
        return small if small is not None else self.here.explained(found, INTERRUPTED)


def _refine(options: Options, events: Connection, found: Divergence, seconds: float) -> None:
    _become_deaf()
    _become_mute()
    with closing(Hunter(options)) as hunter:
        events.send(hunter.refine(hunter.drilled(found), seconds))


def _last_events(worker: Worker) -> Iterator[tuple[int, Event]]:
    """Let a worker finish its walk, and hear what it still has to tell."""
    deadline = time.monotonic() + PATIENCE
    while not worker.is_done and worker.events.poll(max(0.0, deadline - time.monotonic())):
        try:
            message = worker.events.recv()
        except (EOFError, OSError):
            return
        if message is None:
            return
        if isinstance(message, tuple):
            yield message


def _leave_to_first(tally: Tally) -> None:
    """Leave out what was found beside the first finding and has its cause: one process would not have seen it.

    What has another cause stays, as a finding of its own.
    """
    signatures = sorted(tally.findings, key=lambda signature: tally.indices.get(signature, 0))
    causes = group([names_of(tally.findings[signature]) for signature in signatures])
    for number in causes[0] if causes else ():
        signature = signatures[number]
        if number == 0:
            tally.counts[signature] = 1
            continue
        left = tally.findings.pop(signature)
        del tally.counts[signature], tally.indices[signature]
        if "path" in left.notes and left.notes["path"] != tally.findings[signatures[0]].notes.get("path"):
            Path(left.notes["path"]).unlink(missing_ok=True)


def _number(context: Any, value: int) -> Any:
    """A number that processes share, written by one of them.

    It has no lock, which a process that is killed while it writes would never give back.
    """
    return context.Value("q", value, lock=False)
