"""What every test may ask for, and which worker runs it."""

from __future__ import annotations

import os

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
