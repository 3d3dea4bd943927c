"""A divergence: the first place on a walk where two answers differ, and whose fault it is."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from refute.walk import Walk


class Facet(enum.StrEnum):
    """What is compared."""

    MOVES = "moves"  # as a multiset
    PERFT = "perft"
    FEN = "fen"  # after the move
    CHECK = "check"
    OUTCOME = "outcome"
    KEY = "key"
    RESTORE = "restore"
    INVARIANTS = "invariants"
    NULL = "null"
    CRASH = "crash"
    TIMEOUT = "timeout"


class Verdict(enum.StrEnum):
    """Where the fault lies."""

    MOVEGEN = "movegen"
    MAKE = "make"
    UNMAKE = "unmake"
    HASH = "hash"
    FEN = "fen"
    CRASH = "crash"
    WITNESSES_DISAGREE = "witnesses-disagree"  # quarantined, never blamed on the subject


@dataclass(frozen=True, slots=True)
class Signature:
    """What stays fixed while a finding shrinks, and what groups findings: one cause, one signature."""

    facet: Facet
    verdict: Verdict
    kind: str  # the kind of move: "en passant", "king-side castle", "promotion to n", "quiet knight", "-" …

    def __str__(self) -> str:
        return f"{self.facet}/{self.verdict}/{self.kind}"

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read what `str` wrote; raises ValueError on anything else."""
        facet, verdict, kind = text.split("/", 2)
        return cls(Facet(facet), Verdict(verdict), kind)


@dataclass(frozen=True, slots=True)
class Divergence:
    """Two answers that differ at the end of a walk.

    `expected` is what the witness said and `actual` what the subject said, as text to be shown.
    For the facet `moves`, `missing` and `extra` are the subject's errors as UCI texts (a duplicate
    is an extra); for others they are empty. `move` is the divergent move itself when there is one:
    the missing or extra move, or the move whose make, unmake or key is wrong. It is *not* part of
    the walk unless the fault shows only after it was made; then it is also the walk's last move.
    """

    walk: Walk
    facet: Facet
    verdict: Verdict
    kind: str
    subject: str
    witness: str
    expected: str
    actual: str
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    move: str | None = None
    path_dependent: bool = False  # the FEN alone does not show it
    expected_moves: tuple[str, ...] = ()  # the witness's whole list, when moves were compared
    actual_moves: tuple[str, ...] = ()
    transcript: tuple[str, ...] = ()  # the last lines exchanged with a subject that crashed or hung
    versions: tuple[tuple[str, str], ...] = ()  # (engine, version) of subject and witnesses
    seed: int | None = None
    count: int = 1  # how many walks showed this signature
    explanation: str = ""  # one sentence: what is special about the move
    original: Walk | None = None  # the walk as found, before shrinking
    notes: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def signature(self) -> Signature:
        return Signature(self.facet, self.verdict, self.kind)

    @property
    def pieces(self) -> int:
        """Men on the board where the walk starts."""
        return sum(letter.isalpha() for letter in self.walk.fen.split(" ", 1)[0])


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A position on which two witnesses disagree; the subject is not blamed for it."""

    walk: Walk
    facet: Facet
    answers: tuple[tuple[str, str], ...]  # (witness, what it said)
