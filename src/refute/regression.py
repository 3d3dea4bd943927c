"""What generated tests call: one walk, compared once more, and an AssertionError while it still diverges."""

from __future__ import annotations

import atexit
import io
from collections.abc import Iterable, Sequence
from typing import Final

from refute.compare import Comparer
from refute.divergence import Divergence, Facet
from refute.engines.protocol import Ability, Engine
from refute.engines.spec import open_engine
from refute.errors import EngineError, InputError, quote
from refute.finding import read_walk
from refute.shrink import NOT_REPRODUCED, narrow
from refute.walk import Walk

PERFT_DEPTH: Final = 3  # for a finding that does not say how deep it was counted
DEEPEST: Final = 5
NO_WITNESS: Final = "itself"  # what a finding says that needed none
WIDTH: Final = 100

_engines: dict[str, Engine] = {}


def assert_agrees(
    command: str,
    *,
    engine: str = "own",
    against: Sequence[str] = ("python-chess",),
    facet: str | None = None,
    chess960: bool = False,
    depth: int | None = None,
) -> None:
    """Fail, with the board drawn, if the engine diverges from its witnesses along a `position` command.

    With a facet, nothing that is looked at after it is asked, so that a test is about its own bug.
    """
    found = find(command, engine=engine, against=against, facet=facet, chess960=chess960, depth=depth)
    if found is not None:
        raise AssertionError(tell(found))


def find(
    command: str,
    *,
    engine: str = "own",
    against: Sequence[str] = ("python-chess",),
    facet: str | None = None,
    chess960: bool = False,
    depth: int | None = None,
) -> Divergence | None:
    """The first divergence along a `position` command, or None; engines stay open until Python ends."""
    wanted = _facet(facet)
    walk = read_walk(command, chess960=chess960)
    if depth is None:
        depth = depth_for(wanted)
    witnesses = [_open(spec) for spec in witness_specs(against, subject=engine)]
    comparer = Comparer(_open(engine), witnesses, depth=depth, chess960=chess960)
    if wanted is None:
        return compare(comparer, walk)
    found = compare(narrow(comparer, wanted), walk, wanted)
    if found is None:
        # A board that examines itself may complain of the same facet, and is asked to only in full.
        found = compare(comparer, walk)
        found = found if found is not None and found.facet is wanted else None
    return found


# A finding of a facet shows only where the subject is asked for one of these; the others show by themselves.
NEEDED: Final = {
    Facet.MOVES: frozenset({Ability.MOVES}),
    Facet.CHECK: frozenset({Ability.CHECK, Ability.STATE}),
    Facet.FEN: frozenset({Ability.FEN, Ability.NUMBERS, Ability.STATE}),
    Facet.OUTCOME: frozenset({Ability.OUTCOME}),
    Facet.PERFT: frozenset({Ability.PERFT, Ability.STATE}),
    Facet.KEY: frozenset({Ability.KEY, Ability.STATE}),
    Facet.RESTORE: frozenset({Ability.STATE}),
    Facet.INVARIANTS: frozenset({Ability.STATE}),
    Facet.NULL: frozenset({Ability.STATE}),
}


def compare(comparer: Comparer, walk: Walk, facet: Facet | None = None) -> Divergence | None:
    """The first divergence along a walk; raises EngineError when the witnesses, or the subject, cannot tell."""
    needed = NEEDED.get(facet) if facet is not None else None
    if needed is not None and not needed & comparer.question.asks:
        raise EngineError(f"{comparer.subject.name} is not asked for {facet}, or cannot say: nothing can be told of it")
    comparison = comparer.compare(walk)
    if comparison.quarantine is not None:
        said = "; ".join(f"{name} says {quote(answer)}" for name, answer in comparison.quarantine.answers)
        raise EngineError(f"the witnesses do not settle {str(comparison.quarantine.walk)!a}: {said}")
    return comparison.divergence


def is_unrepeatable(finding: Divergence) -> bool:
    """Whether it did not come back when it was asked alone: agreeing now does not mean that it is fixed."""
    return finding.notes.get("shrunk") == NOT_REPRODUCED


def witness_specs(texts: Iterable[str], *, subject: str) -> tuple[str, ...]:
    """The witnesses a finding names, which writes several as one text; a default where it needed none."""
    specs = [spec.strip() for text in texts for spec in text.split(", ")]
    named = tuple(dict.fromkeys(spec for spec in specs if spec and spec != NO_WITNESS))
    return named or (("stockfish",) if subject == "python-chess" else ("python-chess",))


def depth_for(facet: Facet | None, told: object = None) -> int:
    """How deep to count for a finding of this facet; `told` is what it says of its own depth.

    Only a wrong count must be counted again; anything else that was met in counting, such as a crash, says so.
    """
    if type(told) is not int or told < 2:
        return PERFT_DEPTH if facet is Facet.PERFT else 0
    if told > DEEPEST:
        # A file may say anything; counting less than it says would call a living bug fixed.
        raise InputError(f"counting {told} plies deep at every position would take for ever: {DEEPEST} is the most")
    return told


def tell(divergence: Divergence) -> str:
    """A divergence as plain text: the board, both answers, the sentence, what to paste."""
    from rich.console import Console

    from refute.report.terminal import print_divergence

    page = io.StringIO()
    print_divergence(divergence, Console(file=page, width=WIDTH, markup=False, emoji=False, highlight=False))
    lines = [line.rstrip() for line in page.getvalue().splitlines()]
    return "\n".join([str(divergence.signature), *lines])


def _facet(facet: str | None) -> Facet | None:
    try:
        return None if facet is None else Facet(facet)
    except ValueError:
        raise InputError(f"{quote(facet or '')} is not a facet: expected one of {', '.join(Facet)}") from None


def _open(spec: str) -> Engine:
    if spec not in _engines:
        _engines[spec] = open_engine(spec)
    return _engines[spec]


def close_engines() -> None:
    """Close what `find` opened; the next call opens anew."""
    while _engines:
        _engines.popitem()[1].close()


atexit.register(close_engines)
