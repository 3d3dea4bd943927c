"""The strategies give legal walks and positions, long enough, and shrink to short ones."""

from __future__ import annotations

import chess
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis.strategies import SearchStrategy

from refute.board import fen
from refute.errors import InputError
from refute.strategies import positions, walks
from refute.walk import START_FEN, Walk

# The same examples in every run: what these tests say must not depend on luck.
steady = settings(max_examples=150, derandomize=True, database=None, deadline=None)


@steady
@given(walks())
def test_walks_are_legal(walk: Walk) -> None:
    board = chess.Board(walk.fen)
    assert board.status() == chess.STATUS_VALID
    for move in walk.moves:
        board.push(board.parse_uci(move))
    assert board.status() == chess.STATUS_VALID


@steady
@given(walks(chess960=True))
def test_chess960_walks_are_legal(walk: Walk) -> None:
    assert walk.chess960
    board = chess.Board(walk.fen, chess960=True)
    assert board.status() == chess.STATUS_VALID
    for move in walk.moves:
        board.push(board.parse_uci(move))


@steady
@given(walks(max_plies=3))
def test_walks_are_no_longer_than_asked_for(walk: Walk) -> None:
    assert len(walk) <= 3


@steady
@given(positions())
def test_positions_are_legal(text: str) -> None:
    assert chess.Board(text).status() == chess.STATUS_VALID
    assert fen.parse(text).validate() is None


@steady
@given(positions(chess960=True))
def test_chess960_positions_are_legal(text: str) -> None:
    assert chess.Board(text, chess960=True).status() == chess.STATUS_VALID
    assert fen.parse(text, chess960=True).validate() is None


def draws(strategy: SearchStrategy[Walk], count: int) -> list[Walk]:
    drawn: list[Walk] = []

    @settings(steady, max_examples=count, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def collect(walk: Walk) -> None:
        drawn.append(walk)

    collect()
    return drawn


def test_walks_drawn_from_the_starting_position_average_forty_plies() -> None:
    lengths = [len(walk) for walk in draws(walks(), 1200) if walk.fen == START_FEN]
    assert len(lengths) >= 10
    assert sum(lengths) / len(lengths) >= 40


def test_walks_drawn_are_hardly_ever_the_same() -> None:
    drawn = draws(walks(), 400)
    assert len(set(drawn)) >= 0.9 * len(drawn)


def test_a_failing_walk_shrinks_to_few_moves() -> None:
    walk = find(
        walks(),
        lambda walk: any(len(move) == 5 for move in walk.moves),
        settings=settings(steady, max_examples=2000),
    )
    assert len(walk) <= 2


def test_a_failing_example_replays() -> None:
    attempts: list[Walk] = []

    @settings(steady, report_multiple_bugs=False)
    @given(walks())
    def fails(walk: Walk) -> None:
        if len(walk) >= 2:
            attempts.append(walk)
            raise AssertionError(str(walk))

    with pytest.raises(AssertionError) as failure:
        fails()
    # The last attempt is the replay of the shrunk example, and it is the one reported.
    assert str(attempts[-1]) in str(failure.value)
    assert Walk.parse(str(attempts[-1])) == attempts[-1]


@pytest.mark.parametrize("plies", [-1, 5000, True, 2.5, "10", None])
def test_a_length_that_is_none_is_refused_at_once(plies: object) -> None:
    with pytest.raises(InputError, match="max_plies"):
        walks(max_plies=plies)  # type: ignore[arg-type]  # wrong on purpose


def test_chess960_must_be_true_or_false() -> None:
    with pytest.raises(InputError, match="chess960"):
        walks(chess960="yes")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(InputError, match="chess960"):
        positions(chess960=1)  # type: ignore[arg-type]  # wrong on purpose
