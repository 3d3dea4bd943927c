"""Small mistakes in a source text, found by its syntax tree and made by replacing a few characters.

source ──ast──▶ places ──rules──▶ Mutant(start, end, new) ──mutated_source──▶ source with one mistake

Only code that runs interpreted is touched, and nothing that merely speaks: no docstring, annotation or
error message. The name of a mutant quotes the code and not its line, so it survives edits elsewhere:

    Position._make: self.halfmove += «1» → 2
"""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

OPERATORS: Final[dict[type[ast.AST], tuple[str, str]]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}

# A constant, table or variable taken for its neighbour.
NEIGHBOURS: Final = {
    "PAWN": "KNIGHT", "KNIGHT": "BISHOP", "BISHOP": "ROOK", "ROOK": "BISHOP", "QUEEN": "ROOK", "KING": "QUEEN",
    "WHITE": "BLACK", "BLACK": "WHITE", "EMPTY": "PAWN", "NO_SQUARE": "EMPTY",
    "NOT_FILE_A": "NOT_FILE_H", "NOT_FILE_H": "NOT_FILE_A", "RANK_3": "RANK_6", "RANK_6": "RANK_3",
    "FILES": "DIAGONALS", "DIAGONALS": "ANTIDIAGONALS", "ANTIDIAGONALS": "DIAGONALS",
    "ROOK_RAYS": "BISHOP_RAYS", "BISHOP_RAYS": "ROOK_RAYS", "BETWEEN": "LINE", "LINE": "BETWEEN",
    "KNIGHT_ATTACKS": "KING_ATTACKS", "KING_ATTACKS": "KNIGHT_ATTACKS",
    "CASTLING_KEYS": "EN_PASSANT_KEYS", "EN_PASSANT_KEYS": "CASTLING_KEYS",
    "bishop_attacks": "rook_attacks", "rook_attacks": "bishop_attacks",
    "us": "them", "them": "us", "ours": "theirs", "theirs": "ours", "own": "enemy", "enemy": "own",
    "source": "target", "target": "source",
}  # fmt: skip

# By what a function says it returns: what a careless one would return.
RETURNS: Final = {"int": "0", "bool": "not ({})", "list[int]": "[]", "dict[int, int]": "{{}}", "dict[str, int]": "{{}}"}

COMPILED_ONLY: Final = frozenset({"__dealloc__", "_fill_sliders", "_slide"})
IDLE_INTERPRETED: Final = frozenset({"check_signals", "free_table"})
SMALL: Final = 255  # above it a number is a mask, whose bits flip, or round, and then goes up or down
WINDOW: Final = 32  # characters quoted on either side of a change
LONGEST_QUOTE: Final = 60


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mistake: the bytes from `start` to `end` of the source become `new`."""

    name: str
    function: str
    line: int
    rule: str
    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk through the tree is: in which function, in which statement."""

    function: str
    returns: str
    bound: frozenset[str]  # what may be named here
    header: tuple[int, int]  # the statement without its body


