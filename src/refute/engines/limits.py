"""Time limits: for code that runs in this process, and for whole engines.

with interrupted_after(3.0): …   ──▶  TimeUp inside the block, whatever Python code it runs
with hurried(engines, until): …  ──▶  engines give up at that moment, and say CUT_SHORT where they were not to blame
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

CUT_SHORT: Final = "was cut short, for the time was over"
AGAIN: Final = 0.5  # seconds until the next interrupt, should the first be lost in some `except`


class TimeUp(BaseException):
    """The time is over. Not an Exception, so that no answer swallows it."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise TimeUp in the block after so many seconds; where there are no such timers, it is not limited.

    Code that never comes back to Python cannot be interrupted; only whoever started this process can end it.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    began = time.monotonic()
    earlier = (0.0, 0.0)
    try:
        earlier = signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6), AGAIN)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
        if earlier[0] > 0:
            # Somebody else's timer, such as that of a test runner, goes on as if nothing had been.
            signal.setitimer(signal.ITIMER_REAL, max(earlier[0] - (time.monotonic() - began), 1e-6), earlier[1])


@contextmanager
def hurried(engines: Iterable[object], until: float | None) -> Iterator[None]:
    """Let engines that wait for answers give up by then, on the clock of `time.monotonic`, if not before."""
    waiting = [engine for engine in engines if hasattr(engine, "deadline")]
    before = [engine.deadline for engine in waiting]
    try:
        for engine, earlier in zip(waiting, before, strict=True):
            engine.deadline = earlier if until is None else min(earlier, until)
        yield
    finally:
        for engine, earlier in zip(waiting, before, strict=True):
            engine.deadline = earlier
