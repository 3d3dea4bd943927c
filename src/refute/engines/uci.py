"""A UCI engine as a persistent process: many positions in one write, answers read back in order.

submit ──▶ per case:  position MARKER · position CASE · [d] · go perft N · isready
collect ◀─ Reading ── divides, displays and readyoks, sorted by case; then Answer or Fault
"""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from refute.engines.limits import CUT_SHORT
from refute.engines.process import DEFAULT_TIMEOUT, Misbehaved, Process
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.engines.uci_case import Asking, Case, OnMarker
from refute.engines.uci_probe import Dialect, greet, probe_counting, probe_display
from refute.engines.uci_text import Reading, transcript
from refute.errors import EngineError, SpecError, quote
from refute.walk import Walk

PATIENCE: Final = 20  # a case that keeps printing gets this many timeouts, and no more
CASE_BYTES: Final = 1 << 20  # far above the longest divide and display
RESTARTS: Final = 3  # attempts at starting again before the rest of a batch is given up
HUNG_CASES: Final = 3  # cases in a row without an answer in time, likewise


@dataclass(frozen=True, slots=True)
class _Batch:
    cases: list[Case]
    asking: Asking
    is_written: bool
    stops_at_fault: bool


class _Doubt(Fault):
    """What becomes of OnMarker until the case was asked with the other marker."""