class Mutator:
    """Every mutant of one source text, in the order of the text."""

    def __init__(self, source: str) -> None:
        self.raw = source.encode()
        self.starts = [0]
        for line in self.raw.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.tree = ast.parse(source)

    def mutants(self) -> list[Mutant]:
        found: list[Mutant] = []
        seen: Counter[str] = Counter()
        nowhere = _Place("", "", frozenset(), (0, 0))
        changes = self._body(self.tree.body, nowhere, set())
        for place, rule, start, end, new in sorted(changes, key=lambda change: (change[2], change[3], change[4])):
            name = self._name(place, start, end, new)
            seen[name] += 1
            if seen[name] > 1:
                name = f"{name} #{seen[name]}"
            line = self.raw.count(b"\n", 0, start) + 1
            found.append(Mutant(name, place.function or "module", line, rule, start, end, new))
        return found

    # ---------------------------------------------------------------- statements

    def _body(self, statements: list[ast.stmt], place: _Place, assigned: set[str]) -> Iterator[_Change]:
        """The changes in these statements; `assigned` grows with the names that have a value by then."""
        for statement in statements:
            yield from self._statement(statement, place, assigned)

    def _statement(self, node: ast.stmt, place: _Place, assigned: set[str]) -> Iterator[_Change]:
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_docstring(node):
            return
        if isinstance(node, ast.Raise):
            # What it says is not looked into; whether it is raised is.
            yield self._replace(node, "pass", replace(place, header=self._span(node)), "dropped statement")
            return
        if isinstance(node, ast.Try) and any(isinstance(inner, ast.Import) for inner in node.body):
            return
        if isinstance(node, ast.ClassDef):
            inside = _Place(f"{node.name}.", "", place.bound, (0, 0))
            yield from self._body(node.body, inside, set())
            return
        if isinstance(node, ast.FunctionDef):
            yield from self._function(node, place)
            return
        place = replace(place, header=self._header(node))
        if isinstance(node, ast.If) and _asks_for_compiler(node.test):
            # Interpreted, one branch is all there is.
            live = node.body if isinstance(node.test, ast.UnaryOp) else node.orelse
            yield from self._body(live, place, assigned)
            return
        if isinstance(node, ast.If) and len(node.body) == 1 and _calls(node.body[0], IDLE_INTERPRETED):
            return
        if self._is_worth_dropping(node, place, assigned):
            yield self._replace(node, "pass", place, "dropped statement")
        yield from self._rules_for_statement(node, place)
        for expression in _expressions(node):
            yield from self._expression(expression, place)
        assigned.update(_names_bound(node))
        for inner in _blocks(node):
            yield from self._statement(inner, place, assigned)

    def _function(self, node: ast.FunctionDef, place: _Place) -> Iterator[_Change]:
        if node.name in COMPILED_ONLY:
            return
        names = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        bound = frozenset(names) | {name for inner in ast.walk(node) for name in _names_bound(inner)}
        returns = ast.unparse(node.returns) if node.returns is not None else ""
        inside = _Place(place.function + node.name, returns, bound, self._header(node))
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                yield from self._expression(default, inside)
        yield from self._body(node.body, inside, set(names))

    def _is_worth_dropping(self, node: ast.stmt, place: _Place, assigned: set[str]) -> bool:
        """Not a local's first value: without it there is only a NameError."""
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Call) and not _calls(node, IDLE_INTERPRETED)
        if not place.returns or not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            return False
        return _names_bound(node) <= assigned

    def _rules_for_statement(self, node: ast.stmt, place: _Place) -> Iterator[_Change]:
        if isinstance(node, ast.AugAssign):
            old, new = OPERATORS[type(node.op)]
            yield self._operator(node.target, node.value, old + "=", new + "=", place)
        elif isinstance(node, ast.If):
            yield self._replace(node.test, "True", place, "condition")
            yield self._replace(node.test, "False", place, "condition")
        elif isinstance(node, ast.While):
            yield self._replace(node.test, "False", place, "condition")
        elif isinstance(node, ast.Break):
            yield self._replace(node, "continue", place, "dropped statement")
        elif isinstance(node, ast.Continue):
            yield self._replace(node, "break", place, "dropped statement")
        elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            new = RETURNS.get(place.returns, "None").format(self._text(node.value))
            yield self._replace(node.value, new, place, "return value")

    # ---------------------------------------------------------------- expressions

    def _expression(self, node: ast.expr, place: _Place) -> Iterator[_Change]:
        if isinstance(node, ast.JoinedStr):
            return
        if isinstance(node, ast.BinOp):
            yield self._operator(node.left, node.right, *OPERATORS[type(node.op)], place)
        elif isinstance(node, ast.Compare):
            for left, operator, right in zip((node.left, *node.comparators), node.ops, node.comparators, strict=False):
                if type(operator) in OPERATORS:
                    yield self._operator(left, right, *OPERATORS[type(operator)], place)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield self._operator(left, right, *OPERATORS[type(node.op)], place)
            neutral = "True" if isinstance(node.op, ast.And) else "False"
            for operand in node.values:
                yield self._replace(operand, neutral, place, "condition")
        elif isinstance(node, ast.UnaryOp):
            yield from self._unary(node, place)
        elif isinstance(node, ast.IfExp):
            yield self._replace(node.test, "True", place, "condition")
            yield self._replace(node.test, "False", place, "condition")
        elif isinstance(node, ast.Constant):
            for new in _other_values(node.value):
                yield self._replace(node, new, place, "constant")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            neighbour = NEIGHBOURS.get(node.id, "")
            if neighbour.isupper() or "_" in neighbour or neighbour in place.bound:
                yield self._replace(node, neighbour, place, "name")
        elif isinstance(node, ast.Call):
            yield from self._swapped_arguments(node, place)
        elif isinstance(node, ast.ListComp | ast.DictComp | ast.GeneratorExp):
            for generator in node.generators:
                for test in generator.ifs:
                    yield self._replace(test, "True", place, "condition")
                    yield self._replace(test, "False", place, "condition")
        for inner in _expressions(node):
            yield from self._expression(inner, place)

    def _unary(self, node: ast.UnaryOp, place: _Place) -> Iterator[_Change]:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return  # a negative number: its digits change
        start = self._span(node)[0]
        yield place, "operator", start, start + (4 if isinstance(node.op, ast.Not) else 1), ""

    def _swapped_arguments(self, node: ast.Call, place: _Place) -> Iterator[_Change]:
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            return
        for left, right in zip(node.args, node.args[1:], strict=False):
            if self._text(left) == self._text(right) or isinstance(right, ast.Starred):
                continue
            (start, middle), (begin, end) = self._span(left), self._span(right)
            between = self.raw[middle:begin].decode()
            yield place, "arguments", start, end, self._text(right) + between + self._text(left)

    def _operator(self, left: ast.expr, right: ast.expr, old: str, new: str, place: _Place) -> _Change:
        """Replace the operator between two operands; around it are only brackets, space and comments."""
        start, end = self._span(left)[1], self._span(right)[0]
        between = re.sub(rb"#[^\n]*", lambda comment: b" " * len(comment[0]), self.raw[start:end])
        at = start + between.index(old.encode())
        return place, "operator", at, at + len(old), new

    # ---------------------------------------------------------------- text

    def _replace(self, node: ast.stmt | ast.expr, new: str, place: _Place, rule: str) -> _Change:
        return place, rule, *self._span(node), new

    def _span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def _header(self, node: ast.stmt) -> tuple[int, int]:
        start, end = self._span(node)
        body = getattr(node, "body", None)
        return (start, self._span(body[0])[0]) if body else (start, end)

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self.raw[start:end].decode()

    def _name(self, place: _Place, start: int, end: int, new: str) -> str:
        """The function, and the change with a little of the statement around it."""
        left, right = place.header
        before = re.sub(r"\s+", " ", self.raw[left:start].decode())
        after = re.sub(r"\s+", " ", self.raw[end:right].decode()).rstrip(" :")
        old = _shorten(self.raw[start:end].decode())
        new = _shorten(new) or "nothing"
        if len(before) > WINDOW:
            before = "…" + before[-WINDOW:]
        if len(after) > WINDOW:
            after = after[:WINDOW] + "…"
        return f"{place.function or 'module'}: {before}«{old}»{after} → {new}"


