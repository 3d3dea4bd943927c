"""An engine examined before it is hunted: what it can say, what will be compared, and whether it seems right.

SPEC ──▶ engine ──▶ abilities, dialect, speed
            └────▶ Comparer with the witnesses of a hunt ──▶ checks and skips ──▶ a few probes
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from refute.board import is_compiled
from refute.compare import Comparer, Skip, counts_quickly
from refute.divergence import Divergence, Facet
from refute.engines.process import Misbehaved, Process
from refute.engines.protocol import Ability, Engine, Fault, Question
from refute.engines.spec import find_stockfish, open_engine
from refute.engines.uci import UciEngine, split_command
from refute.engines.uci_probe import greet
from refute.engines.uci_text import transcript
from refute.errors import EngineError, InputError
from refute.hunter import default_witnesses
from refute.walk import START_FEN, Walk
from refute.walking import walk_number

TIMES_ASKED: Final = 5
HEARING_SECONDS: Final = 2.0
HEARD_LINES: Final = 8
SMOKE_SEED: Final = 1
SMOKE_WALKS: Final = 5
SMOKE_PLIES: Final = 24  # a walk of two hundred plies would keep a slow engine busy for minutes
POSITIONS: Final = {
    "start position, 20 moves": START_FEN,
    "Kiwipete, 48 moves": "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "en passant in a FEN, 31 moves": "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
}
# The names under which checks are known: numbers are how a FEN is compared where everyone has them.
NAMES: Final = {Ability.NUMBERS: "fen", Ability.STATE: "invariants, restore, null"}


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing tried: a divergence, a disagreement of the witnesses, or all well."""

    name: str
    divergence: Divergence | None = None
    remark: str = ""


@dataclass(slots=True)
class Examination:
    """Everything found out about an engine."""

    engine: str
    version: str
    dialect: str
    abilities: tuple[str, ...]
    lacks: dict[str, str]
    board: str  # how the own board runs here: "compiled" or "interpreted"
    stockfish: str | None  # its path
    milliseconds: float | None = None  # for a question of depth 1; None when it cannot be asked
    witnesses: dict[str, str] = field(default_factory=dict)  # name: version
    absent: dict[str, str] = field(default_factory=dict)  # witnesses that cannot be started, and why
    checks: dict[str, tuple[str, ...]] = field(default_factory=dict)  # what will be compared, and with whom
    skipped: tuple[Skip, ...] = ()
    probes: tuple[Probe, ...] = ()
    heard: tuple[str, ...] = ()  # what a UCI engine without a divide printed when asked for one
    obstacle: str = ""  # why it cannot be hunted

    @property
    def has_moves(self) -> bool:
        return Ability.MOVES in self.abilities

    @property
    def is_uci(self) -> bool:
        return self.dialect.startswith("UCI")

    @property
    def can_be_hunted(self) -> bool:
        return not self.obstacle

    @property
    def is_refuted(self) -> bool:
        return any(probe.divergence is not None for probe in self.probes)


def examine(spec: str, *, timeout: float = 10.0) -> Examination:
    """Start an engine and find out what a hunt would do with it; raises what `open_engine` raises."""
    with ExitStack() as stack:
        subject = stack.enter_context(open_engine(spec, timeout=timeout))
        found = Examination(
            engine=spec,
            version=subject.version,
            dialect=describe(subject),
            abilities=tuple(ability.value for ability in Ability if ability in subject.abilities),
            lacks={ability.value: _why(subject, ability) for ability in Ability if ability not in subject.abilities},
            board="compiled" if is_compiled() else "interpreted",
            stockfish=_stockfish(),
        )
        if not found.has_moves:
            found.obstacle = f"it does not say its moves, because {found.lacks[Ability.MOVES]}"
            if isinstance(subject, UciEngine):
                found.heard = overhear(spec)
            return found
        found.milliseconds = _time(subject)
        specs, skipped = default_witnesses(spec)
        witnesses = []
        for name in specs:
            try:
                witnesses.append(stack.enter_context(open_engine(name, timeout=timeout)))
            except EngineError as error:
                found.absent[name] = str(error)
        found.witnesses = {witness.name: witness.version for witness in witnesses}
        try:
            comparer = Comparer(subject, witnesses, depth=2 if any(map(counts_quickly, witnesses)) else 0)
        except InputError as error:
            found.obstacle = str(error)
            return found
        found.checks = _checks(comparer)
        found.skipped = (*skipped, *comparer.skipped)
        if "perft" not in {*found.checks, *(skip.check for skip in found.skipped)}:
            names = ", ".join(found.witnesses)
            found.skipped += (
                Skip("perft", f"{names} would count slowly; `refute hunt --depth 2` does it all the same"),
            )
        found.probes = tuple(_smoke(comparer))
    return found


