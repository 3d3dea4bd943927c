"""A copy or an unpickled position equals the original, history included, and lives its own life."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from collections.abc import Callable

import pytest

from refute.board import Position, fen
from refute.errors import MoveError


def played() -> Position:
    """A position with a history: castles, captures, an en passant chance and a null move."""
    position = fen.parse("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 9")
    for move in ("e1g1", "h3g2", "f3g2", "e8c8", "a2a4"):
        position.make_uci(move)
    assert position.has_legal_en_passant()
    position.make_null()
    position.make_uci("d5e6")
    return position


def through_pickle(position: Position, protocol: int = pickle.HIGHEST_PROTOCOL) -> Position:
    twin = pickle.loads(pickle.dumps(position, protocol))
    assert isinstance(twin, Position)
    return twin


WAYS: list[Callable[[Position], Position]] = [
    Position.copy,
    copy.copy,
    copy.deepcopy,
    *[lambda position, p=protocol: through_pickle(position, p) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)],
]
NAMES = ["Position.copy", "copy", "deepcopy", *[f"pickle {p}" for p in range(pickle.HIGHEST_PROTOCOL + 1)]]
every_way = pytest.mark.parametrize("way", WAYS, ids=NAMES)


@every_way
def test_copies_are_equal_in_every_field_and_all_history(way: Callable[[Position], Position]) -> None:
    position = played()
    twin = way(position)
    assert twin is not position
    assert twin == position
    assert twin.fields() == position.fields()
    assert twin.fingerprint() == position.fingerprint()
    assert twin.moves_made() == position.moves_made()
    assert twin.key_history() == position.key_history()
    assert twin.legal_moves() == position.legal_moves()
    assert twin.validate() is None


@every_way
def test_playing_on_a_copy_leaves_the_original_alone(way: Callable[[Position], Position]) -> None:
    position = played()
    before = position.fingerprint()
    twin = way(position)
    for _ in range(100):
        moves = twin.legal_moves()
        if not moves:
            break
        twin.make(moves[0])
    assert position.fingerprint() == before
    assert twin != position


@every_way
def test_a_copy_can_take_back_what_the_original_played(way: Callable[[Position], Position]) -> None:
    position = played()
    twin = way(position)
    while twin.ply:
        twin.unmake()
        position.unmake()
        assert twin == position
    assert fen.write(twin) == "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 9"
    with pytest.raises(MoveError):
        twin.unmake()


@every_way
def test_copies_of_random_positions_move_alike(way: Callable[[Position], Position], positions: list[Position]) -> None:
    for position in positions[::9]:
        twin = way(position)
        assert twin == position
        assert twin.perft(2) == position.perft(2)
        assert twin.chess960 == position.chess960


@every_way
def test_an_empty_board_can_be_copied(way: Callable[[Position], Position]) -> None:
    assert way(Position()) == Position()


def test_deep_copies_inside_containers_are_separate() -> None:
    position = fen.start_position()
    inner, again = copy.deepcopy([position, [position]])
    assert isinstance(inner, Position)
    inner.make_uci("e2e4")
    assert position.ply == 0
    assert again


def test_a_long_history_survives_pickling() -> None:
    rng = random.Random(11)
    position = fen.start_position()
    for _ in range(600):
        moves = [move for move in position.legal_moves() if move >> 12 == 0] or position.legal_moves()
        if not moves:
            break
        position.make(rng.choice(moves))
    twin = through_pickle(position)
    assert twin.ply == position.ply > 100
    assert twin.fingerprint() == position.fingerprint()


ELSEWHERE = """
import pickle, sys
from refute.board import is_compiled
position = pickle.loads(sys.stdin.buffer.read())
assert position.validate() is None
position.unmake()
position.make_uci("d5e6")
sys.stdout.buffer.write(pickle.dumps((is_compiled(), position.fingerprint(), position.key, position)))
"""


@pytest.mark.parametrize("pure", ["0", "1"], ids=["compiled if built", "interpreted"])
def test_pickles_travel_between_processes_and_both_modes(pure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFUTE_PURE", pure)
    position = played()
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], input=pickle.dumps(position), capture_output=True, check=True, timeout=60
    )
    compiled, fingerprint, key, twin = pickle.loads(done.stdout)
    assert not (compiled and pure == "1")
    assert (fingerprint, key) == (position.fingerprint(), position.key)
    assert twin == position


def test_a_forged_pickle_is_refused_like_any_other_caller() -> None:
    revive, (state, chess960, moves) = played().__reduce__()[:2]
    with pytest.raises(MoveError):
        revive(state, chess960, [*moves[:-1], 0xFFFF])
    with pytest.raises(ValueError):
        revive(([99] * 64, *state[1:]), chess960, moves)


# ---------------------------------------------------------------- equality


def test_positions_equal_when_every_field_is_equal() -> None:
    here, there = fen.start_position(), fen.start_position()
    assert here == there
    for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
        here.make_uci(move)
    assert here.key == there.key
    assert here != there, "the clocks differ"
    assert here == fen.parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4 3")


@pytest.mark.parametrize("other", [None, 0, "position", fen.START, object], ids=str)
def test_a_position_equals_nothing_else(other: object) -> None:
    assert fen.start_position() != other


def test_positions_cannot_be_dictionary_keys() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(fen.start_position())
