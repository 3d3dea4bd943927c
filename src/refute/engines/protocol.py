"""The small protocol every engine speaks, whichever role it plays and whatever it is made of.

walk, question ──▶ Engine.along ──▶ one Answer (or Fault) for each position of the walk
walks, question ─▶ Engine.at    ──▶ one Answer (or Fault) for the end of each walk
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from refute.walk import Walk


class Ability(enum.StrEnum):
    """A thing an engine can answer. What it lacks is listed as skipped, never counted as passed."""

    MOVES = "moves"  # the legal moves
    PERFT = "perft"  # perft counts, divided by root move
    FEN = "fen"  # the position as a FEN
    NUMBERS = "numbers"  # the position as a tuple of numbers, where a FEN would cost more than all the rest
    CHECK = "check"  # whether the side to move is in check
    OUTCOME = "outcome"  # how the game ended, if it did
    KEY = "key"  # a hash key that equal positions share
    STATE = "state"  # validates, re-hashes and restores itself: yields complaints
    CHESS960 = "chess960"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked at each position: any set of abilities, and how deep perft goes."""

    asks: frozenset[Ability]
    depth: int = 0  # perft depth; 0 asks for none, because `go perft 0` is an endless search elsewhere
    only_taken_back: bool = False  # of `state`, only whether the whole walk can be taken back from its end


@dataclass(frozen=True, slots=True)
class Complaint:
    """What an engine that examines itself (ability `state`) found wrong at one position."""

    facet: str  # a divergence.Facet value: "invariants", "key", "restore" or "null"
    verdict: str  # a divergence.Verdict value: "make", "unmake" or "hash"
    move: str | None  # the UCI move whose make or unmake shows it; None when the position itself is wrong
    text: str
    kind: str | None = None  # of all the moves that show it ("castle", "any move"); None: the kind of `move`


@dataclass(slots=True)
class Answer:
    """What an engine said of one position; None where it was not asked or cannot say.

    `moves` are codes (`refute.board.move.encode_uci`), sorted, duplicates kept.
    """

    moves: Sequence[int] | None = None
    divide: dict[int, int] | None = None  # code → nodes; their sum is the perft count
    fen: str | None = None  # en passant square only when a legal capture exists
    numbers: tuple[int, ...] | None = None  # as `Position.numbers` orders them
    check: bool | None = None
    outcome: str | None = None  # "" while the game goes on
    key: int | None = None
    complaint: Complaint | None = None


class Trouble(enum.StrEnum):
    """How an engine misbehaves."""

    CRASH = "crash"  # it died, closed its pipe, or raised
    TIMEOUT = "timeout"  # it gave no answer in time
    GARBAGE = "garbage"  # it answered something that is not an answer
    MISCOUNT = "miscount"  # its total is not the sum of its own divide
    ASTRAY = "astray"  # it answered for another position than the one asked


@dataclass(slots=True)
class Fault:
    """An engine's misbehaviour as a value, with the last lines of what was said."""

    trouble: Trouble
    text: str
    transcript: tuple[str, ...] = ()


class Engine(Protocol):
    """Anything that answers questions about positions."""

    @property
    def name(self) -> str:
        """The SPEC it was made from, as it is shown to people."""

    @property
    def version(self) -> str:
        """What it says of its own version."""

    @property
    def abilities(self) -> frozenset[Ability]:
        """What it can answer."""

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        """Answer at every position of the walk, reached by its moves: len(walk) + 1 answers.

        Answers after a Fault may be missing: the list ends with the first Fault.
        """

    def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        """Answer at the end of each walk, each from a fresh start: exactly len(walks) answers."""

    def close(self) -> None:
        """Let go of processes; closing twice is harmless."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...
