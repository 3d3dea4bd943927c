"""What every test may ask for, and which worker runs it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from refute.engines.spec import find_stockfish
from refute.errors import EngineError


def pytest_configure(config: pytest.Config) -> None:
    """Under `-n` each file stays with one worker, because what one of its tests works out serves the others."""
    if config.getoption("dist", "no") == "load":
        config.option.dist = "loadfile"
        # As they were collected: sorted by their number of tests, files of few and long ones would come last.
        config.option.loadscopereorder = False


@pytest.fixture(scope="session")
def stockfish() -> str:
    """The path of Stockfish; without one the test is skipped at home and fails in CI."""
    try:
        return find_stockfish()
    except EngineError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI needs Stockfish: {error}")
        pytest.skip(str(error))


@pytest.fixture
def scripted_command(tmp_path: Path) -> Callable[[str], list[str]]:
    """The command of a UCI engine that is right in everything but a twist (see scripted_engine.py)."""
    script = Path(__file__).with_name("scripted_engine.py")
    written = 0

    def write(twist: str = "") -> list[str]:
        nonlocal written
        written += 1
        path = tmp_path / f"twist{written}.py"
        path.write_text(dedent(twist), encoding="utf-8")
        return [sys.executable, str(script), str(path)]

    return write


@pytest.fixture
def scripted(scripted_command: Callable[[str], list[str]]) -> Callable[[str], str]:
    """The SPEC of such an engine."""

    def write(twist: str = "") -> str:
        return f"uci:{shlex.join(scripted_command(twist))}"

    return write
