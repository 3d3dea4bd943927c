"""`refute bench`: fair races, honest rows, and refusals instead of flattering numbers."""

from __future__ import annotations

import json
import os
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import refute.bench.contestants as contestants
import refute.bench.perft as bench
from refute.bench import Lap, Row, exit_code, race
from refute.bench.contestants import CannotMeasure, Stockfish, Worker, build_portable, start_compiled
from refute.bench.worker import answer
from refute.board import is_compiled
from refute.cli import main

needs_compiled = pytest.mark.skipif(not is_compiled(), reason="the board runs interpreted")


def rows_of(capsys: pytest.CaptureFixture[str], *arguments: str, codes: tuple[int, ...]) -> list[dict[str, Any]]:
    """The rows that `refute bench perft --quick --json` prints."""
    assert main(["bench", "perft", "--quick", "--rounds", "1", "--json", *arguments]) in codes
    out, err = capsys.readouterr()
    assert err == ""
    rows = json.loads(out)["rows"]
    assert isinstance(rows, list)
    return rows


def test_a_race_lets_another_go_first_each_round_and_keeps_the_best() -> None:
    went: list[str] = []
    laps = {"a": iter([3.0, 1.0, 2.0]), "b": iter([6.0, 5.0, 4.0])}

    def runner(name: str) -> Any:
        def run() -> Lap:
            went.append(name)
            return Lap(12, next(laps[name]))

        return run

    best = race({"a": runner("a"), "b": runner("b")}, rounds=3)
    assert went == ["a", "b", "b", "a", "a", "b"]
    assert best == {"a": Lap(12, 1.0), "b": Lap(12, 4.0)}


def test_short_laps_are_run_until_they_took_long_enough() -> None:
    went: list[int] = []

    def run() -> Lap:
        went.append(1)
        return Lap(1, 0.25)

    race({"a": run, "b": run}, rounds=2, seconds=2.0)
    assert len(went) == 8
    went.clear()
    race({"a": run, "b": run}, rounds=6, seconds=2.0)
    assert len(went) == 12


def test_a_ratio_compares_speeds_and_not_times() -> None:
    row = Row.of("ours ÷ theirs", Lap(1000, 2.0), Lap(100, 1.0), must=5.0, aim=6.0)
    assert row.ratio == 5.0
    assert row.is_ok
    assert not Row.of("ours ÷ theirs", Lap(999, 2.0), Lap(100, 1.0), must=5.0, aim=6.0).is_ok


def test_exit_code_tells_met_from_missed_from_not_measured() -> None:
    met, missed, missing = Row("a", 2.0, 1.0), Row("b", 0.5, 1.0), Row("c", None, 1.0, why="gone")
    assert exit_code([met]) == 0
    assert exit_code([met, missed]) == 1
    assert exit_code([met, missed, missing]) == 2
    assert not missing.is_ok


@pytest.mark.parametrize("count", ["bulk", "checked", "python-chess", "python-chess bulk"])
@pytest.mark.parametrize("fen", bench.NODES)
def test_every_contestant_counts_the_same(count: str, fen: str) -> None:
    for depth in (1, 2):
        assert answer(json.dumps({"count": count, "fen": fen, "depth": depth})) == bench.NODES[fen][depth]


def test_stockfish_counts_the_same() -> None:
    with Stockfish() as stockfish:
        for fen, nodes in bench.NODES.items():
            lap = stockfish.count(fen, 3)
            assert lap.nodes == nodes[3]
            assert lap.seconds > 0


@pytest.mark.parametrize("course", [*bench.BESIDE_STOCKFISH, *bench.CHECKED, *bench.INTERPRETED])
def test_the_count_at_the_end_of_every_course_is_known(course: bench.Course) -> None:
    for quick in (False, True):
        name, depth = course.at(quick=quick)
        assert bench.NODES[course.fen][depth] > 0
        assert name == f"{course.name} d{depth}"


def test_a_wrong_count_is_worth_nothing() -> None:
    lanes: dict[str, bench.Count | str] = {
        "right": lambda fen, depth: Lap(400, 1.0),
        "wrong": lambda fen, depth: Lap(401, 0.001),
    }
    laps = bench._race(lanes, bench.START, {"right": 2, "wrong": 2}, bench.Pace(1, 0.0))
    row = bench._row("wrong ÷ right", laps["wrong"], laps["right"], must=3.0, aim=5.0)
    assert row.ratio is None
    assert "wrong counted 401" in row.why


