"""Copies of the board with one mistake each, made quickly: what a mistake does not touch is shared or compiled once.

source ──▶ code, once ──run──▶ a `_core` of its own for each mutant ──▶ the one function with the mistake put in place
       └─▶ marked: the true board, which notes the statements it comes by
"""

from __future__ import annotations
import __future__

import ast
import itertools
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any, Final

from refute.board.copies import PACKAGE, interpreted_copy, source_of
from refute.mutating import Mutant, mutated_source

TRUE_BOARD: Final = "refute_true_board"  # and a number: each its own
MUTANT_BOARD: Final = "refute_mutant_board"
CORE: Final = "_core"
ABOVE: Final = ("fen", "outcome")  # they import Position, so each mutant needs its own
MET: Final = "_STATEMENTS_MET"

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class _Function:
    """Where a function stands in the source, in bytes, and the class it belongs to, if any."""

    start: int
    end: int
    owner: str


class Boards:
    """The true board of one source, and as many boards with a mistake as are asked for."""

    def __init__(self, source: str) -> None:
        number = next(_numbers)
        self.source = source
        self.raw = source.encode()
        self.alias = f"{MUTANT_BOARD}_{number}"
        self.true: Any = interpreted_copy(f"{TRUE_BOARD}_{number}", {CORE: marked_source(source)})
        # The tables below `_core` are the same for all mutants, and so are the rays remembered in them.
        self.shared = interpreted_copy(self.alias, {CORE: source})
        self.codes = {name: self._compiled(name, source_of(name)) for name in ABOVE}
        self.core = self._compiled(CORE, source)
        self.functions = _functions(source)
        self.statements = _statements(source)

    def met(self) -> set[int]:
        """The lines of the statements that the true board came by since this was last emptied."""
        met: set[int] = getattr(self.true._core, MET)
        return met

    def statement(self, mutant: Mutant) -> int | None:
        """The line of the statement that has the mistake; None when it is outside of all functions."""
        return self.statements.get(mutant.line)

    def with_mistake(self, mutant: Mutant) -> ModuleType:
        """A board that shares no state with any other but the tables that nobody writes to."""
        board: Any = ModuleType(self.alias)
        board._core = self.core_with_mistake(mutant)
        board.move = sys.modules[f"{self.alias}.move"]
        for name, code in self.codes.items():
            setattr(board, name, self._run(name, code))
        return board  # type: ignore[no-any-return]  # Any above, to be given attributes

    def core_with_mistake(self, mutant: Mutant) -> ModuleType:
        """Only the hot file of such a board, which no mistake within a function keeps from being imported."""
        function = self.functions.get(mutant.function)
        if function is None:
            return self._run(CORE, self._compiled(CORE, mutated_source(self.source, mutant)))
        core = self._run(CORE, self.core)
        self._put(core, function, mutant)
        return core

    def _put(self, core: ModuleType, function: _Function, mutant: Mutant) -> None:
        text = self.raw[function.start : mutant.start] + mutant.new.encode() + self.raw[mutant.end : function.end]
        name = mutant.function.rpartition(".")[2]
        if not function.owner:
            exec(_compile(text, core.__name__), core.__dict__)
            return
        found: dict[str, Any] = {}
        exec(_compile(b"class %s:\n%s" % (function.owner.encode(), text), core.__name__), core.__dict__, found)
        setattr(getattr(core, function.owner), name, vars(found[function.owner])[name])

    def _compiled(self, name: str, text: str) -> CodeType:
        return _compile(text.replace(PACKAGE, self.alias).encode(), f"{self.alias}.{name}")

    def _run(self, name: str, code: CodeType) -> ModuleType:
        """A new module of that name; what is imported or unpickled from here on finds it and not the last one."""
        module = ModuleType(f"{self.alias}.{name}")
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)
        return module


def _compile(text: bytes, name: str) -> CodeType:
    flags = __future__.annotations.compiler_flag
    code: CodeType = compile(text, f"<{name}>", "exec", flags=flags, dont_inherit=True)
    return code


def _functions(source: str) -> dict[str, _Function]:
    """Every function by its dotted name, decorators included."""
    starts = [0, *itertools.accumulate(len(line) for line in source.encode().splitlines(keepends=True))]
    found = {}
    for outer in ast.parse(source).body:
        owner = outer.name if isinstance(outer, ast.ClassDef) else ""
        for node in outer.body if isinstance(outer, ast.ClassDef) else [outer]:
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                assert node.end_lineno is not None
                name = f"{owner}.{node.name}" if owner else node.name
                found[name] = _Function(starts[first - 1], starts[node.end_lineno], owner)
    return found


def _statements(source: str) -> dict[int, int]:
    """For each line within a function, the line where the innermost statement it belongs to begins."""
    found: dict[int, int] = {}
    # Outer statements come before those within them.
    for function in [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]:
        for node in ast.walk(function):
            if isinstance(node, ast.stmt):
                assert node.end_lineno is not None
                found.update(dict.fromkeys(range(node.lineno, node.end_lineno + 1), node.lineno))
    return found


def marked_source(source: str) -> str:
    """The same source, noting in the set `MET` the lines of the statements within functions that it comes by."""
    tree = ast.parse(source)
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        function.body = [_mark(function), *_marked(function.body)]
    future = next(at for at, node in enumerate(tree.body) if isinstance(node, ast.ImportFrom))
    tree.body[future + 1 : future + 1] = ast.parse(f"{MET} = set()").body
    return ast.unparse(tree)


def _marked(statements: Iterable[ast.stmt]) -> list[ast.stmt]:
    marked: list[ast.stmt] = []
    for node in statements:
        for name in ("body", "orelse", "finalbody"):
            if getattr(node, name, None):
                setattr(node, name, _marked(getattr(node, name)))
        for handler in getattr(node, "handlers", ()):
            handler.body = _marked(handler.body)
        marked += [_mark(node), node]
    return marked


def _mark(node: ast.stmt) -> ast.stmt:
    return ast.parse(f"{MET}.add({node.lineno})").body[0]
