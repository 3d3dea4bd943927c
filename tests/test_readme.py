"""The README tells the truth: its code runs, its commands exist, and CI runs its test command."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from refute.cli import main
from refute.commands import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL_BLOCKS = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_code_in_the_readme_prints_what_it_shows() -> None:
    parser = doctest.DocTestParser()
    blocks = re.findall(r"^```pycon\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        case = parser.get_doctest(block, {}, "README.md", "README.md", 0)
        assert case.examples
        assert doctest.DocTestRunner().run(case).failed == 0


def test_there_are_two_commands_of_one_line_each() -> None:
    assert len(SHELL_BLOCKS) == 2
    for block in SHELL_BLOCKS:
        assert block.count("\n") == 1
        assert " && python3 -m venv .venv && " in block


def test_the_main_command_does_its_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(SHELL_BLOCKS[0])
    arguments = words[words.index(".venv/bin/refute") + 1 :]
    # The same job, not as long: the interpreted board runs this test too.
    assert arguments == ["hunt"]
    assert main(["hunt", "--walks", "20", "--seed", "1", "--out", str(tmp_path)]) == 0
    assert "nothing refuted in own against python-chess" in capsys.readouterr().out


def test_the_test_command_runs_both_modes_from_an_editable_install() -> None:
    steps = [step.strip() for step in SHELL_BLOCKS[1].split("&&")]
    assert ".venv/bin/pip install -q -e '.[test]'" in steps
    assert steps[-2:] == [".venv/bin/pytest -n 2", "REFUTE_PURE=1 .venv/bin/pytest -n 2"]


def test_ci_runs_the_readmes_test_command_and_no_other() -> None:
    shown = subprocess.run(
        ["bash", str(ROOT / ".ci/run"), "--show-test-command"], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout == SHELL_BLOCKS[1]
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert 'eval "$test_command"' in script
    assert "bin/pytest" not in script


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`refute ([a-z]+)[ `]", README))))
def test_every_command_the_readme_names_exists(command: str) -> None:
    assert command in COMMANDS


def test_the_readmes_links_lead_somewhere() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links
    for link in links:
        assert (ROOT / link).is_file()
