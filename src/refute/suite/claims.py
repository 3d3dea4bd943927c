"""The claims a suite makes of an engine, and which of them a finding refutes: exactly one.

Divergence ──claim_of──▶ the name of a test
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from refute.divergence import Divergence, Facet, Verdict
from refute.engines.protocol import Ability


@dataclass(frozen=True, slots=True)
class Claim:
    """One test of the suite: it is checked when any of its abilities is asked for."""

    test: str
    check: str = ""  # as a comparer lists it when it is skipped
    asks: frozenset[Ability] = frozenset()  # empty: it is checked whatever is asked


_SELF: Final = "invariants, restore, null"

MOVES: Final = Claim("test_moves_match", "moves", frozenset({Ability.MOVES}))
PERFT: Final = Claim("test_perft_matches", "perft", frozenset({Ability.PERFT}))
PATH: Final = Claim("test_path_equals_fen", "moves", frozenset({Ability.MOVES}))
CHECK: Final = Claim("test_check_matches", "check", frozenset({Ability.CHECK}))
READING: Final = Claim("test_fen_is_read_and_written_right", "fen", frozenset({Ability.FEN, Ability.NUMBERS}))
FEN: Final = Claim("test_fen_after_each_move_matches", "fen", frozenset({Ability.FEN, Ability.NUMBERS}))
OUTCOME: Final = Claim("test_outcome_matches", "outcome", frozenset({Ability.OUTCOME}))
KEY: Final = Claim("test_key_matches_position", "key", frozenset({Ability.KEY}))
RESTORE: Final = Claim("test_unmake_restores", _SELF, frozenset({Ability.STATE}))
INVARIANTS: Final = Claim("test_invariants_hold", _SELF, frozenset({Ability.STATE}))
NULL: Final = Claim("test_null_move_restores", _SELF, frozenset({Ability.STATE}))
SURVIVES: Final = Claim("test_survives")
CHESS960: Final = Claim("test_chess960", "chess960")
PUBLISHED: Final = Claim("test_published_perft_counts")

CLAIMS: Final = {
    claim.test: claim
    for claim in (
        MOVES, PERFT, PATH, CHECK, READING, FEN, OUTCOME, KEY, RESTORE, INVARIANTS, NULL, SURVIVES, CHESS960, PUBLISHED,
    )
}  # fmt: skip

_BY_FACET: Final = {
    Facet.MOVES: MOVES,
    Facet.PERFT: PERFT,
    Facet.FEN: FEN,
    Facet.CHECK: CHECK,
    Facet.OUTCOME: OUTCOME,
    Facet.KEY: KEY,
    Facet.RESTORE: RESTORE,
    Facet.INVARIANTS: INVARIANTS,
    Facet.NULL: NULL,
    Facet.CRASH: SURVIVES,
    Facet.TIMEOUT: SURVIVES,
}

# The positions most engines' authors know by heart, with the counts everyone agrees on.
PUBLISHED_COUNTS: Final = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D3 8902 ;D4 197281",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 ;D1 48 ;D2 2039 ;D3 97862",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D1 14 ;D2 191 ;D3 2812 ;D4 43238 ;D5 674624",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1 ;D1 6 ;D2 264 ;D3 9467 ;D4 422333",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8 ;D1 44 ;D2 1486 ;D3 62379",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10 ;D1 46 ;D2 2079 ;D3 89890",
)


def claim_of(found: Divergence) -> Claim:
    """The one claim a finding refutes: the most particular, so that what fails says where to look."""
    told = found.notes.get("claim")
    if isinstance(told, str) and told in CLAIMS:
        return CLAIMS[told]
    if found.walk.chess960:
        return CHESS960
    if found.facet in (Facet.MOVES, Facet.CHECK) and found.verdict in (Verdict.MAKE, Verdict.FEN):
        return PATH
    if found.facet is Facet.FEN and found.verdict is Verdict.FEN:
        return READING
    return _BY_FACET[found.facet]
