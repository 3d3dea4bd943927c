"""Races: contestants measured turn by turn in one run, the best of each, as ratios with a bar to clear.

contestants ──race──▶ the best Lap of each ──Row.of──▶ ratio, must, aim, ok
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Lap(NamedTuple):
    """One timed count."""

    nodes: int
    seconds: float

    @property
    def speed(self) -> float:
        """Nodes a second."""
        return self.nodes / self.seconds


@dataclass(frozen=True, slots=True)
class Row:
    """One measure against its bar; a larger ratio is always the better one."""

    measure: str
    ratio: float | None  # None when it could not be measured; then `why` says so
    must: float
    aim: float | None = None
    ours: str = ""
    theirs: str = ""
    why: str = ""

    @property
    def is_ok(self) -> bool:
        return self.ratio is not None and self.ratio >= self.must

    @classmethod
    def of(cls, measure: str, ours: Lap, theirs: Lap, *, must: float, aim: float) -> Row:
        """Compare two speeds."""
        return cls(measure, ours.speed / theirs.speed, must, aim, show_speed(ours), show_speed(theirs))

    def as_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "ratio": None if self.ratio is None else round(self.ratio, 3),
            "must": self.must,
            "aim": self.aim,
            "ok": self.is_ok,
            "ours": self.ours,
            "theirs": self.theirs,
            "why": self.why,
        }


def race(contestants: Mapping[str, Callable[[], Lap]], *, rounds: int, seconds: float = 0.0) -> dict[str, Lap]:
    """Run everyone once a round, another first each time, and keep the fastest lap of each.

    What slows the machine for a while then slows all of them, and the best lap is the one least slowed.
    Short laps need more of them to meet a quiet moment: rounds go on until `seconds` were spent running.
    """
    order = list(contestants)
    best: dict[str, Lap] = {}
    done, spent = 0, 0.0
    while done < rounds or spent < seconds:
        done += 1
        for name in order:
            lap = contestants[name]()
            spent += lap.seconds
            if name not in best or lap.seconds < best[name].seconds:
                best[name] = lap
        order.append(order.pop(0))
    return best


def exit_code(rows: Sequence[Row]) -> int:
    """0 when every must is met, 2 when something could not be measured, 1 otherwise."""
    if any(row.ratio is None for row in rows):
        return 2
    return 0 if all(row.is_ok for row in rows) else 1


def show_speed(lap: Lap) -> str:
    return f"{lap.speed / 1e6:,.2f} M/s" if lap.speed < 1e8 else f"{lap.speed / 1e6:,.0f} M/s"
