"""The hunt: the same seed finds the same, budgets hold, and nothing found is ever lost."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace

import pytest

from refute import workers
from refute.divergence import Divergence, Facet, Verdict
from refute.errors import EngineError, SpecError
from refute.finding import finding_path, read_finding, write_finding
from refute.hunt import Options, Tally, default_witnesses, hunt
from refute.hunter import Found, Hunter, Tick
from refute.refining import is_time_to_refine, refine_findings
from refute.report.result import HuntResult
from refute.walk import START_FEN, Walk
from refute.walking import walk_number

WITNESS = ("python-chess",)
FAULT = "fault:en-passant-rank-pin"


@pytest.fixture
def options(tmp_path: Path) -> Options:
    return Options(against=WITNESS, seed=5, walks=40, folder=tmp_path / ".refute")


def divergence(kind: str) -> Divergence:
    return Divergence(
        walk=Walk(START_FEN),
        facet=Facet.MOVES,
        verdict=Verdict.MOVEGEN,
        kind=kind,
        subject="own",
        witness="python-chess",
        expected="20 moves",
        actual="19 moves",
    )


def test_our_own_board_is_not_refuted_and_says_what_it_looked_at(options: Options) -> None:
    result = hunt(options)
    assert not result.is_refuted
    assert (result.subject, result.witnesses, result.walks) == ("own", WITNESS, 40)
    assert result.positions >= 40
    assert result.nodes > result.positions
    assert len(result.features) >= 30
    assert max(result.features.values()) > 0
    assert not (options.folder / "found").exists()


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> HuntResult:
    """The hunt that others are held against."""
    folder = tmp_path_factory.mktemp("once")
    return hunt(Options(engine=FAULT, against=WITNESS, seed=5, walks=200, shrinks=False, folder=folder))


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_same_seed_finds_the_same_whatever_the_number_of_jobs(
    once: HuntResult, options: Options, jobs: int
) -> None:
    again = hunt(replace(options, engine=FAULT, walks=200, shrinks=False, jobs=jobs))
    assert once.is_refuted
    assert [d.walk for d in again.divergences] == [d.walk for d in once.divergences]
    assert [d.signature for d in again.divergences] == [d.signature for d in once.divergences]


def test_another_seed_walks_elsewhere(once: HuntResult, options: Options) -> None:
    other = hunt(replace(options, engine=FAULT, walks=200, shrinks=False, seed=6))
    assert once.divergences[0].walk != other.divergences[0].walk


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


def test_what_was_found_gets_its_share_of_the_time(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refute.refining.time.monotonic", lambda: 25.0)
    tally = Tally(replace(options, seconds=30.0, walks=None), started=0.0)
    assert not is_time_to_refine(tally)
    for number in range(4):
        tally.take(0, Found(number, divergence(f"kind {number}")))
    assert is_time_to_refine(tally)
    tally.options = replace(tally.options, shrinks=False)
    assert not is_time_to_refine(tally)
    tally.options = replace(options, walks=10)
    assert not is_time_to_refine(tally)


def test_findings_share_what_is_left_of_the_time(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    class Refiner(Hunter):
        def refine(self, found: Divergence, seconds: float) -> Divergence:
            given.append(seconds)
            return found

    monkeypatch.setattr("refute.refining.time.monotonic", lambda: 28.0)
    tally = Tally(replace(options, seconds=30.0, walks=None), started=0.0)
    for number in range(5):
        tally.take(0, Found(number, divergence(f"kind {number}")))
    with closing(Refiner(options)) as hunter:
        assert not refine_findings(tally, hunter)
    # Two seconds, and three of grace.
    assert given == [pytest.approx(5 / left) for left in (5, 4, 3, 2, 1)]


def test_a_time_budget_is_kept(options: Options) -> None:
    result = hunt(replace(options, walks=None, seconds=0.3))
    assert 0.3 <= result.seconds < 5
    assert result.walks > 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_unknown_engine_is_refused_before_anything_starts(options: Options, jobs: int) -> None:
    with pytest.raises(SpecError):
        hunt(replace(options, engine="fault:no-such-thing", jobs=jobs))


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Writes a Python engine that is right but for what it does on one FEN; gives its SPEC."""

    def write(deed: str) -> str:
        (tmp_path / "foreign.py").write_text(
            "import chess, os, time\n"
            f"FATAL = {walk_number(5, 3).fen!r}\n"
            "def moves(fen):\n"
            f"    if fen.split()[:4] == FATAL.split()[:4]: {deed}\n"
            "    return [move.uci() for move in chess.Board(fen).legal_moves]\n"
        )
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
        return "py:foreign:moves"

    return write


