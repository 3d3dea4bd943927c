"""`refute suite`: right counts and wrong ones, what is skipped, engines that fail, and the files it refuses."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from refute.cli import main
from refute.engines.protocol import Ability
from refute.engines.spec import open_engine
from refute.suites import count, plan, read_cases

CORPUS = Path(__file__).parents[1] / "corpora" / "perft"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PAWNS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
CHESS960 = "1r2k3/8/8/1R6/8/3b4/8/5RKR b HFb - 16 77"

SCRIPTED = """
    import sys

    def say(*lines):
        print(*lines, sep="\\n", flush=True)

    for line in sys.stdin:
        words = line.split()
        if words == ["uci"]:
            say("id name Scripted", "uciok")
        elif words == ["isready"]:
            say("readyok")
        elif words[:2] == ["position", "fen"]:
            fen = words[2]
        elif words == ["go", "perft", "1"]:
            moves = [f + "2" + f + r for f in "abcdefgh" for r in "34"] + ["b1a3", "b1c3", "g1f3", "g1h3"]
            say(*(f"{move}: 1" for move in moves), "", "Nodes searched: 20")
        elif words[:2] == ["go", "perft"]:
            @DEEPER@
"""


@pytest.fixture
def suite_of(tmp_path: Path) -> Callable[..., str]:
    """Write lines to a suite file and give its name."""

    def write(*lines: str) -> str:
        path = tmp_path / "suite.epd"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(path)

    return write


def scripted(folder: Path, deeper: str) -> str:
    """The SPEC of an engine that knows the start position's moves, and does this when asked for more."""
    path = folder / "scripted.py"
    path.write_text(dedent(SCRIPTED).replace("@DEEPER@", deeper), encoding="utf-8")
    return f"uci:{sys.executable} {path}"


def report(capsys: pytest.CaptureFixture[str], *arguments: str, code: int) -> dict[str, Any]:
    """The JSON object that `refute suite … --json` prints."""
    assert main(["suite", *arguments, "--json"]) == code
    out, err = capsys.readouterr()
    assert err == ""
    told = json.loads(out)
    assert isinstance(told, dict)
    return told


