"""Make a divergence small: the loop that runs the passes, and the one owner of the predicate.

Divergence ──▶ Shrinker ── passes propose ──▶ legal? smaller? same signature? ──▶ Divergence, smaller
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from typing import Any, Final

import chess

from refute.board import fen
from refute.causes import key_of
from refute.compare import Comparer
from refute.divergence import Divergence, Facet
from refute.drill import drill_finding
from refute.engines.protocol import Ability, Question
from refute.errors import InputError
from refute.passes import PASSES, disorder, starts_of, weight
from refute.walk import Walk

DEFAULT_SECONDS: Final = 10.0
# How shrinking went, as it is noted in the finding.
WHOLE: Final = "whole"
OUT_OF_TIME: Final = "out of time"
INTERRUPTED: Final = "interrupted"
NOT_REPRODUCED: Final = "not reproduced"  # it did not come back when asked alone
UNFINISHED: Final = (OUT_OF_TIME, INTERRUPTED)
SLOWER: Final = 10  # times as long as the finding itself may a smaller walk take
LEAST_ATTEMPTS: Final = 20  # that many may take their time, whatever the finding itself took
MOST_ROUNDS: Final = 50  # every round but the last makes the walk smaller; this is a rail, not a plan

_POSITION: Final = frozenset({Ability.MOVES, Ability.CHECK, Ability.FEN, Ability.NUMBERS})

# A finding of one of these facets shows without asking for the facets that are looked at after it, and without
# our own board examining itself, which costs far more than its moves.
ENOUGH: Final = {
    Facet.MOVES: frozenset({Ability.MOVES}),
    Facet.CHECK: frozenset({Ability.MOVES, Ability.CHECK}),
    Facet.FEN: _POSITION,
    Facet.OUTCOME: _POSITION | {Ability.OUTCOME},
}

# Facets of which what was moved last tells nothing.
FATAL: Final = (Facet.CRASH, Facet.TIMEOUT)

Listener = Callable[[Divergence], None]


class OutOfTime(Exception):
    """The time limit is reached; the best so far stands."""


def shrink(
    divergence: Divergence,
    comparer: Comparer,
    *,
    seconds: float = DEFAULT_SECONDS,
    listen: Listener | None = None,
) -> Divergence:
    """The smallest divergence of the same signature that could be found in time.

    A wrong count is drilled first, because only the wrong move list below it can be made small. `listen` hears of
    every improvement. The result's notes say what it cost: `subject_calls`, `shrink_seconds`, and `shrunk` ("whole",
    "out of time", or "not reproduced" when the subject did not diverge again).
    """
    began = time.monotonic()
    with comparer.hurried(began + seconds):
        drilled = drill_finding(divergence, comparer)
    # Perft sees a wrong move one ply before it can be made, as another fault: what is no count is shrunk without.
    counts = drilled.facet is Facet.PERFT or comparer.depth == 0
    quiet = comparer if counts else Comparer(comparer.subject, comparer.witnesses)
    small = Shrinker(drilled, quiet, seconds=seconds, listen=listen).run()
    if small.notes["shrunk"] == NOT_REPRODUCED and (drilled is not divergence or not counts):
        # It was not what it was drilled to; or it shows in counting alone, as a crash may.
        left = max(0.0, seconds - (time.monotonic() - began))
        return Shrinker(divergence, comparer, seconds=left, listen=listen).run()
    return small


class Shrinker:
    """Owns the predicate, the sort key, the cache and the clock; `best` is right at every moment."""

    def __init__(
        self,
        divergence: Divergence,
        comparer: Comparer,
        *,
        seconds: float = DEFAULT_SECONDS,
        listen: Listener | None = None,
    ) -> None:
        self.first = divergence
        self.best = divergence
        self.key = key_of(divergence)
        self.calls = 0  # walks that the subject was asked about
        self._listen = listen
        self._began = time.monotonic()
        self._deadline = self._began + seconds
        self._patience = math.inf  # seconds for one walk; known once the finding has shown itself again
        self._seen: set[Walk] = set()  # asked already, and never smaller than the best again if it showed the fault
        self._objections = _objections(divergence.walk)
        self._full = comparer
        self._comparer = _least(comparer, divergence)

    def run(self) -> Divergence:
        """Shrink until no pass helps any more, or the time is over.

        A KeyboardInterrupt goes through, and `result()` then tells the best so far.
        """
        try:
            return self.result(self._run())
        except OutOfTime:
            return self.result(OUT_OF_TIME)

    def _run(self) -> str:
        """Shrink to the end; tells how that went."""
        if not self._reproduces():
            return NOT_REPRODUCED
        self._loop()
        if not self._holds_in_full():
            # The cheap questions led to a place where a dearer one shows another fault first.
            self.best = self.first
            self._comparer = self._full
            self._seen.clear()
            self._loop()
        self._say_if_path_dependent()
        return WHOLE

    def result(self, shrunk: str = INTERRUPTED) -> Divergence:
        """The best so far, with what the first divergence knew beyond its walk, and what shrinking cost."""
        first = self.first
        notes = dict(first.notes)
        notes["subject_calls"] = self.calls
        notes["shrink_seconds"] = round(time.monotonic() - self._began, 3)
        notes["shrunk"] = shrunk
        notes.pop("depth", None)
        if self._full.depth > 0:
            notes["depth"] = self._full.depth  # whoever runs it again must count as deep
        return dataclasses.replace(
            self.best, original=first.original or first.walk, seed=first.seed, count=first.count, notes=notes
        )

    def attempt(self, walk: Walk) -> bool:
        """Adopt the walk as the best, if it is smaller, legal, and shows the same fault."""
        if sort_key(walk) >= sort_key(self.best.walk):
            return False
        if walk in self._seen or not self._is_sound(walk):
            return False
        found = self._ask(walk)
        self._seen.add(walk)
        return self._adopt(found)

    # ------------------------------------------------------------ the predicate

    def _ask(self, walk: Walk, comparer: Comparer | None = None) -> Divergence | None:
        """The divergence the walk shows, if it is the one we are after."""
        found = self._compare(walk, comparer or self._comparer)
        return found if found is not None and self._is_same(found) else None

    def _is_same(self, found: Divergence) -> bool:
        # Nonsense and a crash share a facet, and what is told of the one must not end as the other.
        trouble = self.first.notes.get("trouble")
        if trouble not in (None, found.notes.get("trouble")):
            return False
        if self.first.facet in FATAL and (found.facet, found.actual) == (self.first.facet, self.first.actual):
            return True  # whatever move came before it: what an engine dies of may need none
        return key_of(found) == self.key

    def _compare(self, walk: Walk, comparer: Comparer) -> Divergence | None:
        if time.monotonic() > self._deadline:
            raise OutOfTime
        self.calls += 1
        # One walk that the subject hangs on must not take the time of all the others.
        limit = min(self._deadline, time.monotonic() + self._patience)
        with self._full.hurried(limit):
            found = comparer.compare(walk).divergence
        now = time.monotonic()
        if now > self._deadline:
            raise OutOfTime
        # Past its limit it may have been cut short, and then it says nothing.
        return found if now <= limit else None

    def _adopt(self, found: Divergence | None) -> bool:
        # What is found may be smaller still than what was asked: a walk ends where it first diverges.
        if found is None or sort_key(found.walk) >= sort_key(self.best.walk):
            return False
        self.best = found
        if self._listen is not None:
            self._listen(self.result("shrinking"))
        return True

    def _is_sound(self, walk: Walk) -> bool:
        """Whether a witness can be asked: a strict reader takes the FEN, and every move is legal."""
        try:
            position = fen.parse(walk.fen, chess960=walk.chess960)
        except InputError:
            return False
        if position.chess960 != walk.chess960:
            return False
        board = chess.Board(walk.fen, chess960=walk.chess960)
        if board.status() & ~self._objections:
            return False
        for text in walk.moves:
            move = chess.Move.from_uci(text)
            if not board.is_legal(move):
                return False
            board.push(move)
        return True

    # ------------------------------------------------------------ the loop

    def _reproduces(self) -> bool:
        found = self._ask(self.first.walk)
        if found is None and self._comparer is not self._full:
            self._comparer = self._full
            found = self._ask(self.first.walk)
        if found is None:
            return False
        self.best = found
        took = time.monotonic() - self._began
        self._patience = max(took * SLOWER, (self._deadline - self._began) / LEAST_ATTEMPTS)
        return True

    def _loop(self) -> None:
        for _ in range(MOST_ROUNDS):
            before = self.best.walk
            for improve in PASSES:
                improve(self)
            if self.best.walk == before:
                return

    def _holds_in_full(self) -> bool:
        if self._comparer is self._full:
            return True
        found = self._ask(self.best.walk, self._full)
        if found is None or found.walk != self.best.walk:
            # Drilled from a wrong count, it may never have shown in full: then what the cheap questions say stands.
            return self._ask(self.first.walk, self._full) is None
        self.best = found
        return True

    def _say_if_path_dependent(self) -> None:
        """A fault depends on the path when nothing is wrong at its position once that is given as FEN."""
        walk = self.best.walk
        if not walk.moves or self.best.path_dependent:
            return
        end = Walk(starts_of(walk)[-1], (), walk.chess960)
        if self._is_sound(end) and self._compare(end, self._full) is None:
            self.best = dataclasses.replace(self.best, path_dependent=True)


def sort_key(walk: Walk) -> tuple[int | str, ...]:
    """Smaller is better: moves, men, rights and clocks, strength, side to move, where men stand, text."""
    placement, side, rights, passed, halfmove, fullmove = (*walk.fen.split(" "), "0", "1")[:6]
    return (
        len(walk),
        sum(letter.isalpha() for letter in placement),
        len(rights.replace("-", "")) + (passed != "-") + (halfmove != "0") + (fullmove != "1"),
        weight(placement),
        int(halfmove) + int(fullmove),
        side == "b",
        disorder(placement),
        str(walk),
    )


def notes_of(small: Divergence, found: Divergence) -> dict[str, Any]:
    """All that is noted of a finding once it is shrunk; how deep to count is what shrinking says, and nothing else."""
    return {**{name: value for name, value in found.notes.items() if name != "depth"}, **small.notes}


def narrow(comparer: Comparer, facet: Facet) -> Comparer:
    """A comparer that asks no more than the facet needs; the same one where that cannot be told apart."""
    enough = ENOUGH.get(facet)
    if enough is None or not enough & comparer.question.asks:
        return comparer
    return _asking(comparer, enough)


def _least(comparer: Comparer, divergence: Divergence) -> Comparer:
    """The comparer that asks least of those that can show this finding."""
    if divergence.facet is Facet.RESTORE and divergence.move is None:
        # The whole walk taken back went wrong: examining every position on it would take nearly all the time, and
        # such walks cannot be short.
        return _asking(comparer, frozenset({Ability.MOVES, Ability.STATE}), only_taken_back=True)
    return narrow(comparer, divergence.facet)


def _asking(comparer: Comparer, asks: frozenset[Ability], *, only_taken_back: bool = False) -> Comparer:
    narrowed = Comparer(comparer.subject, comparer.witnesses)
    narrowed.question = Question(comparer.question.asks & asks, only_taken_back=only_taken_back)
    # A finding is named from the witness's FEN, whatever else is asked.
    narrowed.questions = [Question(question.asks & (asks | {Ability.FEN})) for question in comparer.questions]
    narrowed.asks_by_fen = comparer.asks_by_fen
    return narrowed


def _objections(walk: Walk) -> chess.Status:
    """What python-chess objects to along the walk as found: candidates may have these faults and no others."""
    status = chess.STATUS_VALID
    for start in starts_of(walk):
        status |= chess.Board(start, chess960=walk.chess960).status()
    return status
