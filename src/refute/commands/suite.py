"""`refute suite`: run perft suites, position by position."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import click

from refute.commands.common import (
    INTERRUPTED,
    chess960_option,
    engine_option,
    json_option,
    open_console,
    print_json,
    timeout_option,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console
    from rich.text import Text

    from refute.engines.protocol import Engine
    from refute.suites import Counted, Plan

REFUTED: Final = 1
LAST_WORDS: Final = 5  # lines of what was said with an engine that failed


@click.command()
@click.argument("files", metavar="FILE.epd...", nargs=-1, required=True)
@engine_option
@click.option(
    "--max-nodes", type=click.IntRange(0), metavar="N", help="Skip depths whose published count is above this."
)
@timeout_option
@chess960_option
@json_option
def suite(
    files: tuple[str, ...], engine: str, max_nodes: int | None, timeout: float, chess960: bool, as_json: bool
) -> int:
    """Count what perft suites publish, and say which counts an engine gets wrong.

    A line of a suite is a FEN and its counts: `FEN ;D1 20 ;D2 400`.

    \b
    Examples:
      refute suite corpora/perft/standard.epd
      refute suite corpora/perft/*.epd --engine ./mine --max-nodes 1000000
      refute suite my.epd --engine stockfish --json

    Exit code: 0 every count is right, 1 refuted, 2 could not run.
    """
    from refute.engines.spec import open_engine
    from refute.suites import plan, read_cases, run

    cases = read_cases(files, chess960=chess960)
    done: list[Counted] = []
    interrupted = False
    with open_engine(engine, timeout=timeout) as opened:
        made = plan(cases, opened, max_nodes=max_nodes)
        # Which tasks end their position: after them its line can be printed.
        last = {task.index: task for task in made.tasks}
        with ExitStack() as stack:
            advance, console = _progress(stack, len(made.tasks), as_json=as_json)
            try:
                for counted in run(opened, made):
                    done.append(counted)
                    advance()
                    if not as_json and (counted.task == last[counted.task.index] or counted.fault is not None):
                        _print_position(console, _of_position(done, counted.task.index), opened, engine)
            except KeyboardInterrupt:
                interrupted = True
        if interrupted and not as_json and done and done[-1].task != last[done[-1].task.index]:
            _print_position(open_console(), _of_position(done, done[-1].task.index), opened, engine)
    if as_json:
        print_json(_as_json(engine, opened.version, done, made, interrupted=interrupted))
    else:
        _print_summary(done, made, interrupted=interrupted)
    if interrupted:
        return INTERRUPTED
    return 0 if all(one.is_ok for one in done) else REFUTED


def _of_position(done: list[Counted], index: int) -> list[Counted]:
    """The counts of one position, which are together at the end."""
    return [one for one in done[-100:] if one.task.index == index]


def _progress(stack: ExitStack, total: int, *, as_json: bool) -> tuple[Callable[[], None], Console]:
    """What to call after each count, and where lines go; shows a bar while the stack is open, on a terminal only."""
    lines = open_console()
    # Lines and bar on one screen must come from one console, or they overwrite each other.
    screen = lines if sys.stdout.isatty() and not as_json else open_console(stderr=True)
    if not screen.is_terminal:
        return lambda: None, lines
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("counts,"), TimeElapsedColumn())
    progress = stack.enter_context(Progress(*columns, console=screen, transient=True))
    task = progress.add_task("", total=total)
    return lambda: progress.advance(task), lines


def _print_position(console: Console, counts: list[Counted], opened: Engine, engine: str) -> None:
    """One line for the position; below it what to do about a wrong count, or what was said last."""
    from rich.text import Text

    from refute.report.text import printable

    wrong = [one for one in counts if not one.is_ok]
    fen = counts[0].task.fen
    if not wrong:
        deepest = counts[-1].task
        console.print(Text.assemble(("ok", "green"), f"     {fen}  depth {deepest.depth}: {deepest.expected:,}"))
        return
    told = Text("; ").join(_told(one) for one in wrong)
    console.print(Text.assemble(("WRONG", "bold red"), f"  {fen}  ", told))
    first = wrong[0]
    if first.fault is None:
        console.print(Text(f"       {_next(first, opened, engine)}", "cyan"))
    else:
        for line in first.fault.transcript[-LAST_WORDS:]:
            console.print(Text(f"       {printable(line)}", "dim"))


def _told(one: Counted) -> Text:
    from rich.text import Text

    from refute.report.text import printable

    told = f"depth {one.task.depth}: expected {one.task.expected:,}, "
    if one.fault is not None:
        return Text(f"{told}no count: {one.fault.trouble}: {printable(one.fault.text)}")
    return Text(f"{told}counted {one.counted:,}")


def _next(one: Counted, opened: Engine, engine: str) -> str:
    """The command that goes on from a wrong count, as far as the engine can answer."""
    from refute.engines.protocol import Ability
    from refute.report.text import shell_quote
    from refute.walk import Walk

    words = ["refute", "drill", one.task.fen, str(one.task.depth), "--engine", engine]
    if Ability.PERFT not in opened.abilities:
        # Its moves were counted, which are all that it can say.
        words = ["refute", "replay", "--engine", engine, str(Walk(one.task.fen))]
    elif Ability.MOVES not in opened.abilities:
        words = ["refute", "perft", one.task.fen, str(one.task.depth), "--divide", "--engine", engine]
    if one.task.chess960:
        words.append("--chess960")
    return " ".join(map(shell_quote, words))


def _print_summary(done: list[Counted], made: Plan, *, interrupted: bool) -> None:
    from rich.text import Text

    from refute.report.text import count, printable

    console = open_console()
    failed = sum(not one.is_ok for one in done)
    positions = len({one.task.index for one in done})
    seconds = sum(one.seconds for one in done)
    told = Text(f"{count(len(done) - failed, 'count')} right", "green")
    told.append(f", {failed:,} wrong", "bold red" if failed else "")
    told.append(f", {count(positions, 'position')}, {seconds:,.3f} s", "")
    console.print(told)
    for why, number in made.skipped.items():
        console.print(Text(f"{count(number, 'count')} skipped: {printable(why)}", "yellow"))
    if any(one.counted is not None and not one.is_ok for one in done):
        console.print(Text("If that command finds no difference, the published count is wrong.", "dim"))
    if interrupted:
        left = len(made.tasks) - len(done)
        console.print(Text(f"Interrupted: {count(left, 'count')} not done", "yellow"))


def _as_json(engine: str, version: str, done: list[Counted], made: Plan, *, interrupted: bool) -> dict[str, Any]:
    passed = sum(one.is_ok for one in done)
    report: dict[str, Any] = {
        "engine": engine,
        "version": version,
        "cases": [
            {
                "fen": one.task.fen,
                "chess960": one.task.chess960,
                "depth": one.task.depth,
                "expected": one.task.expected,
                "counted": one.counted,
                "ok": one.is_ok,
                "seconds": one.seconds,
                "fault": _fault(one),
            }
            for one in done
        ],
        "passed": passed,
        "failed": len(done) - passed,
        "skipped": sum(made.skipped.values()),
        "skipped_because": made.skipped,
    }
    if interrupted:
        report["interrupted"] = True
    return report


def _fault(one: Counted) -> dict[str, Any] | None:
    if one.fault is None:
        return None
    return {
        "trouble": str(one.fault.trouble),
        "text": one.fault.text,
        "transcript": list(one.fault.transcript),
    }
