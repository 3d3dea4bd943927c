"""After the hunt: findings drilled, shrunk and explained, grouped by cause, and put where they are kept.

Tally ──refine_findings──▶ small and clear ──group_findings──▶ one a cause ──keep_findings──▶ one file a cause
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from refute.causes import group
from refute.compare import Comparer
from refute.divergence import Divergence, Signature
from refute.hunter import HURRIED_SECONDS, Tally, end_of
from refute.kept import keep, names_of
from refute.shrink import sort_key

SHRINK_SECONDS: Final = 10.0  # for one finding
GRACE: Final = 0.1  # of its time, by which a hunt may overrun for the sake of what it found
MOST_GRACE: Final = 10.0  # seconds of that
RESERVE_EACH: Final = 1.5  # seconds that are kept for a finding while the hunt goes on
MOST_RESERVED: Final = 1 / 3  # of the time


class Refiner(Protocol):
    """What makes findings small and clear: a Hunter, here or in another process."""

    comparer: Comparer
    is_interrupted: bool
    stops: bool

    def drilled(self, found: Divergence) -> Divergence:
        """The wrong move list below a wrong count; any other finding as it is."""

    def refine(self, found: Divergence, seconds: float) -> Divergence:
        """Shrink and explain a finding, and replace its file by what came of it."""


def refine_findings(tally: Tally, hunter: Refiner) -> bool:
    """Drill, shrink and explain what was found; True when interrupted, which leaves the rest as found.

    A wrong count hides one cause behind many signatures; drilled, they are one finding again.
    """
    end = end_of(tally.options, tally.started)
    if end is not None:
        # What is shrunk in part can be shrunk on; a hunt that does not end when it was told to can hold up others.
        grace = min(MOST_GRACE, max(HURRIED_SECONDS, (end - tally.started) * GRACE))
        end = max(end + grace, time.monotonic() + HURRIED_SECONDS)
    try:
        with hunter.comparer.hurried(end):
            for signature in _by_walk(tally):
                tally.put(signature, hunter.drilled(tally.findings[signature]))
        signatures = _by_walk(tally)
        for number, signature in enumerate(signatures):
            left = math.inf if end is None else (end - time.monotonic()) / (len(signatures) - number)
            tally.put(signature, hunter.refine(tally.findings[signature], min(SHRINK_SECONDS, max(left, 0.0))))
            if hunter.stops:
                return True
    except KeyboardInterrupt:
        return True
    return False


def is_time_to_refine(tally: Tally) -> bool:
    """Whether what is left of the time is needed to make small what was found."""
    end = end_of(tally.options, tally.started)
    if end is None or not tally.options.shrinks:
        return False
    reserve = min(len(tally.findings) * RESERVE_EACH, (end - tally.started) * MOST_RESERVED)
    return time.monotonic() >= end - reserve


def _by_walk(tally: Tally) -> list[Signature]:
    return sorted(tally.findings, key=lambda signature: tally.indices.get(signature, 0))


def group_findings(tally: Tally) -> None:
    """Make one finding of those that have one cause; told by what they have become, so they must be small."""
    signatures = _by_walk(tally)
    named = [names_of(tally.findings[signature]) for signature in signatures]
    for numbers in group(named):
        # What others explain does not stand for them.
        own = [
            one for one in numbers if not any(named[one].is_under(named[other]) for other in numbers if other != one)
        ]
        best = min(own or numbers, key=lambda one: (sort_key(tally.findings[signatures[one]].walk), one))
        tally.merge(signatures[best], [signatures[one] for one in numbers if one != best])


def keep_findings(tally: Tally) -> None:
    """Put each finding into the file of its cause, where other hunts may have seen it before."""
    folder = tally.options.folder / "found"
    for signature, found in tally.findings.items():
        if "path" not in found.notes:
            continue
        # Where that fails, on a full disk say, everything stays in the files it has.
        with suppress(OSError):
            own = [Path(other.notes["path"]) for other in tally.absorbed.get(signature, ()) if "path" in other.notes]
            path = keep(folder, replace(found, count=tally.counts[signature]), hunt=tally.began, own=own)
            tally.findings[signature] = replace(found, notes={**found.notes, "path": str(path)})
