"""What a night left on disk, part by part, and the pages that tell it.

DIR/PART/ ──findings, describe──▶ Result ──tell──▶ DIR/summary.md, .json, index.html, junit.xml
"""

from __future__ import annotations

import html
import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from refute.errors import WalkError
from refute.finding import read_finding, write_atomically
from refute.report import command_for, sentence_for
from refute.report.text import printable

AGREED: Final = "agreed"
PARTIAL: Final = "partial"  # nothing refuted, and not all of it tried
REFUTED: Final = "refuted"
NOT_RUN: Final = "could not run"
SKIPPED: Final = "skipped"
NOT_BEGUN: Final = "not begun"


@dataclass
class Result:
    """One part of the night, and what came of it."""

    kind: str
    name: str
    folder: Path
    spec: str = "own"
    chess960: bool = False
    status: str = NOT_BEGUN
    seconds: float = 0.0
    detail: str = ""
    findings: list[dict[str, str]] = field(default_factory=list)


# ---------------------------------------------------------------- what a part left


def findings(part: Result) -> Iterator[dict[str, str]]:
    """What the part left on disk, one for each signature."""
    out = part.folder.parent
    for path in sorted((part.folder / "found").glob("*.walk")):
        try:
            found = read_finding(path)
        except WalkError as error:
            yield told(part, part.spec, "unreadable", str(error))
            continue
        file = f"found/{path.name}"
        write_atomically(out / file, path.read_text(encoding="utf-8"))
        again = command_for(found, file)
        signature = str(found.signature)
        yield told(part, found.subject, signature, sentence_for(found), walk=str(found.walk), file=file, command=again)
    if part.kind == "fuzz":
        yield from failed_properties(part)
    elif part.kind == "mutants":
        yield from surviving_mutants(part)
    elif part.kind == "replay":
        for one in (read_json(part.folder / "output.txt") or {}).get("replayed", []):
            if one["status"] == "failing":
                again = f"refute replay --engine own {shlex.quote(one['target'])}"
                yield told(part, "own", one["was"], f"{one['target']} fails again", command=again)


def failed_properties(part: Result) -> Iterator[dict[str, str]]:
    """The tests that failed and left no walk."""
    tree = read_xml(part.folder / "junit.xml")
    for case in tree.iter("testcase") if tree is not None else ():
        file = case.get("classname", "").rpartition("fuzz.")[2].split(".")[0]
        claim = file.removeprefix("test_").replace("_", "-")
        has_walk = any(claim in path.name for path in (part.folder / "found").glob("*.walk"))
        if not has_walk and (case.find("failure") is not None or case.find("error") is not None):
            sentence = f"it does not hold that {claim.replace('-', ' ')}: see {part.folder.name}/output.txt"
            yield told(part, "own", f"fuzz/{file}", sentence, command=f"pytest fuzz/{file}.py")


def surviving_mutants(part: Result) -> Iterator[dict[str, str]]:
    """The mistakes nobody noticed, and what is recorded wrongly as no mistake."""
    report = read_json(part.folder / "output.txt") or {}
    for key, sentence in (
        ("survivors", "a mistake in the board that nothing notices"),
        ("misjudged", "recorded as equivalent, and killed all the same"),
        ("stale", "recorded as equivalent, and no mutant any more"),
    ):
        for one in report.get(key, []):
            name = one if isinstance(one, str) else one["name"]
            diff = "" if isinstance(one, str) else one.get("diff", "")
            again = f"refute mutants --equivalents {shlex.quote(name)}"
            yield told(part, "own", f"mutant {name}", f"{sentence}: {name}", diff=diff, command=again)


def is_cut_short(part: Result) -> bool:
    """Whether these are mutants of which some were tried, and told, when their time was over."""
    report = read_json(part.folder / "output.txt") if part.kind == "mutants" else None
    return bool(report and report.get("interrupted") and report.get("tried"))


def told(part: Result, subject: str, signature: str, sentence: str, **more: str) -> dict[str, str]:
    """A finding as the summaries tell it."""
    return {"part": part.name, "subject": subject, "signature": signature, "sentence": sentence, **more}


def describe(part: Result, code: int) -> str:
    """One line on what the part did."""
    if part.kind == "hunt" and (report := read_json(part.folder / "report.json")) is not None:
        looked = f"{report['positions']:,} positions on {report['walks']:,} walks"
        more = {key: len(report[key]) for key in ("skipped", "quarantined") if report[key]}
        return looked + "".join(f", {number} {key}" for key, number in more.items())
    if part.kind == "replay" and (report := read_json(part.folder / "output.txt")) is not None:
        return f"{report['fixed']} fixed, {report['failing']} failing, {report['not_run']} not run"
    if part.kind == "mutants" and (report := read_json(part.folder / "output.txt")) is not None:
        tried = f"{report['tried']:,} of {report['mutants']:,} mutants tried, {report['survived']:,} survived"
        left = report["mutants"] - report["tried"]
        return tried + (f"; time was over with {left:,} untried" if report["interrupted"] else "")
    for name in ("errors.txt", "output.txt") if code > 1 else ("output.txt", "errors.txt"):
        lines = (part.folder / name).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if lines:
            return printable(lines[-1])[:200]
    return f"exit code {code}"