@pytest.mark.parametrize(("jobs", "code"), [(1, 1), (2, 3)])
def test_an_engine_that_kills_its_process_is_a_finding_on_the_walk_it_died_of(
    options: Options, foreign: Callable[[str], str], jobs: int, code: int
) -> None:
    result = hunt(replace(options, engine=foreign(f"os._exit({code})"), jobs=jobs, walks=12))
    (found,) = result.divergences
    assert found.facet == Facet.CRASH
    assert f"exit code {code}" in found.actual
    assert found.walk == walk_number(5, 3)
    assert read_finding(found.notes["path"]).walk == found.walk


def test_an_engine_that_hangs_in_our_process_is_a_finding_where_it_hangs(
    options: Options, foreign: Callable[[str], str]
) -> None:
    # Long enough for every right answer on a busy machine; and it is waited for only once.
    result = hunt(replace(options, engine=foreign("time.sleep(600)"), walks=12, timeout=0.6, shrinks=False))
    (found,) = result.divergences
    assert (found.facet, found.actual) == (Facet.TIMEOUT, "gave no answer in time")
    assert found.original == walk_number(5, 3).prefix(0)


def test_an_engine_that_cannot_be_interrupted_is_ended_with_its_process(
    options: Options, foreign: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "STALLED", 0.1)  # of a timeout that right answers never need
    deaf = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM}); time.sleep(600)"
    result = hunt(replace(options, engine=foreign(deaf), walks=12, timeout=8.0))
    (found,) = result.divergences
    assert (found.facet, found.walk) == (Facet.TIMEOUT, walk_number(5, 3))
    assert "the process it ran in gave no answer" in found.actual


@pytest.fixture
def starting(options: Options) -> Iterator[tuple[workers._Office, workers.Worker]]:
    """A worker that has been starting for a hundred seconds, with an engine that has a second for an answer."""
    given = replace(options, engine="py:foreign:moves", timeout=1.0)
    context = multiprocessing.get_context("spawn")
    office = workers._Office(context, given, workers._number(context, workers.FAR), time.monotonic(), 20.0)
    process = SimpleNamespace(kill=lambda: None)
    ours, theirs = Pipe(duplex=False)
    current, asked, begun = (workers._number(context, value) for value in (workers.NONE_YET, 0, 0))
    with ours, theirs:
        yield office, workers.Worker(0, process, ours, 4, current, asked, begun, since=time.monotonic() - 100)


def test_an_engine_is_not_called_hung_while_it_is_imported(
    starting: tuple[workers._Office, workers.Worker],
) -> None:
    office, worker = starting
    office._watch(worker)
    assert not worker.has_stalled
    worker.current.value = 4
    office._watch(worker)
    assert not worker.has_stalled, "its clock begins with its first walk"
    worker.since -= 100
    office._watch(worker)
    assert worker.has_stalled


def test_an_engine_that_answers_is_not_called_hung_however_long_its_walk_is(
    starting: tuple[workers._Office, workers.Worker],
) -> None:
    office, worker = starting
    worker.current.value = 4
    for _ in range(3):
        worker.begun.value += 1
        worker.since -= 100
        office._watch(worker)
    assert not worker.has_stalled


def test_a_worker_that_never_starts_is_an_error_and_no_finding(
    starting: tuple[workers._Office, workers.Worker],
) -> None:
    office, worker = starting
    worker.since -= 1000
    with pytest.raises(EngineError, match="did not start"):
        office._watch(worker)
    assert not worker.has_stalled


def test_a_worker_that_dies_before_its_first_walk_died_of_that(
    starting: tuple[workers._Office, workers.Worker],
) -> None:
    office, worker = starting
    worker.process.exitcode = 3
    death = workers._death(office.options, worker)
    assert isinstance(death, Found)
    assert (death.index, death.divergence.walk) == (4, walk_number(5, 4))


def test_an_engine_that_dies_while_its_finding_is_shrunk_takes_no_report_along(
    options: Options, foreign: Callable[[str], str]
) -> None:
    # No hunt comes to move number 1 there; whoever makes the finding smaller does.
    spec = foreign("os._exit(3) if fen.endswith(' 1') else None; return []")
    result = hunt(replace(options, engine=spec, walks=12))
    (found,) = result.divergences
    assert found.facet == Facet.MOVES
    assert found.explanation
    assert read_finding(found.notes["path"]).walk == found.walk


@pytest.mark.parametrize(("deed", "timeout"), [("os._exit(3)", 10.0), ("time.sleep(600)", 0.6)], ids=["dies", "hangs"])
def test_a_witness_that_fails_in_our_process_is_quarantined_and_the_hunt_goes_on(
    deed: str, timeout: float, options: Options, foreign: Callable[[str], str]
) -> None:
    spec = foreign(deed)
    result = hunt(replace(options, engine="own", against=("python-chess", spec), walks=6, timeout=timeout))
    assert not result.is_refuted
    (held,) = result.quarantined
    assert held.walk.fen == walk_number(5, 3).fen
    assert held.answers[0][0] == spec
    assert ("exit code 3" if "exit" in deed else "gave no answer in time") in held.answers[0][1]
    assert result.walks >= 2  # those after it; of a worker that died, what it did last is not known


