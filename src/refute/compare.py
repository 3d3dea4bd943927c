"""Drive a subject and its witnesses along a walk in lockstep, and find the first place where they part.

walk ──▶ witnesses ──▶ agreed? ──no──▶ Quarantine
     └─▶ subject   ──▶ Judge, ply by ply ──▶ Divergence or None
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from refute.board.move import encode_uci
from refute.divergence import Divergence, Facet, Quarantine, Verdict
from refute.engines.limits import CUT_SHORT, hurried
from refute.engines.protocol import Ability, Answer, Engine, Fault, Question, Trouble
from refute.errors import InputError
from refute.judge import FACETS, FIELDS, Expected, Judge, Scene, show, value
from refute.walk import Walk

# What is compared at every ply. NUMBERS say what FEN says, and stand in for it where everyone has them.
COMPARED: Final = (Ability.MOVES, Ability.CHECK, Ability.FEN, Ability.OUTCOME, Ability.PERFT)
AGREED: Final = (Ability.MOVES, Ability.CHECK, Ability.NUMBERS, Ability.FEN, Ability.OUTCOME, Ability.PERFT)
ALONE: Final = {Ability.KEY: "key", Ability.STATE: "invariants, restore, null"}  # need no witness


@dataclass(frozen=True, slots=True)
class Skip:
    """A check that was not made, and why; never counted as passed."""

    check: str
    why: str


@dataclass(slots=True)
class Comparison:
    """What came of one walk."""

    walk: Walk
    positions: int = 0
    nodes: int = 0
    divergence: Divergence | None = None
    quarantine: Quarantine | None = None


class Comparer:
    """A subject, its witnesses, and the questions each is asked."""

    def __init__(self, subject: Engine, witnesses: Sequence[Engine], *, depth: int = 0, chess960: bool = False) -> None:
        if not witnesses:
            raise InputError("a hunt needs at least one witness")
        self.subject = subject
        self.witnesses = tuple(witnesses)
        self.depth = depth
        self.skipped: list[Skip] = []
        asked = self._choose(chess960)
        mine = asked | {ability for ability in ALONE if ability in subject.abilities}
        self.question = Question(frozenset(mine), depth if Ability.PERFT in mine else 0)
        self.questions = [self._question_for(witness, asked) for witness in self.witnesses]
        # An engine that examines itself reads its own FEN back; of the others we ask it.
        self.asks_by_fen = Ability.STATE not in subject.abilities
        self.versions = tuple((engine.name, engine.version) for engine in (subject, *self.witnesses))
        self._said_by = dict.fromkeys(self.questions[0].asks, self.witnesses[0].name)
        self.judge = Judge(subject, self.versions, depth=depth)

    def _choose(self, chess960: bool) -> frozenset[Ability]:
        """What can be compared at all; the rest is listed as skipped, with why."""
        asked: set[Ability] = set()
        subject = self.subject
        for engine in (subject, *self.witnesses) if chess960 else ():
            if Ability.CHESS960 not in engine.abilities:
                raise InputError(f"{engine.name} does not play Chess960: {_why(engine, Ability.CHESS960)}")
        for ability in COMPARED:
            if ability is Ability.PERFT and self.depth < 2:
                continue  # depth 1 is the moves themselves
            if ability not in subject.abilities:
                self.skipped.append(Skip(ability.value, f"{subject.name}: {_why(subject, ability)}"))
            elif not any(_is_asked(witness, ability, self.witnesses) for witness in self.witnesses):
                names = ", ".join(witness.name for witness in self.witnesses)
                self.skipped.append(Skip(ability.value, f"no witness can say ({names})"))
            else:
                asked.add(ability)
        for ability, name in ALONE.items():
            if ability not in subject.abilities:
                self.skipped.append(Skip(name, f"{subject.name}: {_why(subject, ability)}"))
        if Ability.MOVES not in asked:
            why = "; ".join(f"{skip.check}: {skip.why}" for skip in self.skipped)
            raise InputError(f"{subject.name} and its witnesses have no moves that can be compared ({why})")
        writers = [engine for engine in (subject, *self.witnesses) if Ability.FEN in engine.abilities]
        if Ability.FEN in asked and all(Ability.NUMBERS in engine.abilities for engine in writers):
            asked.remove(Ability.FEN)
            asked.add(Ability.NUMBERS)
        return frozenset(asked)

    def _question_for(self, witness: Engine, asked: frozenset[Ability]) -> Question:
        wanted = {ability for ability in asked if _is_asked(witness, ability, self.witnesses)}
        wanted |= {Ability.MOVES} & witness.abilities  # a divide names the moves too
        if Ability.NUMBERS not in asked:
            wanted |= {Ability.FEN} & witness.abilities  # findings are written from it
        return Question(frozenset(wanted), self.depth if Ability.PERFT in wanted else 0)

    def hurried(self, until: float | None) -> AbstractContextManager[None]:
        """Within it, what no engine has answered by then is not compared, and nobody is blamed for that."""
        return hurried((self.subject, *self.witnesses), until)

    # ---------------------------------------------------------------- walks

    def compare(self, walk: Walk) -> Comparison:
        """Compare along one walk, up to the first divergence."""
        with closing(self.compare_all([walk])) as comparisons:
            return next(comparisons)

    def compare_all(self, walks: Iterable[Walk], *, batch: int = 1) -> Generator[Comparison, None, None]:
        """Compare along each walk; witnesses in other processes work one walk ahead of us.

        Where everyone is in this process, each is asked about `batch` walks in turn: their tables are
        large, and taking turns at every walk would have them push each other out of the cache.
        """
        if batch > 1 and not any(hasattr(engine, "submit_along") for engine in (self.subject, *self.witnesses)):
            yield from self._compare_batches(iter(walks), batch)
            return
        coming = iter(walks)
        walk = next(coming, None)
        started = self._start(walk)
        try:
            while walk is not None:
                told = self._collect(started)
                ahead = next(coming, None)
                started = self._start(ahead)
                subject_started = _submit(self.subject, walk, self.question)
                testimony = [
                    witness.along(walk, question) if answers is None else answers
                    for witness, question, answers in zip(self.witnesses, self.questions, told, strict=True)
                ]
                answers = _collect(self.subject) if subject_started else self.subject.along(walk, self.question)
                yield self._compare(walk, testimony, answers)
                walk = ahead
        finally:
            # Whoever stops early leaves a walk begun; its answers must not meet the next question.
            self._collect(started)

    def _compare_batches(self, walks: Iterator[Walk], size: int) -> Iterator[Comparison]:
        while batch := list(islice(walks, size)):
            testimonies = [
                [witness.along(walk, question) for walk in batch]
                for witness, question in zip(self.witnesses, self.questions, strict=True)
            ]
            answers = [self.subject.along(walk, self.question) for walk in batch]
            for walk, said, *testimony in zip(batch, answers, *testimonies, strict=True):
                yield self._compare(walk, testimony, said)

    def _collect(self, started: list[bool]) -> list[list[Answer | Fault] | None]:
        pairs = list(zip(self.witnesses, started, strict=True))
        started[:] = [False] * len(started)
        return [_collect(witness) if begun else None for witness, begun in pairs]

    def _start(self, walk: Walk | None) -> list[bool]:
        if walk is None:
            return [False] * len(self.witnesses)
        return [
            _submit(witness, walk, question) for witness, question in zip(self.witnesses, self.questions, strict=True)
        ]

    def _compare(self, walk: Walk, testimony: list[list[Answer | Fault]], answers: list[Answer | Fault]) -> Comparison:
        comparison = Comparison(walk)
        fens = _Fens(walk, self.witnesses, testimony)
        keys = _Keys()
        by_fen: list[Answer | Fault] | None = None
        for ply in range(len(walk) + 1):
            expected = self._agree(walk, ply, testimony)
            if isinstance(expected, Quarantine):
                is_cut = any(answer == CUT_SHORT for _, answer in expected.answers)
                comparison.quarantine = None if is_cut else expected
                break
            comparison.positions += 1
            comparison.nodes += _count(expected.answer)
            scene = Scene(walk, ply, expected, fens, fens.after)
            said = answers[ply] if ply < len(answers) else Fault(Trouble.GARBAGE, "gave no answer")
            found = self.judge.differ(scene, said)
            if found is None and isinstance(said, Answer) and said.key is not None:
                found = keys.check(self.judge, scene, said.key)
            if found is None and self.asks_by_fen:
                if by_fen is None:
                    by_fen = self._ask_by_fen(walk, fens)
                if ply < len(by_fen):
                    found = self.judge.convict_reader(scene, by_fen[ply])
            if found is not None and found.actual == CUT_SHORT:
                break
            if found is not None:
                comparison.quarantine = self._second_opinion(scene, found)
                comparison.divergence = self._seen_below(scene, found) if comparison.quarantine is None else None
                break
        return comparison

    def _second_opinion(self, scene: Scene, found: Divergence) -> Quarantine | None:
        """Before a wrong count convicts, those too slow to count everywhere count where it is wrong."""
        if found.facet is not Facet.PERFT or found.move is None:
            return None
        expected = (scene.expected.answer.divide or {}).get(encode_uci(found.move))
        below = scene.walk.prefix(scene.ply).then(found.move)
        for witness, question in zip(self.witnesses, self.questions, strict=True):
            if Ability.PERFT not in witness.abilities or Ability.PERFT in question.asks:
                continue
            said = witness.at([below], Question(frozenset({Ability.PERFT}), self.depth - 1))[0]
            if isinstance(said, Answer) and sum((said.divide or {}).values()) != expected:
                counted = sum((said.divide or {}).values())
                quick = scene.expected.said_by.get(Ability.PERFT, "another witness")
                both = ((quick, f"{expected} nodes below {found.move}"), (witness.name, f"{counted} nodes"))
                return Quarantine(scene.walk.prefix(scene.ply), Facet.PERFT, both)
        return None

    def _seen_below(self, scene: Scene, found: Divergence) -> Divergence:
        """A count that is wrong over what is right once the subject stands there convicts make."""
        if found.facet is not Facet.PERFT or found.verdict is not Verdict.MOVEGEN or found.move is None:
            return found
        expected = (scene.expected.answer.divide or {}).get(encode_uci(found.move))
        ability = Ability.MOVES if self.depth == 2 else Ability.PERFT
        below = scene.walk.prefix(scene.ply).then(found.move)
        said = self.subject.at([below], Question(frozenset({ability}), self.depth - 1))[0]
        if not isinstance(said, Answer):
            return found
        counted = len(said.moves or ()) if ability is Ability.MOVES else sum((said.divide or {}).values())
        return replace(found, verdict=Verdict.MAKE) if counted == expected else found

    def _agree(self, walk: Walk, ply: int, testimony: list[list[Answer | Fault]]) -> Expected | Quarantine:
        """What the witnesses say of one position; two that disagree, or one that fails, blame nobody else."""
        expected = Expected()
        agreed = expected.answer
        for witness, answers in zip(self.witnesses, testimony, strict=True):
            said = answers[ply] if ply < len(answers) else Fault(Trouble.GARBAGE, "gave no answer")
            if isinstance(said, Fault):
                return Quarantine(walk.prefix(ply), Facet.CRASH, ((witness.name, said.text),))
            if len(self.witnesses) == 1:
                return Expected(said, self._said_by)
            for ability in AGREED:
                new = value(said, ability)
                if new is None:
                    continue
                old = value(agreed, ability)
                if old is None:
                    setattr(agreed, FIELDS[ability], new)
                    expected.said_by[ability] = witness.name
                elif old != new:
                    both = ((expected.said_by[ability], show(ability, old)), (witness.name, show(ability, new)))
                    return Quarantine(walk.prefix(ply), FACETS[ability], both)
                else:
                    expected.said_by[ability] += f", {witness.name}"
        return expected

    def _ask_by_fen(self, walk: Walk, fens: _Fens) -> list[Answer | Fault]:
        walks = []
        for ply in range(len(walk) + 1):
            if not fens(ply):
                break
            walks.append(Walk(fens(ply), (), walk.chess960))
        return self.subject.at(walks, Question(frozenset({Ability.MOVES} & self.subject.abilities)))


class _Fens:
    """The FEN of each position of a walk, from the first witness that can say; asked for only when needed."""

    def __init__(self, walk: Walk, witnesses: Sequence[Engine], testimony: list[list[Answer | Fault]]) -> None:
        self.walk = walk
        self.witnesses = witnesses
        self.testimony = testimony
        self.known: dict[int, str] = {}

    def __call__(self, ply: int) -> str:
        if ply not in self.known:
            self.known[ply] = self._told(ply) or self._asked(ply)
        return self.known[ply]

    def _told(self, ply: int) -> str:
        for answers in self.testimony:
            said = answers[ply] if ply < len(answers) else None
            if isinstance(said, Answer) and said.fen:
                return said.fen
        return ""

    def after(self, ply: int, move: str) -> str:
        """The FEN one move off the walk."""
        return self._ask(self.walk.prefix(ply).then(move))

    def _asked(self, ply: int) -> str:
        return self._ask(self.walk.prefix(ply)) or (self.walk.fen if ply == 0 else "")

    def _ask(self, walk: Walk) -> str:
        for witness in self.witnesses:
            # One that works ahead of us is not free to be asked; it has told its FENs already.
            if Ability.FEN in witness.abilities and not hasattr(witness, "submit_along"):
                said = witness.at([walk], Question(frozenset({Ability.FEN})))[0]
                if isinstance(said, Answer) and said.fen:
                    return said.fen
        return ""


class _Keys:
    """The keys of one walk: equal positions have equal keys, different ones different keys."""

    def __init__(self) -> None:
        self.keys: dict[object, int] = {}
        self.positions: dict[int, object] = {}

    def check(self, judge: Judge, scene: Scene, key: int) -> Divergence | None:
        answer = scene.expected.answer
        # Clocks are no part of what a key stands for.
        position = answer.numbers[:-2] if answer.numbers is not None else scene.fen.rsplit(" ", 2)[0]
        if not position:
            return None
        known = self.keys.setdefault(position, key)
        if known != key:
            text = f"the key {known:016x}, as this position had it earlier on the walk"
            return judge.found(scene, Facet.KEY, Verdict.HASH, None, text, f"{key:016x}")
        if self.positions.setdefault(key, position) != position:
            text = "a key of its own"
            return judge.found(scene, Facet.KEY, Verdict.HASH, None, text, f"{key:016x}, as another position")
        return None


def _why(engine: Engine, ability: Ability) -> str:
    lacks: dict[Ability, str] = getattr(engine, "lacks", {})
    return lacks.get(ability, "it does not say")


def _is_asked(witness: Engine, ability: Ability, witnesses: Sequence[Engine]) -> bool:
    """Whether this witness is worth asking: perft is left to a quick one when there is one."""
    if ability not in witness.abilities:
        return False
    if ability is not Ability.PERFT or counts_quickly(witness):
        return True
    return not any(counts_quickly(other) for other in witnesses)


def counts_quickly(engine: Engine) -> bool:
    """Whether perft costs this engine little: python-chess counts a thousand times slower than the others."""
    return Ability.PERFT in engine.abilities and engine.name != "python-chess"


def _submit(engine: Engine, walk: Walk, question: Question) -> bool:
    """Start an engine that can work beside us; False for one that answers in this process."""
    submit = getattr(engine, "submit_along", None)
    if submit is None:
        return False
    submit(walk, question)
    return True


def _collect(engine: Engine) -> list[Answer | Fault]:
    answers: list[Answer | Fault] = engine.collect()  # type: ignore[attr-defined]  # it had submit_along
    return answers


def _count(answer: Answer) -> int:
    return sum(answer.divide.values()) if answer.divide is not None else len(answer.moves or ())
