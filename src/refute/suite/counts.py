"""Check an engine against counts that are known; where one is wrong, find the move it comes from.

PerftCase ──▶ count, depth by depth ──differs──▶ drill ──▶ shrink ──▶ Divergence
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.board.epd import PerftCase
from refute.compare import Comparer, counts_quickly
from refute.divergence import Divergence, Facet, Verdict
from refute.drill import CONVICTING, drill
from refute.engines.limits import CUT_SHORT, hurried
from refute.engines.protocol import Ability, Engine, Fault, Question
from refute.errors import EngineError
from refute.explain import explain
from refute.kinds import NO_KIND
from refute.shrink import narrow, shrink
from refute.suite.cast import Cast
from refute.walk import Walk

SHRINK_SECONDS: Final = 5.0
LEAST_SECONDS: Final = 0.5  # to find the move that a wrong count comes from
KNOWN: Final = "the counts known"  # who says what is right, where no engine does
SLOW_NODES: Final = 500_000  # python-chess takes some seconds to count them


class CutShort(Exception):
    """There was no time to count."""


@dataclass(frozen=True, slots=True)
class Miscount:
    """A count that is wrong, and the divergence behind it."""

    text: str
    divergence: Divergence


def why_uncounted(engine: Engine, *, chess960: bool = False) -> str:
    """Why an engine cannot count; empty when it can."""
    lacks: dict[Ability, str] = getattr(engine, "lacks", {})
    for ability in [Ability.PERFT] + [Ability.CHESS960] * chess960:
        if ability not in engine.abilities:
            return f"{engine.name}: {lacks.get(ability, f'it has no ability {ability.value}')}"
    return ""


def depths_within(case: PerftCase, nodes: int) -> list[int]:
    """The depths whose counts are small enough."""
    return [depth for depth, count in sorted(case.counts.items()) if count <= nodes]


def check_count(case: PerftCase, depth: int, cast: Cast, *, seconds: float = SHRINK_SECONDS) -> Miscount | None:
    """Count one case at one depth; what is wrong is drilled and shrunk with the witnesses' help.

    Raises CutShort where the time is over before the count is there, which is neither right nor wrong.
    """
    walk = Walk(case.fen, (), case.chess960)
    said = cast.subject.at([walk], Question(frozenset({Ability.PERFT}), depth))[0]
    wanted = case.counts[depth]
    if isinstance(said, Fault) and said.text == CUT_SHORT:
        raise CutShort
    if isinstance(said, Fault):
        facet, verdict = CONVICTING[said.trouble]
        # No move was made yet: whoever is astray has read the position wrong.
        verdict = Verdict.FEN if facet is Facet.FEN else verdict
        found = _divergence(cast.subject, walk, facet, verdict, wanted, said.text)
        text = f"perft {depth} of {case.fen}: expected {wanted}, and {said.trouble.value}: {said.text}"
        notes = {"trouble": said.trouble.value, "depth": depth}
        return Miscount(text, replace(found, transcript=said.transcript, notes=notes))
    nodes = sum((said.divide or {}).values())
    if nodes == wanted:
        return None
    found = _divergence(cast.subject, walk, Facet.PERFT, Verdict.MOVEGEN, wanted, str(nodes))
    text = f"perft {depth} of {case.fen}: expected {wanted}, counted {nodes}"
    is_small = max(nodes, wanted) <= SLOW_NODES
    witnesses = [witness for witness in cast.witnesses if is_small or counts_quickly(witness)]
    # The quickest first; one that cannot say is no reason to ask no other.
    witnesses.sort(key=lambda witness: not counts_quickly(witness))
    return Miscount(text, _explained(replace(found, notes={"depth": depth}), cast, witnesses, seconds))


def _divergence(subject: Engine, walk: Walk, facet: Facet, verdict: Verdict, wanted: int, said: str) -> Divergence:
    return Divergence(
        walk=walk,
        facet=facet,
        verdict=verdict,
        kind=NO_KIND,
        subject=subject.name,
        witness=KNOWN,
        expected=str(wanted),
        actual=said,
        versions=((subject.name, subject.version),),
    )


def _explained(found: Divergence, cast: Cast, witnesses: Sequence[Engine], seconds: float) -> Divergence:
    """The wrong move list below a wrong count, as small as it gets in time; the count itself where there is none."""
    until = time.monotonic() + max(seconds, LEAST_SECONDS)
    deeper = None
    for witness in witnesses:
        try:
            with hurried([cast.subject, *witnesses], until):
                deeper = drill(cast.subject, witness, found.walk, found.notes["depth"]).divergence
        except EngineError:
            continue
        if deeper is not None:
            break
    if deeper is None or deeper.actual == CUT_SHORT:
        return found
    if deeper.facet is not Facet.PERFT:
        # Drilling looks at moves alone; another facet may be wrong before them.
        comparer = narrow(Comparer(cast.subject, cast.witnesses), deeper.facet)
        deeper = shrink(deeper, comparer, seconds=max(0.0, until - time.monotonic()))
    return replace(deeper, explanation=explain(deeper), original=found.walk)
