"""python-chess as an engine says what the library says, in our words."""

from __future__ import annotations

import random

import chess
import pytest

from refute.board.move import decode_uci, encode_uci
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.engines.python_chess import PythonChessEngine, write_fen
from refute.walk import START_FEN, Walk

EVERYTHING = Question(frozenset({Ability.MOVES, Ability.FEN, Ability.CHECK, Ability.OUTCOME, Ability.PERFT}), depth=1)
OUTCOME = Question(frozenset({Ability.OUTCOME}))
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

engine = PythonChessEngine()


def random_board(seed: int, start: chess.Board) -> chess.Board:
    chooser = random.Random(seed)
    while len(start.move_stack) < 120 and (legal := list(start.legal_moves)):
        start.push(chooser.choice(legal))
    return start


def walk_of(board: chess.Board) -> Walk:
    return Walk(board.root().fen(), tuple(move.uci() for move in board.move_stack), board.chess960)


def starts() -> list[chess.Board]:
    return [chess.Board(), chess.Board(KIWIPETE), *(chess.Board.from_chess960_pos(n) for n in (0, 518, 959))]


@pytest.mark.parametrize("start", range(5))
def test_every_answer_of_a_walk_is_the_librarys(start: int) -> None:
    board = random_board(start, starts()[start])
    walk = walk_of(board)
    answers = engine.along(walk, EVERYTHING)
    assert len(answers) == len(walk) + 1
    replay = board.root()
    for ply, answer in enumerate(answers):
        assert isinstance(answer, Answer)
        texts = [move.uci() for move in replay.legal_moves]
        assert answer.moves is not None
        assert sorted(map(decode_uci, answer.moves)) == sorted(texts)
        assert list(answer.moves) == sorted(answer.moves)
        assert answer.fen == replay.fen(en_passant="legal")
        assert answer.check == replay.is_check()
        assert answer.divide == dict.fromkeys(answer.moves, 1)
        outcome = replay.outcome()
        assert answer.outcome == (outcome.termination.name.lower() if outcome else "").replace(
            "insufficient_material", "insufficient-material"
        ).replace("seventyfive_moves", "seventyfive-moves").replace("fivefold_repetition", "fivefold-repetition")
        if ply < len(walk):
            replay.push(board.move_stack[ply])


@pytest.mark.parametrize("start", range(5))
def test_the_end_of_a_walk_is_the_same_however_it_is_asked(start: int) -> None:
    walk = walk_of(random_board(start + 10, starts()[start]))
    assert engine.at([walk, walk.prefix(7)], EVERYTHING) == [
        engine.along(walk, EVERYTHING)[-1],
        engine.along(walk, EVERYTHING)[7],
    ]


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1",
        "8/8/8/8/k2pP3/8/8/4K3 b - e3 0 1",
        "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 99 120",
    ],
)
def test_the_fast_fen_writer_writes_the_librarys_fen(fen: str) -> None:
    board = chess.Board(fen)
    assert write_fen(board) == board.fen(en_passant="legal")


def test_the_inner_rooks_right_keeps_its_file_in_chess960() -> None:
    fen = "4k3/8/8/8/8/8/8/4KR1R w F - 0 1"
    (answer,) = engine.at([Walk(fen, chess960=True)], Question(frozenset({Ability.FEN})))
    assert answer == Answer(fen=fen)


@pytest.mark.parametrize(
    ("walk", "outcome"),
    [
        (Walk(START_FEN), ""),
        (Walk(START_FEN, ("f2f3", "e7e5", "g2g4", "d8h4")), "checkmate"),
        (Walk("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "stalemate"),
        (Walk("7k/8/6K1/8/8/8/8/5B2 b - - 0 1"), "insufficient-material"),
        (Walk("7k/8/6K1/8/8/8/P7/8 b - - 150 200"), "seventyfive-moves"),
        (Walk("7k/8/6K1/8/8/8/P7/8 b - - 149 200"), ""),
        (Walk(START_FEN, ("g1f3", "g8f6", "f3g1", "f6g8") * 4), "fivefold-repetition"),
        (Walk(START_FEN, ("g1f3", "g8f6", "f3g1", "f6g8") * 3), ""),
        pytest.param(Walk("7k/5Q2/6K1/8/8/8/8/8 b - - 150 200"), "stalemate", id="stalemate before 75 moves"),
        pytest.param(Walk("7k/6Q1/6K1/8/8/8/8/8 b - - 150 200"), "checkmate", id="checkmate before 75 moves"),
    ],
)
def test_how_a_game_ended(walk: Walk, outcome: str) -> None:
    assert engine.at([walk], OUTCOME) == [Answer(outcome=outcome)]
    together = Question(OUTCOME.asks | {Ability.MOVES})
    assert [answer.outcome for answer in engine.at([walk], together) if isinstance(answer, Answer)] == [outcome]


def test_perft_divides() -> None:
    (answer,) = engine.at([Walk(KIWIPETE)], Question(frozenset({Ability.PERFT}), depth=3))
    assert isinstance(answer, Answer)
    assert answer.divide is not None
    assert sum(answer.divide.values()) == 97862
    assert answer.divide[encode_uci("e1g1")] == 2059


def test_only_what_is_asked_is_answered() -> None:
    assert engine.at([Walk(START_FEN)], Question(frozenset())) == [Answer()]
    assert engine.at([Walk(START_FEN)], Question(frozenset({Ability.PERFT}), depth=0)) == [Answer()]


@pytest.mark.parametrize("question", [EVERYTHING, Question(frozenset({Ability.FEN}))])
@pytest.mark.parametrize(
    ("walk", "text"),
    [
        (Walk(START_FEN, ("e2e4", "e2e4")), "e2e4 is not legal"),
        (Walk(START_FEN, ("e2e4", "e7e5", "e1g1")), "e1g1 is not legal"),
        (Walk("not a fen"), "does not read"),
        (Walk("8/8/8/8/8/8/4P3/4K3 w - - 0 1"), "Black has 0 kings"),
        (Walk("k6k/8/8/8/8/8/4P3/4K3 w - - 0 1"), "Black has 2 kings"),
    ],
)
def test_a_walk_that_cannot_be_walked_is_astray(walk: Walk, text: str, question: Question) -> None:
    for answers in (engine.along(walk, question), engine.at([walk], question)):
        last = answers[-1]
        assert isinstance(last, Fault)
        assert last.trouble == Trouble.ASTRAY
        assert text in last.text


def test_it_closes_and_tells_its_version() -> None:
    with PythonChessEngine() as opened:
        assert opened.version == f"python-chess {chess.__version__}"
        assert opened.name == "python-chess"
        assert Ability.KEY not in opened.abilities
