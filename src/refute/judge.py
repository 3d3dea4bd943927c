"""Two answers for one position: do they differ, in which facet, and where does the fault lie?

Scene (walk, ply, what the witnesses agree on) + the subject's Answer ──▶ Divergence with its verdict, or None
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from refute.board.move import decode_uci
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.protocol import Ability, Answer, Engine, Fault, Question, Trouble
from refute.kinds import NO_KIND, kind_of_move
from refute.passed import before_push, name_passed_square
from refute.walk import Walk

FACETS: Final = {
    Ability.MOVES: Facet.MOVES,
    Ability.PERFT: Facet.PERFT,
    Ability.CHECK: Facet.CHECK,
    Ability.FEN: Facet.FEN,
    Ability.NUMBERS: Facet.FEN,
    Ability.OUTCOME: Facet.OUTCOME,
}

FEN_FIELDS: Final = (
    "placement",
    "side to move",
    "castling rights",
    "en passant square",
    "halfmove clock",
    "move number",
)

REPETITION: Final = "fivefold-repetition"

MIRROR: Final = 56 | 56 << 6  # both squares of a code, ranks exchanged

# When one fault makes several moves wrong, the most particular kind names it.
PARTICULAR: Final = ("en passant", "castle", "promotion", "double push", "pawn")


@dataclass(slots=True)
class Expected:
    """What the witnesses agree on at one position, and which of them said it."""

    answer: Answer = field(default_factory=Answer)
    said_by: dict[Ability, str] = field(default_factory=dict)


@dataclass(slots=True)
class Scene:
    """One position of a walk, with all that is known of it there."""

    walk: Walk
    ply: int
    expected: Expected
    fen_at: Callable[[int], str]  # the FEN of any position of the walk up to this one; "" when nobody can say
    fen_after: Callable[[int, str], str] = lambda ply, move: ""  # the FEN one move off the walk

    @property
    def fen(self) -> str:
        return self.fen_at(self.ply)

    @property
    def last_move(self) -> str | None:
        return self.walk.moves[self.ply - 1] if self.ply else None


class Judge:
    """Looks at the facets in a fixed order, and convicts."""

    def __init__(self, subject: Engine, versions: tuple[tuple[str, str], ...], *, depth: int) -> None:
        self.subject = subject
        self.versions = versions
        self.depth = depth

    def differ(self, scene: Scene, said: Answer | Fault) -> Divergence | None:
        """The first facet in which the subject's answer is wrong.

        The position itself is looked at first where a walk begins, because a misread FEN makes everything
        else wrong too; after that the moves come first, because a wrong move list makes the examination
        of every move meaningless.
        """
        if isinstance(said, Fault):
            return self.misbehaved(scene, said)
        wanted = scene.expected.answer
        if scene.ply == 0 and (_differs(said.fen, wanted.fen) or _differs(said.numbers, wanted.numbers)):
            ability = Ability.FEN if _differs(said.fen, wanted.fen) else Ability.NUMBERS
            if not self._differs_by_push(scene, said):
                return self._differ_in(scene, ability, said, Verdict.FEN)
        if _differs(said.moves, wanted.moves):
            return self.moves_differ(scene, said)
        if _differs(said.check, wanted.check):
            return self._differ_in(scene, Ability.CHECK, said, Verdict.MOVEGEN)
        if _differs(said.fen, wanted.fen):
            return self._differ_in(scene, Ability.FEN, said, Verdict.FEN)
        if _differs(said.numbers, wanted.numbers):
            return self._differ_in(scene, Ability.NUMBERS, said, Verdict.FEN)
        if said.complaint is not None:
            complaint = said.complaint
            facet, verdict = Facet(complaint.facet), Verdict(complaint.verdict)
            mirrored = self._wrong_when_mirrored(scene) if facet is Facet.MOVES else None
            if mirrored is not None:
                return mirrored
            if facet is Facet.INVARIANTS and verdict is Verdict.MAKE and self._refuses_after(scene, complaint.move):
                verdict = Verdict.MOVEGEN
            kind = complaint.kind
            if kind is None and facet is Facet.FEN:
                # A FEN that its own reader refuses has a wrong field, which may not be the one that is complained of.
                kind = _wrong_field(scene.fen, self._own_fen(scene))
            return self.found(scene, facet, verdict, complaint.move, "no complaint", complaint.text, kind=kind)
        if _differs(said.outcome, wanted.outcome):
            return self._lost_history(scene, said) or self._differ_in(
                scene, Ability.OUTCOME, said, _blame_outcome(wanted.outcome, said.outcome)
            )
        if _differs(said.divide, wanted.divide):
            return self._perft_differs(scene, said)
        return None

    def _lost_history(self, scene: Scene, said: Answer) -> Divergence | None:
        """Repetitions are counted by what moves left to be taken back: where that is lost, it is the fault."""
        is_repetition = REPETITION in (said.outcome, scene.expected.answer.outcome)
        if not is_repetition or Ability.STATE not in self.subject.abilities:
            return None
        question = Question(frozenset({Ability.STATE}), only_taken_back=True)
        last = self.subject.along(scene.walk.prefix(scene.ply), question)[-1]
        complaint = last.complaint if isinstance(last, Answer) else None
        if complaint is None:
            return None
        facet, verdict = Facet(complaint.facet), Verdict(complaint.verdict)
        return self.found(scene, facet, verdict, complaint.move, "no complaint", complaint.text, kind=complaint.kind)

    def _wrong_when_mirrored(self, scene: Scene) -> Divergence | None:
        """The wrong move list of the colour-mirrored position, which says more than that the two differ."""
        expected = scene.expected.answer.moves
        if expected is None or not scene.fen:
            return None
        fen = name_passed_square(scene.fen, scene.last_move) if scene.last_move is not None else scene.walk.fen
        there = Walk(mirrored_fen(fen), (), scene.walk.chess960)
        said = self.subject.at([there], Question(frozenset({Ability.MOVES})))[0]
        wanted = Answer(moves=sorted(code ^ MIRROR for code in expected))
        if isinstance(said, Fault) or not _differs(said.moves, wanted.moves):
            return None
        return self.moves_differ(Scene(there, 0, Expected(wanted, scene.expected.said_by), lambda ply: there.fen), said)

    def _refuses_after(self, scene: Scene, move: str | None) -> bool:
        """Whether the position after a legal move is refused even when read: not made wrong, but judged wrong."""
        fen = scene.fen_after(scene.ply, move) if move is not None else ""
        if not fen:
            return False
        there = Walk(fen, (), scene.walk.chess960)
        return isinstance(self.subject.at([there], Question(frozenset({Ability.MOVES})))[0], Fault)

    def _differs_by_push(self, scene: Scene, said: Answer) -> bool:
        """Whether the moves are as wrong when the double push is made as when its square is read.

        Both name the en passant square only where a capture is legal, so a generator that misjudges the
        capture seems to have misread the FEN.
        """
        pushed = before_push(scene.walk.prefix(0))
        if pushed is None or not _differs(said.moves, scene.expected.answer.moves):
            return False
        by_path = self.subject.at([pushed], Question(frozenset({Ability.MOVES})))[0]
        return isinstance(by_path, Answer) and by_path.moves == said.moves

    def misbehaved(self, scene: Scene, fault: Fault) -> Divergence:
        """It gave no answer at all, or one for another position."""
        facet, verdict = Facet.CRASH, Verdict.CRASH
        if fault.trouble is Trouble.TIMEOUT:
            facet = Facet.TIMEOUT
        elif fault.trouble is Trouble.MISCOUNT:
            facet, verdict = Facet.PERFT, Verdict.MAKE
        elif fault.trouble is Trouble.ASTRAY:
            # It stands on another board than it was told to: it misread the FEN, or lost the way.
            facet, verdict = Facet.FEN, (Verdict.FEN if scene.ply == 0 else Verdict.MAKE)
        notes: dict[str, Any] = {"trouble": fault.trouble.value}
        if self.depth > 0:
            notes["depth"] = self.depth  # it may have happened in counting
        more: dict[str, Any] = {"transcript": fault.transcript, "notes": notes}
        return self.found(scene, facet, verdict, scene.last_move, "an answer", fault.text, **more)

    def moves_differ(self, scene: Scene, said: Answer) -> Divergence:
        """The move lists differ, as multisets: a duplicate is an extra."""
        expected = scene.expected.answer.moves or ()
        wanted, got = Counter(expected), Counter(said.moves or ())
        missing = tuple(sorted(map(decode_uci, (wanted - got).elements())))
        extra = tuple(sorted(map(decode_uci, (got - wanted).elements())))
        verdict, by_path = self._blame(scene, Ability.MOVES, Verdict.MOVEGEN)
        legal = {decode_uci(code) for code in wanted}
        kind, move = _most_particular(scene.fen, scene.walk.chess960, missing, extra, legal)
        return self.found(
            scene,
            Facet.MOVES,
            verdict,
            move,
            show(Ability.MOVES, expected),
            show(Ability.MOVES, said.moves),
            kind=kind,
            missing=missing,
            extra=extra,
            path_dependent=by_path,
            expected_moves=tuple(map(decode_uci, expected)),
            actual_moves=tuple(map(decode_uci, said.moves or ())),
        )

    def _differ_in(self, scene: Scene, ability: Ability, said: Answer, verdict: Verdict) -> Divergence:
        verdict, by_path = self._blame(scene, ability, verdict, said)
        wanted, got = show(ability, value(scene.expected.answer, ability)), show(ability, value(said, ability))
        if ability is Ability.NUMBERS:
            # Numbers were compared because they are quick; people are shown FENs.
            wanted, got = scene.fen or wanted, self._own_fen(scene) or got
        # Where the FEN alone shows it too, the move that led here has no part in it.
        move = scene.last_move if by_path else None
        kind = _wrong_field(wanted, got) if FACETS[ability] is Facet.FEN else None
        return self.found(scene, FACETS[ability], verdict, move, wanted, got, kind=kind, path_dependent=by_path)

    def _own_fen(self, scene: Scene) -> str:
        said = self.subject.at([scene.walk.prefix(scene.ply)], Question(frozenset({Ability.FEN})))[0]
        return said.fen or "" if isinstance(said, Answer) else ""

    def _perft_differs(self, scene: Scene, said: Answer) -> Divergence:
        wanted, got = scene.expected.answer.divide or {}, said.divide or {}
        code = next((code for code in sorted(wanted) if wanted[code] != got.get(code)), None)
        verdict, by_path = self._blame(scene, Ability.PERFT, Verdict.MOVEGEN)
        move = None if code is None else decode_uci(code)

        def told(divide: dict[int, int]) -> str:
            below = "" if code is None else f", {divide.get(code, 0)} below {move}"
            return f"{sum(divide.values())} nodes at depth {self.depth}{below}"

        # Whoever runs it again must count as deep: a smaller count may well agree.
        more: dict[str, Any] = {"path_dependent": by_path, "notes": {"depth": self.depth}}
        return self.found(scene, Facet.PERFT, verdict, move, told(wanted), told(got), **more)

    def _blame(
        self, scene: Scene, ability: Ability, verdict: Verdict, said: Answer | None = None
    ) -> tuple[Verdict, bool]:
        """Ask for the same position by its FEN: right there, wrong along the path, convicts make.

        Of a position it is enough that the first part that `said` has wrong is right: another may be misread.
        """
        if scene.ply == 0 or not scene.fen:
            return verdict, False
        question = Question(frozenset({ability}), self.depth if ability is Ability.PERFT else 0)
        # The square is given whether or not a capture there is legal: that is the subject's to judge.
        there = Walk(name_passed_square(scene.fen, scene.last_move or ""), (), scene.walk.chess960)
        by_fen = self.subject.at([there], question)[0]
        if isinstance(by_fen, Fault):
            return verdict, False
        wanted, got = value(scene.expected.answer, ability), value(by_fen, ability)
        if got != wanted and not (said is not None and _is_righted(wanted, value(said, ability), got)):
            return verdict, False
        # A FEN has no history, so a repetition that shows only along the path says nothing of make.
        return (verdict if ability is Ability.OUTCOME else Verdict.MAKE), True

    def found(
        self,
        scene: Scene,
        facet: Facet,
        verdict: Verdict,
        move: str | None,
        expected: str,
        actual: str,
        *,
        kind: str | None = None,
        **more: Any,
    ) -> Divergence:
        """Put a divergence together; the kind is that of the move at fault, unless it is given."""
        if kind is None:
            # Where the position reached is wrong the last move made is at fault, else a move tried there.
            at_end = facet in (Facet.FEN, Facet.CHECK, Facet.OUTCOME, Facet.CRASH, Facet.TIMEOUT)
            before = scene.fen_at(scene.ply - 1) if at_end and scene.ply else scene.fen
            kind = kind_of_move(before, move, chess960=scene.walk.chess960) if before else NO_KIND
        return Divergence(
            walk=scene.walk.prefix(scene.ply),
            facet=facet,
            verdict=verdict,
            kind=kind,
            subject=self.subject.name,
            witness=", ".join(dict.fromkeys(", ".join(scene.expected.said_by.values()).split(", "))) or "itself",
            expected=expected,
            actual=actual,
            move=move,
            versions=self.versions,
            **more,
        )

    def convict_reader(self, scene: Scene, said: Answer | Fault) -> Divergence | None:
        """Right along the path, wrong when the same position is given as FEN: the FEN reader is at fault."""
        there = Walk(scene.fen, (), scene.walk.chess960)
        at_fen = Scene(there, 0, scene.expected, lambda ply: there.fen)
        if isinstance(said, Fault):
            return self.misbehaved(at_fen, said)
        if not _differs(said.moves, scene.expected.answer.moves):
            return None
        return replace(self.moves_differ(at_fen, said), verdict=Verdict.FEN)


def _differs(said: object, wanted: object) -> bool:
    return said is not None and wanted is not None and said != wanted


def _is_righted(wanted: object, wrong: object, other: object) -> bool:
    """Whether the first part of a position that is wrong in one answer is right in the other."""
    parts = [told.split(" ") if isinstance(told, str) else told for told in (wanted, wrong, other)]
    if not all(isinstance(told, list | tuple) for told in parts):
        return False
    return next((right == now for right, was, now in zip(*parts, strict=False) if was != right), False)


# Where an answer keeps what it says; looked up here because an enum member's value is slow to ask for.
FIELDS: Final = {ability: "divide" if ability is Ability.PERFT else ability.value for ability in FACETS}


def value(answer: Answer, ability: Ability) -> object:
    """What an answer says of one ability, None where it says nothing."""
    return getattr(answer, FIELDS[ability])


def show(ability: Ability, said: object) -> str:
    """One answer in words."""
    if ability is Ability.MOVES and isinstance(said, list | tuple):
        return f"{len(said)} moves"
    if ability is Ability.PERFT and isinstance(said, dict):
        return f"{sum(said.values())} nodes"
    if ability is Ability.CHECK:
        return "in check" if said else "not in check"
    if ability is Ability.OUTCOME:
        return str(said) or "the game goes on"
    return str(said)


def mirrored_fen(fen: str) -> str:
    """The position with colours and ranks exchanged."""
    placement, side, rights, passed, *clocks = fen.split(" ")
    mirrored = "/".join(rank.swapcase() for rank in reversed(placement.split("/")))
    # White's rights are written first, whoever had them before.
    exchanged = "".join(sorted(rights.swapcase(), key=str.islower))
    square = passed if passed == "-" else f"{passed[0]}{9 - int(passed[1])}"
    return " ".join((mirrored, "w" if side == "b" else "b", exchanged, square, *clocks))


def _wrong_field(wanted: str, got: str) -> str | None:
    """The first field of a FEN that is wrong, which names its cause better than the man that moved.

    None for the placement, where the kind of move does, and where they do not differ as FENs.
    """
    for name, left, right in zip(FEN_FIELDS, wanted.split(" "), got.split(" "), strict=False):
        if left != right:
            return None if name == "placement" else name
    return None


def _blame_outcome(wanted: str | None, said: str | None) -> Verdict:
    """A wrong repetition is the key's fault, a wrong clock make's, any other the generator's."""
    if REPETITION in (wanted, said):
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
