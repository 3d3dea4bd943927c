"""The nightly job: hunt, fuzz, replay, count deeper and try mutants, and leave one folder that tells it all.

    python fuzz/nightly.py --time 30m --out DIR [--engines FILE] [--seed N] [--jobs N]

DIR/journal.jsonl                      a line when a part begins and when it ends, written as it happens
DIR/summary.md, .json, index.html, junit.xml    all parts; written again after each of them
DIR/found/*.walk                       every finding; DIR/PART/found/ has them from the moment they are found
DIR/PART/                              what the part itself reports, and all that it printed

Each part is a process with a time of its own: one that fails, crashes or hangs does not stop the others.
Exit code: 0 nothing refuted, 1 refuted (a mutant that survives refutes the harness), 2 some part could not run.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from refute.errors import InputError, RefuteError, WalkError, quote
from refute.finding import read_finding, write_atomically
from refute.report import command_for, sentence_for
from refute.report.text import printable
from refute.timing import read_seconds

ROOT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = ROOT / "corpora" / "found"
OWN: Final = (("own", False), ("own:pure", False), ("own", True))  # SPEC, and whether in Chess960
MOST_ENGINES: Final = 100
LEAST_SECONDS: Final = 1.0  # for a part, when the others took all there was
# Starting, shrinking and reporting come on top of hunting.
HUNTING: Final = 0.7
GRACE_SECONDS: Final = 20.0  # past its time, until a part is interrupted
LAST_WORDS_SECONDS: Final = 10.0  # and from then on, until it is killed
INTERRUPTED: Final = 130  # how `refute mutants` exits when it was interrupted and nothing survived
WEIGHTS: Final = {"replay": 1.0, "hunt": 4.0, "fuzz": 8.0, "perft": 4.0, "mutants": 4.5}

MUTANT_SECONDS: Final = 1.0  # for one mutant in one process, roughly; the night tries as many as fit
LEAST_FOR_MUTANTS: Final = 30.0  # below, its workers would hardly be ready

AGREED, REFUTED, NOT_RUN, SKIPPED = "agreed", "refuted", "could not run", "skipped"


@dataclass
class Part:
    """One process of the night, and what came of it."""

    kind: str
    name: str
    folder: Path
    spec: str = "own"
    chess960: bool = False
    status: str = "not begun"
    seconds: float = 0.0
    detail: str = ""
    findings: list[dict[str, str]] = field(default_factory=list)

    def command(self, seconds: float, seed: int, jobs: int) -> list[str]:
        """What to run so that it ends after these seconds."""
        refute = [sys.executable, "-m", "refute"]
        folder = str(self.folder)
        match self.kind:
            case "replay":
                # Where none are kept none can fail: this part's own folder holds none.
                kept = KEPT if KEPT.is_dir() else self.folder
                return [*refute, "replay", "--engine", "own", "--json", str(kept)]
            case "mutants":
                sample = max(1, int(seconds * HUNTING * jobs / MUTANT_SECONDS))
                which = [f"--sample={sample}", f"--seed={seed}", "--equivalents"]
                return [*refute, "mutants", *which, f"--jobs={jobs}", "--json"]
            case "perft":
                deeper = str(ROOT / "fuzz" / "deeper.py")
                return [sys.executable, deeper, f"--time={seconds * HUNTING:.1f}", f"--out={folder}"]
            case "fuzz":
                options = ["--hypothesis-profile=nightly", f"--junitxml={folder}/junit.xml", "-p", "no:cacheprovider"]
                fuzz = [str(ROOT / "fuzz"), f"--rootdir={ROOT}", "-c", str(ROOT / "pyproject.toml")]
                return [sys.executable, "-m", "pytest", *fuzz, f"-n{jobs}", "-q", *options]
        reports = {"html": "report.html", "md": "report.md", "json": "report.json", "junit": "junit.xml"}
        return [
            *(*refute, "hunt", f"--engine={self.spec}", f"--time={max(seconds * HUNTING, 0.5):.1f}", "--keep-going"),
            *(f"--seed={seed}", f"--jobs={jobs}", f"--out={folder}", *["--chess960"] * self.chess960),
            *(f"--report={format}:{folder}/{name}" for format, name in reports.items()),
        ]

    def environment(self, seconds: float) -> dict[str, str]:
        budget = {"REFUTE_FUZZ_SECONDS": f"{seconds * HUNTING:.1f}", "REFUTE_FUZZ_FOUND": str(self.folder / "found")}
        return {**os.environ, **(budget if self.kind == "fuzz" else {})}


def plan(out: Path, specs: Sequence[str]) -> list[Part]:
    """The parts in their order: what is quick and certain first, then what gains by every minute."""
    parts = [Part("replay", "replay", out / "replay")]
    for spec, chess960 in (*OWN, *((spec, False) for spec in specs)):
        name = f"hunt {spec}{' in Chess960' * chess960}"
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
        parts.append(Part("hunt", name, out / f"{len(parts)}-{slug}", spec, chess960))
    more = {"perft": "deeper perft", "mutants": "mutants", "fuzz": "fuzz"}
    return [*parts, *(Part(kind, name, out / kind) for kind, name in more.items())]


# ---------------------------------------------------------------- running


class Journal:
    """What ran, line by line, each on disk before anything else happens."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, event: str, **more: object) -> None:
        line = json.dumps({"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **more})
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(descriptor, f"{line}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def run(part: Part, seconds: float, *, seed: int, jobs: int, journal: Journal) -> None:
    """Run one part and say what came of it; never raises for what the part does."""
    part.folder.mkdir(parents=True)
    if part.kind == "mutants" and seconds < LEAST_FOR_MUTANTS:
        part.status, part.detail = SKIPPED, f"its share of the time is below {LEAST_FOR_MUTANTS:.0f} s"
        journal.write("skip", part=part.name, seconds=round(seconds, 1), why=part.detail)
        return
    command = part.command(seconds, seed, jobs)
    journal.write("begin", part=part.name, seconds=round(seconds, 1), command=command)
    began = time.monotonic()
    code = 2
    try:
        code = execute(command, part, seconds)
    except OSError as error:
        part.detail = str(error)
    except KeyboardInterrupt:
        part.detail = "interrupted"
        raise
    finally:
        part.seconds = time.monotonic() - began
        part.findings = list(findings(part))
        report = read_json(part.folder / "output.txt") if part.kind == "mutants" else None
        if code == INTERRUPTED and report is not None and report.get("tried"):
            code, part.detail = 0, ""  # its time was over, and what it tried by then it has told
        # A part that was killed may have left findings, and those count, whatever it could not say any more.
        part.status = REFUTED if part.findings or code == 1 else AGREED if code == 0 else NOT_RUN
        part.detail = part.detail or describe(part, code)
        journal.write("end", part=part.name, status=part.status, code=code, seconds=round(part.seconds, 1))


def execute(command: list[str], part: Part, seconds: float) -> int:
    """The exit code; a process past its time is interrupted, so that it can still report, and then killed."""
    with (
        (part.folder / "output.txt").open("wb") as output,
        (part.folder / "errors.txt").open("wb") as errors,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=part.environment(seconds)
        ) as child,
    ):
        # Mutants have no end of their own that fits: they are told when to stop, and then report.
        grace = 0.0 if part.kind == "mutants" else GRACE_SECONDS
        try:
            return child.wait(seconds + grace)
        except subprocess.TimeoutExpired:
            part.detail = f"stopped: not done {grace:.0f} s after its time"
            return end(child)
        except KeyboardInterrupt:
            end(child)
            raise


def end(child: subprocess.Popen[bytes]) -> int:
    """Interrupt a process, and kill it if that does not help."""
    child.send_signal(signal.SIGINT)
    try:
        return child.wait(LAST_WORDS_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def findings(part: Part) -> Iterator[dict[str, str]]:
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


def failed_properties(part: Part) -> Iterator[dict[str, str]]:
    """The tests that failed and left no walk."""
    tree = read_xml(part.folder / "junit.xml")
    for case in tree.iter("testcase") if tree is not None else ():
        file = case.get("classname", "").rpartition("fuzz.")[2].split(".")[0]
        claim = file.removeprefix("test_").replace("_", "-")
        has_walk = any(claim in path.name for path in (part.folder / "found").glob("*.walk"))
        if not has_walk and (case.find("failure") is not None or case.find("error") is not None):
            sentence = f"it does not hold that {claim.replace('-', ' ')}: see {part.folder.name}/output.txt"
            yield told(part, "own", f"fuzz/{file}", sentence, command=f"pytest fuzz/{file}.py")


def surviving_mutants(part: Part) -> Iterator[dict[str, str]]:
    """The mistakes nobody noticed, and what is recorded wrongly as no mistake."""
    report = read_json(part.folder / "output.txt") or {}
    for key, sentence in (
        ("survivors", "a mistake in the board that nothing notices"),
        ("misjudged", "recorded as equivalent, and killed all the same"),
        ("stale", "recorded as equivalent, and no mutant any more"),
    ):
        for one in report.get(key, []):
            name = one if isinstance(one, str) else one["name"]
            again = f"refute mutants --equivalents {shlex.quote(name)}"
            yield told(part, "own", f"mutant {name}", f"{sentence}: {name}", command=again)


def told(part: Part, subject: str, signature: str, sentence: str, **more: str) -> dict[str, str]:
    """A finding as the summaries tell it."""
    return {"part": part.name, "subject": subject, "signature": signature, "sentence": sentence, **more}


def describe(part: Part, code: int) -> str:
    """One line on what the part did."""
    if part.kind == "hunt" and (report := read_json(part.folder / "report.json")) is not None:
        looked = f"{report['positions']:,} positions on {report['walks']:,} walks"
        more = {key: len(report[key]) for key in ("skipped", "quarantined") if report[key]}
        return looked + "".join(f", {number} {key}" for key, number in more.items())
    if part.kind == "replay" and (report := read_json(part.folder / "output.txt")) is not None:
        return f"{report['fixed']} fixed, {report['failing']} failing, {report['not_run']} not run"
    if part.kind == "mutants" and (report := read_json(part.folder / "output.txt")) is not None:
        tried = f"{report['tried']:,} of {report['mutants']:,} mutants tried, {report['survived']:,} survived"
        return tried + ", stopped when its time was over" * bool(report["interrupted"])
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


# ---------------------------------------------------------------- telling


def exit_code(parts: Sequence[Part]) -> int:
    statuses = {part.status for part in parts} - {SKIPPED}
    return 1 if REFUTED in statuses else 0 if statuses == {AGREED} else 2


def tell(out: Path, parts: Sequence[Part], seed: int) -> None:
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
    lines = [f"# Nightly: {headline}", "", f"Seed {summary['seed']}.", ""]
    lines += ["| part | came out | seconds | |", "|---|---|--:|---|"]
    for row in summary["parts"]:
        lines.append(f"| {code(row['name'])} | {row['status']} | {row['seconds']} | {code(row['detail'])} |")
    for finding in summary["findings"]:
        lines += ["", f"## {code(finding['signature'])} by {code(finding['subject'])}", ""]
        lines += [
            code(finding["sentence"]),
            "",
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
        rows.append(f"<tr><td>{'<td>'.join(cells)}<td>{html.escape(finding.get('file', ''))}")
    style = "body{font:16px sans-serif;margin:2em}td{padding:.3em 1em;border-top:1px solid #8888;vertical-align:top}"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>refute, nightly</title><style>{style}</style>'
    return f"{head}<h1>Nightly, seed {summary['seed']}</h1><table>\n" + "\n".join(rows) + "\n</table>\n"


def as_junit(parts: Sequence[Part]) -> str:
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


# ---------------------------------------------------------------- the command


def read_engines(path: Path) -> list[str]:
    """The SPECs of a file, one a line; what follows a # is a comment."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{quote(str(path))} cannot be read: {error}") from None
    specs = [spec for line in lines if (spec := line.partition("#")[0].strip())]
    if len(specs) > MOST_ENGINES:
        raise InputError(f"{quote(str(path))} lists {len(specs)} engines, more than {MOST_ENGINES}")
    return specs


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--time", default="30m", metavar="TIME", help="for all parts together: 90s, 30m, 2h")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new or empty folder")
    parser.add_argument("--engines", type=Path, metavar="FILE", help="engines to hunt besides our own, one SPEC a line")
    parser.add_argument("--seed", type=int, metavar="N", help="of the hunts; a random one if not given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes for each part")
    options = parser.parse_args(arguments)
    try:
        seconds = read_seconds(options.time)
        specs = read_engines(options.engines) if options.engines else []
        if options.jobs < 1 or (options.seed is not None and options.seed < 0):
            raise InputError("--jobs is a number from 1 on and --seed one from 0 on")
        out = options.out.resolve()
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise InputError(f"{quote(str(out))} is not empty: what is found must not mix with what was found before")
        return work(out, plan(out, specs), seconds, options)
    except (RefuteError, OSError) as error:
        print(f"nightly: {error}", file=sys.stderr)
        return 2


def work(out: Path, parts: list[Part], seconds: float, options: argparse.Namespace) -> int:
    """Run the parts one after the other; what one leaves of its time goes to those after it."""
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    journal = Journal(out / "journal.jsonl")
    journal.write("start", seconds=seconds, seed=seed, jobs=options.jobs, parts=[part.name for part in parts])
    deadline = time.monotonic() + seconds
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what a CI server sends is an interrupt too
    try:
        for index, part in enumerate(parts):
            weights = [WEIGHTS[other.kind] for other in parts[index:]]
            share = (deadline - time.monotonic()) * weights[0] / sum(weights)
            run(part, max(share, LEAST_SECONDS), seed=seed, jobs=options.jobs, journal=journal)
            print(f"{part.name}: {part.status} ({part.detail})", flush=True)
            tell(out, parts, seed)
    except KeyboardInterrupt:
        journal.write("interrupted")
    tell(out, parts, seed)
    journal.write("done", exit_code=exit_code(parts))
    return exit_code(parts)


if __name__ == "__main__":
    sys.exit(main())
