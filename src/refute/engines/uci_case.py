"""One case put to a UCI engine: the commands that ask it, and the answer made of what was printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from refute.board.move import decode_uci, encode_uci
from refute.engines.process import Misbehaved
from refute.engines.protocol import Ability, Answer, Question, Trouble
from refute.engines.uci_probe import Dialect
from refute.engines.uci_text import Count, Display, Reading, house_fen, stopped_after
from refute.errors import quote
from refute.walk import Walk

# Every case is asked with a marker standing on the board, so that an engine which rejects the case and keeps
# its old position answers for the marker. A case that truly has the marker's moves is asked again with the
# other marker before anything is said of it.
MARKERS: Final = (
    ("7k/7p/8/8/8/8/P7/K7 w - - 0 1", frozenset(map(encode_uci, ("a1b1", "a1b2", "a2a3", "a2a4")))),
    ("7k/7p/8/8/8/8/P7/K7 b - - 0 1", frozenset(map(encode_uci, ("h8g8", "h8g7", "h7h6", "h7h5")))),
)


@dataclass(frozen=True, slots=True)
class Case:
    """One position to be asked about: a walk up to some ply."""

    walk: Walk
    plies: int
    marker: int = 0

    @property
    def moves(self) -> tuple[str, ...]:
        return self.walk.moves[: self.plies]


class OnMarker(Misbehaved):
    """The engine seems to answer for the marker; the other marker will tell."""

    def __init__(self, case: Case) -> None:
        marker = MARKERS[case.marker][0]
        super().__init__(Trouble.ASTRAY, f"answered for {quote(marker)}, the position asked before this one")


@dataclass(frozen=True, slots=True)
class Asking:
    """A question as one engine's dialect can be asked it."""

    question: Question
    dialect: Dialect

    @property
    def depth(self) -> int:
        """How deep to count; 0 means not at all, for `go perft 0` is an endless search."""
        if self.dialect.label is None:
            return 0
        if Ability.PERFT in self.question.asks and self.question.depth > 0:
            return self.question.depth
        return 1 if Ability.MOVES in self.question.asks else 0

    def wants_display(self, case: Case) -> bool:
        # After moves the FEN is read back unasked: Stockfish silently drops an illegal move and all after it.
        if self.dialect.shows_fen and (case.plies > 0 or Ability.FEN in self.question.asks):
            return True
        return self.dialect.calm is not None and Ability.CHECK in self.question.asks

    def commands(self, case: Case, *, chess960: bool) -> bytes:
        """The lines that ask one case; `chess960` is the mode the engine was left in."""
        walk = case.walk
        lines = []
        if walk.chess960 != chess960 and self.dialect.has_chess960:
            lines.append(f"setoption name UCI_Chess960 value {'true' if walk.chess960 else 'false'}")
        lines.append(f"position fen {MARKERS[case.marker][0]}")
        moves = f" moves {' '.join(case.moves)}" if case.plies else ""
        lines.append(f"position fen {walk.fen}{moves}")
        if self.wants_display(case):
            lines.append("d")
        if depth := self.depth:
            lines.append(f"go perft {depth}")
        lines.append("isready\n")
        return "\n".join(lines).encode("ascii")

    def reading(self) -> Reading:
        return Reading(counting=self.depth > 0, label=self.dialect.label)

    def answer(self, case: Case, reading: Reading, index: int) -> Answer:
        """What was printed for the index-th case of a batch; raises Misbehaved where it is no answer."""
        answer = Answer()
        if self.wants_display(case):
            self._take_display(answer, case, reading.displays[index])
        if self.depth:
            self._take_count(answer, case, reading.counts[index])
        return answer

    def _take_count(self, answer: Answer, case: Case, count: Count) -> None:
        if sum(count.nodes) != count.total:
            text = f"said {count.total} nodes, but its lines add up to {sum(count.nodes)}"
            raise Misbehaved(Trouble.MISCOUNT if count.nodes else Trouble.GARBAGE, text)
        pairs = list(zip(count.codes, count.nodes, strict=True))
        if self.depth == 1:
            for code, nodes in pairs:
                if nodes != 1:
                    raise Misbehaved(Trouble.GARBAGE, f"counted {nodes} for {decode_uci(code)} at depth 1")
        if set(count.codes) == MARKERS[case.marker][1]:
            raise OnMarker(case)
        if Ability.MOVES in self.question.asks:
            answer.moves = sorted(count.codes)
        if Ability.PERFT in self.question.asks and self.question.depth > 0:
            answer.divide = {}
            for code, nodes in pairs:
                answer.divide[code] = answer.divide.get(code, 0) + nodes

    def _take_display(self, answer: Answer, case: Case, display: Display) -> None:
        if self.dialect.shows_fen:
            if display.fen is None:
                raise Misbehaved(Trouble.GARBAGE, "showed no 'Fen:' line for 'd'")
            text = display.fen.decode("ascii", "replace")
            _check_place(case, text)
            if Ability.FEN in self.question.asks:
                answer.fen = house_fen(text)
                if answer.fen is None:
                    raise Misbehaved(Trouble.GARBAGE, f"showed {quote(text)} as its FEN")
        if Ability.CHECK in self.question.asks and self.dialect.calm is not None:
            if display.checkers is None:
                raise Misbehaved(Trouble.GARBAGE, "showed no 'Checkers:' line for 'd'")
            answer.check = display.checkers != self.dialect.calm


def _check_place(case: Case, shown: str) -> None:
    """Raise Misbehaved if the engine did not move: it stands on the marker, or after too few moves.

    A board that is wrong in any other way is the engine's answer, and is compared as such.
    """
    if shown.split()[:2] == MARKERS[case.marker][0].split()[:2]:
        raise OnMarker(case)
    if case.plies and _ply(shown) != _ply(case.walk.fen) + case.plies:
        plies = stopped_after(case.walk, case.plies, shown)
        if plies is not None:
            text = f"stopped before {case.moves[plies]}, move {plies + 1} of {case.plies}, without a word"
            raise Misbehaved(Trouble.ASTRAY, text)


def _ply(fen: str) -> int:
    """The FEN's turn and move number as one number that grows by 1 with every ply."""
    fields = fen.split()
    number = fields[5] if len(fields) > 5 and fields[5].isdecimal() else "1"
    return 2 * int(number[:9]) + (fields[1:2] == ["b"])
