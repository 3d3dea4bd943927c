"""The real Stockfish, with every trap it is known for."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import pytest

from refute.engines.protocol import Ability, Answer, Engine, Fault, Question, Trouble
from refute.engines.python_chess import PythonChessEngine
from refute.engines.spec import open_engine
from refute.engines.uci import UciEngine
from refute.walk import START_FEN, Walk

SHARED = frozenset({Ability.MOVES, Ability.FEN, Ability.CHECK})
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
QUIET = Walk("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")


@pytest.fixture(scope="module")
def engine(stockfish: str) -> Iterator[UciEngine]:
    with UciEngine([stockfish], name="stockfish") as engine:
        yield engine


@pytest.fixture
def witness() -> Engine:
    return PythonChessEngine()


def random_walk(seed: int, *, start: str = START_FEN, chess960: bool = False, plies: int = 80) -> Walk:
    chooser = random.Random(seed)
    board = chess.Board(start, chess960=chess960)
    moves: list[str] = []
    while len(moves) < plies and (legal := list(board.legal_moves)):
        move = chooser.choice(legal)
        moves.append(move.uci())
        board.push(move)
    return Walk(start, tuple(moves), chess960)


def test_stockfish_has_the_abilities_it_should(engine: UciEngine) -> None:
    assert engine.abilities == SHARED | {Ability.PERFT, Ability.CHESS960}
    assert "halfmove clock" in engine.lacks[Ability.KEY]
    assert engine.version.startswith("Stockfish")


@pytest.mark.parametrize("seed", range(6))
def test_it_agrees_with_python_chess_along_a_walk(engine: UciEngine, witness: Engine, seed: int) -> None:
    walk = random_walk(seed, start=KIWIPETE if seed % 2 else START_FEN)
    assert engine.along(walk, Question(SHARED)) == witness.along(walk, Question(SHARED))


@pytest.mark.parametrize("seed", range(6))
def test_it_agrees_with_python_chess_along_a_chess960_walk(engine: UciEngine, witness: Engine, seed: int) -> None:
    start = chess.Board.from_chess960_pos(seed * 159).fen()
    walk = random_walk(seed, start=start, chess960=True)
    assert engine.along(walk, Question(SHARED)) == witness.along(walk, Question(SHARED))


def test_its_divides_agree_with_python_chess_in_one_batch(engine: UciEngine, witness: Engine) -> None:
    walks = [random_walk(seed, plies=seed * 3) for seed in range(12)]
    question = Question(frozenset({Ability.PERFT}), depth=2)
    assert engine.at(walks, question) == witness.at(walks, question)


def test_a_deep_count_is_right(engine: UciEngine) -> None:
    (answer,) = engine.at([Walk(KIWIPETE)], Question(frozenset({Ability.PERFT}), depth=4))
    assert isinstance(answer, Answer)
    assert answer.divide is not None
    assert sum(answer.divide.values()) == 4085603


def test_an_en_passant_square_without_a_legal_capture_is_left_out(engine: UciEngine) -> None:
    walk = Walk("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", ("e2e4",))  # it writes e3, though the pawn is pinned
    (answer,) = engine.at([walk], Question(frozenset({Ability.FEN})))
    assert answer == Answer(fen="8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1")


@pytest.mark.parametrize("moves", [("e2e5",), ("e2e4", "e7e5", "e4e5", "a7a6"), ("e2e4", "e2e4")])
def test_a_silently_dropped_move_is_astray(engine: UciEngine, moves: tuple[str, ...]) -> None:
    before, dropped, after = engine.at([QUIET, Walk(START_FEN, moves), QUIET], Question(frozenset({Ability.MOVES})))
    assert isinstance(dropped, Fault)
    assert dropped.trouble == Trouble.ASTRAY
    assert "stopped before" in dropped.text
    assert isinstance(before, Answer)
    assert before == after


@pytest.mark.parametrize(
    "fen",
    [
        pytest.param("8/8/8/8/8/8/4P3/4K3 w - - 0 1", id="no black king"),
        pytest.param("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", id="rights without rooks"),
    ],
)
def test_a_position_that_kills_it_is_a_crash_and_the_batch_goes_on(
    engine: UciEngine, witness: Engine, fen: str
) -> None:
    question = Question(frozenset({Ability.MOVES}))
    walks = [random_walk(seed, plies=20) for seed in range(20)]
    answers = engine.at([*walks[:10], Walk(fen), *walks[10:]], question)
    fault = answers.pop(10)
    assert isinstance(fault, Fault)
    assert fault.trouble == Trouble.CRASH
    assert "SIGSEGV" in fault.text
    assert f"> position fen {fen}" in fault.transcript
    assert answers == witness.at(walks, question)


def test_chess960_and_standard_walks_share_a_batch(engine: UciEngine, witness: Engine) -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    walks = [Walk(fen, chess960=bool(index % 2)) for index in range(6)]
    assert engine.at(walks, Question(SHARED)) == witness.at(walks, Question(SHARED))


def test_large_batches_neither_deadlock_nor_lose_an_answer(engine: UciEngine, witness: Engine) -> None:
    question = Question(frozenset({Ability.MOVES}))
    walks = [random_walk(seed, plies=200) for seed in range(4)] * 300
    engine.submit(walks, question)
    expected = witness.at(walks[:4], question) * 300
    assert engine.collect() == expected


def test_the_spec_stockfish_opens_it(stockfish: str) -> None:
    with open_engine("stockfish") as engine:
        assert engine.name == "stockfish"
    with open_engine(stockfish) as engine:
        assert engine.name == f"uci:{stockfish}"
