"""Every report format tells the same findings, and is read back by the tool it is meant for."""

from __future__ import annotations

import ast
import dataclasses
import io
import json
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from refute.divergence import Divergence, Facet, Verdict
from refute.errors import InputError
from refute.finding import read_finding
from refute.report import (
    FORMATS,
    HuntResult,
    ReportTarget,
    command_for,
    parse_report_option,
    write_report,
)
from refute.report.html import render_html
from refute.report.json import render_json
from refute.report.junit import render_junit
from refute.report.markdown import render_markdown
from refute.report.pytest_file import render_pytest
from refute.report.terminal import print_divergence, print_result
from refute.report.text import last_lines, lichess_link, marked, shell_quote, shrunk_from
from refute.walk import START_FEN, Walk

HUNT_FIELDS = {
    "subject",
    "witnesses",
    "seed",
    "walks",
    "positions",
    "nodes",
    "seconds",
    "features",
    "skipped",
    "quarantined",
    "divergences",
}
DIVERGENCE_FIELDS = {
    "fen",
    "moves",
    "facet",
    "verdict",
    "signature",
    "missing",
    "extra",
    "pieces",
    "path_dependent",
    "expected",
    "actual",
    "command",
}


def test_json_has_every_promised_field(realistic_result: HuntResult) -> None:
    told = json.loads(render_json(realistic_result))
    assert set(told) >= HUNT_FIELDS
    assert all(set(found) >= DIVERGENCE_FIELDS for found in told["divergences"])
    first = told["divergences"][0]
    assert first["fen"] == "8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1"
    assert first["moves"] == []
    assert first["extra"] == ["e5d6"]
    assert first["signature"] == "moves/movegen/en passant"
    assert first["pieces"] == 5
    assert first["count"] == 217
    assert "uncovers the rook on h5" in first["explanation"]
    assert told["skipped"][0]["check"] == "key against stockfish"
    assert told["quarantined"][0]["answers"][1] == {"witness": "mine", "answer": "fifty moves"}
    assert told["features"]["stalemate"] == 19


def test_junit_fails_one_case_for_each_signature(realistic_result: HuntResult) -> None:
    suite = ET.fromstring(render_junit(realistic_result)).find("testsuite")
    assert suite is not None
    cases = suite.findall("testcase")
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert failed == [str(signature) for signature in realistic_result.groups()]
    assert suite.get("failures") == str(len(failed))
    assert suite.get("tests") == str(len(cases))
    passed = [case.get("name") for case in cases if len(case) == 0]
    assert "en passant, pinned on its rank" in passed
    skipped = [case.get("name") for case in cases if case.find("skipped") is not None]
    assert "castle through an attacked square" in skipped
    assert suite.get("skipped") == str(len(skipped))
    text = cases[0].findtext("failure")
    assert text is not None
    assert "217 walks showed this signature" in text
    assert "refute replay" in text


def test_two_findings_of_one_signature_make_one_failed_case(realistic_result: HuntResult) -> None:
    first = realistic_result.divergences[0]
    result = HuntResult("own", (), 1, 1, 1, 1, 1.0, divergences=(first, first))
    root = ET.fromstring(render_junit(result))
    assert len(root.findall(".//failure")) == 1


def test_markdown_is_ready_to_paste(realistic_result: HuntResult) -> None:
    text = render_markdown(realistic_result)
    assert "# 5 findings in `own`" in text
    assert "## moves/movegen/en passant" in text
    assert "`8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1`" in text
    assert "+ e5d6" in text
    assert "- e7d8n" in text
    assert "https://lichess.org/analysis/standard/8/8/8/K2pP2r/8/8/8/6k1_w_-_d6_0_1?color=white" in text
    assert "| `python-chess` | `1.11.2` |" in text
    assert "`h8h2 e1d1 h2h8`" in text
    assert "the FEN alone does not show it" in text
    assert "< Segmentation fault" in text
    assert text.count("```") % 2 == 0


