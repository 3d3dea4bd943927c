"""Make does what python-chess does, unmake undoes exactly that, and a refused move changes nothing."""

from __future__ import annotations

import random

import chess
import pytest

from refute.board import Position, fen, is_compiled
from refute.board.constants import NO_MOVE
from refute.board.move import KING_CASTLE, Move
from refute.errors import MoveError

# Every row of the mirror: what one kind of move changes, its unmake must put back.
ROWS = [
    ("quiet move", fen.START, "g1f3"),
    ("quiet pawn move resets the clock", "4k3/8/8/8/8/8/4P3/4K3 w - - 17 30", "e2e3"),
    ("quiet piece move raises the clock", "4k3/8/8/8/8/8/4P3/4K3 w - - 17 30", "e1d1"),
    ("black move raises the move number", "4k3/8/8/8/8/8/4P3/4K3 b - - 17 30", "e8d8"),
    ("double push nobody can take", fen.START, "e2e4"),
    ("double push that can be taken", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4"),
    ("double push by black that can be taken", "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5"),
    ("double push whose taker is pinned", "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", "e2e4"),
    ("move that lets an en passant chance go", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2", "e1e2"),
    ("capture", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 5 9", "e4d5"),
    ("capture by black", "4k3/8/8/3p4/4P3/8/8/4K3 b - - 5 9", "d5e4"),
    ("capture of a queen", "4k3/8/8/3q4/4N3/8/8/3RK3 w - - 5 9", "d1d5"),
    ("en passant by white", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2", "d5e6"),
    ("en passant by black", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 2", "d4e3"),
    ("king-side castle", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9", "e1g1"),
    ("queen-side castle", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9", "e1c1"),
    ("king-side castle by black", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9", "e8g8"),
    ("queen-side castle by black", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9", "e8c8"),
    ("king move loses both rights", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9", "e1e2"),
    ("rook move loses one right", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9", "h1g1"),
    ("rook takes rook and both lose a right", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9", "a1a8"),
    ("capture of a rook with its right", "r3k2r/8/8/8/8/8/6b1/R3K2R b KQkq - 3 9", "g2h1"),
    ("promotion that takes a rook with its right", "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 3 9", "b7a8r"),
    *[(f"promotion to {piece}", "8/P3k3/8/8/8/8/8/4K3 w - - 4 60", f"a7a8{piece}") for piece in "nbrq"],
    *[(f"promotion by black to {piece}", "4k3/8/8/8/8/8/p3K3/8 b - - 4 60", f"a2a1{piece}") for piece in "nbrq"],
    *[(f"capturing promotion to {p}", "1n6/P3k3/8/8/8/8/8/4K3 w - - 4 60", f"a7b8{p}") for p in "nbrq"],
    *[(f"capturing promotion by black to {p}", "4k3/8/8/8/8/8/p3K3/1Q6 b - - 4 60", f"a2b1{p}") for p in "nbrq"],
]
CHESS960_ROWS = [
    ("king and rook change places", "4k3/8/8/8/8/8/8/5KR1 w K - 3 9", "f1g1"),
    ("king stays, rook jumps it", "4k3/8/8/8/8/8/8/6KR w K - 3 9", "g1h1"),
    ("rook stays, king jumps it", "4k3/8/8/8/8/8/8/4KR2 w K - 3 9", "e1f1"),
    ("king walks far", "4k3/8/8/8/8/8/8/RK6 w Q - 3 9", "b1a1"),
    ("queen side from the g file", "r5kr/8/8/8/8/8/8/R5KR w KQkq - 3 9", "g1a1"),
    ("black queen side, king stays", "1rk5/8/8/8/8/8/8/4K3 b q - 3 9", "c8b8"),
    ("black king and rook change places", "2rk4/8/8/8/8/8/8/4K3 b q - 3 9", "d8c8"),
    ("inner rook moves", "1rk2rr1/8/8/8/8/8/8/1RK2RR1 w FBfb - 3 9", "f1f2"),
]
ALL_ROWS = [pytest.param(text, move, False, id=name) for name, text, move in ROWS] + [
    pytest.param(text, move, True, id=f"chess960: {name}") for name, text, move in CHESS960_ROWS
]


@pytest.mark.parametrize(("text", "move", "chess960"), ALL_ROWS)
def test_make_leads_where_python_chess_says_and_unmake_back(text: str, move: str, chess960: bool) -> None:
    position = fen.parse(text, chess960=chess960)
    board = chess.Board(text, chess960=chess960)
    fields, fingerprint = position.fields(), position.fingerprint()

    position.make_uci(move)
    board.push_uci(move)
    assert fen.write(position) == board.fen(en_passant="legal")
    assert position.validate() is None
    assert position.fingerprint() != fingerprint
    # A fresh reading of the same position knows nothing of how it came about.
    assert position == fen.parse(fen.write(position, en_passant="always"), chess960=chess960)

    position.unmake()
    assert position.fields() == fields
    assert position.fingerprint() == fingerprint
    assert position.validate() is None


def test_rows_cover_every_flag_for_both_colours() -> None:
    seen = set()
    for _, text, move in ROWS:
        position = fen.parse(text)
        seen.add((position.turn, Move(position.parse_uci(move)).flag))
    assert seen == {(turn, flag) for turn in (0, 1) for flag in (0, 1, 2, 3, 4, 5, *range(8, 16))}


def test_tallies_follow_every_move(positions: list[Position]) -> None:
    """Material, scores and phase equal those of the same position set up afresh."""
    for position in positions[::7]:
        for move in position.legal_moves():
            position.make(move)
            fresh = fen.parse(fen.write(position, en_passant="always"), chess960=position.chess960)
            assert position.material(0) == fresh.material(0)
            assert position.material(1) == fresh.material(1)
            assert position.score() == fresh.score()
            assert position.phase() == fresh.phase()
            position.unmake()


def test_tallies_of_the_start_are_level() -> None:
    start = fen.start_position()
    assert start.material(0) == start.material(1) == 8 * 100 + 2 * (320 + 330 + 500) + 900
    assert start.score() == (0, 0)
    assert start.phase() == 24
    assert fen.parse("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1").phase() == 0
    ahead = fen.parse("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1")
    assert ahead.material(0) == 900
    assert min(ahead.score()) > 800


def test_mirrored_positions_score_as_opposites(sample: list[tuple[str, bool]]) -> None:
    for text, chess960 in sample[::7]:
        board = chess.Board(text, chess960=chess960)
        mirrored = fen.parse(board.mirror().fen(), chess960=chess960)
        middlegame, endgame = fen.parse(text, chess960=chess960).score()
        assert mirrored.score() == (-middlegame, -endgame)


# ---------------------------------------------------------------- the undo stack


def test_undo_stack_holds_twenty_thousand_plies_and_gives_every_one_back() -> None:
    position = fen.start_position()
    prints = []
    shuffle = ["g1f3", "b8c6", "f3g1", "c6b8"]
    for ply in range(20_000):
        if ply % 997 == 0:
            prints.append((ply, position.fingerprint()))
        if ply % 101 < 2:
            position.make_null()
        else:
            position.make_uci(shuffle[(ply - 2 * (ply // 101 + 1)) % 4])
    assert position.ply == len(position.key_history()) == len(position.moves_made()) == 20_000
    assert position.halfmove == 20_000
    assert position.validate() is None
    while position.ply:
        if prints and prints[-1][0] == position.ply:
            assert prints.pop()[1] == position.fingerprint()
        position.unmake()
    assert prints == [(0, position.fingerprint())]
    assert position.fingerprint() == fen.start_position().fingerprint()


def test_taking_back_from_the_bottom_is_refused() -> None:
    position = fen.start_position()
    before = position.fingerprint()
    with pytest.raises(MoveError, match="no move to take back"):
        position.unmake()
    assert position.fingerprint() == before


def test_history_lists_moves_and_the_keys_before_them() -> None:
    position = fen.start_position()
    keys, moves = [], []
    for text in ("e2e4", "c7c5", "g1f3"):
        keys.append(position.key)
        moves.append(position.parse_uci(text))
        position.make(moves[-1])
    position.make_null()
    assert position.moves_made() == [*moves, NO_MOVE]
    assert position.key_history()[:3] == keys


def test_random_games_give_every_position_back() -> None:
    rng = random.Random(8)
    for _ in range(40 if is_compiled() else 10):
        position = fen.chess960_start(rng.randrange(960))
        trail = []
        while position.ply < 200 and (moves := position.legal_moves()):
            trail.append((position.fields(), position.fingerprint()))
            if rng.random() < 0.1 and not position.is_check():
                position.make_null()
            else:
                position.make(rng.choice(moves))
            assert position.validate() is None
        while trail:
            position.unmake()
            assert (position.fields(), position.fingerprint()) == trail.pop()


# ---------------------------------------------------------------- null moves


def test_null_move_passes_the_turn_and_nothing_else() -> None:
    position = fen.parse("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 7")
    fields, fingerprint = position.fields(), position.fingerprint()
    position.make_null()
    assert fen.write(position, en_passant="always") == "4k3/8/8/8/3pP3/8/8/4K3 w - - 1 8"
    assert position.validate() is None
    assert position.moves_made() == [NO_MOVE]
    position.make_null()
    assert fen.write(position, en_passant="always") == "4k3/8/8/8/3pP3/8/8/4K3 b - - 2 8"
    position.unmake()
    position.unmake()
    assert position.fields() == fields
    assert position.fingerprint() == fingerprint


def test_null_moves_are_python_chess_ones(sample: list[tuple[str, bool]]) -> None:
    for text, chess960 in sample:
        position = fen.parse(text, chess960=chess960)
        before = position.fingerprint()
        if position.is_check():
            with pytest.raises(MoveError, match="null move in check"):
                position.make_null()
        else:
            board = chess.Board(text, chess960=chess960)
            board.push(chess.Move.null())
            position.make_null()
            assert fen.write(position) == board.fen(en_passant="legal")
            assert position.validate() is None
            position.unmake()
        assert position.fingerprint() == before


# ---------------------------------------------------------------- refused moves

NO_MOVES = [
    0, 1, -1, 0xFFFF, 1 << 16, (1 << 16) | 0b1_001100_011100, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 10**40, -(10**40),
    0.5, -1.5, 1e300, float("nan"), float("inf"), "e2e4", "", b"e2e4", None, [], (), {}, object, 3j,
]  # fmt: skip


@pytest.mark.parametrize("bad", NO_MOVES, ids=repr)
def test_what_is_no_move_is_refused_and_changes_nothing(bad: object) -> None:
    position = fen.start_position()
    fields, fingerprint = position.fields(), position.fingerprint()
    with pytest.raises((MoveError, TypeError)):
        position.make(bad)  # type: ignore[arg-type]  # hostile on purpose
    assert position.fields() == fields
    assert position.fingerprint() == fingerprint


def test_a_legal_move_as_a_float_is_refused() -> None:
    position = fen.start_position()
    before = position.fingerprint()
    with pytest.raises((MoveError, TypeError)):
        position.make(float(position.parse_uci("e2e4")))  # type: ignore[arg-type]  # hostile on purpose
    assert position.fingerprint() == before


def test_every_number_that_is_not_a_legal_move_is_refused() -> None:
    rng = random.Random(9)
    for text in (fen.START, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"):
        position = fen.parse(text)
        before = position.fingerprint()
        legal = set(position.legal_moves())
        numbers = range(1 << 16) if is_compiled() else rng.sample(range(1 << 16), 3000)
        for number in numbers:
            assert position.is_legal(number) == (number in legal)
            if number not in legal:
                with pytest.raises(MoveError):
                    position.make(number)
        assert position.fingerprint() == before


def test_a_legal_move_with_another_flag_is_refused() -> None:
    position = fen.parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    before = position.fingerprint()
    legal = set(position.legal_moves())
    for move in legal:
        for flag in range(16):
            other = move & 0xFFF | flag << 12
            if other not in legal:
                with pytest.raises(MoveError):
                    position.make(other)
    # King-side castle with the queen's rook.
    with pytest.raises(MoveError):
        position.make(Move.of(4, 0, KING_CASTLE))
    assert position.fingerprint() == before


@pytest.mark.parametrize("text", ["e2e5", "e7e5", "e1g1", "e2e4q", "a1a1", "0000", "", "e2", "E2E4", "e2e4 ", "\x00"])
def test_move_texts_that_are_not_legal_are_refused(text: str) -> None:
    position = fen.start_position()
    before = position.fingerprint()
    with pytest.raises(MoveError):
        position.make_uci(text)
    with pytest.raises(MoveError):
        position.parse_uci(text)
    assert position.fingerprint() == before


def test_standard_castling_text_is_not_chess960_text() -> None:
    text = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    with pytest.raises(MoveError):
        fen.parse(text).parse_uci("e1h1")
    with pytest.raises(MoveError):
        fen.parse(text, chess960=True).parse_uci("e1g1")
