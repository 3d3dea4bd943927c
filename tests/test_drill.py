"""Drilling: down the moves to the first wrong list, with make convicted when it is make that is wrong."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest

from refute.board.move import encode_uci
from refute.causes import causes_of, group
from refute.compare import Comparer
from refute.divergence import Divergence, Facet, Signature, Verdict
from refute.drill import Drilled, Level, drill, drill_finding
from refute.engines.faulty import open_fault
from refute.engines.own import OwnEngine
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.engines.python_chess import PythonChessEngine
from refute.errors import EngineError, InputError
from refute.explain import explain
from refute.report.text import command_for
from refute.walk import START_FEN, Walk

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PAWNS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"

Spoil = Callable[[Walk, Question, Answer], Answer | Fault]


class Clumsy(PythonChessEngine):
    """python-chess, spoilt by walk and question."""

    def __init__(self, spoil: Spoil, *, without: frozenset[Ability] = frozenset()) -> None:
        super().__init__(name="clumsy")
        self.spoil = spoil
        self.without = without

    @property
    def abilities(self) -> frozenset[Ability]:
        return super().abilities - self.without

    def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        answers = super().at(walks, question)
        return [
            answer if isinstance(answer, Fault) else self.spoil(walk, question, answer)
            for walk, answer in zip(walks, answers, strict=True)
        ]

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        return self.at([walk.prefix(plies) for plies in range(len(walk) + 1)], question)


def descend(spoil: Spoil, walk: Walk, depth: int) -> Drilled:
    return drill(Clumsy(spoil), PythonChessEngine(), walk, depth)


def found_by(drilled: Drilled) -> Divergence:
    assert drilled.divergence is not None
    return drilled.divergence


def test_a_sound_board_agrees_and_nothing_is_descended() -> None:
    drilled = drill(OwnEngine(), PythonChessEngine(), Walk(KIWIPETE), 3)
    assert drilled.divergence is None
    assert [(level.depth, level.expected, level.actual, level.differences) for level in drilled.levels] == [
        (3, 97862, 97862, ())
    ]


def test_a_castle_through_attack_is_found_where_it_is_listed() -> None:
    heard: list[Level] = []
    engines = open_fault("castle-through-attack"), PythonChessEngine()
    drilled = drill(*engines, Walk(KIWIPETE), 3, listen=heard.append)
    found = found_by(drilled)
    assert found.signature == Signature(Facet.MOVES, Verdict.MOVEGEN, "extra king-side castle")
    assert found.extra == ("e1g1",)
    assert len(found.walk) == 2
    assert found.walk.fen == KIWIPETE
    assert [level.depth for level in heard] == [3, 2, 1]
    assert tuple(heard) == drilled.levels
    # Each level goes on from the one above by a move whose count differs there.
    for upper, lower in itertools.pairwise(heard):
        assert lower.walk.prefix(len(upper.walk)) == upper.walk
        assert lower.walk.moves[-1] in {difference.move for difference in upper.differences}


def test_a_list_that_is_right_by_fen_convicts_make() -> None:
    drilled = drill(open_fault("en-passant-victim-stays"), PythonChessEngine(), Walk(PAWNS), 4)
    found = found_by(drilled)
    assert found.verdict is Verdict.MAKE
    assert found.path_dependent
    assert found.walk == Walk(PAWNS, ("a5a4", "c7c5", "b5c6"))
    assert "make is at fault" in drilled.remark


def test_a_count_that_is_wrong_though_all_below_agree_convicts_make() -> None:
    def loses_count(walk: Walk, question: Question, answer: Answer) -> Answer:
        # Only while it counts over e2e4 itself; stood upon, everything below is right.
        if answer.divide is not None and not walk.moves and question.depth == 3:
            answer.divide[encode_uci("e2e4")] -= 7
        return answer

    drilled = descend(loses_count, Walk(START_FEN), 3)
    found = found_by(drilled)
    assert (found.facet, found.verdict, found.move) == (Facet.PERFT, Verdict.MAKE, "e2e4")
    assert not found.path_dependent  # there is no path: the FEN alone shows it
    assert found.notes["depth"] == 3
    assert found.kind == "double push"
    assert found.expected.startswith("600 nodes")
    assert found.actual.startswith("593 nodes")
    assert "Every divide below e2e4 agrees" in drilled.remark


def overlooking(walk: Walk, question: Question, answer: Answer) -> Answer:
    """A counter of leaves that overlooks one: every list is right, and the count of two plies is not."""
    if answer.divide is not None and question.depth >= 2:
        answer.divide = {code: nodes - (nodes > 1) for code, nodes in answer.divide.items()}
    return answer


@pytest.mark.parametrize("moves", [(), ("e2e4",)], ids=["at the start", "after a move"])
def test_a_count_that_is_wrong_by_fen_too_convicts_make_where_every_list_below_is_right(moves: tuple[str, ...]) -> None:
    drilled = descend(overlooking, Walk(START_FEN, moves), 2)
    found = found_by(drilled)
    assert (found.facet, found.verdict, found.path_dependent) == (Facet.PERFT, Verdict.MAKE, False)
    assert "its make or unmake is at fault" in drilled.remark
    compared = Comparer(Clumsy(overlooking), [PythonChessEngine()], depth=2).compare(found.walk).divergence
    assert compared is not None
    assert compared.verdict is found.verdict, "a hunt says the same"


def test_wrong_counts_over_right_lists_have_one_cause_whatever_they_are_counted_below() -> None:
    walks = [Walk(START_FEN), Walk(KIWIPETE), Walk("4k3/8/8/8/8/8/8/4K2R w K - 0 1")]
    comparer = Comparer(Clumsy(overlooking), [PythonChessEngine()], depth=2)
    found = [comparer.compare(walk).divergence for walk in walks]
    named = [causes_of(one) for one in found if one is not None]
    assert len({one.signature for one in found if one is not None}) > 1
    assert group(named) == [[0, 1, 2]]


def test_a_count_that_is_right_by_fen_convicts_make() -> None:
    def forgets(walk: Walk, question: Question, answer: Answer) -> Answer:
        return overlooking(walk, question, answer) if walk.moves else answer

    drilled = descend(forgets, Walk(START_FEN, ("e2e4",)), 2)
    found = found_by(drilled)
    assert (found.facet, found.verdict, found.path_dependent) == (Facet.PERFT, Verdict.MAKE, True)
    assert "as FEN, the subject counts right: make is at fault" in drilled.remark


@pytest.mark.parametrize(
    ("asked", "command"),
    [(Ability.PERFT, "--depth 2"), (Ability.MOVES, "--against python-chess 'position")],
    ids=["in counting alone", "in listing too"],
)
def test_a_crash_at_one_ply_is_shown_again_by_the_command_it_is_told_with(asked: Ability, command: str) -> None:
    def dies(walk: Walk, question: Question, answer: Answer) -> Answer | Fault:
        return Fault(Trouble.CRASH, "gone") if asked in question.asks else answer

    assert command in command_for(found_by(descend(dies, Walk(START_FEN), 1)))


def test_a_total_that_is_not_the_sum_of_its_divide_convicts_make_and_says_so() -> None:
    def miscounts(walk: Walk, question: Question, answer: Answer) -> Answer | Fault:
        return Fault(Trouble.MISCOUNT, "said 8903 nodes, but its lines add up to 8902") if answer.divide else answer

    found = found_by(descend(miscounts, Walk(START_FEN), 3))
    assert (found.facet, found.verdict, found.walk) == (Facet.PERFT, Verdict.MAKE, Walk(START_FEN))
    assert explain(found) == "In this position the subject's total is not the sum of its own divide."
    comparer = Comparer(Clumsy(miscounts), [PythonChessEngine()], depth=2)
    compared = comparer.compare(Walk(START_FEN)).divergence
    assert compared is not None
    assert compared.signature == found.signature, "a hunt says the same"


def test_a_blind_alley_is_left_for_the_next_move_that_differs() -> None:
    def spoils_two(walk: Walk, question: Question, answer: Answer) -> Answer:
        if answer.divide is not None and not walk.moves:
            answer.divide[encode_uci("a2a3")] += 1
            answer.divide[encode_uci("e2e4")] -= 1
        if walk.moves == ("e2e4",):
            gone = encode_uci("e7e5")
            answer.moves = [code for code in answer.moves or () if code != gone]
            if answer.divide is not None:
                del answer.divide[gone]
        return answer

    found = found_by(descend(spoils_two, Walk(START_FEN), 2))
    assert found.walk.moves == ("e2e4",)
    assert found.missing == ("e7e5",)
    # The spoilt answer hangs on the path, and a FEN has none.
    assert found.verdict is Verdict.MAKE


def test_a_move_listed_twice_is_found_although_the_divide_agrees() -> None:
    def repeats(walk: Walk, question: Question, answer: Answer) -> Answer:
        answer.moves = sorted([*(answer.moves or ()), encode_uci("g1f3")])
        return answer

    found = found_by(descend(repeats, Walk(START_FEN), 1))
    assert found.kind == "duplicate knight move"
    assert found.extra == ("g1f3",)


def test_a_divide_that_lists_other_moves_than_the_engine_does() -> None:
    def hides(walk: Walk, question: Question, answer: Answer) -> Answer:
        if answer.divide is not None:
            del answer.divide[encode_uci("g1f3")]
        return answer

    drilled = descend(hides, Walk(START_FEN), 2)
    assert found_by(drilled).facet is Facet.PERFT
    assert found_by(drilled).move == "g1f3"
    assert "lists the right ones" in drilled.remark


def test_a_crash_on_the_way_down_is_a_finding_with_its_last_words() -> None:
    def dies(walk: Walk, question: Question, answer: Answer) -> Answer | Fault:
        if walk.moves:
            return Fault(Trouble.CRASH, "exit code 1", ("segmentation fault",))
        assert answer.divide is not None
        answer.divide[encode_uci("b1c3")] += 1
        return answer

    found = found_by(descend(dies, Walk(START_FEN), 2))
    assert (found.facet, found.verdict) == (Facet.CRASH, Verdict.CRASH)
    assert found.walk.moves == ("b1c3",)
    assert found.kind == "knight move"
    assert found.transcript == ("segmentation fault",)


@pytest.mark.parametrize(("moves", "verdict"), [((), Verdict.FEN), (("e2e4",), Verdict.MAKE)])
def test_going_astray_is_blamed_on_the_reader_or_on_make(moves: tuple[str, ...], verdict: Verdict) -> None:
    def strays(walk: Walk, question: Question, answer: Answer) -> Answer | Fault:
        return Fault(Trouble.ASTRAY, "stands elsewhere")

    found = found_by(descend(strays, Walk(START_FEN, moves), 2))
    assert (found.facet, found.verdict) == (Facet.FEN, verdict)


@pytest.mark.parametrize(
    ("trouble", "facet"),
    [(Trouble.TIMEOUT, Facet.TIMEOUT), (Trouble.GARBAGE, Facet.CRASH), (Trouble.CRASH, Facet.CRASH)],
)
def test_an_engine_that_gives_no_usable_answer_on_the_way_is_refuted_there(trouble: Trouble, facet: Facet) -> None:
    def sulks(walk: Walk, question: Question, answer: Answer) -> Answer | Fault:
        if walk.moves:
            return Fault(trouble, "nothing for 10 s", ("> go perft 2", "< ?"))
        assert answer.divide is not None
        answer.divide[encode_uci("e2e4")] = 1
        return answer

    found = found_by(descend(sulks, Walk(START_FEN), 3))
    assert (found.facet, found.verdict) == (facet, Verdict.CRASH)
    assert found.walk == Walk(START_FEN, ("e2e4",))
    assert (found.actual, found.transcript) == ("nothing for 10 s", ("> go perft 2", "< ?"))
    assert found.notes == {"trouble": trouble, "depth": 2}


def test_a_wrong_count_stays_one_where_no_answer_can_be_had_below_it() -> None:
    def sulks(walk: Walk, question: Question, answer: Answer) -> Answer | Fault:
        if walk.moves and question.depth == 1:
            return Fault(Trouble.TIMEOUT, "nothing for 10 s")
        if question.depth == 2 and answer.divide is not None:
            answer.divide[encode_uci("e2e4")] = 1
        return answer

    comparer = Comparer(Clumsy(sulks), [PythonChessEngine()], depth=2)
    found = comparer.compare(Walk(START_FEN)).divergence
    assert found is not None
    assert drill_finding(found, comparer) is found


def test_a_witness_that_fails_blames_nobody() -> None:
    def dies(walk: Walk, question: Question, answer: Answer) -> Answer | Fault:
        return Fault(Trouble.CRASH, "gone")

    with pytest.raises(EngineError, match="clumsy: crash"):
        drill(PythonChessEngine(), Clumsy(dies), Walk(START_FEN), 2)


def test_an_engine_without_divides_is_named() -> None:
    blind = Clumsy(lambda walk, question, answer: answer, without=frozenset({Ability.PERFT}))
    with pytest.raises(EngineError, match="clumsy cannot be drilled, it has no ability perft"):
        drill(blind, PythonChessEngine(), Walk(START_FEN), 2)


def test_an_engine_that_leaves_its_divide_out_is_named() -> None:
    def leaves_out(walk: Walk, question: Question, answer: Answer) -> Answer:
        answer.divide = None
        return answer

    with pytest.raises(EngineError, match="clumsy gave no counts by root move"):
        descend(leaves_out, Walk(START_FEN), 2)


def test_depth_nought_is_refused() -> None:
    with pytest.raises(InputError, match="expected 1 or more"):
        drill(OwnEngine(), PythonChessEngine(), Walk(START_FEN), 0)


def test_a_wrong_count_found_by_a_comparer_becomes_the_wrong_list_below_it() -> None:
    comparer = Comparer(open_fault("castle-through-attack"), [PythonChessEngine()], depth=3)
    found = comparer.compare(Walk(KIWIPETE)).divergence
    assert found is not None
    assert found.facet is Facet.PERFT
    deeper = drill_finding(found, comparer)
    assert deeper.facet is Facet.MOVES
    assert deeper.original == found.walk
    assert drill_finding(deeper, comparer) is deeper


def test_a_count_that_is_wrong_above_right_lists_stays_the_finding_it_was() -> None:
    def overcounts(walk: Walk, question: Question, answer: Answer) -> Answer:
        if answer.divide is not None and question.depth == 2:
            answer.divide = {code: nodes + 1 for code, nodes in answer.divide.items()}
        return answer

    comparer = Comparer(Clumsy(overcounts), [PythonChessEngine()], depth=2)
    found = comparer.compare(Walk(START_FEN)).divergence
    assert found is not None
    assert found.facet is Facet.PERFT
    assert drill_finding(found, comparer) is found


def test_drilling_beside_stockfish_goes_the_same_way(stockfish: str) -> None:
    from refute.engines.uci import UciEngine

    with UciEngine([stockfish]) as witness:
        found = found_by(drill(open_fault("castle-through-attack"), witness, Walk(KIWIPETE), 3))
    alone = found_by(drill(open_fault("castle-through-attack"), PythonChessEngine(), Walk(KIWIPETE), 3))
    assert (found.walk, found.signature, found.extra) == (alone.walk, alone.signature, alone.extra)
