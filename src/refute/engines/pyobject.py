"""Engines that live in a Python module: `py:module:attribute`, from a full Engine to one plain function."""

from __future__ import annotations

import importlib
import inspect
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from itertools import islice
from typing import Any, Final, Self

from refute.board.move import encode_uci
from refute.engines.limits import CUT_SHORT, TimeUp, interrupted_after
from refute.engines.process import DEFAULT_TIMEOUT
from refute.engines.protocol import Ability, Answer, Engine, Fault, Question, Trouble
from refute.engines.uci_text import TRANSCRIPT_LINES, printable
from refute.errors import EngineError, InputError, SpecError, quote
from refute.walk import Walk

MOST_MOVES: Final = 4096  # no position has a tenth of it; a generator without end must stop somewhere
IMPORT_SECONDS: Final = 60.0  # a module may bring large libraries along
WALK_TIMEOUTS: Final = 10  # for a whole walk at once, however long it is
_PARTS: Final = ("name", "version", "abilities", "along", "at", "close")


def open_object(path: str, *, name: str | None = None, timeout: float = DEFAULT_TIMEOUT) -> Engine:
    """The engine behind `module:attribute`; raises SpecError or EngineError saying what is missing.

    The attribute is an Engine, a class or function without arguments that makes one, or a function
    `moves(fen) -> Iterable[str]` that lists legal moves as UCI texts. `timeout` is how many seconds it may
    take for an answer; code outside of Python cannot be interrupted, and may take longer.
    """
    # Standard output is for what we report: whoever reads it as JSON must not meet what an engine prints.
    with redirect_stdout(sys.stderr):
        return _open(path, name or f"py:{path}", timeout)


def _open(path: str, shown: str, timeout: float) -> Engine:
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise SpecError(f"{quote(shown)}: expected py:module:attribute, such as py:mychess:legal_moves")
    thing = _resolve(shown, module_name, attribute)
    if _is_engine(thing):
        return GuardedEngine(thing, name=shown, timeout=timeout)
    if not callable(thing):
        raise SpecError(
            f"{quote(shown)} is {quote(type(thing).__name__)}: expected an Engine, something "
            "without arguments that makes one, or a function moves(fen) that lists UCI moves"
        )
    if _takes_nothing(thing):
        try:
            made = thing()
        except Exception as error:
            raise EngineError(f"{quote(shown)} could not be made: {_brief(error)}") from error
        if not _is_engine(made):
            missing = [part for part in _PARTS if not hasattr(made, part)]
            raise SpecError(f"{quote(shown)} made no Engine: it has no {', '.join(missing)}")
        return GuardedEngine(made, name=shown, timeout=timeout)
    return FunctionEngine(thing, name=shown, timeout=timeout)


class _Watched:
    """The clock of an engine that runs in this process."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self.deadline = math.inf  # when to give up whatever is asked, on the clock of `time.monotonic`
        self.notice: Callable[[bool], None] = lambda begins: None  # before and after it runs: whoever dies is known

    def _in_time(self, ask: Callable[[], Iterable[object]], most: int, *, timeouts: int = 1) -> list[object] | Fault:
        """What it answers, up to so many things; a Fault where it raises, or takes too long."""
        limit = self._timeout * timeouts
        left = min(limit, self.deadline - time.monotonic())
        if left <= 0:
            return Fault(Trouble.TIMEOUT, CUT_SHORT)
        self.notice(True)
        try:
            with redirect_stdout(sys.stderr), interrupted_after(left):
                return list(islice(ask(), most))
        except TimeUp:
            return Fault(Trouble.TIMEOUT, "gave no answer in time" if left >= limit else CUT_SHORT)
        except (Exception, SystemExit) as error:
            return _crash(error)
        finally:
            self.notice(False)


class FunctionEngine(_Watched):
    """A plain function `moves(fen) -> Iterable[str]` as an engine that knows legal moves and nothing else."""

    def __init__(self, moves: Callable[[str], Iterable[str]], *, name: str, timeout: float = DEFAULT_TIMEOUT) -> None:
        super().__init__(timeout)
        self._moves = moves
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> str:
        module = sys.modules.get(getattr(self._moves, "__module__", ""))
        return str(getattr(module, "__version__", "unknown"))[:100]

    @property
    def abilities(self) -> frozenset[Ability]:
        return frozenset({Ability.MOVES})

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        """Answer at every position of the walk, up to the first Fault."""
        answers: list[Answer | Fault] = []
        for fen in _fens(walk):
            answers.append(fen if isinstance(fen, Fault) else self._ask(fen, question))
            if isinstance(answers[-1], Fault):
                break
        return answers

    def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        """Answer at the end of each walk: exactly len(walks) answers."""
        ends = [_fens(walk)[-1] if walk.moves else walk.fen for walk in walks]
        return [end if isinstance(end, Fault) else self._ask(end, question) for end in ends]

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _ask(self, fen: str, question: Question) -> Answer | Fault:
        if Ability.MOVES not in question.asks:
            return Answer()
        said = (f"> {fen}",)
        texts = self._in_time(lambda: self._moves(fen), MOST_MOVES + 1)
        if isinstance(texts, Fault):
            return Fault(texts.trouble, texts.text, said + texts.transcript)
        if len(texts) > MOST_MOVES:
            return Fault(Trouble.GARBAGE, f"lists over {MOST_MOVES} moves", said)
        codes = []
        for text in texts:
            try:
                codes.append(encode_uci(text if isinstance(text, str) else str(text)))
            except InputError as error:
                listed = tuple(f"< {printable(str(other).encode())}" for other in texts[:TRANSCRIPT_LINES])
                return Fault(Trouble.GARBAGE, str(error), said + listed)
        return Answer(moves=sorted(codes))


class GuardedEngine(_Watched):
    """Someone's own Engine, whose exceptions and ill-shaped answers become Faults."""

    def __init__(self, engine: Any, *, name: str, timeout: float = DEFAULT_TIMEOUT) -> None:
        super().__init__(timeout)
        self._engine = engine
        self._name = name
        try:
            self._version = str(engine.version)[:100]
            self._abilities = frozenset(Ability(ability) for ability in engine.abilities)
        except Exception as error:
            raise EngineError(f"{quote(name)} does not say its version and abilities: {_brief(error)}") from error

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> str:
        return self._version

    @property
    def abilities(self) -> frozenset[Ability]:
        return self._abilities

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        """What it answers along the walk, up to the first Fault; too few answers are a Fault."""
        answers = self._guarded(lambda: self._engine.along(walk, question), len(walk) + 1)
        first = next((index for index, answer in enumerate(answers) if isinstance(answer, Fault)), None)
        if first is not None:
            return answers[: first + 1]
        if len(answers) != len(walk) + 1:
            return [Fault(Trouble.GARBAGE, f"gave {len(answers)} answers for {len(walk) + 1} positions")]
        return answers

    def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        """What it answers at the end of each walk; when it fails as a whole, each walk is asked alone."""
        answers = self._guarded(lambda: self._engine.at(walks, question), len(walks))
        if len(answers) == len(walks):
            return answers
        if len(walks) == 1:
            if len(answers) > 1:
                return [Fault(Trouble.GARBAGE, f"gave {len(answers)} answers for 1 position")]
            return answers or [Fault(Trouble.GARBAGE, "gave no answer")]
        return [self.at([walk], question)[0] for walk in walks]

    def close(self) -> None:
        """Close it; what it raises while closing is of no concern."""
        try:
            with redirect_stdout(sys.stderr):
                self._engine.close()
        except Exception:
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _guarded(self, ask: Callable[[], Iterable[object]], positions: int) -> list[Answer | Fault]:
        answers = self._in_time(ask, 1 << 20, timeouts=max(1, min(positions, WALK_TIMEOUTS)))
        return [answers] if isinstance(answers, Fault) else [_shaped(answer) for answer in answers]


