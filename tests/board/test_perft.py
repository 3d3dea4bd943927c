"""Every way of counting gives the published numbers, and one another's."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from typing import Any

import pytest

from refute.board import Position, fen, is_compiled
from refute.board._core import DETAILS

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
PROMOTIONS = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
MIRRORED = "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1"
TALKCHESS = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
MIDDLEGAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"

# https://www.chessprogramming.org/Perft_Results, depth 1 first.
COUNTS: dict[str, tuple[str, list[int]]] = {
    "start": (fen.START, [20, 400, 8_902, 197_281, 4_865_609, 119_060_324]),
    "kiwipete": (KIWIPETE, [48, 2_039, 97_862, 4_085_603, 193_690_690]),
    "endgame": (ENDGAME, [14, 191, 2_812, 43_238, 674_624, 11_030_083, 178_633_661]),
    "promotions": (PROMOTIONS, [6, 264, 9_467, 422_333, 15_833_292, 706_045_033]),
    "promotions mirrored": (MIRRORED, [6, 264, 9_467, 422_333, 15_833_292]),
    "talkchess": (TALKCHESS, [44, 1_486, 62_379, 2_103_487, 89_941_194]),
    "middlegame": (MIDDLEGAME, [46, 2_079, 89_890, 3_894_594, 164_075_551]),
}
# The same page: captures, en passant, castles, promotions, checks, discovered, double, mates.
DETAILED: dict[str, dict[int, tuple[int, ...]]] = {
    "start": {
        1: (0, 0, 0, 0, 0, 0, 0, 0),
        2: (0, 0, 0, 0, 0, 0, 0, 0),
        3: (34, 0, 0, 0, 12, 0, 0, 0),
        4: (1_576, 0, 0, 0, 469, 0, 0, 8),
        5: (82_719, 258, 0, 0, 27_351, 6, 0, 347),
        6: (2_812_008, 5_248, 0, 0, 809_099, 329, 46, 10_828),
    },
    "kiwipete": {
        1: (8, 0, 2, 0, 0, 0, 0, 0),
        2: (351, 1, 91, 0, 3, 0, 0, 0),
        3: (17_102, 45, 3_162, 0, 993, 0, 0, 1),
        4: (757_163, 1_929, 128_013, 15_172, 25_523, 42, 6, 43),
    },
    "endgame": {
        1: (1, 0, 0, 0, 2, 0, 0, 0),
        2: (14, 0, 0, 0, 10, 0, 0, 0),
        3: (209, 2, 0, 0, 267, 3, 0, 0),
        4: (3_348, 123, 0, 0, 1_680, 106, 0, 17),
        5: (52_051, 1_165, 0, 0, 52_950, 1_292, 3, 0),
        6: (940_350, 33_325, 0, 7_552, 452_473, 26_067, 0, 2_733),
    },
}
# These tables say nothing of discovered and double checks.
DETAILED_WITHOUT = {
    "promotions": {
        2: (87, 0, 6, 48, 10, 0),
        3: (1_021, 4, 0, 120, 38, 22),
        4: (131_393, 0, 7_795, 60_032, 15_492, 5),
        5: (2_046_173, 6_512, 0, 329_464, 200_568, 50_562),
    },
}

SHALLOW = bool(os.environ.get("REFUTE_SHALLOW"))
DEEP = is_compiled() and not SHALLOW
# How many leaves a test may count, by bulk and one by one.
BULK = 10**10 if DEEP else 5_000_000 if is_compiled() else 500_000
SINGLY = 150_000_000 if DEEP else 500_000 if is_compiled() else 50_000
CHECKED = 5_000_000 if DEEP else 100_000 if is_compiled() else 10_000


def counted(limit: int) -> list[Any]:
    """Each position at the greatest depth that stays within the limit."""
    cases = []
    for name, (text, counts) in COUNTS.items():
        depth = max(depth for depth, nodes in enumerate(counts, 1) if nodes <= limit)
        cases.append(pytest.param(text, depth, counts[depth - 1], id=f"{name} d{depth}"))
    return cases


EVERY_DEPTH = [
    pytest.param(text, depth, nodes, id=f"{name} d{depth}")
    for name, (text, counts) in COUNTS.items()
    for depth, nodes in enumerate(counts, 1)
    if nodes <= BULK
]
every_depth = pytest.mark.parametrize(("text", "depth", "nodes"), EVERY_DEPTH)


@every_depth
def test_bulk_perft_gives_the_published_count(text: str, depth: int, nodes: int) -> None:
    position = fen.parse(text)
    before = position.fingerprint()
    assert position.perft(depth) == nodes
    assert position.fingerprint() == before


def test_an_ordinary_compiled_run_leaves_no_published_depth_out() -> None:
    published = sum(len(counts) for _, counts in COUNTS.values())
    assert len(EVERY_DEPTH) == published if DEEP else 20 < len(EVERY_DEPTH) < published


@pytest.mark.parametrize(("text", "depth", "nodes"), counted(SINGLY // 4))
def test_perft_without_bulk_gives_the_published_count(text: str, depth: int, nodes: int) -> None:
    position = fen.parse(text)
    before = position.fingerprint()
    assert position.perft(depth, bulk=False) == nodes
    assert position.fingerprint() == before


@pytest.mark.parametrize("megabytes", [1, 3, 64])
@pytest.mark.parametrize(("text", "depth", "nodes"), counted(BULK // 50))
def test_hashed_perft_gives_the_published_count_with_any_table(
    text: str, depth: int, nodes: int, megabytes: int
) -> None:
    position = fen.parse(text)
    before = position.fingerprint()
    assert position.perft_hashed(depth, megabytes=megabytes) == nodes
    assert position.fingerprint() == before


@pytest.mark.parametrize(("text", "depth", "nodes"), counted(CHECKED))
def test_checked_perft_gives_the_published_count(text: str, depth: int, nodes: int) -> None:
    position = fen.parse(text)
    before = position.fingerprint()
    assert position.perft_checked(depth) == nodes
    assert position.fingerprint() == before


@pytest.mark.parametrize(("text", "depth", "nodes"), counted(SINGLY))
def test_divide_has_every_legal_move_and_adds_up(text: str, depth: int, nodes: int) -> None:
    position = fen.parse(text)
    before = position.fingerprint()
    divided = position.divide(depth)
    assert list(divided) == position.legal_moves()
    assert sum(divided.values()) == nodes
    assert position.fingerprint() == before


def test_kiwipete_divides_as_python_chess_counted_it() -> None:
    position = fen.parse(KIWIPETE)
    divided = {position.uci(move): nodes for move, nodes in position.divide(3).items()}
    some = {"e1g1": 2059, "e1c1": 1887, "d5d6": 1991, "e5g6": 1997, "f3h3": 2360, "a2a4": 2149, "e2a6": 1907}
    assert {move: divided[move] for move in some} == some


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        pytest.param(name, depth, id=f"{name} d{depth}")
        for name, table in DETAILED.items()
        for depth in table
        if COUNTS[name][1][depth - 1] <= SINGLY
    ],
)
def test_detailed_perft_gives_the_published_table(name: str, depth: int) -> None:
    text, counts = COUNTS[name]
    expected = dict(zip(DETAILS, (counts[depth - 1], *DETAILED[name][depth]), strict=True))
    assert fen.parse(text).perft_detailed(depth) == expected


@pytest.mark.parametrize("text", [PROMOTIONS, MIRRORED], ids=["white", "black"])
@pytest.mark.parametrize(
    "depth", [depth for depth in DETAILED_WITHOUT["promotions"] if COUNTS["promotions"][1][depth - 1] <= SINGLY]
)
def test_detailed_perft_counts_promotions_as_published(text: str, depth: int) -> None:
    detailed = fen.parse(text).perft_detailed(depth)
    names = [name for name in DETAILS[1:] if name not in ("discovered checks", "double checks")]
    expected = dict(zip(names, DETAILED_WITHOUT["promotions"][depth], strict=True))
    assert {name: detailed[name] for name in names} == expected
    assert detailed["nodes"] == COUNTS["promotions"][1][depth - 1]


def test_a_castle_that_checks_is_no_discovered_check() -> None:
    """The rook checks from f1, by castling or by itself, and from h8."""
    detailed = fen.parse("5k2/8/8/8/8/8/8/4K2R w K - 0 1").perft_detailed(1)
    assert (detailed["checks"], detailed["discovered checks"], detailed["castles"]) == (3, 0, 1)


def test_discovered_and_double_checks_are_told_apart() -> None:
    detailed = fen.parse("4k3/8/8/8/4N3/8/8/K3R3 w - - 0 1").perft_detailed(1)
    # The knight uncovers the rook with all eight moves, and checks as well with two of them.
    assert (detailed["checks"], detailed["discovered checks"], detailed["double checks"]) == (8, 6, 2)


def test_every_way_of_counting_agrees_on_random_positions(positions: list[Position]) -> None:
    for position in positions[:: 4 if is_compiled() else 10]:
        before = position.fingerprint()
        nodes = position.perft(2)
        assert position.perft(2, bulk=False) == nodes
        assert position.perft_hashed(2, megabytes=1) == nodes
        assert position.perft_checked(2) == nodes
        assert position.perft_detailed(2)["nodes"] == nodes
        assert sum(position.divide(2).values()) == nodes
        assert position.audit() == position.perft(1) == position.count_moves()
        assert position.fingerprint() == before


def test_counting_starts_from_where_the_position_was_played_to() -> None:
    position = fen.start_position()
    for move in ("e2e4", "e7e5", "g1f3"):
        position.make_uci(move)
    fresh = fen.parse(fen.write(position))
    for depth in (1, 2, 3):
        assert position.perft(depth) == fresh.perft(depth) == position.perft_checked(depth)
    assert position.ply == 3


@pytest.mark.parametrize("text", ["R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "k7/2Q5/8/8/8/8/8/4K3 b - - 0 1"])
def test_a_finished_game_has_no_leaves(text: str) -> None:
    position = fen.parse(text)
    for depth in (1, 2, 5, 99):
        assert position.perft(depth) == position.perft(depth, bulk=False) == position.perft_hashed(depth) == 0
        assert position.perft_checked(depth) == sum(position.divide(depth).values()) == 0
    assert position.perft(0) == 1


def test_depth_zero_is_one_leaf() -> None:
    start = fen.start_position()
    assert start.perft(0) == start.perft(0, bulk=False) == start.perft_hashed(0) == start.perft_checked(0) == 1
    assert start.perft_detailed(0) == {name: int(name == "nodes") for name in DETAILS}
    with pytest.raises(ValueError, match="depth of 1 or more"):
        start.divide(0)


WAYS: dict[str, Callable[[Position, Any], object]] = {
    "perft": lambda position, depth: position.perft(depth),
    "no bulk": lambda position, depth: position.perft(depth, bulk=False),
    "hashed": lambda position, depth: position.perft_hashed(depth, megabytes=1),
    "checked": lambda position, depth: position.perft_checked(depth),
    "detailed": lambda position, depth: position.perft_detailed(depth),
    "divide": lambda position, depth: position.divide(depth),
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@every_way
@pytest.mark.parametrize("depth", [-1, 100, 1 << 31, 1 << 32, 1 << 64, 10**30, -(10**30)])
def test_depths_out_of_range_are_refused(way: Callable[[Position, Any], object], depth: int) -> None:
    with pytest.raises(ValueError, match=str(depth)):
        way(fen.start_position(), depth)


@every_way
@pytest.mark.parametrize("depth", [1.0, 2.5, "3", None, [1]], ids=repr)
def test_depths_that_are_no_integers_are_refused(way: Callable[[Position, Any], object], depth: object) -> None:
    with pytest.raises(TypeError):
        way(fen.start_position(), depth)


@pytest.mark.parametrize("megabytes", [0, -1, 65537, 1 << 31, 1 << 32, 10**30])
def test_table_sizes_out_of_range_are_refused(megabytes: int) -> None:
    with pytest.raises(ValueError, match=str(megabytes)):
        fen.start_position().perft_hashed(3, megabytes=megabytes)


@pytest.mark.parametrize("megabytes", [32768, 65536])
def test_the_largest_tables_count_right_or_say_that_there_is_no_room(megabytes: int) -> None:
    try:
        answer: object = fen.start_position().perft_hashed(3, megabytes=megabytes)
    except MemoryError as refused:
        answer = str(refused)
    assert answer in (8902, f"no room for a table of {megabytes} MB")


class Rung(Exception):
    """Raised by an alarm in the middle of counting."""


@every_way
def test_an_interrupted_count_leaves_the_position_as_it_was(way: Callable[[Position, Any], object]) -> None:
    position = fen.start_position()
    position.make_uci("e2e4")
    before = position.fingerprint()

    def ring(*_: object) -> None:
        raise Rung

    kept = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Rung):
            way(position, 12)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)
    assert position.fingerprint() == before
    assert position.perft(2) == fen.parse(fen.write(position)).perft(2)


# ---------------------------------------------------------------- beside Stockfish

Divider = Callable[[str, int, bool], dict[str, int]]


def divided(position: Position, depth: int) -> dict[str, int]:
    return {position.uci(move): nodes for move, nodes in position.divide(depth).items()}


def test_chess960_starts_count_as_stockfish_does(stockfish_divide: Divider) -> None:
    numbers = random.Random(12).sample(range(960), 120 if DEEP else 12)
    for number in (0, 518, 959, *numbers):
        position = fen.chess960_start(number)
        depth = 4 if DEEP else 3
        text = fen.write(position, shredder=True)
        assert divided(position, depth) == stockfish_divide(text, depth, True), text


def test_positions_from_games_count_as_stockfish_does(
    sample: list[tuple[str, bool]], stockfish_divide: Divider
) -> None:
    for text, chess960 in sample[:: 1 if DEEP else 8]:
        position = fen.parse(text, chess960=chess960)
        depth = 3 if DEEP else 2
        asked = fen.write(position, shredder=chess960)
        assert divided(position, depth) == stockfish_divide(asked, depth, chess960), text