@needs_compiled
def test_all_rows_are_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench, "start_portable", lambda stack: start_compiled())
    rows = rows_of(capsys, codes=(0, 1))
    assert [(row["must"], row["aim"]) for row in rows] == [
        *[(3.0, 5.0)] * 3,
        *[(1.8, 3.0)] * 3,
        *[(20.0, 100.0)] * 2,
        *[(3.0, 5.0)] * 2,
        (1.0, None),
    ]
    for row in rows:
        assert row["ratio"] > 0
        assert row["ok"] == (row["ratio"] >= row["must"])
        assert row["ours"]
        assert row["why"] == ""


def test_an_interpreted_run_is_never_called_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(contestants, "is_compiled", lambda: False)
    rows = rows_of(capsys, codes=(2,))
    compiled = [row for row in rows if row["measure"].startswith(("compiled", "portable"))]
    assert len(compiled) == 8
    for row in compiled:
        assert row["ratio"] is None
        assert row["ok"] is False
        assert "refused: the board runs interpreted" in row["why"]
    others = [row for row in rows if row not in compiled]
    assert all(row["ratio"] is not None for row in others)


@needs_compiled
def test_a_worker_that_turns_out_interpreted_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFUTE_PURE", "1")
    with pytest.raises(CannotMeasure, match="refused: the worker's board runs interpreted"):
        start_compiled()


def test_a_missing_stockfish_is_a_row_that_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REFUTE_STOCKFISH", "/no/such/stockfish")
    monkeypatch.setattr(bench, "start_portable", lambda stack: Worker())
    rows = [row for row in rows_of(capsys, codes=(2,)) if "Stockfish" in row["measure"]]
    assert len(rows) == 6
    assert all(row["ratio"] is None and "/no/such/stockfish" in row["why"] for row in rows)


def test_the_table_says_what_was_not_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "refute.commands.bench.BENCHES",
        {"perft": lambda rounds, tell, quick: [Row("ours ÷ theirs", None, 3.0, 5.0, why="[gone]"), Row("x", 9.0, 3.0)]},
    )
    assert main(["bench"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["ours", "÷", "theirs", "-", "3", "5", "no"] for line in lines)
    assert any(line.split() == ["x", "9.00", "3", "yes"] for line in lines)
    assert "not measured: [gone]" in lines


@pytest.mark.parametrize("arguments", [["pertf"], ["perft", "--rounds", "0"], ["perft", "--rounds", "x"]])
def test_bad_arguments_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert capsys.readouterr().err.startswith("refute: ")


def test_a_contestant_that_dies_leaves_its_last_words(tmp_path: Path) -> None:
    package = tmp_path / "refute"
    (package / "bench").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "bench" / "__init__.py").touch()
    (package / "bench" / "worker.py").write_text("raise SystemExit('out of luck')\n")
    with pytest.raises(CannotMeasure, match="out of luck"):
        Worker(tmp_path)


def test_an_import_of_numpy_fails_the_import_row(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").touch()
    (tmp_path / "refute.py").write_text("import numpy\n")
    row = bench._row_import(bench.Pace(1, 0.0), lambda stage: None, path=tmp_path)
    assert not row.is_ok
    assert "numpy" in row.why


@needs_compiled
@pytest.mark.slow
def test_the_portable_build_is_compiled_and_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("Cython")
    # The last -O counts, and optimising is what takes long; how fast the board is matters to nobody here.
    compiler = tmp_path / "cc"
    named = os.environ.get("CC") or sysconfig.get_config_var("CC")
    compiler.write_text(f'#!/bin/sh\necho "$@" >>"$0.log"\nexec {named} "$@" -O0\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    with Worker(build_portable(tmp_path)) as worker:
        assert worker.is_compiled
        assert tmp_path in worker.path.parents
        assert worker.counter("bulk")(bench.KIWIPETE, 3).nodes == 97_862
    told = (tmp_path / "cc.log").read_text()
    assert "-O3" in told
    assert "-march=native" not in told


@needs_compiled
def test_a_portable_build_without_a_compiler_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("Cython")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CannotMeasure, match="the portable build failed"):
        build_portable(tmp_path)


def test_a_portable_build_needs_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestants, "HERE", tmp_path / "site-packages")
    with pytest.raises(CannotMeasure, match="source checkout"):
        build_portable(tmp_path)
