"""The workflows are valid, call what is there, and are allowed no more than they need; issues open once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CHECK = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]


def read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load(path)
    return loaded


def steps(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job["steps"]


def test_both_workflows_are_there() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "nightly.yml"]


def test_workflows_follow_the_published_schema() -> None:
    done = subprocess.run([*CHECK, *map(str, WORKFLOWS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_schema_refuses_a_workflow_with_a_misspelt_key(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(WORKFLOWS[0].read_text().replace("timeout-minutes", "timeout"))
    done = subprocess.run([*CHECK, str(broken)], capture_output=True, text=True, check=False)
    assert done.returncode == 1


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_pinned_bounded_and_may_only_read(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]["group"]
    for job in workflow["jobs"].values():
        assert 0 < job["timeout-minutes"] <= 180
    for step in steps(workflow):
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z/-]+@v[0-9]+", step["uses"])
        # Text from outside must reach a shell as a variable, never as part of the script.
        assert "${{" not in step.get("run", "")


def test_every_script_a_workflow_calls_exists() -> None:
    called = set()
    for path in WORKFLOWS:
        for step in steps(read(path)):
            called |= set(re.findall(r"(?<![\w/.])(?:\.ci|\.github|fuzz)/[\w.]+", step.get("run", "")))
    assert called == {".ci/run", ".ci/sanitize", "fuzz/nightly.py", ".github/engines.txt", ".github/open_issues.py"}
    assert all((ROOT / name).is_file() for name in called)


def test_only_the_job_that_runs_no_engine_may_write_issues() -> None:
    jobs = read(ROOT / ".github" / "workflows" / "nightly.yml")["jobs"]
    assert "permissions" not in jobs["night"]
    assert jobs["issues"]["permissions"] == {"contents": "read", "issues": "write"}
    assert not any("nightly.py" in step.get("run", "") for step in jobs["issues"]["steps"])


def test_the_database_is_kept_where_the_fuzz_profiles_look_for_it() -> None:
    conftest = (ROOT / "fuzz" / "conftest.py").read_text()
    by_name = {step.get("with", {}).get("name"): step for step in steps(read(WORKFLOWS[1]))}
    upload = by_name["hypothesis-database"]["with"]
    assert 'ARTIFACT: Final = "hypothesis-database"' in conftest
    assert upload["path"] == ".hypothesis/examples"
    assert upload["include-hidden-files"] is True
    cached = [step["with"]["path"] for step in steps(read(WORKFLOWS[1])) if "cache" in step.get("uses", "")]
    assert cached == [".hypothesis/examples"] * 2


# ---------------------------------------------------------------- issues

# Keeps issues in a file and does what `gh` would with them, arguments checked.
GH = """#!{python}
import json, pathlib, sys
store = pathlib.Path(__file__).with_name("issues.json")
issues = json.loads(store.read_text()) if store.exists() else []
arguments = sys.argv[1:]
if arguments[:2] == ["issue", "list"]:
    word = next(one for one in arguments if one.startswith("--search=")).split("=", 1)[1].split()[0]
    print(json.dumps([{{"title": issue["title"]}} for issue in issues if word in issue["title"]]))
elif arguments[:2] == ["issue", "create"] and len(arguments) == 4 and arguments[3] == "--body-file=-":
    issues.append({{"title": arguments[2].removeprefix("--title="), "body": sys.stdin.read()}})
    store.write_text(json.dumps(issues))
else:
    sys.exit(f"unknown: {{arguments}}")
"""
HOSTILE = "$(touch pwned)`touch pwned`; touch pwned\n--repo=evil \x1b[2J"


def finding(signature: str, subject: str = "own") -> dict[str, str]:
    walk = "position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    return {"part": "hunt", "subject": subject, "signature": signature, "sentence": HOSTILE, "walk": walk}


def open_issues(folder: Path, findings: list[dict[str, str]]) -> tuple[int, list[dict[str, str]]]:
    program = folder / "gh"
    program.write_text(GH.format(python=sys.executable))
    program.chmod(0o755)
    (folder / "summary.json").write_text(json.dumps({"findings": findings}))
    done = subprocess.run(
        [sys.executable, str(ROOT / ".github" / "open_issues.py"), str(folder)],
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        cwd=folder,
        check=False,
        capture_output=True,
    )
    kept = folder / "issues.json"
    return done.returncode, json.loads(kept.read_text()) if kept.exists() else []


def test_an_issue_is_opened_once_for_each_signature_of_each_subject(tmp_path: Path) -> None:
    night = [finding("moves/movegen/en passant"), finding("moves/movegen/en passant"), finding("key/hash/-")]
    code, issues = open_issues(tmp_path, night)
    assert code == 0
    assert [issue["title"].rpartition(" (")[0] for issue in issues] == [
        "own: moves/movegen/en passant",
        "own: key/hash/-",
    ]
    code, issues = open_issues(tmp_path, [*night, finding("key/hash/-", subject="uci:./mine")])
    assert code == 0
    assert len(issues) == 3


def test_what_an_engine_prints_stays_text(tmp_path: Path) -> None:
    code, issues = open_issues(tmp_path, [finding(HOSTILE, subject=f"uci:{HOSTILE}")])
    assert code == 0
    assert issues[0]["title"].isprintable()
    assert all(line.isprintable() for line in issues[0]["body"].splitlines())
    assert "    $(touch pwned)`touch pwned`; touch pwned\\n--repo=evil \\x1b[2J" in issues[0]["body"].splitlines()
    assert not (tmp_path / "pwned").exists()


def test_a_night_that_breaks_everything_opens_ten_issues(tmp_path: Path) -> None:
    code, issues = open_issues(tmp_path, [finding(f"moves/movegen/kind {number}") for number in range(12)])
    assert code == 0
    assert len(issues) == 10
