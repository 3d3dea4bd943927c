"""One file for each cause: hunts add up in it, and whoever is killed at any moment loses nothing."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest

from refute.cli import main
from refute.divergence import Divergence, Facet, Verdict
from refute.finding import finding_path, read_finding, write_finding
from refute.hunter import Options
from refute.kept import cause_path, keep, other_walks, time_stamp
from refute.suite.run import Run
from refute.walk import START_FEN, Walk

SMALL = Walk("4k3/8/8/8/8/8/6p1/4K2R w K - 0 1")
FIRST, SECOND, THIRD = "2026-01-01T00:00:00.000Z", "2026-02-02T00:00:00.000Z", "2026-03-03T00:00:00.000Z"


def finding(*played: str, **fields: Any) -> Divergence:
    """A finding that was shrunk from a walk of its own."""
    found = Divergence(
        walk=SMALL,
        facet=Facet.MOVES,
        verdict=Verdict.MOVEGEN,
        kind="extra king-side castle",
        subject="uci:./mine",
        witness="python-chess",
        expected="14 moves",
        actual="15 moves",
        original=Walk(START_FEN, played),
    )
    return dataclasses.replace(found, **fields)


def shelve(folder: Path, found: Divergence, hunt: str) -> Path:
    """What a hunt does: the finding has a file of its own before it is kept."""
    own = finding_path(folder, found)
    write_finding(own, found)
    return keep(folder, dataclasses.replace(found, notes={**found.notes, "path": str(own)}), hunt=hunt)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_two_hunts_that_find_one_cause_leave_one_file(tmp_path: Path) -> None:
    early = shelve(tmp_path, finding("e2e4", count=3, seed=1), FIRST)
    late = shelve(tmp_path, finding("d2d4", count=2, seed=2), SECOND)
    assert late == early
    assert files(tmp_path) == [late.name]
    known = read_finding(late)
    assert (known.count, known.seed) == (5, 2)
    assert (known.notes["first_seen"], known.notes["last_seen"]) == (FIRST, SECOND)


def test_one_hunt_counts_its_walks_once_however_often_it_writes(tmp_path: Path) -> None:
    shelve(tmp_path, finding("e2e4", count=3), FIRST)
    for count in (1, 4, 4):
        path = shelve(tmp_path, finding("d2d4", count=count), SECOND)
    assert read_finding(path).count == 3 + 4
    assert read_finding(shelve(tmp_path, finding("d2d4"), THIRD)).count == 3 + 4 + 1


@pytest.mark.parametrize(
    "other",
    [
        {"walk": dataclasses.replace(SMALL, chess960=True)},
        {"kind": "extra en passant"},
        {"facet": Facet.CHECK},
        {"subject": "own"},
    ],
    ids=["variant", "kind", "facet", "subject"],
)
def test_another_cause_has_a_file_of_its_own(other: dict[str, Any], tmp_path: Path) -> None:
    shelve(tmp_path, finding("e2e4"), FIRST)
    shelve(tmp_path, finding("d2d4", **other), SECOND)
    assert len(files(tmp_path)) == 2
    assert {read_finding(path).count for path in tmp_path.iterdir()} == {1}


def test_another_walk_that_breaks_the_same_rule_takes_the_place_of_the_first(tmp_path: Path) -> None:
    path = shelve(tmp_path, finding("e2e4", move="e1g1"), FIRST)
    queen_side = Walk("4k3/8/8/8/8/8/4p3/R3K3 w Q - 0 1")
    for kind in ("extra king-side castle", "extra queen-side castle"):
        path = shelve(tmp_path, finding("d2d4", walk=queen_side, move="e1c1", kind=kind), SECOND)
        assert files(tmp_path) == [path.name]
        assert (read_finding(path).walk, read_finding(path).kind) == (queen_side, kind)
        assert "also" not in read_finding(path).notes


def test_a_walk_that_breaks_another_rule_is_kept_beside_the_newest_and_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = {"kind": "extra en passant", "subject": "fault:en-passant-rank-pin"}
    rank, diagonal = Walk("4k3/8/8/1KPpr3/8/8/8/8 w - d6 0 1"), Walk("4k3/8/8/5pPK/4b3/8/8/8 w - f6 0 1")
    shelve(tmp_path, finding("e2e4", walk=rank, move="c5d6", **extra), FIRST)
    path = shelve(tmp_path, finding("d2d4", walk=diagonal, move="g5f6", **extra), SECOND)
    assert files(tmp_path) == [path.name]
    known = read_finding(path)
    assert known.walk == diagonal
    assert list(known.notes["also"].values()) == [str(rank)]
    assert other_walks(known) == (rank,)
    assert main(["replay", str(path), "--against", "python-chess"]) == 1
    out = capsys.readouterr().out
    assert "another of the same cause" in out
    assert str(rank) in out


def test_what_was_not_shrunk_to_the_end_does_not_replace_what_was(tmp_path: Path) -> None:
    shelve(tmp_path, finding("e2e4", notes={"shrunk": "whole"}), FIRST)
    large = Walk("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    path = shelve(tmp_path, finding("d2d4", walk=large, notes={"shrunk": "out of time"}), SECOND)
    assert files(tmp_path) == [path.name]
    known = read_finding(path)
    assert (known.walk, known.count) == (SMALL, 2)
    assert other_walks(known) == (large,)


@pytest.mark.parametrize(
    "fields",
    [
        {"notes": {"shrunk": "not reproduced"}},
        {"walk": Walk(START_FEN, ("g1f3", "g8f6", "f3g1", "f6g8") * 40)},
    ],
    ids=["never came back", "long"],
)
def test_what_cannot_be_kept_beside_another_has_a_file_of_its_own(fields: dict[str, Any], tmp_path: Path) -> None:
    early = shelve(tmp_path, finding("e2e4", **fields), FIRST)
    late = shelve(tmp_path, finding("d2d4"), SECOND)
    assert files(tmp_path) == sorted([early.name, late.name])
    assert shelve(tmp_path, finding("c2c4", **fields), THIRD) == early
    assert read_finding(early).count == 2


def test_a_file_of_any_name_that_tells_the_same_is_taken_in(tmp_path: Path) -> None:
    found = finding("e2e4", count=4)
    leftover = finding_path(tmp_path, found)  # of a hunt that was killed before it could tidy up
    write_finding(leftover, found)
    os.utime(leftover, (0, 0))
    path = shelve(tmp_path, finding("d2d4"), FIRST)
    assert files(tmp_path) == [path.name]
    assert read_finding(path).count == 5
    assert read_finding(path).notes["first_seen"] == time_stamp(0) == "1970-01-01T00:00:00.000Z"


def test_files_that_cannot_be_read_or_lie_are_left_alone(tmp_path: Path) -> None:
    known = finding("e2e4", notes={"first_seen": ["never"], "last_seen": 7, "count_before": "many", "also": [1]})
    write_finding(cause_path(tmp_path, known), known)
    broken = tmp_path / "moves-movegen-extra-king-side-castle-broken.walk"
    broken.write_text("# format: refute-walk 9\n")
    path = shelve(tmp_path, finding("d2d4"), FIRST)
    assert read_finding(path).count == 2
    assert broken.read_text() == "# format: refute-walk 9\n"


@pytest.mark.parametrize("moment", range(6))
def test_whoever_is_killed_at_any_moment_leaves_the_cause_readable(
    moment: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Death strikes before the n-th change of the folder; the next hunt finds all in order."""
    shelve(tmp_path, finding("e2e4", count=3), FIRST)
    write_finding(tmp_path / "moves-movegen-extra-king-side-castle-copy.walk", finding("g1f3"))
    changes = 0

    def mortal(change: Any) -> Any:
        def deed(*args: Any, **kwargs: Any) -> Any:
            nonlocal changes
            changes += 1
            if changes > moment:
                raise SystemExit("killed")
            return change(*args, **kwargs)

        return deed

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", mortal(os.replace))
        patch.setattr(Path, "unlink", mortal(Path.unlink))
        if moment < 4:  # its own file, the cause's file, and two that are removed
            with pytest.raises(SystemExit):
                shelve(tmp_path, finding("d2d4", count=2), SECOND)
        else:
            shelve(tmp_path, finding("d2d4", count=2), SECOND)
    known = [read_finding(path) for path in tmp_path.glob("*.walk")]
    assert {found.walk for found in known} == {SMALL}
    assert max(found.count for found in known) >= 3
    path = shelve(tmp_path, finding("c2c4"), THIRD)
    assert files(tmp_path) == [path.name]
    assert read_finding(path).count >= 3 + 1
    assert read_finding(path).notes["first_seen"] == FIRST


