"""A hunt in several processes: each its own engines and every n-th walk, and no finding lost if one dies.

main ──walk numbers j, j+n, j+2n …──▶ worker j
     ◀──events over a pipe───────────           a worker that dies was walking number `current`
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from refute.divergence import Divergence, Facet, Verdict
from refute.errors import EngineError, RefuteError
from refute.finding import finding_path, write_finding
from refute.hunter import Event, Found, Hunter, Listener, Options, Tally, budget, end_of
from refute.kinds import NO_KIND
from refute.refining import group_findings, is_time_to_refine, keep_findings, refine_findings
from refute.report.result import HuntResult
from refute.walking import walk_number

FAR: Final = 2**62
PATIENCE: Final = 5.0  # seconds a worker has to end once told to
LOOK_EVERY: Final = 0.2  # seconds between two looks at workers that tell nothing
STALLED: Final = 10  # timeouts without a walk done, until an engine in the worker's own process is called hung


@dataclass(slots=True)
class Worker:
    """One process and what is shared with it."""

    job: int
    process: Any  # multiprocessing's process classes differ by context
    events: Connection
    current: Any  # the number of the walk it compares
    is_done: bool = False
    seen: int = -1  # that number when it was last looked at
    since: float = 0.0  # and the time when it last changed
    has_stalled: bool = False


def hunt_in_processes(options: Options, listen: Listener | None = None) -> HuntResult:
    """Hunt with `options.jobs` workers; findings are the same as with one."""
    context = multiprocessing.get_context("spawn")
    # Walks past the limit are left alone: that is how every number of jobs stops at the same finding.
    limit = context.Value("q", FAR)
    tally = Tally(options)
    here = Hunter(options)  # refines what is found; and a wrong SPEC is told before anything starts
    workers: list[Worker] = []
    first: Found | None = None
    interrupted = False
    try:
        try:
            tally.started = time.monotonic()
            office = _Office(context, options, limit, tally.started)
            workers = [office.start(job, first=job) for job in range(options.jobs)]
            for job, event in office.events(workers):
                if isinstance(event, Found) and not options.keep_going:
                    first = event if first is None or event.index < first.index else first
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
            _end(worker, tally)
        if first is not None:
            tally.take(0, first)
        here.is_interrupted = interrupted
        interrupted |= refine_findings(tally, here)
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

    def start(self, job: int, *, first: int) -> Worker:
        receiver, sender = self.context.Pipe(duplex=False)
        current = self.context.Value("q", first)
        process = self.context.Process(
            target=_work, args=(self.options, job, first, sender, current, self.limit, self.started), daemon=True
        )
        # Ctrl-C reaches the whole process group. Held back here, it finds the worker deaf from its first moment.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sender.close()
        return Worker(job, process, receiver, current, since=time.monotonic())

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
                    yield worker.job, _death(self.options, worker)
                    if self.options.keep_going and worker.current.value < self.limit.value:
                        first = worker.current.value + self.options.jobs
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
        now = time.monotonic()
        if worker.current.value != worker.seen:
            worker.seen, worker.since = worker.current.value, now
        elif runs_foreign_code(self.options) and now - worker.since > STALLED * self.options.timeout:
            worker.has_stalled = True
            worker.process.kill()


def runs_foreign_code(options: Options) -> bool:
    """Whether an engine runs inside the hunting process, where it can crash or hang it."""
    return any(spec.startswith("py:") for spec in (options.engine, *options.against))


def _work(options: Options, job: int, first: int, events: Connection, current: Any, limit: Any, started: float) -> None:
    """What a worker does: hunt its walks and tell what happens."""
    # The main process alone decides what Ctrl-C means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def numbers() -> Iterator[int]:
        for index in budget(options, started, first=first, step=options.jobs):
            if index > limit.value:
                return
            yield index

    def watch(index: int) -> None:
        current.value = index

    try:
        hunter = Hunter(options)
    except RefuteError as error:
        events.send(error)
        return
    try:
        for event in hunter.run(numbers(), watch=watch, until=end_of(options, started)):
            events.send((job, event))
    finally:
        hunter.close()
    events.send(None)


def _death(options: Options, worker: Worker) -> Found:
    """A worker died: what it was asked about killed it, and that is a finding."""
    index = worker.current.value
    walk = walk_number(options.seed, index, chess960=options.chess960)
    code = worker.process.exitcode
    if code == 1:
        raise EngineError(f"a worker failed on walk number {index} of seed {options.seed}; its error is told above")
    how = f"died of signal {-code}" if code is not None and code < 0 else f"died with exit code {code}"
    if worker.has_stalled:
        how = f"gave no answer for {STALLED * options.timeout:.0f} s"
    found = Divergence(
        walk=walk,
        facet=Facet.TIMEOUT if worker.has_stalled else Facet.CRASH,
        verdict=Verdict.CRASH,
        kind=NO_KIND,
        subject=options.engine,
        witness="itself",
        expected="an answer",
        actual=f"the process it ran in {how}, on walk number {index}",
        seed=options.seed,
        original=walk,
    )
    path = finding_path(options.folder / "found", found)
    write_finding(path, found)
    return Found(index, replace(found, notes={"path": str(path), "shrinks": False}))


def _end(worker: Worker, tally: Tally) -> None:
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
            tally.take(*message)
