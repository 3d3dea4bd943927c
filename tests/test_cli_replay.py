"""`refute replay`: FIXED or STILL FAILING, what is pruned, what is never started, and what cannot be read."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from refute.cli import main
from refute.compare import Comparer
from refute.divergence import Facet
from refute.engines.faulty import open_fault
from refute.engines.python_chess import PythonChessEngine
from refute.finding import read_finding, write_finding
from refute.report.text import command_for
from refute.shrink import narrow
from refute.walk import Walk

CASTLE = Walk("4k3/8/8/8/8/8/6p1/4K2R w K - 0 1")
FAULT = "fault:castle-through-attack"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = Comparer(open_fault("castle-through-attack"), [PythonChessEngine()]).compare(CASTLE).divergence
    assert found is not None
    path = tmp_path_factory.mktemp("sample") / "castle.walk"
    write_finding(path, found)
    return path


@pytest.fixture
def file(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finding that still fails, in an otherwise empty working folder."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(sample, tmp_path / "castle.walk"))


def mend(file: Path) -> Path:
    """A finding whose subject is the right board, and so fixed."""
    fixed = file.with_name("fixed.walk")
    write_finding(fixed, dataclasses.replace(read_finding(file), subject="own"))
    return fixed


def forget(file: Path, **fields: Any) -> Path:
    """A finding that did not come back when it was asked alone, of the right board; it may have other fields."""
    path = file.with_name("once.walk")
    found = dataclasses.replace(read_finding(file), subject="own", seed=7, notes={"shrunk": "not reproduced"})
    write_finding(path, dataclasses.replace(found, **fields))
    return path


def test_what_still_diverges_is_still_failing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(file)]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"STILL FAILING {file}\n")
    assert "[K]" in out
    assert out.endswith("0 fixed, 1 still failing\n")


def test_what_no_longer_diverges_is_fixed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(file), "--engine", "own"]) == 0
    assert capsys.readouterr().out == f"FIXED {file}\n1 fixed, 0 still failing\n"


def test_what_never_came_back_alone_is_not_called_fixed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    once = forget(file)
    assert main(["replay", str(once)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"NOT SEEN AGAIN {once}\n")
    assert "refute hunt --seed 7" in out
    assert out.endswith("0 fixed, 0 still failing, 1 not seen again\n")


def test_what_never_came_back_alone_still_fails_when_it_does(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(forget(file, subject=FAULT))]) == 1
    assert capsys.readouterr().out.startswith("STILL FAILING")


def test_json_tells_what_was_not_seen_again(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(forget(file)), str(mend(file)), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["fixed"], report["failing"], report["not_seen"], report["not_run"]) == (1, 0, 1, 0)
    assert [one["status"] for one in report["replayed"]] == ["not seen again", "fixed"]
    assert "earlier positions" in report["replayed"][0]["message"]


def test_several_are_replayed_and_one_that_fails_decides(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fixed = mend(file)
    assert main(["replay", str(fixed), str(file)]) == 1
    out = capsys.readouterr().out
    assert f"FIXED {fixed}" in out
    assert f"STILL FAILING {file}" in out


def test_json_tells_the_same(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(mend(file)), str(file), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["fixed"], report["failing"], report["not_run"]) == (1, 1, 0)
    assert [one["status"] for one in report["replayed"]] == ["fixed", "failing"]
    failing = report["replayed"][1]
    assert failing["was"] == failing["divergence"]["signature"] == "moves/movegen/extra king-side castle"
    assert report["replayed"][0]["divergence"] is None


def test_a_position_command_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(CASTLE)]) == 0
    assert capsys.readouterr().out.startswith("AGREES position fen"), "what was no finding is not fixed"
    assert main(["replay", str(CASTLE), "--engine", FAULT, "--against", "python-chess"]) == 1
    assert "STILL FAILING position fen" in capsys.readouterr().out


def test_the_command_a_report_prints_replays_the_finding(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = shlex.split(command_for(read_finding(file)))
    assert command[:2] == ["refute", "replay"]
    assert main(command[1:]) == 1


def test_the_command_of_a_wrong_count_shows_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    # Castling through the attack is one ply off: no move list of this walk is wrong, only what is counted below.
    walk = Walk("4k3/8/8/8/8/6p1/8/4K2R b K - 0 1")
    comparer = Comparer(open_fault("castle-through-attack"), [PythonChessEngine()], depth=2)
    found = comparer.compare(walk).divergence
    assert found is not None
    assert found.facet is Facet.PERFT
    command = shlex.split(command_for(found))
    assert main(command[1:]) == 1
    assert "STILL FAILING" in capsys.readouterr().out
    at = command.index("--depth")
    assert main(command[1:at] + command[at + 2 :]) == 0  # without counting there is nothing to see


@pytest.mark.parametrize("depth", ["0", "1", "21", "deep"])
def test_what_is_no_depth_is_refused(depth: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "position startpos", "--depth", depth]) == 2
    assert "--depth" in capsys.readouterr().err


def test_chess960_positions_are_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    walk = "position fen 4k3/8/8/8/8/8/8/1RKN4 w Q - 0 1"
    assert main(["replay", walk, "--chess960"]) == 0
    assert main(["replay", walk, "--chess960", "--engine", "fault:chess960-rook-path"]) == 1


def test_a_changed_signature_is_told(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_finding(file, dataclasses.replace(read_finding(file), kind="missing knight move"))
    assert main(["replay", str(file)]) == 1
    told = "what it shows now is moves/movegen/extra king-side castle, it was moves/movegen/missing knight move"
    assert told in capsys.readouterr().out
    assert main(["replay", str(file), "--json"]) == 1
    assert told in json.loads(capsys.readouterr().out)["replayed"][0]["message"]


def test_what_was_found_is_shown_before_another_face_of_the_same_bug(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walk = Walk("4k3/8/8/8/8/8/6b1/R3K2R b KQ - 0 1", ("g2h1",))
    comparer = Comparer(open_fault("right-kept-after-rook-capture"), [PythonChessEngine()])
    found, earlier = narrow(comparer, Facet.MOVES).compare(walk).divergence, comparer.compare(walk).divergence
    assert found is not None
    assert earlier is not None
    assert (found.facet, earlier.facet) == (Facet.MOVES, Facet.INVARIANTS)
    write_finding(file, found)
    assert main(["replay", str(file), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)["replayed"][0]
    assert report["divergence"]["signature"] == report["was"] == str(found.signature)
    assert report["message"] == ""


def test_without_arguments_the_newest_come_first_and_then_the_kept(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, kept = tmp_path / ".refute" / "found", tmp_path / "corpora" / "found"
    for folder, name, age in ((found, "old", 200), (found, "new", 100), (kept, "kept", 300)):
        folder.mkdir(parents=True, exist_ok=True)
        path = Path(shutil.copy(file, folder / f"{name}.walk"))
        os.utime(path, (10_000 - age, 10_000 - age))
    assert main(["replay", "--json"]) == 1
    targets = [Path(one["target"]).stem for one in json.loads(capsys.readouterr().out)["replayed"]]
    assert targets == ["new", "old", "kept"]


def test_with_nothing_found_there_is_nothing_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["replay"]) == 0
    assert capsys.readouterr().out.startswith("nothing to replay")


def test_a_folder_stands_for_its_findings(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mend(file)
    assert main(["replay", str(tmp_path), "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["replayed"]) == 2


def test_the_folder_of_a_hunt_stands_for_the_findings_in_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hunted = file.parent / "hunted"
    (hunted / "found").mkdir(parents=True)
    assert main(["replay", str(hunted)]) == 0
    assert f"no findings in {hunted}" in capsys.readouterr().out
    file.rename(hunted / "found" / file.name)
    assert main(["replay", str(hunted)]) == 1


def test_what_an_engine_cannot_say_is_not_called_fixed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = forget(file, facet=Facet.NULL)
    assert main(["replay", str(file), "--engine", "python-chess", "--against", "own", "--prune"]) == 2
    assert "NOT RUN" in capsys.readouterr().out
    assert file.exists()


def test_what_a_property_found_only_the_property_can_call_fixed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = forget(file, notes={"test": "fuzz/test_fen_round_trips.py::test_fen_round_trips"})
    assert main(["replay", str(file), "--prune"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("NOT SEEN AGAIN")
    assert "pytest fuzz/test_fen_round_trips.py" in out
    assert file.exists()


def test_pruning_removes_the_fixed_and_nothing_else(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fixed = mend(file)
    broken = file.with_name("broken.walk")
    broken.write_text("# format: refute-walk 1\n")
    once = forget(file)
    assert main(["replay", str(fixed), str(file), str(broken), str(once), "--prune"]) == 2
    assert "(removed)" in capsys.readouterr().out
    assert not fixed.exists()
    assert once.exists()
    assert file.exists()
    assert broken.exists()


def test_pruning_spares_kept_regressions_unless_they_are_named(file: Path, tmp_path: Path) -> None:
    found, kept = tmp_path / ".refute" / "found", tmp_path / "corpora" / "found"
    fixed = mend(file)
    for folder in (found, kept):
        folder.mkdir(parents=True)
        shutil.copy(fixed, folder / "fixed.walk")
    assert main(["replay", "--prune"]) == 0
    assert not (found / "fixed.walk").exists()
    assert (kept / "fixed.walk").exists()
    assert main(["replay", str(kept / "fixed.walk"), "--prune"]) == 0
    assert not (kept / "fixed.walk").exists()


def test_without_prune_everything_stays(file: Path) -> None:
    fixed = mend(file)
    assert main(["replay", str(fixed)]) == 0
    assert fixed.exists()


@pytest.mark.parametrize("header", ["subject", "witness"])
@pytest.mark.parametrize("spec", ["uci:{trap}", "{trap}", "py:trap:engine", "script:{trap}", " {trap}"])
def test_a_file_starts_no_program_and_imports_nothing(
    header: str, spec: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    (tmp_path / "trap.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    write_finding(file, dataclasses.replace(read_finding(file), **{header: spec.format(trap=trap)}))  # type: ignore[arg-type]  # a text field by its name
    assert main(["replay", str(file)]) == 2
    out = capsys.readouterr().out
    assert out.startswith("NOT RUN ")
    assert ("--engine SPEC" if header == "subject" else "--against SPEC") in out
    assert "--trust" in out
    assert not (tmp_path / "sprung").exists()


def test_a_trusted_file_may_start_its_engine(stockfish: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_finding(file, dataclasses.replace(read_finding(file), subject=f"uci:{stockfish}"))
    assert main(["replay", str(file)]) == 2
    assert main(["replay", str(file), "--trust"]) == 0
    assert main(["replay", str(file), "--engine", stockfish]) == 0


def test_an_unreadable_file_is_named_and_the_others_are_replayed(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.walk"
    cut.write_text(file.read_text()[:-20])
    assert main(["replay", str(cut), str(file)]) == 2
    out = capsys.readouterr().out
    assert f"NOT RUN {cut}" in out
    assert "truncated" in out
    assert f"STILL FAILING {file}" in out
    assert out.endswith("0 fixed, 1 still failing, 1 not run\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("refute-walk 1", "refute-walk 2", "refute-walk 2"),
        ("facet: moves", "facet: <script>alert(1)</script>", "facet"),
        ("position fen 4k3", "position fen 4k4", "not a position"),
        ("position fen 4k3/8/8/8/8/8/6p1/4K2R w K", "position fen 4k3/8/8/8/8/8/6p1/4K2R w Q", "FEN castling"),
        ("w K - 0 1", "w K - 0 1 moves e1e8", "illegal"),
        ("position", "\x1b[2Jposition", "control characters"),
        ("subject: fault", "subject: \x00fault", "control characters"),
        ("subject: fault:castle-through-attack", "subject: fault:no-such-fault", "no fault"),
    ],
)
def test_hostile_files_get_a_clear_message(
    old: str, new: str, message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    assert main(["replay", str(file), "--prune"]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("NOT RUN ")
    assert message in out
    assert "\x1b" not in out
    assert "\x00" not in out
    assert "Traceback" not in out + err
    assert file.exists()


def test_hostile_texts_of_a_good_file_are_shown_escaped(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_finding(file, dataclasses.replace(read_finding(file), kind="\x1b[31m<b>[bold]"))
    assert main(["replay", str(file)]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[31m<b>[bold]" in out


def test_a_pipe_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe.walk"
    os.mkfifo(pipe)
    assert main(["replay", str(pipe)]) == 2
    assert "is not a file" in capsys.readouterr().out


def test_a_missing_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(tmp_path / "none.walk")]) == 2
    assert "No such file" in capsys.readouterr().out


def test_witnesses_that_disagree_prove_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["replay", str(file), "--engine", "own", "--against", "python-chess", "--against", FAULT])
    assert code == 2
    assert "the witnesses do not settle" in capsys.readouterr().out
