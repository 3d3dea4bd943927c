"""One persistent child process spoken to in lines: no shell between, and no full pipe that blocks."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from typing import Final

from refute.engines.protocol import Trouble
from refute.errors import EngineError, quote

DEFAULT_TIMEOUT: Final = 10.0  # seconds of silence while an answer is due
PIPE_BYTES: Final = 1 << 20  # asked of the kernel; what it grants only decides how far a batch runs ahead
LONGEST_LINE: Final = 1 << 16
CHUNK_BYTES: Final = 1 << 18
STDERR_BYTES: Final = 4096  # of the end of stderr; the rest is read and forgotten
STDERR_READS: Final = PIPE_BYTES // CHUNK_BYTES + 1  # enough to empty the pipe a dead process left
LAST_WORDS: Final = 0.5  # seconds for a process whose output ended to die by itself and leave its exit status


class Misbehaved(Exception):
    """An engine's misbehaviour on its way to becoming a Fault; it never leaves this package."""

    def __init__(self, trouble: Trouble, text: str) -> None:
        super().__init__(text)
        self.trouble = trouble
        self.text = text


class Process:
    """A child in a session of its own, gone with everything it started when closed, dropped or at exit."""

    def __init__(self, argv: Sequence[str]) -> None:
        try:
            self._child = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise EngineError(f"cannot start {quote(argv[0])}: {_why_not_started(error, argv[0])}") from None
        self._finalizer = weakref.finalize(self, _end, self._child, os.getpid())
        child = self._child
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in (child.stdin, child.stdout, child.stderr))
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
            _widen(descriptor)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._unsent = bytearray()
        self._hears = True  # its stdin is open
        self._errors = bytearray()
        self._tail = b""  # the line not yet ended

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def is_open(self) -> bool:
        """Not closed by us; whether the child still lives is for `receive` to find out."""
        return self._finalizer.alive

    @property
    def unfinished(self) -> bytes:
        """What it has said of a line not yet ended."""
        return self._tail

    @property
    def complaints(self) -> bytes:
        """The end of its stderr, as far as it was read."""
        return bytes(self._errors)

    def send(self, data: bytes) -> None:
        """Write what fits now; the rest goes out during `receive`. Never blocks, never raises."""
        self._unsent += data
        self._flush()

    def receive(self, deadline: float) -> bytes:
        """The next whole lines it says, newline last; raises Misbehaved if it dies or `deadline` passes.

        `deadline` is on the clock of `time.monotonic`.
        """
        while True:
            if self._unsent:
                self._flush()
            lines = self._read_lines()
            if lines:
                return lines
            left = deadline - time.monotonic()
            if left <= 0:
                raise Misbehaved(Trouble.TIMEOUT, "gave no answer in time")
            for key, _ in self._selector.select(left):
                if key.fd == self._stderr:
                    self._read_errors()

    def close(self) -> None:
        """Kill the process and all of its group; closing twice is harmless."""
        self._selector.close()
        self._finalizer()

    def _flush(self) -> None:
        try:
            while self._unsent and self._hears:
                del self._unsent[: os.write(self._stdin, self._unsent)]
        except BlockingIOError:
            if self._stdin not in self._selector.get_map():
                self._selector.register(self._stdin, selectors.EVENT_WRITE)
            return
        except OSError:
            # It no longer listens, but what it said before may still be in the pipe: read on to the end.
            self._hears = False
        self._unsent.clear()
        if self._stdin in self._selector.get_map():
            self._selector.unregister(self._stdin)

    def _read_lines(self) -> bytes:
        try:
            chunk = os.read(self._stdout, CHUNK_BYTES)
        except BlockingIOError:
            return b""
        if not chunk:
            raise Misbehaved(Trouble.CRASH, self._how_it_ended())
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            self._tail += chunk
            if len(self._tail) > LONGEST_LINE:
                raise Misbehaved(Trouble.GARBAGE, f"printed a line of over {LONGEST_LINE} bytes")
            return b""
        lines = self._tail + chunk[:cut]
        self._tail = chunk[cut:]
        return lines

    def _read_errors(self) -> None:
        try:
            chunk = os.read(self._stderr, CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self._selector.unregister(self._stderr)
        self._errors += chunk
        del self._errors[:-STDERR_BYTES]

    def _how_it_ended(self) -> str:
        try:
            status = self._child.wait(LAST_WORDS)
        except subprocess.TimeoutExpired:
            return "closed its output, though it still runs"
        # Bounded, because something it started may still be writing.
        for _ in range(STDERR_READS):
            if self._stderr in self._selector.get_map():
                self._read_errors()
        if status >= 0:
            return f"exited with status {status}"
        try:
            return f"died of signal {-status} ({signal.Signals(-status).name})"
        except ValueError:
            return f"died of signal {-status}"


def _end(child: subprocess.Popen[bytes], owner: int) -> None:
    # A forked copy of us inherits the finalizer, but not the right to kill what its parent still talks to.
    if os.getpid() != owner:
        return
    # The child leads its group; the group outlives it if a wrapper script left its engine behind.
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
    child.wait()


def _widen(descriptor: int) -> None:
    """Ask for a larger pipe, so that a batch may run ahead of us; the usual 64 KiB also works."""
    command = getattr(fcntl, "F_SETPIPE_SZ", None)
    if command is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, command, PIPE_BYTES)


def _why_not_started(error: OSError | ValueError, program: str) -> str:
    if isinstance(error, FileNotFoundError):
        if os.path.isfile(program):
            return "the program that its first line names is not there"
        return "no such program; give its path, or put it on PATH"
    if isinstance(error, PermissionError):
        return "it may not be executed; is it a program, and is its execute permission set (chmod +x)?"
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        return "it is not a program; a script needs a first line such as #!/usr/bin/env python3"
    return str(error)
