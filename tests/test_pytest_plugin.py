"""The pytest plugin: it costs nothing until it is asked, and then engines and files are tests like any other."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import refute
import refute.collecting
from refute.divergence import Divergence, Facet, Verdict
from refute.finding import write_finding
from refute.walk import Walk

pytest_plugins = ["pytester"]

BASE = ("-p", "refute.pytest_plugin", "-p", "no:cacheprovider", "-W", "error", "-rA")
QUICK = (*BASE, "--refute-against", "python-chess")

PIN = "4k3/8/8/K1pP3r/8/8/8/8 w - c6 0 1"
SUITE = """
# provenance: counts by hand
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D5 4865609
8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D1 14 ;D2 191
"""


def saved(path: Path, *, subject: str, witness: str = "python-chess", **notes: str) -> Path:
    """A finding on disk: a pawn may not take en passant when that uncovers its king."""
    found = Divergence(
        walk=Walk(PIN),
        facet=Facet.MOVES,
        verdict=Verdict.MOVEGEN,
        kind="extra en passant",
        subject=subject,
        witness=witness,
        expected="5 moves",
        actual="6 moves",
        extra=("d5c6",),
        move="d5c6",
        notes=notes,
    )
    write_finding(path, found)
    return path


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load in the runs under test what they name, whatever is installed; refute's own entry point too."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


# ---------------------------------------------------------------- costing nothing


def test_the_entry_point_is_declared() -> None:
    project = Path(refute.__file__).parents[2] / "pyproject.toml"
    if not project.is_file():
        pytest.skip("refute is installed without its pyproject.toml")
    declared = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["entry-points"]
    assert declared["pytest11"] == {"refute": "refute.pytest_plugin"}


def test_a_run_that_asks_for_nothing_loads_and_prints_nothing(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(refute.__file__).parents[1]))
    pytester.makepyfile(
        """
        import sys

        def test_what_is_loaded():
            assert "refute.pytest_plugin" in sys.modules
            loaded = {name for name in sys.modules if name.split(".")[0] in ("refute", "chess", "rich", "click")}
            assert loaded <= {"refute", "refute.pytest_plugin"}
        """
    )
    pytester.makefile(".epd", positions="8/8/8/8/8/8/8/K1k5 w - - bm Kb1;")
    result = pytester.runpytest_subprocess(*BASE, timeout=60)
    result.assert_outcomes(passed=1)
    text = "\n".join(line for line in result.outlines if not line.startswith(("rootdir", "plugins", "platform")))
    assert "refute" not in text
    assert not Path(".refute").exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--refute-time", "soon"], "*'soon' is not a time*"),
        (["--refute-seed", "-1"], "*--refute-seed is '-1', expected a number*"),
        (["--refute-walks", "many"], "*--refute-walks is 'many', expected a number*"),
        (["--refute-report", "pdf:x"], "*'pdf' is not a report format*"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_wrong_option_is_told_before_anything_runs(
    pytester: pytest.Pytester, options: list[str], complaint: str
) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess(*BASE, *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([complaint])


# ---------------------------------------------------------------- fixtures


def test_the_fixtures_give_a_connected_engine_its_witnesses_and_a_comparer(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from refute.engines.protocol import Ability, Question
        from refute.walk import START_FEN, Walk

        def test_engine(refute_engine):
            answer, = refute_engine.at([Walk(START_FEN)], Question(frozenset({Ability.MOVES})))
            assert len(answer.moves) == 20

        def test_it_is_the_same_one(refute_engine, refute_comparer, refute_witnesses):
            assert refute_comparer.subject is refute_engine
            assert [witness.name for witness in refute_witnesses] == ["python-chess"]
            assert refute_comparer.compare(Walk(START_FEN, ("e2e4",))).divergence is None
        """
    )
    result = pytester.runpytest_inprocess(*QUICK, "--refute-engine", "own:pure")
    result.assert_outcomes(passed=2)


def test_the_engine_is_closed_at_the_end(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        engine="""
        from pathlib import Path
        from refute.engines.own import OwnEngine

        class Noting(OwnEngine):
            def close(self):
                Path("closed").touch()
        """,
        test_it="""
        from pathlib import Path

        def test_it_is_open(refute_engine):
            assert refute_engine.abilities and not Path("closed").exists()
        """,
    )
    pytester.syspathinsert()
    result = pytester.runpytest_inprocess(*QUICK, "--refute-engine", "py:engine:Noting")
    result.assert_outcomes(passed=1)
    assert Path("closed").exists()


def test_the_ini_file_says_what_options_say(pytester: pytest.Pytester) -> None:
    pytester.makeini(
        "[pytest]\nrefute_engine = python-chess\nrefute_against =\n    own\n    own:pure\nrefute_seed = 5\n"
    )
    pytester.makepyfile(
        """
        def test_them(refute_engine, refute_witnesses, refute_session):
            assert refute_engine.name == "python-chess"
            assert [witness.name for witness in refute_witnesses] == ["own", "own:pure"]
            assert refute_session.options.seed == 5
        """
    )
    pytester.runpytest_inprocess(*BASE).assert_outcomes(passed=1)


# ---------------------------------------------------------------- .walk files


def test_a_walk_named_on_the_command_line_is_replayed(pytester: pytest.Pytester) -> None:
    saved(Path("one.walk"), subject="own")
    result = pytester.runpytest_inprocess(*QUICK, "one.walk")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["PASSED one.walk::replay"])


