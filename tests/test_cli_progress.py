"""Progress: one class for every command that takes its time; plain lines on stderr where there is no terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from refute.cli import main
from refute.commands import common
from refute.commands.common import Progress

COMMANDS = {
    "hunt": (["hunt", "--against", "python-chess", "--walks", "3"], r"\d+ s · \d+ walks · .* · 0 disagreements"),
    "faults": (
        ["faults", "edge-pawn-cannot-capture", "--jobs", "1"],
        r"1 of 1 · 0 not found · edge-pawn-cannot-capture found after \d+",
    ),
    "mutants": (["mutants", "--sample", "1", "--walks", "1", "--jobs", "1"], r"\d+ s · 1 of 1 mutants · .* survived"),
}


@pytest.mark.parametrize(("arguments", "line"), COMMANDS.values(), ids=COMMANDS)
def test_every_long_command_tells_how_far_it_is_on_stderr(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "PLAIN_LINE_SECONDS", 0.0)
    main(arguments)
    lines = capsys.readouterr().err.splitlines()
    assert any(re.fullmatch(line, told) for told in lines), lines


def test_a_line_that_is_not_due_is_not_even_made(capsys: pytest.CaptureFixture[str]) -> None:
    def line() -> str:
        raise AssertionError("not due for ten seconds")

    with Progress() as progress:
        progress.show(line)
    assert capsys.readouterr().err == ""


def test_what_looks_like_markup_is_printed_as_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "PLAIN_LINE_SECONDS", 0.0)
    with Progress() as progress:
        progress.show(lambda: "[red]1 of 2[/red]")
    assert capsys.readouterr().err == "[red]1 of 2[/red]\n"


def test_a_terminal_has_one_line_that_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    monkeypatch.setattr(common, "open_console", lambda *, stderr: console)
    with Progress("starting") as progress:
        assert progress.status is not None
        progress.show(lambda: "1 of 2")
        progress.show(lambda: "2 of 2")
        assert progress.status.status == "2 of 2"
