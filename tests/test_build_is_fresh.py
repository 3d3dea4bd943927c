"""A stale compiled core would silently win over the edited source; this is where it is noticed."""

from __future__ import annotations

import importlib.machinery
import os
from pathlib import Path

import pytest

import refute.board
from refute.board import is_compiled
from refute.board.copies import wants_pure

FOLDER = Path(refute.board.__file__).parent
SOURCES = ("_core.py", "_core.pxd")


def find_stale(folder: Path) -> list[str]:
    """The compiled cores this interpreter could load that are older than what they are made from."""
    built = [folder / f"_core{suffix}" for suffix in importlib.machinery.EXTENSION_SUFFIXES]
    edited = max((folder / name).stat().st_mtime_ns for name in SOURCES)
    return [path.name for path in built if path.is_file() and path.stat().st_mtime_ns < edited]


def test_the_compiled_core_is_not_older_than_its_source() -> None:
    if not (FOLDER.parents[2] / "setup.py").is_file():
        pytest.skip("not a source checkout: source and core were installed together")
    assert find_stale(FOLDER) == [], "rebuild with: pip install -e ."


@pytest.mark.parametrize("edited", SOURCES)
def test_an_edit_after_the_build_is_noticed(edited: str, tmp_path: Path) -> None:
    built = tmp_path / f"_core{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    for path in (*(tmp_path / name for name in SOURCES), built):
        path.touch()
        os.utime(path, (1000, 1000))
    assert find_stale(tmp_path) == []
    os.utime(tmp_path / edited, (2000, 2000))
    assert find_stale(tmp_path) == [built.name]


def test_ci_tests_the_compiled_board_unless_told_otherwise() -> None:
    if os.environ.get("CI", "") in ("", "0", "false"):
        pytest.skip("not in CI, where a missing compiler is allowed")
    assert is_compiled() is not wants_pure()
