"""The folder of findings: one file for each cause, whichever hunt found it.

a finding, shrunk ──keep──▶ a file of the same subject and cause? ──▶ one file: counts added up, no walk lost

The newest finding is the one that is told; what else the cause has shown is kept in the note `also`, by the rule it
broke, and run again by whoever runs the file again.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from refute.causes import Names, causes_of, related, rule_of
from refute.divergence import Divergence
from refute.errors import WalkError
from refute.finding import LARGEST_FILE, format_subject, read_finding, read_walk, slug_of, write_finding
from refute.reading import read_bytes
from refute.shrink import NOT_REPRODUCED, sort_key
from refute.walk import Walk

# The notes by which a file tells of the hunts that saw it; hunts are told apart by the time they began.
FIRST_SEEN: Final = "first_seen"
LAST_SEEN: Final = "last_seen"
COUNT_BEFORE: Final = "count_before"  # walks of all hunts before the last one
ALSO: Final = "also"  # rule → `position` command: the cause's other faces
NEWEST: Final = "as last found, not shrunk to the end"  # the rule of a walk that is one of them for that reason
LONGEST_ALSO: Final = 3000  # characters as JSON; a file's notes are dropped as a whole where they are too long
LONGEST_WALK: Final = 300  # of one of them; a finding that needs a longer one stays by itself


def time_stamp(seconds: float | None = None) -> str:
    """A moment, now unless told, as it is written in findings: UTC, to the millisecond."""
    moment = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


# ------------------------------------------------------------------------------ one cause, many faces


def names_of(found: Divergence) -> Names:
    """What the cause of a finding is called, by all that it has shown.

    One that did not come back when asked alone is only itself, and so is one whose walk is too long to be kept
    beside another: no other finding may stand for it.
    """
    if found.notes.get("shrunk") == NOT_REPRODUCED or len(str(found.walk)) > LONGEST_WALK:
        return Names(frozenset({f"{found.signature} {found.walk}"}), frozenset())
    own = causes_of(found)
    return Names(own.names | (_also(found).keys() - {NEWEST}), own.explains, own.under)


def take_in(best: Divergence, others: Iterable[Divergence]) -> Divergence:
    """The finding that stands for a cause, with what the others have shown of it besides."""
    also = {rule: str(walk) for rule, walk in _also(best).items()}
    for other in others:
        for rule, text in ((rule_of(other), str(other.walk)), *((r, str(w)) for r, w in _also(other).items())):
            if rule != rule_of(best) and len(json.dumps({**also, rule: text})) <= LONGEST_ALSO:
                also.setdefault(rule, text)
    return replace(best, notes={**best.notes, ALSO: also}) if also else best


def other_walks(found: Divergence) -> tuple[Walk, ...]:
    """The walks on which the cause of a finding has shown itself besides; raises WalkError for one that is none."""
    return tuple(_also(found).values())


def also_of(found: Divergence) -> dict[str, str]:
    """The other faces of a finding's cause, as its notes tell them: rule → `position` command, each of them a text."""
    told = found.notes.get(ALSO)
    if not isinstance(told, dict) or not all(isinstance(text, str) for text in told.values()):
        return {}
    return told if len(json.dumps(told)) <= LONGEST_ALSO else {}


def _also(found: Divergence) -> dict[str, Walk]:
    return {rule: read_walk(text, chess960=found.walk.chess960) for rule, text in also_of(found).items()}


# ------------------------------------------------------------------------------ files


def cause_path(folder: Path, found: Divergence) -> Path:
    """Name a new file for a cause; it has no other name than this while a hunt still works on it."""
    words = ("cause", found.subject, str(found.walk.chess960), str(found.walk), str(found.signature))
    digest = hashlib.sha256("\n".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return folder / f"{slug_of(found)}-{digest}.walk"


def keep(folder: Path, found: Divergence, *, hunt: str, own: Iterable[Path] = (), only_alike: bool = False) -> Path:
    """Put a finding into the one file of its cause, with what earlier hunts knew of it, and say where that is.

    `hunt` is when the hunt began; asked again for the same hunt, its walks are not counted twice. `own` are files
    that it left of the same cause, and that are told by this finding too. With `only_alike`, a cause is a
    signature and nothing wider. The file is written before any other is removed:
    whoever is killed in between leaves one too many, and the next hunt that sees it takes it in.
    """
    mine = {*own, *([Path(found.notes["path"])] if "path" in found.notes else [])}
    others = _of_same_cause(folder, found, mine, only_alike=only_alike)
    # A file that is known by its name keeps it, as long as the name is true.
    named = [file for file in others if file.name.startswith(f"{slug_of(found)}-")]
    path = min(named, key=lambda file: _first_seen(file, others[file])) if named else _free(folder, found, mine)
    count = sum(_count_before(known, hunt) for known in others.values())
    kept = _best(found, others.values())
    notes = {
        **kept.notes,
        FIRST_SEEN: min([hunt, *(_first_seen(file, known) for file, known in others.items())]),
        LAST_SEEN: hunt,
        COUNT_BEFORE: count,
    }
    write_finding(path, replace(kept, count=count + found.count, notes=notes))
    for file in {*others, *(file for file in mine if file.parent == folder)} - {path}:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
    return path


def _free(folder: Path, found: Divergence, mine: set[Path]) -> Path:
    """A name that no file has which tells of anything else."""
    path = cause_path(folder, found)
    names = (path.with_stem(f"{path.stem}-{number}") for number in itertools.count(2))
    return path if not path.exists() or path in mine else next(name for name in names if not name.exists())


def _best(found: Divergence, others: Iterable[Divergence]) -> Divergence:
    """The newest, for it is sure to be true still; where it was not shrunk to the end, a smaller one that was."""
    alike = [known for known in others if known.signature == found.signature]
    smallest = min(alike, key=lambda known: sort_key(known.walk), default=found)
    if found.notes.get("shrunk", "whole") == "whole" or sort_key(smallest.walk) >= sort_key(found.walk):
        return take_in(found, others)
    newest = replace(smallest, notes={**smallest.notes, ALSO: {**also_of(smallest), NEWEST: str(found.walk)}})
    return take_in(newest if also_of(newest) else found, others)


def _of_same_cause(folder: Path, found: Divergence, mine: set[Path], *, only_alike: bool) -> dict[Path, Divergence]:
    """Files of other hunts that tell of the same, by whatever name: hunts that were killed leave some, people too."""
    subject = f"\n# subject: {format_subject(found)}\n".encode()
    known: dict[Path, tuple[Divergence, Names]] = {}
    for file in sorted({*folder.glob("*.walk")} - mine):
        # A file that cannot be read is somebody else's, and is left alone.
        with contextlib.suppress(WalkError, OSError):
            if subject not in read_bytes(file, most=LARGEST_FILE, error=WalkError):
                continue
            one = read_finding(file)
            if one.walk.chess960 == found.walk.chess960 and (one.signature == found.signature or not only_alike):
                known[file] = one, names_of(one)
    files = list(known)
    same = related(names_of(found), [names for _, names in known.values()])
    return {files[number]: known[files[number]][0] for number in same}


def _first_seen(file: Path, known: Divergence) -> str:
    told = known.notes.get(FIRST_SEEN)
    if isinstance(told, str):
        return told
    try:
        return time_stamp(file.stat().st_mtime)
    except OSError:
        return time_stamp()


def _count_before(known: Divergence, hunt: str) -> int:
    """Walks of hunts before this one; notes may hold anything, for files come from anyone."""
    before = known.notes.get(COUNT_BEFORE)
    return before if known.notes.get(LAST_SEEN) == hunt and type(before) is int else known.count
