"""The ready suite: a wrong engine fails the claims it refutes and no other, whoever of the workers finds it."""

from __future__ import annotations

import inspect
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import refute
import refute.suite.session
from refute.board.epd import PerftCase
from refute.compare import Comparer
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.faulty import FAULTS, open_fault
from refute.engines.limits import CUT_SHORT
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.engines.python_chess import PythonChessEngine
from refute.finding import read_finding, write_finding
from refute.hunter import Options
from refute.suite import test_claims
from refute.suite.claims import CLAIMS, claim_of
from refute.suite.counts import check_count
from refute.suite.run import Run, State
from refute.suite.session import Session
from refute.suite.share import Share, hunt_share, refine_rest
from refute.walk import START_FEN, Walk
from refute.walking import walk_number

pytest_plugins = ["pytester"]

ALL = frozenset(CLAIMS)
BASE = (
    "-p", "refute.pytest_plugin", "-p", "no:cacheprovider", "-W", "error", "--pyargs", "refute.suite", "-rA",
    "--refute-seed", "1", "--refute-walks", "10",
)  # fmt: skip
QUICK = (*BASE, "--refute-against", "python-chess")

# Engines that are right but for one answer: ours, with that answer changed on the way out.
LIARS = '''
import os, signal
from refute.engines.own import OwnEngine
from refute.engines.protocol import Answer


class Liar(OwnEngine):
    def along(self, walk, question):
        answers = super().along(walk, question)
        for ply, answer in enumerate(answers):
            self.tell(answer, walk, ply)
        return answers

    def at(self, walks, question):
        answers = super().at(walks, question)
        for walk, answer in zip(walks, answers):
            self.tell(answer, walk, len(walk))
        return answers

    def tell(self, answer, walk, ply):
        if isinstance(answer, Answer):
            self.lie(answer, walk, ply)


class Moves(Liar):
    def lie(self, answer, walk, ply):
        if answer.moves:
            answer.moves = answer.moves[1:]


class Perft(Liar):
    def lie(self, answer, walk, ply):
        for code in list(answer.divide or ())[:1]:
            answer.divide[code] += 1


class Path(Liar):
    def lie(self, answer, walk, ply):
        if answer.moves and ply:
            answer.moves = answer.moves[1:]


class Check(Liar):
    def lie(self, answer, walk, ply):
        if answer.check is not None:
            answer.check = not answer.check


class Outcome(Liar):
    def lie(self, answer, walk, ply):
        if answer.outcome is not None:
            answer.outcome = "dead-position" if answer.outcome == "" else ""


class Key(Liar):
    def lie(self, answer, walk, ply):
        if answer.key is not None:
            answer.key = 7


class Chess960(Liar):
    def lie(self, answer, walk, ply):
        if answer.moves and walk.chess960:
            answer.moves = answer.moves[1:]


class Crashes(OwnEngine):
    def along(self, walk, question):
        raise ZeroDivisionError("halfmove clock")


class DiesInOneWorker(Moves):
    """Lies on its first walks in the worker gw1, then takes that worker with it."""

    walks = 0

    def along(self, walk, question):
        DiesInOneWorker.walks += 1
        if self.walks > 3 and os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().along(walk, question)

    def tell(self, answer, walk, ply):
        if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
            super().tell(answer, walk, ply)


def legal_moves(fen):
    import chess
    return [move.uci() for move in chess.Board(fen).legal_moves]
'''

# Hunts with an engine that takes its process along on one walk.
DEADLY = """
import os, sys
from pathlib import Path
from refute.engines.own import OwnEngine


class Dies(OwnEngine):
    def along(self, walk, question):
        if str(walk) == os.environ["DEADLY"]:
            os._exit(77)
        return super().along(walk, question)


if __name__ == "__main__":
    from refute.hunter import Options
    from refute.suite.run import Run
    from refute.suite.share import Share, hunt_share

    folder = Path(sys.argv[1])
    options = Options("py:deadly:Dies", ("python-chess",), seed=1, walks=10, seconds=60.0, folder=folder)
    hunt_share(Run(folder / "run", options), Share())
"""