_Change = tuple[_Place, str, int, int, str]


def find_mutants(source: str) -> list[Mutant]:
    """Every mutant of the source, in its order; names are unique."""
    return list(_find_mutants(source))


@lru_cache(maxsize=4)  # a tenth of a second for a large source
def _find_mutants(source: str) -> tuple[Mutant, ...]:
    return tuple(Mutator(source).mutants())


def mutated_source(source: str, mutant: Mutant) -> str:
    """The source with the one mistake in it."""
    raw = source.encode()
    return (raw[: mutant.start] + mutant.new.encode() + raw[mutant.end :]).decode()


def show_diff(source: str, mutant: Mutant) -> str:
    """What the mistake changes, as a patch."""
    lines = difflib.unified_diff(source.splitlines(), mutated_source(source, mutant).splitlines(), lineterm="", n=2)
    return "\n".join([f"@@ {mutant.function}, line {mutant.line} @@", *list(lines)[3:]])


# -------------------------------------------------------------------- asking the tree


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions directly below a node, in which a mistake can be made: no annotations."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for inner in value if isinstance(value, list) else (value,):
            if isinstance(inner, ast.expr):
                yield inner
            elif isinstance(inner, ast.comprehension | ast.keyword):
                yield from _expressions(inner)


def _blocks(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements below a statement; `if …: raise` is one with its condition, which is always False instead."""
    if not (isinstance(node, ast.If) and len(node.body) == 1 and isinstance(node.body[0], ast.Raise)):
        yield from getattr(node, "body", ())
    for handler in getattr(node, "handlers", ()):
        yield from handler.body
    yield from getattr(node, "orelse", ())
    yield from getattr(node, "finalbody", ())


def _names_bound(node: ast.AST) -> set[str]:
    """The local names that a statement, not its body, gives a value."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = list(node.targets)
    elif isinstance(node, ast.AnnAssign | ast.For):
        targets = [node.target]
    elif isinstance(node, ast.ExceptHandler) and node.name:
        return {node.name}
    return {
        inner.id
        for target in targets
        for inner in ast.walk(target)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }


def _other_values(value: object) -> list[str]:
    """What else might have been written for a constant."""
    if isinstance(value, bool):
        return [str(not value)]
    if not isinstance(value, int):
        return []
    if value > SMALL and (value & value + 1) == 0:
        return [hex(value ^ 1), hex(value >> 1)]
    return ["1"] if value == 0 else [str(value - 1), str(value + 1)]


def _asks_for_compiler(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "cython" for node in ast.walk(test))


def _calls(node: ast.stmt, names: frozenset[str]) -> bool:
    """Whether the statement is a call of one of these functions."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in names


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _shorten(text: str) -> str:
    text = re.sub(r"\s+", " ", text)
    if len(text) > LONGEST_QUOTE:
        half = LONGEST_QUOTE // 2
        return f"{text[:half]}…{text[-half:]}"
    return text
