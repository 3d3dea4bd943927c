"""Anything an author has in a Python module can be an engine, and none of it can end the hunt."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from textwrap import dedent

import pytest

from refute.board.move import encode_uci
from refute.engines.limits import CUT_SHORT, hurried
from refute.engines.protocol import Ability, Answer, Engine, Fault, Question, Trouble
from refute.engines.pyobject import open_object
from refute.errors import EngineError, SpecError
from refute.walk import START_FEN, Walk

MOVES = Question(frozenset({Ability.MOVES}))
_numbers = count()

Writer = Callable[[str], str]


@pytest.fixture
def write_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Writer]:
    """Write a module into the working directory; gives its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    names = []

    def write(source: str) -> str:
        names.append(f"authors_module_{next(_numbers)}")
        (tmp_path / f"{names[-1]}.py").write_text(dedent(source), encoding="utf-8")
        return names[-1]

    yield write
    for name in names:
        sys.modules.pop(name, None)


START = Walk(START_FEN)


def only(engine: Engine, walk: Walk = START) -> Answer | Fault:
    (answer,) = engine.at([walk], MOVES)
    return answer


def test_a_plain_function_is_an_engine(write_module: Writer) -> None:
    module = write_module(
        """
        import chess
        __version__ = "3.1"
        def moves(fen):
            return (move.uci() for move in chess.Board(fen).legal_moves)
        """
    )
    engine = open_object(f"{module}:moves")
    assert (engine.name, engine.version) == (f"py:{module}:moves", "3.1")
    assert engine.abilities == {Ability.MOVES}
    walk = Walk(START_FEN, ("f2f3", "e7e5", "g2g4", "d8h4"))
    assert [len(answer.moves or ()) for answer in engine.along(walk, MOVES) if isinstance(answer, Answer)] == [
        20,
        20,
        19,
        30,
        0,
    ]
    assert only(engine, walk) == Answer(moves=[])
    assert engine.at([walk], Question(frozenset({Ability.FEN}))) == [Answer()]
    with engine:
        pass


