"""What many measured faults say together: are the musts met, and how do our walks do beside others?

Measured… ──summarise──▶ Row…              one for each must, with every seed's own value
Measured… ──compare_walks──▶ Comparison    ours, uniform random games and perft, by faults found for their price
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from refute.power import MOST_MOVES, MOST_MOVES_OF_A_PATH, OURS, PERFT, PERFT_DEPTH, UNIFORM, Measured

AIM_POSITIONS: Final = 5_000
MEDIAN_POSITIONS: Final = (300, 100)  # must, aim
RIGHT_PERCENT: Final = (95, 100)
MEDIAN_MEN: Final = (5, 4)
TIMES_UNIFORM: Final = (2, 5)

MOVEGEN: Final = "movegen"


@dataclass(frozen=True, slots=True)
class Score:
    """One seed's value: as it is shown, and whether it meets the must and the aim."""

    text: str
    value: float | None
    ok: bool
    aim_met: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One measure, by seed; it is met only when every seed meets it."""

    measure: str
    must: str
    aim: str
    scores: dict[int, Score]

    @property
    def ok(self) -> bool:
        return all(score.ok for score in self.scores.values())

    @property
    def aim_met(self) -> bool:
        return all(score.aim_met for score in self.scores.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "must": self.must,
            "aim": self.aim,
            "seeds": {str(seed): score.text for seed, score in self.scores.items()},
            "values": {str(seed): score.value for seed, score in self.scores.items()},
            "ok": self.ok,
            "aim_met": self.aim_met,
        }


def summarise(measured: Sequence[Measured], *, budget: int) -> list[Row]:
    """The table of musts and aims, every seed for itself; empty when nothing was measured."""
    seeds: dict[int, list[Measured]] = {}
    for one in measured:
        seeds.setdefault(one.seed, []).append(one)

    def row(measure: str, must: str, aim: str, score: Callable[[list[Measured]], Score]) -> Row:
        return Row(measure, must, aim, {seed: score(seeds[seed]) for seed in sorted(seeds)})

    if not seeds:
        return []
    rows = [
        row(f"found within {budget:,} positions each", "all", f"all within {AIM_POSITIONS:,}", _found),
        row("median positions until found", str(MEDIAN_POSITIONS[0]), str(MEDIAN_POSITIONS[1]), _median_positions),
        row("verdict right", f"{RIGHT_PERCENT[0]} %", f"{RIGHT_PERCENT[1]} %", _verdicts),
        row(f"shrunk to {MOST_MOVES} move at most, path faults {MOST_MOVES_OF_A_PATH}", "all", "all", _moves),
        row("median men left, movegen faults", str(MEDIAN_MEN[0]), str(MEDIAN_MEN[1]), _men),
    ]
    if any(one.is_history for one in measured):
        rows.append(row("shrunk to the fewest moves there can be, history faults", "all", "all", _fewest))
    return rows


def _found(measured: list[Measured]) -> Score:
    found = [one.positions for one in measured if one.found]
    every = len(found) == len(measured)
    text = f"{len(found)} of {len(measured)}" + (f", in {max(found):,}" if found else "")
    return Score(text, len(found) / len(measured), every, every and max(found) <= AIM_POSITIONS)


def _median_positions(measured: list[Measured]) -> Score:
    middle = statistics.median([one.positions if one.found else math.inf for one in measured])
    must, aim = MEDIAN_POSITIONS
    if middle == math.inf:
        return Score("most are not found", None, False, False)
    return Score(f"{middle:g}", middle, middle <= must, middle <= aim)


def _verdicts(measured: list[Measured]) -> Score:
    found = [one for one in measured if one.found]
    right = sum(one.verdict_right is True for one in found)
    percent = 100 * right / len(found) if found else 0.0
    must, aim = RIGHT_PERCENT
    return Score(f"{percent:.1f} %", percent, percent >= must, percent >= aim)


def _moves(measured: list[Measured]) -> Score:
    return _small([one for one in measured if one.found and not one.is_history])


def _fewest(measured: list[Measured]) -> Score:
    return _small([one for one in measured if one.found and one.is_history])


def _small(found: list[Measured]) -> Score:
    small = sum(one.is_small for one in found)
    every = small == len(found)
    return Score(f"{small} of {len(found)}", small / len(found) if found else None, every, every)


def _men(measured: list[Measured]) -> Score:
    men = [one.pieces for one in measured if one.verdict == MOVEGEN and one.pieces is not None]
    if not men:
        return Score("none found", None, True, True)
    middle = statistics.median(men)
    must, aim = MEDIAN_MEN
    return Score(f"{middle:g}", middle, middle <= must, middle <= aim)


# ---------------------------------------------------------------- whose walks


@dataclass(frozen=True, slots=True)
class Standing:
    """What one way of looking found, and what it spent until each was found or its budget was over."""

    walks: str
    name: str
    found: int
    trials: int
    spent: int  # positions, or nodes for perft
    by_seed: dict[int, float]  # found per million

    @property
    def per_million(self) -> float:
        return 1e6 * self.found / self.spent if self.spent else 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "walks": self.walks,
            "found": self.found,
            "trials": self.trials,
            "nodes" if self.walks == PERFT else "positions": self.spent,
            "per_million": round(self.per_million, 3),
            "per_million_by_seed": {str(seed): round(value, 3) for seed, value in self.by_seed.items()},
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Ours, uniform random games and perft, in one run; the same checks for all walks."""

    budget: int
    standings: dict[str, Standing]

    def times(self, other: str, *, within_budget: bool = False) -> float | None:
        """How many times as many faults ours finds: for each million spent, or all told within the budget."""
        ours, theirs = self.standings.get(OURS), self.standings.get(other)
        if ours is None or theirs is None:
            return None
        if within_budget:
            mine, yours = ours.found / ours.trials, theirs.found / theirs.trials
        else:
            mine, yours = ours.per_million, theirs.per_million
        return mine / yours if yours else math.inf

    @property
    def ok(self) -> bool:
        times = self.times(UNIFORM)
        return times is not None and times >= TIMES_UNIFORM[0]

    def ratios(self) -> list[tuple[str, float | None]]:
        return [
            ("found per million, ours ÷ uniform random games", self.times(UNIFORM)),
            (f"found within {self.budget:,}, ours ÷ uniform random games", self.times(UNIFORM, within_budget=True)),
            ("found per million, ours ÷ perft", self.times(PERFT)),
        ]

    def to_json(self) -> dict[str, Any]:
        return {
            "budget": self.budget,
            "standings": [standing.to_json() for standing in self.standings.values()],
            "ratios": {
                name: None if value is None or value == math.inf else round(value, 3) for name, value in self.ratios()
            },
            "must": TIMES_UNIFORM[0],
            "aim": TIMES_UNIFORM[1],
            "ok": self.ok,
        }


NAMES: Final = {
    OURS: "our walks",
    UNIFORM: "uniform random games from the start",
    PERFT: f"perft {PERFT_DEPTH} of the six standard positions",
}


def compare_walks(measured: Sequence[Measured], *, budget: int) -> Comparison:
    """Add up what each way of looking found and spent."""
    standings = {}
    for walks, name in NAMES.items():
        mine = [one for one in measured if one.walks == walks]
        if mine:
            seeds = sorted({one.seed for one in mine})
            by_seed = {seed: _per_million([one for one in mine if one.seed == seed]) for seed in seeds}
            found, spent = sum(one.found for one in mine), sum(one.positions for one in mine)
            standings[walks] = Standing(walks, name, found, len(mine), spent, by_seed)
    return Comparison(budget, standings)


def _per_million(measured: list[Measured]) -> float:
    spent = sum(one.positions for one in measured)
    return 1e6 * sum(one.found for one in measured) / spent if spent else 0.0
