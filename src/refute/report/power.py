"""What was measured of planted faults, told: as JSON, CSV, Markdown, and one self-contained page with its plot.

Power (measured faults, seeds, budget) ──▶ to_json · render_csv · render_markdown · render_page
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from refute import __version__
from refute.power import OURS, Measured
from refute.report.shell import render_shell
from refute.scoring import Comparison, Row, compare_walks, summarise

STYLES: Final = 12  # colours in power.css; after that they come again, dashed
WIDTH: Final = 1040
HEIGHT: Final = 380
LEFT: Final = 44  # from here on, where the axes are
TOP: Final = 12
RIGHT: Final = 1028
BOTTOM: Final = 340


@dataclass(frozen=True, slots=True)
class Power:
    """Everything that one run of `refute faults` measured."""

    measured: tuple[Measured, ...]
    seeds: tuple[int, ...]
    budget: int
    against: tuple[str, ...]
    seconds: float
    compares: bool = False  # walks with each other, rather than what is found with the musts
    interrupted: bool = False

    @property
    def ours(self) -> tuple[Measured, ...]:
        return tuple(one for one in self.measured if one.walks == OURS)

    def summary(self) -> list[Row]:
        """The table of musts; empty when walks are compared, because then nothing is shrunk."""
        return [] if self.compares else summarise(self.measured, budget=self.budget)

    def comparison(self) -> Comparison | None:
        return compare_walks(self.measured, budget=self.budget) if self.compares else None

    def to_json(self) -> dict[str, Any]:
        comparison = self.comparison()
        return {
            "version": __version__,
            "budget": self.budget,
            "seeds": list(self.seeds),
            "against": list(self.against),
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
            "faults": [one.to_json() for one in self.ours if not one.is_history],
            "history": [one.to_json() for one in self.ours if one.is_history],
            "summary": [row.to_json() for row in self.summary()],
        } | ({} if comparison is None else {"comparison": comparison.to_json()})


def render_csv(power: Power) -> str:
    """One line for each fault and seed, with the names of the JSON fields above."""
    rows = [one.to_json() | {"walks": one.walks} for one in power.measured]
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]) if rows else ["name"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def few_digits(value: float) -> str:
    """A number with three significant digits at least, and none of them in an exponent."""
    if value == math.inf:
        return "∞"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


# ---------------------------------------------------------------- Markdown


def render_markdown(power: Power) -> str:
    """The tables for a README."""
    comparison = power.comparison()
    parts = []
    if comparison is not None:
        heads = ["walks", "faults found", "positions (perft: nodes) spent", "found per million"]
        rows = [
            [one.name, f"{one.found} of {one.trials}", f"{one.spent:,}", few_digits(one.per_million)]
            for one in comparison.standings.values()
        ]
        ratios = [[name, few_digits(value)] for name, value in comparison.ratios() if value is not None]
        parts += [_table(heads, rows), _table(["ratio", "measured"], ratios)]
    summary = power.summary()
    if summary:
        heads = ["measure", "must", "aim", *(f"seed {seed}" for seed in power.seeds)]
        parts.append(_table(heads, [_cells(row, power.seeds) for row in summary]))
    return "\n".join(parts)


def _cells(row: Row, seeds: Iterable[int]) -> list[str]:
    scores = (row.scores[seed].text if seed in row.scores else "" for seed in seeds)
    return [row.measure, row.must, row.aim, *scores]


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---", *("--:" for _ in heads[1:])], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


# ---------------------------------------------------------------- the page


@dataclass(frozen=True, slots=True)
class Curve:
    """One class in the plot: after how many positions each of its faults was found, ascending."""

    name: str
    style: str
    after: tuple[int, ...]
    trials: int

    @property
    def found(self) -> int:
        return len(self.after)


def render_page(power: Power, *, theme: str = "") -> str:
    """The page; `theme` ("light" or "dark") fixes what the reader's system would choose."""
    drawn = curves(power.ours)
    return render_shell(
        "power.html.j2",
        styles=("page.css", "power.css"),
        filters={"few_digits": few_digits},
        power=power,
        found=sum(one.found for one in power.ours),
        names=len({one.name for one in power.measured}),
        rows=power.summary(),
        comparison=power.comparison(),
        curves=drawn,
        plot=Markup(draw(drawn, budget=power.budget)),
        theme=theme,
    )


def curves(measured: Iterable[Measured]) -> list[Curve]:
    """One curve for each class, in the order the classes come."""
    classes: dict[str, list[Measured]] = {}
    for one in measured:
        classes.setdefault(one.class_, []).append(one)
    return [
        Curve(
            name,
            f"c{number % STYLES}{' dashed' if number >= STYLES else ''}",
            tuple(sorted(one.positions for one in members if one.found)),
            len(members),
        )
        for number, (name, members) in enumerate(classes.items())
    ]


def draw(drawn: list[Curve], *, budget: int) -> str:
    """The plot as SVG: positions across, logarithmic; the share of each class found, upwards."""
    decades = max(1.0, math.log10(max(budget, 1)))

    def x(positions: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * min(1.0, math.log10(max(positions, 1)) / decades), 1)

    def y(share: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * share, 1)

    label = "Faults found against positions, a curve for each class"
    parts = [f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">']
    for percent in (0, 25, 50, 75, 100):
        level = y(percent / 100)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{level}" x2="{RIGHT}" y2="{level}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{level + 4}" text-anchor="end">{percent} %</text>')
    for positions in _ticks(budget):
        at = x(positions)
        parts.append(f'<line class="grid" x1="{at}" y1="{TOP}" x2="{at}" y2="{BOTTOM}"/>')
        parts.append(f'<text x="{at}" y="{BOTTOM + 20}" text-anchor="middle">{positions:,}</text>')
    for curve in drawn:
        steps = [f"M{x(1)} {y(0)}"]
        for number, positions in enumerate(curve.after, 1):
            steps.append(f"H{x(positions)}V{y(number / curve.trials)}")
        steps.append(f"H{RIGHT}")
        # Class names are ours, plain words; nothing here was said by an engine.
        title = f"<title>{curve.name}: {curve.found} of {curve.trials}</title>"
        parts.append(f'<path class="curve {curve.style}" d="{"".join(steps)}">{title}</path>')
    parts.append(f'<text x="{RIGHT}" y="{HEIGHT - 2}" text-anchor="end">positions</text></svg>')
    return "".join(parts)


def _ticks(budget: int) -> list[int]:
    ticks = [10**power for power in range(7) if 10**power < budget * 0.7]
    return [*ticks, budget]
