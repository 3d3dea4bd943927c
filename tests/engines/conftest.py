"""A scripted UCI engine that is right in everything but one twist."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import dedent

import pytest

from refute.engines.uci import UciEngine

KNOWS_CHESS960 = 'OPTIONS = ["option name UCI_Chess960 type check default false"]\n'


@pytest.fixture
def write_script(scripted_command: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """The command that runs the scripted engine with a twist; it plays Chess960 unless the twist says otherwise."""

    def write(twist: str = "") -> list[str]:
        return scripted_command(KNOWS_CHESS960 + dedent(twist))

    return write


@pytest.fixture
def open_scripted(write_script: Callable[[str], list[str]]) -> Iterator[Callable[..., UciEngine]]:
    """Open the scripted engine with a twist; it is closed after the test."""
    engines = []

    def open_it(twist: str = "", *, timeout: float = 5.0) -> UciEngine:
        engines.append(UciEngine(write_script(twist), name="scripted", timeout=timeout))
        return engines[-1]

    yield open_it
    for engine in engines:
        engine.close()
