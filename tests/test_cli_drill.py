"""`refute drill`: what it prints on the way down, its JSON, its exit codes, and the input it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from refute.cli import main

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PAWNS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"


def test_agreement_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "startpos", "3", "--against", "python-chess"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines() == ["depth 3  start  8,902 nodes, as expected", "own agrees with python-chess"]


def test_the_way_down_is_shown_level_by_level(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["drill", PAWNS, "4", "--engine", "fault:en-passant-victim-stays", "--against", "python-chess"])
    out = capsys.readouterr().out
    assert code == 1
    heads = [line for line in out.splitlines() if line.startswith("depth ")]
    assert [head.split("  ")[:2] for head in heads] == [
        ["depth 4", "start"],
        ["depth 3", "a5a4"],
        ["depth 2", "a5a4 c7c5"],
        ["depth 1", "a5a4 c7c5 b5c6"],
    ]
    assert "  c7c5: 187, expected 188" in out
    assert "  h5a5: missing" in out
    assert "  c5b4: extra" in out
    assert "make is at fault" in out
    assert f"position fen {PAWNS} moves a5a4 c7c5 b5c6" in out


def test_json_has_every_level_and_the_divergence(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--engine", "fault:castle-through-attack", "--against", "python-chess", "--json"]
    assert main(["drill", KIWIPETE, "3", *arguments]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["subject"], report["witness"], report["depth"]) == ("fault:castle-through-attack", "python-chess", 3)
    assert [level["depth"] for level in report["levels"]] == [3, 2, 1]
    assert report["levels"][0]["expected"] == 97862
    assert report["levels"][2]["differences"] == {"e1g1": {"expected": None, "actual": 1}}
    assert report["divergence"]["extra"] == ["e1g1"]
    assert report["divergence"]["fen"] == KIWIPETE


def test_json_of_agreement_has_no_divergence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "startpos", "2", "--against", "python-chess", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["divergence"] is None


def test_stockfish_is_believed_when_it_is_installed(stockfish: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "startpos", "3"]) == 0
    assert "own agrees with stockfish" in capsys.readouterr().out


def test_without_stockfish_python_chess_is_believed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REFUTE_STOCKFISH", str(tmp_path / "none"))
    assert main(["drill", "startpos", "2"]) == 0
    assert "own agrees with python-chess" in capsys.readouterr().out


def test_chess960_is_drilled(capsys: pytest.CaptureFixture[str]) -> None:
    start = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    assert main(["drill", start, "2", "--against", "python-chess", "--chess960", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["chess960"] is True
    assert report["levels"][0]["expected"] == 528


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense", "2"], "FEN"),
        (["startpos", "0"], "not a depth to drill to"),
        (["startpos", "-1"], "not a depth"),
        (["startpos", "2", "--engine", "fault:none-such"], "no fault"),
        (["startpos", "2", "--against", "no-such-program"], "no-such-program"),
        (["8/8/8/8/8/8/8/8 w - - 0 1", "2"], "kings"),
    ],
)
def test_what_cannot_be_drilled_is_named(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["drill", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("refute: ")
    assert message in err


@pytest.mark.parametrize(
    ("deed", "facet"),
    [("raise KeyError(fen)", "crash"), ("return self.wait()", "timeout")],
    ids=["crashes", "hangs"],
)
def test_an_engine_that_fails_on_the_way_is_refuted_and_the_position_shown(
    deed: str, facet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """python-chess but for one position, where it fails as a process would."""
    (tmp_path / "frail.py").write_text(FRAIL.replace("DEED", deed), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "frail", raising=False)
    arguments = ["--engine", "py:frail:Frail", "--against", "python-chess"]
    assert main(["drill", "startpos", "2", *arguments]) == 1
    out = capsys.readouterr().out
    assert "moves e2e4" in out
    assert f"{facet}/crash/double push" in out
    assert ("see --timeout" in out) is (facet == "timeout")
    assert main(["drill", "startpos", "2", *arguments, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["divergence"]["facet"] == facet


FRAIL = """
from refute.board.move import encode_uci
from refute.engines.protocol import Fault, Trouble
from refute.engines.python_chess import PythonChessEngine

class Frail(PythonChessEngine):
    def at(self, walks, question):
        answers = super().at(walks, question)
        for number, walk in enumerate(walks):
            fen = walk.fen
            if walk.moves == ("e2e4",):
                DEED
            answers[number].divide[encode_uci("e2e4")] = 7
        return answers

    def wait(self):
        return [Fault(Trouble.TIMEOUT, "gave no answer in time")]
"""
