"""`refute faults`: hunt every planted fault, and say how fast each is found and how small it becomes."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from refute.commands.common import INTERRUPTED, Progress, json_option, open_console, print_json
from refute.errors import InputError, quote

if TYPE_CHECKING:
    from rich.table import Table

    from refute.engines.faults import Planted
    from refute.power import Measured, Trial
    from refute.report.power import Power

POSITIONS: Final = 20_000
POSITIONS_COMPARED: Final = 2_000
MOST_SEEDS: Final = 100
WIDTH_ELSEWHERE: Final = 160  # columns, so that a file or a log has one line for each row


def read_seeds(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> tuple[int, ...]:
    """Seeds as `--seed 1 --seed 2` or `--seed 1,2`; the same one twice is once."""
    words = [word.strip() for text in texts for word in text.split(",")] or ["1"]
    for word in words:
        if not re.fullmatch(r"[0-9]{1,18}", word):
            raise InputError(f"{quote(word)} is not a seed: expected a number of at most 18 digits")
    seeds = tuple(dict.fromkeys(map(int, words)))
    if len(seeds) > MOST_SEEDS:
        raise InputError(f"{len(seeds)} seeds are more than {MOST_SEEDS}")
    return seeds


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "lists", is_flag=True, help="List the faults, and hunt none.")
@click.option("--class", "class_", metavar="CLASS", help="Only the faults of one class, such as 'en passant'.")
@click.option(
    "--seed", "seeds", metavar="N[,N]...", multiple=True, callback=read_seeds, help="Repeatable.  [default: 1]"
)
@click.option(
    "--positions",
    type=click.IntRange(1, 100_000_000),
    metavar="N",
    help=f"Give a fault up after N positions.  [default: {POSITIONS}, or {POSITIONS_COMPARED} with --compare]",
)
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes to hunt with.  [default: all cores]")
@click.option(
    "--against",
    metavar="SPEC",
    multiple=True,
    default=("python-chess",),
    show_default=True,
    help="A witness to believe; repeatable.",
)
@click.option(
    "--compare",
    "compares",
    is_flag=True,
    help="Compare our walks with uniform random games and with perft, by faults found for their price.",
)
@click.option("--csv", "csv_path", metavar="PATH", help="Write one line for each fault; - is standard output.")
@click.option("--report", "reports", metavar="html:PATH", multiple=True, help="Write a page with the table and a plot.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the summary as Markdown tables.")
@json_option
def faults(
    names: tuple[str, ...],
    lists: bool,
    class_: str | None,
    seeds: tuple[int, ...],
    positions: int | None,
    jobs: int | None,
    against: tuple[str, ...],
    compares: bool,
    csv_path: str | None,
    reports: tuple[str, ...],
    as_markdown: bool,
    as_json: bool,
) -> int:
    """Hunt the faults planted on our own board; all of them, or those named.

    "Nothing refuted" means little unless the same hunt would have caught a bug. Each fault is a real
    mistake of engine authors, planted on a copy of the board and hunted until it is found. Faults of the
    class 'history' show in longer games only; --json lists them apart from the others.

    \b
    Examples:
      refute faults --list
      refute faults                                    some minutes; Ctrl-C keeps what was done
      refute faults en-passant-rank-pin --seed 1,2,3
      refute faults --class castling --report html:faults.html
      refute faults --compare --seed 1,2,3 --markdown

    Exit code: 0 every fault is found (and with all of them, every must is met), 1 not so, 2 could not run.
    """
    from refute.power import OURS, PERFT, UNIFORM, Trial, pick

    pages = [_page_path(text) for text in reports]
    picked = pick(names, class_=class_)
    if lists:
        _list(picked, as_json=as_json)
        return 0

    from refute.report.power import Power

    budget = positions or (POSITIONS_COMPARED if compares else POSITIONS)
    _try_witnesses(against)
    ways = (OURS, UNIFORM, PERFT) if compares else (OURS,)
    trials = [
        Trial(fault.name, seed, walks, budget, against, shrinks=not compares)
        for fault in picked
        for walks in ways
        for seed in (seeds if walks != PERFT else seeds[:1])  # perft has no chance in it
    ]
    order = {(trial.name, trial.walks, trial.seed): number for number, trial in enumerate(trials)}
    measured: list[Measured] = []
    started = time.monotonic()
    interrupted = False
    try:
        for one in _measure(trials, jobs):
            measured.append(one)
    except KeyboardInterrupt:
        interrupted = True
    measured.sort(key=lambda one: order[one.name, one.walks, one.seed])
    seconds = time.monotonic() - started
    power = Power(tuple(measured), seeds, budget, against, seconds, compares=compares, interrupted=interrupted)
    _write(power, pages, csv_path)
    if as_json:
        print_json(power.to_json())
    elif as_markdown:
        from refute.report.power import render_markdown

        click.echo(render_markdown(power), nl=False)
    elif csv_path != "-":
        _print(power)
    if interrupted:
        return INTERRUPTED
    return 0 if _is_good(power, is_whole=not names and class_ is None) else 1


def _try_witnesses(against: tuple[str, ...]) -> None:
    """A wrong SPEC is told before anything starts."""
    from refute.engines.spec import open_engine

    for spec in against:
        open_engine(spec).close()


def _measure(trials: list[Trial], jobs: int | None) -> Iterator[Measured]:
    from refute.power import measure_all

    done = missed = 0
    with Progress(f"hunting {len(trials)} …") as progress, closing(measure_all(trials, jobs=jobs)) as all_:
        for one in all_:
            done += 1
            missed += not one.found
            progress.show(partial(_line, one, f"{done} of {len(trials)} · {missed} not found"))
            yield one


def _line(one: Measured, so_far: str) -> str:
    return f"{so_far} · {one.name} {'found after' if one.found else 'not found in'} {one.positions:,}"


def _is_good(power: Power, *, is_whole: bool) -> bool:
    """Medians and percentages speak of all faults; of a few, only whether they are found."""
    comparison = power.comparison()
    if not is_whole:
        return all(one.found for one in power.ours)
    return comparison.ok if comparison is not None else all(row.ok for row in power.summary())


# ---------------------------------------------------------------- telling


def _list(picked: list[Planted], *, as_json: bool) -> None:
    if as_json:
        keys = ("name", "what", "chess960", "path", "fewest")
        print_json(
            {
                "faults": [
                    {key: getattr(fault, key) for key in keys}
                    | {"class": fault.class_, "verdicts": sorted(fault.verdicts)}
                    for fault in picked
                ]
            }
        )
        return
    table = _table("fault", "class", "the mistake")
    for fault in picked:
        table.add_row(fault.name, fault.class_, fault.what)
    _show(table)
    click.echo(f"{len(picked)} faults; each is an engine SPEC, fault:NAME")


def _print(power: Power) -> None:
    from refute.report.power import few_digits

    comparison = power.comparison()
    if comparison is None:
        _show(_faults_table(power))
        table = _table("measure", *(f">seed {seed}" for seed in power.seeds), ">must", ">aim", "met")
        for row in power.summary():
            scores = [row.scores[seed].text if seed in row.scores else "" for seed in power.seeds]
            met = "aim" if row.ok and row.aim_met else "must" if row.ok else "[red]no[/]"
            table.add_row(row.measure, *scores, row.must, row.aim, met)
        _show(table)
    else:
        table = _table("walks", ">faults found", ">positions or nodes spent", ">found per million")
        for one in comparison.standings.values():
            table.add_row(one.name, f"{one.found} of {one.trials}", f"{one.spent:,}", few_digits(one.per_million))
        _show(table)
        table = _table("ratio", ">measured")
        for name, value in comparison.ratios():
            table.add_row(name, "-" if value is None else few_digits(value))
        _show(table)
    if power.interrupted:
        click.echo("interrupted: this is a part")


def _faults_table(power: Power) -> Table:
    table = _table("fault", "class", ">seed", "found", ">positions", ">seconds", "verdict", "right", ">men", ">moves")
    for one in power.measured:
        right = "" if one.verdict_right is None else "yes" if one.verdict_right else "[red]no[/]"
        table.add_row(
            one.name,
            one.class_,
            str(one.seed),
            "yes" if one.found else "[red]no[/]",
            f"{one.positions:,}",
            f"{one.seconds:.2f}",
            one.verdict or "",
            right,
            "" if one.pieces is None else str(one.pieces),
            "" if one.moves is None else str(one.moves),
        )
    return table


def _table(*heads: str) -> Table:
    """A plain table; a heading that starts with > is over numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in heads:
        table.add_column(head.lstrip(">"), justify="right" if head[0] == ">" else "left", overflow="fold")
    return table


def _show(table: Table) -> None:
    console = open_console()
    if not console.is_terminal:
        console.width = WIDTH_ELSEWHERE
    console.print(table)


# ---------------------------------------------------------------- files


def _page_path(text: str) -> Path:
    from refute.report import parse_report_option

    target = parse_report_option(text)
    if target.format != "html":
        raise InputError(f"{quote(text)}: faults are reported as html: only; for others there is --json and --csv")
    return target.path


def _write(power: Power, pages: list[Path], csv_path: str | None) -> None:
    from refute.report.power import render_csv, render_page

    for path in pages:
        _write_text(path, render_page(power))
    if csv_path == "-":
        click.echo(render_csv(power), nl=False)
    elif csv_path is not None:
        _write_text(Path(csv_path), render_csv(power))


def _write_text(path: Path, text: str) -> None:
    from refute.finding import write_atomically

    try:
        write_atomically(path, text)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{quote(str(path))} cannot be written: {why}") from None
