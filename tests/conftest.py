"""What every test may ask for."""

from __future__ import annotations

import os

import pytest

from refute.engines.spec import find_stockfish
from refute.errors import EngineError


@pytest.fixture(scope="session")
def stockfish() -> str:
    """The path of Stockfish; without one the test is skipped at home and fails in CI."""
    try:
        return find_stockfish()
    except EngineError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI needs Stockfish: {error}")
        pytest.skip(str(error))
