"""Imports point one way, and importing refute brings little along."""

from __future__ import annotations

import ast
import graphlib
import itertools
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

import refute

SOURCE = Path(refute.__file__).parent

# Each layer may import those after it, never those before it.
LAYERS = (
    ("cli",),
    ("commands",),
    ("pytest_plugin",),
    ("suite",),
    ("hunt",),
    ("workers",),
    ("hunter",),
    ("report",),
    ("shrink", "drill"),
    ("compare",),
    ("divergence", "strategies", "features", "corpus"),
    ("engines",),
    ("walk",),
    ("board",),
    ("reading",),
    ("errors",),
)
HEAVY = ("numpy", "chess", "hypothesis", "pytest", "_pytest", "click", "rich", "jinja2", "selenium", "xml", "asyncio")


def module_names() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    names = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def imports_of(name: str, text: str, modules: frozenset[str]) -> set[str]:
    """The package's own modules that a module imports, at its top, in a function or for types only."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively: write it out"
            base = node.module or ""
            # `from refute.board import fen` means the module fen, not what the package itself defines.
            wanted = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules else base for alias in node.names]
        else:
            continue
        found.update(module for module in wanted if module in modules)
    return found - {name}


@cache
def _import_graph() -> dict[str, set[str]]:
    names = module_names()
    modules = frozenset(names)
    return {name: imports_of(name, path.read_text(encoding="utf-8"), modules) for name, path in names.items()}


def import_graph() -> dict[str, set[str]]:
    """What each module imports, as a graph that the asker may change."""
    return {name: set(imported) for name, imported in _import_graph().items()}


def layer_of(module: str) -> str:
    """refute.engines.uci → engines."""
    return module.split(".")[1] if "." in module else module


def with_layers(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The graph of layers, with an edge from each layer to the next.

    A module the layers do not name has its place all the same: importing above it what is imported
    below it closes a cycle through the edges between layers.
    """
    layers: dict[str, set[str]] = {}
    for module, imported in graph.items():
        layers.setdefault(layer_of(module), set()).update(layer_of(other) for other in imported)
    for above, below in itertools.pairwise(LAYERS):
        for name in above:
            layers.setdefault(name, set()).update(below)
    for name, imported in layers.items():
        imported.discard(name)
    return layers


def circle_in(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """The names of one circle, or none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_imports_point_one_way_through_the_layers() -> None:
    assert circle_in(with_layers(import_graph())) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = import_graph()
    # A package's __init__ hands out what its modules define, and they import one another past it.
    packages = {name for name in graph if any(other.startswith(f"{name}.") for other in graph)}
    modules = {name: imported - packages for name, imported in graph.items() if name not in packages}
    assert circle_in(modules) == []


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        pytest.param("refute.board.fen", "refute.engines.uci", id="the board meets engines"),
        pytest.param("refute.walk", "refute.divergence", id="a walk knows of divergences"),
        pytest.param("refute.engines.protocol", "refute.compare", id="an engine compares"),
        pytest.param("refute.errors", "refute.board.move", id="errors know chess"),
        pytest.param("refute.suite.session", "refute.commands.hunt", id="the suite reads a command line"),
        pytest.param("refute.collecting", "refute.commands.targets", id="a collector reads a command line"),
        pytest.param("refute.hunter", "refute.workers", id="one hunter knows of the others"),
        pytest.param("refute.report.text", "refute.hunter", id="a report hunts"),
    ],
)
def test_an_import_that_points_up_is_found(module: str, imported: str) -> None:
    graph = import_graph()
    graph.setdefault(module, set()).add(imported)
    assert circle_in(with_layers(graph)) != []


def test_an_unnamed_module_cannot_be_used_to_point_up() -> None:
    graph = import_graph()
    graph["refute.sidestep"] = {"refute.hunt"}
    graph["refute.engines.protocol"].add("refute.sidestep")
    assert circle_in(with_layers(graph)) != []


def test_imports_inside_functions_and_from_packages_are_seen() -> None:
    modules = frozenset({"refute.board", "refute.board.fen", "refute.hunt"})
    assert imports_of("x", "from refute.board import fen, Position", modules) == {"refute.board", "refute.board.fen"}
    assert imports_of("x", "def f():\n    import refute.hunt", modules) == {"refute.hunt"}


def loaded_by(statement: str) -> set[str]:
    """The modules that a statement adds to those a bare interpreter has."""
    code = f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_import_refute_loads_next_to_nothing() -> None:
    loaded = loaded_by("import refute")
    assert "refute" in loaded
    assert len(loaded) < 60, sorted(loaded)
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}


@pytest.mark.parametrize("module", ["refute.board", "refute.board.fen", "refute.walk", "refute.divergence"])
def test_the_board_and_the_words_load_no_library(module: str) -> None:
    loaded = loaded_by(f"import {module}")
    assert module in loaded
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}


def test_only_engines_and_what_must_meet_libraries_import_them() -> None:
    """The board is plain Python: it imports the standard library, and Cython's own switch."""
    for name, path in module_names().items():
        if layer_of(name) in ("board", "errors", "walk", "divergence"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                roots = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                roots += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                for root in (full.split(".")[0] for full in roots):
                    assert root in sys.stdlib_module_names or root in ("refute", "cython"), (name, root)
