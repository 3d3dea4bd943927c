"""The options of `shrink` and `replay`, which run again what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from refute.commands.common import Seconds
from refute.targets import Engines, Target, Wish, read_target

__all__ = ["Engines", "Target", "Wish", "engine_options", "read_target"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def engine_options(function: Decorated) -> Decorated:
    """The options by which a file's engines are replaced or trusted."""
    for option in reversed(
        (
            click.option("--engine", metavar="SPEC", help="The subject, instead of the one the file names."),
            click.option(
                "--against", metavar="SPEC", multiple=True, help="A witness, instead of the file's; repeatable."
            ),
            click.option("--trust", is_flag=True, help="Start whatever engines the files name."),
            click.option(
                "--timeout",
                type=Seconds(0.1, 3600),
                default=10.0,
                show_default=True,
                metavar="SECONDS",
                help="How long an engine may be silent.",
            ),
        )
    ):
        function = option(function)
    return function
