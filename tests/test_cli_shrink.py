"""`refute shrink`: files replaced by smaller ones, `position` commands shown, and what it refuses."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from refute.cli import main
from refute.compare import Comparer
from refute.divergence import Divergence
from refute.engines.faulty import open_fault
from refute.engines.python_chess import PythonChessEngine
from refute.finding import read_finding, write_finding
from refute.shrink import Shrinker
from refute.walk import Walk

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
WALK = Walk(KIWIPETE, ("a1b1", "a6e2"))
FAULT = "fault:castle-through-attack"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A finding as a hunt leaves it, not yet shrunk."""
    found = Comparer(open_fault("castle-through-attack"), [PythonChessEngine()]).compare(WALK).divergence
    assert found is not None
    path = tmp_path / "found.walk"
    write_finding(path, found)
    return path


def test_a_file_is_replaced_by_its_smaller_form(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shrink", str(file)]) == 1
    out = capsys.readouterr().out
    small = read_finding(file)
    assert (small.walk.moves, small.pieces) == ((), 4)
    assert small.original == WALK
    assert small.explanation
    assert str(small.walk) in out
    assert "2 moves, 32 men → 0 moves, 4 men" in out
    assert f"written to {file}" in out
    assert [path.name for path in file.parent.iterdir()] == ["found.walk"]


def test_shrinking_a_file_twice_changes_nothing(file: Path) -> None:
    main(["shrink", str(file)])
    once = read_finding(file)
    main(["shrink", str(file)])
    twice = read_finding(file)
    assert (twice.walk, twice.original, twice.signature) == (once.walk, once.original, once.signature)


def test_another_file_is_written_when_asked_and_the_first_left_alone(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    small = tmp_path / "new" / "small.walk"
    assert main(["shrink", str(file), "-o", str(small)]) == 1
    assert file.read_bytes() == before
    assert read_finding(small).pieces == 4


def test_a_position_command_is_shrunk_and_only_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["shrink", str(WALK), "--engine", FAULT, "--against", "python-chess", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["path"] is None
    assert report["shrunk"] == "whole"
    assert report["subject_calls"] > 5
    assert report["divergence"]["moves"] == []
    assert report["divergence"]["pieces"] == 4
    assert list(tmp_path.iterdir()) == []


def test_what_diverges_no_more_is_left_as_it_is(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = file.read_bytes()
    assert main(["shrink", str(file), "--engine", "own"]) == 0
    assert capsys.readouterr().out.startswith("FIXED ")
    assert file.read_bytes() == before


def test_what_never_came_back_alone_is_not_called_fixed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_finding(file, dataclasses.replace(read_finding(file), notes={"shrunk": "not reproduced"}))
    assert main(["shrink", str(file), "--engine", "own"]) == 0
    assert capsys.readouterr().out.startswith("NOT SEEN AGAIN ")
    assert main(["shrink", str(file), "--engine", "own", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "not seen again"


def test_an_interrupt_keeps_the_best_so_far(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = Shrinker.attempt

    def interrupted(self: Shrinker, walk: Walk) -> bool:
        if self.best.pieces < 20:
            raise KeyboardInterrupt
        return attempt(self, walk)

    monkeypatch.setattr(Shrinker, "attempt", interrupted)
    assert main(["shrink", str(file)]) == 130
    kept = read_finding(file)
    assert kept.pieces < 20
    assert kept.original == WALK
    again = Comparer(open_fault("castle-through-attack"), [PythonChessEngine()]).compare(kept.walk).divergence
    assert again is not None
    assert again.signature == kept.signature


def test_little_time_is_time_enough_to_end_well(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shrink", str(file), "--seconds", "0.1", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["shrunk"] in ("whole", "out of time")
    found: Divergence = read_finding(file)
    assert str(found.signature) == report["divergence"]["signature"]


def damage(file: Path, how: str) -> None:
    text = file.read_text()
    damaged = {
        "truncated": text[: len(text) // 2],
        "from another version": text.replace("refute-walk 1", "refute-walk 99"),
        "illegal": text.replace("moves a1b1", "moves a1h8"),
        "no position": text.replace(KIWIPETE, "8/8/8/8/8/8/8/8 w - - 0 1"),
        "impossible": text.replace(KIWIPETE, KIWIPETE.replace(" - 0 1", " e6 0 1")),
        "control characters": text.replace("moves a1b1", "moves \x1b[31ma1b1"),
        "empty": "",
    }
    file.write_text(damaged[how])
    assert file.read_text() != text


@pytest.mark.parametrize(
    "how",
    ["truncated", "from another version", "illegal", "no position", "impossible", "control characters", "empty"],
)
def test_a_damaged_file_is_refused_and_left_as_it_is(how: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damage(file, how)
    before = file.read_bytes()
    assert main(["shrink", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert "\x1b" not in err
    assert "Traceback" not in err
    assert file.read_bytes() == before


def test_a_file_does_not_start_programs(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    file.write_text(file.read_text().replace(f"subject: {FAULT}", f"subject: uci:{trap}"))
    assert main(["shrink", str(file)]) == 2
    err = capsys.readouterr().err
    assert "--engine SPEC" in err
    assert "--trust" in err
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such.walk"], "No such file"),
        (["position startpos moves e2e5"], "illegal"),
        (["position fen x"], "not a position"),
        (["position startpos", "--engine", "fault:nope"], "no fault"),
        (["position startpos", "--seconds", "0"], "0"),
        (["bad\0name"], "bad"),
    ],
)
def test_what_cannot_be_shrunk_is_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shrink", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert message in err
