"""Time limits: Python code is interrupted, engines give up when told to, and nobody is blamed for being cut short."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from itertools import count

import pytest

from refute.board.epd import parse_line
from refute.compare import Comparer
from refute.engines.limits import CUT_SHORT, TimeUp, hurried, interrupted_after
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.engines.python_chess import PythonChessEngine
from refute.engines.uci import UciEngine
from refute.hunter import Hunter, Options
from refute.suite.cast import Cast
from refute.suite.counts import CutShort, check_count
from refute.walk import START_FEN, Walk

MOVES = Question(frozenset({Ability.MOVES}))
SLEEPY = """
right = go
def go(board, depth):
    if len(board.piece_map()) < 5: time.sleep(60)
    right(board, depth)
"""
SLEEP = Walk("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
OpenScripted = Callable[..., UciEngine]


def test_python_code_is_interrupted() -> None:
    with pytest.raises(TimeUp), interrupted_after(0.02):
        for _ in count():
            pass


def test_processor_time_is_spent_by_work_and_not_by_waiting() -> None:
    with interrupted_after(0.02, of_processor=True):
        time.sleep(0.05)
    with pytest.raises(TimeUp), interrupted_after(0.02, of_processor=True):
        for _ in count():
            pass


def test_code_that_swallows_everything_is_interrupted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refute.engines.limits.AGAIN", 0.02)
    swallowed: list[BaseException] = []

    def stubborn() -> None:
        while True:
            try:
                time.sleep(1)
            except BaseException as error:
                swallowed.append(error)
                if len(swallowed) == 3:
                    raise

    with pytest.raises(TimeUp), interrupted_after(0.02):
        stubborn()
    assert len(swallowed) == 3


def test_what_is_quick_is_left_alone_and_so_is_whatever_comes_after() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with interrupted_after(0.02):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0), "nothing is left that could strike later"
    assert signal.getsignal(signal.SIGALRM) is before


def test_somebody_elses_timer_goes_on() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with interrupted_after(10.0):
            pass
        deadline = time.monotonic() + 5
        while not heard and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard == [signal.SIGALRM]


def test_another_thread_is_not_limited_for_it_cannot_be() -> None:
    done: list[bool] = []

    def work() -> None:
        with interrupted_after(0.01):
            time.sleep(0.03)
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def test_engines_are_hurried_for_a_while_and_never_given_more_time() -> None:
    class Waiting:
        deadline = math.inf

    engine = Waiting()
    with hurried([engine, object()], 5.0):
        assert engine.deadline == 5.0
        with hurried([engine], 7.0):
            assert engine.deadline == 5.0
        with hurried([engine], None):
            assert engine.deadline == 5.0
    assert engine.deadline == math.inf


def test_an_engine_that_is_cut_short_says_so_and_answers_the_next_question(open_scripted: OpenScripted) -> None:
    engine = open_scripted(SLEEPY, timeout=30.0)
    with hurried([engine], time.monotonic() + 0.2):
        said = engine.at([Walk(START_FEN), SLEEP, Walk(START_FEN)], MOVES)
    assert isinstance(said[0], Answer)
    assert [one.text for one in said[1:] if isinstance(one, Fault)] == [CUT_SHORT, CUT_SHORT]
    (again,) = engine.at([Walk(START_FEN)], MOVES)
    assert isinstance(again, Answer)
    assert len(again.moves or ()) == 20


def test_an_engine_that_was_silent_for_too_long_before_is_not_excused(open_scripted: OpenScripted) -> None:
    engine = open_scripted(SLEEPY, timeout=0.15)
    with hurried([engine], time.monotonic() + 0.2):
        said = engine.at([SLEEP, Walk(START_FEN)], MOVES)
    assert isinstance(said[0], Fault)
    assert (said[0].trouble, said[0].text) == (Trouble.TIMEOUT, "gave no answer in time")


def test_past_its_time_nothing_is_asked(open_scripted: OpenScripted) -> None:
    engine = open_scripted()
    with hurried([engine], time.monotonic() - 1):
        said = engine.along(Walk(START_FEN, ("e2e4",)), MOVES)
    assert [isinstance(one, Fault) and one.text for one in said] == [CUT_SHORT]


@pytest.mark.parametrize("accused", [True, False], ids=["subject", "witness"])
def test_nobody_is_blamed_for_being_cut_short(open_scripted: OpenScripted, accused: bool) -> None:
    sleepy, right = open_scripted(SLEEPY, timeout=30.0), PythonChessEngine()
    comparer = Comparer(sleepy, [right]) if accused else Comparer(right, [sleepy])
    with comparer.hurried(time.monotonic() + 0.1):
        comparison = comparer.compare(SLEEP)
    assert (comparison.divergence, comparison.quarantine) == (None, None)


def test_a_known_count_that_comes_too_late_is_neither_right_nor_wrong(open_scripted: OpenScripted) -> None:
    engine = open_scripted()
    cast = Cast(Options())
    cast.subject = engine
    case = parse_line(f"{START_FEN} ;D1 21")
    with hurried([engine], time.monotonic() - 1), pytest.raises(CutShort):
        check_count(case, 1, cast)
    wrong = check_count(case, 1, cast, seconds=0.0)
    assert wrong is not None
    assert "expected 21, counted 20" in wrong.text
    cast.close()


def test_only_the_first_walk_of_all_may_take_longer_than_the_hunt(monkeypatch: pytest.MonkeyPatch) -> None:
    hurries: list[int] = []
    end = time.monotonic() + 1000
    with closing(Hunter(Options(against=("python-chess",)))) as hunter:

        def hurried_at(until: float | None) -> AbstractContextManager[None]:
            assert until is not None
            assert until > end
            hurries.append(hunter.walks)
            return nullcontext()

        monkeypatch.setattr(hunter.comparer, "hurried", hurried_at)
        for first in (0, 3):
            for _ in hunter.run(range(first, first + 3), until=end):
                pass
    assert hurries == [1, 3]
