"""After the hunt: findings drilled, shrunk and explained, grouped by cause, and put where they are kept.

Tally ──refine_findings──▶ small and clear ──group_findings──▶ one a cause ──keep_findings──▶ one file a cause
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from refute.causes import group
from refute.hunter import Hunter, Tally
from refute.kept import keep, names_of
from refute.shrink import sort_key


def refine_findings(tally: Tally, hunter: Hunter) -> bool:
    """Drill, shrink and explain what was found; True when interrupted, which leaves the rest as found.

    A wrong count hides one cause behind many signatures; drilled, they are one finding again.
    """
    try:
        for step in (hunter.drilled, hunter.refine):
            for signature in sorted(tally.findings, key=lambda signature: tally.indices.get(signature, 0)):
                tally.put(signature, step(tally.findings[signature]))
                if hunter.stops:
                    return True
    except KeyboardInterrupt:
        return True
    return False


def group_findings(tally: Tally) -> None:
    """Make one finding of those that have one cause; told by what they have become, so they must be small."""
    signatures = sorted(tally.findings, key=lambda signature: tally.indices.get(signature, 0))
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
