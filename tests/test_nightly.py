"""The nightly script does its whole job in seconds when told to, and its folder tells what happened."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from refute.board.epd import PerftCase
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.spec import open_engine
from refute.finding import read_finding, write_finding
from refute.regression import find
from refute.walk import START_FEN, Walk

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "fuzz" / "nightly.py"
FAULT = "fault:castle-through-attack"
# Finds something, and then neither ends nor listens.
DEAF = """
import pathlib, shutil, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
found = pathlib.Path(sys.argv[2], "found")
found.mkdir()
shutil.copy(sys.argv[1], found)
time.sleep(99)
"""
# Starts a process that does not listen and that it does not wait for.
PARENT = """
import os, signal, sys, time
listens = sys.argv[2] == "True"
signal.signal(signal.SIGINT, (lambda *_: os._exit(3)) if listens else signal.SIG_IGN)
if os.fork() == 0:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with open(sys.argv[1] + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.replace(sys.argv[1] + ".new", sys.argv[1])
time.sleep(99)
"""
# The script as it is, but for parts that get less than a second, and without the parts that are named.
HURRIED = """
import sys
sys.path.insert(0, sys.argv[1])
import nightly
without, plan = sys.argv[2].split(","), nightly.plan
nightly.LEAST_SECONDS = 0.1
nightly.plan = lambda out, specs: [part for part in plan(out, specs) if part.name not in without]
sys.exit(nightly.main(sys.argv[3:]))
"""
OWN_PARTS = ["replay", "hunt own", "hunt own:pure", "hunt own in Chess960", "deeper perft", "mutants", "fuzz"]
ELSEWHERE = ["hunt own:pure", "hunt own in Chess960", "fuzz"]  # what the night on the right board shows


def start(out: Path, *more: str, without: Sequence[str] | None = None) -> subprocess.Popen[str]:
    """A night of a second: the very script, or in a hurry where `without` says which parts it is to leave out."""
    command = [sys.executable, str(SCRIPT)]
    if without is not None:
        command = [sys.executable, "-c", HURRIED, str(SCRIPT.parent), ",".join(without)]
    command += ["--time=1s", f"--out={out}", "--seed=1", "--jobs=1", *more]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=ROOT
    )


def journal(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]


def begun(out: Path) -> list[str]:
    return [line["part"] for line in journal(out) if line["event"] == "begin"]


def load_script(name: str = "nightly") -> Any:
    spec = importlib.util.spec_from_file_location(f"{name}_script", SCRIPT.with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def list_engines(folder: Path, *specs: str) -> str:
    path = folder / "engines.txt"
    path.write_text("# engines of tonight\n\n" + "".join(f"{spec}  # planted\n" for spec in specs))
    return f"--engines={path}"


def test_a_night_on_the_right_board_refutes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "night"
    child = start(out, without=[])
    printed, errors = child.communicate()
    assert child.returncode == 0, printed + errors + (out / "fuzz" / "output.txt").read_text()
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["exit_code"], summary["seed"], summary["findings"]) == (0, 1, [])
    assert [part["name"] for part in summary["parts"]] == OWN_PARTS
    status = {part["name"]: part["status"] for part in summary["parts"]}
    assert status.pop("mutants") == "skipped"  # they need more time than this, and that is said
    assert set(status.values()) == {"agreed"}
    assert (out / "summary.md").read_text().startswith("# Nightly: nothing refuted")
    assert not list(out.glob("**/*.walk"))
    for number, hunt in enumerate(OWN_PARTS[1:4], 1):
        (folder,) = out.glob(f"{number}-hunt-*")
        assert json.loads((folder / "report.json").read_text())["positions"] > 0, hunt
        assert (folder / "report.html").stat().st_size > 1000
    # Every property ran, under the profile that repeats it.
    ran = ET.parse(out / "fuzz" / "junit.xml").getroot().findall("testsuite/testcase")
    assert len(ran) >= len(list(SCRIPT.parent.glob("test_*.py")))
    counts = [json.loads(line) for line in (out / "perft" / "counts.jsonl").read_text().splitlines()]
    assert counts
    assert all(count["agrees"] for count in counts)
    events = [line["event"] for line in journal(out)]
    assert events == ["start", *["begin", "end"] * OWN_PARTS.index("mutants"), "skip", "begin", "end", "done"]
    (skipped,) = (line for line in journal(out) if line["event"] == "skip")
    assert (skipped["part"], skipped["why"]) == ("mutants", "its share of the time is below 30 s")


def test_a_night_on_a_faulty_engine_keeps_what_it_finds(tmp_path: Path) -> None:
    out = tmp_path / "night"
    child = start(out, list_engines(tmp_path, FAULT, "uci:./no such engine"), without=ELSEWHERE)
    child.communicate()
    assert child.returncode == 1
    summary = json.loads((out / "summary.json").read_text())
    status = {part["name"]: part["status"] for part in summary["parts"]}
    assert status.pop(f"hunt {FAULT}") == "refuted"
    # What cannot run is told and stops nobody.
    assert status.pop("hunt uci:./no such engine") == "could not run"
    assert status == {"replay": "agreed", "hunt own": "agreed", "deeper perft": "agreed", "mutants": "skipped"}
    found = [finding for finding in summary["findings"] if finding["subject"] == FAULT]
    assert any(finding["signature"].startswith("moves/movegen/") for finding in found)
    for finding in found:
        assert finding["sentence"] in (out / "summary.md").read_text()
        kept = read_finding(out / finding["file"])
        assert str(kept.walk) == finding["walk"]
        assert find(finding["walk"], engine=FAULT) is not None
        assert find(finding["walk"], engine="own") is None
    suites = ET.parse(out / "junit.xml").getroot()
    failed = [case.get("name") for case in suites.findall("testsuite[@name='nightly']/testcase[failure]")]
    assert failed == [f"hunt {FAULT}"]
    page = (out / "index.html").read_text()
    assert "refuted" in page
    assert found[0]["file"] in page


def test_a_night_killed_in_the_middle_leaves_what_it_found(tmp_path: Path) -> None:
    out = tmp_path / "night"
    child = start(out, list_engines(tmp_path, FAULT), without=ELSEWHERE)
    deadline = time.monotonic() + 60
    while not list(out.glob("*/found/*.walk")):
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
    (path, *_) = out.glob("*/found/*.walk")
    assert read_finding(path).subject == FAULT
    events = [(line["event"], line.get("part")) for line in journal(out)]
    assert events[-1] == ("begin", f"hunt {FAULT}")
    assert ("end", "hunt own") in events
    # The summary tells the parts that ended.
    summary = json.loads((out / "summary.json").read_text())
    assert summary["exit_code"] == 2
    assert summary["parts"][1]["status"] == "agreed"


def test_a_night_that_is_told_to_stop_tells_how_far_it_came(tmp_path: Path) -> None:
    out = tmp_path / "night"
    child = start(out, "--time=1h")
    deadline = time.monotonic() + 60
    while not (out / "journal.jsonl").exists() or "hunt own" not in begun(out):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    child.terminate()
    child.communicate()
    assert child.returncode == 2
    summary = json.loads((out / "summary.json").read_text())
    assert [part["status"] for part in summary["parts"][:3]] == ["agreed", "could not run", "not begun"]
    assert summary["parts"][1]["detail"] == "interrupted"
    assert [line["event"] for line in journal(out)][-2:] == ["interrupted", "done"]


def test_a_part_that_hangs_is_killed_and_what_it_found_counts(tmp_path: Path) -> None:
    nightly = load_script()
    nightly.GRACE_SECONDS = nightly.LAST_WORDS_SECONDS = 0.2
    part = nightly.Part("hunt", "deaf", tmp_path / "deaf")
    found = Divergence(Walk(START_FEN), Facet.MOVES, Verdict.MOVEGEN, "-", "own", "itself", "20", "19")
    write_finding(tmp_path / "one.walk", found)
    part.command = lambda seconds, seed, jobs: [
        sys.executable,
        "-c",
        DEAF,
        str(tmp_path / "one.walk"),
        str(part.folder),
    ]
    nightly.run(part, 0.5, seed=1, jobs=1, journal=nightly.Journal(tmp_path / "journal.jsonl"))
    assert (part.status, part.detail) == ("refuted", "stopped: not done 0 s after its time")
    assert [finding["signature"] for finding in part.findings] == ["moves/movegen/-"]
    assert nightly.exit_code([part]) == 1
    assert journal(tmp_path)[-1]["code"] == -signal.SIGKILL


@pytest.mark.parametrize("listens", [True, False])
def test_what_a_part_started_ends_with_it(listens: bool, tmp_path: Path) -> None:
    nightly = load_script()
    nightly.GRACE_SECONDS, nightly.LAST_WORDS_SECONDS = 0.0, 5.0 if listens else 0.2
    part = nightly.Part("hunt", "parent", tmp_path / "parent")
    part.command = lambda seconds, seed, jobs: [sys.executable, "-c", PARENT, str(tmp_path / "pid"), str(listens)]
    nightly.run(part, 0.5, seed=1, jobs=1, journal=nightly.Journal(tmp_path / "journal.jsonl"))
    assert journal(tmp_path)[-1]["code"] == (3 if listens else -signal.SIGKILL)
    grandchild = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 10
    while is_alive(grandchild):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("exists", [False, True], ids=["missing", "empty"])
def test_replaying_agrees_where_no_finding_is_kept(tmp_path: Path, exists: bool) -> None:
    nightly = load_script()
    nightly.KEPT = tmp_path / "kept"
    if exists:
        nightly.KEPT.mkdir()
    part = nightly.Part("replay", "replay", tmp_path / "replay")
    nightly.run(part, 5.0, seed=1, jobs=1, journal=nightly.Journal(tmp_path / "journal.jsonl"))
    assert (part.status, part.detail) == ("agreed", "0 fixed, 0 failing, 0 not run")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--time=never"], "'never' is not a time"),
        (["--jobs=0"], "--jobs"),
        (["--engines=nowhere.txt"], "'nowhere.txt' cannot be read"),
        (["--out=tests"], "is not empty"),
    ],
)
def test_bad_arguments_are_told_and_exit_with_2(arguments: list[str], said: str, tmp_path: Path) -> None:
    child = start(tmp_path / "night", *arguments)
    _, errors = child.communicate()
    assert child.returncode == 2
    assert said in errors


@pytest.mark.parametrize("published", [20, 21], ids=["right", "wrong"])
def test_a_count_other_than_the_published_is_a_finding_without_stockfish_too(
    published: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFUTE_STOCKFISH", str(tmp_path / "none"))
    wrong = published != 20
    case = PerftCase(START_FEN, {1: published})
    assert load_script("deeper").run([case], "own", 1.0, tmp_path) == int(wrong)
    found = [read_finding(path) for path in tmp_path.glob("found/*.walk")]
    told = [(one.facet, one.expected, one.witness) for one in found]
    assert told == ([(Facet.PERFT, "21 nodes at depth 1, as published", "itself")] if wrong else [])


def test_deeper_perft_without_stockfish_finds_the_wrong_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFUTE_STOCKFISH", str(tmp_path / "none"))
    case = PerftCase("4k3/8/8/8/8/8/6p1/4K2R w K - 0 1", {1: 13})
    assert load_script("deeper").run([case], FAULT, 1.0, tmp_path) == 1
    (path,) = tmp_path.glob("found/*.walk")
    assert read_finding(path).extra == ("e1g1",)


@pytest.mark.usefixtures("stockfish")
def test_deeper_perft_tells_a_wrong_count_by_its_first_wrong_move(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "fuzz" / "deeper.py"), "--time=2", f"--out={tmp_path}", f"--engine={FAULT}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1, done.stderr
    (path, *_) = (tmp_path / "found").glob("*.walk")
    found = read_finding(path)
    assert found.subject == FAULT
    with open_engine(FAULT) as engine:
        assert found.versions[0] == (engine.name, engine.version)