def outcomes(result: pytest.RunResult) -> dict[str, set[str]]:
    """The suite's tests by what came of them."""
    told: dict[str, set[str]] = {"PASSED": set(), "FAILED": set(), "SKIPPED": set(), "ERROR": set()}
    for line in result.outlines:
        word, _, rest = line.partition(" ")
        name = rest.partition("::")[2].split(" ")[0]
        if word in told and name in ALL:
            told[word].add(name)
    told["SKIPPED"] = set(ALL) - told["PASSED"] - told["FAILED"] - told["ERROR"]
    return told


def run_suite(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    pytester.makepyfile(liars=LIARS)
    pytester.syspathinsert()
    return pytester.runpytest_inprocess(*options)


def run_suite_with_workers(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, *options: str
) -> pytest.RunResult:
    pytester.makepyfile(liars=LIARS)
    monkeypatch.setenv("PYTHONPATH", str(Path(refute.__file__).parent.parent))
    return pytester.runpytest_subprocess("-p", "xdist", "-n", "2", *options, timeout=120)


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load in the runs under test what they name, whatever is installed; refute's own entry point too."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


# ---------------------------------------------------------------- claims


def test_every_claim_has_a_test_of_its_name_and_every_test_a_claim() -> None:
    tests = {
        name for name, thing in vars(test_claims).items() if name.startswith("test_") and inspect.isfunction(thing)
    }
    assert tests == ALL
    for name in tests:
        assert inspect.getdoc(getattr(test_claims, name))


@pytest.mark.parametrize("chess960", [False, True], ids=["standard", "chess960"])
def test_every_finding_refutes_one_of_the_claims(chess960: bool) -> None:
    refuted = {
        claim_of(finding(facet=facet, verdict=verdict, chess960=chess960)).test
        for facet, verdict in itertools.product(Facet, Verdict)
    }
    assert refuted == ({"test_chess960"} if chess960 else ALL - {"test_chess960", "test_published_perft_counts"})


def finding(
    *, facet: Facet = Facet.MOVES, verdict: Verdict = Verdict.MOVEGEN, chess960: bool = False, fen: str = START_FEN
) -> Divergence:
    return Divergence(
        walk=Walk(fen, (), chess960),
        facet=facet,
        verdict=verdict,
        kind="-",
        subject="own",
        witness="python-chess",
        expected="20 moves",
        actual="19 moves",
    )


# ---------------------------------------------------------------- the right claims


def test_the_right_engine_passes_every_claim(pytester: pytest.Pytester, stockfish: str) -> None:
    result = run_suite(pytester, *BASE)
    assert outcomes(result)["PASSED"] == ALL
    assert result.ret == 0
    result.stdout.fnmatch_lines(["nothing refuted in own against python-chess, stockfish: 12 walks, *, seed 1"])
    assert not Path(".refute").exists()


def test_without_stockfish_perft_is_skipped_and_says_so(pytester: pytest.Pytester) -> None:
    result = run_suite(pytester, *QUICK)
    told = outcomes(result)
    assert told["SKIPPED"] == {"test_perft_matches"}
    assert told["PASSED"] == ALL - told["SKIPPED"]
    result.stdout.fnmatch_lines(["SKIPPED * perft is not asked: no witness that answers it quickly"])


@pytest.mark.parametrize(
    ("engine", "refuted"),
    [
        ("py:liars:Moves", {"test_moves_match"}),
        ("py:liars:Path", {"test_path_equals_fen"}),
        ("py:liars:Check", {"test_check_matches"}),
        ("py:liars:Outcome", {"test_outcome_matches"}),
        ("py:liars:Key", {"test_key_matches_position"}),
        ("py:liars:Chess960", {"test_chess960"}),
        ("py:liars:Crashes", {"test_survives"}),
        ("fault:fen-swaps-clocks", {"test_fen_is_read_and_written_right"}),
        ("fault:clock-runs-over-captures", {"test_fen_after_each_move_matches"}),
        ("fault:clock-not-restored", {"test_unmake_restores"}),
        ("fault:material-kept-after-capture", {"test_invariants_hold"}),
        ("fault:null-move-keeps-key", {"test_null_move_restores"}),
    ],
)
def test_a_wrong_engine_fails_the_claim_it_refutes_and_no_other(
    pytester: pytest.Pytester, engine: str, refuted: set[str]
) -> None:
    result = run_suite(pytester, *QUICK, "--refute-engine", engine, "-k", "not published")
    told = outcomes(result)
    assert told["FAILED"] == refuted
    assert told["PASSED"] == ALL - refuted - {"test_perft_matches", "test_published_perft_counts"}
    assert result.ret == 1


def test_a_wrong_count_fails_perft_and_the_published_counts(pytester: pytest.Pytester, stockfish: str) -> None:
    result = run_suite(pytester, *BASE, "--refute-engine", "py:liars:Perft")
    assert outcomes(result)["FAILED"] == {"test_perft_matches", "test_published_perft_counts"}


def test_wrong_moves_show_as_moves_although_counting_meets_them_first(
    pytester: pytest.Pytester, stockfish: str
) -> None:
    name = "king-takes-protected-man"
    assert FAULTS[name].facets == {"moves"}
    options = ("--refute-walks", "40", "--refute-engine", f"fault:{name}", "-k", "not published")
    result = run_suite(pytester, *BASE, *options)
    assert outcomes(result)["FAILED"] == {"test_moves_match"}


def test_what_an_engine_cannot_answer_is_skipped_with_why(pytester: pytest.Pytester) -> None:
    result = run_suite(pytester, *QUICK, "--refute-engine", "py:liars:legal_moves")
    assert outcomes(result)["PASSED"] == {"test_moves_match", "test_path_equals_fen", "test_survives"}
    assert result.ret == 0
    result.stdout.fnmatch_lines(["SKIPPED * py:liars:legal_moves*"])


def test_an_engine_that_cannot_be_opened_is_one_line_and_no_traceback(pytester: pytest.Pytester) -> None:
    result = run_suite(pytester, *QUICK, "--refute-engine", "./no-such-engine")
    assert len(outcomes(result)["ERROR"]) == 1, "once is enough"
    assert outcomes(result)["ERROR"] | outcomes(result)["SKIPPED"] == ALL
    result.stdout.fnmatch_lines(["*refute could not run: *no-such-engine*"])
    result.stdout.no_fnmatch_line("*nothing refuted*")
    result.stdout.no_fnmatch_line("*another exception occurred*")
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*spec.py*")
    assert result.ret == 1


# ---------------------------------------------------------------- what is told


def test_a_failure_prints_the_board_and_the_command_and_no_internals(pytester: pytest.Pytester) -> None:
    result = run_suite(pytester, *QUICK, "--refute-engine", "fault:clock-runs-over-captures", "-k", "fen or moves")
    text = result.stdout.str()
    result.stdout.fnmatch_lines(["fen/make/halfmove clock", "*White to move*", "position fen * moves *"])
    result.stdout.fnmatch_lines(["$ refute replay .refute/found/fen-make-*.walk"])
    assert "def " not in text
    assert "compare.py" not in text
    assert "hypothesis.errors" not in text
    command = next(line for line in result.outlines if line.startswith("$ refute replay "))
    assert Path(command.split()[-1]).is_file()


def test_reports_are_written_in_every_format_asked_for(pytester: pytest.Pytester) -> None:
    reports = ("--refute-report", "json:out/r.json", "--refute-report", "html:out/r.html")
    result = run_suite(pytester, *QUICK, "--refute-engine", "py:liars:Moves", "-k", "moves", *reports)
    told = json.loads(Path("out/r.json").read_text(encoding="utf-8"))
    assert {found["facet"] for found in told["divergences"]} == {"moves"}
    assert (told["subject"], told["seed"], told["walks"]) == ("py:liars:Moves", 1, 12)
    assert "<html" in Path("out/r.html").read_text(encoding="utf-8")
    result.stdout.fnmatch_lines(["json report: *r.json"])


def test_a_report_that_cannot_be_written_fails_the_session_and_says_so(pytester: pytest.Pytester) -> None:
    Path("folder").mkdir()
    result = run_suite(pytester, *QUICK, "-k", "moves", "--refute-report", "json:folder")
    result.stdout.fnmatch_lines(["json report: 'folder' cannot be written: *"])
    assert result.ret == 1


def test_a_finding_of_a_claim_that_was_not_asked_for_is_told_and_fails_nothing(pytester: pytest.Pytester) -> None:
    result = run_suite(pytester, *QUICK, "--refute-engine", "py:liars:Moves", "-k", "test_check_matches")
    result.assert_outcomes(passed=1, deselected=13)
    result.stdout.fnmatch_lines(["found as well, where the test was not asked for:", "moves/movegen/*"])
    assert result.ret == 0


def test_a_finding_that_came_too_late_for_its_test_fails_the_session(tmp_path: Path) -> None:
    session = make_session(tmp_path)
    session.run.keep(finding())
    assert not session.finish({"test_moves_match": False})
    assert any("too late" in line for line in session.summary)
    assert not session.run.folder.exists()
    assert len(list((tmp_path / "found").glob("*.walk"))) == 1


def test_a_finding_whose_test_failed_does_not_fail_the_session_again(tmp_path: Path) -> None:
    session = make_session(tmp_path)
    session.run.keep(finding())
    assert session.finish({"test_moves_match": True})


def make_session(folder: Path) -> Session:
    wishes = {"seed": "1", "walks": "1"}
    return Session(
        lambda name: wishes.get(name, ""), against=["python-chess"], reports=[], folder=folder, run="one", share=Share()
    )


# ---------------------------------------------------------------- a run and its processes


def test_two_workers_find_what_one_finds(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ("--refute-engine", "fault:clock-runs-over-captures", "-k", "not published")
    alone = run_suite(pytester, *QUICK, *engine, "--refute-report", "json:one.json")
    together = run_suite_with_workers(pytester, monkeypatch, *QUICK, *engine, "--refute-report", "json:two.json")
    assert outcomes(together)["FAILED"] == outcomes(alone)["FAILED"] == {"test_fen_after_each_move_matches"}
    one, two = (json.loads(Path(name).read_text(encoding="utf-8")) for name in ("one.json", "two.json"))
    assert one["walks"] == two["walks"] == 12
    signatures = [{found["signature"] for found in told["divergences"]} for told in (one, two)]
    assert signatures[0] == signatures[1] != set()
    assert not (Path(".refute") / "runs").exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_a_worker_killed_in_the_middle_loses_no_finding(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = (*QUICK, "--refute-walks", "20", "--refute-engine", "py:liars:DiesInOneWorker", "-k", "not published")
    result = run_suite_with_workers(pytester, monkeypatch, *options, "--refute-report", "json:r.json")
    assert result.ret == 1
    told = json.loads(Path("r.json").read_text(encoding="utf-8"))
    facets = {found["facet"] for found in told["divergences"]}
    assert facets == {"moves", "crash"}  # what it found, and that it is gone
    result.stdout.fnmatch_lines(["*crashed while running*"])
    assert {"test_moves_match", "test_survives"} <= outcomes(result)["FAILED"]
    assert len(list((Path(".refute") / "found").glob("*.walk"))) == len(told["divergences"])


def test_workers_share_no_walk_and_leave_none_out() -> None:
    shares = [Share.of_worker(f"gw{number}", 3) for number in range(3)]
    walks = sorted(index for share in shares for index in range(share.first, 30, share.step))
    assert walks == list(range(30))
    assert not Share.of_worker("gw3", 3).hunts  # it stands in for one that died


def test_time_runs_for_all_processes_from_the_first_one_on(tmp_path: Path) -> None:
    options = Options(seconds=50.0, folder=tmp_path)
    first, second = Run(tmp_path / "run", options), Run(tmp_path / "run", options)
    assert second.left() == 50.0
    first.begin()
    began = first.left()
    second.begin()
    assert second.left() <= began < 50.1


def test_nothing_passes_where_nothing_was_compared(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", Options(seconds=1.0, folder=tmp_path))
    claim, chess960 = CLAIMS["test_survives"], CLAIMS["test_chess960"]
    assert run.why_nothing(claim) == "no process has hunted"
    run.write_state("gw0", State(is_done=True, subject="own"))
    assert run.why_nothing(claim) == "no walk was compared"
    run.write_state("gw0", State(is_done=True, subject="own", walks=1))
    assert run.why_nothing(claim).startswith("no position was compared")
    run.write_state("gw0", State(is_done=True, subject="own", walks=1, positions=1))
    assert run.why_nothing(claim) == ""
    # One kind of chess says nothing of the other.
    assert run.why_nothing(chess960).startswith("no position was compared")
    run.write_state("gw0", State(is_done=True, subject="own", walks=1, positions=1, chess960_positions=1))
    assert run.why_nothing(claim).startswith("no position was compared")
    assert run.why_nothing(chess960) == ""


def test_a_witness_that_always_fails_fails_every_claim_of_the_hunt(pytester: pytest.Pytester) -> None:
    options = (*BASE, "--refute-against", "py:liars:Crashes", "-k", "not published")
    result = run_suite(pytester, *options)
    assert outcomes(result)["FAILED"] == ALL - {"test_published_perft_counts"}
    result.stdout.fnmatch_lines(["no position was compared, *: *ZeroDivisionError*halfmove clock*"])
    result.stdout.fnmatch_lines(["nothing shown*in own against py:liars:Crashes: 12 walks, 0 positions, *"])


def test_a_process_that_left_without_a_word_is_a_finding(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", Options(seconds=60.0, folder=tmp_path, seed=4))
    run.begin()
    run.write_state("gw0", State())
    with run.track("gw0") as track:
        run.note(track, 17, chess960=False)
    run.wait()
    (found,) = run.gather()
    assert (found.facet, claim_of(found).test) == (Facet.CRASH, "test_survives")
    assert "walk number 17" in found.actual


@pytest.mark.skipif(sys.platform == "win32", reason="only time tells on Windows")
def test_a_process_that_lives_is_waited_for(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", Options(seconds=60.0, folder=tmp_path))
    run.begin()
    run.write_state("gw0", State())
    with run.track("gw0"):
        assert not run._is_gone("gw0")
    assert run._is_gone("gw0")


@pytest.mark.skipif(sys.platform == "win32", reason="only time tells on Windows")
def test_a_process_that_lives_but_is_late_has_not_crashed(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", Options(seconds=1.0, timeout=0.1, folder=tmp_path, seed=4))
    run.begin()
    os.utime(run.folder / "started", (0, 0))
    run.write_state("gw0", State())
    with run.track("gw0") as track:
        run.note(track, 17, chess960=False)
        assert not run._is_gone("gw0")
        run.wait()
    (found,) = run.gather()
    assert (found.facet, claim_of(found).test) == (Facet.TIMEOUT, "test_survives")
    assert "gone" not in found.actual
    assert "on walk number 17" in found.actual


def test_a_walk_that_is_noted_leaves_nothing_of_the_one_before(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", Options(seconds=60.0, folder=tmp_path, seed=4))
    run.begin()
    run.write_state("gw0", State())
    with run.track("gw0") as track:
        run.note(track, 1117, chess960=False)
        run.note(track, 3, chess960=True)
    run.wait()
    (found,) = run.gather()
    assert found.walk == walk_number(4, 3, chess960=True)


def test_a_process_that_died_of_a_witness_says_nothing_of_the_subject(tmp_path: Path) -> None:
    options = Options(against=("python-chess", "py:mine:moves"), seconds=60.0, folder=tmp_path, seed=4)
    run = Run(tmp_path / "run", options)
    run.begin()
    run.write_state("gw0", State())
    with run.track("gw0") as track:
        run.note(track, 7, chess960=False)
        run.note_engine(track, 2)
    run.wait()
    assert run.gather() == ()
    (held,) = run.result(()).quarantined
    assert held.walk == walk_number(4, 7)
    ((witness, answer),) = held.answers
    assert witness == "py:mine:moves"
    assert "was gone on walk number 7" in answer


def test_a_witness_that_has_answered_is_no_longer_suspected(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", Options(seconds=60.0, folder=tmp_path, seed=4))
    run.begin()
    run.write_state("gw0", State())
    with run.track("gw0") as track:
        run.note(track, 7, chess960=False)
        run.note_engine(track, 1)
        run.note_engine(track, 0)
    run.wait()
    (found,) = run.gather()
    assert found.facet is Facet.CRASH


@pytest.mark.parametrize(("index", "chess960"), [(0, False), (5, False), (9, False), (1, True)])
def test_the_walk_a_process_died_of_is_the_one_it_is_told_by(tmp_path: Path, index: int, chess960: bool) -> None:
    deadly = walk_number(1, index, chess960=chess960)
    (tmp_path / "deadly.py").write_text(DEADLY)
    options = Options("py:deadly:Dies", ("python-chess",), seed=1, walks=10, seconds=60.0, folder=tmp_path)
    run = Run(tmp_path / "run", options)
    path = os.pathsep.join([str(tmp_path), str(Path(refute.__file__).parent.parent)])
    environment = {**os.environ, "PYTHONPATH": path, "DEADLY": str(deadly)}
    command = [sys.executable, str(tmp_path / "deadly.py"), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 77, done.stderr
    run.wait()
    (found,) = run.gather()
    assert (found.facet, found.walk) == (Facet.CRASH, deadly)
    assert f"was gone on walk number {index}" in found.actual


def test_the_smallest_finding_of_each_signature_is_kept(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", Options(seconds=1.0, folder=tmp_path))
    run.keep(finding())
    run.keep(finding(fen="4k3/8/8/8/8/8/8/4K3 w - - 0 1"))
    (found,) = run.gather()
    assert (found.pieces, found.count) == (2, 2)


def test_two_causes_of_one_signature_are_two_findings_and_one_cause_is_one(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", Options(seconds=1.0, folder=tmp_path))
    state = replace(finding(facet=Facet.INVARIANTS, verdict=Verdict.MAKE), kind="capture")
    run.keep(replace(state, actual="the material is wrong"))
    run.keep(replace(state, actual="a king is lost", walk=Walk("4k3/8/8/8/8/8/8/4K3 w - - 0 1")))
    over = replace(finding(facet=Facet.OUTCOME), expected="", actual="stalemate")
    run.keep(replace(over, kind="capture"))
    run.keep(replace(over, kind="quiet king"))
    told = run.gather()
    assert sorted(str(one.signature) for one in told if one.facet is Facet.INVARIANTS) == [str(state.signature)] * 2
    assert [one.count for one in told if one.facet is Facet.OUTCOME] == [2]


def test_a_wrong_published_count_does_not_overwrite_a_smaller_finding(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", Options(seconds=1.0, folder=tmp_path))
    run.keep(finding(fen="4k3/8/8/8/8/8/8/4K3 w - - 0 1"))
    run.keep(replace(finding(), notes={"claim": "test_published_perft_counts"}))
    assert len(run.gather()) == 2
    assert [read_finding(path).pieces for path in tmp_path.glob("found/*.walk")] == [2]


# ---------------------------------------------------------------- the time given


def test_no_walk_of_either_kind_may_take_longer_than_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[tuple[bool, float]] = []

    def note(chase: Any, end: float) -> None:
        limits.append((chase.hunter.options.chess960, chase.hunter.comparer.subject.deadline))

    monkeypatch.setattr("refute.suite.share._Chase.hunt", note)
    options = Options("py:refute.engines.own:OwnEngine", ("python-chess",), seconds=40.0, timeout=3.0, folder=tmp_path)
    began = time.monotonic()
    hunt_share(Run(tmp_path / "run", options), Share())
    assert [chess960 for chess960, _ in limits] == [False, True]
    assert all(limit < began + 40.0 for _, limit in limits)


def test_a_wrong_count_that_is_cut_short_on_its_way_down_is_still_a_wrong_count() -> None:
    class Slow(PythonChessEngine):
        def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
            if Ability.MOVES in question.asks:
                return [Fault(Trouble.TIMEOUT, CUT_SHORT)]
            return [Answer(divide={1: 19})]

    cast: Any = SimpleNamespace(subject=Slow(), witnesses=(PythonChessEngine(),))
    wrong = check_count(PerftCase(START_FEN, {1: 20}), 1, cast)
    assert wrong is not None
    assert (wrong.divergence.facet, wrong.divergence.actual) == (Facet.PERFT, "19")


@pytest.mark.parametrize(
    ("trouble", "facet", "verdict"),
    [
        (Trouble.TIMEOUT, Facet.TIMEOUT, Verdict.CRASH),
        (Trouble.CRASH, Facet.CRASH, Verdict.CRASH),
        (Trouble.ASTRAY, Facet.FEN, Verdict.FEN),
    ],
)
def test_what_became_of_an_engine_that_should_count_is_told_as_it_was(
    trouble: Trouble, facet: Facet, verdict: Verdict
) -> None:
    class Fails(PythonChessEngine):
        def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
            return [Fault(trouble, "no answer")]

    cast: Any = SimpleNamespace(subject=Fails(), witnesses=(PythonChessEngine(),))
    wrong = check_count(PerftCase(START_FEN, {2: 400}), 2, cast)
    assert wrong is not None
    assert (wrong.divergence.facet, wrong.divergence.verdict) == (facet, verdict)
    assert wrong.divergence.notes == {"trouble": trouble.value, "depth": 2}


def test_a_wrong_count_remembers_the_position_it_was_counted_from() -> None:
    start = "4k3/7n/8/8/8/6p1/8/4K2R b K - 0 1"
    cast: Any = SimpleNamespace(subject=open_fault("castle-through-attack"), witnesses=(PythonChessEngine(),))
    wrong = check_count(PerftCase(start, {2: 1}), 2, cast, seconds=0.5)
    assert wrong is not None
    assert wrong.divergence.facet is Facet.MOVES
    assert wrong.divergence.original == Walk(start)
    assert wrong.divergence.walk != Walk(start)


def test_what_an_interrupted_process_left_as_found_is_drilled_and_is_one_finding(tmp_path: Path) -> None:
    fault = "fault:castle-through-attack"
    run = Run(tmp_path / "runs" / "run", Options(fault, ("python-chess",), depth=2, seconds=40.0, folder=tmp_path))
    run.begin()
    comparer = Comparer(open_fault("castle-through-attack"), [PythonChessEngine()], depth=2)
    for start in ("4k3/8/8/8/8/6p1/8/4K2R b K - 0 1", "4k3/7n/8/8/8/6p1/8/4K2R b K - 0 1"):
        found = comparer.compare(Walk(start)).divergence
        assert found is not None
        assert found.facet is Facet.PERFT
        write_finding(run.path_of(found), replace(found, seed=1, original=found.walk))
    assert len(run.left_behind()) == 2
    refine_rest(run)
    (one,) = run.gather()
    assert (str(one.signature), one.count) == ("moves/movegen/extra king-side castle", 2)
    assert one.explanation
    assert [read_finding(path).signature for path in tmp_path.glob("found/*.walk")] == [one.signature]