def test_hunts_of_different_seeds_add_up_in_one_file_and_the_newest_is_replayed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["fault:scores-not-moved", "fault:mailbox-keeps-man"]
    for name, seed in ((names[1], "1"), (names[0], "1"), (names[1], "2")):
        assert main(["hunt", "--against", "python-chess", "--walks", "3", "--engine", name, "--seed", seed]) == 1
    found = sorted((tmp_path / ".refute" / "found").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert [read_finding(path).subject for path in found] == names
    assert [read_finding(path).count for path in found] == [1, 2]
    assert str(found[1].relative_to(tmp_path)) in capsys.readouterr().out
    assert main(["replay"]) == 1
    out = capsys.readouterr().out
    assert out.index(found[1].name) < out.index(found[0].name)
    assert "seen on 2 walks, first 20" in out


def test_pytest_runs_add_up_in_one_file_too(tmp_path: Path) -> None:
    for number, played in enumerate(("e2e4", "d2d4")):
        run = Run(tmp_path / "runs" / str(number), Options(folder=tmp_path))
        run.begin()
        os.utime(run.folder / "started", (number, number))
        paths = {run.keep(finding(played)).notes["path"] for _ in range(3)}  # told again whenever it is gathered
        assert len(paths) == 1
    (path,) = (tmp_path / "found").iterdir()
    assert read_finding(path).count == 2
    assert read_finding(path).notes["first_seen"] == time_stamp(0)


def test_a_pipe_among_the_findings_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.walk")
    kept = shelve(tmp_path, finding("e2e4"), FIRST)
    assert files(tmp_path) == sorted([kept.name, "pipe.walk"])


def test_a_file_whose_move_goes_nowhere_ends_no_hunt(tmp_path: Path) -> None:
    odd = finding("e2e4", facet=Facet.KEY, verdict=Verdict.HASH, kind="capture", move="a1a1", actual="another key")
    write_finding(tmp_path / "odd.walk", odd)
    kept = shelve(tmp_path, finding("d2d4"), FIRST)
    assert files(tmp_path) == sorted([kept.name, "odd.walk"])
