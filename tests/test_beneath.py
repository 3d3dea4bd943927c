"""A crash in counting ahead is told by the wrong list that it comes from, and any other crash by itself."""

from __future__ import annotations

from refute.beneath import beneath
from refute.compare import Comparer
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.faulty import FAULTS, faulty_board
from refute.engines.own import OwnEngine
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.engines.python_chess import PythonChessEngine
from refute.walk import Walk


class DiesOfCounting(OwnEngine):
    """A board that cannot count, whatever its moves are."""

    def _answer(self, position: object, question: Question, *, last: bool) -> Answer:
        if Ability.PERFT in question.asks:
            raise IndexError("list index out of range")
        return super()._answer(position, question, last=last)


def crash_of(subject: OwnEngine, walk: Walk) -> tuple[Divergence, Comparer]:
    comparer = Comparer(subject, [PythonChessEngine()], depth=2)
    found = comparer.compare(walk).divergence
    assert found is not None
    assert found.facet is Facet.CRASH
    return found, comparer


def test_a_crash_in_counting_is_told_by_the_wrong_list_one_move_on() -> None:
    subject = DiesOfCounting(board=faulty_board(FAULTS["knight-wraps-around"]))
    found, comparer = crash_of(subject, Walk("4k3/8/8/8/n7/8/8/4K3 w - - 0 1"))
    deeper = beneath(found, comparer)
    assert (deeper.facet, deeper.verdict, deeper.extra) == (Facet.MOVES, Verdict.MOVEGEN, ("a4h1",))
    assert len(deeper.walk) == 1
    assert "trouble" not in deeper.notes


def test_a_crash_above_right_lists_stays_a_crash() -> None:
    found, comparer = crash_of(DiesOfCounting(), Walk("4k3/8/8/8/8/8/8/4K3 w - - 0 1"))
    assert beneath(found, comparer) is found


def test_an_engine_that_never_answers_stays_one_that_crashes() -> None:
    class Dead(OwnEngine):
        def _answer_at(self, walk: Walk, question: Question) -> Answer | Fault:
            return Fault(Trouble.CRASH, "gone")

        def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
            return [Fault(Trouble.CRASH, "gone")]

    found, comparer = crash_of(Dead(), Walk("4k3/8/8/8/8/8/8/4K3 w - - 0 1"))
    assert beneath(found, comparer) is found
