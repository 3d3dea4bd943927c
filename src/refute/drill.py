"""Descend, divide by divide, to the first position whose move list the subject gets wrong.

    walk, depth ──▶ divide of both ──moves differ──▶ Divergence here
                        └─counts differ─▶ walk + that move, depth - 1 ─▶ …

The way down is always the start and its moves: a position sent anew as FEN hides what make left behind.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from refute.board.move import decode_uci
from refute.compare import Comparer, counts_quickly
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.protocol import Ability, Answer, Engine, Fault, Question, Trouble
from refute.errors import EngineError, InputError
from refute.kinds import NO_KIND, kind_of_move
from refute.passes import starts_of
from refute.walk import Walk

# What becomes of an engine on the way down is a finding too.
CONVICTING: Final = {
    Trouble.CRASH: (Facet.CRASH, Verdict.CRASH),
    Trouble.GARBAGE: (Facet.CRASH, Verdict.CRASH),
    Trouble.TIMEOUT: (Facet.TIMEOUT, Verdict.CRASH),
    Trouble.MISCOUNT: (Facet.PERFT, Verdict.MAKE),
    Trouble.ASTRAY: (Facet.FEN, Verdict.MAKE),
}
LEAST_COUNT: Final = 2  # plies that a comparison counts, if it counts at all
NO_ANSWER: Final = (Trouble.TIMEOUT, Trouble.GARBAGE)  # which says nothing of a wrong count above it


@dataclass(frozen=True, slots=True)
class Difference:
    """One root move and the nodes below it; None where a side does not have the move at all."""

    move: str
    expected: int | None
    actual: int | None


@dataclass(frozen=True, slots=True)
class Level:
    """One position on the way down: both totals, and the moves whose counts differ."""

    walk: Walk
    depth: int
    expected: int
    actual: int
    differences: tuple[Difference, ...]
    lists_differ: bool  # the move lists themselves, not only what is counted below them


@dataclass(frozen=True, slots=True)
class Drilled:
    """Where the way down ended, and how; no divergence means that the counts agree."""

    levels: tuple[Level, ...]
    divergence: Divergence | None
    remark: str = ""  # one sentence, when make stands convicted


Listener = Callable[[Level], None]


def drill(subject: Engine, witness: Engine, walk: Walk, depth: int, *, listen: Listener | None = None) -> Drilled:
    """Find the first position below the walk whose move list differs; `listen` hears of every level.

    Make is convicted when a list or a count is wrong along the moves and right for the same position as FEN, and
    when a count is wrong although every count below it agrees.
    """
    if depth < 1:
        raise InputError(f"{depth} is no depth to drill to: expected 1 or more")
    for engine in (subject, witness):
        needed = [Ability.PERFT, Ability.MOVES] + [Ability.CHESS960] * walk.chess960
        lacking = [ability.value for ability in needed if ability not in engine.abilities]
        if lacking:
            lacks: dict[str, str] = getattr(engine, "lacks", {})
            why = lacks.get(lacking[0])
            reason = f": {why}" if why else ""
            raise EngineError(f"{engine.name} cannot be drilled, it has no ability {lacking[0]}{reason}")
    return _Driller(subject, witness, listen).run(walk, depth)


def drill_finding(found: Divergence, comparer: Comparer) -> Divergence:
    """What lies below a wrong count: the wrong move list it comes from, or the finding as it is if there is none.

    A count is wrong because something deeper is, and only that can be shrunk and explained.
    """
    if found.facet is not Facet.PERFT or found.verdict is Verdict.HASH or comparer.depth < 2:
        return found
    able = [witness for witness in comparer.witnesses if Ability.PERFT in witness.abilities]
    witness = next(filter(counts_quickly, able), able[0] if able else None)
    if witness is None:
        return found
    try:
        deeper = drill(comparer.subject, witness, found.walk, comparer.depth).divergence
    except EngineError:
        return found
    # A count that is wrong above right move lists has nothing below it, and the finding itself can be shrunk.
    if deeper is None or deeper.facet is Facet.PERFT or deeper.notes.get("trouble") in NO_ANSWER:
        return found
    original = found.original or found.walk
    notes = {**deeper.notes, **found.notes}
    return dataclasses.replace(deeper, original=original, seed=found.seed, count=found.count, notes=notes)


class _Driller:
    def __init__(self, subject: Engine, witness: Engine, listen: Listener | None) -> None:
        self.subject = subject
        self.witness = witness
        self.listen = listen
        self.levels: list[Level] = []

    def run(self, walk: Walk, depth: int) -> Drilled:
        level = self._look(walk, depth)
        if isinstance(level, Divergence):
            return Drilled((), level)
        while True:
            self._keep(level)
            if level.lists_differ:
                return self._convict_moves(level)
            if not level.differences:
                return Drilled(tuple(self.levels), None)
            below = self._descend(level)
            if below is None:
                return self._convict_count(level)
            if isinstance(below, Divergence):
                return Drilled(tuple(self.levels), below)
            level = below

    def _keep(self, level: Level) -> None:
        self.levels.append(level)
        if self.listen is not None:
            self.listen(level)

    def _descend(self, level: Level) -> Level | Divergence | None:
        """The first level below that differs too; None when all of them agree once they are stood upon."""
        if level.depth == 1:
            return None
        for difference in level.differences:
            below = self._look(level.walk.then(difference.move), level.depth - 1)
            if isinstance(below, Divergence) or below.differences or below.lists_differ:
                return below
        return None

    def _look(self, walk: Walk, depth: int) -> Level | Divergence:
        question = Question(frozenset({Ability.PERFT, Ability.MOVES}), depth)
        expected = self.witness.at([walk], question)[0]
        if isinstance(expected, Fault):
            raise _unable(self.witness, walk, expected)
        actual = self.subject.at([walk], question)[0]
        if isinstance(actual, Fault):
            return self._convict_fault(walk, depth, actual)
        return _compare(walk, depth, _counts(self.witness, expected), _counts(self.subject, actual), expected, actual)

    # ------------------------------------------------------------ verdicts

    def _convict_moves(self, level: Level) -> Drilled:
        comparer = Comparer(self.subject, [self.witness], chess960=level.walk.chess960)
        comparer.question = Question(frozenset({Ability.MOVES}))
        comparer.asks_by_fen = False
        found = comparer.compare(level.walk).divergence
        if found is None or found.walk != level.walk:
            # It lists other moves when it counts than when it is asked for them.
            move = level.differences[0].move if level.differences else None
            found = self._divergence(level.walk, Facet.PERFT, Verdict.MOVEGEN, move, *_totals(level))
            found = dataclasses.replace(found, notes={"depth": level.depth})
            return Drilled(tuple(self.levels), found, "Asked for its moves alone, the subject lists the right ones.")
        remark = ""
        if found.path_dependent:
            remark = "Given the same position as FEN, the subject lists the right moves: make is at fault."
        return Drilled(tuple(self.levels), found, remark)

    def _convict_count(self, level: Level) -> Drilled:
        """A count is wrong over a move below which every list is right: by what makes moves and takes them back."""
        difference = level.differences[0]
        walk, depth = level.walk, level.depth
        below = f"below {difference.move} at depth {depth}"
        right_by_fen = bool(walk.moves) and self._counts_right_by_fen(level)
        found = self._divergence(
            walk,
            Facet.PERFT,
            Verdict.MAKE,
            difference.move,
            f"{difference.expected} nodes {below}",
            f"{difference.actual} nodes {below}",
        )
        found = dataclasses.replace(found, path_dependent=right_by_fen, notes={"depth": max(depth, LEAST_COUNT)})
        remark = (
            f"Every divide below {difference.move} agrees once the subject stands there, and its own count over that "
            "move does not: its make or unmake is at fault."
        )
        if right_by_fen:
            remark = "Given the same position as FEN, the subject counts right: make is at fault."
        return Drilled(tuple(self.levels), found, remark)

    def _counts_right_by_fen(self, level: Level) -> bool:
        there = Walk(starts_of(level.walk)[-1], (), level.walk.chess960)
        below = self._look(there, level.depth)
        return isinstance(below, Level) and not below.differences and not below.lists_differ

    def _convict_fault(self, walk: Walk, depth: int, fault: Fault) -> Divergence:
        facet, verdict = CONVICTING[fault.trouble]
        if facet is Facet.FEN and not walk.moves:
            verdict = Verdict.FEN
        move = walk.moves[-1] if walk.moves else None
        found = self._divergence(walk, facet, verdict, move, "an answer", fault.text)
        notes = {"trouble": fault.trouble.value, "depth": self._telling(walk, depth)}
        return dataclasses.replace(found, transcript=fault.transcript, notes=notes)

    def _telling(self, walk: Walk, depth: int) -> int:
        """How deep to count so that it shows again: one ply is only its moves to whoever runs it again."""
        if depth >= LEAST_COUNT or isinstance(self.subject.at([walk], Question(frozenset({Ability.MOVES})))[0], Fault):
            return depth
        return LEAST_COUNT

    def _divergence(
        self, walk: Walk, facet: Facet, verdict: Verdict, move: str | None, expected: str, actual: str
    ) -> Divergence:
        made = bool(walk.moves) and facet is not Facet.PERFT
        before = starts_of(walk)[-2 if made else -1]
        return Divergence(
            walk=walk,
            facet=facet,
            verdict=verdict,
            kind=kind_of_move(before, move, chess960=walk.chess960) if move else NO_KIND,
            subject=self.subject.name,
            witness=self.witness.name,
            expected=expected,
            actual=actual,
            move=move,
            versions=tuple((engine.name, engine.version) for engine in (self.subject, self.witness)),
        )


def _compare(
    walk: Walk, depth: int, wanted: dict[int, int], got: dict[int, int], expected: Answer, actual: Answer
) -> Level:
    codes = sorted(wanted.keys() | got.keys(), key=decode_uci)
    differences = tuple(
        Difference(decode_uci(code), wanted.get(code), got.get(code))
        for code in codes
        if wanted.get(code) != got.get(code)
    )
    # A divide cannot say that a move was generated twice; the list can.
    lists_differ = wanted.keys() != got.keys()
    if expected.moves is not None and actual.moves is not None:
        lists_differ = lists_differ or Counter(expected.moves) != Counter(actual.moves)
    return Level(walk, depth, sum(wanted.values()), sum(got.values()), differences, lists_differ)


def _counts(engine: Engine, answer: Answer) -> dict[int, int]:
    if answer.divide is None:
        raise EngineError(f"{engine.name} gave no counts by root move")
    return answer.divide


def _totals(level: Level) -> tuple[str, str]:
    return f"{level.expected} nodes at depth {level.depth}", f"{level.actual} nodes at depth {level.depth}"


def _unable(engine: Engine, walk: Walk, fault: Fault) -> EngineError:
    last_words = "".join(f"\n  {line}" for line in fault.transcript[-5:])
    return EngineError(f"{engine.name}: {fault.trouble.value} at {str(walk)!r}: {fault.text}{last_words}")
