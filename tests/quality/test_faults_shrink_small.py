"""Every planted fault comes down to a walk of at most one move, and is told rightly in every report.

A path fault may keep three moves. The few that only a longer game shows come down to the fewest moves there can be.
A wrong move list comes down to a handful of men.
"""

from __future__ import annotations

import dataclasses
import io
import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import chess
import pytest
from rich.console import Console

from refute.compare import Comparer
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.faulty import FAULTS, open_fault
from refute.engines.python_chess import PythonChessEngine
from refute.explain import explain
from refute.finding import format_finding, parse_finding
from refute.power import MOST_MOVES, MOST_MOVES_OF_A_PATH
from refute.report import HuntResult, command_for
from refute.report.html import render_html
from refute.report.json import render_json
from refute.report.junit import render_junit
from refute.report.markdown import render_markdown
from refute.report.pytest_file import render_pytest
from refute.report.terminal import print_result
from refute.shrink import shrink
from refute.walk import Walk
from refute.walking import walk_number

WALKS: Final = Path(__file__).with_name("faulty_walks.tsv")
SENTENCES: Final = Path(__file__).with_name("fault_sentences.tsv")
HUNTED: Final = 200  # walks tried for a fault that has no walk in the file

MOST_MEN: Final = 6
MEDIAN_MEN: Final = 4


@cache
def walks() -> dict[str, Walk]:
    lines = [line.split("\t") for line in WALKS.read_text().splitlines() if not line.startswith("#")]
    return {name: Walk.parse(command, chess960=rules == "chess960") for name, rules, command in lines if name in FAULTS}


@cache
def shrunk(name: str) -> tuple[Divergence, Divergence]:
    """A fault as it is found, and shrunk; a fault that no walk at hand shows fails its test."""
    comparer = Comparer(open_fault(name), [PythonChessEngine()], chess960=FAULTS[name].chess960)
    known = walks().get(name)
    numbers = (walk_number(11, index, chess960=FAULTS[name].chess960) for index in range(HUNTED))
    for walk in [known] if known is not None else numbers:
        found = comparer.compare(walk).divergence
        if found is not None:
            # No time limit: what is measured here is how small it gets, not how fast this machine is.
            small = shrink(found, comparer, seconds=600.0)
            assert shrink(small, comparer, seconds=600.0).walk == small.walk, "shrinking twice gives the same result"
            return found, small
    pytest.fail(f"no walk at hand shows {name}")


def test_the_fault_shrinks_to_few_moves_and_keeps_its_signature(fault_name: str) -> None:
    found, small = shrunk(fault_name)
    assert small.notes["shrunk"] == "whole"
    assert small.signature == found.signature
    fault = FAULTS[fault_name]
    limit = fault.fewest or (MOST_MOVES_OF_A_PATH if fault.path else MOST_MOVES)
    assert len(small.walk) <= limit, small.walk
    assert small.original == found.walk


@cache
def words() -> dict[str, list[str]]:
    lines = [line.split("\t") for line in SENTENCES.read_text().splitlines() if not line.startswith("#")]
    return {name: told.split(" | ") for name, told in lines}


def test_the_sentence_says_what_kind_of_thing_is_wrong_and_what_is_special_about_it(fault_name: str) -> None:
    _, small = shrunk(fault_name)
    sentence = explain(small)
    assert fault_name in words(), f"{SENTENCES.name} has no row for {fault_name}, of which is said: {sentence}"
    assert [part for part in words()[fault_name] if part not in sentence.lower()] == [], sentence
    assert sentence.endswith(".")
    if small.missing or small.extra:
        assert str(small.move) in sentence


@pytest.mark.usefixtures("all_faults")
def test_what_the_board_finds_inside_itself_needs_no_moves() -> None:
    inside = (Facet.RESTORE, Facet.INVARIANTS, Facet.NULL)
    small = [small for _, small in map(shrunk, walks()) if small.facet in inside]
    # Taking a whole walk back, which no one move fails, needs the walk.
    small = [one for one in small if one.facet is not Facet.RESTORE or one.move is not None]
    assert len(small) >= 20
    assert {one.walk.moves for one in small} == {()}


