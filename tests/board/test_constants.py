"""The C declarations beside the core say what the Python modules say, and leave nothing hot untyped."""

from __future__ import annotations

import ast
import re

from refute.board import constants, tables, zobrist
from refute.board._core import DETAILS
from refute.board.copies import FOLDER, source_of

DECLARATIONS = (FOLDER / "_core.pxd").read_text(encoding="utf-8")
CORE = ast.parse(source_of("_core"))


def position_class() -> ast.ClassDef:
    return next(node for node in CORE.body if isinstance(node, ast.ClassDef) and node.name == "Position")


def private_functions(body: list[ast.stmt]) -> set[str]:
    return {
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_") and not node.name.startswith("__")
    }


def declared_functions() -> set[str]:
    return set(re.findall(r"^\s*c(?:p?)def .*?(\w+)\(", DECLARATIONS, re.MULTILINE))


def array_lengths() -> dict[str, int]:
    return {name: int(n) for name, n in re.findall(r"^cdef U64 (\w+)\[(\d+)\]$", DECLARATIONS, re.MULTILINE)}


def test_the_enum_repeats_the_constants() -> None:
    body = DECLARATIONS[DECLARATIONS.index("cdef enum:") :].split("\n\n")[0]
    declared = {name: int(value) for name, value in re.findall(r"^    (\w+) = (\d+)$", body, re.MULTILINE)}
    assert len(declared) >= 13
    assert declared == {name: getattr(constants, name) for name in declared}


def test_every_constant_the_core_imports_is_declared() -> None:
    imported = {
        alias.name
        for node in ast.walk(CORE)
        if isinstance(node, ast.ImportFrom) and node.module == "refute.board.constants"
        for alias in node.names
    }
    assert imported
    missing = {name for name in imported if not re.search(rf"^\s+(?:const U64 )?{name}\b", DECLARATIONS, re.MULTILINE)}
    assert missing == set()


def test_every_stand_in_of_the_interpreted_core_has_its_c_twin() -> None:
    imported = {
        alias.name
        for node in ast.walk(CORE)
        if isinstance(node, ast.ImportFrom) and node.module == "refute.board._interpreted"
        for alias in node.names
    }
    assert imported
    assert {name for name in imported if not re.search(rf"\b{name}\b", DECLARATIONS)} == set()


def test_the_move_list_has_the_declared_room() -> None:
    found = re.search(r"^ctypedef U16 Moves\[(\d+)\]$", DECLARATIONS, re.MULTILINE)
    assert found is not None
    assert int(found[1]) == constants.MOST_MOVES


def test_the_detailed_counts_have_the_declared_room() -> None:
    found = re.search(r"^ctypedef U64 Counts\[(\d+)\]$", DECLARATIONS, re.MULTILINE)
    assert found is not None
    assert int(found[1]) == len(DETAILS)


def test_every_table_fits_its_c_array() -> None:
    lengths = array_lengths()
    for module in (tables, zobrist):
        for name, length in lengths.items():
            table = getattr(module, name, None)
            if table is not None:
                assert len(table) == length, name
    assert sum(1 << mask.bit_count() for mask in tables.ROOK_MASKS + tables.BISHOP_MASKS) == lengths["SLIDES"]
    assert lengths["LOOKUPS"] == 2 * 64 * 4


def test_every_table_of_the_core_is_declared() -> None:
    assigned = {
        target.id
        for node in CORE.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert {"KNIGHT_ATTACKS", "LINE", "PIECE_KEYS", "TALLIES", "BLACK_KEY"} <= assigned
    assert {name for name in assigned if not re.search(rf"^cdef U64 .*\b{name}\b", DECLARATIONS, re.MULTILINE)} == set()


# These run once a call from Python, or only when something already failed.
COLD = {"_revive", "_named"}


def test_every_private_helper_is_declared() -> None:
    """An undeclared one still works, but as a slow Python call with boxed numbers."""
    private = private_functions(CORE.body) | private_functions(position_class().body)
    assert {"_make", "_unmake", "_generate", "_perft", "_mix"} <= private
    assert private - declared_functions() == COLD & private


def test_every_declared_function_exists() -> None:
    defined = {node.name for node in ast.walk(CORE) if isinstance(node, ast.FunctionDef)}
    in_c = {"popcount", "first", "slider_index", "several", "rook_attacks", "bishop_attacks", "check_signals"}
    in_c |= {"allocate_table", "free_table", "grow_undo", "calloc", "realloc"}
    assert declared_functions() - defined - in_c == set()