def test_an_error_of_ours_in_a_worker_is_no_finding(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **more: object) -> object:
        raise ZeroDivisionError

    ours, theirs = Pipe(duplex=False)
    monkeypatch.setattr(Hunter, "run", broken)
    monkeypatch.setattr("refute.workers._become_deaf", lambda: None)
    monkeypatch.setattr("refute.workers._become_mute", lambda: None)
    number = SimpleNamespace(value=0)
    with pytest.raises(ZeroDivisionError):
        workers._work(options, theirs, 0, 0, (number, number, number), number, 0.0)
    assert isinstance(ours.recv(), EngineError)


@pytest.mark.parametrize("keep_going", [False, True])
def test_a_worker_stops_at_its_first_finding_unless_told_to_keep_going(
    keep_going: bool, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = Pipe(duplex=False)
    monkeypatch.setattr("refute.workers._become_deaf", lambda: None)
    monkeypatch.setattr("refute.workers._become_mute", lambda: None)
    number, limit = SimpleNamespace(value=0), SimpleNamespace(value=workers.FAR)
    given = replace(options, engine="fault:missing-underpromotion", walks=40, keep_going=keep_going)
    workers._work(given, theirs, 0, 0, (number, number, number), limit, time.monotonic())
    told = list(iter(ours.recv, None))
    found = [event for _, event in told if isinstance(event, Found)]
    assert (len(found) > 1) is keep_going
    assert isinstance(told[-1][1], Tick), "how far it came is told in any case"


@pytest.mark.parametrize("is_one_cause", [True, False])
def test_what_two_workers_find_at_one_moment_is_grouped_or_told_and_leaves_no_file_behind(
    is_one_cause: bool, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    both: list[tuple[int, Found]] = []
    for number, kind in enumerate(("rook move", "knight move")):
        line = 3 if is_one_cause else number
        found = replace(divergence(kind), facet=Facet.CRASH, transcript=(f'  File "x.py", line {line}, in moves',))
        path = finding_path(options.folder / "found", found)
        write_finding(path, found)
        both.append((number, Found(number, replace(found, notes={"path": str(path)}))))
    process = SimpleNamespace(kill=lambda: None, join=lambda: None)
    idle = SimpleNamespace(is_done=True, process=process)
    monkeypatch.setattr(workers._Office, "start", lambda self, job, first: idle)
    # Whoever is heard first, the walk of the lower number is the first.
    monkeypatch.setattr(workers._Office, "events", lambda self, workers: iter(both[::-1]))
    result = hunt(replace(options, jobs=2, shrinks=False))
    kinds = [found.kind for found in result.divergences]
    assert kinds == (["rook move"] if is_one_cause else ["rook move", "knight move"])
    assert [found.count for found in result.divergences] == [1] * len(kinds)
    files = {str(path) for path in (options.folder / "found").iterdir()}
    assert files == {found.notes["path"] for found in result.divergences}


def test_a_worker_that_is_killed_while_it_writes_holds_up_nobody() -> None:
    context = multiprocessing.get_context("spawn")
    assert not hasattr(workers._number(context, 3), "get_lock")


def test_what_an_engine_prints_is_kept_out_of_what_is_reported(
    options: Options, foreign: Callable[[str], str], capfd: pytest.CaptureFixture[str]
) -> None:
    hunt(replace(options, engine=foreign("print('by Python'); os.write(1, b'by C')"), walks=12))
    out, err = capfd.readouterr()
    assert out == ""
    assert "by Python" in err
    assert "by C" in err


def test_going_on_after_a_death_leaves_no_walk_out(options: Options, foreign: Callable[[str], str]) -> None:
    result = hunt(replace(options, engine=foreign("os._exit(3)"), jobs=2, walks=12, keep_going=True))
    assert [found.walk for found in result.divergences] == [walk_number(5, 3)]
    assert result.walks >= 12 - 1 - 1  # all but the fatal one; the dead worker's last tick may be missing


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


def test_a_walk_is_cut_to_what_fits_into_the_time_left() -> None:
    hunter = Hunter(Options(against=("python-chess",)))
    walk = Walk(START_FEN, ("g1f3", "g8f6", "f3g1", "f6g8") * 5)
    now = time.monotonic()
    assert hunter._fitting(walk, now - 10, now + 10) == walk, "the pace is not known yet"
    hunter.walks, hunter.positions = 2, 10
    assert len(hunter._fitting(walk, now - 10, now + 10)) == 3, "one position a second, and another walk under way"
    assert len(hunter._fitting(walk, now - 10, now - 1)) == 0
    hunter.positions = 1000
    assert hunter._fitting(walk, now - 10, now + 10) == walk
    hunter.close()
