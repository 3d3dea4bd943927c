"""From a SPEC, as users write it, to an engine that is ready to be asked."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Final

from refute.engines.process import DEFAULT_TIMEOUT
from refute.engines.protocol import Engine
from refute.errors import EngineError, SpecError, quote

FORMS: Final = (
    "own, own:pure, python-chess, stockfish, uci:COMMAND, py:module:attribute, fault:NAME, "
    "or the path or command of a UCI engine"
)
_PLANNED: Final = {
    "script": "a script of perftree's contract",
    "stateful": "an engine that speaks JSON lines",
}
_PREFIX: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(.*)")


def open_engine(spec: str = "own", *, timeout: float = DEFAULT_TIMEOUT) -> Engine:
    """The engine a SPEC names, started and greeted; raises SpecError or EngineError saying what to do.

    `timeout` is how many seconds a process may be silent while an answer is due.
    """
    if any(not c.isprintable() for c in spec):
        raise SpecError(f"the SPEC {quote(spec)} holds a character that is not printable, such as a newline")
    text = spec.strip()
    if not text:
        raise SpecError(f"the SPEC is empty: expected {FORMS}")
    match text:
        case "own" | "own:pure":
            from refute.engines.own import OwnEngine

            return OwnEngine(pure=True) if text == "own:pure" else OwnEngine()
        case "python-chess":
            return _open_python_chess()
        case "stockfish":
            from refute.engines.uci import UciEngine

            return UciEngine([find_stockfish()], name=text, timeout=timeout)
    if text.endswith(".toml"):
        raise SpecError(f"{quote(text)}: describing an engine in a TOML file is planned, but not there yet")
    prefix = _PREFIX.fullmatch(text)
    if prefix is not None and not _is_program(text.split()[0]):
        return _open_prefixed(text, prefix[1], prefix[2], timeout=timeout)
    return _open_command(text, text, timeout=timeout)


def find_stockfish() -> str:
    """Stockfish by REFUTE_STOCKFISH, on PATH or in /usr/games; raises EngineError when there is none."""
    wish = os.environ.get("REFUTE_STOCKFISH")
    if wish:
        found = shutil.which(wish)
        if found is None:
            raise EngineError(f"REFUTE_STOCKFISH is {quote(wish)}, which is not a program")
        return found
    found = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if found is None:
        raise EngineError(
            "no Stockfish on PATH or in /usr/games: install it (apt install stockfish, "
            "brew install stockfish, or https://stockfishchess.org/download/), or set REFUTE_STOCKFISH to its path"
        )
    return found


def _open_prefixed(text: str, prefix: str, rest: str, *, timeout: float) -> Engine:
    if prefix in _PLANNED:
        raise SpecError(f"{quote(text)}: {prefix}: for {_PLANNED[prefix]} is planned, but not there yet")
    match prefix:
        case "uci":
            return _open_command(text, rest, timeout=timeout)
        case "py":
            from refute.engines.pyobject import open_object

            return open_object(rest, name=text, timeout=timeout)
        case "fault":
            from refute.engines.faulty import open_fault

            return open_fault(rest)
    raise SpecError(f"unknown SPEC {quote(text)}: expected {FORMS}")


def _open_command(spec: str, command: str, *, timeout: float) -> Engine:
    from refute.engines.uci import UciEngine, split_command

    words = split_command(command)
    program = words[0]
    if not _is_program(program):
        raise SpecError(f"{quote(spec)} names no engine: {_why_no_program(program)}; a SPEC is {FORMS}")
    return UciEngine(words, name=spec if spec.startswith("uci:") else f"uci:{spec}", timeout=timeout)


def _open_python_chess() -> Engine:
    try:
        from refute.engines.python_chess import PythonChessEngine
    except ModuleNotFoundError as error:
        if error.name != "chess":
            raise
        raise EngineError("python-chess is not installed: pip install chess") from None
    return PythonChessEngine()


def _is_program(word: str) -> bool:
    return shutil.which(word) is not None


def _why_no_program(program: str) -> str:
    path = Path(program)
    if path.is_dir():
        return f"{quote(program)} is a directory"
    if path.is_file():
        if os.access(path, os.X_OK):
            return f"{quote(program)} is not on PATH; write ./{program}"
        return f"{quote(program)} is not executable (chmod +x)"
    return f"there is no program {quote(program)}"
