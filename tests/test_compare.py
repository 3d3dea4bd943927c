"""The comparison: who is asked what, whom it blames, and when it blames nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import pytest

from refute.board.move import encode_uci
from refute.compare import Comparer
from refute.divergence import Facet, Verdict
from refute.engines.faulty import open_fault
from refute.engines.own import OwnEngine
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.engines.python_chess import PythonChessEngine
from refute.errors import InputError
from refute.walk import START_FEN, Walk
from refute.walking import walk_number

EN_PASSANT = Walk("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", ("d2d4", "e4d3"))
KNIGHTS_OUT_AND_BACK = Walk(START_FEN, ("g1f3", "g8f6", "f3g1", "f6g8"))


class Twisted:
    """python-chess with its answers changed by a function of the walk asked."""

    def __init__(self, twist: Callable[[Walk, Answer], Answer | Fault], *, lacks: Sequence[Ability] = ()) -> None:
        self._honest = PythonChessEngine()
        self._twist = twist
        self._abilities = (self._honest.abilities | {Ability.KEY}) - set(lacks) - {Ability.NUMBERS}

    @property
    def name(self) -> str:
        return "twisted"

    @property
    def version(self) -> str:
        return "1"

    @property
    def abilities(self) -> frozenset[Ability]:
        return self._abilities

    def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        answers = []
        for walk in walks:
            said = self._honest.at([walk], question)[0]
            answers.append(self._twist(walk, said) if isinstance(said, Answer) else said)
        return answers

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        answers = self.at([walk.prefix(ply) for ply in range(len(walk) + 1)], question)
        for ply, answer in enumerate(answers):
            if isinstance(answer, Fault):
                return answers[: ply + 1]
        return answers

    def close(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


def without(text: str) -> Callable[[Answer], Answer]:
    def drop(answer: Answer) -> Answer:
        if answer.moves is not None:
            answer.moves = [code for code in answer.moves if code != encode_uci(text)]
        return answer

    return drop


def test_a_right_board_has_no_divergence_on_any_walk() -> None:
    comparer = Comparer(OwnEngine(), [PythonChessEngine()])
    comparisons = list(comparer.compare_all(walk_number(7, index) for index in range(64)))
    assert len(comparisons) == 64
    assert all(c.divergence is None and c.quarantine is None for c in comparisons)
    assert sum(c.positions for c in comparisons) == sum(len(c.walk) + 1 for c in comparisons)


def test_a_missing_move_convicts_the_generator_and_is_named_by_its_kind() -> None:
    subject = Twisted(lambda walk, answer: without("e4d3")(answer))
    found = Comparer(subject, [PythonChessEngine()]).compare(EN_PASSANT).divergence
    assert found is not None
    assert (found.facet, found.verdict, found.kind) == (Facet.MOVES, Verdict.MOVEGEN, "missing en passant")
    assert (found.missing, found.extra, found.move) == (("e4d3",), (), "e4d3")
    assert found.walk == EN_PASSANT.prefix(1)
    assert not found.path_dependent


def test_a_duplicate_move_is_an_extra() -> None:
    def twice(walk: Walk, answer: Answer) -> Answer:
        if answer.moves:
            answer.moves = sorted([*answer.moves, answer.moves[0]])
        return answer

    found = Comparer(Twisted(twice), [PythonChessEngine()]).compare(Walk(START_FEN)).divergence
    assert found is not None
    assert found.kind.startswith("duplicate ")
    assert len(found.extra) == 1


def test_a_move_missing_along_the_path_only_convicts_make() -> None:
    def forgets(walk: Walk, answer: Answer) -> Answer:
        return without("e4d3")(answer) if walk.moves else answer

    found = Comparer(Twisted(forgets), [PythonChessEngine()]).compare(EN_PASSANT).divergence
    assert found is not None
    assert (found.facet, found.verdict, found.path_dependent) == (Facet.MOVES, Verdict.MAKE, True)


def test_a_move_missing_from_the_fen_only_convicts_the_fen_reader() -> None:
    def misreads(walk: Walk, answer: Answer) -> Answer:
        return without("e4d3")(answer) if not walk.moves else answer

    found = Comparer(Twisted(misreads), [PythonChessEngine()]).compare(EN_PASSANT).divergence
    assert found is not None
    assert (found.facet, found.verdict) == (Facet.MOVES, Verdict.FEN)
    assert found.walk.moves == ()


def test_a_wrong_fen_after_a_move_convicts_make() -> None:
    def keeps_clock(walk: Walk, answer: Answer) -> Answer:
        if answer.fen and walk.moves:
            answer.fen = answer.fen.replace(" 0 ", " 9 ")
        return answer

    found = Comparer(Twisted(keeps_clock), [PythonChessEngine()]).compare(EN_PASSANT).divergence
    assert found is not None
    assert (found.facet, found.verdict, found.move) == (Facet.FEN, Verdict.MAKE, "d2d4")
    assert found.kind == "halfmove clock"


def test_a_wrong_fen_at_the_start_convicts_the_fen_reader() -> None:
    found = Comparer(open_fault("fen-reads-three-rights"), [PythonChessEngine()]).compare(
        Walk("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    )
    assert found.divergence is not None
    assert (found.divergence.facet, found.divergence.verdict) == (Facet.FEN, Verdict.FEN)


@pytest.mark.parametrize(
    ("facet", "twist"),
    [
        pytest.param(Facet.CHECK, {"check": True}, id="check"),
        pytest.param(Facet.OUTCOME, {"outcome": "stalemate"}, id="outcome"),
    ],
)
def test_each_compared_facet_is_named(facet: Facet, twist: dict[str, object]) -> None:
    def change(walk: Walk, answer: Answer) -> Answer:
        for name, said in twist.items():
            if getattr(answer, name) is not None:
                setattr(answer, name, said)
        return answer

    found = Comparer(Twisted(change), [PythonChessEngine()]).compare(Walk(START_FEN)).divergence
    assert found is not None
    assert found.facet == facet


def test_two_keys_for_one_position_convict_the_hash() -> None:
    def counts_plies(walk: Walk, answer: Answer) -> Answer:
        answer.key = len(walk)
        return answer

    found = Comparer(Twisted(counts_plies), [PythonChessEngine()]).compare(KNIGHTS_OUT_AND_BACK).divergence
    assert found is not None
    assert (found.facet, found.verdict) == (Facet.KEY, Verdict.HASH)
    assert found.walk == KNIGHTS_OUT_AND_BACK


def test_one_key_for_two_positions_convicts_the_hash() -> None:
    def constant(walk: Walk, answer: Answer) -> Answer:
        answer.key = 1
        return answer

    found = Comparer(Twisted(constant), [PythonChessEngine()]).compare(KNIGHTS_OUT_AND_BACK).divergence
    assert found is not None
    assert (found.facet, found.verdict, len(found.walk)) == (Facet.KEY, Verdict.HASH, 1)


def test_a_wrong_perft_is_found_below_the_right_moves() -> None:
    def miscounts(walk: Walk, answer: Answer) -> Answer:
        if answer.divide:
            answer.divide[min(answer.divide)] += 1
        return answer

    found = Comparer(Twisted(miscounts), [PythonChessEngine()], depth=2).compare(Walk(START_FEN)).divergence
    assert found is not None
    assert found.facet == Facet.PERFT
    assert "401 nodes" in found.actual
    assert "400 nodes" in found.expected


@pytest.mark.parametrize(
    ("trouble", "facet", "verdict"),
    [
        (Trouble.CRASH, Facet.CRASH, Verdict.CRASH),
        (Trouble.TIMEOUT, Facet.TIMEOUT, Verdict.CRASH),
        (Trouble.GARBAGE, Facet.CRASH, Verdict.CRASH),
        (Trouble.ASTRAY, Facet.FEN, Verdict.MAKE),
    ],
)
def test_misbehaviour_is_reported_as_itself_with_its_transcript(
    trouble: Trouble, facet: Facet, verdict: Verdict
) -> None:
    def fails(walk: Walk, answer: Answer) -> Answer | Fault:
        return Fault(trouble, "died", ("> go perft 1", "< boom")) if walk.moves else answer

    found = Comparer(Twisted(fails), [PythonChessEngine()]).compare(EN_PASSANT).divergence
    assert found is not None
    assert (found.facet, found.verdict) == (facet, verdict)
    assert found.transcript == ("> go perft 1", "< boom")
    assert found.walk == EN_PASSANT.prefix(1)


def test_witnesses_that_disagree_are_quarantined_and_the_subject_is_not_blamed() -> None:
    doubtful = Twisted(lambda walk, answer: without("e4d3")(answer))
    comparison = Comparer(OwnEngine(), [PythonChessEngine(), doubtful]).compare(EN_PASSANT)
    assert comparison.divergence is None
    assert comparison.quarantine is not None
    assert comparison.quarantine.facet == Facet.MOVES
    assert [name for name, _ in comparison.quarantine.answers] == ["python-chess", "twisted"]
    assert comparison.quarantine.walk == EN_PASSANT.prefix(1)


def test_a_witness_that_fails_is_quarantined_and_the_subject_is_not_blamed() -> None:
    broken = Twisted(lambda walk, answer: Fault(Trouble.CRASH, "witness died"))
    comparison = Comparer(OwnEngine(), [broken]).compare(EN_PASSANT)
    assert comparison.divergence is None
    assert comparison.quarantine is not None
    assert comparison.quarantine.answers == (("twisted", "witness died"),)


def test_what_cannot_be_asked_is_listed_as_skipped_with_why() -> None:
    mute = Twisted(lambda walk, answer: answer, lacks=[Ability.OUTCOME, Ability.KEY])
    comparer = Comparer(mute, [PythonChessEngine()])
    skipped = {skip.check: skip.why for skip in comparer.skipped}
    assert set(skipped) == {"outcome", "key", "invariants, restore, null"}
    assert Ability.OUTCOME not in comparer.question.asks


def test_nothing_to_compare_is_refused() -> None:
    mute = Twisted(lambda walk, answer: answer, lacks=list(Ability))
    with pytest.raises(InputError, match="no moves that can be compared"):
        Comparer(mute, [PythonChessEngine()])


def test_a_hunt_that_would_compare_no_moves_is_refused() -> None:
    speechless = Twisted(lambda walk, answer: answer, lacks=[Ability.MOVES, Ability.PERFT])
    with pytest.raises(InputError, match="no moves that can be compared"):
        Comparer(speechless, [PythonChessEngine()])


def test_a_hunt_without_witnesses_is_refused() -> None:
    with pytest.raises(InputError, match="at least one witness"):
        Comparer(OwnEngine(), [])


def test_chess960_is_refused_for_an_engine_that_does_not_play_it() -> None:
    standard = Twisted(lambda walk, answer: answer, lacks=[Ability.CHESS960])
    with pytest.raises(InputError, match="does not play Chess960"):
        Comparer(standard, [PythonChessEngine()], chess960=True)


def test_python_chess_is_not_asked_to_count_when_someone_quicker_is(stockfish: str) -> None:
    from refute.engines.spec import open_engine

    with open_engine("stockfish") as quick:
        comparer = Comparer(OwnEngine(), [PythonChessEngine(), quick], depth=3)
        assert [question.depth for question in comparer.questions] == [0, 3]
        walks = [walk_number(3, index) for index in range(24)]
        comparisons = list(comparer.compare_all(walks))
    assert [c.divergence for c in comparisons] == [None] * 24
    assert [c.walk for c in comparisons] == walks
    assert sum(c.nodes for c in comparisons) > 24 * 100


def test_a_comparison_left_early_leaves_no_answer_behind(stockfish: str) -> None:
    from refute.engines.spec import open_engine

    with open_engine("stockfish") as quick:
        comparer = Comparer(OwnEngine(), [quick], depth=2)
        comparisons = comparer.compare_all(walk_number(3, index) for index in range(8))
        next(comparisons)
        comparisons.close()
        answer = quick.at([Walk(START_FEN)], Question(frozenset({Ability.MOVES})))[0]
    assert isinstance(answer, Answer)
    assert len(answer.moves or ()) == 20


def test_a_wrong_count_of_one_witness_is_quarantined_by_the_other() -> None:
    def miscounts(walk: Walk, answer: Answer) -> Answer:
        if answer.divide:
            answer.divide[min(answer.divide)] += 1
        return answer

    quick = Twisted(miscounts)
    comparison = Comparer(OwnEngine(), [PythonChessEngine(), quick], depth=2).compare(Walk(START_FEN))
    assert comparison.divergence is None
    assert comparison.quarantine is not None
    assert comparison.quarantine.facet == Facet.PERFT
    assert [name for name, _ in comparison.quarantine.answers] == ["twisted", "python-chess"]


def test_walks_compared_in_batches_come_out_the_same_and_in_order() -> None:
    walks = [walk_number(9, index) for index in range(20)]
    comparer = Comparer(open_fault("missing-underpromotion"), [PythonChessEngine()])
    one_by_one = list(comparer.compare_all(walks))
    in_batches = list(comparer.compare_all(walks, batch=8))
    assert in_batches == one_by_one
    assert any(c.divergence for c in one_by_one)
