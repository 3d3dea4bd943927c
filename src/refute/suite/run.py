"""A run on disk: where the processes of one pytest session leave what they find, and read it all back.

    .refute/runs/ID/started          made by the first to hunt; its time is when the run began
                   /gw0.json         how far a process has come, and whether it is done
                   /gw0.at           the walk it is on
                   /found/*.walk     findings, from the moment they are found
           /found/*.walk             the same once they are gathered: one of each cause

Everything goes through files, because a worker that is killed takes with it all that it only knew.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from refute.causes import key_of, related
from refute.compare import Skip
from refute.divergence import Divergence, Facet, Quarantine, Verdict
from refute.finding import finding_path, read_finding, write_atomically, write_finding
from refute.hunter import MOST_QUARANTINED, Options, Tally, default_witnesses
from refute.kept import keep, names_of, time_stamp
from refute.kinds import NO_KIND
from refute.refining import group_findings
from refute.report.result import HuntResult, quarantine_to_json
from refute.report.text import printable
from refute.shrink import sort_key
from refute.suite.claims import CHESS960, Claim, claim_of
from refute.walk import Walk
from refute.walking import walk_number

fcntl: Any
try:
    import fcntl
except ImportError:  # no such thing on Windows, where only time tells
    fcntl = None

PATIENCE: Final = 2.0  # seconds beyond what engines may need in the end
MOST_RESERVED: Final = 3.0
NOTE_BYTES: Final = 23  # of the walk that a process is on, as it notes it
FILE: Final = "file"  # the note of a finding that is replayed: where it lies already


@dataclass(slots=True)
class State:
    """How far one process has come, as it is written for the others."""

    is_done: bool = False
    subject: str = ""
    witnesses: list[str] = field(default_factory=list)
    versions: list[list[str]] = field(default_factory=list)
    skipped: list[list[str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    walks: int = 0
    positions: int = 0
    chess960_positions: int = 0  # of them
    nodes: int = 0
    features: dict[str, int] = field(default_factory=dict)
    quarantined: list[dict[str, Any]] = field(default_factory=list)


class Run:
    """One run's folder, shared by every process of the session."""

    def __init__(self, folder: Path, options: Options) -> None:
        self.folder = folder
        self.options = options  # `options.folder` is where findings are kept in the end
        self.seconds = options.seconds or 0.0
        self.reserve = min(MOST_RESERVED, self.seconds / 10)  # for counting published positions

    @property
    def hunting_options(self) -> Options:
        return replace(self.options, folder=self.folder)

    def begin(self) -> None:
        """Start the clock of the run, unless another process has."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            (self.folder / "started").touch(exist_ok=False)

    def _began(self) -> str:
        """When the run began, which all processes tell alike."""
        try:
            return time_stamp((self.folder / "started").stat().st_mtime)
        except FileNotFoundError:
            return time_stamp()

    def left(self) -> float:
        """Seconds until the time given is over; it runs for all processes alike."""
        try:
            began = (self.folder / "started").stat().st_mtime
        except FileNotFoundError:
            return self.seconds
        return began + self.seconds - time.time()

    # ---------------------------------------------------------------- states

    def write_state(self, name: str, state: State) -> None:
        write_atomically(self.folder / f"{name}.json", json.dumps(asdict(state)))

    def states(self) -> dict[str, State]:
        files = sorted(self.folder.glob("*.json"))
        return {file.stem: State(**json.loads(file.read_text(encoding="utf-8"))) for file in files}

    def track(self, name: str) -> BinaryIO:
        """Where a process writes which walk it is on, for the others to read if it does not come back."""
        file = (self.folder / f"{name}.at").open("wb", buffering=0)
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)  # held as long as the process lives, however it ends
        return file

    def note(self, track: BinaryIO, index: int, *, chess960: bool) -> None:
        """Write down the walk that is compared now; the same length each time, so that nothing older is left."""
        track.seek(0)
        track.write(b"%-20d %d\n" % (index, chess960))

    def note_engine(self, track: BinaryIO, number: int) -> None:
        """Write down, behind the walk, which witness runs in this process: 1 for the first, 0 for none of them."""
        track.seek(NOTE_BYTES)
        track.write(b"%-3d\n" % number)

    def wait(self) -> None:
        """Wait for the processes that hunt beside this one, as long as they live and may take."""
        convicted: set[str] = set()
        while waiting := {name for name, state in self.states().items() if not state.is_done} - convicted:
            for name in waiting:
                if self._is_gone(name):
                    convicted.add(name)
                    self._convict(name, Facet.CRASH, "was gone")
                elif self._is_late(name):
                    convicted.add(name)
                    self._convict(name, Facet.TIMEOUT, f"was not done {-self.left():.0f} s after its time,")
            time.sleep(0.05)

    def _is_gone(self, name: str) -> bool:
        """Whether a process has ended without a word: nobody holds its lock any more."""
        if fcntl is None:
            return False
        try:
            with (self.folder / f"{name}.at").open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        # It may have ended well since its state was read.
        return not self.states()[name].is_done

    def _is_late(self, name: str) -> bool:
        """Whether a process, alive as far as can be told, takes longer than engines may need in the end."""
        # An engine that answers nothing is given up after three timeouts. One in another process is watched by its
        # own clock, answer by answer, so that being slow with a long walk is no fault.
        timeouts = 3 if self.options.engine.startswith("py:") else 30
        return self.left() < -(PATIENCE + timeouts * self.options.timeout) and not self.states()[name].is_done

    def _convict(self, name: str, facet: Facet, how: str) -> None:
        """A process did not come back: what it was walking killed or kept it, and that is a finding."""
        with contextlib.suppress(OSError, ValueError):
            noted = (self.folder / f"{name}.at").read_text(encoding="ascii").split()
            index, chess960, number = map(int, (*noted, "0")[:3])
            walk = walk_number(self.options.seed, index, chess960=bool(chess960))
            how = f"the process it ran in ({name}) {how} on walk number {index}"
            if number:
                # A witness did it, of which the subject knows nothing.
                witness = (self.options.against or default_witnesses(self.options.engine)[0])[number - 1]
                held = quarantine_to_json(Quarantine(walk, Facet.CRASH, ((witness, how),)))
                self.write_state(f"{name}-gone", State(is_done=True, quarantined=[held]))
                return
            found = Divergence(
                walk=walk,
                facet=facet,
                verdict=Verdict.CRASH,
                kind=NO_KIND,
                subject=self.options.engine,
                witness="itself",
                expected="an answer",
                actual=how,
                seed=self.options.seed,
                original=walk,
                notes={"claim": "test_survives"},
            )
            self.keep(found)

    # ---------------------------------------------------------------- findings

    def path_of(self, found: Divergence) -> Path:
        return finding_path(self.folder / "found", found)

    def keep(self, found: Divergence) -> Divergence:
        """Write a finding where every process of the run finds it, and say where it is kept in the end."""
        write_finding(self.path_of(found), found)
        return self._publish(found)

    def _publish(self, found: Divergence) -> Divergence:
        file = found.notes.get(FILE)
        path = Path(file) if file else keep(self.options.folder / "found", found, hunt=self._began(), only_alike=True)
        return replace(found, notes={**found.notes, "path": _shown(path)})

    def left_behind(self) -> list[Divergence]:
        """What the processes have written, each with where it lies; without what a file of a test has told."""
        left = []
        for path in sorted((self.folder / "found").glob("*.walk")):
            # Another process may replace a finding by its shrunk form, under another name, at any moment.
            with contextlib.suppress(FileNotFoundError):
                found = read_finding(path) if path.exists() else None
                if found is not None and FILE not in found.notes:
                    left.append(replace(found, notes={**found.notes, "path": str(path)}))
        return left

    def gather(self) -> tuple[Divergence, ...]:
        """What all processes found: one of each cause that refutes a claim, kept where findings are kept."""
        groups: dict[tuple[str, str, str], list[Divergence]] = {}
        for path in sorted((self.folder / "found").glob("*.walk")):
            with contextlib.suppress(FileNotFoundError):
                found = read_finding(path) if path.exists() else None
                if found is not None:
                    file = str(found.notes.get(FILE, ""))
                    groups.setdefault((claim_of(found).test, str(key_of(found)), file), []).append(found)
        causes: dict[tuple[str, str, bool], list[Divergence]] = {}
        for (test, _, file), group in groups.items():
            best = min(group, key=lambda found: sort_key(found.walk))
            best = replace(best, count=sum(found.count for found in group))
            causes.setdefault((test, file, best.walk.chess960), []).append(best)
        one_each = [found for (_, file, _), group in causes.items() for found in (group if file else _grouped(group))]
        return tuple(self._publish_all(sorted(one_each, key=lambda found: sort_key(found.walk))))

    def _publish_all(self, findings: Iterable[Divergence]) -> list[Divergence]:
        """Keep all, the smallest first; one that refutes a second claim is told there too, and has its one file."""
        kept: list[list[Divergence]] = []
        alone = []
        for found in findings:
            same = next((one for one in kept if _is_alike(one[0], found)), None)
            if FILE in found.notes:
                alone.append(self._publish(found))
            elif same is None:
                kept.append([found])
            else:
                same.append(found)
        for group in kept:
            path = self._publish(replace(group[0], count=sum(found.count for found in group))).notes["path"]
            alone += [replace(found, notes={**found.notes, "path": path}) for found in group]
        return sorted(alone, key=lambda found: sort_key(found.walk))

    def result(self, findings: Iterable[Divergence]) -> HuntResult:
        """What the reports are made from."""
        states = list(self.states().values())
        told = next((state for state in states if state.subject), State(subject=self.options.engine))
        features: Counter[str] = Counter()
        quarantined = [item for state in states for item in state.quarantined]
        for state in states:
            features.update(state.features)
        return HuntResult(
            subject=told.subject,
            witnesses=tuple(told.witnesses),
            seed=self.options.seed,
            walks=sum(state.walks for state in states),
            positions=sum(state.positions for state in states),
            nodes=sum(state.nodes for state in states),
            seconds=max(0.0, self.seconds - self.left()),
            features=dict(features),
            skipped=tuple(Skip(check, why) for check, why in told.skipped),
            quarantined=tuple(map(_read_quarantine, quarantined[:MOST_QUARANTINED])),
            divergences=tuple(findings),
            versions=tuple((name, version) for name, version in told.versions),
        )

    def why_nothing(self, claim: Claim) -> str:
        """Why nothing at all can be said of a claim: the hunt compared no position; empty when it did."""
        states = self.states().values()
        if not any(state.subject for state in states):
            return "no process has hunted"
        if not any(state.walks for state in states):
            return "no walk was compared"
        chess960 = sum(state.chess960_positions for state in states)
        compared = chess960 if claim is CHESS960 else sum(state.positions for state in states) - chess960
        if compared or (claim is CHESS960 and self.why_not(claim)):
            return ""
        held = [item for state in states for item in state.quarantined if item["chess960"] is (claim is CHESS960)]
        said = [f"{answer['witness']}: {answer['answer']}" for item in held[:1] for answer in item["answers"]]
        return printable("; ".join(["no position was compared, for want of witnesses that agree", *said]))

    def why_not(self, claim: Claim) -> str:
        """Why a claim was not asked about; empty when it was."""
        told = next((state for state in self.states().values() if state.subject), State())
        skips = [why for check, why in told.skipped if check == claim.check]
        if claim.asks and claim.asks.isdisjoint(told.asked):
            return skips[0] if skips else f"{claim.check} is not asked: no witness that answers it quickly"
        return skips[0] if skips and not claim.asks else ""

    def remove(self) -> None:
        """Remove the run's folder; what was found is kept elsewhere once it is gathered."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            # Only where nothing else is left: no other run, nothing found.
            self.folder.parent.rmdir()
            self.options.folder.rmdir()


def _grouped(findings: Sequence[Divergence]) -> list[Divergence]:
    """One finding of those that have one cause, as a hunt tells them; each of them has a key of its own."""
    by_key = {key_of(found): found for found in findings}
    tally = Tally(Options(), findings=by_key, counts={key: found.count for key, found in by_key.items()})
    group_findings(tally)
    return [replace(found, count=tally.counts[key]) for key, found in tally.findings.items()]


def _is_alike(one: Divergence, other: Divergence) -> bool:
    """Whether two findings would be kept in one file."""
    if (one.signature, one.walk.chess960) != (other.signature, other.walk.chess960):
        return False
    return bool(related(names_of(other), [names_of(one)]))


def _read_quarantine(item: dict[str, Any]) -> Quarantine:
    walk = Walk(item["fen"], tuple(item["moves"]), item["chess960"])
    answers = tuple((answer["witness"], answer["answer"]) for answer in item["answers"])
    return Quarantine(walk, Facet(item["facet"]), answers)


def _shown(path: Path) -> str:
    """A path as people type it: short where they stand above it."""
    with contextlib.suppress(ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)