@pytest.mark.usefixtures("all_faults")
def test_move_generation_faults_come_down_to_a_handful_of_men() -> None:
    men = []
    for found, small in map(shrunk, walks()):
        if found.verdict is Verdict.MOVEGEN:
            men.append(small.pieces)
    men.sort()
    assert len(men) >= 20
    assert sum(count <= MOST_MEN for count in men) >= 0.9 * len(men), men
    assert men[len(men) // 2] <= MEDIAN_MEN, men


@pytest.mark.usefixtures("all_faults")
def test_a_shrink_takes_few_calls_to_the_subject() -> None:
    calls = sorted(shrunk(name)[1].notes["subject_calls"] for name in walks())
    assert calls[len(calls) // 2] <= 100, calls
    assert calls[len(calls) * 9 // 10] <= 300, calls


# ------------------------------------------------------------------------------ reports, read back


@cache
def told(name: str) -> Divergence:
    """The shrunk finding as a hunt reports it."""
    _, small = shrunk(name)
    return dataclasses.replace(small, explanation=explain(small), seed=11, count=3)


def hunted(*findings: Divergence) -> HuntResult:
    versions = findings[0].versions
    return HuntResult("fault", ("python-chess",), 11, 8, 90, 4000, 1.5, divergences=findings, versions=versions)


def position_at_end(walk: Walk) -> str:
    board = chess.Board(walk.fen, chess960=walk.chess960)
    for move in walk.moves:
        board.push_uci(move)
    return board.fen(en_passant="fen")


def test_json_says_all_that_the_finding_says(fault_name: str) -> None:
    found = told(fault_name)
    (said,) = json.loads(render_json(hunted(found)))["divergences"]
    for field in ("facet", "verdict", "kind", "subject", "witness", "expected", "actual", "move", "explanation"):
        assert said[field] == getattr(found, field), field
    for field in ("path_dependent", "count", "seed", "pieces"):
        assert said[field] == getattr(found, field), field
    for field in ("missing", "extra", "transcript"):
        assert tuple(said[field]) == getattr(found, field), field
    assert Walk(said["fen"], tuple(said["moves"]), said["chess960"]) == found.walk
    assert found.original is not None
    assert said["original"] == {"fen": found.original.fen, "moves": list(found.original.moves)}
    assert said["signature"] == f"{found.facet}/{found.verdict}/{found.kind}"
    assert said["command"] == command_for(found)


def test_junit_fails_a_case_of_its_signature_that_says_everything(fault_name: str) -> None:
    found = told(fault_name)
    (case,) = [case for case in ET.fromstring(render_junit(hunted(found))).iter("testcase") if len(case)]
    failure = case.find("failure")
    assert failure is not None
    assert case.get("name") == str(found.signature)
    assert (failure.get("type"), failure.get("message")) == (found.verdict, found.explanation)
    lines = (failure.text or "").splitlines()
    assert str(found.walk) in lines
    assert f"expected: {found.expected} ({found.witness})" in lines
    assert f"actual:   {found.actual} ({found.subject})" in lines
    assert f"again:    {command_for(found)}" in lines


def test_markdown_has_the_position_both_answers_and_a_board_to_analyse_it_on(fault_name: str) -> None:
    found = told(fault_name)
    text = render_markdown(hunted(found))
    fenced = re.findall(r"^```\w+\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    assert f"- **FEN**: `{found.walk.fen}`" in text
    assert found.expected in fenced
    assert found.actual in fenced
    assert command_for(found) in fenced
    # Escapes are for Markdown alone: read by it, the sentence is as it was.
    assert found.explanation in re.sub(r"\\([\\`*_\[\]|~#@])", r"\1", text)
    for sign, moves in (("-", found.missing), ("+", found.extra)):
        assert all(any(f"{sign} {move}" in block.splitlines() for block in fenced) for move in moves)
    (link,) = re.findall(r"\(https://lichess\.org/analysis/(?:standard|chess960)/(.+)\?color=(?:white|black)\)", text)
    assert unquote(link).replace("_", " ") == position_at_end(found.walk)


def test_a_walk_file_gives_back_the_finding(fault_name: str) -> None:
    found = told(fault_name)
    assert parse_finding(format_finding(found).encode()) == found


def test_the_terminal_shows_what_to_paste_and_every_word_of_the_sentence(fault_name: str) -> None:
    found = told(fault_name)
    page = io.StringIO()
    print_result(hunted(found), Console(file=page, width=100, markup=False, emoji=False, highlight=False))
    lines = [line.rstrip() for line in page.getvalue().splitlines()]
    assert str(found.walk) in lines
    assert f"$ {command_for(found)}" in lines
    assert shlex.split(command_for(found))[-1] == str(found.walk)
    assert not set(found.explanation.split()) - set(page.getvalue().split())
    for move in (*found.missing, *found.extra):
        assert f"[{move}]" in page.getvalue()


def test_the_generated_test_fails_on_the_faulty_board_and_passes_on_the_right_one(fault_name: str) -> None:
    found = told(fault_name)
    source = render_pytest(hunted(found))
    assert run_generated(source).startswith(str(found.signature))
    assert run_generated(source.replace(f"'fault:{fault_name}'", "'own'")) == ""


def run_generated(source: str) -> str:
    """Run the one test of a generated file: what it fails with, or nothing."""
    scope: dict[str, Any] = {}
    exec(compile(source, "generated.py", "exec"), scope)
    (test,) = [thing for word, thing in scope.items() if word.startswith("test_")]
    try:
        test()
    except AssertionError as failure:
        return str(failure)
    return ""


# ------------------------------------------------------------------------------ the page, in a browser


# What a reader sees of each finding, then after stepping to the walk's start, and after stepping on to its end.
LOOK: Final = """
const shown = (card) => [...card.querySelectorAll(".frame")].filter((frame) => frame.offsetParent !== null);
return [...document.querySelectorAll(".card")].map((card) => {
  const step = (how) => {
    const button = card.querySelector(`[data-go=${how}]`);
    if (button) button.click();
    return shown(card).map((frame) => frame.dataset.fen);
  };
  const board = card.querySelector(".frame:not([hidden]) .board");
  return {
    sentence: card.querySelector(".sentence").innerText,
    answers: [...card.querySelectorAll(".answer")].map((answer) => answer.innerText),
    pasted: [...card.querySelectorAll(".paste code")].map((code) => code.innerText),
    missing: [...card.querySelectorAll(".moves .missing")].map((move) => move.firstChild.data),
    extra: [...card.querySelectorAll(".moves .extra")].map((move) => move.firstChild.data),
    men: board.querySelectorAll("use").length,
    width: board.getBoundingClientRect().width,
    frames: [shown(card).map((frame) => frame.dataset.fen), step("first"), step("on"), step("last")],
  };
});
"""


def men_of(fen: str) -> int:
    return sum(letter.isalpha() for letter in fen.split()[0])


def test_one_page_shows_every_fault_with_its_board_and_steps_through_its_walk(
    names: list[str], browser: Any, tmp_path: Path
) -> None:
    result = hunted(*map(told, names))
    findings = [found for group in result.groups().values() for found in group]
    path = tmp_path / "page.html"
    path.write_text(render_html(result), encoding="utf-8")
    browser.get(path.as_uri())
    cards = browser.execute_script(LOOK)
    assert len(cards) == len(names)
    for card, found in zip(cards, findings, strict=True):
        end = position_at_end(found.walk)
        assert card["sentence"] == found.explanation
        expected, actual = card["answers"]
        assert found.expected in expected
        assert found.actual in actual
        assert card["pasted"] == [command_for(found), str(found.walk)]
        assert (sorted(card["missing"]), sorted(card["extra"])) == (sorted(found.missing), sorted(found.extra))
        assert card["men"] == men_of(end)
        assert card["width"] > 300
        on = position_at_end(found.walk.prefix(1))
        assert card["frames"] == [[end], [found.walk.fen], [on], [end]]
    assert browser.get_log("browser") == []
    assert browser.title == f"{len(names)} findings in fault · refute"
    picture = tmp_path / "page.png"
    assert browser.save_screenshot(str(picture))
    # A blank page of this size is a few kilobytes.
    assert picture.stat().st_size > 20_000
