"""The first words with a UCI engine: its greeting, and which of our questions it understands."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Final

from refute.engines.process import Misbehaved, Process
from refute.engines.protocol import Trouble
from refute.engines.uci_text import Reading, transcript
from refute.errors import EngineError, quote
from refute.walk import START_FEN

GREETING_BYTES: Final = 1 << 20
GREETING_SECONDS = 10.0  # loading a network takes its time, however quick the answers after it
PROBE_SECONDS: Final = 3.0  # for an engine that does not know `go perft` and searches instead
SHOWN_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class Dialect:
    """What an engine's greeting and a first look at it tell."""

    version: str
    has_chess960: bool
    label: bytes | None = None  # how it names the total of `go perft`; None when it prints no divide
    why_uncounted: str = ""  # what it did instead
    shows_fen: bool = False
    calm: bytes | None = None  # what `Checkers:` says without a check; None when there is no such line


def greet(process: Process, name: str) -> Dialect:
    """Say `uci` and wait for `uciok` and `readyok`; raises EngineError on anything that is not UCI."""
    received = bytearray()
    try:
        lines = _until(process, b"uci\n", b"uciok", received)
        _until(process, b"isready\n", b"readyok", received)
    except Misbehaved as trouble:
        said = transcript([], bytes(received) + process.unfinished, process.complaints)[-SHOWN_LINES:]
        raise EngineError(
            f"{name} is not a UCI engine: asked 'uci' and 'isready', it {trouble.text}"
            + (f"; it said {' / '.join(quote(line[2:]) for line in said)}" if said else "")
            + ". Give a program that speaks UCI on its standard input and output"
        ) from None
    process.send(b"ucinewgame\n")
    version = next((line[len("id name ") :] for line in lines if line.startswith("id name ")), "")
    return Dialect(
        version=version.strip()[:100] or "unknown",
        has_chess960=any(line.split()[:3] == ["option", "name", "UCI_Chess960"] for line in lines),
    )


def probe_counting(process: Process, dialect: Dialect, *, timeout: float) -> Dialect:
    """Find out whether it divides on `go perft 1`; raises Misbehaved if the process is of no use after it."""
    reading, seconds = Reading(counting=True), min(timeout, PROBE_SECONDS)
    try:
        _ask(process, b"go perft 1\n", reading, seconds)
    except Misbehaved as trouble:
        raise Misbehaved(trouble.trouble, _why_uncounted(reading, trouble, seconds)) from None
    if not reading.counts:
        raise Misbehaved(Trouble.GARBAGE, "it searched instead, and said a best move")
    count = reading.counts[0]
    if not count.codes:
        return replace(dialect, why_uncounted="it counted no move at all")
    if sum(count.nodes) != count.total:
        text = f"its lines add up to {sum(count.nodes)}, and it says {count.total} in all"
        return replace(dialect, why_uncounted=text)
    return replace(dialect, label=reading.label)


def _why_uncounted(reading: Reading, trouble: Misbehaved, seconds: float) -> str:
    """What an engine did that was told to count, for its author to mend."""
    if trouble.trouble is not Trouble.TIMEOUT:
        return f"it {trouble.text}"
    if reading.listed:
        end = f"end with a line such as 'Nodes searched: {reading.listed}'"
        return f"it listed {reading.listed} moves, and no total after them; {end}"
    if reading.lone_total is not None:
        return f"it gave a total of {reading.lone_total}, and no line such as 'e2e4: 1' for each move before it"
    if reading.ready:
        return "it answered 'isready', and counted nothing"
    return f"it said nothing for {seconds:g} s; does it search instead?"


def probe_display(process: Process, dialect: Dialect, *, timeout: float) -> Dialect:
    """Find out what `d` shows; raises Misbehaved if the process is of no use after it."""
    reading = _ask(process, b"d\n", Reading(counting=False), min(timeout, PROBE_SECONDS))
    if not reading.displays:
        raise Misbehaved(Trouble.GARBAGE, "searched instead of showing its board")
    display = reading.displays[0]
    shows_fen = display.fen is not None and len(display.fen.split()) == 6
    return replace(dialect, shows_fen=shows_fen, calm=display.checkers)


def _ask(process: Process, command: bytes, reading: Reading, seconds: float) -> Reading:
    process.send(b"position fen " + START_FEN.encode() + b"\n" + command + b"isready\n")
    deadline = time.monotonic() + seconds
    taken = 0
    while not reading.is_complete(1) and not reading.has_best_move:
        chunk = process.receive(deadline)
        reading.feed(chunk)
        taken += len(chunk)
        if taken > GREETING_BYTES:
            raise Misbehaved(Trouble.GARBAGE, "printed without end")
    return reading


def _until(process: Process, command: bytes, last: bytes, received: bytearray) -> list[str]:
    process.send(command)
    deadline = time.monotonic() + GREETING_SECONDS
    lines: list[bytes] = []
    size = 0
    while last not in lines:
        chunk = process.receive(deadline)
        size += len(chunk)
        received += chunk
        del received[:-4096]
        lines += [line.strip() for line in chunk.splitlines()]
        if command.strip() in lines:
            raise Misbehaved(Trouble.GARBAGE, "only repeats what it is told")
        if size > GREETING_BYTES:
            raise Misbehaved(Trouble.GARBAGE, f"printed over {GREETING_BYTES} bytes without {last.decode()!r}")
    return [line.decode("utf-8", "replace") for line in lines]
