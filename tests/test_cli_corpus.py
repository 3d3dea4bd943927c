"""`refute corpus`: the same command gives the same bytes, and whatever is changed in them is found."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from refute.cli import main

SHIPPED = Path(__file__).parents[1] / "corpora"
SMALL = ("--seed", "7", "--positions", "12", "--nodes", "50")


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A small corpus, just built."""
    built = tmp_path / "corpora"
    assert main(["corpus", "build", *SMALL, "--folder", str(built)]) == 0
    capsys.readouterr()
    return built


def report(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    """The JSON object that `refute corpus … --json` prints."""
    assert main(["corpus", *arguments, "--json"]) == code
    out, err = capsys.readouterr()
    assert err == ""
    told = json.loads(out)
    assert isinstance(told, dict)
    return told


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def change(path: Path, pattern: str, replacement: str) -> None:
    text, changed = re.subn(pattern, replacement, path.read_text(), count=1)
    assert changed == 1
    path.write_text(text)


def test_what_is_built_is_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "verify", "--folder", str(folder)]) == 0
    assert capsys.readouterr().out == "3 files checked by our own board: nothing wrong\n"
    told = report(capsys, "verify", "--folder", str(folder), "--against", "python-chess", "--max-nodes", "1000")
    assert told["ok"] is True
    assert told["problems"] == []
    assert len(told["files"]) == 3


def test_the_same_command_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again, other = tmp_path / "again", tmp_path / "other"
    assert main(["corpus", "build", *SMALL, "--folder", str(again)]) == 0
    assert main(["corpus", "build", *SMALL, "--seed", "8", "--folder", str(other)]) == 0
    assert bytes_of(again) == bytes_of(folder)
    assert bytes_of(other) != bytes_of(folder)


def test_the_command_in_the_provenance_is_one_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = report(capsys, "build", *SMALL, "--against", "python-chess", "--folder", str(tmp_path / "one"))
    (command,) = {line for file in told["files"] for line in file["provenance"] if line.startswith("refute corpus")}
    words = shlex.split(command)
    assert main([*words[1:], "--folder", str(tmp_path / "two")]) == 0
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_a_witness_confirms_and_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "build", *SMALL, "--against", "python-chess", "--folder", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.count("confirmed by python-chess ") == 3
    assert main(["corpus", "build", *SMALL, "--folder", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("our own board alone") == 3


def test_a_witness_that_does_not_confirm_leaves_nothing_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "corpora"
    arguments = ["build", *SMALL, "--against", "fault:castle-through-attack", "--folder", str(folder)]
    assert main(["corpus", *arguments]) == 2
    assert "fault:castle-through-attack counts " in capsys.readouterr().err
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "pattern", "replacement", "message"),
    [
        pytest.param("perft/standard.epd", ";D1 20", ";D1 21", "depth 1 says 21, our own board counts 20", id="count"),
        pytest.param("perft/standard.epd", "(# provenance.*\n)+", "", "has no provenance", id="no provenance"),
        pytest.param("perft/chess960.epd", ";D1 ", ";D1 x", "is not a depth", id="no suite"),
        pytest.param("positions/synthesised.fen", r"\n(.+)\n$", r"\n\1\n\1\n", "repeats line", id="repeated"),
        pytest.param("positions/synthesised.fen", r"\n$", "\nnonsense\n", "FEN", id="no position"),
    ],
)
def test_whatever_is_changed_is_found_with_its_file_and_line(
    name: str, pattern: str, replacement: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(folder / name, pattern, replacement)
    told = report(capsys, "verify", "--folder", str(folder), code=1)
    assert told["ok"] is False
    (problem,) = told["problems"]
    assert problem["path"] == str(folder / name)
    assert problem["line"] > 0
    assert message in problem["text"]
    assert main(["corpus", "verify", "--folder", str(folder)]) == 1
    out = capsys.readouterr().out
    assert f"{name}, line {problem['line']}: " in out
    assert "1 problem" in out


def test_counts_taken_on_trust_are_said_to_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder / "perft" / "standard.epd", ";D2 400", ";D2 401")
    assert main(["corpus", "verify", "--folder", str(folder), "--max-nodes", "100"]) == 0
    assert "counts above 100 were taken on trust" in capsys.readouterr().out
    assert main(["corpus", "verify", "--folder", str(folder)]) == 1


def test_a_witness_finds_what_our_own_board_would_share(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--folder", str(folder), "--max-nodes", "1000", "--against", "fault:castle-through-attack"]
    told = report(capsys, "verify", *arguments, code=1)
    assert all("fault:castle-through-attack counts" in problem["text"] for problem in told["problems"])
    assert told["problems"]


def test_found_walks_are_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "found").mkdir()
    (folder / "found" / "one.walk").write_text("position nowhere\n")
    told = report(capsys, "verify", "--folder", str(folder), code=1)
    (problem,) = told["problems"]
    assert problem["path"].endswith("one.walk")


def test_building_leaves_found_walks_alone(folder: Path) -> None:
    (folder / "found").mkdir()
    (folder / "found" / "one.walk").write_text("kept")
    assert main(["corpus", "build", *SMALL, "--folder", str(folder)]) == 0
    assert (folder / "found" / "one.walk").read_text() == "kept"


def test_an_empty_folder_is_a_problem_and_not_a_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "verify", "--folder", str(tmp_path)]) == 1
    assert "has no perft/*.epd" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "--folder", "no-such-folder"], "is not a folder"),
        (["verify", "--folder", str(SHIPPED), "--against", "no-such-program"], "no-such-program"),
        (["verify", "--max-nodes", "-3"], "--max-nodes"),
        (["build", "--positions", "0"], "--positions"),
        (["build", "--positions", "100001"], "--positions"),
        (["build", "--seed", "-1"], "--seed"),
        (["build", "--nodes", "many"], "many"),
        (["build", *SMALL, "--folder", f"{__file__}/corpora"], "cannot be written"),
        (["build", "--against", "/bin/cat"], "not a UCI engine"),
        (["biuld"], "biuld"),
    ],
)
def test_what_cannot_be_done_is_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert message in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.chmod(0o500)
    try:
        assert main(["corpus", "build", *SMALL, "--folder", str(tmp_path / "corpora")]) == 2
    finally:
        tmp_path.chmod(0o700)
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["build", "verify"])
def test_both_have_help_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", name, "--help"]) == 0
    assert f"refute corpus {name}" in capsys.readouterr().out


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus"]) == 0
    out = capsys.readouterr().out
    assert "build" in out
    assert "verify" in out
