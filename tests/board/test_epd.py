"""Perft suites are read strictly, and every fault names its file and line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from refute.board import epd, fen
from refute.board.epd import PerftCase
from refute.errors import EpdError

BARE = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("line", "case"),
    [
        pytest.param(f"{fen.START} ;D1 20 ;D2 400", PerftCase(fen.START, {1: 20, 2: 400}), id="six fields"),
        pytest.param(f"{fen.START[:-4]} ;D1 20", PerftCase(fen.START, {1: 20}), id="four fields"),
        pytest.param(f"{fen.START};D1 20;D2 400", PerftCase(fen.START, {1: 20, 2: 400}), id="no spaces"),
        pytest.param(f"{BARE} ; D1 5 ;  D3 170\r\n", PerftCase(BARE, {1: 5, 3: 170}), id="more spaces"),
        pytest.param(f"{BARE} ;D2 0", PerftCase(BARE, {2: 0}), id="a count of none"),
        pytest.param(
            "4k3/8/8/8/8/8/8/R3K2R w HA - 0 1 ;D1 26",
            PerftCase("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", {1: 26}, chess960=True),
            id="Shredder-FEN",
        ),
    ],
)
def test_a_line_gives_its_position_and_counts(line: str, case: PerftCase) -> None:
    assert epd.parse_line(line) == case
    assert epd.parse_line(epd.write_line(case)) == case


def test_a_written_line_is_what_suites_hold() -> None:
    assert epd.write_line(PerftCase(fen.START, {2: 400, 1: 20})) == f"{fen.START} ;D1 20 ;D2 400"


def test_chess960_can_be_asked_for() -> None:
    assert epd.parse_line(f"{fen.START} ;D1 20", chess960=True).chess960


LINE_FAULTS = [
    ("nothing", "FEN placement", ""),
    ("no counts", "has no counts", BARE),
    ("bad FEN", "FEN side to move: 'x'", f"{BARE.replace('w', 'x')} ;D1 5"),
    ("counts without a FEN", "FEN placement", ";D1 20"),
    ("nothing after ;", "'' is not", f"{BARE} ;"),
    ("trailing ;", "'' is not", f"{BARE} ;D1 5;"),
    ("unknown operation", "'id 7' is not", f"{BARE} ;id 7"),
    ("lower-case d", "'d1 5' is not", f"{BARE} ;d1 5"),
    ("depth 0", "'D0 1' is not", f"{BARE} ;D0 1"),
    ("depth 100", "'D100 1' is not", f"{BARE} ;D100 1"),
    ("padded depth", "'D01 5' is not", f"{BARE} ;D01 5"),
    ("no depth", "'D 5' is not", f"{BARE} ;D 5"),
    ("no count", "'D1' is not", f"{BARE} ;D1"),
    ("negative count", "'D1 -5' is not", f"{BARE} ;D1 -5"),
    ("signed count", r"'D1 \+5' is not", f"{BARE} ;D1 +5"),
    ("count of letters", "'D1 five' is not", f"{BARE} ;D1 five"),
    ("commas in a count", "'D1 1,000' is not", f"{BARE} ;D1 1,000"),
    ("Arabic digits", r"'D1 \\u0665' is not", f"{BARE} ;D1 \u0665"),
    ("endless count", "is not", f"{BARE} ;D1 {'9' * 1000}"),
    ("depth twice", "depth 1 a second time", f"{BARE} ;D1 5 ;D1 5"),
    ("two counts", "'D1 5 6' is not", f"{BARE} ;D1 5 6"),
    ("line feed inside", "is not", f"{BARE} ;D1 5\n;D2\n25"),
    ("endless line", "longer than 2048", f"{BARE} ;D1 5".ljust(10_000)),
]


@pytest.mark.parametrize(("words", "line"), [pytest.param(*rest, id=name) for name, *rest in LINE_FAULTS])
def test_each_fault_of_a_line_is_quoted(words: str, line: str) -> None:
    with pytest.raises(EpdError, match=words) as caught:
        epd.parse_line(line)
    assert str(caught.value).isprintable()


def test_a_suite_skips_blank_lines_and_comments(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(f"# König's suite\n\n{fen.START} ;D1 20\r\n  # more\n \t\n{BARE} ;D1 5", encoding="utf-8")
    assert epd.read_suite(suite) == [PerftCase(fen.START, {1: 20}), PerftCase(BARE, {1: 5})]
    assert epd.read_suite(str(suite), chess960=True)[1].chess960


def test_an_empty_suite_has_no_cases(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_bytes(b"")
    assert epd.read_suite(suite) == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"# one\n\nnonsense\n", r"suite\.epd', line 3: FEN side to move: missing", id="no FEN"),
        pytest.param(f"{BARE} ;D1 5\n{BARE} ;D1".encode(), r"line 2: 'D1' is not", id="no count"),
        pytest.param(b"# one\n# two\n\xff\n", r"line 3: byte 0xff is not UTF-8", id="not text"),
        pytest.param(f"{BARE}\x0b;D1 5".encode(), r"line 1: FEN .*'1\\x0b'", id="vertical tab"),
        pytest.param(f"{BARE} ;D1 5\x0b".encode(), r"line 1: 'D1 5\\x0b' is not", id="vertical tab last"),
        pytest.param("4k3/8 ;D1 5".encode("utf-16"), "line 1: byte 0xff", id="UTF-16"),
    ],
)
def test_each_fault_of_a_suite_names_its_line(tmp_path: Path, data: bytes, words: str) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_bytes(data)
    with pytest.raises(EpdError, match=words):
        epd.read_suite(suite)


def test_a_missing_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EpdError, match=r"none\.epd' cannot be read: No such file"):
        epd.read_suite(tmp_path / "none.epd")


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(EpdError, match=r"'a\\x00b' cannot be read: embedded null byte"):
        epd.read_suite("a\0b")


def test_a_pipe_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(EpdError, match="is not a file"):
        epd.read_suite(pipe)


def test_an_endless_suite_is_refused(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    with suite.open("wb") as file:
        file.truncate(epd.LARGEST_SUITE + 1)
    with pytest.raises(EpdError, match="larger than"):
        epd.read_suite(suite)
