"""`refute mutants`: mutation testing of our own board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from refute.commands.common import INTERRUPTED, Progress, json_option, print_json
from refute.commands.hunt import seconds_option

if TYPE_CHECKING:
    from refute.mutants import Report


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME…]")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Try N of them, chosen by the seed.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Which sample, which walks, in which order."
)
@click.option("--walks", type=click.IntRange(1, 100_000), default=128, show_default=True, help="Walks to hunt on.")
@click.option("--jobs", type=click.IntRange(1, 256), default=2, show_default=True, help="Processes to try them in.")
@click.option(
    "--time",
    "limit",
    metavar="TIME",
    default="120s",
    show_default=True,
    callback=seconds_option,
    help="End a mutant that is silent for so long; what loops is usually noticed sooner.",
)
@click.option("--equivalents", is_flag=True, help="Try those recorded as equivalent too: none may be killed.")
@click.option("--list", "lists", is_flag=True, help="Name the mutants, and try none.")
@json_option
def mutants(
    names: tuple[str, ...],
    sample: int | None,
    seed: int,
    walks: int,
    jobs: int,
    limit: float,
    equivalents: bool,
    lists: bool,
    as_json: bool,
) -> int:
    """Make small mistakes in our own board, one at a time, and see that each is noticed.

    A mutant is killed when perft counts, a hunt beside python-chess, or a battery of questions about
    everything the board can say tells it from the true board. NAME is a mutant, a function of
    board/_core.py, or a pattern with * in it; without one, all are tried.

    \b
    Examples:
      refute mutants --sample 50
      refute mutants _make _unmake --jobs 4
      refute mutants --list _generate
      refute mutants --equivalents --json         everything, as it runs every night

    Exit code: 0 all killed but the equivalent ones, 1 some survived, 2 could not run.
    """
    from refute.mutants import Options, prepare, run_mutants

    report = prepare(Options(names, sample, seed, walks, jobs, limit, equivalents))
    if lists:
        _print_list(report, as_json=as_json)
        return 0
    with Progress() as progress:
        run_mutants(report, lambda report: progress.show(lambda: _line(report)))
    if as_json:
        print_json(report.to_json())
    else:
        _print_report(report)
    if not report.is_clean:
        return 1
    return INTERRUPTED if report.interrupted else 0


def _line(report: Report) -> str:
    """How far it is."""
    return (
        f"{report.seconds:.0f} s · {len(report.outcomes):,} of {len(report.planned):,} mutants"
        f" · {len(report.killed):,} killed · {len(report.survivors)} survived"
    )


def _print_list(report: Report, *, as_json: bool) -> None:
    rows = [
        {
            "name": mutant.name,
            "function": mutant.function,
            "line": mutant.line,
            "rule": mutant.rule,
            "equivalent": report.equivalent.get(mutant.name),
        }
        for mutant in report.chosen
    ]
    if as_json:
        print_json({"mutants": rows})
        return
    for row in rows:
        click.echo(f"{row['name']}{'  (equivalent)' if row['equivalent'] else ''}")


def _print_report(report: Report) -> None:
    from refute.mutating import show_diff

    for outcome in report.survivors:
        click.echo(f"\nSURVIVED  {outcome.mutant.name}\n{show_diff(report.source, outcome.mutant)}")
    for outcome in report.misjudged:
        assert outcome.kill is not None
        click.echo(
            f"\nNOT EQUIVALENT  {outcome.mutant.name}\n"
            f"recorded: {outcome.reason}\nkilled by {outcome.kill.by}: {outcome.kill.check}: {outcome.kill.detail}"
        )
    for name in report.stale:
        click.echo(f"\nSTALE  recorded as equivalent, and no mutant any more: {name}")
    if not report.is_clean:
        click.echo()
    if report.interrupted:
        left = len(report.planned) - len(report.outcomes)
        click.echo(f"interrupted: {left:,} mutants were not tried")
    by = ", ".join(f"{count:,} by {killer}" for killer, count in report.killers().items())
    tried = len(report.killed) + len(report.survivors)
    click.echo(
        f"{len(report.killed):,} of {tried:,} mutants killed ({report.score:.1%}) in {report.seconds:.0f} s"
        f"{': ' + by if by else ''}; {sum(m.name in report.equivalent for m in report.chosen):,} more are equivalent"
    )
