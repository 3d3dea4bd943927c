"""A walk's number decides it, its moves are legal, and its rare moves are not rare."""

from __future__ import annotations

import hashlib
from random import Random

import chess
import pytest

from refute.board import fen
from refute.errors import InputError
from refute.features import FeatureCounter
from refute.walk import START_FEN
from refute.walking import KNOWN_FENS, ROUND, SOURCES, make_walk, walk_number

both_variants = pytest.mark.parametrize("chess960", [False, True], ids=["standard", "chess960"])


def test_the_same_number_is_the_same_walk() -> None:
    for index in range(len(ROUND)):
        assert walk_number(7, index) == walk_number(7, index)
        assert walk_number(7, index, chess960=True) == walk_number(7, index, chess960=True)


@both_variants
def test_walks_are_what_they_were_when_this_was_written(chess960: bool) -> None:
    # A change of the maker, or of the order in which the board lists moves, changes this on purpose. Another
    # Python, another platform, or the board interpreted instead of compiled must not.
    text = "\n".join(str(walk_number(1, index, chess960=chess960)) for index in range(len(ROUND)))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    assert digest == ("5312c0ef2f7f83b0" if chess960 else "6f641ed4432b0c4f")


def test_other_numbers_and_other_seeds_are_other_walks() -> None:
    composed = [index for index in range(2 * len(ROUND)) if ROUND[index % len(ROUND)] not in ("start", "known")]
    walks = {str(walk_number(seed, index)) for seed in range(3) for index in composed}
    assert len(walks) > 3 * len(composed) * 0.98


@both_variants
def test_every_position_on_a_walk_is_legal_for_python_chess(chess960: bool) -> None:
    for index in range(4 * len(ROUND)):
        walk = walk_number(3, index, chess960=chess960)
        board = chess.Board(walk.fen, chess960=chess960)
        assert board.status() == chess.STATUS_VALID, walk
        for move in walk.moves:
            board.push(board.parse_uci(move))
            assert board.status() == chess.STATUS_VALID, walk


@both_variants
def test_every_walk_can_be_walked_by_our_own_board(chess960: bool) -> None:
    for index in range(2 * len(ROUND)):
        walk = walk_number(4, index, chess960=chess960)
        assert walk.chess960 == chess960
        position = fen.parse(walk.fen, chess960=chess960)
        for move in walk.moves:
            position.make_uci(move)
        assert position.ply == len(walk)


@both_variants
def test_walks_from_the_starting_position_leave_the_opening(chess960: bool) -> None:
    random = Random(11)
    lengths = [len(make_walk(random, sources=("start",), chess960=chess960)) for _ in range(80)]
    assert sum(lengths) / len(lengths) >= 40


def test_a_smaller_limit_gives_the_beginning_of_the_same_walk() -> None:
    for source in SOURCES:
        for seed in range(12):
            whole = make_walk(Random(seed), sources=(source,))
            for longest in (0, 1, 2, 5, len(whole)):
                short = make_walk(Random(seed), sources=(source,), longest=longest)
                assert short == whole.prefix(longest)


@both_variants
def test_a_few_rounds_see_every_feature_that_walks_are_steered_to(chess960: bool) -> None:
    counter = FeatureCounter(chess960=chess960)
    for index in range(8 * len(ROUND)):
        counter.see_walk(walk_number(1, index, chess960=chess960))
    by_luck = {
        "check by castling",
        "check by en passant",
        "fivefold repetition",
        "castling barred: the rook shields its king",
    }
    assert set(counter.never_seen()) <= by_luck


def test_shuffles_bring_positions_back_with_fewer_rights_and_the_other_side_to_move() -> None:
    random = Random(2)
    repeated = lost = passed = 0
    for _ in range(150):
        walk = make_walk(random, sources=("shuffle",))
        position = fen.parse(walk.fen)
        # What a FEN says first: placement, side to move, rights.
        seen = [fen.write(position).split()[:3]]
        for move in walk.moves:
            position.make_uci(move)
            placement, side, rights = fen.write(position).split()[:3]
            repeated += [placement, side, rights] in seen
            lost += any(old[:2] == [placement, side] and old[2] != rights for old in seen)
            passed += any(old[0] == placement and old[1] != side for old in seen)
            seen.append([placement, side, rights])
    assert repeated >= 100
    assert lost >= 20
    assert passed >= 20


def test_walks_start_from_every_source_in_a_round() -> None:
    assert set(ROUND) == set(SOURCES)
    starts = {walk_number(1, index).fen for index in range(4 * len(ROUND))}
    assert START_FEN in starts
    assert starts & set(KNOWN_FENS)


def test_chess960_walks_start_from_chess960_arrays() -> None:
    random = Random(9)
    starts = {make_walk(random, sources=("start",), chess960=True, longest=0).fen for _ in range(50)}
    assert len(starts) > 40


def test_rare_moves_are_played_again_and_again() -> None:
    castles = captures_en_passant = promotions = underpromotions = 0
    for index in range(6 * len(ROUND)):
        walk = walk_number(5, index)
        board = chess.Board(walk.fen)
        for text in walk.moves:
            move = board.parse_uci(text)
            castles += board.is_castling(move)
            captures_en_passant += board.is_en_passant(move)
            promotions += move.promotion is not None
            underpromotions += move.promotion not in (None, chess.QUEEN)
            board.push(move)
    assert min(castles, captures_en_passant, underpromotions) >= 20
    assert underpromotions >= promotions / 2


@pytest.mark.parametrize(
    "wrong",
    [{"sources": ()}, {"sources": ("nowhere",)}, {"longest": -1}, {"longest": 5000}],
    ids=["no source", "unknown source", "negative length", "too long"],
)
def test_arguments_that_mean_nothing_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        make_walk(Random(0), **wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_there_is_no_walk_before_the_first() -> None:
    with pytest.raises(InputError, match="walk number -1"):
        walk_number(1, -1)
