"""A finding survives its file, and every spoilt file is refused by name."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refute.divergence import Divergence, Facet, Verdict
from refute.errors import WalkError
from refute.finding import (
    LARGEST_FILE,
    finding_path,
    format_finding,
    parse_finding,
    read_finding,
    write_atomically,
    write_finding,
)
from refute.walk import START_FEN, Walk

FOUND = Divergence(
    walk=Walk("6k1/8/8/8/8/3p4/8/4K2R b K - 0 1", ("g8f7", "e1d2")),
    facet=Facet.MOVES,
    verdict=Verdict.MOVEGEN,
    kind="king-side castle",
    subject="uci:./mine --threads 1",
    witness="python-chess",
    expected="",
    actual="e1g1",
    missing=("e1d1", "e1e2"),
    extra=("e1g1",),
    move="e1g1",
    expected_moves=("e1d1", "e1e2"),
    actual_moves=("e1g1",),
    transcript=("> go perft 1", "< e1g1: 1"),
    versions=(("own", "0.1.0"), ("python-chess", "1.11.2"), ("own", "again")),
    seed=7,
    count=12,
    explanation="The subject castles.",
    path_dependent=True,
    original=Walk(START_FEN, ("e2e4",)),
    notes={"passes": ["truncate"], "calls": 3},
)
TEXT = format_finding(FOUND)


def test_a_finding_survives_its_file(tmp_path: Path) -> None:
    path = finding_path(tmp_path / "new" / "folder", FOUND)
    write_finding(path, FOUND)
    assert read_finding(path) == FOUND


def test_the_last_line_is_the_position_command_alone() -> None:
    *headers, command, end = TEXT.split("\n")
    assert command == str(FOUND.walk)
    assert end == ""
    assert all(line.startswith("# ") for line in headers)
    assert "# subject: uci:./mine --threads 1" in headers
    assert "# missing: e1d1 e1e2" in headers


texts = st.text(max_size=40) | st.text(alphabet='"\\\n\r\x00\x1b\u2028\u202e\ud800 é,[]{}#:', max_size=12)


@given(texts, texts, st.lists(texts, max_size=4), texts)
def test_whatever_an_engine_printed_survives(name: str, answer: str, lines: list[str], move: str) -> None:
    found = dataclasses.replace(
        FOUND,
        subject=name,
        witness=name[::-1],
        kind=answer,
        expected=answer,
        actual=answer + name,
        explanation=name,
        move=move,
        missing=tuple(lines),
        extra=tuple(lines[1:]),
        transcript=tuple(lines),
        versions=((name, answer),),
        notes={name: answer},
    )
    expected = dataclasses.replace(found, notes={key: value for key, value in found.notes.items() if key != "path"})
    assert parse_finding(format_finding(found).encode()) == expected


def test_chess960_is_kept() -> None:
    found = dataclasses.replace(
        FOUND, walk=Walk("5k2/8/8/8/8/8/8/1K4R1 w G - 0 1", ("b1g1",), chess960=True), original=None
    )
    assert parse_finding(format_finding(found).encode()).walk == found.walk


def test_the_largest_finding_still_fits_and_keeps_its_walk(tmp_path: Path) -> None:
    shuffle = ("g1f3", "g8f6", "f3g1", "f6g8") * 1024
    found = dataclasses.replace(
        FOUND,
        walk=Walk(START_FEN, shuffle),
        original=Walk(START_FEN, shuffle),
        expected="\x00" * 99999,
        actual="x" * 99999,
        kind="k" * 9999,
        subject="\U000e0001" * 9999,
        transcript=("\x1b" * 500,) * 999,
        versions=(("v" * 99999, "w" * 99999),),
        notes={"n": "o" * 99999},
    )
    path = finding_path(tmp_path, found)
    write_finding(path, found)
    again = read_finding(path)
    assert path.stat().st_size <= LARGEST_FILE
    assert again.walk == found.walk
    assert again.actual.endswith("… (cut)")


def test_notes_that_json_cannot_say_do_not_lose_the_finding() -> None:
    found = dataclasses.replace(FOUND, notes={"engine": object()})
    assert parse_finding(format_finding(found).encode()).notes == {}


def lines_but(dropped: str) -> str:
    return "\n".join(line for line in TEXT.split("\n") if not line.startswith(dropped))


SPOILT = {
    "empty": (b"", "empty"),
    "not UTF-8": (b"# format: \xff\n", "byte 10 is not UTF-8"),
    "too large": (b"#" * (LARGEST_FILE + 1), "larger than"),
    "cut in the last line": (TEXT[:-3].encode(), "truncated: its last line does not end"),
    "cut in the moves": (
        TEXT.rpartition(" moves ")[0].encode() + b"\n",
        "truncated: it shows along a path only",
    ),
    "cut before the last line": (lines_but("position").encode(), "truncated: the position command"),
    "cut in the headers": (b"# format: refute-walk 1\n# facet: moves\n", "truncated: header 'verdict'"),
    "header lost": (lines_but("# witness").encode(), "header 'witness' is missing"),
    "other version": (TEXT.replace("refute-walk 1", "refute-walk 2").encode(), "this refute reads"),
    "no format": (lines_but("# format").encode(), "this refute reads"),
    "no headers": (b"position startpos\n", "no headers"),
    "unknown header": (("# format: refute-walk 1\n# x: y\n" + TEXT).encode(), "'x' is unknown"),
    "header twice": (TEXT.replace("# kind", "# facet").encode(), "given twice"),
    "header without key": (TEXT.replace("# kind: ", "# ").encode(), "is not a header"),
    "two commands": ((TEXT + "position startpos\n").encode(), "as well"),
    "header after the command": ((TEXT + "# seed: 1\n").encode(), "twice"),
    "command not last": (TEXT.replace("# seed: 7\n", "").encode() + b"# seed: 1\n", "as well"),
    "not a command": (TEXT.replace("position fen", "quit").encode(), "not a UCI position"),
    "control character": (TEXT.replace("mine", "mi\x1b[2Jne").encode(), "control characters"),
    "right-to-left override": (TEXT.replace("mine", "mi\u202ene").encode(), "control characters"),
    "carriage return": (TEXT.replace("mine", "mi\rne").encode(), "control characters"),
    "illegal move": (TEXT.replace("moves g8f7", "moves g8g1").encode(), "move 1, 'g8g1', is illegal"),
    "not a move": (TEXT.replace("moves g8f7", "moves <script>").encode(), "is not a move"),
    "no position": (TEXT.replace("6k1/8", "<script>").encode(), "is not a position"),
    "no king": (TEXT.replace("4K2R", "7R").encode(), "NO_WHITE_KING"),
    "illegal original": (TEXT.replace("e2e4", "e2e5").encode(), "illegal"),
    "unknown facet": (TEXT.replace("# facet: moves", "# facet: mood").encode(), "'mood'"),
    "unknown verdict": (TEXT.replace("verdict: movegen", "verdict: guilty").encode(), "'guilty'"),
    "bad flag": (TEXT.replace("path_dependent: yes", "path_dependent: 1").encode(), "expected yes or no"),
    "bad number": (TEXT.replace("# seed: 7", "# seed: " + "9" * 5000).encode(), "expected a number"),
    "bad JSON text": (TEXT.replace("# kind: king", '# kind: "king').encode(), "malformed"),
    "bad JSON list": (TEXT.replace("# extra: e1g1", "# extra: [1]").encode(), "list of texts"),
    "deep JSON list": (TEXT.replace("# extra: e1g1", "# extra: " + "[" * 30000).encode(), "malformed"),
    "bad versions": (TEXT.replace('{"own"', '{"own": 3, "own"').encode(), "object of texts"),
    "bad notes": (TEXT.replace("# notes: {", "# notes: [{").replace("3}", "3}]").encode(), "not an object"),
}


@pytest.mark.parametrize(("data", "says"), SPOILT.values(), ids=SPOILT)
def test_a_spoilt_file_is_refused_by_name(data: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "spoilt.walk"
    path.write_bytes(data)
    with pytest.raises(WalkError) as refusal:
        read_finding(path)
    assert says in str(refusal.value)
    assert "spoilt.walk" in str(refusal.value)
    assert str(refusal.value).isprintable()


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "ignore")))
def test_random_bytes_are_refused_with_a_walk_error(data: bytes) -> None:
    with pytest.raises(WalkError):
        parse_finding(data)


@given(st.integers(0, len(TEXT) - 2))
def test_every_truncation_is_noticed(length: int) -> None:
    with pytest.raises(WalkError):
        parse_finding(TEXT[:length].encode())


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WalkError, match=r"absent\.walk' cannot be read: No such file"):
        read_finding(tmp_path / "absent.walk")
    with pytest.raises(WalkError, match="is not a file"):
        read_finding(tmp_path)


def test_a_name_is_stable_through_shrinking_and_differs_between_walks() -> None:
    early = dataclasses.replace(FOUND, walk=Walk(START_FEN, ("e2e4",)), original=None)
    assert finding_path("x", early) == finding_path("x", FOUND)
    other = dataclasses.replace(early, walk=Walk(START_FEN, ("d2d4",)))
    assert finding_path("x", other) != finding_path("x", FOUND)
    hostile = dataclasses.replace(FOUND, kind="../../\x00/etc", subject="\ud800")
    assert finding_path("x", hostile).parent == Path("x")
    assert finding_path("x", hostile).name.isascii()


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.walk"
    write_finding(path, FOUND)

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_finding(path, dataclasses.replace(FOUND, seed=99))
    assert read_finding(path) == FOUND
    assert [file.name for file in tmp_path.iterdir()] == ["kept.walk"]


def test_written_files_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", "text\n")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.walk")
    with pytest.raises(WalkError, match=r"pipe\.walk' is not a file"):
        read_finding(tmp_path / "pipe.walk")