def describe(engine: Engine) -> str:
    """How the engine is spoken to, and which of our questions it understands."""
    if not isinstance(engine, UciEngine):
        return "in this process"
    understood = {
        "`go perft`": Ability.PERFT in engine.abilities,
        "`d` with its FEN": Ability.FEN in engine.abilities,
        "`d` with checkers": Ability.CHECK in engine.abilities,
        "UCI_Chess960": Ability.CHESS960 in engine.abilities,
    }
    return ", ".join(["UCI", *(name for name, is_so in understood.items() if is_so)])


def overhear(spec: str) -> tuple[str, ...]:
    """What a UCI engine prints for `go perft 1`, for its author to see; at most a few lines."""
    received = bytearray()
    try:
        process = Process(split_command(spec.strip().removeprefix("uci:")))
    except EngineError:
        return ()
    try:
        greet(process, spec)
        process.send(b"position startpos\ngo perft 1\nisready\n")
        deadline = time.monotonic() + HEARING_SECONDS
        while b"readyok" not in received and len(received) < 4096:
            received += process.receive(deadline)
    except (Misbehaved, EngineError):
        received += process.unfinished
    finally:
        complaints = process.complaints
        process.close()
    heard = transcript([], bytes(received[:4096]), complaints)
    return tuple(line for line in heard if "readyok" not in line)[:HEARD_LINES]


def _stockfish() -> str | None:
    try:
        return find_stockfish()
    except EngineError:
        return None


def _why(engine: Engine, ability: Ability) -> str:
    lacks: dict[Ability, str] = getattr(engine, "lacks", {})
    return lacks.get(ability, "it does not say")


def _time(engine: Engine) -> float | None:
    """Milliseconds for the moves of the start position, as they usually are; None where it does not say them."""
    question = Question(frozenset({Ability.MOVES}))
    times = []
    for _ in range(TIMES_ASKED):
        started = time.perf_counter()
        said = engine.at([Walk(START_FEN)], question)[0]
        if isinstance(said, Fault):
            return None
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def _checks(comparer: Comparer) -> dict[str, tuple[str, ...]]:
    """What a hunt compares, and with whom; what the engine examines by itself has nobody."""
    checks: dict[str, tuple[str, ...]] = {}
    asked = list(zip(comparer.witnesses, comparer.questions, strict=True))
    for ability in Ability:
        if ability in comparer.question.asks:
            names = (witness.name for witness, question in asked if ability in question.asks)
            checks[NAMES.get(ability, ability.value)] = tuple(names)
    return checks


def _smoke(comparer: Comparer) -> Iterator[Probe]:
    """The positions with everything a hunt asks; the walks with the moves alone, and one witness."""
    for name, fen in POSITIONS.items():
        probe = _probe(name, comparer, [Walk(fen)])
        yield probe
        if probe.divergence is not None and probe.divergence.facet is Facet.TIMEOUT:
            return  # each of the others might be waited for as long
    quick = Comparer(comparer.subject, comparer.witnesses[:1])
    walks = [walk_number(SMOKE_SEED, number).prefix(SMOKE_PLIES) for number in range(SMOKE_WALKS)]
    yield _probe(f"{SMOKE_WALKS} walks beside {quick.witnesses[0].name}", quick, walks)


def _probe(name: str, comparer: Comparer, walks: Sequence[Walk]) -> Probe:
    for walk in walks:
        comparison = comparer.compare(walk)
        if comparison.divergence is not None:
            return Probe(name, comparison.divergence)
        if comparison.quarantine is not None:
            said = "; ".join(f"{witness}: {answer}" for witness, answer in comparison.quarantine.answers)
            return Probe(name, remark=f"the witnesses disagree: {said}")
    return Probe(name)
