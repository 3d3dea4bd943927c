"""Drive a subject and its witnesses along a walk in lockstep, and find the first place where they part.

walk ──▶ witnesses ──▶ agreed? ──no──▶ Quarantine
     └─▶ subject   ──▶ facet by facet, ply by ply ──▶ Divergence with its verdict, or None
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from refute.board.move import decode_uci
from refute.divergence import Divergence, Facet, Quarantine, Verdict
from refute.engines.protocol import Ability, Answer, Engine, Fault, Question, Trouble
from refute.errors import InputError
from refute.kinds import NO_KIND, kind_of_move
from refute.walk import Walk

# What witnesses are asked at every ply, cheapest first.
COMPARED: Final = (Ability.MOVES, Ability.CHECK, Ability.FEN, Ability.OUTCOME)
ALONE: Final = (Ability.KEY, Ability.STATE)  # need no witness
FACETS: Final = {
    Ability.MOVES: Facet.MOVES,
    Ability.PERFT: Facet.PERFT,
    Ability.CHECK: Facet.CHECK,
    Ability.FEN: Facet.FEN,
    Ability.OUTCOME: Facet.OUTCOME,
}

# When one fault makes several moves wrong, the most particular kind names it.
PARTICULAR: Final = ("en passant", "castle", "promotion", "double push", "pawn")


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


@dataclass(slots=True)
class _Expected:
    """What the witnesses agree on at one position, and which of them said it."""

    answer: Answer = field(default_factory=Answer)
    said_by: dict[Ability, str] = field(default_factory=dict)


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

    def _choose(self, chess960: bool) -> frozenset[Ability]:
        asked = set()
        subject = self.subject
        if chess960 and Ability.CHESS960 not in subject.abilities:
            raise InputError(f"{subject.name} does not play Chess960: {_why(subject, Ability.CHESS960)}")
        for ability in (*COMPARED, Ability.PERFT):
            if ability is Ability.PERFT and self.depth < 2:
                continue  # depth 1 is the moves themselves
            if ability not in subject.abilities:
                self.skipped.append(Skip(ability.value, f"{subject.name}: {_why(subject, ability)}"))
                continue
            able = [witness for witness in self.witnesses if _is_asked(witness, ability, self.witnesses)]
            if not able:
                names = ", ".join(witness.name for witness in self.witnesses)
                self.skipped.append(Skip(ability.value, f"no witness can say ({names})"))
                continue
            asked.add(ability)
        for ability in ALONE:
            if ability not in subject.abilities:
                self.skipped.append(Skip(_ALONE_NAMES[ability], f"{subject.name}: {_why(subject, ability)}"))
        if not asked:
            why = "; ".join(f"{skip.check}: {skip.why}" for skip in self.skipped)
            raise InputError(f"{subject.name} and its witnesses have nothing that can be compared ({why})")
        return frozenset(asked)

    def _question_for(self, witness: Engine, asked: frozenset[Ability]) -> Question:
        wanted = {ability for ability in asked if _is_asked(witness, ability, self.witnesses)}
        # A divide names the moves too; and a witness's FEN is what findings are written from.
        wanted |= {Ability.MOVES, Ability.FEN} & witness.abilities
        return Question(frozenset(wanted), self.depth if Ability.PERFT in wanted else 0)

    # ---------------------------------------------------------------- one walk

    def compare(self, walk: Walk) -> Comparison:
        """Compare along one walk, up to the first divergence."""
        return next(self.compare_all([walk]))

    def compare_all(self, walks: Iterable[Walk]) -> Iterator[Comparison]:
        """Compare along each walk; witnesses in other processes work one walk ahead of us."""
        coming = iter(walks)
        walk = next(coming, None)
        if walk is None:
            return
        started = self._start(walk)
        while walk is not None:
            told = [
                _collect(witness) if begun else None for witness, begun in zip(self.witnesses, started, strict=True)
            ]
            ahead = next(coming, None)
            started = self._start(ahead) if ahead is not None else []
            subject_started = _submit(self.subject, walk, self.question)
            testimony = [
                witness.along(walk, question) if answers is None else answers
                for witness, question, answers in zip(self.witnesses, self.questions, told, strict=True)
            ]
            answers = _collect(self.subject) if subject_started else self.subject.along(walk, self.question)
            yield self._judge(walk, testimony, answers)
            walk = ahead

    def _start(self, walk: Walk) -> list[bool]:
        return [
            _submit(witness, walk, question) for witness, question in zip(self.witnesses, self.questions, strict=True)
        ]

    def _judge(self, walk: Walk, testimony: list[list[Answer | Fault]], answers: list[Answer | Fault]) -> Comparison:
        comparison = Comparison(walk)
        keys: dict[str, int] = {}
        positions: dict[int, str] = {}
        fens: list[str] = []
        by_fen: list[Answer | Fault] | None = None
        for ply in range(len(walk) + 1):
            expected = self._agree(walk, ply, testimony)
            if isinstance(expected, Quarantine):
                comparison.quarantine = expected
                break
            fens.append(expected.answer.fen or (walk.fen if ply == 0 else ""))
            comparison.positions += 1
            comparison.nodes += _count(expected.answer)
            said = answers[ply] if ply < len(answers) else Fault(Trouble.GARBAGE, "gave no answer")
            found = self._differ(walk, ply, expected, said, fens)
            if found is None and isinstance(said, Answer) and said.key is not None and fens[ply]:
                found = self._check_keys(walk, ply, said.key, fens, keys, positions)
            if found is None and self.asks_by_fen and fens[ply]:
                if by_fen is None:
                    by_fen = self._ask_by_fen(walk, testimony)
                found = self._check_by_fen(walk, ply, expected, by_fen, fens)
            if found is not None:
                comparison.divergence = found
                break
        return comparison

    def _agree(self, walk: Walk, ply: int, testimony: list[list[Answer | Fault]]) -> _Expected | Quarantine:
        expected = _Expected()
        agreed = expected.answer
        for witness, answers in zip(self.witnesses, testimony, strict=True):
            said = answers[ply] if ply < len(answers) else Fault(Trouble.GARBAGE, "gave no answer")
            if isinstance(said, Fault):
                return Quarantine(walk.prefix(ply), Facet.CRASH, ((witness.name, said.text),))
            for ability in (*COMPARED, Ability.PERFT):
                new = _value(said, ability)
                if new is None:
                    continue
                old = _value(agreed, ability)
                if old is None:
                    _set(agreed, ability, new)
                    expected.said_by[ability] = witness.name
                elif old != new:
                    both = ((expected.said_by[ability], _show(ability, old)), (witness.name, _show(ability, new)))
                    return Quarantine(walk.prefix(ply), FACETS[ability], both)
        return expected

    # ---------------------------------------------------------------- the facets, in the order they are looked at

    def _differ(
        self, walk: Walk, ply: int, expected: _Expected, said: Answer | Fault, fens: list[str]
    ) -> Divergence | None:
        if isinstance(said, Fault):
            return self._misbehaved(walk, ply, said, expected, fens)
        wanted = expected.answer
        if ply == 0 and said.fen is not None and wanted.fen is not None and said.fen != wanted.fen:
            return self._found(walk, 0, Facet.FEN, Verdict.FEN, None, fens, wanted.fen, said.fen, expected)
        if said.moves is not None and wanted.moves is not None and said.moves != wanted.moves:
            return self._moves_differ(walk, ply, expected, said, fens)
        if said.check is not None and wanted.check is not None and said.check != wanted.check:
            return self._value_differs(walk, ply, Ability.CHECK, expected, said, fens, Verdict.MOVEGEN)
        if said.fen is not None and wanted.fen is not None and said.fen != wanted.fen:
            return self._value_differs(walk, ply, Ability.FEN, expected, said, fens, Verdict.FEN)
        if said.complaint is not None:
            complaint = said.complaint
            return self._found(
                walk,
                ply,
                Facet(complaint.facet),
                Verdict(complaint.verdict),
                complaint.move,
                fens,
                "no complaint",
                complaint.text,
                expected,
            )
        if said.outcome is not None and wanted.outcome is not None and said.outcome != wanted.outcome:
            verdict = _blame_outcome(wanted.outcome, said.outcome)
            return self._value_differs(walk, ply, Ability.OUTCOME, expected, said, fens, verdict)
        if said.divide is not None and wanted.divide is not None and said.divide != wanted.divide:
            return self._perft_differs(walk, ply, expected, said, fens)
        return None

    def _misbehaved(self, walk: Walk, ply: int, fault: Fault, expected: _Expected, fens: list[str]) -> Divergence:
        facet, verdict = Facet.CRASH, Verdict.CRASH
        if fault.trouble is Trouble.TIMEOUT:
            facet = Facet.TIMEOUT
        elif fault.trouble is Trouble.ASTRAY:
            # It stands on another board than it was told to: it misread the FEN, or lost the way.
            facet, verdict = Facet.FEN, (Verdict.FEN if ply == 0 else Verdict.MAKE)
        move = walk.moves[ply - 1] if ply else None
        return self._found(
            walk, ply, facet, verdict, move, fens, "an answer", fault.text, expected, transcript=fault.transcript
        )

    def _moves_differ(self, walk: Walk, ply: int, expected: _Expected, said: Answer, fens: list[str]) -> Divergence:
        wanted, got = Counter(expected.answer.moves or ()), Counter(said.moves or ())
        missing = tuple(sorted(map(decode_uci, (wanted - got).elements())))
        extra = tuple(sorted(map(decode_uci, (got - wanted).elements())))
        verdict, by_path = self._blame(walk, ply, Ability.MOVES, expected, fens, Verdict.MOVEGEN)
        kind, move = _most_particular(fens[ply], walk.chess960, missing, extra, {decode_uci(code) for code in wanted})
        return self._found(
            walk,
            ply,
            Facet.MOVES,
            verdict,
            move,
            fens,
            _show(Ability.MOVES, expected.answer.moves),
            _show(Ability.MOVES, said.moves),
            expected,
            kind=kind,
            missing=missing,
            extra=extra,
            path_dependent=by_path,
            expected_moves=tuple(map(decode_uci, expected.answer.moves or ())),
            actual_moves=tuple(map(decode_uci, said.moves or ())),
        )

    def _value_differs(
        self,
        walk: Walk,
        ply: int,
        ability: Ability,
        expected: _Expected,
        said: Answer,
        fens: list[str],
        verdict: Verdict,
    ) -> Divergence:
        verdict, by_path = self._blame(walk, ply, ability, expected, fens, verdict)
        move = walk.moves[ply - 1] if ply else None
        return self._found(
            walk,
            ply,
            FACETS[ability],
            verdict,
            move,
            fens,
            _show(ability, _value(expected.answer, ability)),
            _show(ability, _value(said, ability)),
            expected,
            path_dependent=by_path,
        )

    def _perft_differs(self, walk: Walk, ply: int, expected: _Expected, said: Answer, fens: list[str]) -> Divergence:
        wanted, got = expected.answer.divide or {}, said.divide or {}
        code = next((code for code in sorted(wanted) if wanted[code] != got.get(code)), None)
        verdict, by_path = self._blame(walk, ply, Ability.PERFT, expected, fens, Verdict.MOVEGEN)
        move = None if code is None else decode_uci(code)
        return self._found(
            walk,
            ply,
            Facet.PERFT,
            verdict,
            move,
            fens,
            f"{sum(wanted.values())} nodes at depth {self.depth}, {wanted.get(code or 0)} below {move}",
            f"{sum(got.values())} nodes at depth {self.depth}, {got.get(code or 0)} below {move}",
            expected,
            path_dependent=by_path,
        )

    def _blame(
        self, walk: Walk, ply: int, ability: Ability, expected: _Expected, fens: list[str], verdict: Verdict
    ) -> tuple[Verdict, bool]:
        """Ask for the same position by its FEN: right there, wrong along the path, convicts make."""
        if ply == 0 or not fens[ply]:
            return verdict, False
        question = Question(frozenset({ability}), self.depth if ability is Ability.PERFT else 0)
        said = self.subject.at([Walk(fens[ply], (), walk.chess960)], question)[0]
        if isinstance(said, Answer) and _value(said, ability) == _value(expected.answer, ability):
            if ability is Ability.OUTCOME:
                return verdict, True  # a FEN has no history: repetition never shows in it
            return Verdict.MAKE, True
        return verdict, False

    def _check_keys(
        self, walk: Walk, ply: int, key: int, fens: list[str], keys: dict[str, int], positions: dict[int, str]
    ) -> Divergence | None:
        """Equal positions have equal keys, and different positions on one walk different ones."""
        position = fens[ply].rsplit(" ", 2)[0]
        known = keys.setdefault(position, key)
        if known != key:
            text = f"the key of this position was {known:016x} earlier on the walk"
            return self._found(walk, ply, Facet.KEY, Verdict.HASH, None, fens, text, f"it is {key:016x} now", None)
        other = positions.setdefault(key, position)
        if other != position:
            text = f"a key of its own for {position}"
            return self._found(walk, ply, Facet.KEY, Verdict.HASH, None, fens, text, f"the key of {other}", None)
        return None

    def _ask_by_fen(self, walk: Walk, testimony: list[list[Answer | Fault]]) -> list[Answer | Fault]:
        walks = []
        for said in next((t for t in testimony if t and isinstance(t[0], Answer) and t[0].fen), []):
            if not isinstance(said, Answer) or said.fen is None:
                break
            walks.append(Walk(said.fen, (), walk.chess960))
        return self.subject.at(walks, Question(frozenset({Ability.MOVES} & self.subject.abilities)))

    def _check_by_fen(
        self, walk: Walk, ply: int, expected: _Expected, by_fen: list[Answer | Fault], fens: list[str]
    ) -> Divergence | None:
        """Right along the path, wrong when the same position is given as FEN: the FEN reader is at fault."""
        if ply >= len(by_fen) or expected.answer.moves is None:
            return None
        said = by_fen[ply]
        there = Walk(fens[ply], (), walk.chess960)
        if isinstance(said, Fault):
            return self._misbehaved(there, 0, said, expected, fens[ply:])
        if said.moves is None or said.moves == expected.answer.moves:
            return None
        found = self._moves_differ(there, 0, expected, said, fens[ply:])
        return replace(found, verdict=Verdict.FEN)

    def _found(
        self,
        walk: Walk,
        ply: int,
        facet: Facet,
        verdict: Verdict,
        move: str | None,
        fens: list[str],
        expected: str,
        actual: str,
        testimony: _Expected | None,
        *,
        kind: str | None = None,
        missing: tuple[str, ...] = (),
        extra: tuple[str, ...] = (),
        path_dependent: bool = False,
        expected_moves: tuple[str, ...] = (),
        actual_moves: tuple[str, ...] = (),
        transcript: tuple[str, ...] = (),
    ) -> Divergence:
        if kind is None:
            # The last move made is at fault when the position reached by it is wrong; else the move tried here.
            reached_by = ply > 0 and move == walk.moves[ply - 1] and facet is not Facet.MOVES and _at_end(facet)
            before = fens[ply - 1] if reached_by else fens[ply]
            kind = kind_of_move(before, move, chess960=walk.chess960) if before else NO_KIND
        witness = ", ".join(dict.fromkeys(testimony.said_by.values())) if testimony else ""
        return Divergence(
            walk=walk.prefix(ply),
            facet=facet,
            verdict=verdict,
            kind=kind,
            subject=self.subject.name,
            witness=witness or "itself",
            expected=expected,
            actual=actual,
            missing=missing,
            extra=extra,
            move=move,
            path_dependent=path_dependent,
            expected_moves=expected_moves,
            actual_moves=actual_moves,
            transcript=transcript,
            versions=self.versions,
        )


_ALONE_NAMES: Final = {Ability.KEY: "key", Ability.STATE: "invariants, restore, null"}


def _at_end(facet: Facet) -> bool:
    return facet in (Facet.FEN, Facet.CHECK, Facet.OUTCOME, Facet.CRASH, Facet.TIMEOUT)


def _why(engine: Engine, ability: Ability) -> str:
    lacks: dict[Ability, str] = getattr(engine, "lacks", {})
    return lacks.get(ability, "it does not say")


def _is_asked(witness: Engine, ability: Ability, witnesses: Sequence[Engine]) -> bool:
    """Whether this witness is worth asking: perft is left to a quick one when there is one."""
    if ability not in witness.abilities:
        return False
    if ability is not Ability.PERFT or _counts_quickly(witness):
        return True
    return not any(Ability.PERFT in other.abilities and _counts_quickly(other) for other in witnesses)


def _counts_quickly(engine: Engine) -> bool:
    return engine.name != "python-chess"


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


def _value(answer: Answer, ability: Ability) -> object:
    if ability is Ability.MOVES:
        return answer.moves
    if ability is Ability.PERFT:
        return answer.divide
    if ability is Ability.FEN:
        return answer.fen
    if ability is Ability.CHECK:
        return answer.check
    return answer.outcome


def _set(answer: Answer, ability: Ability, value: object) -> None:
    setattr(answer, "divide" if ability is Ability.PERFT else ability.value, value)


def _show(ability: Ability, value: object) -> str:
    if ability is Ability.MOVES and isinstance(value, (list, tuple)):
        return f"{len(value)} moves"
    if ability is Ability.PERFT and isinstance(value, dict):
        return f"{sum(value.values())} nodes"
    if ability is Ability.CHECK:
        return "in check" if value else "not in check"
    if ability is Ability.OUTCOME:
        return str(value) or "the game goes on"
    return str(value)


def _count(answer: Answer) -> int:
    if answer.divide is not None:
        return sum(answer.divide.values())
    return len(answer.moves or ())


def _blame_outcome(wanted: str, said: str) -> Verdict:
    """A wrong repetition is the key's fault, a wrong clock make's, any other the generator's."""
    if "fivefold-repetition" in (wanted, said):
        return Verdict.HASH
    if "seventyfive-moves" in (wanted, said):
        return Verdict.MAKE
    return Verdict.MOVEGEN


def _most_particular(
    fen: str, chess960: bool, missing: Sequence[str], extra: Sequence[str], legal: set[str]
) -> tuple[str, str]:
    """The kind that names a wrong move list, and the move that shows it."""

    def ranked() -> Iterator[tuple[int, str, str]]:
        for word, moves in (("missing", missing), ("extra", extra)):
            for move in moves:
                kind = kind_of_move(fen, move, chess960=chess960) if fen else NO_KIND
                rank = next((i for i, part in enumerate(PARTICULAR) if part in kind), len(PARTICULAR))
                yield rank, f"{'duplicate' if word == 'extra' and move in legal else word} {kind}", move

    _, kind, move = min(ranked())
    return kind, move