def test_a_walk_that_never_came_back_alone_is_skipped_and_not_passed(pytester: pytest.Pytester) -> None:
    saved(pytester.path / "once.walk", subject="own", shrunk="not reproduced")
    result = pytester.runpytest_inprocess(*BASE, "once.walk")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*not seen again*"])


def test_a_walk_that_still_fails_shows_its_board_and_its_command(pytester: pytest.Pytester) -> None:
    saved(Path("one.walk"), subject="own")
    reports = ("--refute-report", "json:r.json")
    result = pytester.runpytest_inprocess(*QUICK, "one.walk", "--refute-engine", "fault:en-passant-rank-pin", *reports)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*uncovers the rook*", f"position fen {PIN}", "$ refute replay one.walk*"])
    result.stdout.no_fnmatch_line("*collecting.py*def*")
    told = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert [found["fen"] for found in told["divergences"]] == [PIN]
    assert not Path(".refute").exists()  # the finding lies where it lay


@pytest.mark.parametrize("subject", ["uci:./mine", "py:antigravity:fly", "./mine"])
def test_a_walk_starts_no_program_that_only_the_file_names(pytester: pytest.Pytester, subject: str) -> None:
    saved(Path("one.walk"), subject=subject)
    result = pytester.runpytest_inprocess(*QUICK, "one.walk")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED *a file does not start programs*--refute-engine SPEC*"])


def test_a_walk_starts_no_witness_that_only_the_file_names(pytester: pytest.Pytester) -> None:
    saved(Path("one.walk"), subject="own", witness="./mine")
    pytester.runpytest_inprocess(*BASE, "one.walk").assert_outcomes(passed=1)


def test_a_broken_walk_is_one_line(pytester: pytest.Pytester) -> None:
    path = saved(Path("one.walk"), subject="own")
    path.write_text(path.read_text(encoding="utf-8").replace("position fen", "position fun"), encoding="utf-8")
    result = pytester.runpytest_inprocess(*QUICK, "one.walk")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["refute could not run: *one.walk*expected 'startpos' or 'fen' after 'position'"])


# ---------------------------------------------------------------- .epd files


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("# format: refute-walk 2\nposition startpos\n", "refute-walk 2"),
        ("# format: refute-walk 1\n# facet: \x1b[2J\nposition startpos\n", "control characters"),
        ("a path through the woods\n", "format"),
    ],
    ids=["empty", "of another version", "hostile", "no walk"],
)
def test_a_walk_that_is_named_and_cannot_be_read_fails_and_says_why(
    text: str, why: str, pytester: pytest.Pytester
) -> None:
    (pytester.path / "odd.walk").write_text(text, encoding="utf-8")
    result = pytester.runpytest_inprocess(*QUICK, "odd.walk")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*refute could not run: *{why}*"])
    assert "not found" not in str(result.stdout) + str(result.stderr)
    assert "\x1b[2J" not in str(result.stdout)


def test_a_perft_suite_is_a_test_for_each_position(pytester: pytest.Pytester) -> None:
    pytester.makefile(".epd", suite=SUITE)
    result = pytester.runpytest_inprocess(*QUICK, "suite.epd")
    result.assert_outcomes(passed=2)


def test_a_wrong_count_names_the_move_it_comes_from(pytester: pytest.Pytester) -> None:
    pytester.makefile(".epd", suite=SUITE)
    result = pytester.runpytest_inprocess(*QUICK, "suite.epd", "--refute-engine", "fault:en-passant-rank-pin")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*perft 2 of 8/2p5*: expected 191, counted 193", "*en passant capture*"])


def test_a_count_that_is_wrong_in_the_file_fails_too(pytester: pytest.Pytester) -> None:
    pytester.makefile(".epd", suite=SUITE.replace("191", "190"))
    result = pytester.runpytest_inprocess(*QUICK, "suite.epd")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*expected 190, counted 191"])


def test_counts_above_the_limit_are_left_out(pytester: pytest.Pytester) -> None:
    pytester.makefile(".epd", suite=SUITE.replace("D2 400", "D2 401"))
    pytester.runpytest_inprocess(*QUICK, "suite.epd", "--refute-nodes", "400").assert_outcomes(passed=2)
    pytester.runpytest_inprocess(*QUICK, "suite.epd", "--refute-nodes", "401").assert_outcomes(passed=1, failed=1)
    pytester.runpytest_inprocess(*QUICK, "suite.epd", "--refute-nodes", "0").assert_outcomes(skipped=2)


def test_a_suite_with_a_broken_line_is_an_error_that_names_it(pytester: pytest.Pytester) -> None:
    pytester.makefile(".epd", suite=SUITE + "8/8/8 w - - 0 1 ;D1 3\n")
    result = pytester.runpytest_inprocess(*QUICK, "suite.epd")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*suite.epd*line 4: *"])


# ---------------------------------------------------------------- other people's files


def test_files_that_were_not_named_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makefile(".epd", suite=SUITE)
    saved(Path("one.walk"), subject="own")
    pytester.makepyfile("def test_mine(): pass")
    pytester.runpytest_inprocess(*QUICK).assert_outcomes(passed=1)
    pytester.runpytest_inprocess(*QUICK, ".").assert_outcomes(passed=1)


def test_the_ini_file_can_ask_for_all_files_that_are_ours(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nrefute_collect = true\n")
    pytester.makefile(".epd", suite=SUITE, best_moves="4k3/8/8/8/8/8/8/4K3 w - - bm Kd1;", empty="\n")
    saved(Path("one.walk"), subject="own")
    Path("other.walk").write_bytes(b"\xff\x00 a path through the woods")
    pytester.runpytest_inprocess(*QUICK).assert_outcomes(passed=3)
