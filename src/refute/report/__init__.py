"""Reports: one result, told in each format a person or a machine may want.

HuntResult ──▶ terminal · html · md · junit · json · pytest · walk
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from refute.compare import Skip
from refute.errors import InputError, quote
from refute.finding import finding_path, write_atomically, write_finding
from refute.report.result import HuntResult
from refute.report.text import command_for, sentence_for

__all__ = [
    "FORMATS",
    "HuntResult",
    "ReportTarget",
    "Skip",
    "command_for",
    "parse_report_option",
    "sentence_for",
    "write_report",
]

FORMATS = ("html", "md", "junit", "json", "pytest", "walk")


@dataclass(frozen=True, slots=True)
class ReportTarget:
    """A format and where to write it."""

    format: str
    path: Path


def parse_report_option(text: str) -> ReportTarget:
    """Read `FORMAT:PATH`; InputError says which formats there are."""
    format, colon, path = text.partition(":")
    if format not in FORMATS:
        raise InputError(f"{quote(format)} is not a report format: expected one of {', '.join(FORMATS)}")
    if not colon or not path or "\0" in path:
        raise InputError(f"{quote(text)} does not say where to: expected {format}:PATH")
    return ReportTarget(format, Path(path))


def write_report(target: ReportTarget, result: HuntResult) -> list[Path]:
    """Write one report, whole or not at all, and say which files it wrote.

    A `.walk` holds one finding, so the format `walk` takes a folder; given the name of a
    `.walk` file, it numbers every finding after the first.
    """
    if target.format == "walk":
        return _write_walks(target.path, result)
    try:
        write_atomically(target.path, render(target.format, result))
    except OSError as error:
        raise InputError(f"{quote(str(target.path))} cannot be written: {error.strerror}") from None
    return [target.path]


def render(format: str, result: HuntResult) -> str:
    """The text of a report in one of the formats that are a single file."""
    # Each import as it is wanted: a JSON report needs neither jinja2 nor an XML library.
    match format:
        case "html":
            from refute.report.html import render_html

            return render_html(result)
        case "md":
            from refute.report.markdown import render_markdown

            return render_markdown(result)
        case "junit":
            from refute.report.junit import render_junit

            return render_junit(result)
        case "json":
            from refute.report.json import render_json

            return render_json(result)
        case "pytest":
            from refute.report.pytest_file import render_pytest

            return render_pytest(result)
    raise InputError(f"{quote(format)} is not a report format: expected one of {', '.join(FORMATS)}")


def _write_walks(path: Path, result: HuntResult) -> list[Path]:
    written = []
    for number, divergence in enumerate(result.divergences, 1):
        if path.suffix != ".walk":
            file = finding_path(path, divergence)
        else:
            file = path if number == 1 else path.with_name(f"{path.stem}-{number}.walk")
        try:
            write_finding(file, divergence)
        except OSError as error:
            raise InputError(f"{quote(str(file))} cannot be written: {error.strerror}") from None
        written.append(file)
    return written
