"""What a hunt found and how far it looked: the one value every report is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from refute.compare import Skip
from refute.divergence import Divergence, Quarantine, Signature
from refute.kept import also_of
from refute.report.text import command_for, sentence_for


@dataclass(frozen=True, slots=True)
class HuntResult:
    """What a hunt found, with what it looked at and what it could not look at."""

    subject: str
    witnesses: tuple[str, ...]
    seed: int
    walks: int
    positions: int
    nodes: int
    seconds: float
    features: dict[str, int] = field(default_factory=dict, hash=False)
    skipped: tuple[Skip, ...] = ()
    quarantined: tuple[Quarantine, ...] = ()
    divergences: tuple[Divergence, ...] = ()
    interrupted: bool = False
    versions: tuple[tuple[str, str], ...] = ()  # (engine, version) of subject and witnesses

    @property
    def is_refuted(self) -> bool:
        return bool(self.divergences)

    def groups(self) -> dict[Signature, list[Divergence]]:
        """The divergences by signature, in the order they were found."""
        groups: dict[Signature, list[Divergence]] = {}
        for divergence in self.divergences:
            groups.setdefault(divergence.signature, []).append(divergence)
        return groups

    def to_json(self) -> dict[str, Any]:
        """The object `hunt --json` prints, made of what JSON can say."""
        return {
            "subject": self.subject,
            "witnesses": list(self.witnesses),
            "seed": self.seed,
            "walks": self.walks,
            "positions": self.positions,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "versions": [list(pair) for pair in self.versions],
            "features": dict(self.features),
            "skipped": [{"check": skip.check, "why": skip.why} for skip in self.skipped],
            "quarantined": [quarantine_to_json(quarantine) for quarantine in self.quarantined],
            "divergences": [divergence_to_json(divergence) for divergence in self.divergences],
        }


def quarantine_to_json(quarantine: Quarantine) -> dict[str, Any]:
    """A disagreement of witnesses: the walk, the facet and what each of them said."""
    return {
        "fen": quarantine.walk.fen,
        "moves": list(quarantine.walk.moves),
        "chess960": quarantine.walk.chess960,
        "facet": str(quarantine.facet),
        "answers": [{"witness": witness, "answer": answer} for witness, answer in quarantine.answers],
    }


def divergence_to_json(divergence: Divergence) -> dict[str, Any]:
    """One divergence: `fen` and `moves` are the shrunk walk, and the divergence is at its end."""
    original = divergence.original
    return {
        "fen": divergence.walk.fen,
        "moves": list(divergence.walk.moves),
        "chess960": divergence.walk.chess960,
        "facet": str(divergence.facet),
        "verdict": str(divergence.verdict),
        "kind": divergence.kind,
        "signature": str(divergence.signature),
        "count": divergence.count,
        "also": also_of(divergence),
        "shrunk": divergence.notes.get("shrunk"),
        "subject": divergence.subject,
        "witness": divergence.witness,
        "move": divergence.move,
        "missing": list(divergence.missing),
        "extra": list(divergence.extra),
        "pieces": divergence.pieces,
        "path_dependent": divergence.path_dependent,
        "expected": divergence.expected,
        "actual": divergence.actual,
        "explanation": sentence_for(divergence),
        "command": command_for(divergence),
        "seed": divergence.seed,
        "transcript": list(divergence.transcript),
        "original": {"fen": original.fen, "moves": list(original.moves)} if original else None,
    }
