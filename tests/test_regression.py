"""Regression tests as they are generated: red on the faulty board, green on the right one."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import refute
from refute.compare import Comparer
from refute.divergence import Divergence, Facet
from refute.engines.faulty import open_fault
from refute.engines.python_chess import PythonChessEngine
from refute.errors import EngineError, InputError, WalkError
from refute.regression import assert_agrees, close_engines, compare, depth_for, find, tell, witness_specs
from refute.report import HuntResult, ReportTarget, write_report
from refute.report.pytest_file import render_pytest
from refute.shrink import shrink
from refute.walk import Walk

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
CASTLE = "position fen 4k3/8/8/8/8/8/6p1/4K2R w K - 0 1"
FOUR_PLIES_ABOVE = "4k3/8/8/8/6p1/8/P7/4K2R b K - 0 1"
FAULT = "fault:castle-through-attack"
SOURCE = Path(refute.__file__).parents[1]


def finding() -> Divergence:
    comparer = Comparer(open_fault("castle-through-attack"), [PythonChessEngine()])
    found = comparer.compare(Walk(KIWIPETE, ("a1b1", "a6e2"))).divergence
    assert found is not None
    return shrink(found, comparer)


def run(file: Path) -> subprocess.CompletedProcess[str]:
    """The file under pytest, in a process of its own and without our configuration."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(file.parent), str(file)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "200"}
    return subprocess.run(command, env=environment, cwd=file.parent, capture_output=True, text=True, timeout=120)


def test_a_generated_file_fails_on_the_faulty_board_and_passes_on_the_right_one(tmp_path: Path) -> None:
    small = finding()
    result = HuntResult(small.subject, (small.witness,), 1, 1, 1, 1, 1.0, divergences=(small,))
    file = tmp_path / "test_found.py"
    write_report(ReportTarget("pytest", file), result)
    red = run(file)
    assert red.returncode == 1, red.stdout + red.stderr
    assert "1 failed" in red.stdout
    assert "[e1g1]" in red.stdout

    text = file.read_text()
    assert f"engine='{FAULT}'" in text
    file.write_text(text.replace(f"engine='{FAULT}'", "engine='own'"))
    green = run(file)
    assert green.returncode == 0, green.stdout + green.stderr
    assert "1 passed" in green.stdout


def test_agreement_raises_nothing() -> None:
    assert_agrees(CASTLE)
    assert_agrees(f"position fen {KIWIPETE} moves e1g1 e8c8", engine="own:pure")


def test_a_divergence_is_told_with_its_board_and_its_sentence() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_agrees(CASTLE, engine=FAULT)
    message = str(caught.value)
    assert message.startswith("moves/movegen/extra king-side castle")
    assert "[K]" in message
    assert "e1g1" in message
    assert CASTLE in message
    assert "\x1b" not in message


def test_a_test_about_one_facet_is_not_about_those_looked_at_later() -> None:
    quiet = "position fen 4k3/8/8/8/8/8/4p3/4K3 w - - 0 1"
    assert_agrees(quiet, engine="fault:capture-not-undone", facet="moves")
    with pytest.raises(AssertionError):
        assert_agrees(quiet, engine="fault:capture-not-undone", facet="restore")
    with pytest.raises(AssertionError):
        assert_agrees(quiet, engine="fault:capture-not-undone")


def test_chess960_is_taken_as_such() -> None:
    walk = "position fen 4k3/8/8/8/8/8/8/1RKN4 w Q - 0 1"
    assert find(walk, chess960=True) is None
    found = find(walk, engine="fault:chess960-rook-path", chess960=True)
    assert found is not None
    assert found.extra == ("c1b1",)


def test_a_wrong_count_is_found_at_the_depth_given() -> None:
    command = f"position fen {KIWIPETE}"
    found = find(command, engine=FAULT, facet="perft", depth=2)
    assert found is not None
    assert found.facet is Facet.PERFT
    assert "at depth 2" in found.actual
    assert find(command, engine=FAULT, facet="moves") is None


def test_the_generated_test_of_a_wrong_count_counts_as_deep() -> None:
    """A bug that shows four plies below: a test that counts three deep would pass while it lives."""
    comparer = Comparer(open_fault("castle-through-attack"), [PythonChessEngine()], depth=4)
    found = comparer.compare(Walk(FOUR_PLIES_ABOVE)).divergence
    assert found is not None
    assert found.facet is Facet.PERFT
    assert find(str(found.walk), engine=FAULT, facet="perft") is None
    scope: dict[str, Any] = {}
    exec(render_pytest(HuntResult(FAULT, (), 1, 1, 1, 1, 1.0, divergences=(found,))), scope)
    (test,) = (value for name, value in scope.items() if name.startswith("test_"))
    with pytest.raises(AssertionError, match="at depth 4"):
        test()


def test_engines_are_opened_once_and_closed_for_good_measure() -> None:
    from refute import regression

    close_engines()
    find(CASTLE)
    first = regression._engines["own"]
    find(CASTLE)
    assert regression._engines["own"] is first
    close_engines()
    assert regression._engines == {}
    assert find(CASTLE) is None


@pytest.mark.parametrize(
    ("texts", "specs"),
    [
        (["python-chess"], ("python-chess",)),
        (["python-chess, stockfish"], ("python-chess", "stockfish")),
        (["stockfish", "python-chess, stockfish"], ("stockfish", "python-chess")),
        (["itself"], ("python-chess",)),
        ([], ("python-chess",)),
    ],
)
def test_witnesses_are_read_as_findings_write_them(texts: list[str], specs: tuple[str, ...]) -> None:
    assert witness_specs(texts, subject="own") == specs


def test_nobody_is_a_witness_in_its_own_case() -> None:
    assert witness_specs(["itself"], subject="python-chess") == ("stockfish",)


def test_only_counts_are_counted_and_what_says_that_it_shows_in_counting() -> None:
    assert depth_for(Facet.MOVES) == depth_for(Facet.CRASH, "rm -rf") == depth_for(None) == 0
    assert depth_for(Facet.CRASH, 2) == 2
    assert depth_for(Facet.PERFT, 5) == 5
    assert depth_for(Facet.PERFT, "rm -rf") == depth_for(Facet.PERFT, -1) == depth_for(Facet.PERFT) == 3


def test_a_file_cannot_ask_for_an_endless_count() -> None:
    with pytest.raises(InputError, match="5 is the most"):
        depth_for(Facet.PERFT, 10**9)


def test_an_unknown_facet_is_named() -> None:
    with pytest.raises(InputError, match="'mvoes' is not a facet"):
        assert_agrees(CASTLE, facet="mvoes")


@pytest.mark.parametrize("command", ["go perft 1", "position fen nonsense", f"{CASTLE} moves e1e8"])
def test_a_command_that_is_no_walk_is_refused(command: str) -> None:
    with pytest.raises(WalkError):
        assert_agrees(command)


def test_witnesses_that_disagree_prove_nothing() -> None:
    comparer = Comparer(PythonChessEngine(), [open_fault("castle-through-attack"), PythonChessEngine()])
    with pytest.raises(EngineError, match="the witnesses do not settle"):
        compare(comparer, Walk.parse(CASTLE))


def test_what_an_engine_printed_cannot_steer_the_terminal() -> None:
    found = find(CASTLE, engine=FAULT)
    assert found is not None
    evil = dataclasses.replace(found, actual="\x1b[2J", actual_moves=(), extra=("\x1b[31m",))
    assert "\x1b" not in tell(evil)
