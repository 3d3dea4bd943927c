"""`refute doctor`: what it says of good engines, wrong ones, silent ones and none at all."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from refute.cli import main
from refute.doctor import POSITIONS, examine


@pytest.fixture(autouse=True)
def _no_stockfish(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    # One witness is enough, and what is printed does not depend on the machine.
    if "stockfish" not in request.fixturenames:
        monkeypatch.setenv("REFUTE_STOCKFISH", "/no/such/stockfish")


def report(capsys: pytest.CaptureFixture[str], *arguments: str, code: int) -> dict[str, Any]:
    """The JSON object that `refute doctor … --json` prints."""
    assert main(["doctor", *arguments, "--json"]) == code
    out, err = capsys.readouterr()
    assert err == ""
    told = json.loads(out)
    assert isinstance(told, dict)
    return told


@pytest.mark.parametrize("name", POSITIONS)
def test_the_positions_have_the_moves_they_are_said_to_have(name: str) -> None:
    board = chess.Board(POSITIONS[name])
    assert f", {board.legal_moves.count()} moves" in name
    assert board.is_valid()
    assert ("en passant" in name) == board.has_legal_en_passant()


def test_our_own_board_can_be_hunted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "own board   " in out
    assert "stockfish   not found" in out
    assert "  moves: against python-chess\n" in out
    assert "  key: by itself\n" in out
    assert out.count("  ok     ") == 4
    assert out.endswith("It can be hunted:\n  refute hunt --engine own\n")


def test_json_says_everything(capsys: pytest.CaptureFixture[str]) -> None:
    told = report(capsys, code=0)
    assert told["engine"] == "own"
    assert told["board"] in told["version"]
    assert told["lacks"] == {}
    assert told["witnesses"].keys() == {"python-chess"}
    assert told["checks"]["moves"] == ["python-chess"]
    assert [skip["check"] for skip in told["skipped"]] == ["perft"]
    assert [probe["ok"] for probe in told["probes"]] == [True] * 4
    assert told["milliseconds"] > 0
    assert (told["can_be_hunted"], told["refuted"], told["obstacle"]) == (True, False, "")
    assert told["next"] == "refute hunt --engine own"


def test_stockfish_is_found_and_counts(stockfish: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = report(capsys, code=0)
    assert told["stockfish"] == stockfish
    assert told["checks"]["perft"] == ["stockfish"]
    assert told["skipped"] == []


def test_stockfish_as_the_engine_says_what_uci_cannot(stockfish: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = report(capsys, "--engine", "stockfish", code=0)
    assert told["dialect"] == "UCI, `go perft`, `d` with its FEN, `d` with checkers, UCI_Chess960"
    assert told["checks"].keys() == {"moves", "fen", "check"}
    skipped = {skip["check"]: skip["why"] for skip in told["skipped"]}
    assert skipped.keys() == {"outcome", "key", "invariants, restore, null", "perft"}
    assert "UCI has no question" in skipped["outcome"]
    assert "--depth 2" in skipped["perft"]


def test_a_uci_engine_that_is_right_can_be_hunted(
    scripted: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted("SHOWS = True\ndef show(board): say('Fen: ' + board.fen())")
    told = report(capsys, "--engine", spec, code=0)
    assert told["version"] == "Scripted 1.0"
    assert told["dialect"] == "UCI, `go perft`, `d` with its FEN"
    assert told["lacks"]["check"] == "'d' showed no 'Checkers:' line"
    assert "chess960" in told["lacks"]
    assert shlex.split(told["next"]) == ["refute", "hunt", "--engine", spec]


def test_a_move_that_is_missing_refutes_already(
    scripted: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted(
        "def moves(board):\n    return [move for move in board.legal_moves if not board.is_en_passant(move)]"
    )
    assert main(["doctor", "--engine", spec]) == 1
    out = capsys.readouterr().out
    assert "  ok     start position" in out
    assert "  WRONG  en passant in a FEN" in out
    assert "moves: missing e5f6" in out
    assert "position fen rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3" in out
    assert "refuted already" in out
    assert f"refute hunt --engine {shlex.quote(spec)}" in out


def test_a_planted_fault_is_found_on_the_walks(capsys: pytest.CaptureFixture[str]) -> None:
    told = report(capsys, "--engine", "fault:missing-underpromotion", code=1)
    assert told["refuted"] is True
    (wrong,) = [probe for probe in told["probes"] if not probe["ok"]]
    assert wrong["name"] == "5 walks beside python-chess"
    assert all(move.endswith("n") for move in wrong["divergence"]["missing"])


@pytest.mark.parametrize(
    ("go", "heard"),
    [
        pytest.param('say("bestmove e2e4")', "< bestmove e2e4", id="it searches"),
        pytest.param('say("Nodes searched: 20")', "< Nodes searched: 20", id="it says the total alone"),
        pytest.param('sys.exit("Unknown: \\x1b[31mperft")', "! Unknown: \\x1b[31mperft", id="it dies"),
    ],
)
def test_an_engine_without_perft_is_told_what_to_print(
    go: str, heard: str, scripted: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted(f"def go(board, depth):\n    {go}")
    assert main(["doctor", "--engine", spec, "--timeout", "0.5"]) == 2
    out, err = capsys.readouterr()
    assert err == ""
    assert "It cannot be hunted: " in out
    assert f"it said:\n  {heard}\n" in out
    assert "\n  e2e4: 1\n" in out
    assert "\n  Nodes searched: 20\n" in out
    assert "py:module:attribute" in out
    assert "script:COMMAND" in out
    assert "planned" in out
    assert f"\n  printf 'uci\\nposition startpos\\ngo perft 1\\n' | {spec.removeprefix('uci:')}\n" in out
    assert "\x1b" not in out
    assert "refute hunt" not in out


def test_an_engine_without_perft_has_no_next_command(
    scripted: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = report(capsys, "--engine", scripted("def go(board, depth):\n    say('bestmove e2e4')"), code=2)
    assert told["next"] is None
    assert told["can_be_hunted"] is False
    assert "'go perft 1' gave no divide" in told["obstacle"]
    assert told["heard"] == ["< bestmove e2e4"]
    assert told["probes"] == []
    assert told["milliseconds"] is None


@pytest.mark.parametrize(
    ("go", "why"),
    [
        pytest.param("os.kill(os.getpid(), 11)", "it died of signal 11 (SIGSEGV)", id="it segfaults"),
        pytest.param("os._exit(3)", "it exited with status 3", id="it ends"),
        pytest.param(
            "say('a2a3: 1', 'e2e4: 1')",
            "it listed 2 moves, and no total after them; end with a line such as 'Nodes searched: 2'",
            id="it leaves the total out",
        ),
        pytest.param("say('Nodes searched: 20')", "it gave a total of 20, and no line such as 'e2e4: 1'", id="total"),
        pytest.param("say('e2e4: 1', 'Nodes searched: 20')", "its lines add up to 1, and it says 20", id="wrong total"),
        pytest.param("say('bestmove e2e4')", "it searched instead, and said a best move", id="it searches"),
        pytest.param("pass", "it answered 'isready', and counted nothing", id="it does nothing"),
        pytest.param("time.sleep(60)", "it said nothing for 0.3 s; does it search instead?", id="it is silent"),
    ],
)
def test_the_reason_says_what_happened_and_what_to_print(
    go: str,
    why: str,
    scripted: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("refute.doctor.HEARING_SECONDS", 0.1)
    told = report(capsys, "--engine", scripted(f"def go(board, depth):\n    {go}"), "--timeout", "0.3", code=2)
    assert f"'go perft 1' gave no divide: {why}" in told["obstacle"]
    assert "(expected 'e2e4: 1' and so on, then 'Nodes searched: 20')" in told["obstacle"]


def test_doctor_and_hunt_agree_on_an_engine_that_shows_its_board_and_does_not_count(
    scripted: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted("SHOWS = True\ndef go(board, depth):\n    say('bestmove e2e4')")
    told = report(capsys, "--engine", spec, code=2)
    assert "fen" in told["abilities"]
    assert main(["hunt", "--engine", spec, "--walks", "1"]) == 2
    err = capsys.readouterr().err
    assert "'go perft 1' gave no divide: it searched instead" in err
    assert "'go perft 1' gave no divide: it searched instead" in told["obstacle"]


def test_an_engine_that_says_nothing_to_perft_is_quoted_as_that(
    scripted: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("refute.doctor.HEARING_SECONDS", 0.2)
    spec = scripted("def go(board, depth):\n    time.sleep(60)")
    assert main(["doctor", "--engine", spec, "--timeout", "0.3"]) == 2
    assert "it said:\n  nothing\n" in capsys.readouterr().out


def test_an_engine_that_dies_on_a_position_is_refuted_as_itself(
    scripted: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = scripted(
        "def moves(board):\n    if board.ep_square: sys.exit('segmentation fault')\n    return list(board.legal_moves)"
    )
    told = report(capsys, "--engine", spec, code=1)
    wrong = next(probe for probe in told["probes"] if not probe["ok"])
    assert wrong["divergence"]["facet"] == "crash"


def test_a_function_in_python_can_be_hunted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "doctored_moves.py").write_text(
        "import chess\ndef moves(fen):\n    return [move.uci() for move in chess.Board(fen).legal_moves]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    told = report(capsys, "--engine", "py:doctored_moves:moves", code=0)
    assert told["abilities"] == ["moves"]
    assert told["checks"] == {"moves": ["python-chess"]}


def test_a_function_that_hangs_is_waited_for_once_and_refuted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "doctored_hang.py").write_text("import time\ndef moves(fen):\n    time.sleep(600)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    told = report(capsys, "--engine", "py:doctored_hang:moves", "--timeout", "0.1", code=1)
    (wrong,) = told["probes"]
    assert wrong["divergence"]["facet"] == "timeout"
    assert wrong["divergence"]["actual"] == "gave no answer in time"
    assert told["milliseconds"] is None


def test_a_witness_that_cannot_be_started_is_left_out_of_the_next_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REFUTE_STOCKFISH", "/bin/cat")
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "stockfish cannot be started" in out
    assert "refute hunt --engine own --against python-chess" in out


def test_nobody_left_to_believe_is_an_obstacle(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--engine", "python-chess"]) == 2
    assert "needs at least one witness" in capsys.readouterr().out


def test_witnesses_that_disagree_blame_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: Callable[[str], str]
) -> None:
    liar = scripted("def moves(board):\n    return list(board.legal_moves)[1:]").removeprefix("uci:")
    program = tmp_path / "liar"
    program.write_text(f"#!/bin/sh\nexec {liar}\n")
    program.chmod(0o755)
    monkeypatch.setenv("REFUTE_STOCKFISH", str(program))
    found = examine("own")
    assert not found.is_refuted
    assert "the witnesses disagree" in found.probes[0].remark


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("/bin/cat", "is not a UCI engine"),
        ("/bin/true", "is not a UCI engine"),
        ("no-such-program", "there is no program"),
        ("fault:no-such-fault", "no-such-fault"),
        ("script:./mine", "planned"),
        ("py:no_such_module:moves", "no module"),
        ("uci:./mine\nquit", "not printable"),
    ],
)
def test_what_cannot_be_started_is_named(spec: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--engine", spec]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert message in err


def test_a_program_that_is_not_uci_is_told_the_other_ways(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--engine", "/bin/cat"]) == 2
    assert "py:module:attribute" in capsys.readouterr().err
