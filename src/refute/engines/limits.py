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
def interrupted_after(seconds: float, *, of_processor: bool = False) -> Iterator[None]:
    """Raise TimeUp in the block after so many seconds; where there are no such timers, it is not limited.

    Processor time is not spent by what else the machine is doing, nor by waiting.
    Code that never comes back to Python cannot be interrupted; only whoever started this process can end it.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signalled: int, frame: FrameType | None) -> None:
        raise TimeUp

    timer, number, clock = (
        (signal.ITIMER_PROF, signal.SIGPROF, time.process_time)
        if of_processor
        else (signal.ITIMER_REAL, signal.SIGALRM, time.monotonic)
    )
    before = signal.signal(number, stop)
    began = clock()
    earlier = (0.0, 0.0)
    try:
        earlier = signal.setitimer(timer, max(seconds, 1e-6), AGAIN)
        try:
            yield
        finally:
            signal.setitimer(timer, 0)
    finally:
        signal.signal(number, before)
        if earlier[0] > 0:
            # Somebody else's timer, such as that of a test runner, goes on as if nothing had been.
            signal.setitimer(timer, max(earlier[0] - (clock() - began), 1e-6), earlier[1])


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
