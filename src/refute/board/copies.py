"""Interpreted copies of this package, as it is or with small edits, beside the one in use.

    source of refute/board/*.py ──edits──▶ a package of its own name ──▶ its own Position, fen, outcome

An interpreted copy beside the compiled board is a subject and a witness; an edited copy is a planted
fault. The board's own source carries no hooks for either.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

PACKAGE = "refute.board"
FOLDER = Path(__file__).parent


def wants_pure() -> bool:
    """Whether REFUTE_PURE asks for the interpreted board."""
    return os.environ.get("REFUTE_PURE", "") not in ("", "0")


def source_of(module: str) -> str:
    """The source text of one module of the board, by its bare name."""
    return (FOLDER / f"{module}.py").read_text(encoding="utf-8")


def load_interpreted_core() -> None:
    """Put the interpreted `_core` in place of the compiled one, which otherwise always wins."""
    name = f"{PACKAGE}._core"
    spec = importlib.util.spec_from_file_location(name, FOLDER / "_core.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.modules[PACKAGE]._core = module  # type: ignore[attr-defined]  # as importing it would have done
    spec.loader.exec_module(module)


class CopyFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports `alias` and its modules from the board's source, edited, never from a compiled file."""

    def __init__(self, alias: str, sources: Mapping[str, str]) -> None:
        self.alias = alias
        self.sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == self.alias:
            return ModuleSpec(fullname, self, is_package=True)
        parent, _, name = fullname.rpartition(".")
        if parent == self.alias and (FOLDER / f"{name}.py").is_file():
            return ModuleSpec(fullname, self)
        return None

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == self.alias:
            return
        name = module.__name__.rpartition(".")[2]
        text = self.sources.get(name) or source_of(name)
        # Within the copy every module imports its own copies of the others.
        code = compile(text.replace(PACKAGE, self.alias), f"<{self.alias}.{name}>", "exec")
        exec(code, module.__dict__)


def interpreted_copy(alias: str, sources: Mapping[str, str] | None = None) -> ModuleType:
    """Import an interpreted copy of the board under another name; `sources` replaces whole modules.

    The copy's modules are `fen`, `outcome`, `move` and `_core`; each call with a new alias is a new copy.
    """
    if alias in sys.modules:
        return sys.modules[alias]
    finder = CopyFinder(alias, dict(sources or {}))
    sys.meta_path.insert(0, finder)
    try:
        package = importlib.import_module(alias)
        for name in ("_core", "fen", "outcome", "move"):
            importlib.import_module(f"{alias}.{name}")
    except BaseException:
        for name in [n for n in sys.modules if n == alias or n.startswith(alias + ".")]:
            del sys.modules[name]
        raise
    finally:
        sys.meta_path.remove(finder)
    return package
