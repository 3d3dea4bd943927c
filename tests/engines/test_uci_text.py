"""FENs and transcripts from engines: conventions are made ours, errors are left to be seen."""

from __future__ import annotations

import random

import chess
import pytest

from refute.engines.uci_text import Reading, house_fen, printable, stopped_after, transcript
from refute.walk import START_FEN, Walk


@pytest.mark.parametrize("number", range(0, 960, 97))
def test_shredder_rights_become_the_x_fen_that_python_chess_writes(number: int) -> None:
    chooser = random.Random(number)
    board = chess.Board.from_chess960_pos(number)
    for _ in range(60):
        shredder = board.fen(shredder=True, en_passant="fen")
        assert house_fen(shredder) == board.fen(en_passant="legal")
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(chooser.choice(moves))


@pytest.mark.parametrize(
    ("rights", "ours"),
    [
        pytest.param("kqKQ", "KQkq", id="order"),
        pytest.param("AHah", "KQkq", id="letters"),
        pytest.param("HAb", "KQb", id="a right without its rook stays"),
        pytest.param("KQkqK", "KKQkq", id="a right said twice stays"),
        pytest.param("!", "!", id="nonsense stays"),
    ],
)
def test_only_the_convention_of_rights_is_changed(rights: str, ours: str) -> None:
    assert house_fen(f"r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1") == f"r3k2r/8/8/8/8/8/8/R3K2R w {ours} - 0 1"


def test_the_inner_rook_keeps_its_file() -> None:
    assert house_fen("4k3/8/8/8/8/8/8/4KR1R w F - 0 1") == "4k3/8/8/8/8/8/8/4KR1R w F - 0 1"
    assert house_fen("4k3/8/8/8/8/8/8/4KR1R w H - 0 1") == "4k3/8/8/8/8/8/8/4KR1R w K - 0 1"


@pytest.mark.parametrize("text", ["", "8/8/8/8/8/8/8/8 w", f"{START_FEN} extra"])
def test_a_fen_without_six_fields_is_none(text: str) -> None:
    assert house_fen(text) is None


def test_an_impossible_en_passant_square_is_left_to_be_seen() -> None:
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq z9 0 1"
    assert house_fen(fen) == fen


def test_a_transcript_marks_who_spoke_and_cannot_steer_a_terminal() -> None:
    lines = transcript([b"isready\n"], b"\x1b[2Jready\x07ok\r\nlast", b"oops\n")
    assert lines == ("> isready", r"< \x1b[2Jready\x07ok", "< last", "! oops")


def test_a_transcript_keeps_only_the_last_lines() -> None:
    lines = transcript([], b"".join(b"%d\n" % number for number in range(1000)), b"")
    assert (len(lines), lines[0], lines[-1]) == (40, "< 960", "< 999")
    assert len(printable(b"x" * 100_000)) < 600


def test_counts_late_for_their_readyok_are_not_trusted_but_find_their_case() -> None:
    reading = Reading(counting=True)
    reading.feed(b"readyok\n")
    assert (reading.ready, reading.trusted) == (1, 0)
    reading.feed(b"e2e4: 1\nFen: x\nreadyok\nNodes searched: 1\n")
    assert reading.trusted == 0
    assert not reading.is_complete(2)
    reading.feed(b"d2d4: 1\n\nNodes searched: 1\nreadyok\n")
    assert reading.is_complete(2)
    assert reading.trusted == 0  # two counts, three cases: one of them is still out
    reading.feed(b"Nodes searched: 0\nNodes searched: 0\nreadyok\n")
    assert reading.trusted == 4
    assert reading.displays[1].fen == b"x"
    assert [count.total for count in reading.counts] == [1, 1, 0, 0]


def test_a_header_that_looks_like_a_total_is_not_taken_for_one() -> None:
    reading = Reading(counting=True)
    reading.feed(b"perft 1\ne2e4: 1\nd2d4: 1\nNodes searched: 2\n")
    assert reading.label == b"nodes searched"
    assert [(len(count.codes), count.total) for count in reading.counts] == [(2, 2)]
    # Known by now, the name of its totals alone ends a count.
    reading.feed(b"perft 1\ne7e5: 1\nNodes searched: 1\n")
    assert [(len(count.codes), count.total) for count in reading.counts] == [(2, 2), (1, 1)]


def test_a_mate_has_a_total_without_moves() -> None:
    reading = Reading(counting=True)
    reading.feed(b"Nodes searched: 0\n")
    assert [count.total for count in reading.counts] == [0]


def test_where_a_walk_was_left_is_found_by_board_turn_and_number() -> None:
    walk = Walk(START_FEN, ("g1f3", "g8f6", "f3g1", "f6g8", "e2e4"))
    assert stopped_after(walk, 5, START_FEN) == 0
    assert stopped_after(walk, 5, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4 3") == 4
    assert stopped_after(walk, 5, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4 7") is None
    assert stopped_after(Walk("nonsense", ("e2e4",)), 1, START_FEN) is None
