"""`refute perft`: count the leaves of the move tree, with the own board or with any engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from refute.commands.common import (
    INTERRUPTED,
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
from refute.commands.counting import (
    Tally,
    count_by_root_move,
    count_checked,
    count_detailed,
    count_hashed,
    count_plain,
    count_played,
)
from refute.errors import BrokenInvariant, EngineError, InputError

if TYPE_CHECKING:
    from refute.board import Position

REFUTED: Final = 1
OWN: Final = ("own", "own:pure")
PURE_COPY: Final = "refute_pure_board"


@dataclass(frozen=True)
class Request:
    """What was asked on the command line, once it is known to make sense."""

    position: Position
    depth: int
    engine: str
    divide: bool
    mode: str  # "bulk", "no-bulk", "hash", "checked" or "detailed"
    megabytes: int
    timeout: float
    limit: float | None  # seconds for a count of our own


@click.command(cls=PositionCommand)
@click.argument("fen", metavar="FEN")
@depth_argument
@engine_option
@click.option("--divide", is_flag=True, help="Show the count below each root move.")
@click.option("--no-bulk", is_flag=True, help="Make and unmake the last move too, instead of counting moves.")
@click.option("--hash", "megabytes", type=click.IntRange(1, 65536), metavar="MB", help="Count with a table this large.")
@click.option("--checked", is_flag=True, help="Validate and re-hash after every make and unmake.")
@click.option("--detailed", is_flag=True, help="Also count captures, castles, promotions, checks, mates …")
@timeout_option
@chess960_option
@json_option
@click.pass_context
def perft(
    ctx: click.Context,
    fen: str,
    depth: int,
    engine: str,
    divide: bool,
    no_bulk: bool,
    megabytes: int | None,
    checked: bool,
    detailed: bool,
    timeout: float,
    chess960: bool,
    as_json: bool,
) -> None:
    """Count the leaves of the move tree below FEN, DEPTH plies deep.

    FEN is one quoted argument, or startpos. --no-bulk, --hash, --checked and --detailed choose how the
    own board counts; one at a time.

    \b
    Examples:
      refute perft startpos 6
      refute perft startpos 5 --divide --engine stockfish
      refute perft "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1" 6 --checked
      refute perft "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9" 4 --json
    """
    wishes = {"no-bulk": no_bulk, "hash": megabytes is not None, "checked": checked, "detailed": detailed}
    request = Request(
        position=read_position(fen, chess960=chess960),
        depth=depth,
        engine=engine,
        divide=divide,
        mode=_choose_mode([name for name, wanted in wishes.items() if wanted], engine, depth),
        megabytes=megabytes or 0,
        timeout=timeout,
        # A long count of our own shows how far it is, and is not given up unless that was asked for.
        limit=timeout if ctx.get_parameter_source("timeout") is ParameterSource.COMMANDLINE else None,
    )
    tally = Tally()
    broken: BrokenInvariant | None = None
    interrupted = False
    try:
        _count(request, tally)
    except BrokenInvariant as failure:
        broken = failure
    except KeyboardInterrupt:
        interrupted = True
    if as_json:
        print_json(_as_json(request, tally, broken, interrupted=interrupted))
    else:
        _print(request, tally, broken, interrupted=interrupted)
    ctx.exit(INTERRUPTED if interrupted else REFUTED if broken else 0)


def _choose_mode(wishes: list[str], engine: str, depth: int) -> str:
    if len(wishes) > 1:
        raise InputError(f"--{wishes[0]} and --{wishes[1]} cannot be combined: each is a way to count")
    if wishes and engine not in OWN:
        raise InputError(f"--{wishes[0]} is how the own board counts: it cannot be combined with another --engine")
    if depth == 0 and engine not in OWN:
        raise InputError("'0' is not a depth to ask an engine for: expected 1 or more")
    return wishes[0] if wishes else "bulk"


def _count(request: Request, tally: Tally) -> None:
    if request.engine not in OWN:
        _ask(request, tally)
        return
    # On a copy: a count interrupted between two slices leaves its position in the middle of a line.
    position = _interpreted(request.position) if request.engine == "own:pure" else request.position.copy()
    with ExitStack() as stack:
        stack.enter_context(_given_up_after(request))
        finished = _progress(stack, len(position.legal_moves()))
        stack.enter_context(tally.timed())
        if request.mode == "hash":
            count_hashed(position, request.depth, request.megabytes, tally, divide=request.divide)
        elif request.mode == "checked":
            count_checked(position, request.depth, tally)
        else:
            leaf = {"bulk": count_plain, "no-bulk": count_played, "detailed": count_detailed}[request.mode]
            count_by_root_move(position, request.depth, leaf, tally, finished)


@contextmanager
def _given_up_after(request: Request) -> Iterator[None]:
    """Give up a count of our own when its time is over, if it has one."""
    from refute.engines.limits import TimeUp, interrupted_after

    if request.limit is None:
        yield
        return
    try:
        with interrupted_after(request.limit):
            yield
    except TimeUp:
        text = f"{request.engine}: timeout: gave no count in {request.limit:g} s; see --timeout"
        raise EngineError(text) from None


def _interpreted(position: Position) -> Position:
    """The same position on an interpreted board, whether or not the board in use is compiled."""
    from refute.board import fen
    from refute.board.copies import interpreted_copy

    board: Any = interpreted_copy(PURE_COPY)
    copied: Position = board.fen.parse(fen.write(position, en_passant="always"), chess960=position.chess960)
    return copied


def _ask(request: Request, tally: Tally) -> None:
    """Fill the tally with an engine's own divide."""
    from refute.board import fen
    from refute.board.move import decode_uci
    from refute.engines.protocol import Ability, Fault, Question
    from refute.engines.spec import open_engine
    from refute.walk import Walk

    chess960 = request.position.chess960
    # Rewritten, because engines crash or go astray on four fields and on what our reader refuses.
    walk = Walk(fen.write(request.position, en_passant="always"), (), chess960)
    with open_engine(request.engine, timeout=request.timeout) as engine:
        for needed in [Ability.PERFT] + [Ability.CHESS960] * chess960:
            if needed not in engine.abilities:
                raise EngineError(f"{engine.name} cannot answer this: it has no ability {needed.value}")
        with tally.timed():
            (answer,) = engine.at([walk], Question(frozenset({Ability.PERFT}), request.depth))
    if isinstance(answer, Fault):
        last_words = "".join(f"\n  {line}" for line in answer.transcript[-5:])
        raise EngineError(f"{request.engine}: {answer.trouble.value}: {answer.text}{last_words}")
    if answer.divide is None:
        raise EngineError(f"{request.engine} gave no perft counts")
    tally.divide.update(sorted((decode_uci(code), nodes) for code, nodes in answer.divide.items()))
    tally.nodes = sum(tally.divide.values())