def test_every_position_has_its_line(suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    path = suite_of("# counts", f"{START} ;D1 20 ;D2 400", "", f"{KIWIPETE} ;D1 48 ;D2 2039")
    assert main(["suite", path]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines()[:2] == [f"ok     {START}  depth 2: 400", f"ok     {KIWIPETE}  depth 2: 2,039"]
    assert out.splitlines()[2].startswith("4 counts right, 0 wrong, 2 positions, ")
    assert len(out.splitlines()) == 3


def test_json_has_every_count(suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    told = report(capsys, suite_of(f"{START} ;D1 20 ;D3 8902"), code=0)
    assert (told["engine"], told["passed"], told["failed"], told["skipped"]) == ("own", 2, 0, 0)
    assert [case["depth"] for case in told["cases"]] == [1, 3]
    deep = told["cases"][1]
    assert deep.pop("seconds") >= 0
    assert deep == {
        "fen": START, "chess960": False, "depth": 3, "expected": 8902, "counted": 8902, "ok": True, "fault": None,
    }  # fmt: skip


def test_a_planted_fault_is_named_with_the_command_that_goes_on(
    suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite_of(f"{START} ;D1 20 ;D2 400", f"{PAWNS} ;D3 2812 ;D4 43238")
    assert main(["suite", path, "--engine", "fault:en-passant-victim-stays"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok ")
    assert lines[1] == f"WRONG  {PAWNS}  depth 4: expected 43,238, counted 43,236"
    assert lines[2].strip() == f"refute drill '{PAWNS}' 4 --engine fault:en-passant-victim-stays"
    assert lines[3].startswith("3 counts right, 1 wrong, ")


def test_the_command_that_goes_on_can_be_run(suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    engine = "fault:castle-through-attack"
    assert main(["suite", suite_of(f"{CHESS960} ;D2 674"), "--engine", engine]) == 1
    (command,) = [line for line in capsys.readouterr().out.splitlines() if "refute drill" in line]
    words = shlex.split(command)
    assert words[-1] == "--chess960"
    assert main([*words[1:], "--against", "python-chess"]) == 1


def test_a_wrong_published_count_is_wrong_too(suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", suite_of(f"{START} ;D1 21 ;D2 400")]) == 1
    out = capsys.readouterr().out
    assert "depth 1: expected 21, counted 20" in out
    assert "1 count right, 1 wrong" in out
    assert "the published count is wrong" in out


def test_depths_above_the_limit_are_skipped_and_said(
    suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite_of(f"{START} ;D1 20 ;D2 400 ;D3 8902 ;D6 119060324", f"{KIWIPETE} ;D2 2039")
    assert main(["suite", path, "--max-nodes", "400"]) == 0
    out = capsys.readouterr().out
    assert "depth 2: 400" in out
    assert "3 counts skipped: above --max-nodes 400" in out
    told = report(capsys, path, "--max-nodes", "400", code=0)
    assert (told["passed"], told["skipped"]) == (2, 3)


def test_a_suite_that_is_skipped_whole_has_not_passed(
    suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["suite", suite_of(f"{START} ;D1 20"), "--max-nodes", "19"]) == 2
    assert "nothing to count" in capsys.readouterr().err


def test_several_files_are_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(CORPUS / "standard.epd"), str(CORPUS / "chess960.epd")]
    told = report(capsys, *paths, "--max-nodes", "1000", code=0)
    assert {case["chess960"] for case in told["cases"]} == {False, True}
    assert told["failed"] == 0
    assert told["passed"] == len(told["cases"]) > 42


def test_rights_as_file_letters_stay_file_letters(
    suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = report(capsys, suite_of(f"{CHESS960} ;D1 20"), "--engine", "python-chess", code=0)
    assert told["cases"][0]["fen"] == CHESS960


def test_chess960_is_read_from_the_option_where_the_fen_does_not_say(
    suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite_of(f"{KIWIPETE} ;D2 2039")
    told = report(capsys, path, "--chess960", code=0)
    assert told["cases"][0]["chess960"] is True


def test_stockfish_counts_as_published(stockfish: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = report(capsys, str(CORPUS / "standard.epd"), "--engine", "stockfish", "--max-nodes", "10000", code=0)
    assert told["passed"] >= 12


def test_an_engine_that_dies_is_shown_as_itself_and_the_rest_goes_on(
    suite_of: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite_of(f"{START} ;D1 20 ;D2 400 ;D3 8902", f"{START} ;D1 20")
    engine = scripted(tmp_path, 'print("stack overflow", file=sys.stderr); sys.exit(3)')
    told = report(capsys, path, "--engine", engine, code=1)
    assert [(case["depth"], case["ok"]) for case in told["cases"]] == [(1, True), (2, False), (1, True)]
    fault = told["cases"][1]["fault"]
    assert fault["trouble"] == "crash"
    assert any("stack overflow" in line for line in fault["transcript"])
    # Depth 3 would only have died again.
    assert (told["passed"], told["failed"], told["skipped"]) == (2, 1, 1)


@pytest.mark.parametrize(("ability", "command"), [("MOVES", "replay"), ("PERFT", "perft")])
def test_no_command_is_told_that_the_engine_cannot_answer(
    ability: str,
    command: str,
    suite_of: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "partial.py").write_text(PARTIAL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    engine = f"py:partial:Only{ability.title()}"
    assert main(["suite", suite_of(f"{START} ;D1 21"), "--engine", engine]) == 1
    (told,) = [line for line in capsys.readouterr().out.splitlines() if "       refute " in line]
    words = shlex.split(told)
    assert words[:2] == ["refute", command]
    assert main(words[1:]) == 0, "the published count is wrong, and not the engine"


PARTIAL = """
from refute.engines.protocol import Ability
from refute.engines.python_chess import PythonChessEngine

class OnlyMoves(PythonChessEngine):
    abilities = frozenset({Ability.MOVES})

class OnlyPerft(PythonChessEngine):
    abilities = frozenset({Ability.PERFT})
"""


def test_an_engine_that_hangs_is_shown_as_itself(
    suite_of: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = scripted(tmp_path, "import time; time.sleep(60)")
    path = suite_of(f"{START} ;D1 20 ;D2 400")
    assert main(["suite", path, "--engine", engine, "--timeout", "0.3"]) == 1
    out = capsys.readouterr().out
    assert "depth 2: expected 400, no count: timeout: " in out
    assert "refute drill" not in out


def test_garbage_reaches_the_terminal_escaped(
    suite_of: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = scripted(tmp_path, r'say("\x1b[31mred: 1", "e2e4: 7", "Nodes searched: 8")')
    assert main(["suite", suite_of(f"{START} ;D1 20 ;D2 400"), "--engine", engine]) == 1
    out = capsys.readouterr().out
    assert "no count: miscount: " in out
    assert "\x1b" not in out


def test_an_engine_that_only_lists_moves_is_asked_for_depth_one(
    suite_of: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lister_of_moves.py").write_text(
        "import chess\ndef moves(fen):\n    return [move.uci() for move in chess.Board(fen).legal_moves]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    told = report(capsys, suite_of(f"{KIWIPETE} ;D1 48 ;D2 2039"), "--engine", "py:lister_of_moves:moves", code=0)
    assert [(case["depth"], case["counted"]) for case in told["cases"]] == [(1, 48)]
    assert told["skipped"] == 1
    assert "no ability perft" in next(iter(told["skipped_because"]))


def test_chess960_is_skipped_for_an_engine_that_does_not_play_it(suite_of: Callable[..., str], tmp_path: Path) -> None:
    cases = read_cases([suite_of(f"{START} ;D1 20", f"{CHESS960} ;D1 20 ;D2 674")])
    with open_engine(scripted(tmp_path, "pass")) as engine:
        assert Ability.CHESS960 not in engine.abilities
        made = plan(cases, engine)
        assert [task.fen for task in made.tasks] == [START]
        assert list(made.skipped.values()) == [2]
        assert count(engine, made.tasks[0]).is_ok


def test_control_c_shows_what_was_done(
    suite_of: Callable[..., str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite_of(f"{START} ;D1 20", f"{KIWIPETE} ;D1 48 ;D2 2039 ;D3 97862", f"{PAWNS} ;D1 14")
    monkeypatch.setattr("refute.suites.count", interrupting(3))
    assert main(["suite", path]) == 130
    out = capsys.readouterr().out
    assert out.splitlines()[:2] == [f"ok     {START}  depth 1: 20", f"ok     {KIWIPETE}  depth 2: 2,039"]
    assert "Interrupted: 2 counts not done" in out
    monkeypatch.setattr("refute.suites.count", interrupting(3))
    told = report(capsys, path, code=130)
    assert told["interrupted"] is True
    assert told["passed"] == 3


def interrupting(after: int) -> Any:
    """A count that is interrupted once it was asked for so many."""
    asked = 0

    def counted(*arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked > after:
            raise KeyboardInterrupt
        return count(*arguments)

    return counted


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0", "line 1", id="no kings"),
        pytest.param(f"{START} ;D1 twenty", "is not a depth 1 to 99 and a count", id="no number"),
        pytest.param(f"{START} ;D0 1", "is not a depth 1 to 99 and a count", id="depth 0"),
        pytest.param(START, "has no counts", id="no counts"),
        pytest.param("# nothing", "has no positions", id="only a comment"),
        pytest.param(f"{START}\x1b[31m ;D1 20", "line 1", id="control characters"),
    ],
)
def test_a_bad_file_is_named_and_refused(
    line: str, message: str, suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["suite", suite_of(line)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert "suite.epd" in err
    assert message in err
    assert "\x1b" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "FILE.epd"),
        (["no-such.epd"], "No such file"),
        (["/dev/zero"], "is not a file"),
        ([str(CORPUS / "standard.epd"), "--engine", "no-such-program"], "no-such-program"),
        ([str(CORPUS / "standard.epd"), "--max-nodes", "-1"], "--max-nodes"),
        ([str(CORPUS / "standard.epd"), "--max-nodes", "many"], "many"),
        ([str(CORPUS / "standard.epd"), "--timeout", "nan"], "not a number of seconds"),
        ([str(CORPUS / "standard.epd"), "--timeout", "0"], "--timeout"),
    ],
)
def test_what_cannot_be_run_is_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert message in err


def test_the_interpreted_board_can_be_asked(suite_of: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    told = report(capsys, suite_of(f"{PAWNS} ;D3 2812"), "--engine", "own:pure", code=0)
    assert "interpreted" in told["version"]
