"""`refute perft`: its counts, its three shapes of output, and the input it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import refute.commands.perft as command
from refute.board import Position, is_compiled
from refute.board.copies import interpreted_copy, source_of
from refute.cli import main
from refute.commands.common import read_position
from refute.commands.counting import SLICE, Tally, count_by_root_move, count_plain

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
CHESS960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
SOURCE = Path(command.__file__).parents[2]


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    """The JSON object that `refute perft … --json` prints."""
    assert main(["perft", *arguments, "--json"]) == code
    out, err = capsys.readouterr()
    assert err == ""
    report = json.loads(out)
    assert isinstance(report, dict)
    return report


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["perft", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert "Traceback" not in err
    assert err.isprintable() or err[:-1].isprintable()
    return err


def test_json_has_the_count_and_its_division(capsys: pytest.CaptureFixture[str]) -> None:
    report = answer(capsys, "startpos", "3")
    assert report["nodes"] == 8902
    assert report["divide"]["e2e4"] == 600
    assert len(report["divide"]) == 20
    assert sum(report["divide"].values()) == report["nodes"]
    assert report["fen"] == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert (report["depth"], report["engine"], report["mode"]) == (3, "own", "bulk")
    assert report["board"] == ("compiled" if is_compiled() else "interpreted")
    assert report["seconds"] >= 0


def test_divide_reads_like_an_engines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", KIWIPETE, "2", "--divide"]) == 0
    lines = capsys.readouterr().out.splitlines()
    moves = lines[: lines.index("")]
    assert len(moves) == 48
    assert moves == sorted(moves)
    assert "e1g1: 43" in moves
    assert lines[len(moves) + 1] == "Nodes searched: 2,039"


def test_without_divide_only_the_count_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "startpos", "3"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == "Nodes searched: 8,902"
    assert "nodes/s, own, " in second


@pytest.mark.parametrize("fen", ["startpos", KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"])
@pytest.mark.parametrize(
    "way", [["--no-bulk"], ["--hash", "1"], ["--hash", "1", "--divide"], ["--checked"], ["--detailed"]]
)
def test_every_way_to_count_agrees_with_bulk(fen: str, way: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    # Interpreted, it takes seconds to look at every position three plies deep.
    depth = "3" if is_compiled() or way != ["--checked"] else "2"
    bulk = answer(capsys, fen, depth)
    other = answer(capsys, fen, depth, *way)
    assert other["mode"] == way[0][2:]
    assert other["nodes"] == bulk["nodes"]
    if way != ["--hash", "1"]:
        assert other["divide"] == bulk["divide"]


@pytest.mark.parametrize("spec", ["own:pure", "python-chess"])
@pytest.mark.parametrize("fen", ["startpos", KIWIPETE, CHESS960])
def test_engines_agree_with_the_own_board(spec: str, fen: str, capsys: pytest.CaptureFixture[str]) -> None:
    own = answer(capsys, fen, "2")
    other = answer(capsys, fen, "2", "--engine", spec)
    assert other["divide"] == own["divide"]
    assert other["engine"] == spec
    assert other["board"] == ("interpreted" if spec == "own:pure" else None)


@pytest.mark.parametrize("fen", ["startpos", KIWIPETE, CHESS960])
def test_stockfish_agrees_with_the_own_board(fen: str, capsys: pytest.CaptureFixture[str]) -> None:
    own = answer(capsys, fen, "3")
    assert answer(capsys, fen, "3", "--engine", "stockfish")["divide"] == own["divide"]


def test_chess960_castles_are_written_as_king_takes_rook(capsys: pytest.CaptureFixture[str]) -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert "e1g1" in answer(capsys, fen, "1")["divide"]
    assert "e1h1" in answer(capsys, fen, "1", "--chess960")["divide"]
    assert answer(capsys, CHESS960, "1")["chess960"] is True


def test_four_fields_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, KIWIPETE.removesuffix(" 0 1"), "2", "--engine", "stockfish")["nodes"] == 2039


def test_details_are_counted_at_the_last_ply(capsys: pytest.CaptureFixture[str]) -> None:
    for depth, captures, castles, checks in [("1", 8, 2, 0), ("2", 351, 91, 3), ("3", 17102, 3162, 993)]:
        details = answer(capsys, KIWIPETE, depth, "--detailed")["detailed"]
        assert (details["captures"], details["castles"], details["checks"]) == (captures, castles, checks)
    assert main(["perft", KIWIPETE, "3", "--detailed"]) == 0
    assert "captures: 17,102\n" in capsys.readouterr().out


@pytest.mark.parametrize("way", [[], ["--no-bulk"], ["--hash", "1", "--divide"], ["--checked"], ["--detailed"]])
def test_depth_zero_is_the_position_itself(way: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    report = answer(capsys, "startpos", "0", *way)
    assert (report["nodes"], report["divide"]) == (1, {})


@pytest.mark.parametrize("depth", ["0", "1", "2", "6"])
def test_mate_has_no_moves_to_count(depth: str, capsys: pytest.CaptureFixture[str]) -> None:
    mated = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"
    assert answer(capsys, mated, depth)["nodes"] == (1 if depth == "0" else 0)
    assert answer(capsys, mated, depth, "--detailed")["nodes"] == (1 if depth == "0" else 0)


def test_counts_deeper_than_a_slice_are_whole() -> None:
    position = read_position("8/8/8/8/8/2k5/7p/K7 b - - 0 1", chess960=False)
    before = position.fingerprint()
    tally = Tally()
    depth = SLICE + 3
    count_by_root_move(position, depth, count_plain, tally)
    assert tally.nodes == position.perft(depth) == sum(tally.divide.values())
    assert position.fingerprint() == before


@pytest.mark.parametrize(
    "depth",
    [
        "-1",
        "-12",
        "-0",
        "100",
        "1000000000000000000000000",
        "x",
        "",
        " 3",
        "3.0",
        "1e2",
        "0x3",
        "٣",
        "3\n",
        "\x00",
        "\x1b[31m",
    ],
)
def test_bad_depths_are_quoted(depth: str, capsys: pytest.CaptureFixture[str]) -> None:
    message = refusal(capsys, "startpos", depth)
    assert f"{depth!a} is not a depth: expected a number from 0 to 99" in message


@pytest.mark.parametrize(
    "fen",
    [
        "",
        "startpos ",
        "STARTPOS",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e4 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\ngo infinite",
        "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
        "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        "\x1b[2J\x07\x00",
        "k" * 10_000,
        " " * 10_000,
        "é" * 50,
    ],
)
@pytest.mark.parametrize("engine", ["own", "stockfish"])
def test_bad_fens_are_refused_before_any_engine_sees_them(
    fen: str, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refusal(capsys, fen, "2", "--engine", engine)
    assert message.startswith("refute: FEN ")
    assert len(message) < 400


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["startpos"], "DEPTH"),
        ([], "FEN"),
        (["startpos", "2", "--hash", "0"], "--hash"),
        (["startpos", "2", "--hash", "many"], "'many'"),
        (["startpos", "2", "--hash", "1", "--checked"], "--hash and --checked"),
        (["startpos", "2", "--checked", "--engine", "stockfish"], "--checked"),
        (["startpos", "0", "--engine", "stockfish"], "'0'"),
        (["startpos", "2", "--engine", ""], "SPEC"),
        (["startpos", "2", "--engine", "/no/such/engine"], "'/no/such/engine'"),
        (["startpos", "2", "--timeout", "-1"], "--timeout"),
        ([*KIWIPETE.split(), "2"], "a FEN must be quoted"),
    ],
)
def test_bad_arguments_are_named(arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert part in refusal(capsys, *arguments)


def test_an_engine_that_is_silent_is_refused_with_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    silent = f"uci:{sys.executable} -c 'input()'"
    assert "python" in refusal(capsys, "startpos", "2", "--timeout", "0.5", "--engine", silent)


def interrupt_after(root_moves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C in the middle of the count, after some root moves."""
    calls = 0

    def count(position: Position, depth: int) -> dict[str, int]:
        nonlocal calls
        calls += 1
        if calls > root_moves:
            raise KeyboardInterrupt
        return count_plain(position, depth)

    monkeypatch.setattr(command, "count_plain", count)


