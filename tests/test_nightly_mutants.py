"""The night tries all mutants while its time allows, and says plainly what it did not try."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "fuzz" / "nightly.py"
# Reports what it is given once it is interrupted.
LISTENS = """
import sys, time
try:
    time.sleep(99)
except KeyboardInterrupt:
    print(sys.argv[1])
    sys.exit(int(sys.argv[2]))
"""
SHORT = 0.4  # seconds for the part
NOTHING: dict[str, Any] = {"mutants": 4000, "survived": 0, "interrupted": True, "survivors": [], "stale": []}


@pytest.fixture
def nightly() -> Any:
    spec = importlib.util.spec_from_file_location("nightly_of_mutants", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.LEAST_FOR_MUTANTS = SHORT
    return module


def run_part(nightly: Any, folder: Path, report: dict[str, Any], code: int) -> Any:
    """The part, with a process in its place that reports when it is interrupted, as the real one does."""
    part = nightly.Part("mutants", "mutants", folder / "mutants")
    part.command = lambda seconds, seed, jobs: [sys.executable, "-IS", "-c", LISTENS, json.dumps(report), str(code)]
    nightly.run(part, SHORT, seed=1, jobs=1, journal=nightly.Journal(folder / "journal.jsonl"))
    return part


def test_all_mutants_are_tried_in_an_order_of_tonight(nightly: Any, tmp_path: Path) -> None:
    (part,) = (part for part in nightly.plan(tmp_path, []) if part.kind == "mutants")
    command = part.command(1000.0, 5, 2)
    assert command[2:] == ["refute", "mutants", "--seed=5", "--equivalents", "--jobs=2", "--json"]


def test_what_mutants_leave_of_their_time_goes_to_the_fuzzing(nightly: Any, tmp_path: Path) -> None:
    given: dict[str, float] = {}

    def run(part: Any, seconds: float, **more: Any) -> None:
        given[part.kind] = seconds  # and takes no time at all
        part.status = "agreed"

    nightly.run = run
    parts = nightly.plan(tmp_path, [])
    assert [part.kind for part in parts[-2:]] == ["mutants", "fuzz"]
    options = type("Options", (), {"seed": 1, "jobs": 1})
    assert nightly.work(tmp_path, parts, 1800.0, options) == 0
    # All are tried within ten minutes on two processors.
    assert given["mutants"] > 600
    assert given["fuzz"] > 1790


def test_mutants_that_run_out_of_time_are_told_as_partial(nightly: Any, tmp_path: Path) -> None:
    part = run_part(nightly, tmp_path, NOTHING | {"tried": 700}, 130)
    assert (part.status, part.findings) == ("partial", [])
    assert part.detail == "700 of 4,000 mutants tried, 0 survived; time was over with 3,300 untried"
    agreed = nightly.Part("hunt", "hunt own", tmp_path / "hunt", status="agreed")
    nightly.tell(tmp_path, [agreed, part], 1)
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith("# Nightly: nothing refuted; only in part: mutants\n")
    assert "700 of 4,000 mutants tried" in summary
    assert 'skipped="1"' in (tmp_path / "junit.xml").read_text()
    assert nightly.exit_code([agreed, part]) == 0


def test_mutants_that_were_all_tried_agree(nightly: Any, tmp_path: Path) -> None:
    part = nightly.Part("mutants", "mutants", tmp_path / "mutants")
    report = NOTHING | {"tried": 4000, "interrupted": False}
    part.command = lambda seconds, seed, jobs: [sys.executable, "-IS", "-c", f"print({json.dumps(report)!r})"]
    nightly.run(part, 60.0, seed=1, jobs=1, journal=nightly.Journal(tmp_path / "journal.jsonl"))
    assert (part.status, part.detail) == ("agreed", "4,000 of 4,000 mutants tried, 0 survived")


def test_a_mutant_that_survives_the_night_is_told_with_its_diff(nightly: Any, tmp_path: Path) -> None:
    survivor = {"name": "_make:drop:1", "diff": "@@ _make, line 3 @@\n-a < b\n+a <= b"}
    report = NOTHING | {"tried": 7, "mutants": 9, "survived": 1, "survivors": [survivor], "stale": ["old"]}
    part = run_part(nightly, tmp_path, report, 1)
    assert (part.status, part.detail) == ("refuted", "7 of 9 mutants tried, 1 survived; time was over with 2 untried")
    assert [finding["signature"] for finding in part.findings] == ["mutant _make:drop:1", "mutant old"]
    nightly.tell(tmp_path, [part], 1)
    summary = (tmp_path / "summary.md").read_text()
    assert "refute mutants --equivalents _make:drop:1" in summary
    assert "\n    -a < b\n    +a <= b\n" in summary
    assert "-a &lt; b\n+a &lt;= b" in (tmp_path / "index.html").read_text()
    assert json.loads((tmp_path / "summary.json").read_text())["exit_code"] == 1


def test_a_night_that_tried_no_mutant_does_not_say_that_all_were_killed(nightly: Any, tmp_path: Path) -> None:
    assert run_part(nightly, tmp_path, NOTHING | {"tried": 0}, 130).status == "could not run"


def test_mutants_that_fall_silent_could_not_run(nightly: Any, tmp_path: Path) -> None:
    part = nightly.Part("mutants", "mutants", tmp_path / "mutants")
    part.command = lambda seconds, seed, jobs: [sys.executable, "-c", "raise SystemExit(130)"]
    nightly.run(part, 1.0, seed=1, jobs=1, journal=nightly.Journal(tmp_path / "journal.jsonl"))
    assert part.status == "could not run"


def test_a_night_in_which_nothing_ran_has_shown_nothing(nightly: Any, tmp_path: Path) -> None:
    skipped = nightly.Part("mutants", "mutants", tmp_path / "mutants", status="skipped")
    assert nightly.exit_code([skipped]) == nightly.exit_code([]) == 2


def test_the_issue_about_a_survivor_shows_its_diff() -> None:
    spec = importlib.util.spec_from_file_location("open_issues", ROOT / ".github" / "open_issues.py")
    assert spec is not None
    assert spec.loader is not None
    script: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    finding = {"subject": "own", "signature": "mutant x", "sentence": "It survives.", "diff": "-a\n+b\x1b[31m"}
    assert "\n    -a\n    +b\\x1b[31m\n" in script.body(finding)
