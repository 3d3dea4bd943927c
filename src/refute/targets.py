"""What is to be run again: `.walk` files and `position` commands, and the engines these may name."""

from __future__ import annotations

import dataclasses
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from refute.board import fen
from refute.compare import Comparer
from refute.divergence import Divergence
from refute.engines.protocol import Engine
from refute.engines.spec import open_engine
from refute.errors import InputError, WalkError, quote
from refute.finding import read_finding, read_walk
from refute.regression import depth_for, witness_specs
from refute.walk import Walk

SAFE: Final = ("own", "own:pure", "python-chess", "stockfish")
DEFAULT_SUBJECT: Final = "own"


@dataclasses.dataclass(frozen=True, slots=True)
class Target:
    """One thing to run again: a walk, and what its file says of it if it has one."""

    name: str
    walk: Walk
    finding: Divergence | None = None
    path: Path | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Wish:
    """Which engines are asked for; empty means those the file names."""

    engine: str | None
    against: tuple[str, ...]
    trust: bool
    timeout: float
    depth: int | None = None  # how deep to count; a user may ask for what a file may not


def read_target(text: str, *, chess960: bool) -> Target:
    """A `position` command or the path of a `.walk` file; raises InputError naming the fault."""
    if text.split(" ", 1)[0] == "position":
        walk = read_walk(text, chess960=chess960)
        target = Target(text, walk)
    else:
        path = _file(text)
        finding = read_finding(path)
        walk = finding.walk
        target = Target(text, walk, finding, path)
    # python-chess reads more than a position; whatever it made of the rest, engines would make something else.
    fen.parse(walk.fen, chess960=walk.chess960)
    return target


def _file(text: str) -> Path:
    path = Path(text)
    # Reading a pipe or a device could wait for ever.
    if "\0" in text or (path.exists() and not path.is_file()):
        raise WalkError(f"{quote(text)} is not a file")
    return path


class Engines:
    """Engines by SPEC, each opened once, and none that only a file asks for unless it is harmless or trusted."""

    def __init__(self, wish: Wish) -> None:
        self.wish = wish
        self._stack = ExitStack()
        self._open: dict[str, Engine] = {}

    def __enter__(self) -> Engines:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def comparer(self, target: Target) -> Comparer:
        """The subject and witnesses for one target."""
        finding = target.finding
        named = finding.subject if finding is not None else DEFAULT_SUBJECT
        subject = self.wish.engine or self._allowed(named, target, "--engine SPEC")
        if self.wish.against:
            specs = witness_specs(self.wish.against, subject=subject)
        else:
            texts = [finding.witness] if finding is not None else []
            specs = tuple(
                self._allowed(spec, target, "--against SPEC") for spec in witness_specs(texts, subject=subject)
            )
        depth = self.wish.depth
        if depth is None:
            told = finding.notes.get("depth") if finding is not None else None
            depth = depth_for(finding.facet if finding is not None else None, told)
        witnesses = [self._engine(spec) for spec in specs]
        return Comparer(self._engine(subject), witnesses, depth=depth, chess960=target.walk.chess960)

    def _allowed(self, spec: str, target: Target, option: str) -> str:
        # A file may come from anyone: it must not choose which program runs, or what is imported.
        if self.wish.trust or spec in SAFE or spec.startswith("fault:"):
            return spec
        raise InputError(
            f"{quote(target.name)} names the engine {quote(spec)}, and a file does not start programs by itself: "
            f"add {option}, or --trust if you know the file"
        )

    def _engine(self, spec: str) -> Engine:
        if spec not in self._open:
            self._open[spec] = self._stack.enter_context(open_engine(spec, timeout=self.wish.timeout))
        return self._open[spec]
