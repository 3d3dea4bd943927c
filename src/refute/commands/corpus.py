"""`refute corpus`: make the corpora from a seed, and check that they still say what is so."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from refute.commands.common import json_option, open_console, print_json
from refute.errors import InputError, quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from refute.engines.protocol import Engine

REFUTED: Final = 1
TIMEOUT_SECONDS: Final = 300.0  # of silence; a witness may need a while for the deepest counts


def folder_option(function: Callable[..., int]) -> Callable[..., int]:
    return click.option(
        "--folder",
        type=click.Path(path_type=Path),
        default=Path("corpora"),
        show_default=True,
        help="Where the corpora are.",
    )(function)


@click.group(no_args_is_help=False, invoke_without_command=True)
@click.pass_context
def corpus(ctx: click.Context) -> None:
    """Make the corpora, and check them again.

    A corpus folder has perft/*.epd, positions/*.fen and found/*.walk, each file with its provenance.

    \b
    Examples:
      refute corpus verify
      refute corpus verify --against stockfish --max-nodes 1000000
      refute corpus build --seed 1 --positions 200 --nodes 500000 --against stockfish
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@corpus.command()
@folder_option
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same bytes.")
@click.option(
    "--positions", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Composed positions to write."
)
@click.option(
    "--nodes",
    type=click.IntRange(1, 10**9),
    default=500_000,
    show_default=True,
    metavar="N",
    help="Count each position to the first depth with so many.",
)
@click.option("--against", metavar="SPEC", help="A witness that confirms every count before anything is written.")
@json_option
def build(folder: Path, seed: int, positions: int, nodes: int, against: str | None, as_json: bool) -> int:
    """Write the perft suites and the composed positions; found walks are left alone.

    Without --against the counts are our own board's alone, and the files say so.

    \b
    Examples:
      refute corpus build --seed 1 --positions 200 --nodes 500000 --against stockfish
      refute corpus build --folder /tmp/other --seed 2 --positions 1000

    Exit code: 0 written, 2 could not, or the witness does not confirm: then nothing is written.
    """
    from refute.corpus import build as build_files
    from refute.corpus import read_provenance
    from refute.report.text import printable

    with ExitStack() as stack:
        witnesses = _open(stack, (against,) if against else ())
        try:
            paths = build_files(
                folder, seed=seed, positions=positions, nodes=nodes, witness=witnesses[0] if witnesses else None
            )
        except OSError as error:
            raise InputError(f"{quote(str(folder))} cannot be written: {error.strerror}") from None
    provenance = {str(path): read_provenance(path) for path in paths}
    if as_json:
        print_json(
            {
                "folder": str(folder),
                "seed": seed,
                "positions": positions,
                "nodes": nodes,
                "against": against,
                "files": [{"path": path, "provenance": lines} for path, lines in provenance.items()],
            }
        )
        return 0
    console = open_console()
    for path, lines in provenance.items():
        console.print(f"{printable(path)}: {printable(lines[-1])}", markup=False)
    return 0


@corpus.command()
@folder_option
@click.option("--against", metavar="SPEC", multiple=True, help="A witness that counts as well; repeatable.")
@click.option("--max-nodes", type=click.IntRange(0), metavar="N", help="Take counts above this on trust.")
@json_option
def verify(folder: Path, against: tuple[str, ...], max_nodes: int | None, as_json: bool) -> int:
    """Check every file of the corpora: provenance, positions, and every count again.

    Found walks are only read; `refute replay` runs them.

    \b
    Examples:
      refute corpus verify
      refute corpus verify --against python-chess --max-nodes 10000
      refute corpus verify --folder corpora --against stockfish --json

    Exit code: 0 all is so, 1 something is wrong, 2 could not run.
    """
    from rich.text import Text

    from refute.corpus import corpus_files
    from refute.corpus import verify as verify_files
    from refute.report.text import count, printable

    paths = corpus_files(folder)
    with ExitStack() as stack:
        problems = verify_files(folder, witnesses=_open(stack, against), most_nodes=max_nodes)
    if as_json:
        print_json(
            {
                "folder": str(folder),
                "against": list(against),
                "max_nodes": max_nodes,
                "files": [str(path) for path in paths],
                "problems": [
                    {"path": str(problem.path), "line": problem.line, "text": problem.text} for problem in problems
                ],
                "ok": not problems,
            }
        )
        return REFUTED if problems else 0
    console = open_console()
    for problem in problems:
        console.print(Text(printable(str(problem)), "red"))
    who = ", ".join(("our own board", *against))
    told = f"{count(len(paths), 'file')} checked by {printable(who)}: "
    told += count(len(problems), "problem") if problems else "nothing wrong"
    if max_nodes is not None:
        told += f"; counts above {max_nodes:,} were taken on trust"
    console.print(Text(told, "bold red" if problems else "green"))
    return REFUTED if problems else 0


def _open(stack: ExitStack, specs: tuple[str, ...]) -> list[Engine]:
    from refute.engines.spec import open_engine

    return [stack.enter_context(open_engine(spec, timeout=TIMEOUT_SECONDS)) for spec in specs]
