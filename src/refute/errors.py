"""Every exception refute raises on purpose.

RefuteError
├── InputError            what the user gave cannot be used: exit code 2
│   ├── FenError          .field names the FEN field at fault
│   ├── MoveError         a move text or number that is not a move of the position
│   ├── EpdError          a perft suite line
│   ├── WalkError         a `.walk` file or a `position` command
│   └── SpecError         an engine SPEC, or a description behind one
├── EngineError           an engine could not be started or greeted: exit code 2
└── BrokenInvariant       our own board caught itself: .path leads to the faulty move

An engine's *misbehaviour* while it is being questioned is never raised: it is a value
(`refute.engines.protocol.Fault`), because misbehaviour is what refute looks for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

QUOTE_LIMIT = 80


def quote(text: str) -> str:
    """Quote untrusted text for a message: printable, escaped, and never longer than a line."""
    shown = ascii(text)
    if len(shown) > QUOTE_LIMIT:
        return f"{shown[: QUOTE_LIMIT - 1]}…' ({len(text)} characters)"
    return shown


class RefuteError(Exception):
    """The root of everything refute raises on purpose."""


class InputError(RefuteError, ValueError):
    """What the user gave cannot be used."""


class FenError(InputError):
    """A FEN that is malformed or describes an impossible position."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"FEN {field}: {message}")
        self.field = field
        self.message = message

    def __reduce__(self) -> tuple[type[FenError], tuple[str, str]]:
        return FenError, (self.field, self.message)


class MoveError(InputError):
    """A move text or number that is not a move of the position."""


class EpdError(InputError):
    """A perft suite line that cannot be read."""


class WalkError(InputError):
    """A `.walk` file or a `position` command that cannot be read."""


class SpecError(InputError):
    """An engine SPEC that names nothing we can start."""


class EngineError(RefuteError):
    """An engine that could not be started or did not introduce itself."""


class BrokenInvariant(RefuteError):
    """Our own board caught itself in a state that must not be.

    `stage` is "make", "unmake", "null", "unmake null" or "generate"; `path` is the moves (as 16-bit
    numbers) that lead from the position asked to the faulty move, that move last. `number` is the
    broken invariant's, 0 when every invariant holds but something was not restored.
    """

    def __init__(self, stage: str, message: str, path: Sequence[int] = (), *, number: int = 0) -> None:
        super().__init__(message)
        self.stage = stage
        self.message = message
        self.path = tuple(path)
        self.number = number

    def __reduce__(self) -> tuple[Callable[..., BrokenInvariant], tuple[Any, ...]]:
        return _broken_invariant, (self.stage, self.message, self.path, self.number)

    def __str__(self) -> str:
        return self.message if self.stage == "generate" else f"after {self.stage}: {self.message}"


def _broken_invariant(stage: str, message: str, path: Sequence[int], number: int) -> BrokenInvariant:
    """Unpickle: errors travel between processes."""
    return BrokenInvariant(stage, message, path, number=number)