def test_a_function_sees_the_fen_in_our_convention(write_module: Writer) -> None:
    module = write_module(
        """
        seen = []
        def moves(fen):
            seen.append(fen)
            return []
        """
    )
    open_object(f"{module}:moves").along(Walk(START_FEN, ("e2e4",)), MOVES)
    assert sys.modules[module].seen == [START_FEN, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"]


def test_a_functions_duplicates_are_kept(write_module: Writer) -> None:
    module = write_module("def moves(fen): return ['e2e4', 'd2d4', 'e2e4']")
    assert only(open_object(f"{module}:moves")) == Answer(
        moves=sorted(map(encode_uci, ["e2e4", "d2d4", "e2e4"])),
    )


@pytest.mark.parametrize(
    ("body", "trouble", "text"),
    [
        pytest.param("return 1 / 0", Trouble.CRASH, "ZeroDivisionError", id="raises"),
        pytest.param("yield 'e2e4'; raise KeyError('x')", Trouble.CRASH, "KeyError", id="raises while listing"),
        pytest.param("raise SystemExit(3)", Trouble.CRASH, "SystemExit", id="exits"),
        pytest.param("return moves(fen)", Trouble.CRASH, "RecursionError", id="recurses"),
        pytest.param("return None", Trouble.CRASH, "TypeError", id="returns nothing"),
        pytest.param("return ['e2e4', 'castles']", Trouble.GARBAGE, "'castles'", id="not moves"),
        pytest.param("return [12, None]", Trouble.GARBAGE, "'12'", id="not text"),
        pytest.param("return 'e2e4'", Trouble.GARBAGE, "'e'", id="one text"),
        pytest.param("import itertools; return itertools.repeat('e2e4')", Trouble.GARBAGE, "over", id="no end"),
    ],
)
def test_a_functions_misbehaviour_is_a_fault(write_module: Writer, body: str, trouble: Trouble, text: str) -> None:
    module = write_module(f"def moves(fen):\n    {body}")
    fault = only(open_object(f"{module}:moves"))
    assert isinstance(fault, Fault)
    assert fault.trouble == trouble
    assert text in fault.text
    assert f"> {START_FEN}" in fault.transcript
    if trouble == Trouble.CRASH:
        assert any(line.startswith("! Traceback") or "Error" in line for line in fault.transcript)


def test_a_walk_that_cannot_be_walked_is_astray(write_module: Writer) -> None:
    module = write_module("def moves(fen): return []")
    engine = open_object(f"{module}:moves")
    bad = Walk(START_FEN, ("e2e4", "e2e4"))
    for answers in (engine.along(bad, MOVES), engine.at([bad], MOVES)):
        assert isinstance(answers[-1], Fault)
        assert answers[-1].trouble == Trouble.ASTRAY


OWN_ENGINE = """
from refute.engines.protocol import Ability, Answer, Fault
class Mine:
    name, version, abilities = "mine", "1", frozenset({"moves"})
    def along(self, walk, question):
        return [self.one(walk)] * (len(walk) + 1)
    def at(self, walks, question):
        return [self.one(walk) for walk in walks]
    def one(self, walk):
        return Answer(moves=[5, 3])
    def close(self):
        raise OSError("already closed")
made = Mine()
def make():
    return Mine()
"""


@pytest.mark.parametrize("attribute", ["Mine", "made", "make"])
def test_an_engine_its_class_and_its_factory_all_open(write_module: Writer, attribute: str) -> None:
    engine = open_object(f"{write_module(OWN_ENGINE)}:{attribute}")
    assert engine.abilities == {Ability.MOVES}
    assert engine.name.endswith(f":{attribute}")
    assert only(engine) == Answer(moves=[3, 5])
    assert len(engine.along(Walk(START_FEN, ("e2e4",)), MOVES)) == 2
    with engine:
        pass


@pytest.mark.parametrize(
    ("one", "trouble", "text"),
    [
        pytest.param("raise ValueError('no')", Trouble.CRASH, "ValueError: 'no'", id="raises"),
        pytest.param("return 'hello'", Trouble.GARBAGE, "'hello'", id="not an answer"),
        pytest.param("return Answer(moves=['e2e4'])", Trouble.GARBAGE, "not codes", id="texts for codes"),
        pytest.param("return Answer(moves=[1 << 20])", Trouble.GARBAGE, "not codes", id="numbers too large"),
        pytest.param("return Answer(moves=7)", Trouble.GARBAGE, "not codes", id="no list"),
    ],
)
def test_an_own_engines_misbehaviour_is_a_fault(write_module: Writer, one: str, trouble: Trouble, text: str) -> None:
    module = write_module(OWN_ENGINE.replace("return Answer(moves=[5, 3])", one))
    engine = open_object(f"{module}:Mine")
    for answers in (engine.at([Walk(START_FEN)] * 3, MOVES), engine.along(Walk(START_FEN), MOVES)):
        for answer in answers:
            assert isinstance(answer, Fault)
            assert answer.trouble == trouble
            assert text in answer.text


def test_an_own_engine_that_raises_at_one_walk_answers_the_others(write_module: Writer) -> None:
    source = OWN_ENGINE.replace("return Answer(moves=[5, 3])", "return Answer(moves=[1 // len(walk)])")
    engine = open_object(f"{write_module(source)}:Mine")
    good = Walk(START_FEN, ("e2e4",))
    answers = engine.at([good, Walk(START_FEN), good], MOVES)
    assert [type(answer) for answer in answers] == [Answer, Fault, Answer]


@pytest.mark.parametrize("answers", ["[]", "[Answer()] * 5"])
def test_an_own_engine_with_the_wrong_number_of_answers_is_garbage(write_module: Writer, answers: str) -> None:
    source = OWN_ENGINE.replace("[self.one(walk) for walk in walks]", answers).replace(
        "[self.one(walk)] * (len(walk) + 1)", answers
    )
    engine = open_object(f"{write_module(source)}:Mine")
    walk = Walk(START_FEN, ("e2e4",))
    for fault in (*engine.at([walk, walk], MOVES), *engine.along(walk, MOVES)):
        assert isinstance(fault, Fault)
        assert fault.trouble == Trouble.GARBAGE


@pytest.mark.parametrize(
    ("source", "attribute", "error", "text"),
    [
        ("x = 1", "y", SpecError, "has no 'y'"),
        ("x = 1", "x", SpecError, "expected an Engine"),
        ("x = int", "x", SpecError, "made no Engine"),
        ("def x(): raise RuntimeError('no network')", "x", EngineError, "no network"),
        ("import no_such_dependency", "x", EngineError, "no_such_dependency"),
        ("raise SystemExit('not today')", "x", EngineError, "not today"),
        ("syntax error", "x", EngineError, "SyntaxError"),
        (OWN_ENGINE.replace('frozenset({"moves"})', "5"), "Mine", EngineError, "abilities"),
    ],
)
def test_what_cannot_be_opened_is_told(
    write_module: Writer, source: str, attribute: str, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match="authors_module") as caught:
        open_object(f"{write_module(source)}:{attribute}")
    assert text in str(caught.value)


@pytest.mark.parametrize("path", ["", "chess", "chess:", ":x", "no_such_module_here:x"])
def test_a_path_that_leads_nowhere_is_a_bad_spec(path: str) -> None:
    with pytest.raises(SpecError):
        open_object(path)


@pytest.mark.parametrize("deed", ["time.sleep(600)", "while True: pass"], ids=["sleeps", "loops"])
def test_a_function_that_hangs_is_given_up(deed: str, write_module: Writer) -> None:
    module = write_module(
        f"""
        import time
        def moves(fen):
            if " b " in fen:
                {deed}
            return ["e2e4"]
        """
    )
    engine = open_object(f"{module}:moves", timeout=0.05)
    right, hung = engine.along(Walk(START_FEN, ("e2e4",)), MOVES)
    assert isinstance(right, Answer)
    assert isinstance(hung, Fault)
    assert (hung.trouble, hung.text) == (Trouble.TIMEOUT, "gave no answer in time")
    assert hung.transcript[0].startswith("> rnbqkbnr/pppppppp/8/8/4P3")


def test_an_engine_that_hangs_is_given_up_too_and_asked_again(write_module: Writer) -> None:
    module = write_module(
        """
        import time
        from refute.engines.python_chess import PythonChessEngine
        class Slow(PythonChessEngine):
            is_slow = True
            def at(self, walks, question):
                if self.is_slow:
                    time.sleep(600)
                return super().at(walks, question)
        """
    )
    engine = open_object(f"{module}:Slow", timeout=0.05)
    hung = only(engine)
    assert isinstance(hung, Fault)
    assert hung.trouble is Trouble.TIMEOUT
    sys.modules[module].Slow.is_slow = False
    assert isinstance(only(engine), Answer)


def test_a_function_that_is_hurried_is_not_to_blame(write_module: Writer) -> None:
    module = write_module("import time\ndef moves(fen): time.sleep(600)")
    engine = open_object(f"{module}:moves", timeout=30.0)
    for left in (0.05, -1.0):
        with hurried([engine], time.monotonic() + left):
            cut = only(engine)
        assert isinstance(cut, Fault)
        assert cut.text == CUT_SHORT


def test_a_module_that_never_ends_is_not_imported(write_module: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refute.engines.pyobject.IMPORT_SECONDS", 0.05)
    module = write_module("import time\ntime.sleep(600)\ndef moves(fen): return []")
    with pytest.raises(EngineError, match="importing it took over"):
        open_object(f"{module}:moves")


def test_it_is_noticed_while_it_runs_and_at_no_other_time(write_module: Writer) -> None:
    module = write_module("def moves(fen): return HEARD and ['e2e4'] or []\nHEARD = []")
    engine = open_object(f"{module}:moves")
    heard: list[bool] = []
    engine.notice = heard.append  # type: ignore[attr-defined]  # of engines that run in this process
    vars(sys.modules[module])["HEARD"] = heard
    said = only(engine)
    assert isinstance(said, Answer)
    assert said.moves == [encode_uci("e2e4")]
    assert heard == [True, False]


def test_what_a_module_prints_is_kept_out_of_standard_output(
    write_module: Writer, capsys: pytest.CaptureFixture[str]
) -> None:
    module = write_module(
        """
        from refute.engines.python_chess import PythonChessEngine
        print("imported")
        class Talkative(PythonChessEngine):
            def __init__(self):
                super().__init__()
                print("made")
            def at(self, walks, question):
                print("asked")
                return super().at(walks, question)
            def close(self):
                print("closed")
        """
    )
    with open_object(f"{module}:Talkative") as engine:
        assert isinstance(only(engine), Answer)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.split() == ["imported", "made", "asked", "closed"]
