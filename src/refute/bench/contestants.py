"""Contestants of a benchmark: processes at the end of a pipe, all timed alike.

The clock runs from writing the question to reading the last line of the answer.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

import refute
from refute.bench import Lap
from refute.board import is_compiled
from refute.board.copies import wants_pure
from refute.engines.spec import find_stockfish
from refute.errors import EngineError

HERE: Final = Path(refute.__file__).resolve().parents[1]
SLOWEST_LAP: Final = 600.0  # seconds until a contestant that does not answer is given up
SLOWEST_BUILD: Final = 900.0


def python(*arguments: str, path: Path = HERE) -> tuple[list[str], dict[str, str]]:
    """How to run Python so that `path`, and not the working folder, is where it finds refute."""
    paths = [str(path), *filter(None, [os.environ.get("PYTHONPATH")])]
    return [sys.executable, "-P", *arguments], {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


class CannotMeasure(Exception):
    """A contestant that is not there, or does not answer; the reason goes into its rows."""


class Contestant:
    """A process spoken to in lines, killed when an answer takes too long."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str] = os.environ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the process
        try:
            self._child = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
                errors="replace",
                env=dict(environment),
            )
        except OSError as error:
            self._errors.close()
            raise CannotMeasure(f"cannot start {argv[0]}: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; closing twice is harmless."""
        self._child.kill()
        with self._child:  # which closes its pipes and waits for it
            self._errors.close()

    def ask(self, line: str, *, last: str = "") -> tuple[str, float]:
        """The first line of the answer that starts with `last`, and the seconds it took."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        watchdog = threading.Timer(SLOWEST_LAP, self._child.kill)
        watchdog.daemon = True
        watchdog.start()
        started = time.perf_counter()
        try:
            if line:
                self._child.stdin.write(line + "\n")
                self._child.stdin.flush()
            for said in self._child.stdout:
                if said.startswith(last):
                    return said.strip(), time.perf_counter() - started
        except BrokenPipeError:
            pass
        finally:
            watchdog.cancel()
        raise CannotMeasure(f"no answer to {line!r}: {self._last_words()}")

    def _last_words(self) -> str:
        self._child.kill()
        self._child.wait()
        self._errors.seek(0)
        words = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        self.close()
        return words[-1] if words else f"exit code {self._child.returncode}"


class Worker(Contestant):
    """Our board or python-chess, in a Python process."""

    def __init__(self, path: Path = HERE, **environment: str) -> None:
        argv, inherited = python("-m", "refute.bench.worker", path=path)
        super().__init__(argv, {**inherited, **environment})
        greeting = json.loads(self.ask("", last="{")[0])
        self.is_compiled: bool = greeting["compiled"]
        self.path = Path(greeting["path"])

    def counter(self, what: str) -> Callable[[str, int], Lap]:
        """One of the worker's ways to count, as a function of FEN and depth."""

        def count(fen: str, depth: int) -> Lap:
            said, seconds = self.ask(json.dumps({"count": what, "fen": fen, "depth": depth}))
            return Lap(int(said), seconds)

        return count


class Stockfish(Contestant):
    """Stockfish on one thread, which is how it starts."""

    def __init__(self) -> None:
        try:
            super().__init__([find_stockfish()])
        except EngineError as error:
            raise CannotMeasure(str(error)) from None
        self.ask("setoption name Threads value 1\nisready", last="readyok")

    def count(self, fen: str, depth: int) -> Lap:
        self.ask(f"position fen {fen}\nisready", last="readyok")
        said, seconds = self.ask(f"go perft {depth}", last="Nodes searched")
        return Lap(int(said.rpartition(":")[2]), seconds)


def start_compiled() -> Worker:
    """A worker on the board in use; refused when that is interpreted."""
    if not is_compiled():
        raise CannotMeasure(why_interpreted())
    worker = Worker()
    if not worker.is_compiled:
        worker.close()
        raise CannotMeasure("refused: the worker's board runs interpreted")
    return worker


def why_interpreted() -> str:
    """Why nothing here may be called compiled."""
    reason = "REFUTE_PURE is set" if wants_pure() else "no compiled core was found"
    return f"refused: the board runs interpreted ({reason})"


def start_portable(stack: ExitStack) -> Worker:
    """A worker on a fresh copy of the board, built without tuning for this machine."""
    if not is_compiled():
        raise CannotMeasure(why_interpreted())
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="refute-portable-")))
    worker = Worker(build_portable(folder))
    if not worker.is_compiled or folder not in worker.path.parents:
        worker.close()
        raise CannotMeasure(f"refused: the portable worker runs {worker.path}")
    return worker


def build_portable(folder: Path) -> Path:
    """Build a portable copy of this checkout below `folder`; returns what to put on the import path."""
    root = HERE.parent
    if not (root / "setup.py").is_file():
        raise CannotMeasure("a portable build needs a source checkout (pip install -e .)")
    source = folder / "source"
    leave = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__", "*.egg-info")
    shutil.copytree(root / "src", source / "src", ignore=leave)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        if (root / name).is_file():
            shutil.copy(root / name, source / name)
    # CI makes a failed build an error; by default it would leave an interpreted board.
    environment = {**os.environ, "REFUTE_PORTABLE": "1", "CI": "1"}
    environment.pop("REFUTE_SANITIZE", None)
    if _has_build_tools():
        command, path = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], source / "src"
    else:
        path = folder / "target"
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(path), str(source)]
    try:
        subprocess.run(
            command, cwd=source, env=environment, capture_output=True, text=True, timeout=SLOWEST_BUILD, check=True
        )
    except subprocess.CalledProcessError as error:
        words = (error.stderr or error.stdout).strip().splitlines()
        raise CannotMeasure(f"the portable build failed: {words[-1] if words else error.returncode}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotMeasure(f"the portable build failed: {error}") from None
    return path


def _has_build_tools() -> bool:
    """Whether this interpreter can build without pip fetching Cython first."""
    code = (
        "import setuptools, Cython; "
        "assert int(setuptools.__version__.split('.')[0]) >= 77; "
        "assert tuple(map(int, Cython.__version__.split('.')[:2])) >= (3, 1)"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