def test_the_generated_test_file_calls_the_subject_and_its_witness(realistic_result: HuntResult) -> None:
    tree = ast.parse(render_pytest(realistic_result))
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert [test.name for test in tests][:2] == [
        "test_moves_movegen_en_passant",
        "test_moves_movegen_king_side_castle",
    ]
    calls: list[tuple[Any, dict[str, Any]]] = []

    def assert_agrees(walk: str, **options: Any) -> None:
        calls.append((walk, options))

    scope: dict[str, Any] = {"assert_agrees": assert_agrees}
    source = render_pytest(realistic_result).replace("from refute.regression import assert_agrees\n", "")
    exec(compile(source, "generated", "exec"), scope)
    for test in tests:
        scope[test.name]()
    assert calls[0] == (
        "position fen 8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1",
        {"engine": "own", "against": ["python-chess"], "facet": "moves"},
    )
    assert [call[0] for call in calls] == [str(found.walk) for found in realistic_result.divergences]


@pytest.mark.parametrize(
    ("witness", "against"),
    [("python-chess, stockfish", ["python-chess", "stockfish"]), ("uci:./a b", ["uci:./a b"]), ("itself", [])],
)
def test_the_generated_test_names_each_witness(realistic_result: HuntResult, witness: str, against: list[str]) -> None:
    found = dataclasses.replace(realistic_result.divergences[0], witness=witness)
    tree = ast.parse(render_pytest(dataclasses.replace(realistic_result, divergences=(found,))))
    (told,) = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "against"]
    assert ast.literal_eval(told) == against


def test_generated_tests_of_one_signature_do_not_hide_each_other(realistic_result: HuntResult) -> None:
    first = realistic_result.divergences[0]
    result = HuntResult("own", (), 1, 1, 1, 1, 1.0, divergences=(first, first))
    tree = ast.parse(render_pytest(result))
    assert len({node.name for node in tree.body if isinstance(node, ast.FunctionDef)}) == 2


