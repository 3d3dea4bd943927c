"""Equal positions have equal keys, however they came about; different ones differ."""

from __future__ import annotations

import itertools
import random

import chess
import pytest

from refute.board import Position, fen, is_compiled, zobrist
from refute.board.constants import EMPTY

START_KEY = 0x52B9_87F0_EC72_9B7A


def after(text: str, moves: str, *, chess960: bool = False) -> Position:
    position = fen.parse(text, chess960=chess960)
    for move in moves.split():
        position.make_uci(move)
    return position


def fresh(position: Position) -> Position:
    return fen.parse(fen.write(position, en_passant="always"), chess960=position.chess960)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("g1f3 g8f6 b1c3 b8c6", "b1c3 b8c6 g1f3 g8f6", id="knights in either order"),
        pytest.param("e2e3 e7e6 e3e4 e6e5", "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8", id="a pawn in one step or two"),
        pytest.param("g1f3 g8f6 f3g1 f6g8", "", id="there and back"),
        pytest.param("d2d4 d7d5 c2c4 e7e6", "c2c4 e7e6 d2d4 d7d5", id="queen's gambit by two roads"),
    ],
)
def test_transpositions_have_equal_keys(one: str, other: str) -> None:
    assert after(fen.START, one).key == after(fen.START, other).key


def test_lost_rights_tell_apart_what_looks_the_same() -> None:
    castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert after(castling, "h1g1 e8d8 g1h1 d8e8").key != fen.parse(castling).key
    keys = {fen.parse(castling.replace("KQkq", rights)).key for rights in ("KQkq", "Qkq", "KQ", "kq", "K", "k", "-")}
    assert len(keys) == 7


def test_all_sixteen_sets_of_rights_have_keys_of_their_own() -> None:
    rights = ["".join(letters) for n in range(5) for letters in itertools.combinations("KQkq", n)]
    keys = {fen.parse(f"r3k2r/8/8/8/8/8/8/R3K2R w {held or '-'} - 0 1").key for held in rights}
    assert len(keys) == 16


def test_rights_are_keyed_by_the_rooks_file() -> None:
    """Two rooks on the king's right: which of them may castle is part of the position."""
    men = "4k3/8/8/8/8/8/8/4KRR1 w"
    assert fen.parse(f"{men} F - 0 1").key != fen.parse(f"{men} G - 0 1").key


def test_chess960_itself_is_not_in_the_key() -> None:
    text = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert fen.parse(text).key == fen.parse(text, chess960=True).key


def test_clocks_are_not_in_the_key() -> None:
    assert fen.parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1").key == fen.parse("4k3/8/8/8/8/8/8/4K2R w K - 30 99").key


def test_side_to_move_is_in_the_key() -> None:
    white, black = fen.parse("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), fen.parse("4k3/8/8/8/8/8/8/4K3 b - - 0 1")
    assert white.key ^ black.key == zobrist.BLACK_KEY


EN_PASSANT = [
    pytest.param("4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2", True, id="takeable"),
    pytest.param("4k3/8/8/4p3/8/8/8/4K3 w - e6 0 2", False, id="nobody near"),
    pytest.param("4k3/8/8/2P1p3/8/8/8/4K3 w - e6 0 2", False, id="a file too far"),
    pytest.param("8/8/8/K2Pp2r/8/8/8/4k3 w - e6 0 2", False, id="pinned along the rank"),
    pytest.param("3rk3/8/8/3Pp3/8/8/8/3K4 w - e6 0 2", False, id="pinned on its file"),
    pytest.param("3rk3/8/8/3PpP2/8/8/8/3K4 w - e6 0 2", True, id="one of two takers pinned"),
    pytest.param("4K3/8/8/2Pp4/b7/8/8/k7 w - d6 0 1", False, id="the push uncovered a check"),
]


@pytest.mark.parametrize(("text", "takeable"), EN_PASSANT)
def test_en_passant_file_is_in_the_key_only_when_a_capture_is_legal(text: str, takeable: bool) -> None:
    position = fen.parse(text)
    without = fen.parse(" ".join(field if i != 3 else "-" for i, field in enumerate(text.split())))
    file = position.en_passant
    assert file is not None
    assert position.key ^ without.key == (zobrist.EN_PASSANT_KEYS[file & 7] if takeable else 0)
    assert position.has_legal_en_passant() is takeable
    assert chess.Board(text).has_legal_en_passant() is takeable


def test_double_push_that_cannot_be_taken_repeats_the_position() -> None:
    """The first time the pawn has just passed e3, the second time not; nothing could take, so they are equal."""
    position = after(fen.START, "e2e4")
    key = position.key
    for move in ("g8f6", "g1f3", "f6g8", "f3g1"):
        position.make_uci(move)
    assert position.key == key


def test_keys_kept_by_moves_equal_keys_from_scratch_and_from_fen(positions: list[Position]) -> None:
    for position in positions:
        assert position.key == position.compute_key() == fresh(position).key
        for move in position.legal_moves():
            position.make(move)
            assert position.key == position.compute_key()
            position.unmake()


def test_keys_along_random_games_equal_those_of_fresh_positions() -> None:
    rng = random.Random(10)
    for _ in range(60 if is_compiled() else 12):
        position = fen.chess960_start(rng.randrange(960))
        while position.ply < 120 and (moves := position.legal_moves()):
            position.make(rng.choice(moves))
            assert position.key == position.compute_key() == fresh(position).key


def identity(position: Position) -> str:
    """Placement, turn, rights and legal en passant: what a key stands for."""
    return " ".join(fen.write(position, shredder=True).split()[:4])


def test_keys_and_positions_are_one_to_one_over_a_sample(positions: list[Position]) -> None:
    keys: dict[int, str] = {}
    texts: dict[str, int] = {}
    for position in positions:
        for move in [None, *position.legal_moves()]:
            if move is not None:
                position.make(move)
            assert keys.setdefault(position.key, identity(position)) == identity(position)
            assert texts.setdefault(identity(position), position.key) == position.key
            if move is not None:
                position.unmake()
    assert len(keys) > 5000


def test_one_man_more_less_or_elsewhere_changes_the_key() -> None:
    keys = {fen.parse("4k3/8/8/8/8/8/8/4K3 w - - 0 1").key}
    for piece in range(12):
        if piece % 6 == 5:
            continue
        for square in range(8, 56):
            mailbox = [EMPTY] * 64
            mailbox[4], mailbox[60], mailbox[square] = 5, 11, piece
            position = Position()
            position.set_up(mailbox, 0, 0, [64] * 4, 64, 0, 1, chess960=False)
            keys.add(position.key)
    assert len(keys) == 1 + 10 * 48


def test_tables_come_from_the_documented_generator() -> None:
    numbers = zobrist.splitmix64(zobrist.SEED)
    table = [*zobrist.PIECE_KEYS, *zobrist.CASTLING_KEYS, *zobrist.EN_PASSANT_KEYS, zobrist.BLACK_KEY]
    assert table == [next(numbers) for _ in range(793)]
    assert len(set(table)) == 793
    # The published first numbers of splitmix64 seeded with 1234567.
    reference = zobrist.splitmix64(1234567)
    assert [next(reference) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_start_key_stays_what_it_was() -> None:
    """Keys are written to disk and compared across versions: a change of tables must be on purpose."""
    assert fen.start_position().key == START_KEY
