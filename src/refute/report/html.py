"""The hunt as one self-contained HTML page: no network, nothing an engine printed left unescaped."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from refute.divergence import Divergence, Facet, Verdict
from refute.kept import also_of
from refute.kinds import NO_KIND
from refute.report.boards import Frame, film, sprite
from refute.report.result import HuntResult
from refute.report.shell import render_shell
from refute.report.text import (
    command_for,
    count,
    end_fen,
    expected_by,
    lichess_link,
    marked,
    printable,
    sentence_for,
    shrink_command,
    shrunk_from,
    spoken,
    with_version,
)

MOST_FINDINGS: Final = 150
MOST_FRAMES_OF_PAGE: Final = 600  # about ten kilobytes each


@dataclass(frozen=True, slots=True)
class Card:
    """One finding as the template wants it; every text is printable already."""

    number: int
    kind: str
    facet: str
    verdict: str
    men: str
    seen: str
    sentence: str
    frames: list[Frame]
    left_out: int  # plies of a long walk that are not drawn
    needs: str  # what has to be done where there is no walk to step through
    expected_by: str
    actual_by: str
    expected_moves: list[tuple[str, bool]]
    actual_moves: list[tuple[str, bool]]
    expected: str
    actual: str
    facts: list[tuple[str, str]]
    command: str
    position: str
    link: str | None
    transcript: str


def render_html(result: HuntResult, *, theme: str = "") -> str:
    """The page; `theme` ("light" or "dark") fixes what the reader's system would choose."""
    cards = _cards(result)
    return render_shell(
        "page.html.j2",
        styles=("page.css",),
        filters={"count": count, "with_version": with_version},
        result=result,
        theme=theme,
        groups=_groups(cards),
        left_out=len(result.divergences) - len(cards),
        bars=_bars(result.features),
        never=sorted(printable(spoken(name)) for name, times in result.features.items() if not times),
        sprite=Markup(sprite()),
    )


def _cards(result: HuntResult) -> list[Card]:
    cards: list[Card] = []
    frames = 0
    ordered = [divergence for group in result.groups().values() for divergence in group]
    for number, divergence in enumerate(ordered[:MOST_FINDINGS], 1):
        drawn = film(divergence)
        # A page of many long walks keeps each one's end, where the divergence is.
        if frames + len(drawn) > MOST_FRAMES_OF_PAGE:
            drawn = drawn[-2:]
        frames += len(drawn)
        cards.append(_card(number, divergence, drawn))
    return cards


def _card(number: int, divergence: Divergence, frames: list[Frame]) -> Card:
    return Card(
        number=number,
        kind=printable(_title(divergence)),
        facet=str(divergence.facet),
        verdict=str(divergence.verdict),
        men=f"{divergence.pieces} {'man' if divergence.pieces == 1 else 'men'}",
        seen=count(divergence.count, "walk"),
        sentence=printable(sentence_for(divergence)),
        frames=frames,
        left_out=len(divergence.walk) + 1 - len(frames) if frames else 0,
        needs=_needs(divergence),
        expected_by=printable(expected_by(divergence)),
        actual_by=printable(divergence.subject),
        expected_moves=_shown(divergence.expected_moves, divergence.missing),
        actual_moves=_shown(divergence.actual_moves, divergence.extra),
        expected=printable(divergence.expected, lines=True),
        actual=printable(divergence.actual, lines=True),
        facts=_facts(divergence),
        command=printable(command_for(divergence)),
        position=str(divergence.walk),
        link=lichess_link(divergence.walk),
        transcript=printable("\n".join(divergence.transcript), lines=True),
    )


UNNAMED: Final = {
    Facet.FEN: "position",
    Facet.NULL: "null move",
    Facet.PERFT: "count",
    Facet.RESTORE: "take-back of the walk",
}


def _title(divergence: Divergence) -> str:
    """The kind of move, or what is wrong where no one move is at fault."""
    if divergence.kind != NO_KIND:
        return spoken(divergence.kind)
    return UNNAMED.get(divergence.facet, str(divergence.facet))


def _needs(divergence: Divergence) -> str:
    if divergence.facet is Facet.NULL:
        return "A null move made here shows it."
    if divergence.move is None or divergence.facet is Facet.MOVES:
        return "The position itself shows it, without a move."
    done = "made here and taken back" if divergence.verdict is Verdict.UNMAKE else "made here"
    return printable(f"The move {divergence.move}, {done}, shows it.")


def _shown(moves: tuple[str, ...], odd: tuple[str, ...]) -> list[tuple[str, bool]]:
    # Where only the difference is known, the difference is the list.
    return [(printable(move), is_odd) for move, is_odd in marked(moves or odd, odd)]


def _facts(divergence: Divergence) -> list[tuple[str, str]]:
    walk = divergence.walk
    facts: list[tuple[str, str]] = []
    fen = end_fen(walk)
    if walk.moves and fen is not None:
        facts.append(("At its end", fen))
    if walk.chess960:
        facts.append(("Variant", "Chess960"))
    if divergence.path_dependent:
        facts.append(("Path", "needed: the FEN alone does not show it"))
    if origin := shrunk_from(divergence):
        facts.append(("Shrunk from", origin))
    if again := shrink_command(divergence):
        facts.append(("Smaller still", again))
    if also := also_of(divergence):
        facts.append(("Shown also as", "; ".join(also)))
    if divergence.versions:
        facts.append(("Versions", ", ".join(with_version(*pair) for pair in divergence.versions)))
    return [(printable(name), printable(value)) for name, value in facts]


def _groups(cards: list[Card]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str, str], list[Card]] = {}
    for card in cards:
        groups.setdefault((card.facet, card.verdict, card.kind), []).append(card)
    return [
        {"facet": facet, "verdict": verdict, "kind": kind, "cards": grouped}
        for (facet, verdict, kind), grouped in groups.items()
    ]


def _bars(features: dict[str, int]) -> list[tuple[str, int, float]]:
    """Name, count and length in percent of each rule exercised, the most exercised first."""
    seen = [(name, times) for name, times in features.items() if times > 0]
    # A logarithm, because a rule seen thrice must still be seen beside one seen a million times.
    longest = math.log2(max((times for _, times in seen), default=1) + 1)
    return [
        (printable(spoken(name)), times, round(100 * math.log2(times + 1) / longest, 1))
        for name, times in sorted(seen, key=lambda item: (-item[1], item[0]))
    ]
