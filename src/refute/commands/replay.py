"""`refute replay`: run saved findings again, and say which are fixed."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from refute.commands.common import chess960_option, json_option, open_console, print_json
from refute.commands.targets import Engines, Target, Wish, engine_options, read_target
from refute.errors import RefuteError

if TYPE_CHECKING:
    from refute.compare import Comparer
    from refute.divergence import Divergence

FOUND_LAST: Final = Path(".refute") / "found"
DEEPEST_ASKED: Final = 20
KEPT: Final = Path("corpora") / "found"


class Status(enum.StrEnum):
    FIXED = "fixed"
    FAILING = "failing"
    NOT_SEEN = "not seen again"  # it never came back when asked alone, so that its staying away proves nothing
    AGREES = "agrees"  # a position that was no finding, so that there is nothing to be fixed
    NOT_RUN = "not run"


@dataclasses.dataclass(slots=True)
class Replayed:
    """What came of one target."""

    name: str
    status: Status
    path: Path | None = None
    message: str = ""
    before: Divergence | None = None
    divergence: Divergence | None = None
    is_pruned: bool = False


@click.command()
@click.argument("targets", metavar="[FILE.walk|FOLDER|'position …']...", nargs=-1)
@engine_options
@click.option(
    "--depth", type=click.IntRange(2, DEEPEST_ASKED), metavar="N", help="Count this deep, instead of as the file says."
)
@click.option(
    "--prune",
    is_flag=True,
    help="Remove the files that are FIXED, and no others; kept regressions stay unless named.",
)
@chess960_option
@json_option
def replay(
    targets: tuple[str, ...],
    engine: str | None,
    against: tuple[str, ...],
    trust: bool,
    timeout: float,
    depth: int | None,
    prune: bool,
    chess960: bool,
    as_json: bool,
) -> int:
    """Run findings again: each is FIXED or STILL FAILING.

    A finding that did not come back when it was asked alone, right after it was found, is NOT SEEN AGAIN instead of
    FIXED: the engine may remember earlier positions, and only another hunt can tell. It does not fail the run, and it
    is not pruned.

    Without arguments: those found last (.refute/found/, newest first), then corpora/found/. The engines are those
    the file names; one that would start a program needs --trust, or --engine in its place.

    \b
    Examples:
      refute replay
      refute replay .refute/found/moves-movegen-missing-en-passant-1a2b3c4d.walk --engine ./mine
      refute replay "position startpos moves e2e4" --engine own:pure --against stockfish
      refute replay --prune

    Exit code: 0 none still fails (fixed, or not seen again), 1 some still fail, 2 something could not be read or run.
    """
    wish = Wish(engine, against, trust, timeout, depth)
    replayed: list[Replayed] = []
    with Engines(wish) as engines:
        for name, may_prune in _names(targets):
            one = _replay(name, engines, chess960=chess960)
            if prune and may_prune and one.status is Status.FIXED and one.path is not None:
                _prune(one)
            replayed.append(one)
            if not as_json:
                _print(one)
    if as_json:
        print_json(_as_json(replayed))
    else:
        _print_summary(replayed, targets or (str(FOUND_LAST), str(KEPT)))
    statuses = {one.status for one in replayed}
    return 2 if Status.NOT_RUN in statuses else 1 if Status.FAILING in statuses else 0


def _names(targets: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """What to replay, and whether it may be pruned: a kept regression is worth more fixed than gone."""
    if not targets:
        for path in _walks(FOUND_LAST, newest_first=True):
            yield str(path), True
        for path in _walks(KEPT):
            yield str(path), False
    for text in targets:
        folder = Path(text)
        if "\0" not in text and not text.startswith("position ") and folder.is_dir():
            # A hunt keeps its findings in a folder of their own, below the one that it was given.
            for path in _walks(folder) or _walks(folder / "found"):
                yield str(path), True
        else:
            yield text, True


def _walks(folder: Path, *, newest_first: bool = False) -> list[Path]:
    paths = sorted(folder.glob("*.walk"))
    if newest_first:
        paths.sort(key=lambda path: -path.lstat().st_mtime_ns)
    return paths


def _replay(name: str, engines: Engines, *, chess960: bool) -> Replayed:
    from refute.kept import other_walks
    from refute.regression import compare, is_unrepeatable

    target: Target | None = None
    try:
        target = read_target(name, chess960=chess960)
        comparer = engines.comparer(target)
        found = _find(comparer, target)
        for walk in other_walks(target.finding) if found is None and target.finding is not None else ():
            # One cause, several walks: mended on one of them, it may still show on another.
            found = found or compare(comparer, walk)
    except (RefuteError, OSError) as error:
        return Replayed(name, Status.NOT_RUN, message=str(error), before=target.finding if target else None)
    one = Replayed(name, Status.FAILING, target.path, before=target.finding, divergence=found)
    if found is None:
        one.status = Status.FIXED
        if target.finding is None:
            one.status, one.message = Status.AGREES, "moves are compared; counts are with --depth N"
        elif isinstance(test := target.finding.notes.get("test"), str):
            one.status, one.message = Status.NOT_SEEN, f"a property found it, and only that can tell: pytest {test}"
        elif is_unrepeatable(target.finding):
            one.status, one.message = Status.NOT_SEEN, _why_not_seen(target.finding)
    elif target.path is not None:
        one.message = _what_it_shows(target, found)
        one.divergence = dataclasses.replace(found, notes={**found.notes, "path": str(target.path)})
    return one


def _find(comparer: Comparer, target: Target) -> Divergence | None:
    """What the walk shows: what was found on it, if that still shows, before any other face of the same bug."""
    from refute.regression import compare
    from refute.shrink import narrow

    finding = target.finding
    if finding is None:
        return compare(comparer, target.walk)
    # It was shrunk by asking no more than this; a facet that is looked at before it may be wrong there as well.
    found = compare(narrow(comparer, finding.facet), target.walk, finding.facet)
    if found is None or found.signature != finding.signature:
        found = compare(comparer, target.walk, finding.facet) or found
    return found


def _what_it_shows(target: Target, found: Divergence) -> str:
    """How what is seen now differs from what the file tells; empty where it does not."""
    assert target.finding is not None
    told = []
    if found.walk.fen != target.walk.fen:
        told.append("its own walk agrees now, and another of the same cause does not")
    if found.signature != target.finding.signature:
        told.append(f"what it shows now is {found.signature}, it was {target.finding.signature}")
    return "; ".join(told)


def _why_not_seen(finding: Divergence) -> str:
    seed = "" if finding.seed is None else f" --seed {finding.seed}"
    return (
        "it did not come back when it was asked alone, when it was found: the subject may remember earlier positions, "
        f"and only another hunt can tell (refute hunt{seed})"
    )


def _prune(one: Replayed) -> None:
    assert one.path is not None
    try:
        one.path.unlink()
        one.is_pruned = True
    except OSError as error:
        one.message = f"fixed, but not removed: {error.strerror}"


def _print(one: Replayed) -> None:
    from rich.text import Text

    from refute.report.terminal import print_divergence
    from refute.report.text import printable

    console = open_console()
    words = {
        Status.FIXED: ("FIXED", "bold green"),
        Status.FAILING: ("STILL FAILING", "bold red"),
        Status.NOT_SEEN: ("NOT SEEN AGAIN", "bold yellow"),
        Status.AGREES: ("AGREES", "bold green"),
        Status.NOT_RUN: ("NOT RUN", "bold yellow"),
    }
    console.print(Text.assemble(words[one.status], f" {printable(one.name)}", " (removed)" if one.is_pruned else ""))
    if one.message:
        console.print(Text(f"  {printable(one.message)}"))
    if one.before is not None and (seen := _seen(one.before)):
        console.print(Text(f"  {seen}", "dim"))
    if one.divergence is not None:
        print_divergence(one.divergence)
        console.print()


def _seen(finding: Divergence) -> str:
    """How often hunts have seen it, and when, where its file says so."""
    from refute.kept import FIRST_SEEN, LAST_SEEN
    from refute.report.text import count, printable

    first, last = finding.notes.get(FIRST_SEEN), finding.notes.get(LAST_SEEN)
    if not isinstance(first, str) or not isinstance(last, str):
        return ""
    return printable(f"seen on {count(finding.count, 'walk')}, first {first[:10]}, last {last[:10]}")


def _print_summary(replayed: list[Replayed], places: tuple[str, ...]) -> None:
    from refute.report.text import printable

    console = open_console()
    if not replayed:
        console.print(printable(f"nothing to replay: no findings in {' or '.join(places)}"), markup=False)
        return
    counts = {status: sum(one.status is status for one in replayed) for status in Status}
    text = f"{counts[Status.FIXED]} fixed, {counts[Status.FAILING]} still failing"
    for status in (Status.AGREES, Status.NOT_SEEN, Status.NOT_RUN):
        if counts[status]:
            text += f", {counts[status]} {status}"
    console.print(text, markup=False)


def _as_json(replayed: list[Replayed]) -> dict[str, Any]:
    from refute.report.result import divergence_to_json

    return {
        "fixed": sum(one.status is Status.FIXED for one in replayed),
        "failing": sum(one.status is Status.FAILING for one in replayed),
        "agrees": sum(one.status is Status.AGREES for one in replayed),
        "not_seen": sum(one.status is Status.NOT_SEEN for one in replayed),
        "not_run": sum(one.status is Status.NOT_RUN for one in replayed),
        "replayed": [
            {
                "target": one.name,
                "status": str(one.status),
                "message": one.message,
                "pruned": one.is_pruned,
                "was": str(one.before.signature) if one.before is not None else None,
                "divergence": divergence_to_json(one.divergence) if one.divergence is not None else None,
            }
            for one in replayed
        ],
    }
