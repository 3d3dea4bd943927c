"""The nightly job: hunt, fuzz, replay, count deeper and try mutants, and leave one folder that tells it all.

    python fuzz/nightly.py --time 30m --out DIR [--engines FILE] [--seed N] [--jobs N]

DIR/journal.jsonl                      a line when a part begins and when it ends, written as it happens
DIR/summary.md, .json, index.html, junit.xml    all parts; written again after each of them
DIR/found/*.walk                       every finding; DIR/PART/found/ has them from the moment they are found
DIR/PART/                              what the part itself reports, and all that it printed

Each part is a process with a time of its own: one that fails, crashes or hangs does not stop the others.
Exit code: 0 nothing refuted, 1 refuted (a mutant that survives refutes the harness), 2 some part could not run.
Mutants that were not all tried before their time was over are told as partial, which refutes nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from refute.errors import InputError, RefuteError, quote
from refute.timing import read_seconds

sys.path.insert(0, str(Path(__file__).parent))  # where it is, when this is not run as a script but loaded
from night_report import (
    AGREED,
    NOT_RUN,
    PARTIAL,
    REFUTED,
    SKIPPED,
    Result,
    describe,
    exit_code,
    findings,
    is_cut_short,
    tell,
)

ROOT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = ROOT / "corpora" / "found"
OWN: Final = (("own", False), ("own:pure", False), ("own", True))  # SPEC, and whether in Chess960
MOST_ENGINES: Final = 100
LEAST_SECONDS: Final = 1.0  # for a part, when the others took all there was
# Starting, shrinking and reporting come on top of hunting.
HUNTING: Final = 0.7
GRACE_SECONDS: Final = 20.0  # past its time, until a part is interrupted
LAST_WORDS_SECONDS: Final = 10.0  # and from then on, until it is killed
LOOK_SECONDS: Final = 0.05  # between two looks whether it has ended
INTERRUPTED: Final = 130  # how a command exits that was interrupted before it refuted anything
# Mutants get so much that all are tried in a night of half an hour, and leave to the fuzzing what they do not need.
WEIGHTS: Final = {"replay": 1.0, "hunt": 4.0, "perft": 4.0, "mutants": 12.0, "fuzz": 8.0}
LEAST_FOR_MUTANTS: Final = 30.0  # below, its workers would hardly be ready


@dataclass
class Part(Result):
    """One process of the night."""

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
                # All of them, in an order of tonight: should the time be short, other nights try the others.
                return [*refute, "mutants", f"--seed={seed}", "--equivalents", f"--jobs={jobs}", "--json"]
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
    began = time.monotonic()
    code = 2
    try:
        journal.write("begin", part=part.name, seconds=round(seconds, 1), command=command)
        code = execute(command, part, seconds)
    except OSError as error:
        part.detail = str(error)
    except KeyboardInterrupt:
        part.detail = "interrupted"
        raise
    finally:
        part.seconds = time.monotonic() - began
        part.findings = list(findings(part))
        # A part that was killed may have left findings, and those count, whatever it could not say any more.
        part.status = REFUTED if part.findings or code == 1 else AGREED if code == 0 else NOT_RUN
        if is_cut_short(part):
            part.detail = ""  # it tells itself how far it came
        if code == INTERRUPTED and not part.findings and (is_cut_short(part) or part.kind == "hunt"):
            part.status = PARTIAL
        part.detail = part.detail or describe(part, code)
        journal.write("end", part=part.name, status=part.status, code=code, seconds=round(part.seconds, 1))


def execute(command: list[str], part: Part, seconds: float) -> int:
    """The exit code; a process past its time is interrupted, so that it can still report, and then killed."""
    with (
        (part.folder / "output.txt").open("wb") as output,
        (part.folder / "errors.txt").open("wb") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=part.environment(seconds),
            start_new_session=True,  # its engines and workers are of its process group, and of no other
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
    """Interrupt a process, and then kill what is left of it and of all that it started."""
    if child.returncode is not None:
        return child.returncode
    child.send_signal(signal.SIGINT)
    deadline = time.monotonic() + LAST_WORDS_SECONDS
    while time.monotonic() < deadline and not _is_over(child):
        time.sleep(LOOK_SECONDS)
    # It was not waited for yet, so that its number is still its own, and that of its group.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    return child.wait()


def _is_over(child: subprocess.Popen[bytes]) -> bool:
    return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


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
