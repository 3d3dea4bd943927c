"""Outcomes hold exactly when the rules, and python-chess, say so."""

from __future__ import annotations

import random

import chess
import pytest

from refute.board import fen
from refute.board._core import Position
from refute.board.outcome import Outcome, is_dead, outcome

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def play(position: Position, *moves: str) -> Position:
    for move in moves:
        position.make(position.parse_uci(move))
    return position


OUTCOMES = [
    ("start", fen.START, None),
    ("fool's mate", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Outcome.CHECKMATE),
    ("mate on the 150th ply", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 150 90", Outcome.CHECKMATE),
    ("stalemate", "k7/2Q5/8/8/8/8/8/4K3 b - - 0 1", Outcome.STALEMATE),
    ("stalemate on the 150th ply", "k7/2Q5/8/8/8/8/8/4K3 b - - 150 90", Outcome.STALEMATE),
    ("stalemate by a pawn", "k7/P7/1K6/8/8/8/8/8 b - - 0 1", Outcome.STALEMATE),
    ("stalemate comes before dead", "k7/8/1K1B4/8/8/8/8/8 b - - 0 1", Outcome.STALEMATE),
    ("check that can be met", "4k3/8/8/8/8/8/8/K3R3 b - - 0 1", None),
    ("bare kings", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", Outcome.INSUFFICIENT_MATERIAL),
    ("dead comes before move counts", "4k3/8/8/8/8/8/8/4K3 w - - 150 90", Outcome.INSUFFICIENT_MATERIAL),
    ("149 plies", "4k3/8/8/8/8/8/8/K6R w - - 149 90", None),
    ("150 plies", "4k3/8/8/8/8/8/8/K6R w - - 150 90", Outcome.SEVENTYFIVE_MOVES),
]


@pytest.mark.parametrize(("text", "expected"), [pytest.param(*rest, id=name) for name, *rest in OUTCOMES])
def test_outcome_is_the_first_that_holds(text: str, expected: Outcome | None) -> None:
    assert outcome(fen.parse(text)) is expected


DEAD = [
    ("bare kings", "", True),
    ("a white knight", "N", True),
    ("a black knight", "n", True),
    ("two knights of one side", "NN", False),
    ("a knight each", "Nn", False),
    ("a white bishop", "B", True),
    ("bishops on one colour", "B1B1b1b", True),
    ("bishops on both colours", "Bb", False),
    ("one side's bishops on both colours", "BB", False),
    ("bishop and knight", "BN", False),
    ("bishop against knight", "Bn", False),
    ("a pawn", "P", False),
    ("a black pawn", "p", False),
    ("a rook", "R", False),
    ("a black rook", "r", False),
    ("a queen", "Q", False),
    ("a black queen", "q", False),
]


def with_men(rank: str) -> str:
    """A position, Black not in check, with these men, from the a file on, on rank 4."""
    empty = 8 - sum(int(letter) if letter.isdigit() else 1 for letter in rank)
    return f"8/7k/8/8/{rank}{empty or ''}/8/8/7K w - - 0 1"


@pytest.mark.parametrize(("rank", "dead"), [pytest.param(*rest, id=name) for name, *rest in DEAD])
def test_a_position_is_dead_by_its_material(rank: str, dead: bool) -> None:
    text = with_men(rank)
    assert is_dead(fen.parse(text)) is dead
    assert chess.Board(text).is_insufficient_material() is dead


def test_dead_positions_of_few_men_are_python_chess_ones() -> None:
    rng = random.Random(64)
    dead = 0
    for _ in range(4000):
        mailbox = [12] * 64
        # Mostly minor pieces, because only they can make the answer hard.
        men = [5, 11, *rng.choices([1, 2, 2, 7, 8, 8, 3, 10], k=rng.randrange(5))]
        for piece, square in zip(men, rng.sample(range(8, 56), len(men)), strict=True):
            mailbox[square] = piece
        position = Position()
        position.set_up(mailbox, 0, 0, [64] * 4, 64, 0, 1, chess960=False)
        expected = chess.Board(fen.write(position)).is_insufficient_material()
        assert is_dead(position) is expected, fen.write(position)
        dead += expected
    assert 500 < dead < 3500


def test_repetitions_count_this_time_and_start_anew_after_a_pawn_move() -> None:
    position = fen.start_position()
    assert position.repetitions() == 1
    assert play(position, *SHUFFLE).repetitions() == 2
    assert play(position, *SHUFFLE).repetitions() == 3
    assert play(position, "e2e3").repetitions() == 1
    assert play(position, *("g8f6", "g1f3", "f6g8", "f3g1")).repetitions() == 2
    for _ in range(4):
        position.unmake()
    assert position.repetitions() == 1


def test_a_lost_castling_right_makes_another_position() -> None:
    position = fen.parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    play(position, "h1h2", "e8e7", "h2h1", "e7e8")
    assert position.repetitions() == 1
    assert play(position, "h1h2", "e8e7", "h2h1", "e7e8").repetitions() == 2


@pytest.mark.parametrize(
    ("text", "times"),
    [
        pytest.param("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3", 1, id="takeable"),
        pytest.param("rnbqkbnr/ppp1pppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3", 2, id="not takeable"),
    ],
)
def test_only_a_takeable_en_passant_square_makes_another_position(text: str, times: int) -> None:
    position = play(fen.parse(text), "g8f6", "g1f3", "f6g8", "f3g1")
    assert position.repetitions() == times


def test_plies_before_the_fen_are_not_counted() -> None:
    position = fen.parse("4k3/8/8/8/8/8/8/K6R w - - 40 90")
    assert position.repetitions() == 1
    assert play(position, "a1a2", "e8e7", "a2a1", "e7e8").repetitions() == 2


def test_a_null_move_starts_the_count_anew() -> None:
    position = play(fen.start_position(), *SHUFFLE)
    position.make_null()
    position.make_null()
    assert position.repetitions() == 1
    assert play(position, *SHUFFLE).repetitions() == 2
    position.make_null()
    assert position.repetitions() == 1


def test_a_null_move_that_forgoes_en_passant_starts_the_count_anew() -> None:
    position = fen.parse("4k2n/8/8/8/3pP3/8/8/4K2N b - e3 0 1")
    position.make_null()
    position.make_null()
    play(position, "h8g6", "h1g3", "g6h8", "g3h1")
    assert position.repetitions() == 2


def test_fivefold_ends_the_game_and_threefold_only_when_claimed() -> None:
    position = fen.start_position()
    seen = []
    for _ in range(4):
        play(position, *SHUFFLE)
        seen.append((outcome(position), outcome(position, claims=True)))
    assert seen == [
        (None, None),
        (None, Outcome.THREEFOLD_REPETITION),
        (None, Outcome.THREEFOLD_REPETITION),
        (Outcome.FIVEFOLD_REPETITION, Outcome.FIVEFOLD_REPETITION),
    ]


@pytest.mark.parametrize(("halfmove", "claimed"), [(99, None), (100, Outcome.FIFTY_MOVES)])
def test_fifty_moves_end_the_game_only_when_claimed(halfmove: int, claimed: Outcome | None) -> None:
    position = fen.parse(f"4k3/8/8/8/8/8/8/K6R w - - {halfmove} 90")
    assert outcome(position) is None
    assert outcome(position, claims=True) is claimed


def expected_outcome(board: chess.Board, *, claims: bool) -> Outcome | None:
    """python-chess's answer, asked rule by rule: its own order puts a dead position before stalemate."""
    rules = [
        (board.is_checkmate(), Outcome.CHECKMATE),
        (board.is_stalemate(), Outcome.STALEMATE),
        (board.is_insufficient_material(), Outcome.INSUFFICIENT_MATERIAL),
        (board.is_seventyfive_moves(), Outcome.SEVENTYFIVE_MOVES),
        (board.is_fivefold_repetition(), Outcome.FIVEFOLD_REPETITION),
        (claims and board.is_fifty_moves(), Outcome.FIFTY_MOVES),
        (claims and board.is_repetition(3), Outcome.THREEFOLD_REPETITION),
    ]
    return next((name for holds, name in rules if holds), None)


ENDINGS = [
    pytest.param(fen.START, id="start"),
    pytest.param("k7/8/8/8/8/8/8/K6R w - - 0 1", id="rook ending"),
    pytest.param("k7/p7/8/8/8/8/P7/K7 w - - 0 1", id="pawn ending"),
    pytest.param("k1b5/8/8/8/8/8/5P2/K5B1 w - - 0 1", id="bishops and a pawn"),
]


@pytest.mark.parametrize("text", ENDINGS)
def test_random_games_end_as_python_chess_says(text: str) -> None:
    rng = random.Random(150)
    for _ in range(4):
        board, position = chess.Board(text), fen.parse(text)
        for _ in range(200):
            for claims in (False, True):
                assert outcome(position, claims=claims) is expected_outcome(board, claims=claims), board.fen()
            moves = list(board.legal_moves)
            if not moves:
                break
            # Going back where one came from, when one can, is what makes positions repeat.
            undoing = [m for m in moves if len(board.move_stack) > 1 and is_return(board.move_stack[-2], m)]
            move = rng.choice(undoing if undoing and rng.random() < 0.5 else moves)
            board.push(move)
            play(position, move.uci())


def is_return(earlier: chess.Move, move: chess.Move) -> bool:
    return (move.from_square, move.to_square) == (earlier.to_square, earlier.from_square)
