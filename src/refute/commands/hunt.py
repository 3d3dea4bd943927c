"""`refute hunt`: the main job."""

from __future__ import annotations

import os
import secrets
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from refute.commands.common import (
    INTERRUPTED,
    Progress,
    Seconds,
    chess960_option,
    engine_option,
    json_option,
    open_console,
    print_json,
)
from refute.errors import EngineError, InputError, quote
from refute.timing import read_seconds

if TYPE_CHECKING:
    from refute.hunt import Tally


def seconds_option(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
    return None if text is None else read_seconds(text)


def require_writable(folder: Path) -> None:
    """Refuse a folder that a finding could not be written to, before hours are spent on finding one."""
    found = folder / "found"
    nearest = next(path for path in (found, *found.absolute().parents) if path.exists())
    try:
        # Asked by doing it: permissions alone do not tell, least of all to root.
        if nearest == found:
            tempfile.TemporaryFile(dir=nearest).close()
        else:
            os.rmdir(tempfile.mkdtemp(prefix=".refute-", dir=nearest))
    except OSError as error:
        why = error.strerror or "cannot be written to"
        raise InputError(
            f"findings cannot be kept in {quote(str(folder))}: {quote(str(nearest))} cannot be written to: {why}"
        ) from None


@click.command()
@engine_option
@click.option(
    "--against",
    metavar="SPEC",
    multiple=True,
    help="A witness to believe; repeatable. Default: python-chess, and stockfish when it is installed.",
)
@click.option("--time", "seconds", metavar="TIME", callback=seconds_option, help="Stop after this long: 60s, 5m, 1h.")
@click.option("--walks", type=click.IntRange(1), help="Stop after this many walks.")
@click.option("--seed", type=click.IntRange(0), help="Which walks; the same seed and --walks find the same.")
@click.option(
    "--depth",
    type=click.IntRange(0, 9),
    help="Compare perft to this depth at every position. Default: 2 with Stockfish.",
)
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes to hunt with.")
@chess960_option
@click.option("--keep-going", is_flag=True, help="Collect every distinct finding instead of stopping at the first.")
@click.option(
    "--timeout",
    type=Seconds(0.1, 3600),
    help="Seconds an engine may be silent.  [default: 10, or a tenth of --time, and at least 3]",
)
@click.option(
    "--report",
    "reports",
    metavar="FORMAT:PATH",
    multiple=True,
    help="Write a report: html:, md:, junit:, json:, pytest: or walk: and a path; repeatable.",
)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".refute"),
    show_default=True,
    help="Where findings are kept.",
)
@json_option
def hunt(
    engine: str,
    against: tuple[str, ...],
    seconds: float | None,
    walks: int | None,
    seed: int | None,
    depth: int | None,
    jobs: int,
    chess960: bool,
    keep_going: bool,
    timeout: float | None,
    reports: tuple[str, ...],
    folder: Path,
    as_json: bool,
) -> int:
    """Hunt for the first move an engine gets wrong, and shrink it.

    Drives the engine along random walks beside its witnesses and compares every answer. What is
    found is on disk (.refute/found/) before anything else happens to it.

    \b
    Examples:
      refute hunt                                     our own board, half a minute
      refute hunt --engine ./mine --time 5m           your engine (UCI, with `go perft`)
      refute hunt --engine fault:en-passant-rank-pin  see a finding
      refute hunt --engine ./mine --keep-going --jobs 2 --report html:report.html

    Exit code: 0 nothing refuted, 1 refuted, 2 could not run, 130 interrupted before anything was refuted.
    """
    from refute.hunt import Options
    from refute.hunt import hunt as run
    from refute.hunter import timeout_within
    from refute.report import parse_report_option, write_report
    from refute.report.terminal import print_result

    targets = [parse_report_option(text) for text in reports]
    for target in targets:
        if target.format != "walk" and Path(target.path).is_dir():
            raise InputError(f"{quote(str(target.path))} is a folder: expected a file to write the report to")
    require_writable(folder)
    options = Options(
        engine=engine,
        against=against,
        seed=secrets.randbelow(2**32) if seed is None else seed,
        walks=walks,
        seconds=seconds,
        depth=depth,
        jobs=jobs,
        chess960=chess960,
        keep_going=keep_going,
        timeout=timeout_within(seconds) if timeout is None else timeout,
        folder=folder,
    )
    # Told to end, it ends as on Ctrl-C: with its engines gone and what it found told.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with Progress() as progress:
        result = run(options, lambda tally: progress.show(lambda: _line(tally)))
    # Told first: a report that cannot be written must not swallow what was found.
    if as_json:
        print_json(result.to_json())
    else:
        print_result(result)
    for target in targets:
        write_report(target, result)
    if result.is_refuted:
        for name in ("html", "json"):
            write_report(parse_report_option(f"{name}:{folder / f'report.{name}'}"), result)
        if not as_json:
            open_console().print(f"report: {folder / 'report.html'}", markup=False)
    if result.quarantined and not result.positions and not result.is_refuted:
        raise EngineError("nothing was compared: at no position did the witnesses answer, and alike")
    if result.is_refuted:
        return 1
    return INTERRUPTED if result.interrupted else 0


def _line(tally: Tally) -> str:
    """How far the hunt is."""
    total = tally.total()
    seconds = max(tally.seconds, 1e-9)
    unseen = [name for name, count in total.features.items() if count == 0]
    rarest = min(total.features, key=total.features.__getitem__, default="")
    rare = f"{len(unseen)} features unseen, next {unseen[0]}" if unseen else f"rarest {rarest}"
    # Not findings yet: how many causes they have is known once they are shrunk.
    walks = sum(tally.counts.values())
    wrong = f"{walks:,} disagreement{'s' if walks != 1 else ''}"
    return (
        f"{seconds:.0f} s · {total.walks:,} walks · {total.positions:,} positions · "
        f"{total.nodes / seconds:,.0f} nodes/s · {rare} · {wrong}"
    )
