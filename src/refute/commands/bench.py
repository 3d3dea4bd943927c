"""`refute bench`: speed as ratios, measured in one run beside those it is compared with."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import click

from refute import __version__
from refute.commands.common import json_option, open_console, print_json

if TYPE_CHECKING:
    from refute.bench import Row

Tell = Callable[[str], None]


def _bench_perft(rounds: int | None, tell: Tell, *, quick: bool) -> list[Row]:
    from refute.bench.perft import measure_perft

    return measure_perft(rounds=rounds, quick=quick, tell=tell)


def _bench_hunt(rounds: int | None, tell: Tell, *, quick: bool) -> list[Row]:
    from refute.bench.hunt import measure_hunt

    return measure_hunt(rounds=rounds, quick=quick, tell=tell)


WIDTH_ELSEWHERE: Final = 140  # columns, so that a file or a log has one line for each row

# What can be measured, in the order of the report; each is imported only when it is wanted.
BENCHES: Final = {"perft": _bench_perft, "hunt": _bench_hunt}


@click.command()
@click.argument("names", nargs=-1, metavar="[perft] [hunt]")
@click.option("--rounds", type=click.IntRange(1, 1000), metavar="N", help="Measure N times and keep the best.")
@click.option("--quick", is_flag=True, help="Count less deep, to try the bench out; ratios are rough.")
@json_option
@click.pass_context
def bench(ctx: click.Context, names: tuple[str, ...], rounds: int | None, quick: bool, as_json: bool) -> None:
    """Measure speed beside python-chess and Stockfish; all of it, or what is named.

    Everyone is measured turn by turn in one run, on one thread, and the best of several rounds counts.
    A larger ratio is better. An interpreted board is never measured as compiled.

    Exit code: 0 every must is met, 1 one is not, 2 something could not be measured.

    \b
    Examples:
      refute bench perft
      refute bench perft --quick
      refute bench perft --rounds 10 --json
      refute bench hunt                        takes a quarter of an hour: memory is watched for ten minutes
    """
    from refute.bench import exit_code

    for name in names:
        if name not in BENCHES:
            raise click.BadParameter(f"{name!r} is not one of: {', '.join(BENCHES)}", ctx)
    rows: list[Row] = []
    with ExitStack() as stack:
        tell = _teller(stack)
        for name in dict.fromkeys(names) or BENCHES:
            rows += BENCHES[name](rounds, tell, quick=quick)
    if as_json:
        machine = (
            f"{platform.system()} {platform.machine()}, {platform.python_implementation()} {sys.version.split()[0]}"
        )
        print_json(
            {"version": __version__, "machine": machine, "quick": quick, "rows": [row.as_json() for row in rows]}
        )
    else:
        _print(rows)
    ctx.exit(exit_code(rows))


def _teller(stack: ExitStack) -> Tell:
    """Shows what is being measured, on a terminal only."""
    if not sys.stderr.isatty():
        return lambda stage: None
    status = stack.enter_context(open_console(stderr=True).status("starting"))
    return lambda stage: status.update(stage)


def _print(rows: list[Row]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("measure", overflow="fold")
    for heading in ("ours", "theirs", "ratio", "must", "aim"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("ok", no_wrap=True)
    for row in rows:
        table.add_row(
            row.measure,
            row.ours,
            row.theirs,
            "-" if row.ratio is None else f"{row.ratio:.2f}",
            f"{row.must:g}",
            "" if row.aim is None else f"{row.aim:g}",
            "[green]yes[/]" if row.is_ok else "[red]no[/]",
        )
    console = open_console()
    if not console.is_terminal:
        console.width = WIDTH_ELSEWHERE
    console.print(table)
    for why in dict.fromkeys(row.why for row in rows if row.why):
        console.print(f"not measured: {why}", markup=False)
