"""`refute faults`: the list, the table, JSON, CSV and the page, and what it says when it cannot."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import refute.power
from refute.cli import main
from refute.engines.faulty import FAULTS
from refute.power import PERFT_COUNTS, Measured, Trial, measure

EASY = "edge-pawn-cannot-capture"
HARD = "repetition-counted-short"


def test_the_list_names_every_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in FAULTS)
    assert f"{len(FAULTS)} faults" in out


def test_the_list_as_json_says_what_each_fault_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults", "--list", "--json", "--class", "en passant"]) == 0
    listed = json.loads(capsys.readouterr().out)["faults"]
    assert {fault["class"] for fault in listed} == {"en passant"}
    assert all(fault["what"] == FAULTS[fault["name"]].what for fault in listed)


def test_a_named_fault_is_found_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults", EASY, "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert EASY in out
    assert "movegen" in out
    assert "median positions until found" in out


def test_json_has_a_fault_for_each_seed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults", EASY, "--seed", "3,1", "--seed", "2", "--jobs", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [fault["seed"] for fault in report["faults"]] == [3, 1, 2]
    assert report["seeds"] == [3, 1, 2]
    for fault in report["faults"]:
        assert (fault["name"], fault["class"], fault["found"]) == (EASY, "pawns", True)
        assert (fault["verdict"], fault["verdict_right"], fault["moves"]) == ("movegen", True, 0)
        assert 1 <= fault["positions"] <= report["budget"] == 20_000
    assert report["summary"][0]["seeds"]["1"].startswith("1 of 1")


def test_a_fault_that_is_not_found_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults", HARD, "--positions", "20", "--jobs", "1", "--json"]) == 1
    (fault,) = json.loads(capsys.readouterr().out)["history"]
    assert (fault["found"], fault["verdict"], fault["verdict_right"], fault["pieces"]) == (False, None, None, None)


def test_csv_goes_to_standard_output_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults", EASY, "--jobs", "1", "--csv", "-"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["name"], row["verdict_right"]) == (EASY, "True")


def test_csv_and_page_are_written_to_files(tmp_path: Path) -> None:
    table, page = tmp_path / "new" / "faults.csv", tmp_path / "faults.html"
    assert main(["faults", EASY, "--jobs", "1", "--csv", str(table), "--report", f"html:{page}"]) == 0
    assert table.read_text().startswith("name,class,")
    assert EASY in page.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["faults.html", "new"]


def test_walks_are_compared_in_one_run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refute.power, "PERFT_COUNTS", PERFT_COUNTS[:1])
    assert main(["faults", EASY, "--compare", "--seed", "1,2", "--jobs", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    standings = {standing["walks"]: standing for standing in report["comparison"]["standings"]}
    assert {walks: standing["trials"] for walks, standing in standings.items()} == {"ours": 2, "uniform": 2, "perft": 1}
    assert report["budget"] == 2000
    assert all(value > 0 for value in report["comparison"]["ratios"].values())
    assert main(["faults", EASY, "--compare", "--jobs", "1", "--markdown"]) == 0
    assert "| our walks | 1 of 1 |" in capsys.readouterr().out
    assert main(["faults", EASY, "--compare", "--jobs", "1"]) == 0
    assert "uniform random games" in capsys.readouterr().out


def test_an_interrupt_leaves_the_table_of_what_was_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(trials: list[Trial], *, jobs: int | None) -> Iterator[Measured]:
        yield measure(trials[0])
        raise KeyboardInterrupt

    monkeypatch.setattr(refute.power, "measure_all", interrupted)
    assert main(["faults", EASY, HARD]) == 130
    out = capsys.readouterr().out
    assert EASY in out
    assert HARD not in out
    assert "interrupted" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-fault"], "no fault 'no-such-fault'"),
        (["en-passant-pin"], "did you mean"),
        (["--class", "nonsense"], "no class"),
        (["--seed", "one"], "'one' is not a seed"),
        (["--seed", "-1"], "not a seed"),
        (["--seed", ",".join(map(str, range(101)))], "more than 100"),
        (["--positions", "0"], "--positions"),
        (["--jobs", "0"], "--jobs"),
        (["--against", "nobody"], "nobody"),
        ([EASY, "--class", "castling"], "no fault"),
        (["--report", "md:x.md"], "html"),
        (["--report", "html:"], "where to"),
        ([EASY, "--jobs", "1", "--csv", "/dev/null/x"], "cannot be written"),
    ],
)
def test_what_cannot_run_is_told_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["faults", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err
