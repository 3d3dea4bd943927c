"""A board with a mistake has that mistake and no other, and the true board notes what it comes by."""

from __future__ import annotations

import pickle
from functools import cache
from types import CodeType
from typing import Any

import pytest

from refute.board.copies import source_of
from refute.mutating import Mutant, find_mutants, mutated_source
from refute.transplant import MET, Boards, marked_source

CORE = source_of("_core")
MUTANTS = {mutant.name: mutant for mutant in find_mutants(CORE)}
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
CASTLES = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


@cache
def boards() -> Boards:
    return Boards(CORE)


def board_with(name: str) -> Any:
    return boards().with_mistake(MUTANTS[name])


def halfmove_after(board: Any, *moves: str) -> int:
    position = board.fen.parse(START)
    for move in moves:
        position.make_uci(move)
    clock: int = position.halfmove
    return clock


def test_a_board_has_its_mistake_and_the_next_one_has_not() -> None:
    wrong = board_with("Position._make: self.halfmove += «1» → 2")
    right = board_with("Position._make: self.fullmove «+=» us → -=")
    assert halfmove_after(wrong, "g1f3", "g8f6") == 4
    assert halfmove_after(right, "g1f3", "g8f6") == 2
    assert halfmove_after(boards().true, "g1f3", "g8f6") == 2
    assert wrong._core.Position is wrong.fen.Position is not right._core.Position


@pytest.mark.parametrize(
    ("name", "question", "answer"),
    [
        ("Position.turn: return «self.side» → 0", lambda board: board.fen.parse(START.replace(" w ", " b ")).turn, 0),
        ("_square: return «square» → 0", lambda board: board.fen.parse(START).piece_at(4), 3),  # the rook on a1
        ("module: DEEPEST = «99» → 98", lambda board: board._core.DEEPEST, 98),
        (
            "Position.perft_hashed: …depth: int, *, megabytes: int = «16») -> int → 15",
            lambda board: board._core.Position.perft_hashed.__kwdefaults__,
            {"megabytes": 15},
        ),
    ],
    ids=["a property", "a function", "a constant", "a default"],
)
def test_every_kind_of_place_can_have_a_mistake(name: str, question: Any, answer: object) -> None:
    assert question(board_with(name)) == answer
    assert question(boards().true) != answer


def code_of(module: dict[str, Any], function: str) -> CodeType:
    owner, _, name = function.rpartition(".")
    found = vars(module[owner])[name] if owner else module[name]
    code: CodeType = getattr(found, "fget", found).__code__
    return code


def test_a_function_with_a_mistake_is_what_its_whole_source_makes_of_it() -> None:
    for mutant in [mutant for mutant in MUTANTS.values() if mutant.function != "module"][::149]:
        whole: dict[str, Any] = {}
        exec(compile(mutated_source(CORE, mutant), "whole", "exec"), whole)
        theirs = code_of(whole, mutant.function)
        ours = code_of(vars(boards().core_with_mistake(mutant)), mutant.function)
        assert ours.co_code == theirs.co_code, mutant.name
        assert (ours.co_names, ours.co_varnames) == (theirs.co_names, theirs.co_varnames)
        simple = [[const for const in code.co_consts if not isinstance(const, CodeType)] for code in (ours, theirs)]
        assert simple[0] == simple[1]


def test_a_position_of_a_board_with_a_mistake_can_be_pickled() -> None:
    board = board_with("Position._make: self.halfmove += «1» → 2")
    position = board.fen.parse(START)
    position.make_uci("g1f3")
    twin = pickle.loads(pickle.dumps(position))
    assert type(twin) is board._core.Position
    assert twin == position


def castle_statements() -> set[int]:
    lines = CORE.splitlines()
    return {number for number, line in enumerate(lines, 1) if "self._remove(us * 6 + KING, source)" in line}


def test_the_true_board_notes_the_statements_it_comes_by() -> None:
    boards().met().clear()
    boards().true.fen.parse(START).make_uci("g1f3")
    met = set(boards().met())
    assert met
    assert not castle_statements() & met
    boards().met().clear()
    boards().true.fen.parse(CASTLES).make_uci("e1g1")
    assert castle_statements() <= boards().met()


def test_every_mistake_in_a_function_belongs_to_a_statement_that_can_be_met() -> None:
    marks = marked_source(CORE)
    for mutant in MUTANTS.values():
        statement = boards().statement(mutant)
        if mutant.function == "module":
            assert statement is None
        else:
            assert f"{MET}.add({statement})" in marks, mutant.name


def test_a_statement_on_many_lines_is_met_as_one() -> None:
    mutant: Mutant = MUTANTS[
        "Position._same: …key and self.side == other.side «and» self.castling == other.castling… → or"
    ]
    statement = boards().statement(mutant)
    assert statement is not None
    assert statement < mutant.line
    assert CORE.splitlines()[statement - 1].strip() == "return ("
