"""The command line as a whole: help, version, laziness, and what becomes of errors."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import refute.cli
from refute import __version__
from refute.board import is_compiled
from refute.cli import main
from refute.commands import COMMANDS
from refute.errors import EngineError

SOURCE = Path(refute.cli.__file__).parents[1]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python -m refute …` in a process of its own, as a user runs it."""
    return subprocess.run(
        [sys.executable, "-m", "refute", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
    )


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What `refute` says when it refuses: on stderr alone, with exit code 2."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert "Traceback" not in err
    return err


def test_version_says_whether_the_board_is_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"refute {__version__} ")
    assert ("compiled" if is_compiled() else "interpreted") in out


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "Usage: refute" in out
    assert all(name in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert "Examples:" in out
    assert f"refute {name}" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_of_commands_points_at_commands_of_that_name(name: str) -> None:
    entry = COMMANDS[name]
    command = getattr(importlib.import_module(entry.module), entry.attribute)
    assert isinstance(command, click.Command)
    assert command.name == name


def test_help_imports_no_command_and_no_board() -> None:
    code = (
        "import sys; from refute.cli import main; main(['--help']); "
        "print([m for m in sys.modules if m.startswith(('refute.commands.', 'refute.board', 'rich', 'chess'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_module_and_function_are_the_same_command() -> None:
    done = run("perft", "startpos", "2")
    assert done.returncode == 0
    assert done.stdout.startswith("Nodes searched: 400\n")
    assert done.stderr == ""


def test_unknown_command_is_quoted_and_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'hnut'" in refusal(capsys, "hnut")


def test_unknown_option_is_refused_with_a_way_to_help(capsys: pytest.CaptureFixture[str]) -> None:
    message = refusal(capsys, "perft", "startpos", "2", "--divid")
    assert "--divide" in message
    assert "refute perft --help" in message


@pytest.mark.parametrize("arguments", [("\x1b[31m" + "x" * 10_000,), ("perft", "startpos", "2", "--\x1b]0;x" * 3_000)])
def test_hostile_arguments_reach_the_terminal_escaped_and_shortened(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    message = refusal(capsys, *arguments)
    assert "\x1b" not in message
    assert "\\x1b" in message
    assert len(message) < 2000


def test_arguments_that_are_not_utf8_are_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "refute", "perft", b"\xff\xfe w - -", "2"],
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"refute: FEN ")


@click.command()
@click.argument("kind")
def failing(kind: str) -> None:
    """Raise what commands may raise."""
    raise {
        "engine": EngineError("no such engine"),
        "memory": MemoryError(),
        "disk": OSError(28, "No space left on device"),
        "interrupt": KeyboardInterrupt(),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "code", "message"),
    [
        ("engine", 2, "refute: no such engine\n"),
        ("memory", 2, "refute: not enough memory\n"),
        ("disk", 2, "refute: [Errno 28] No space left on device\n"),
        ("interrupt", 130, "refute: interrupted\n"),
    ],
)
def test_what_commands_raise_becomes_one_line_and_an_exit_code(
    kind: str, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(refute.cli.LazyGroup, "get_command", lambda self, ctx, name: failing)
    assert main(["failing", kind]) == code
    assert capsys.readouterr().err.lstrip("\n") == message


def test_a_reader_that_goes_away_is_not_a_refutation() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "refute", "perft", "startpos", "3", "--divide"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        complaint = child.stderr.read()
        assert child.wait(timeout=60) == 141
    assert complaint == b""


def test_output_that_cannot_be_encoded_is_escaped() -> None:
    done = run("perft", "--help", PYTHONIOENCODING="latin-1")
    assert done.returncode == 0
    assert "mates \\u2026" in done.stdout


def test_group_runs_under_clicks_own_test_runner() -> None:
    result = CliRunner().invoke(refute.cli.refute, ["perft", "startpos", "1"])
    assert result.exit_code == 0
    assert "Nodes searched: 20" in result.output