def test_ctrl_c_prints_what_was_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    interrupt_after(3, monkeypatch)
    assert main(["perft", "startpos", "4"]) == 130
    assert capsys.readouterr().out.splitlines() == [
        "a2a3: 8457",
        "a2a4: 9329",
        "b1a3: 8885",
        "",
        "Interrupted after 3 of 20 root moves, 26,671 nodes",
    ]


def test_a_part_of_a_count_never_passes_for_the_count(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_after(2, monkeypatch)
    report = answer(capsys, "startpos", "4", code=130)
    assert report["nodes"] is None
    assert report["interrupted"] is True
    assert report["divide"] == {"a2a3": 8457, "a2a4": 9329}
    assert report["fen"].endswith(" w KQkq - 0 1")


PRESS_CTRL_C = """
import signal, sys
import refute.commands.perft as command
from refute.cli import main

way = sys.argv.pop(1)
counted = getattr(command, way)

def interrupted(*given, **more):
    # The alarm goes off in the middle of the one long call, never before it.
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    counted(*given, **more)

setattr(command, way, interrupted)
sys.exit(main())
"""


@pytest.mark.parametrize(("way", "mode"), [("count_hashed", ["--hash", "1"]), ("count_checked", ["--checked"])])
def test_ctrl_c_in_one_long_call_still_prints_the_json(way: str, mode: list[str]) -> None:
    command_line = [sys.executable, "-c", PRESS_CTRL_C, way, "perft", "startpos", "12", *mode, "--json"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    run = subprocess.run(command_line, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert (run.returncode, run.stderr) == (130, "")
    report = json.loads(run.stdout)
    assert report["interrupted"] is True
    assert report["nodes"] is None


def plant_forgotten_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `own:pure` a board whose unmake forgets the halfmove clock."""
    source = source_of("_core")
    right = "self.halfmove = word >> 32"
    assert right in source
    faulty: Any = interpreted_copy(
        "board_with_forgotten_clock", {"_core": source.replace(right, "self.halfmove = (word >> 32) + 1")}
    )
    monkeypatch.setattr(command, "_interpreted", lambda position: faulty.fen.parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1"))


def test_checked_names_the_path_to_a_planted_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant_forgotten_clock(monkeypatch)
    assert main(["perft", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "2", "--checked", "--engine", "own:pure"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("refuted after unmake: ")
    assert "halfmove" in out
    assert "path: " in out


def test_checked_reports_a_planted_fault_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant_forgotten_clock(monkeypatch)
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    report = answer(capsys, fen, "2", "--checked", "--engine", "own:pure", code=1)
    assert report["nodes"] is None
    assert report["broken"]["stage"] == "unmake"
    assert len(report["broken"]["path"]) in (1, 2)


def on_a_terminal(*arguments: str) -> bytes:
    """Everything `refute perft …` writes when all it has is a terminal."""
    master, slave = os.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [sys.executable, "-m", "refute", "perft", *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment
    ) as child:
        os.close(slave)
        said = b""
        try:
            while data := os.read(master, 4096):
                said += data
        except OSError:
            pass  # how Linux says that the other end of a terminal is closed
        assert child.wait(timeout=60) == 0
    os.close(master)
    return said


def test_colours_and_progress_are_for_terminals_only(capsys: pytest.CaptureFixture[str]) -> None:
    said = on_a_terminal("startpos", "3", "--divide")
    assert b"\x1b[36me2e4\x1b[0m: 600" in said
    assert b"root moves" in said
    assert main(["perft", "startpos", "3", "--divide"]) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out
    assert err == ""


@pytest.mark.parametrize("options", [[], ["--hash", "1"], ["--divide"]])
def test_a_count_of_our_own_is_given_up_when_its_time_is_over(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["perft", "startpos", "12", "--timeout", "0.1", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "refute: own: timeout: gave no count in 0.1 s; see --timeout\n"
