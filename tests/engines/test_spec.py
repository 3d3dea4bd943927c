"""A SPEC opens the engine it names, or says what to write instead."""

from __future__ import annotations

import shlex
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from refute.engines.python_chess import PythonChessEngine
from refute.engines.spec import find_stockfish, open_engine
from refute.errors import EngineError, SpecError

Writer = Callable[[str], list[str]]


def test_python_chess_is_named_so() -> None:
    with open_engine("python-chess") as engine:
        assert isinstance(engine, PythonChessEngine)


@pytest.mark.parametrize("prefix", ["uci:", ""])
def test_a_command_with_arguments_is_a_uci_engine(write_script: Writer, prefix: str) -> None:
    command = shlex.join(write_script(""))
    with open_engine(prefix + command) as engine:
        assert engine.name == f"uci:{command}"
        assert engine.version == "Scripted 1.0"


def test_a_path_with_a_space_is_quoted_as_in_a_shell(write_script: Writer, tmp_path: Path) -> None:
    program = tmp_path / "my engine"
    program.write_text(f"#!/bin/sh\nexec {shlex.join(write_script(''))}\n")
    program.chmod(0o755)
    with open_engine(f"'{program}'") as engine:
        assert engine.version == "Scripted 1.0"


def test_an_object_is_opened_by_py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "specs_module.py").write_text("def moves(fen): return []")
    assert open_engine("py:specs_module:moves").name == "py:specs_module:moves"


def test_a_fault_is_opened_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = types.ModuleType("refute.engines.faulty")
    opened = []
    faulty.open_fault = lambda name: opened.append(name)  # type: ignore[attr-defined]  # a stand-in module
    monkeypatch.setitem(sys.modules, "refute.engines.faulty", faulty)
    open_engine("fault:lost-right")
    assert opened == ["lost-right"]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("nosuchengine", "there is no program 'nosuchengine'"),
        ("./nosuchengine", "there is no program"),
        ("uci:", "empty"),
        ("uci:nosuchengine --bench", "there is no program 'nosuchengine'"),
        ("uci:'unclosed", "cannot be split"),
        ("script:perft.sh", "not there yet"),
        ("stateful:engine", "not there yet"),
        ("engine.toml", "not there yet"),
        ("magic:engine", "unknown SPEC 'magic:engine'"),
        ("own:fast", "unknown SPEC"),
        ("py:nomodule", "py:module:attribute"),
        ("/", "is a directory"),
        ("cat\nquit", "not printable"),
        ("uci:cat\0", "not printable"),
        ("stockfish\r", "not printable"),
    ],
)
def test_a_bad_spec_is_refused_with_what_to_do(spec: str, text: str) -> None:
    with pytest.raises(SpecError) as caught:
        open_engine(spec)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_on_path_or_not_executable_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "mine"
    program.write_text("#!/bin/sh\n")
    with pytest.raises(SpecError, match=r"not executable \(chmod \+x\)"):
        open_engine("./mine")
    program.chmod(0o755)
    with pytest.raises(SpecError, match=r"write \./mine"):
        open_engine("mine")


def test_a_program_that_is_not_uci_is_an_engine_error() -> None:
    with pytest.raises(EngineError, match="not a UCI engine"):
        open_engine("uci:true")


def test_shell_syntax_is_only_words(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    with pytest.raises(EngineError):
        open_engine(f"true; touch {trap} && touch {trap} | touch {trap} `touch {trap}`".replace("true;", "true ;"))
    assert not trap.exists()


def test_stockfish_is_looked_for_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "stockfish"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("REFUTE_STOCKFISH", str(fake))
    assert find_stockfish() == str(fake)
    monkeypatch.setenv("REFUTE_STOCKFISH", str(tmp_path / "elsewhere"))
    with pytest.raises(EngineError, match="REFUTE_STOCKFISH"):
        find_stockfish()
    monkeypatch.delenv("REFUTE_STOCKFISH")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_stockfish() == str(fake)


def test_a_missing_stockfish_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFUTE_STOCKFISH", raising=False)
    monkeypatch.setattr("shutil.which", lambda *_args, **_options: None)
    with pytest.raises(EngineError, match="apt install stockfish"):
        open_engine("stockfish")
