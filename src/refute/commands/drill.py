"""`refute drill`: walk down the divides to the first move list that is wrong."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from refute.commands.common import (
    PositionCommand,
    chess960_option,
    depth_argument,
    engine_option,
    json_option,
    open_console,
    print_json,
    read_position,
    timeout_option,
)
from refute.errors import EngineError, InputError

if TYPE_CHECKING:
    from rich.text import Text

    from refute.drill import Difference, Drilled, Level

REFUTED: Final = 1
SHOWN: Final = 8  # differing moves listed at each level; the first is the one descended into


@click.command(cls=PositionCommand)
@click.argument("fen", metavar="FEN")
@depth_argument
@engine_option
@click.option(
    "--against",
    metavar="SPEC",
    help="The witness to believe. Default: stockfish when it is installed, else python-chess.",
)
@timeout_option
@chess960_option
@json_option
def drill(fen: str, depth: int, engine: str, against: str | None, timeout: float, chess960: bool, as_json: bool) -> int:
    """Compare divides below FEN, and descend to the first position whose moves differ.

    The way down is made of moves, never of FENs sent anew, so that what make leaves behind stays.

    \b
    Examples:
      refute drill startpos 5 --engine ./mine
      refute drill "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1" 4 --engine fault:en-passant-victim-stays
      refute drill startpos 4 --engine uci:./mine --against python-chess --json

    An engine that crashes, hangs or prints nonsense on the way is refuted there.

    Exit code: 0 the counts agree, 1 refuted, 2 could not run.
    """
    from refute.board import fen as fens
    from refute.drill import drill as descend
    from refute.engines.spec import open_engine
    from refute.walk import Walk

    position = read_position(fen, chess960=chess960)
    if depth < 1:
        raise InputError("'0' is not a depth to drill to: expected 1 or more")
    # Rewritten, because engines crash or go astray on four fields and on what our reader refuses.
    walk = Walk(fens.write(position, en_passant="always"), (), position.chess960)
    with ExitStack() as stack:
        subject = stack.enter_context(open_engine(engine, timeout=timeout))
        witness = stack.enter_context(open_engine(against or _default_witness(engine), timeout=timeout))
        drilled = descend(subject, witness, walk, depth, listen=None if as_json else _show)
    if drilled.divergence is not None and drilled.divergence.facet == "timeout":
        text = f"It had {timeout:g} s for its answer, counting {drilled.divergence.notes['depth']} deep; see --timeout."
        drilled = replace(drilled, remark=text)
    if as_json:
        print_json(_as_json(drilled, engine, witness.name, walk, depth))
    else:
        _print(drilled, subject.name, witness.name)
    return REFUTED if drilled.divergence is not None else 0


def _default_witness(engine: str) -> str:
    from refute.engines.spec import find_stockfish

    if engine == "stockfish":
        return "python-chess"
    try:
        find_stockfish()
    except EngineError:
        return "python-chess"
    return "stockfish"


def _show(level: Level) -> None:
    """One level of the way down, as soon as it is known."""
    from rich.text import Text

    console = open_console()
    way = " ".join(level.walk.moves) or "start"
    head = Text.assemble((f"depth {level.depth}", "bold"), f"  {way}  ")
    head.append(f"{level.actual:,} nodes", "red" if level.actual != level.expected else "")
    head.append(f", expected {level.expected:,}" if level.actual != level.expected else ", as expected")
    console.print(head)
    for difference in level.differences[:SHOWN]:
        console.print(_line(difference))
    if len(level.differences) > SHOWN:
        console.print(Text(f"  … and {len(level.differences) - SHOWN} more moves differ", "dim"))
    if level.lists_differ and not level.differences:
        console.print(Text("  a move is listed twice", "dim"))


def _line(difference: Difference) -> Text:
    from rich.text import Text

    text = Text.assemble("  ", (difference.move, "cyan"), ": ")
    if difference.actual is None:
        return text.append("missing", "green")
    if difference.expected is None:
        return text.append("extra", "red")
    return text.append(f"{difference.actual:,}, expected {difference.expected:,}")


def _print(drilled: Drilled, subject: str, witness: str) -> None:
    from rich.text import Text

    from refute.report.terminal import print_divergence

    console = open_console()
    if drilled.divergence is None:
        console.print(Text(f"{subject} agrees with {witness}", "green"))
        return
    if drilled.remark:
        console.print(Text(drilled.remark))
    console.print()
    print_divergence(drilled.divergence)


def _as_json(drilled: Drilled, engine: str, witness: str, walk: Any, depth: int) -> dict[str, Any]:
    from refute.report.result import divergence_to_json

    return {
        "subject": engine,
        "witness": witness,
        "fen": walk.fen,
        "chess960": walk.chess960,
        "depth": depth,
        "levels": [
            {
                "moves": list(level.walk.moves),
                "depth": level.depth,
                "expected": level.expected,
                "actual": level.actual,
                "differences": {
                    one.move: {"expected": one.expected, "actual": one.actual} for one in level.differences
                },
            }
            for level in drilled.levels
        ],
        "remark": drilled.remark,
        "divergence": divergence_to_json(drilled.divergence) if drilled.divergence is not None else None,
    }
