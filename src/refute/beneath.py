"""What lies beneath a crash: an engine that counts ahead plays its own wrong moves, and may well die of it.

crash at a walk ──▶ the moves alone, there and one move on ──▶ the wrong list, or the crash as it is
"""

from __future__ import annotations

from dataclasses import replace

from refute.compare import Comparer
from refute.divergence import Divergence, Facet
from refute.engines.protocol import Ability, Answer, Question
from refute.explain import board_after

MOVES = Question(frozenset({Ability.MOVES}))


def beneath(found: Divergence, comparer: Comparer) -> Divergence:
    """The wrong move list that a crash comes from; the finding as it is where there is none, or no crash."""
    board = board_after(found.walk) if found.facet is Facet.CRASH else None
    witness = next((one for one in comparer.witnesses if Ability.MOVES in one.abilities), None)
    if board is None or witness is None:
        return found
    walks = [found.walk, *(found.walk.then(board.uci(move)) for move in board.legal_moves)]
    expected = witness.at(walks, MOVES)
    for walk, wanted, said in zip(walks, expected, comparer.subject.at(walks, MOVES), strict=True):
        if not isinstance(wanted, Answer) or not isinstance(said, Answer) or wanted.moves == said.moves:
            continue
        lister = Comparer(comparer.subject, [witness], chess960=walk.chess960)
        lister.question, lister.asks_by_fen = MOVES, False
        deeper = lister.compare(walk).divergence
        if deeper is not None and deeper.facet is Facet.MOVES:
            kept = {name: note for name, note in found.notes.items() if name != "trouble"}
            return replace(deeper, original=found.original, seed=found.seed, count=found.count, notes=kept)
    return found