def told(result: HuntResult, *, width: int = 80, terminal: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=terminal,
        color_system="truecolor" if terminal else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
    print_result(result, console)
    return stream.getvalue()


def test_the_terminal_draws_the_board_with_the_move_marked(realistic_result: HuntResult) -> None:
    text = told(realistic_result)
    assert "6  .  .  . [.] .  .  .  ." in text
    assert "5  K  .  .  p [P] .  .  r" in text
    assert "[e5d6]" in text
    assert "uncovers" in text
    assert f"$ {command_for(realistic_result.divergences[0])}\n" in text
    assert "refuted: 5 findings in own against python-chess, stockfish" in text
    assert "\x1b" not in text


def test_the_terminal_keeps_to_eighty_columns_but_for_what_is_pasted(realistic_result: HuntResult) -> None:
    for line in told(realistic_result).splitlines():
        assert len(line) <= 80 or line.startswith(("position fen", "$ refute"))


def test_the_terminal_is_coloured_only_where_it_is_one(realistic_result: HuntResult) -> None:
    assert "\x1b[" in told(realistic_result, terminal=True)
    assert "\x1b[" not in told(realistic_result, terminal=False)


def test_an_empty_hunt_is_told_in_every_format(empty_result: HuntResult, tmp_path: Path) -> None:
    assert "nothing refuted in own" in told(empty_result)
    assert "Nothing refuted" in render_markdown(empty_result)
    for name in FORMATS:
        write_report(ReportTarget(name, tmp_path / name), empty_result)
    assert ET.parse(tmp_path / "junit").getroot().get("failures") == "0"


def test_one_finding_can_be_told_alone(realistic_result: HuntResult) -> None:
    stream = io.StringIO()
    print_divergence(realistic_result.divergences[0], Console(file=stream, width=80))
    assert "en passant" in stream.getvalue()


def test_reports_are_written_where_the_option_says(realistic_result: HuntResult, tmp_path: Path) -> None:
    for name in FORMATS:
        target = parse_report_option(f"{name}:{tmp_path}/deep/{name}.out")
        written = write_report(target, realistic_result)
        assert all(file.stat().st_size > 0 for file in written)
        assert len(written) == (5 if name == "walk" else 1)
    assert not list(tmp_path.rglob("*.tmp"))


def test_walk_files_go_to_a_folder_or_to_numbered_names(realistic_result: HuntResult, tmp_path: Path) -> None:
    folder = write_report(ReportTarget("walk", tmp_path / "found"), realistic_result)
    assert len(set(folder)) == 5
    assert read_finding(folder[0]) == realistic_result.divergences[0]
    named = write_report(ReportTarget("walk", tmp_path / "one.walk"), realistic_result)
    assert [file.name for file in named][:2] == ["one.walk", "one-2.walk"]
    assert read_finding(named[1]) == realistic_result.divergences[1]


@pytest.mark.parametrize("text", ["", "html", "html:", "pdf:x", ":x", "HTML:x", "html:\0", "\x1b:x"])
def test_a_bad_report_option_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_report_option(text)
    assert str(refusal.value).isprintable()


def test_a_path_may_hold_colons() -> None:
    assert parse_report_option("md:C:\\x.md") == ReportTarget("md", Path("C:\\x.md"))


def test_a_report_that_cannot_be_written_is_an_input_error(empty_result: HuntResult, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_report(ReportTarget("json", tmp_path / "file" / "x.json"), empty_result)


def test_the_command_survives_a_shell(realistic_result: HuntResult) -> None:
    crash = realistic_result.divergences[4]
    words = shlex.split(command_for(crash))
    assert words == [
        "refute",
        "replay",
        "--engine",
        "uci:./mine",
        "--against",
        "python-chess",
        str(crash.walk),
    ]
    assert command_for(crash, "a b.walk") == "refute replay 'a b.walk' --trust"


def test_the_command_of_a_saved_finding_names_its_file(realistic_result: HuntResult) -> None:
    first = realistic_result.divergences[0]
    first.notes["path"] = ".refute/x.walk"
    assert command_for(first) == "refute replay .refute/x.walk"


@pytest.mark.parametrize(
    ("subject", "witness", "trusts"),
    [
        ("own", "python-chess", False),
        ("own:pure", "python-chess, stockfish", False),
        ("fault:castle-through-attack", "itself", False),
        ("own", "", False),
        ("own", "python-chess, uci:./mine", True),
        ("own:mine", "python-chess", True),
        ("ownership", "python-chess", True),
        ("stockfish-dev", "python-chess", True),
    ],
)
def test_trust_is_asked_for_whenever_a_file_names_a_program(subject: str, witness: str, *, trusts: bool) -> None:
    found = Divergence(Walk(START_FEN), Facet.MOVES, Verdict.MOVEGEN, "-", subject, witness, "a", "b")
    assert command_for(found, "x.walk") == f"refute replay x.walk{' --trust' if trusts else ''}"


def test_a_wrong_count_is_run_again_as_deep_as_it_was_counted() -> None:
    found = Divergence(
        Walk(START_FEN), Facet.PERFT, Verdict.MOVEGEN, "-", "own", "python-chess", "a", "b", notes={"depth": 4}
    )
    words = shlex.split(command_for(found))
    assert words[words.index("--depth") + 1] == "4"
    assert "depth=4," in render_pytest(HuntResult("own", (), 1, 1, 1, 1, 1.0, divergences=(found,)))


@pytest.mark.parametrize("depth", ["4); import os", True, 0, 1, None, 2.5])
def test_what_is_no_depth_is_not_written(depth: object) -> None:
    found = Divergence(
        Walk(START_FEN), Facet.PERFT, Verdict.MOVEGEN, "-", "own", "python-chess", "a", "b", notes={"depth": depth}
    )
    assert "--depth" not in command_for(found)
    assert "depth" not in render_pytest(HuntResult("own", (), 1, 1, 1, 1, 1.0, divergences=(found,)))


def test_chess960_is_said_in_command_link_and_test() -> None:
    walk = Walk("5k2/8/8/8/8/8/8/1K4R1 w G - 0 1", ("b1g1",), chess960=True)
    found = Divergence(walk, Facet.KEY, Verdict.HASH, "-", "own", "python-chess", "a", "b")
    assert "--chess960" in shlex.split(command_for(found))
    link = lichess_link(walk)
    assert link is not None
    assert link.startswith("https://lichess.org/analysis/chess960/")
    assert link.endswith("color=black")
    assert "chess960=True" in render_pytest(HuntResult("own", (), 1, 1, 1, 1, 1.0, divergences=(found,)))


def test_a_walk_python_chess_cannot_follow_has_no_link() -> None:
    assert lichess_link(Walk("nonsense")) is None


def test_control_characters_are_quoted_for_a_shell_in_visible_letters() -> None:
    assert shell_quote("a'\x1b\n") == "$'a\\'\\x1b\\x0a'"
    assert shell_quote("plain") == "plain"
    assert shell_quote("\udcff\n") == "$'\\xff\\x0a'"


def test_what_it_was_shrunk_from_is_told_in_men_and_moves(realistic_result: HuntResult) -> None:
    found = realistic_result.divergences[0]
    assert shrunk_from(found) == "32 men and 4 moves"
    assert (
        shrunk_from(dataclasses.replace(found, original=Walk("4k3/8/8/8/8/8/8/4K3 w - - 0 1"))) == "2 men and no moves"
    )
    assert shrunk_from(dataclasses.replace(found, original=found.walk)) == ""
    assert "**shrunk from**: 32 men and 4 moves" in render_markdown(realistic_result)


def test_a_promotion_is_spoken_of_by_the_name_of_the_piece(realistic_result: HuntResult) -> None:
    page, text = render_html(realistic_result), render_markdown(realistic_result)
    for told in (page, text):
        assert "capturing promotion to a knight" in told
        assert "| promotion to a queen | 2,931 |" in told or "promotion to a queen<" in told
    assert "<title>5 findings in own · refute</title>" in page


def test_the_index_of_the_page_has_a_line_of_its_own_for_each_finding(realistic_result: HuntResult) -> None:
    first = realistic_result.divergences[0]
    page = render_html(dataclasses.replace(realistic_result, divergences=(first, first)))
    assert page.count('<span class="gist">') == 2
    assert page.count("5 men, 217 walks") == 2
    alone = render_html(dataclasses.replace(realistic_result, divergences=(first,)))
    assert 'class="gist"' not in alone


TRACEBACK = (
    "> 4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "! Traceback (most recent call last):",
    '!   File "mine.py", line 9, in moves',
    "!     return deep(fen)",
    "!            ^^^^^^^^^",
    '!   File "mine.py", line 4, in deep',
    '!     return table["no such key"]',
    "!            ~~~~~^^^^^^^^^^^^^^^",
    "! KeyError: 'no such key'",
)


@pytest.mark.parametrize("most", range(1, 9))
def test_no_line_of_a_traceback_is_told_without_its_file(most: int) -> None:
    shown = last_lines(TRACEBACK, most)
    assert shown[-1] == "! KeyError: 'no such key'"
    assert len(shown) >= min(most, 7)
    assert not [line for line in shown if "^" in line]
    assert sum("return" in line for line in shown) == sum("File" in line for line in shown)


@pytest.mark.parametrize(
    ("facet", "verdict", "says"),
    [
        (Facet.MOVES, Verdict.MOVEGEN, "The position itself shows it, without a move."),
        (Facet.INVARIANTS, Verdict.MAKE, "The move e5d6, made here, shows it."),
        (Facet.RESTORE, Verdict.UNMAKE, "The move e5d6, made here and taken back, shows it."),
        (Facet.NULL, Verdict.UNMAKE, "A null move made here shows it."),
    ],
)
def test_the_page_says_what_shows_it_where_there_is_no_walk_to_step_through(
    realistic_result: HuntResult, facet: Facet, verdict: Verdict, says: str
) -> None:
    found = dataclasses.replace(realistic_result.divergences[0], facet=facet, verdict=verdict)
    assert says in render_html(dataclasses.replace(realistic_result, divergences=(found,)))


def test_no_witness_is_said_to_have_said_what_nobody_asked_it(realistic_result: HuntResult) -> None:
    found = dataclasses.replace(realistic_result.divergences[0], expected="no complaint", witness="a witness")
    result = dataclasses.replace(realistic_result, divergences=(found,))
    text, page = render_markdown(result), render_html(result)
    assert "Expected:\n\n```text\nno complaint\n```" in text
    assert "as `a witness` says" not in text
    assert "<code>a witness</code>" not in page
    assert "expected  a witness" not in told(result)


def test_an_engine_that_says_its_name_with_its_version_is_named_once(realistic_result: HuntResult) -> None:
    versions = (("own", "refute 0.1.0 (compiled)"), ("stockfish", "Stockfish 15.1"))
    found = dataclasses.replace(realistic_result.divergences[0], versions=versions)
    result = dataclasses.replace(realistic_result, divergences=(found,), versions=versions)
    assert "own refute 0.1.0 (compiled), Stockfish 15.1" in told(result, width=200)
    assert "own refute 0.1.0 (compiled), Stockfish 15.1" in render_html(result)


def test_a_duplicate_is_marked_once() -> None:
    assert marked(("b", "a", "a"), ("a",)) == [("a", False), ("a", True), ("b", False)]
    assert marked(("a",), ("a",)) == [("a", True)]
