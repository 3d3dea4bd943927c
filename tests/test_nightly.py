"""The nightly script does its whole job in seconds when told to, and its folder tells what happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from refute.engines.spec import open_engine
from refute.finding import read_finding
from refute.regression import find

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "fuzz" / "nightly.py"
FAULT = "fault:castle-through-attack"
OWN_PARTS = ["replay", "hunt own", "hunt own:pure", "hunt own in Chess960", "deeper perft", "fuzz"]


def start(out: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), "--time=4s", f"--out={out}", "--seed=1", "--jobs=1", *more]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=ROOT
    )


def journal(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]


def list_engines(folder: Path, *specs: str) -> str:
    path = folder / "engines.txt"
    path.write_text("# engines of tonight\n\n" + "".join(f"{spec}  # planted\n" for spec in specs))
    return f"--engines={path}"


def test_a_night_on_the_right_board_refutes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "night"
    child = start(out)
    printed, errors = child.communicate()
    assert child.returncode == 0, printed + errors + (out / "fuzz" / "output.txt").read_text()
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["exit_code"], summary["seed"], summary["findings"]) == (0, 1, [])
    assert [part["name"] for part in summary["parts"]] == OWN_PARTS
    assert {part["status"] for part in summary["parts"]} == {"agreed"}
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
    assert [line["event"] for line in journal(out)] == ["start", *["begin", "end"] * len(OWN_PARTS), "done"]


def test_a_night_on_a_faulty_engine_keeps_what_it_finds(tmp_path: Path) -> None:
    out = tmp_path / "night"
    child = start(out, list_engines(tmp_path, FAULT, "uci:./no such engine"))
    child.communicate()
    assert child.returncode == 1
    summary = json.loads((out / "summary.json").read_text())
    status = {part["name"]: part["status"] for part in summary["parts"]}
    assert status.pop(f"hunt {FAULT}") == "refuted"
    # What cannot run is told and stops nobody.
    assert status.pop("hunt uci:./no such engine") == "could not run"
    assert set(status) == set(OWN_PARTS)
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
    child = start(out, list_engines(tmp_path, FAULT))
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


def test_deeper_perft_tells_a_wrong_count_by_its_first_wrong_move(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "fuzz" / "deeper.py"), "--time=2", f"--out={tmp_path}", f"--engine={FAULT}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1, done.stderr
    (path, *_) = (tmp_path / "found").glob("*.walk")
    found = read_finding(path)
    assert found.subject == FAULT
    with open_engine(FAULT) as engine:
        assert found.versions[0] == (engine.name, engine.version)
