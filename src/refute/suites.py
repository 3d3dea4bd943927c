"""Perft suites put to an engine: which counts to ask for, and what it counts.

files ──read_cases──▶ PerftCase ──plan──▶ Task (position, depth, expected) ──run──▶ Counted
                                     └──▶ Skipped, with why: never counted as passed
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Final

from refute.board import fen
from refute.board.epd import PerftCase, read_suite
from refute.engines.protocol import Ability, Answer, Engine, Fault, Question, Trouble
from refute.errors import EpdError, InputError
from refute.walk import Walk

MOST_CASES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Task:
    """One published count; `index` numbers its position, because a suite may have one twice."""

    index: int
    fen: str
    chess960: bool
    depth: int
    expected: int


@dataclass(frozen=True, slots=True)
class Counted:
    """What an engine made of one task: a number, or the way it failed to give one."""

    task: Task
    counted: int | None
    fault: Fault | None
    seconds: float

    @property
    def is_ok(self) -> bool:
        return self.counted == self.task.expected


@dataclass(slots=True)
class Plan:
    """What will be asked, and how many counts will not be, by reason."""

    tasks: list[Task] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)

    def skip(self, why: str) -> None:
        self.skipped[why] = self.skipped.get(why, 0) + 1


def read_cases(paths: Iterable[str | PathLike[str]], *, chess960: bool = False) -> list[PerftCase]:
    """Every case of every file, in order; EpdError names the file that has none or a line that is none."""
    cases: list[PerftCase] = []
    for path in paths:
        found = read_suite(path, chess960=chess960)
        if not found:
            raise EpdError(f"{str(path)!a} has no positions, expected lines like 'FEN ;D1 20 ;D2 400'")
        cases += found
        if len(cases) > MOST_CASES:
            raise EpdError(f"{str(path)!a}: over {MOST_CASES} positions are more than one run takes")
    return cases


def plan(cases: Sequence[PerftCase], engine: Engine, *, max_nodes: int | None = None) -> Plan:
    """What an engine can be asked of the cases; InputError when that is nothing at all."""
    made = Plan()
    can_count = Ability.PERFT in engine.abilities
    for index, case in enumerate(cases):
        text = _rewrite(case)
        for depth, expected in sorted(case.counts.items()):
            if max_nodes is not None and expected > max_nodes:
                made.skip(f"above --max-nodes {max_nodes}")
            elif case.chess960 and Ability.CHESS960 not in engine.abilities:
                made.skip(f"{engine.name} does not play Chess960")
            elif not can_count and (depth > 1 or Ability.MOVES not in engine.abilities):
                made.skip(f"{engine.name} does not count: it has no ability perft")
            else:
                made.tasks.append(Task(index, text, case.chess960, depth, expected))
    if not made.tasks:
        reasons = "; ".join(f"{number} {why}" for why, number in made.skipped.items())
        raise InputError(f"nothing to count, all is skipped: {reasons}")
    return made


def run(engine: Engine, made: Plan) -> Iterator[Counted]:
    """What the engine counts, task by task.

    A position that it failed on is not asked deeper: the next depth would only fail more slowly.
    """
    failed: int | None = None
    for task in made.tasks:
        if task.index == failed:
            made.skip("deeper than a depth without an answer")
            continue
        counted = count(engine, task)
        failed = task.index if counted.fault is not None else None
        yield counted


def count(engine: Engine, task: Task) -> Counted:
    """What the engine counts for one task."""
    wanted = Ability.PERFT if Ability.PERFT in engine.abilities else Ability.MOVES
    depth = task.depth if wanted is Ability.PERFT else 0
    started = time.perf_counter()
    (answer,) = engine.at([Walk(task.fen, (), task.chess960)], Question(frozenset({wanted}), depth))
    seconds = time.perf_counter() - started
    if isinstance(answer, Fault):
        return Counted(task, None, answer, seconds)
    number = _number(answer)
    if number is None:
        return Counted(task, None, Fault(Trouble.GARBAGE, "gave an answer without a count"), seconds)
    return Counted(task, number, None, seconds)


def _number(answer: Answer) -> int | None:
    if answer.divide is not None:
        return sum(answer.divide.values())
    return len(answer.moves) if answer.moves is not None else None


def _rewrite(case: PerftCase) -> str:
    """The case's FEN as we write it, because engines go astray on what our reader takes in its stride."""
    position = fen.parse(case.fen, chess960=case.chess960)
    # An engine whose author writes rights as file letters may read no others.
    shredder = not set(case.fen.split()[2]) <= set("KQkq-")
    return fen.write(position, en_passant="always", shredder=shredder)
