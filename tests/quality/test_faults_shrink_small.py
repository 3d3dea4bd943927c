"""Every planted fault comes down to a walk of at most one move, and a wrong move list to a handful of men.

A path fault may keep three moves. The few that only a longer game shows come down to the fewest moves there can be.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from refute.compare import Comparer
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.faulty import FAULTS, open_fault
from refute.engines.python_chess import PythonChessEngine
from refute.explain import explain
from refute.power import MOST_MOVES, MOST_MOVES_OF_A_PATH
from refute.regression import find
from refute.report.text import depth_of
from refute.shrink import shrink
from refute.walk import Walk
from refute.walking import walk_number

WALKS: Final = Path(__file__).with_name("faulty_walks.tsv")
SENTENCES: Final = Path(__file__).with_name("fault_sentences.tsv")
HUNTED: Final = 200  # walks tried for a fault that has no walk in the file

MOST_MEN: Final = 6
MEDIAN_MEN: Final = 4


@cache
def walks() -> dict[str, Walk]:
    lines = [line.split("\t") for line in WALKS.read_text().splitlines() if not line.startswith("#")]
    return {name: Walk.parse(command, chess960=rules == "chess960") for name, rules, command in lines if name in FAULTS}


@cache
def shrunk(name: str) -> tuple[Divergence, Divergence]:
    """A fault as it is found, and shrunk; a fault that no walk at hand shows fails its test."""
    comparer = Comparer(open_fault(name), [PythonChessEngine()], chess960=FAULTS[name].chess960)
    known = walks().get(name)
    numbers = (walk_number(11, index, chess960=FAULTS[name].chess960) for index in range(HUNTED))
    for walk in [known] if known is not None else numbers:
        found = comparer.compare(walk).divergence
        if found is not None:
            # No time limit: what is measured here is how small it gets, not how fast this machine is.
            small = shrink(found, comparer, seconds=600.0)
            assert shrink(small, comparer, seconds=600.0).walk == small.walk, "shrinking twice gives the same result"
            return found, small
    pytest.fail(f"no walk at hand shows {name}")


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_shrinks_to_few_moves_and_keeps_its_signature(name: str) -> None:
    found, small = shrunk(name)
    assert small.notes["shrunk"] == "whole"
    assert small.signature == found.signature
    fault = FAULTS[name]
    limit = fault.fewest or (MOST_MOVES_OF_A_PATH if fault.path else MOST_MOVES)
    assert len(small.walk) <= limit, small.walk
    assert small.original == found.walk


@cache
def words() -> dict[str, list[str]]:
    lines = [line.split("\t") for line in SENTENCES.read_text().splitlines() if not line.startswith("#")]
    return {name: told.split(" | ") for name, told in lines}


@pytest.mark.parametrize("name", FAULTS)
def test_the_sentence_says_what_kind_of_thing_is_wrong_and_what_is_special_about_it(name: str) -> None:
    _, small = shrunk(name)
    sentence = explain(small)
    assert name in words(), f"{SENTENCES.name} has no row for {name}, of which is said: {sentence}"
    assert [part for part in words()[name] if part not in sentence.lower()] == [], sentence
    assert sentence.endswith(".")
    if small.missing or small.extra:
        assert str(small.move) in sentence


@pytest.mark.parametrize("name", FAULTS)
def test_the_generated_test_fails_on_the_faulty_board_and_passes_on_the_right_one(name: str) -> None:
    _, small = shrunk(name)
    asked: dict[str, Any] = {"facet": str(small.facet), "chess960": small.walk.chess960, "depth": depth_of(small)}
    found = find(str(small.walk), engine=f"fault:{name}", **asked)
    assert found is not None
    assert found.facet is small.facet
    assert find(str(small.walk), engine="own", **asked) is None


def test_what_the_board_finds_inside_itself_needs_no_moves() -> None:
    inside = (Facet.RESTORE, Facet.INVARIANTS, Facet.NULL)
    small = [small for _, small in map(shrunk, walks()) if small.facet in inside]
    # Taking a whole walk back, which no one move fails, needs the walk.
    small = [one for one in small if one.facet is not Facet.RESTORE or one.move is not None]
    assert len(small) >= 20
    assert {one.walk.moves for one in small} == {()}


def test_move_generation_faults_come_down_to_a_handful_of_men() -> None:
    men = []
    for found, small in map(shrunk, walks()):
        if found.verdict is Verdict.MOVEGEN:
            men.append(small.pieces)
    men.sort()
    assert len(men) >= 20
    assert sum(count <= MOST_MEN for count in men) >= 0.9 * len(men), men
    assert men[len(men) // 2] <= MEDIAN_MEN, men


def test_a_shrink_takes_few_calls_to_the_subject() -> None:
    calls = sorted(shrunk(name)[1].notes["subject_calls"] for name in walks())
    assert calls[len(calls) // 2] <= 100, calls
    assert calls[len(calls) * 9 // 10] <= 300, calls
