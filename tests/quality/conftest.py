"""Which of the planted faults and mutants a run tries.

They live in interpreted copies of the board in either mode. Where a compiled board is there to try them all,
an interpreted run tries one of each class again, and not the same hunts a second time.
"""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import refute.board
from refute.board import is_compiled
from refute.engines.faults import PLANTED, Planted


def is_built() -> bool:
    folder = Path(refute.board.__file__).parent
    return any((folder / f"_core{suffix}").is_file() for suffix in EXTENSION_SUFFIXES)


IS_SECOND_RUN = is_built() and not is_compiled()


def chosen() -> list[Planted]:
    """The faults of this run, in their order."""
    if not IS_SECOND_RUN:
        return list(PLANTED)
    first: dict[str, Planted] = {}
    for fault in PLANTED:
        first.setdefault(fault.class_, fault)
    return list(first.values())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for a `planted` fault, or the `fault_name` of one, is run with each."""
    if "fault_name" in metafunc.fixturenames:
        metafunc.parametrize("fault_name", [planted.name for planted in chosen()])
    if "planted" in metafunc.fixturenames:
        metafunc.parametrize("planted", chosen(), ids=lambda planted: planted.name)


@pytest.fixture
def is_second_run() -> bool:
    return IS_SECOND_RUN


@pytest.fixture
def names() -> list[str]:
    """The faults of this run."""
    return [planted.name for planted in chosen()]


@pytest.fixture
def all_faults() -> None:
    """What is said of all faults together is seen where all of them are tried."""
    if IS_SECOND_RUN:
        pytest.skip("said of all faults, which the compiled run has tried, on interpreted copies too")
