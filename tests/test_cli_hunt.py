"""`refute hunt`: exit codes, JSON, reports, Ctrl-C, the input it refuses, and engines that are wrong or misbehave."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import refute.cli
from refute.cli import main
from refute.finding import read_finding

SOURCE = Path(refute.cli.__file__).parents[1]
FAULT = "fault:missing-underpromotion"
PATIENCE = 60.0  # seconds; only a failing test waits so long

# What DESIGN promises of every hunt and every divergence.
FIELDS = {
    "subject", "witnesses", "seed", "walks", "positions", "nodes", "seconds",
    "features", "skipped", "quarantined", "divergences",
}  # fmt: skip
DIVERGENCE_FIELDS = {
    "fen", "moves", "facet", "verdict", "signature", "missing", "extra", "pieces", "path_dependent",
    "expected", "actual", "command",
}  # fmt: skip

NO_EN_PASSANT = "def moves(board): return [move for move in board.legal_moves if not board.is_en_passant(move)]"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings go to a folder of the test's own, wherever the tests are run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))


def hunt(capsys: pytest.CaptureFixture[str], *arguments: str, code: int) -> dict[str, Any]:
    """The JSON object that `refute hunt … --json` prints, against python-chess alone."""
    assert main(["hunt", "--against", "python-chess", *arguments, "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert isinstance(told, dict)
    return told


# ---------------------------------------------------------------- what it says


def test_nothing_refuted_is_exit_code_0_and_says_what_was_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hunt", "--against", "python-chess", "--seed", "1", "--walks", "20"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "nothing refuted" in out
    assert "20 walks" in out
    assert "seed 1" in out
    assert not Path(".refute").exists()


def test_refuted_is_exit_code_1_and_shows_the_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hunt", "--against", "python-chess", "--seed", "1", "--walks", "100", "--engine", FAULT]) == 1
    out = capsys.readouterr().out
    assert "refuted: 1 finding" in out
    assert "position fen " in out
    assert "refute replay .refute/found/" in out


def test_json_has_every_field_of_the_design(capsys: pytest.CaptureFixture[str]) -> None:
    told = hunt(capsys, "--seed", "1", "--walks", "100", "--engine", FAULT, code=1)
    assert told.keys() >= FIELDS
    assert (told["subject"], told["witnesses"], told["seed"]) == (FAULT, ["python-chess"], 1)
    assert told["positions"] >= told["walks"] > 0
    assert told["nodes"] > 0
    assert told["interrupted"] is False
    assert all(type(seen) is int for seen in told["features"].values())
    (found,) = told["divergences"]
    assert found.keys() >= DIVERGENCE_FIELDS
    assert (found["facet"], found["verdict"]) == ("moves", "movegen")
    assert found["signature"].startswith("moves/movegen/")
    assert found["missing"]
    assert all(move.endswith("n") for move in found["missing"])
    assert (found["extra"], found["path_dependent"]) == ([], False)
    assert found["pieces"] <= 6
    assert len(found["moves"]) <= 1


def test_json_of_a_clean_hunt_has_every_field_too(capsys: pytest.CaptureFixture[str]) -> None:
    told = hunt(capsys, "--seed", "1", "--walks", "5", code=0)
    assert told.keys() >= FIELDS
    assert (told["divergences"], told["quarantined"]) == ([], [])


def test_what_is_not_compared_is_listed_with_why(
    scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = hunt(capsys, "--seed", "1", "--walks", "2", "--engine", scripted(), code=0)
    skipped = {skip["check"]: skip["why"] for skip in told["skipped"]}
    assert skipped.keys() == {"check", "fen", "outcome", "key", "invariants, restore, null"}
    assert "showed no 'Fen:' line" in skipped["fen"]


def test_the_command_of_a_finding_shows_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = hunt(capsys, "--seed", "1", "--walks", "100", "--engine", FAULT, code=1)["divergences"]
    words = shlex.split(found["command"])
    assert words[:2] == ["refute", "replay"]
    assert main(words[1:]) == 1
    assert "STILL FAILING" in capsys.readouterr().out


@pytest.mark.parametrize("option", [[], ["--keep-going"]])
def test_the_same_seed_finds_the_same_with_one_process_and_with_two(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--seed", "3", "--walks", "40", "--engine", FAULT, *option]
    one = hunt(capsys, *arguments, "--out", "findings", code=1)
    two = hunt(capsys, *arguments, "--out", "findings", "--jobs", "2", code=1)
    assert one["divergences"]
    assert two["divergences"] == one["divergences"]


def test_another_seed_is_drawn_each_time_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = {hunt(capsys, "--walks", "1", code=0)["seed"] for _ in range(3)}
    assert len(seeds) > 1


# ---------------------------------------------------------------- reports


def test_every_report_is_written_and_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {
        "html": "r.html",
        "md": "r.md",
        "junit": "r.xml",
        "json": "r.json",
        "pytest": "test_r.py",
        "walk": "r.walk",
    }
    reports = [word for format, name in names.items() for word in ("--report", f"{format}:{tmp_path / name}")]
    told = hunt(capsys, "--seed", "1", "--walks", "100", "--engine", FAULT, *reports, code=1)
    (found,) = told["divergences"]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert found["fen"] in page
    assert found["fen"] in (tmp_path / "r.md").read_text(encoding="utf-8")
    suite = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert suite.find(".//failure") is not None
    assert json.loads((tmp_path / "r.json").read_text()) == told
    walk = read_finding(tmp_path / "r.walk").walk
    assert (walk.fen, list(walk.moves)) == (found["fen"], found["moves"])
    compile((tmp_path / "test_r.py").read_text(encoding="utf-8"), "test_r.py", "exec")


def test_reports_of_a_clean_hunt_can_be_read_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"html": "r.html", "md": "r.md", "junit": "r.xml", "json": "r.json", "pytest": "test_r.py"}
    reports = [word for format, name in names.items() for word in ("--report", f"{format}:{tmp_path / name}")]
    told = hunt(capsys, "--seed", "1", "--walks", "3", *reports, code=0)
    assert json.loads((tmp_path / "r.json").read_text()) == told
    suite = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert suite.find(".//failure") is None
    compile((tmp_path / "test_r.py").read_text(encoding="utf-8"), "test_r.py", "exec")
    assert all((tmp_path / name).stat().st_size > 0 for name in names.values())


def test_a_finding_leaves_a_page_and_json_beside_its_walk(capsys: pytest.CaptureFixture[str]) -> None:
    told = hunt(capsys, "--seed", "1", "--walks", "100", "--engine", FAULT, "--out", "kept", code=1)
    assert json.loads(Path("kept/report.json").read_text()) == told
    assert Path("kept/report.html").is_file()
    (walk,) = Path("kept/found").iterdir()
    assert str(read_finding(walk).signature) == told["divergences"][0]["signature"]


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "no-such-program"], "there is no program 'no-such-program'"),
        (["--engine", "fault:no-such-fault"], "no fault 'no-such-fault'"),
        (["--engine", "nonsense:x"], "unknown SPEC"),
        (["--engine", ""], "SPEC is empty"),
        (["--engine", "/bin/cat"], "is not a UCI engine"),
        (["--engine", "/bin/true"], "is not a UCI engine"),
        (["--engine", "mine.toml"], "planned"),
        (["--engine", "py:no_such_module:moves"], "no module"),
        (["--against", "no-such-program"], "there is no program"),
        (["--against", "/bin/cat"], "is not a UCI engine"),
        (["--jobs", "2", "--engine", "no-such-program"], "there is no program"),
        (["--time", "0"], "'0' is not a time"),
        (["--time", "-5"], "'-5' is not a time"),
        (["--time", "nan"], "'nan' is not a time"),
        (["--time", "1e9"], "'1e9' is not a time"),
        (["--time", "5 parsecs"], "is not a time"),
        (["--time", ""], "'' is not a time"),
        (["--time", "9" * 5000], "is not a time"),
        (["--seed", "-1"], "--seed"),
        (["--seed", "x"], "'x'"),
        (["--seed", "9" * 5000], "--seed"),
        (["--depth", "10"], "--depth"),
        (["--depth", "-1"], "--depth"),
        (["--walks", "0"], "--walks"),
        (["--jobs", "0"], "--jobs"),
        (["--timeout", "0"], "--timeout"),
        (["--timeout", "nan"], "not a number of seconds"),
        (["--timeout", "inf"], "--timeout"),
        (["--report", "pdf:x.pdf"], "'pdf' is not a report format"),
        (["--report", "html:"], "does not say where to"),
        (["--report", "html"], "does not say where to"),
        (["extra"], "extra"),
    ],
)
def test_what_cannot_be_hunted_is_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hunt", "--walks", "3", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert message in err
    assert len(err) < 2000
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "spec",
    [
        "uci:/bin/cat\nposition fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "uci:/bin/sh -c 'echo uciok'\rquit",
        "\x1b]0;title\x07",
        "uci:'unclosed",
        "uci:/bin/true; touch injected",
        "uci:$(touch injected)",
        "uci:`touch injected`",
    ],
)
def test_a_spec_is_no_line_of_uci_and_no_shell(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hunt", "--walks", "3", "--engine", spec]) == 2
    err = capsys.readouterr().err
    assert err.startswith("refute: ")
    assert err[:-1].isprintable()
    assert not Path("injected").exists()


def test_chess960_is_refused_for_an_engine_that_does_not_play_it(
    scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hunt", "--walks", "3", "--chess960", "--engine", scripted()]) == 2
    assert "does not play Chess960" in capsys.readouterr().err


def test_chess960_is_refused_for_a_witness_that_does_not_play_it(
    scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted()
    assert main(["hunt", "--walks", "3", "--chess960", "--against", "python-chess", "--against", spec]) == 2
    err = capsys.readouterr().err
    assert f"{spec} does not play Chess960: it declares no option UCI_Chess960" in err


@pytest.mark.parametrize("folder", ["/dev/null", "/dev/null/x", "/proc/x", "file", "file/x", "half"])
def test_a_folder_that_findings_cannot_be_kept_in_is_refused_before_the_hunt(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file").write_text("")
    Path("half").mkdir()
    Path("half/found").write_text("where the folder should be")
    assert main(["hunt", "--walks", "3", "--out", folder]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert folder in err


def test_a_report_that_cannot_be_written_does_not_swallow_the_finding(capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").write_text("")
    arguments = ["--seed", "1", "--walks", "100", "--engine", FAULT, "--report", "html:file/report.html"]
    assert main(["hunt", "--against", "python-chess", *arguments]) == 2
    out, err = capsys.readouterr()
    assert "refuted: 1 finding" in out
    assert "cannot be written" in err


# ---------------------------------------------------------------- progress


def test_progress_is_plain_lines_on_stderr_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("refute.commands.common.PLAIN_LINE_SECONDS", 0.0)
    monkeypatch.setattr("refute.hunter.TICK_SECONDS", 0.0)
    assert main(["hunt", "--against", "python-chess", "--seed", "1", "--walks", "20"]) == 0
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert len(lines) >= 10
    assert all(
        re.match(r"\d+ s · [\d,]+ walks · [\d,]+ positions · [\d,]+ nodes/s · .* · 0 disagreements", x) for x in lines
    )
    assert err.replace("\n", "").isprintable()
    assert "walks ·" not in out


def test_progress_counts_no_findings_before_their_causes_are_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("refute.commands.common.PLAIN_LINE_SECONDS", 0.0)
    arguments = ["--against", "python-chess", "--seed", "1", "--walks", "150", "--engine", FAULT, "--keep-going"]
    assert main(["hunt", *arguments]) == 1
    out, err = capsys.readouterr()
    last = re.search(r"(\d+) disagreements?$", err.splitlines()[-1])
    assert last is not None
    assert int(last[1]) > 1
    assert "finding" not in err
    assert "refuted: 1 finding " in out


def test_a_short_hunt_has_no_progress_to_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hunt", "--against", "python-chess", "--walks", "3"]) == 0
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------- engines that are wrong or misbehave


def test_an_engine_without_en_passant_is_refuted_shrunk_and_replayed(
    scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, right = scripted(NO_EN_PASSANT), scripted()
    told = hunt(capsys, "--seed", "1", "--walks", "100", "--engine", wrong, code=1)
    (found,) = told["divergences"]
    assert found["signature"] == "moves/movegen/missing en passant"
    assert (len(found["missing"]), found["extra"]) == (1, [])
    assert found["pieces"] <= 4
    assert len(found["moves"]) <= 1
    assert found["path_dependent"] is False
    (path,) = map(str, Path(".refute/found").iterdir())
    assert main(["replay", path, "--engine", wrong]) == 1
    assert "STILL FAILING" in capsys.readouterr().out
    assert main(["replay", path, "--engine", right]) == 0
    assert "FIXED" in capsys.readouterr().out
    # The file names a program; without being told so it starts none.
    assert main(["replay", path]) == 2


@pytest.mark.parametrize(
    ("twist", "facet", "said"),
    [
        pytest.param("os._exit(7)", "crash", "exited with status 7", id="dies"),
        pytest.param("time.sleep(60)", "timeout", "no answer in time", id="hangs"),
        pytest.param("return say('e2e4: 1', 'Nodes searched: 7')", "perft", "said 7 nodes", id="adds up wrong"),
        pytest.param("return say('\\x1b[2Jboo', 'Nodes searched: 3')", "crash", "said 3 nodes", id="garbage"),
    ],
)
def test_an_engine_that_misbehaves_is_reported_as_itself_and_the_hunt_goes_on(
    twist: str,
    facet: str,
    said: str,
    scripted: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("refute.refining.SHRINK_SECONDS", 0.5)
    spec = scripted(f"def go(board, depth):\n    if board.has_legal_en_passant(): {twist}\n    right(board, depth)")
    arguments = ["--seed", "1", "--walks", "8", "--engine", spec, "--keep-going", "--timeout", "0.4"]
    told = hunt(capsys, *arguments, code=1)
    assert told["walks"] == 8
    assert told["positions"] > len(told["divergences"])
    assert {found["facet"] for found in told["divergences"]} == {facet}
    for found in told["divergences"]:
        assert said in found["actual"]
        assert any(line.startswith("> position fen ") for line in found["transcript"])
        assert all(line.isprintable() for line in found["transcript"])
    walks = sum(1 for _ in Path(".refute/found").iterdir())
    assert walks == len(told["divergences"])


def test_a_hang_takes_no_more_than_the_time_and_the_finding_says_how_to_go_on(
    scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted("def go(board, depth):\n    if board != chess.Board(): time.sleep(60)\n    right(board, depth)")
    arguments = ["--seed", "1", "--time", "0.5s", "--timeout", "0.2", "--engine", spec, "--keep-going"]
    assert main(["hunt", "--against", "python-chess", *arguments]) == 1
    assert "makes it smaller still" in capsys.readouterr().out
    (found,) = json.loads(Path(".refute/report.json").read_text())["divergences"]
    assert (found["facet"], found["shrunk"]) == ("timeout", "out of time")
    (path,) = Path(".refute/found").iterdir()
    assert read_finding(path).notes["shrunk"] == "out of time"
    assert "refute shrink .refute/found/" in Path(".refute/report.html").read_text(encoding="utf-8")


def test_an_engine_that_misbehaves_stops_the_hunt_unless_told_to_keep_going(
    scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted("def go(board, depth):\n    if board.has_legal_en_passant(): os._exit(7)\n    right(board, depth)")
    told = hunt(capsys, "--seed", "1", "--walks", "100", "--engine", spec, code=1)
    assert told["walks"] < 100
    assert [found["facet"] for found in told["divergences"]] == ["crash"]


def test_an_engine_that_dies_now_and_then_is_still_reported(
    scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted("def go(board, depth):\n    if asked % 20 == 19: os._exit(9)\n    right(board, depth)")
    told = hunt(capsys, "--seed", "1", "--walks", "30", "--engine", spec, code=1)
    assert told["divergences"][0]["facet"] == "crash"
    assert "status 9" in told["divergences"][0]["actual"]


def test_witnesses_that_disagree_blame_nobody(scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    # Without counts: those are left to the quicker witness, and nobody contradicts it.
    told = hunt(capsys, "--seed", "1", "--walks", "20", "--against", scripted(NO_EN_PASSANT), "--depth", "0", code=0)
    assert told["divergences"] == []
    assert {held["facet"] for held in told["quarantined"]} == {"moves"}
    assert [answer["witness"] for answer in told["quarantined"][0]["answers"]] == told["witnesses"]
    assert told["positions"] > 0


def test_a_witness_that_never_answers_has_not_acquitted_anyone(
    scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted("def go(board, depth):\n    if board != chess.Board(): os._exit(7)\n    right(board, depth)")
    assert main(["hunt", "--seed", "1", "--walks", "3", "--against", spec]) == 2
    assert "nothing was compared" in capsys.readouterr().err


def test_what_an_engine_calls_itself_cannot_steer_the_terminal(
    scripted: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted(NO_EN_PASSANT + '\nNAME = "\\x1b]0;owned\\x07 [red]x[/red] <script>"')
    page = ["--report", "html:page.html"]
    assert main(["hunt", "--against", "python-chess", "--seed", "1", "--engine", spec, "--walks", "100", *page]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "[red]x[/red]" in out
    assert "[red]x[/red] <script>" not in Path("page.html").read_text(encoding="utf-8")


# ---------------------------------------------------------------- Ctrl-C


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`refute hunt …` in a process group of its own, as a shell starts it; never left behind."""
    child = subprocess.Popen(
        [sys.executable, "-m", "refute", "hunt", "--seed", "1", "--time", "60s", "--json", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


def wait_for(is_so: Callable[[], bool], child: subprocess.Popen[str]) -> None:
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < until, "what was waited for did not happen"
        time.sleep(0.01)


def told_after_interrupt(child: subprocess.Popen[str]) -> dict[str, Any]:
    """Press Ctrl-C, which a terminal sends to the whole group, and read the report."""
    os.killpg(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=PATIENCE / 2)
    assert err == ""
    told = json.loads(out)
    assert isinstance(told, dict)
    assert told["interrupted"] is True
    # The hunt would have gone on for a minute.
    assert told["seconds"] < PATIENCE / 2
    return told


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_control_c_before_anything_is_found_is_exit_code_130(jobs: str, scripted: Callable[..., str]) -> None:
    spec = scripted("def go(board, depth):\n    if asked == 40: open(f'asked', 'w')\n    right(board, depth)")
    with running("--against", "python-chess", "--engine", spec, "--jobs", jobs) as child:
        wait_for(Path("asked").exists, child)
        told = told_after_interrupt(child)
        assert child.returncode == 130
    assert told["divergences"] == []
    assert told["walks"] > 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_control_c_after_a_finding_is_exit_code_1_with_the_finding(jobs: str) -> None:
    with running("--against", "python-chess", "--engine", FAULT, "--keep-going", "--jobs", jobs) as child:
        wait_for(lambda: any(Path(".refute").glob("found/*.walk")), child)
        told = told_after_interrupt(child)
        assert child.returncode == 1
    assert told["divergences"]
    kept = {str(read_finding(path).signature) for path in Path(".refute/found").iterdir()}
    assert {found["signature"] for found in told["divergences"]} <= kept


def test_control_c_finds_workers_deaf_from_their_first_moment() -> None:
    with running("--against", "python-chess", "--jobs", "2") as child:
        started = time.monotonic()
        while time.monotonic() - started < 1.0:
            workers = children_of(child.pid)
            if len(workers) < 3:  # both, and what multiprocessing tracks its resources with
                started = time.monotonic()
                assert child.poll() is None
            # As a terminal would, at whatever moment of their start, and again and again.
            for worker in workers:
                os.kill(worker, signal.SIGINT)
            time.sleep(0.002)
        told = told_after_interrupt(child)
        assert child.returncode == 130
    assert told["divergences"] == []


def children_of(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