def read_json(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def read_xml(path: Path) -> ET.Element | None:
    try:
        return ET.parse(path).getroot()
    except (OSError, ET.ParseError):
        return None


# ---------------------------------------------------------------- the pages


def exit_code(parts: Sequence[Result]) -> int:
    statuses = {part.status for part in parts} - {SKIPPED}
    if REFUTED in statuses:
        return 1
    return 0 if statuses and statuses <= {AGREED, PARTIAL} else 2  # where nothing ran nothing was shown


def tell(out: Path, parts: Sequence[Result], seed: int) -> None:
    """Write what all parts did so far, each file whole or not at all."""
    found = [finding for part in parts for finding in part.findings]
    rows = [
        {"name": part.name, "status": part.status, "seconds": round(part.seconds, 1), "detail": part.detail}
        | {"folder": part.folder.name}
        for part in parts
    ]
    summary = {"exit_code": exit_code(parts), "seed": seed, "parts": rows, "findings": found}
    write_atomically(out / "summary.json", json.dumps(summary, indent=2) + "\n")
    write_atomically(out / "summary.md", as_markdown(summary))
    write_atomically(out / "index.html", as_html(out, summary))
    write_atomically(out / "junit.xml", as_junit(parts))


def as_markdown(summary: dict[str, Any]) -> str:
    headline = {0: "nothing refuted", 1: "refuted", 2: "some parts did not run"}[summary["exit_code"]]
    for status, what in ((PARTIAL, "only in part"), (SKIPPED, "left out")):
        names = [row["name"] for row in summary["parts"] if row["status"] == status]
        headline += f"; {what}: {', '.join(map(printable, names))}" if names else ""
    lines = [f"# Nightly: {headline}", "", f"Seed {summary['seed']}.", ""]
    lines += ["| part | came out | seconds | |", "|---|---|--:|---|"]
    for row in summary["parts"]:
        lines.append(f"| {code(row['name'])} | {row['status']} | {row['seconds']} | {code(row['detail'])} |")
    for finding in summary["findings"]:
        lines += ["", f"## {code(finding['signature'])} by {code(finding['subject'])}", ""]
        lines += [
            code(finding["sentence"]),
            "",
            *(f"    {printable(line)}" for line in finding.get("diff", "").splitlines()),
            *(f"    {printable(finding[key])}" for key in ("walk", "command") if finding.get(key)),
        ]
    return "\n".join(lines) + "\n"


def code(text: str) -> str:
    """Text that others wrote, as Markdown code in one table cell."""
    return f"`{printable(text).replace('`', chr(39)).replace('|', '¦')}`" if text else ""


def as_html(out: Path, summary: dict[str, Any]) -> str:
    rows = []
    for row in summary["parts"]:
        links = [name for name in ("report.html", "junit.xml", "output.txt") if (out / row["folder"] / name).exists()]
        linked = " ".join(f'<a href="{row["folder"]}/{name}">{name}</a>' for name in links)
        cells = [html.escape(printable(str(row[key]))) for key in ("name", "status", "seconds", "detail")]
        rows.append(f"<tr><td>{'<td>'.join(cells)}<td>{linked}")
    for finding in summary["findings"]:
        cells = [
            html.escape(printable(finding.get(key, ""))) for key in ("signature", "subject", "sentence", "command")
        ]
        diff = "\n".join(map(printable, finding.get("diff", "").splitlines()))
        cells[2] += f"<pre>{html.escape(diff)}</pre>" if diff else ""
        rows.append(f"<tr><td>{'<td>'.join(cells)}<td>{html.escape(finding.get('file', ''))}")
    style = "body{font:16px sans-serif;margin:2em}td{padding:.3em 1em;border-top:1px solid #8888;vertical-align:top}"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>refute, nightly</title><style>{style}</style>'
    return f"{head}<h1>Nightly, seed {summary['seed']}</h1><table>\n" + "\n".join(rows) + "\n</table>\n"


def as_junit(parts: Sequence[Result]) -> str:
    """A case for each part, and whatever suites the parts wrote themselves."""
    root = ET.Element("testsuites", {"name": "nightly"})
    suite = ET.SubElement(root, "testsuite", {"name": "nightly", "tests": str(len(parts))})
    for part in parts:
        case = ET.SubElement(suite, "testcase", {"classname": "nightly", "name": printable(part.name)})
        case.set("time", f"{part.seconds:.1f}")
        if part.status in (REFUTED, NOT_RUN):
            kind = "failure" if part.status == REFUTED else "error"
            text = "\n".join(printable(f"{one['signature']}: {one['sentence']}") for one in part.findings)
            ET.SubElement(case, kind, {"message": printable(part.detail)}).text = text
        elif part.status != AGREED:
            ET.SubElement(case, "skipped", {"message": printable(part.detail or part.status)})
        theirs = read_xml(part.folder / "junit.xml")
        root.extend(theirs.findall("testsuite") if theirs is not None else [])
    for status, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(status, str(len(suite.findall(f"testcase/{tag}"))))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