def _progress(stack: ExitStack, root_moves: int) -> Any:
    """What to call when a root move is finished; shows a bar while the stack is open, on a terminal only."""
    if not sys.stderr.isatty():
        return lambda: None
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("root moves, left:"), TimeRemainingColumn())
    progress = stack.enter_context(Progress(*columns, console=open_console(stderr=True), transient=True))
    task = progress.add_task("", total=root_moves)
    return lambda: progress.advance(task)


def _as_json(request: Request, tally: Tally, broken: BrokenInvariant | None, *, interrupted: bool) -> dict[str, Any]:
    from refute.board import fen

    report: dict[str, Any] = {
        "fen": fen.write(request.position, en_passant="always"),
        "chess960": request.position.chess960,
        "depth": request.depth,
        "engine": request.engine,
        "board": _board_kind(request.engine),
        "mode": request.mode,
        # A part of a count must not pass for the count.
        "nodes": None if interrupted or broken else tally.nodes,
        "divide": tally.divide,
        "seconds": tally.seconds,
    }
    if tally.details:
        report["detailed"] = tally.details
    if interrupted:
        report["interrupted"] = True
    if broken:
        report["broken"] = {"stage": broken.stage, "message": broken.message, "path": _path(request, broken)}
    return report


def _print(request: Request, tally: Tally, broken: BrokenInvariant | None, *, interrupted: bool) -> None:
    from rich.text import Text

    console = open_console()
    if broken:
        path = " ".join(_path(request, broken))
        console.print(Text.assemble(("refuted", "bold red"), f" {broken}"))
        console.print(Text(f"path: {path or 'none, at the position itself'}"))
        return
    if tally.divide and (request.divide or interrupted):
        for move, nodes in tally.divide.items():
            console.print(Text.assemble((move, "cyan"), f": {nodes}"))
        console.print()
    for name, count in tally.details.items():
        if name != "nodes":
            console.print(Text(f"{name}: {count:,}"))
    if interrupted:
        done = f"{len(tally.divide)} of {len(request.position.legal_moves())} root moves"
        console.print(Text(f"Interrupted after {done}, {tally.nodes:,} nodes", "yellow"))
        return
    console.print(Text.assemble("Nodes searched: ", (f"{tally.nodes:,}", "bold")))
    speed = tally.nodes / tally.seconds / 1e6 if tally.seconds else 0.0
    kind = _board_kind(request.engine)
    who = f"{request.engine}, {kind}" if kind else request.engine
    console.print(Text(f"{tally.seconds:,.3f} s, {speed:,.1f} million nodes/s, {who}", "dim"))


def _path(request: Request, broken: BrokenInvariant) -> list[str]:
    from refute.board.move import Move

    return [Move(move).uci(chess960=request.position.chess960) if move else "0000" for move in broken.path]


def _board_kind(engine: str) -> str | None:
    """How the own board ran; None for other engines."""
    from refute.board import is_compiled

    if engine not in OWN:
        return None
    return "compiled" if engine == "own" and is_compiled() else "interpreted"
