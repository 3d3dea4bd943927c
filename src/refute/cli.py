"""The command line: finds the command, and turns whatever goes wrong into one line and an exit code.

0  nothing refuted      1  refuted      2  could not run      130  interrupted
"""

from __future__ import annotations

import importlib
import io
import os
import platform
import sys
from collections.abc import Sequence
from typing import Any, Final

import click

from refute import __version__
from refute.commands import COMMANDS
from refute.errors import RefuteError

COULD_NOT_RUN: Final = 2
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141  # what a shell shows for a program that nobody reads any more
LONGEST_MESSAGE: Final = 1000


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called, and not before."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = getattr(importlib.import_module(entry.module), entry.attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # Caught here because click would exit with 1, which means "refuted". What is still
            # buffered goes nowhere, so that the interpreter's own flush at exit stays quiet.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        return code


def _show_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from refute.board import is_compiled

    board = "compiled" if is_compiled() else "interpreted"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    click.echo(f"refute {__version__} (board {board}, {python}, {platform.system()} {platform.machine()})")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version, and whether the board is compiled.",
)
@click.pass_context
def refute(ctx: click.Context) -> None:
    """Find the first move a chess move generator gets wrong.

    \b
    Examples:
      refute hunt                          our own board, half a minute
      refute doctor --engine ./mine        what can be checked of your engine
      refute hunt --engine ./mine --time 5m
      refute perft startpos 5 --divide --engine stockfish

    Exit code: 0 nothing refuted, 1 refuted, 2 could not run, 130 interrupted.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; never shows a traceback for bad input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without Unicode shows escapes; it must not turn a result into an error.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = refute.main(args=argv, prog_name="refute", standalone_mode=False)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "refute"
        return _complain(f"{_printable(error.format_message())} (try: {where} --help)", COULD_NOT_RUN)
    except click.ClickException as error:
        return _complain(_printable(error.format_message()), COULD_NOT_RUN)
    except click.Abort:
        return _complain("interrupted", INTERRUPTED)
    except RefuteError as error:
        return _complain(_printable(str(error)), COULD_NOT_RUN)
    except MemoryError:
        return _complain("not enough memory", COULD_NOT_RUN)
    except OSError as error:
        return _complain(_printable(str(error)), COULD_NOT_RUN)
    return code if isinstance(code, int) else 0


def _complain(message: str, code: int) -> int:
    click.echo(f"refute: {message}", err=True)
    return code


def _printable(text: str) -> str:
    """Untrusted text made safe for a terminal: no control characters but newlines, and not endless."""
    shown = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)
    if len(shown) > LONGEST_MESSAGE:
        return f"{shown[:LONGEST_MESSAGE]}… ({len(text)} characters)"
    return shown
