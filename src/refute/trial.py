"""The trial of one mutant: perft counts, a hunt, the battery; the first that tells it apart kills it.

mutant ──▶ a board with its mistake ──▶ Check 1, 2, 3 … ──▶ Kill(by, check, detail), or None: it survived
                                        each has the true board's answers to compare with
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from types import ModuleType
from typing import Final

from refute.compare import Comparer
from refute.engines.battery import Board, Case, Raised, answers, attempt, battery, first_difference, more_facts
from refute.engines.limits import TimeUp, interrupted_after
from refute.engines.own import OwnEngine
from refute.engines.protocol import Answer, Fault, Question
from refute.engines.python_chess import PythonChessEngine
from refute.engines.sabotage import sabotage
from refute.engines.setups import setups
from refute.errors import RefuteError
from refute.mutating import Mutant
from refute.transplant import Boards
from refute.walk import Walk
from refute.walking import walk_number

PERFT: Final = "perft"
HUNT: Final = "hunt"
BATTERY: Final = "battery"
TIMEOUT: Final = "timeout"
CRASH: Final = "crash"

NO_MORE: Final = "no more answers"

# Published counts: FEN, depth, leaves.
COUNTS: Final = (
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 2, 400),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3, 2812),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, 2039),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9467),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 2, 1486),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 2, 2079),
)
CHESS960_EVERY: Final = 4  # one walk in four
FIRST_WALKS: Final = 64  # before the battery; the rest come after it, for what is still alive
BATTERY_WALKS: Final = 40  # whose starts the battery is asked about too
# How much longer than the true board a mutant may take before it is taken to be lost in a loop, in
# processor time: other programs on the machine slow both down, and neither counts against the mutant.
PATIENCE: Final = 10.0
GRACE: Final = 0.4
KILLERS: Final = 8  # of the last checks that killed a mistake in a function, tried first on the next


@dataclass(frozen=True, slots=True)
class Kill:
    """What told a mutant from the true board."""

    by: str
    check: str
    detail: str


class Check:
    """A case, and what the true board makes of it: its answers, its time, and the statements it comes by."""

    def __init__(self, by: str, case: Case, *known: object) -> None:
        self.by = by
        self.case = case
        self.known = list(known)
        self.expected: list[object] = []
        self.seconds = 0.0
        self.statements: frozenset[int] | None = None  # None until the true board was asked

    def learn(self, boards: Boards) -> None:
        """Ask the true board, once."""
        met = boards.met()
        met.clear()
        began = time.process_time()
        said = list(answers(self.case.ask, boards.true))
        self.seconds = time.process_time() - began
        if any(isinstance(answer, Raised) for answer in said) or (self.known and said != self.known):
            raise RefuteError(f"the true board itself fails {self.by} {self.case.name!r}: {said[-1]}")
        self.expected = said
        self.statements = frozenset(met)

    def differs(self, board: Board) -> Kill | None:
        """Ask the mutant, and compare, until the first answer that is another."""
        try:
            with interrupted_after(GRACE + PATIENCE * self.seconds, of_processor=True):
                for said, expected in zip_longest(answers(self.case.ask, board), self.expected, fillvalue=NO_MORE):
                    if said != expected:
                        break
                else:
                    return None
        except TimeUp:
            return Kill(TIMEOUT, f"{self.by}: {self.case.name}", "still running")
        by = CRASH if isinstance(said, Raised) and self.by == PERFT else self.by
        return Kill(by, self.case.name, first_difference(said, expected))


class Trial:
    """The checks in order, with what the true board says; serves one mutant after another."""

    def __init__(self, source: str, *, seed: int, walks: int) -> None:
        self.boards = Boards(source)
        hunt = _Hunt()
        numbers = [(index, index % CHESS960_EVERY == CHESS960_EVERY - 1) for index in range(walks)]
        routes = [walk_number(seed, index, chess960=chess960) for index, chess960 in numbers]
        starts = [(walk.fen, walk.chess960) for walk in routes[:BATTERY_WALKS]]
        hunts = [
            Check(HUNT, Case(f"walk {index} of seed {seed}", hunt.case(walk)), "") for index, walk in enumerate(routes)
        ]
        self.checks = [_count_check(text, depth, leaves) for text, depth, leaves in COUNTS]
        self.checks += hunts[:FIRST_WALKS]
        self.checks += [Check(BATTERY, case) for case in (*battery(), *setups(), *sabotage())]
        self.checks += hunts[FIRST_WALKS:]
        self.checks += [Check(BATTERY, case) for case in more_facts(starts)]
        self.killers: defaultdict[str, list[Check]] = defaultdict(list)  # by function, the latest first

    def run(self, mutant: Mutant) -> Kill | None:
        """Try a board with this mistake in it."""
        try:
            with interrupted_after(GRACE * 5, of_processor=True):
                board = attempt(self.boards.with_mistake, mutant)
        except TimeUp:
            return Kill(TIMEOUT, "import", "still running")
        if not isinstance(board, ModuleType):
            return Kill(CRASH, "import", str(board))
        killers = self.killers[mutant.function]
        statement = self.boards.statement(mutant)
        # What killed one mistake in a function is likely to kill the next, and saves all the others' time.
        for check in [*killers, *(check for check in self.checks if check not in killers)]:
            if check.statements is None:
                check.learn(self.boards)
            # What never comes by the mistake cannot show it.
            if statement is not None and statement not in (check.statements or ()):
                continue
            kill = check.differs(board)
            if kill is not None:
                self.killers[mutant.function] = [check, *(other for other in killers if other is not check)][:KILLERS]
                return kill
        return None


def _count_check(text: str, depth: int, leaves: int) -> Check:
    case = Case(f"{text} at depth {depth}", lambda board: board.fen.parse(text).perft(depth))
    return Check(PERFT, case, leaves)


class _Hunt:
    """Walks compared with python-chess, as a hunt compares them; the witness is asked once for all mutants."""

    def __init__(self) -> None:
        self.witness = _Remembering()
        self.board: Board = None
        self.comparers: dict[bool, Comparer] = {}

    def case(self, walk: Walk) -> Callable[[Board], object]:
        return lambda board: self._compare(board, walk)

    def _compare(self, board: Board, walk: Walk) -> str:
        if board is not self.board:
            self.board = board
            self.comparers = {
                chess960: Comparer(OwnEngine(board=board, name="mutant"), [self.witness], chess960=chess960)
                for chess960 in (False, True)
            }
        comparison = self.comparers[walk.chess960].compare(walk)
        if comparison.quarantine is not None:
            raise RefuteError(f"python-chess cannot be asked about {walk}")
        found = comparison.divergence
        return "" if found is None else f"{found.signature}: {found.actual[:200]}"


class _Remembering(PythonChessEngine):
    """python-chess, which says the same of the same walk every time."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[tuple[Walk, Question], list[Answer | Fault]] = {}

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        answers = self.known.get((walk, question))
        if answers is None:
            answers = self.known[walk, question] = super().along(walk, question)
        return answers
