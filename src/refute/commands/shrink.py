"""`refute shrink`: make a finding smaller, and replace its file by the smaller one."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from refute.commands.common import INTERRUPTED, Seconds, chess960_option, json_option, open_console, print_json
from refute.commands.targets import Engines, Target, Wish, engine_options, read_target
from refute.errors import InputError, quote

if TYPE_CHECKING:
    from refute.compare import Comparer
    from refute.divergence import Divergence

REFUTED: Final = 1


@click.command()
@click.argument("target", metavar="FILE.walk|'position …'")
@engine_options
@click.option(
    "--seconds",
    type=Seconds(0.1, 86400),
    default=10.0,
    show_default=True,
    help="Keep the best so far after this long.",
)
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write here instead of in place.")
@chess960_option
@json_option
def shrink(
    target: str,
    engine: str | None,
    against: tuple[str, ...],
    trust: bool,
    timeout: float,
    seconds: float,
    out: Path | None,
    chess960: bool,
    as_json: bool,
) -> int:
    """Make a finding smaller: fewer moves, fewer men, the same fault.

    A file is replaced by its smaller form, at once or not at all; Ctrl-C keeps the best so far. A
    `position` command is only shown, unless -o says where to write it.

    \b
    Examples:
      refute shrink .refute/found/moves-movegen-missing-en-passant-1a2b3c4d.walk
      refute shrink "position startpos moves e2e4 e7e5" --engine ./mine --against stockfish -o small.walk

    Exit code: 0 it does not diverge, 1 refuted, 2 could not run.
    """
    wish = Wish(engine, against, trust, timeout)
    given = read_target(target, chess960=chess960)
    with Engines(wish) as engines:
        comparer = engines.comparer(given)
        found = _find(given, comparer)
        if found is None:
            _tell_that_it_agrees(target, given, as_json=as_json)
            return 0
        small, interrupted = _shrink(found, comparer, seconds)
    path = out or given.path
    if path is not None:
        _write(path, small)
    _tell(target, found, small, path, as_json=as_json)
    return INTERRUPTED if interrupted else REFUTED


def _tell_that_it_agrees(target: str, given: Target, *, as_json: bool) -> None:
    from refute.regression import is_unrepeatable

    status, why = "fixed", "it no longer diverges"
    if given.finding is not None and is_unrepeatable(given.finding):
        status, why = "not seen again", "it did not come back when it was found either, asked alone"
    if as_json:
        print_json({"target": target, "status": status, "divergence": None})
    else:
        open_console().print(f"{status.upper()} {_name(given)}: nothing to shrink, {why}", markup=False)


def _find(given: Target, comparer: Comparer) -> Divergence | None:
    """What the target shows today, with what its file knows beyond that."""
    from refute.drill import drill_finding
    from refute.regression import compare

    found = compare(comparer, given.walk)
    if found is None:
        return None
    kept = given.finding
    if kept is not None:
        original = kept.original or kept.walk
        found = dataclasses.replace(found, seed=kept.seed, count=kept.count, original=original, notes=kept.notes)
    return drill_finding(found, comparer)


def _shrink(found: Divergence, comparer: Comparer, seconds: float) -> tuple[Divergence, bool]:
    from refute.explain import explain
    from refute.shrink import Shrinker

    shrinker = Shrinker(found, comparer, seconds=seconds)
    interrupted = False
    try:
        small = shrinker.run()
    except KeyboardInterrupt:
        small, interrupted = shrinker.result(), True
    return dataclasses.replace(small, explanation=explain(small)), interrupted


def _write(path: Path, small: Divergence) -> None:
    from refute.finding import write_finding

    try:
        write_finding(path, small)
    except OSError as error:
        raise InputError(f"{quote(str(path))} cannot be written: {error.strerror}") from None


def _name(given: Target) -> str:
    from refute.report.text import printable

    return printable(given.name)


def _tell(target: str, found: Divergence, small: Divergence, path: Path | None, *, as_json: bool) -> None:
    from refute.report.result import divergence_to_json
    from refute.report.terminal import print_divergence
    from refute.report.text import count, printable

    notes = small.notes
    if as_json:
        print_json(
            {
                "target": target,
                "status": "failing",
                "path": str(path) if path is not None else None,
                "subject_calls": notes["subject_calls"],
                "seconds": notes["shrink_seconds"],
                "shrunk": notes["shrunk"],
                "divergence": divergence_to_json(small),
            }
        )
        return
    shown = small if path is None else dataclasses.replace(small, notes={**notes, "path": str(path)})
    print_divergence(shown)
    console = open_console()
    before = f"{count(len(found.walk), 'move')}, {found.pieces} men"
    after = f"{count(len(small.walk), 'move')}, {small.pieces} men"
    cost = f"{count(notes['subject_calls'], 'call')} to the subject in {notes['shrink_seconds']:.2f} s"
    ended = "" if notes["shrunk"] == "whole" else f" ({notes['shrunk']})"
    console.print(f"\n{before} → {after}, {cost}{ended}", markup=False)
    if path is not None:
        console.print(f"written to {printable(str(path))}", markup=False)
