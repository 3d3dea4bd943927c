"""What commands share: options, depth and position arguments, JSON, progress, and where text goes."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from refute.errors import InputError, quote

if TYPE_CHECKING:
    from rich.console import Console

    from refute.board import Position

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

DEEPEST: Final = 99
INTERRUPTED: Final = 130  # the exit code of a command that Ctrl-C ended before it was done
PLAIN_LINE_SECONDS: Final = 10.0  # between progress lines where nothing can be rewritten


def read_depth(text: str) -> int:
    """A perft depth as plain digits; anything else is quoted back."""
    if re.fullmatch(r"[0-9]{1,2}", text):
        return int(text)
    hint = "; a FEN must be quoted, as one argument" if text in ("w", "b") else ""
    raise InputError(f"{quote(text)} is not a depth: expected a number from 0 to {DEEPEST}{hint}")


class PositionCommand(click.Command):
    """A command whose arguments may hold a negative number, which is bad input and not an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            negative = [text for text in given if re.match(r"-[0-9]", text)]
            if not re.match(r"-[0-9]", error.option_name) or not negative:
                raise
            read_depth(negative[0])
            raise


def read_position(text: str, *, chess960: bool) -> Position:
    """The position a FEN argument names; `startpos` is the standard start."""
    from refute.board import fen

    return fen.parse(fen.START if text == "startpos" else text, chess960=chess960)


class Seconds(click.FloatRange):
    """A number of seconds within bounds; NaN, which no comparison keeps out, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{quote(str(value))} is not a number of seconds", param, ctx)
        return seconds


def depth_argument(function: Decorated) -> Decorated:
    return click.argument("depth", callback=lambda ctx, param, text: read_depth(text))(function)


def engine_option(function: Decorated) -> Decorated:
    return click.option(
        "--engine",
        metavar="SPEC",
        default="own",
        show_default=True,
        help="Who answers: own, own:pure, python-chess, stockfish, uci:COMMAND, py:module:attribute, fault:NAME, "
        "or the path of a UCI engine.",
    )(function)


def chess960_option(function: Decorated) -> Decorated:
    return click.option(
        "--chess960",
        is_flag=True,
        help="Read the position as Chess960; rights that only Chess960 explains switch it on by themselves.",
    )(function)


def timeout_option(function: Decorated) -> Decorated:
    return click.option(
        "--timeout",
        type=Seconds(0.1, 86400),
        default=300.0,
        show_default=True,
        metavar="SECONDS",
        help="How long an engine may be silent.",
    )(function)


def json_option(function: Decorated) -> Decorated:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")(function)


def open_console(*, stderr: bool = False) -> Console:
    """Where text for people goes: coloured on a terminal, plain and never wrapped elsewhere."""
    from rich.console import Console

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            # Rich would exit with 1, which means "refuted"; the command line knows better.
            raise BrokenPipeError

    return Screen(highlight=False, soft_wrap=True, stderr=stderr)


class Progress:
    """One line that is rewritten on a terminal; a plain line now and then elsewhere. Always on stderr."""

    def __init__(self, first: str = "starting …") -> None:
        self.console = open_console(stderr=True)
        self.status = self.console.status(first, spinner="dots") if self.console.is_terminal else None
        self.told = time.monotonic()

    def __enter__(self) -> Progress:
        if self.status is not None:
            self.status.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self.status is not None:
            self.status.stop()

    def show(self, line: Callable[[], str]) -> None:
        """Say how far it is, if it is time to; only then is the line made."""
        if self.status is not None:
            self.status.update(line())
        elif time.monotonic() - self.told >= PLAIN_LINE_SECONDS:
            self.told = time.monotonic()
            self.console.print(line(), markup=False)


def print_json(report: dict[str, Any]) -> None:
    """Print a report as one JSON object, in ASCII whatever it quotes."""
    click.echo(json.dumps(report, indent=2))
