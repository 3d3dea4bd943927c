"""The hunt: the same seed finds the same, budgets hold, and nothing found is ever lost."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from refute.divergence import Facet
from refute.errors import EngineError, SpecError
from refute.finding import read_finding
from refute.hunt import Options, Tally, default_witnesses, hunt

WITNESS = ("python-chess",)
FAULT = "fault:en-passant-rank-pin"


@pytest.fixture
def options(tmp_path: Path) -> Options:
    return Options(against=WITNESS, seed=5, walks=40, folder=tmp_path / ".refute")


def test_our_own_board_is_not_refuted_and_says_what_it_looked_at(options: Options) -> None:
    result = hunt(options)
    assert not result.is_refuted
    assert (result.subject, result.witnesses, result.walks) == ("own", WITNESS, 40)
    assert result.positions >= 40
    assert result.nodes > result.positions
    assert len(result.features) >= 30
    assert max(result.features.values()) > 0
    assert not (options.folder / "found").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_same_seed_finds_the_same_whatever_the_number_of_jobs(options: Options, jobs: int) -> None:
    faulty = replace(options, engine=FAULT, walks=200, shrinks=False)
    once = hunt(faulty)
    again = hunt(replace(faulty, jobs=jobs, folder=options.folder / "again"))
    assert once.is_refuted
    assert [d.walk for d in again.divergences] == [d.walk for d in once.divergences]
    assert [d.signature for d in again.divergences] == [d.signature for d in once.divergences]


def test_another_seed_walks_elsewhere(options: Options) -> None:
    faulty = replace(options, engine=FAULT, walks=200, shrinks=False)
    one, other = hunt(faulty), hunt(replace(faulty, seed=6))
    assert one.divergences[0].walk != other.divergences[0].walk


def test_a_finding_is_on_disk_shrunk_and_explained(options: Options) -> None:
    result = hunt(replace(options, engine=FAULT, walks=200))
    (found,) = result.divergences
    (path,) = (options.folder / "found").iterdir()
    stored = read_finding(path)
    assert stored.walk == found.walk
    assert stored.signature == found.signature
    assert found.explanation
    assert found.original is not None
    assert len(found.walk) <= 1


def test_a_finding_is_on_disk_before_anything_else_happens_to_it(
    options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        (path,) = (options.folder / "found").iterdir()
        assert read_finding(path).facet == Facet.MOVES
        raise KeyboardInterrupt

    monkeypatch.setattr("refute.hunter.shrink", interrupted)
    result = hunt(replace(options, engine=FAULT, walks=200))
    assert result.interrupted
    assert result.is_refuted
    assert len(list((options.folder / "found").iterdir())) == 1


def test_keeping_going_collects_each_signature_once_with_a_count(options: Options) -> None:
    result = hunt(replace(options, engine="fault:missing-underpromotion", walks=150, keep_going=True, shrinks=False))
    signatures = [d.signature for d in result.divergences]
    assert len(signatures) == len(set(signatures))
    assert sum(d.count for d in result.divergences) > len(signatures)
    assert result.walks == 150


def test_control_c_ends_with_what_was_done(options: Options) -> None:
    def press(tally: Tally) -> None:
        if tally.total().walks >= 3:
            raise KeyboardInterrupt

    result = hunt(replace(options, walks=None, seconds=60.0), press)
    assert result.interrupted
    assert result.walks >= 3
    assert result.positions > 0


def test_a_time_budget_is_kept(options: Options) -> None:
    result = hunt(replace(options, walks=None, seconds=0.3))
    assert 0.3 <= result.seconds < 5
    assert result.walks > 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_unknown_engine_is_refused_before_anything_starts(options: Options, jobs: int) -> None:
    with pytest.raises(SpecError):
        hunt(replace(options, engine="fault:no-such-thing", jobs=jobs))


def test_a_worker_that_dies_is_a_finding_with_its_walk(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "suicidal.py").write_text(
        "import os\n"
        "def moves(fen):\n"
        "    if os.environ.get('SUICIDAL') and not fen.startswith('rnbqkbnr/pppppppp'):\n"
        "        os._exit(3)\n"
        "    return []\n"
    )
    monkeypatch.setenv("SUICIDAL", "1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    result = hunt(replace(options, engine="py:suicidal:moves", jobs=2, walks=8, shrinks=False))
    (found,) = result.divergences
    assert found.facet == Facet.CRASH
    assert "exit code 3" in found.actual
    assert read_finding(found.notes["path"]).walk == found.walk


def test_a_missing_stockfish_is_listed_as_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise EngineError("no Stockfish: apt-get install stockfish")

    monkeypatch.setattr("refute.hunter.find_stockfish", missing)
    specs, skipped = default_witnesses("own")
    assert specs == ("python-chess",)
    assert "apt-get install stockfish" in skipped[0].why


def test_nobody_is_a_witness_in_its_own_case() -> None:
    assert "python-chess" not in default_witnesses("python-chess")[0]
    assert "stockfish" not in default_witnesses("stockfish")[0]


def test_wrong_counts_of_one_cause_are_one_finding(options: Options, stockfish: str) -> None:
    result = hunt(
        replace(
            options,
            engine="fault:missing-underpromotion",
            against=("python-chess", "stockfish"),
            depth=2,
            walks=120,
            keep_going=True,
        )
    )
    assert {d.facet for d in result.divergences} == {Facet.MOVES}
    signatures = [str(d.signature) for d in result.divergences]
    assert len(signatures) == len(set(signatures))
    assert len(list((options.folder / "found").iterdir())) == len(signatures)