class UciEngine:
    """A UCI engine that knows `go perft`; what it cannot answer is left out of `abilities`.

    `timeout` is the longest silence, in seconds, while an answer is due.
    """

    def __init__(
        self, command: str | Sequence[str], *, name: str | None = None, timeout: float = DEFAULT_TIMEOUT
    ) -> None:
        self._argv = split_command(command) if isinstance(command, str) else list(command)
        self._name = name or f"uci:{shlex.join(self._argv)}"
        self._timeout = timeout
        self.deadline = math.inf  # when to give up whatever is asked, on the clock of `time.monotonic`
        self._process: Process | None = None
        self._is_closed = False
        self._batch: _Batch | None = None
        self._chess960 = False  # what the process was last told
        self._written: list[bytes] = []  # the commands of each case of the stretch being asked
        self._received = bytearray()  # since a case last went forward
        self._dialect = self._start()
        try:
            self._probe()
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> str:
        return self._dialect.version

    @property
    def pid(self) -> int | None:
        """The process, if one runs; another after the engine had to be started again."""
        return self._process.pid if self._process is not None else None

    @property
    def abilities(self) -> frozenset[Ability]:
        return frozenset(Ability) - self.lacks.keys()

    @property
    def lacks(self) -> dict[Ability, str]:
        """Every ability it has not, and why: what a report lists as skipped."""
        lacks = {
            Ability.OUTCOME: "UCI has no question for how a game ended",
            Ability.KEY: "UCI has no question for a key",
            Ability.STATE: "a process cannot be looked into",
            Ability.NUMBERS: "a process answers in text",
        }
        if "stockfish" in self.version.lower():
            lacks[Ability.KEY] = "its key steps with the halfmove clock, so equal positions have several"
        if self._dialect.label is None:
            why = (
                f"'go perft 1' gave no divide: {self._dialect.why_uncounted} "
                "(expected 'e2e4: 1' and so on, then 'Nodes searched: 20')"
            )
            lacks[Ability.MOVES] = lacks[Ability.PERFT] = why
        if not self._dialect.shows_fen:
            lacks[Ability.FEN] = "'d' showed no 'Fen:' line"
        if self._dialect.calm is None:
            lacks[Ability.CHECK] = "'d' showed no 'Checkers:' line"
        if not self._dialect.has_chess960:
            lacks[Ability.CHESS960] = "it declares no option UCI_Chess960"
        return lacks

    def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        """Answer at the end of each walk, each from a fresh start: exactly len(walks) answers."""
        self.submit(walks, question)
        return self.collect()

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        """Answer at every position of the walk, up to the first Fault."""
        self.submit_along(walk, question)
        return self.collect()

    def submit_along(self, walk: Walk, question: Question) -> None:
        """Write what `along` would ask and return at once; `collect` brings the answers."""
        self._submit([Case(walk, plies) for plies in range(len(walk) + 1)], question, stops_at_fault=True)

    def submit(self, walks: Sequence[Walk], question: Question) -> None:
        """Write a batch and return at once, while the engine works; `collect` brings the answers."""
        self._submit([Case(walk, len(walk)) for walk in walks], question, stops_at_fault=False)

    def collect(self) -> list[Answer | Fault]:
        """The answers to what was submitted, in its order; raises RuntimeError if nothing was."""
        if self._batch is None:
            raise RuntimeError("collect() without a submit() before it")
        batch, self._batch = self._batch, None
        answers: list[Answer | Fault] = []
        try:
            for case, answer in zip(batch.cases, self._collect(batch), strict=False):
                answers.append(self._settle(case, batch.asking, answer))
                if batch.stops_at_fault and isinstance(answers[-1], Fault):
                    break
        except BaseException:
            self._stop()  # interrupted: answers still on their way must not meet the next question
            raise
        return answers

    def close(self) -> None:
        """Kill the process; closing twice is harmless."""
        self._is_closed = True
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # The process: started, probed, stopped.

    def _start(self) -> Dialect:
        process = Process(self._argv)
        try:
            dialect = greet(process, self._name)
        except BaseException:
            process.close()
            raise
        self._process = process
        self._chess960 = False
        return dialect

    def _restart(self) -> Process:
        for attempt in range(RESTARTS):
            try:
                self._start()
                break
            except EngineError:
                if attempt == RESTARTS - 1:
                    raise
        assert self._process is not None
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None

    def _probe(self) -> None:
        for look in (probe_counting, probe_display):
            process = self._process or self._restart()
            try:
                self._dialect = look(process, self._dialect, timeout=self._timeout)
            except Misbehaved as trouble:
                if look is probe_counting:
                    self._dialect = replace(self._dialect, why_uncounted=trouble.text)
                self._stop()  # what it does not know may have killed it, or set it searching without end
        if self._process is None:
            self._restart()

    # A batch: written, read, and asked again in smaller pieces when something went wrong.

    def _submit(self, cases: list[Case], question: Question, *, stops_at_fault: bool) -> None:
        if self._is_closed:
            raise EngineError(f"{self._name} is closed")
        if self._batch is not None:
            raise RuntimeError("submit() before the last batch was collected")
        asking = Asking(question, self._dialect)
        is_written = self._process is not None
        if self._process is not None:
            self._write(self._process, cases, asking)
        self._batch = _Batch(cases, asking, is_written, stops_at_fault)

    def _collect(self, batch: _Batch) -> list[Answer | Fault]:
        """Read the batch; after trouble, ask the cases it may have come from one by one, then go on."""
        results: list[Answer | Fault] = []
        is_written = batch.is_written
        alone_until = 0
        hung = 0
        trouble: Misbehaved | None = None
        while len(results) < len(batch.cases):
            start = len(results)
            if time.monotonic() >= self.deadline:
                self._stop()  # answers still on their way must not meet the next question
                # What it did before, when it had time enough, is its own fault; the rest is not.
                own = [] if trouble is None else [Fault(trouble.trouble, trouble.text)]
                return [*results, *own, *_give_up(batch, start + len(own), Trouble.TIMEOUT, CUT_SHORT)]
            cases = batch.cases[start : start + 1 if start < alone_until else None]
            try:
                process = self._process or self._restart()
            except EngineError as error:
                return results + _give_up(batch, start, Trouble.CRASH, f"could not be started again: {error}")
            if not is_written:
                self._write(process, cases, batch.asking)
            is_written = False
            suspicion, (reading, trouble) = trouble, self._read(process, cases, batch.asking)
            done = len(cases) if trouble is None else min(reading.trusted, len(cases) - 1)
            results += [self._answer(cases, index, batch.asking, reading) for index in range(done)]
            if trouble is None:
                hung = 0
                if suspicion is not None and len(results) < alone_until:
                    trouble = suspicion
                elif suspicion is not None and suspicion.trouble != Trouble.TIMEOUT:
                    # It died of something that no case alone shows. It did die: say so.
                    text = f"{suspicion.text} during a batch; asked this alone, it answered"
                    results[-1] = Fault(suspicion.trouble, text, self._transcript(process))
            elif trouble.text == CUT_SHORT:
                self._stop()
                trouble = suspicion
            elif len(cases) > 1:
                self._stop()
                alone_until = start + min(reading.ready + 1, len(cases))
            else:
                results.append(Fault(trouble.trouble, trouble.text, self._transcript(process)))
                self._stop()
                alone_until = max(alone_until, start + 2)
                hung = hung + 1 if trouble.trouble == Trouble.TIMEOUT else 0
                trouble = None
                if hung == HUNG_CASES:
                    text = f"not asked: the {hung} cases before it had no answer in time"
                    return results + _give_up(batch, len(results), Trouble.TIMEOUT, text)
                if batch.stops_at_fault:
                    break
        return results

    def _write(self, process: Process, cases: list[Case], asking: Asking) -> None:
        self._received.clear()
        self._written.clear()
        for case in cases:
            self._written.append(asking.commands(case, chess960=self._chess960))
            self._chess960 = case.walk.chess960
        process.send(b"".join(self._written))

    def _read(self, process: Process, cases: list[Case], asking: Asking) -> tuple[Reading, Misbehaved | None]:
        reading = asking.reading()
        forward = now = time.monotonic()
        try:
            while not reading.is_complete(len(cases)):
                now = time.monotonic()
                patience = min(now + self._timeout, forward + PATIENCE * self._timeout)
                chunk = process.receive(min(patience, self.deadline))
                self._received += chunk
                if reading.feed(chunk):
                    forward = now
                    if len(cases) > 1:
                        self._received.clear()
                if len(self._received) > CASE_BYTES:
                    raise Misbehaved(Trouble.GARBAGE, f"printed over {CASE_BYTES} bytes for one position")
                if len(reading.counts) > reading.ready + 1:
                    raise Misbehaved(Trouble.GARBAGE, "gave more answers than it was asked for")
        except Misbehaved as trouble:
            self._received += process.unfinished
            if trouble.trouble is Trouble.TIMEOUT and self.deadline < now + self._timeout:
                return reading, Misbehaved(Trouble.TIMEOUT, CUT_SHORT)
            return reading, trouble
        return reading, None

    def _transcript(self, process: Process | None) -> tuple[str, ...]:
        complaints = process.complaints if process is not None else b""
        return transcript(self._written, bytes(self._received), complaints)

    # What was read, made into an answer.

    def _settle(self, case: Case, asking: Asking, answer: Answer | Fault) -> Answer | Fault:
        """Look a second time at what only a case asked alone can settle, or show the transcript of."""
        if case.walk.chess960 and not self._dialect.has_chess960:
            return Fault(Trouble.ASTRAY, self.lacks[Ability.CHESS960])
        if not isinstance(answer, Fault):
            return answer
        if isinstance(answer, _Doubt):
            again = self._ask_alone(replace(case, marker=1), asking)
            return Fault(again.trouble, again.text, again.transcript) if isinstance(again, _Doubt) else again
        if not answer.transcript and answer.trouble in (Trouble.GARBAGE, Trouble.MISCOUNT, Trouble.ASTRAY):
            # What it says alone counts: Stockfish adds the moves of the next `position` command, taken in
            # while it counts, to its total. Alone, it cannot.
            return self._ask_alone(case, asking)
        return answer

    def _ask_alone(self, case: Case, asking: Asking) -> Answer | Fault:
        return self._collect(_Batch([case], asking, is_written=False, stops_at_fault=False))[0]

    def _answer(self, cases: list[Case], index: int, asking: Asking, reading: Reading) -> Answer | Fault:
        try:
            return asking.answer(cases[index], reading, index)
        except Misbehaved as trouble:
            kind = _Doubt if isinstance(trouble, OnMarker) else Fault
            # In a batch the exchange of this one case is gone; asked alone again, it will have one.
            shown = self._transcript(self._process) if len(cases) == 1 else ()
            return kind(trouble.trouble, trouble.text, shown)


def split_command(command: str) -> list[str]:
    """A command as its words, by the shell's rules of quoting but without a shell."""
    if any(not c.isprintable() for c in command):
        raise SpecError(f"the command {quote(command)} holds a character that is not printable")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SpecError(f"the command {quote(command)} cannot be split into words: {error}") from None
    if not words:
        raise SpecError("the command is empty: expected a program and its arguments")
    return words


def _give_up(batch: _Batch, start: int, trouble: Trouble, text: str) -> list[Answer | Fault]:
    return [Fault(trouble, text) for _ in batch.cases[start:]]