def _shaped(answer: object) -> Answer | Fault:
    if isinstance(answer, Fault):
        return answer
    if not isinstance(answer, Answer):
        return Fault(Trouble.GARBAGE, f"answered {quote(repr(answer))}: expected an Answer or a Fault")
    if answer.moves is None:
        return answer
    try:
        answer.moves = sorted(answer.moves)
        if any(type(code) is not int or not 0 <= code < 5 << 12 for code in answer.moves):
            raise TypeError("a code is a number as encode_uci gives it")
    except TypeError as error:
        return Fault(Trouble.GARBAGE, f"answered moves that are not codes: {error}")
    return answer


def _fens(walk: Walk) -> list[str | Fault]:
    """The FEN of every position of the walk, by python-chess; a Fault where it cannot be walked."""
    import chess

    fens: list[str | Fault] = [walk.fen]
    try:
        board = chess.Board(walk.fen, chess960=walk.chess960)
        for text in walk.moves:
            board.push(board.parse_uci(text))
            fens.append(board.fen(en_passant="legal"))
    except ValueError as error:
        fens.append(Fault(Trouble.ASTRAY, f"the walk cannot be walked: {error}"))
    return fens


def _resolve(shown: str, module_name: str, attribute: str) -> Any:
    # The author's module lies where refute is run, as it would for `python -m`.
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        with interrupted_after(IMPORT_SECONDS):
            thing: Any = importlib.import_module(module_name)
    except TimeUp:
        raise EngineError(f"{quote(shown)}: importing it took over {IMPORT_SECONDS:.0f} s") from None
    except ModuleNotFoundError as error:
        if error.name is not None and (module_name == error.name or module_name.startswith(f"{error.name}.")):
            raise SpecError(f"{quote(shown)}: no module {quote(module_name)} in {here} or on PYTHONPATH") from None
        raise EngineError(f"{quote(shown)}: importing it failed: {_brief(error)}") from error
    except (Exception, SystemExit) as error:
        raise EngineError(f"{quote(shown)}: importing it failed: {_brief(error)}") from error
    for part in attribute.split("."):
        if not hasattr(thing, part):
            raise SpecError(f"{quote(shown)}: module {quote(module_name)} has no {quote(attribute)}")
        thing = getattr(thing, part)
    return thing


def _is_engine(thing: object) -> bool:
    return not isinstance(thing, type) and all(hasattr(thing, part) for part in _PARTS)


def _takes_nothing(thing: Callable[..., object]) -> bool:
    """Whether it can be called with no argument at all; what cannot be known counts as taking a FEN."""
    try:
        inspect.signature(thing).bind()
    except (TypeError, ValueError):
        return isinstance(thing, type)
    return True


def _crash(error: BaseException) -> Fault:
    lines = "".join(traceback.format_exception(error)).splitlines()[-TRANSCRIPT_LINES:]
    told = tuple(f"! {printable(line.encode('utf-8', 'replace'))}" for line in lines)
    return Fault(Trouble.CRASH, f"raised {_brief(error)}", told)


def _brief(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {quote(text)}" if text else type(error).__name__
