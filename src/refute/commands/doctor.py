"""`refute doctor`: examine an engine before hunting it, and say what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from refute.commands.common import Seconds, engine_option, json_option, open_console, print_json
from refute.errors import EngineError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from refute.doctor import Examination, Probe

REFUTED: Final = 1
COULD_NOT_RUN: Final = 2
WIDTH: Final = 12

WITHOUT_PERFT: Final = """\
What it should do: after `position startpos` and `go perft 1`, print each legal move and the leaves
below it, then the total, in lines like these (Stockfish prints the same):

  a2a3: 1
  b2b3: 1
  …
  e2e4: 1
  …
  Nodes searched: 20

`go perft 2` counts two plies deep: e2e4: 20, and so on, Nodes searched: 400. `position fen …` and
`moves …` must work too, and `isready` must be answered with `readyok` after the count.
Printing a line `Fen: …` for `d` lets the position after each move be compared as well."""

OTHER_WAYS: Final = """\
A generator in Python needs no UCI: --engine py:module:attribute, a function moves(fen) that lists UCI moves.
script:COMMAND (a program called for each position) and stateful:COMMAND (JSON lines) are planned, not there yet."""


@click.command()
@engine_option
@click.option(
    "--timeout",
    type=Seconds(0.1, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long an engine may be silent.",
)
@json_option
def doctor(engine: str, timeout: float, as_json: bool) -> int:
    """Examine an engine: what it can say, what a hunt will and won't check, and whether it seems right.

    \b
    Examples:
      refute doctor                              our own board, and whether Stockfish is found
      refute doctor --engine ./mine              your engine (UCI, with `go perft`)
      refute doctor --engine py:mychess:moves    a function in Python
      refute doctor --engine "uci:./mine --uci" --json

    Exit code: 0 it can be hunted, 1 refuted already, 2 it cannot be started or hunted.
    """
    from refute.doctor import examine

    try:
        found = examine(engine, timeout=timeout)
    except EngineError as error:
        raise EngineError(f"{error}\n\n{OTHER_WAYS}") from None
    if as_json:
        print_json(_as_json(found))
    else:
        _print(found)
    if not found.can_be_hunted:
        return COULD_NOT_RUN
    return REFUTED if found.is_refuted else 0


def _next(found: Examination) -> str | None:
    """The command to run now; None while there is nothing to hunt."""
    from refute.report.text import shell_quote

    if not found.can_be_hunted:
        return None
    words = ["refute", "hunt", "--engine", found.engine]
    if found.absent:
        # By default a hunt would stop at the witness that cannot be started.
        words += [word for name in found.witnesses for word in ("--against", name)]
    return " ".join(map(shell_quote, words))


def _print(found: Examination) -> None:
    from refute.report.text import printable

    console = open_console()
    _fact(console, "engine", printable(found.engine))
    _fact(console, "version", printable(found.version))
    _fact(console, "spoken to", found.dialect)
    _fact(console, "own board", _board(found))
    _fact(console, "stockfish", printable(found.stockfish or "not found"))
    _fact(console, "can say", ", ".join(found.abilities) or "nothing")
    if found.milliseconds is not None:
        _fact(console, "speed", f"{found.milliseconds:,.2f} ms for the moves of one position")
    for name, why in found.absent.items():
        _fact(console, "witness", printable(f"{name} cannot be started: {why}"), "yellow")
    _print_checks(console, found)
    if found.probes:
        console.print("\ntried", markup=False)
        for probe in found.probes:
            console.print(_told(probe))
    console.print()
    _print_advice(console, found)


def _fact(console: Console, name: str, text: str, style: str = "") -> None:
    from rich.text import Text

    console.print(Text.assemble((f"{name:<{WIDTH}}", "dim"), (text, style)))


def _board(found: Examination) -> str:
    if found.board == "compiled":
        return "compiled"
    return "interpreted: right but slow; it is compiled on installation where there is a C compiler"


def _print_checks(console: Console, found: Examination) -> None:
    from rich.text import Text

    from refute.report.text import printable

    if found.checks:
        console.print("\nwill be checked", markup=False)
    for check, witnesses in found.checks.items():
        console.print(Text(f"  {check}: {'against ' + ', '.join(witnesses) if witnesses else 'by itself'}"))
    if found.skipped:
        console.print("\nwon't be checked", markup=False)
    for skip in found.skipped:
        console.print(Text(f"  {skip.check}: {printable(skip.why)}", "yellow"))


def _told(probe: Probe) -> Text:
    from rich.text import Text

    from refute.report.text import printable

    if probe.remark:
        return Text.assemble(("  ?      ", "yellow"), probe.name, f"\n         {printable(probe.remark)}")
    found = probe.divergence
    if found is None:
        return Text.assemble(("  ok     ", "green"), probe.name)
    odd = {"missing": found.missing, "extra": found.extra}
    named = ", ".join(f"{name} {' '.join(moves)}" for name, moves in odd.items() if moves)
    what = named or f"expected {found.expected}, got {found.actual}"
    return Text.assemble(
        ("  WRONG  ", "bold red"),
        probe.name,
        f"\n         {found.facet}: {printable(what)}",
        f"\n         {found.walk}",
    )


def _print_advice(console: Console, found: Examination) -> None:
    from rich.text import Text

    from refute.report.text import printable

    if not found.can_be_hunted:
        console.print(Text.assemble(("It cannot be hunted: ", "bold red"), printable(found.obstacle)))
        if found.is_uci and not found.has_moves:
            console.print("\nTold `position startpos` and `go perft 1`, it said:", markup=False)
            for line in found.heard or ("nothing",):
                console.print(Text(f"  {printable(line)}", "dim"))
            command = printable(found.engine.strip().removeprefix("uci:"))
            console.print("\nTo see it for yourself:", markup=False)
            console.print(Text(f"  printf 'uci\\nposition startpos\\ngo perft 1\\n' | {command}", "cyan"))
            console.print(f"\n{WITHOUT_PERFT}\n\n{OTHER_WAYS}", markup=False)
        return
    if found.is_refuted:
        console.print(Text("It is refuted already. Find the smallest position that shows it:", "bold red"))
    else:
        console.print(Text("It can be hunted:", "bold green"))
    console.print(Text(f"  {_next(found)}", "cyan"))


def _as_json(found: Examination) -> dict[str, Any]:
    from refute.report.result import divergence_to_json

    return {
        "engine": found.engine,
        "version": found.version,
        "dialect": found.dialect,
        "abilities": list(found.abilities),
        "lacks": found.lacks,
        "board": found.board,
        "stockfish": found.stockfish,
        "milliseconds": found.milliseconds,
        "witnesses": found.witnesses,
        "absent": found.absent,
        "checks": {check: list(witnesses) for check, witnesses in found.checks.items()},
        "skipped": [{"check": skip.check, "why": skip.why} for skip in found.skipped],
        "probes": [
            {
                "name": probe.name,
                "ok": probe.divergence is None and not probe.remark,
                "remark": probe.remark,
                "divergence": divergence_to_json(probe.divergence) if probe.divergence is not None else None,
            }
            for probe in found.probes
        ],
        "can_be_hunted": found.can_be_hunted,
        "refuted": found.is_refuted,
        "obstacle": found.obstacle,
        "heard": list(found.heard),
        "next": _next(found),
    }
