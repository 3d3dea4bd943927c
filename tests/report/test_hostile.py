"""Nothing an engine printed reaches a reader's terminal, parser or browser as anything but text."""

from __future__ import annotations

import ast
import dataclasses
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from refute.finding import read_finding
from refute.report import FORMATS, HuntResult, ReportTarget, write_report
from refute.report.boards import MOST_FRAMES, film
from refute.report.html import render_html
from refute.report.json import render_json
from refute.report.junit import render_junit
from refute.report.markdown import render_markdown
from refute.report.pytest_file import render_pytest
from refute.report.terminal import print_result
from refute.report.text import printable


class Tags(HTMLParser):
    """Every tag and attribute a browser would see, and the text between."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_json_keeps_every_text_and_is_ascii(hostile_result: HuntResult, hostile_text: str) -> None:
    text = render_json(hostile_result)
    assert text.isascii()
    assert json.loads(text)["divergences"][0]["actual"] == hostile_text


def test_junit_is_xml_all_the_same(hostile_result: HuntResult) -> None:
    text = render_junit(hostile_result)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202e]", text)
    root = ET.fromstring(text)
    assert len(root.findall(".//failure")) == 3
    assert root.find(".//script") is None
    assert "\\x1b[31m\\x00" in "".join(root.itertext())


def test_the_generated_file_only_defines_tests(hostile_result: HuntResult) -> None:
    text = render_pytest(hostile_result)
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    kinds = [type(node).__name__ for node in ast.parse(text).body]
    assert kinds == ["Expr", "ImportFrom", "FunctionDef", "FunctionDef", "FunctionDef"]


@pytest.mark.parametrize("terminal", [False, True], ids=["piped", "terminal"])
def test_the_terminal_gets_no_control_character_of_theirs(hostile_result: HuntResult, *, terminal: bool) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=80, force_terminal=terminal, markup=False, emoji=False)
    print_result(hostile_result, console)
    ours = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()) if terminal else stream.getvalue()
    assert ours.replace("\n", "").isprintable()
    assert "\\x1b[31m" in ours
    # The one escape that would colour is theirs: it must not be among ours.
    assert "\x1b[31m\\x00" not in stream.getvalue()


def test_markdown_keeps_them_in_code_or_escaped(hostile_result: HuntResult) -> None:
    text = render_markdown(hostile_result)
    assert text.replace("\n", "").isprintable()
    fenced = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", text)
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", fenced)
    assert "<script" not in outside
    assert "<img" not in outside


def test_the_page_holds_no_tag_of_theirs(hostile_result: HuntResult, realistic_result: HuntResult) -> None:
    page = render_html(hostile_result)
    assert page.replace("\n", "").isprintable()
    tags = Tags(page)
    assert tags.tags.count("script") == 1
    assert "img" not in tags.tags
    assert not [name for name, _ in tags.attributes if name.startswith("on") or name == "style"]
    assert "{{7*7}}" in "".join(tags.text)


def test_the_page_loads_nothing_from_anywhere(realistic_result: HuntResult) -> None:
    tags = Tags(render_html(realistic_result))
    assert not {"link", "iframe", "object", "embed", "base", "form", "img"} & set(tags.tags)
    loads = [value for name, value in tags.attributes if name in ("src", "srcset", "action", "data")]
    assert loads == []
    links = [value or "" for name, value in tags.attributes if name == "href"]
    assert all(link.startswith(("#", "https://lichess.org/analysis/")) for link in links)
    policies = [value or "" for name, value in tags.attributes if value and "default-src" in value]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'")
    assert "unsafe" not in policies[0]


def test_the_page_has_a_board_for_every_position(realistic_result: HuntResult) -> None:
    tags = Tags(render_html(realistic_result))
    boards = [value for name, value in tags.attributes if name == "class" and value == "board"]
    assert len(boards) == sum(len(found.walk) + 1 for found in realistic_result.divergences)


def test_a_page_of_many_long_walks_stays_bounded(realistic_result: HuntResult, monkeypatch: pytest.MonkeyPatch) -> None:
    crash = realistic_result.divergences[4]
    shuffle = ("g1f3", "g8f6", "f3g1", "f6g8") * 50
    long = dataclasses.replace(crash, walk=dataclasses.replace(crash.walk, moves=shuffle), move="f6g8")
    result = dataclasses.replace(realistic_result, divergences=(long,) * 200)
    # Two hundred times the same walk: it is drawn once.
    frames = film(long)
    assert len(frames) == MOST_FRAMES
    monkeypatch.setattr("refute.report.html.film", lambda divergence: list(frames))
    page = render_html(result)
    assert len(page) < 16_000_000
    assert "50 findings more" in page


def test_a_hostile_finding_survives_its_file(hostile_result: HuntResult, tmp_path: Path) -> None:
    found = hostile_result.divergences[0]
    (path,) = write_report(ReportTarget("walk", tmp_path), dataclasses.replace(hostile_result, divergences=(found,)))
    assert read_finding(path) == found
    assert path.read_text(encoding="utf-8").replace("\n", "").isprintable()


def test_every_format_is_written(hostile_result: HuntResult, tmp_path: Path) -> None:
    for name in FORMATS:
        assert write_report(ReportTarget(name, tmp_path / name), hostile_result)


def test_long_texts_are_cut() -> None:
    assert len(printable("x" * 10**6)) < 25_000


def test_combining_marks_do_not_pile_up() -> None:
    assert printable("z\u0351\u0352") == "z\\u0351\\u0352"
