"""The pytest plugin: options, fixtures for a connected engine, and one report of what all workers found.

It loads in every pytest run of whoever has refute installed, so it imports the rest of refute only where
an option, a fixture or a collected file asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from refute.compare import Comparer
    from refute.engines.protocol import Engine
    from refute.suite.session import Session

SUITE = "test_claims.py"  # the suite's file, as the node ids of its tests end before the test's name

OPTIONS = (
    ("engine", "SPEC", "the engine under test: own (default), python-chess, uci:COMMAND, the path of a UCI engine …"),
    ("time", "TIME", "how long refute.suite may take: 60s, 5m, 1h (default 30s)"),
    ("walks", "N", "stop after so many walks instead; with --refute-seed, the same are found every time"),
    ("seed", "N", "which walks refute.suite takes (default: others every time; the summary says which)"),
    ("out", "FOLDER", "where findings are kept (default .refute)"),
    ("nodes", "N", "the largest count of an .epd file that is checked (default 100000)"),
)
LISTS = (
    ("against", "SPEC", "a witness to believe; repeatable (default: python-chess, and stockfish if installed)"),
    ("report", "FORMAT:PATH", "write html:, md:, junit:, json:, pytest: or walk: and a path; repeatable"),
)

NEED_ENGINES = frozenset({"refute_engine", "refute_witnesses", "refute_comparer", "refute_hunt"})
T = TypeVar("T")

SESSION = pytest.StashKey["Session"]()
SHARED = pytest.StashKey[dict[str, str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("refute", "refute: differential testing of chess move generators")
    for name, metavar, text in OPTIONS:
        group.addoption(f"--refute-{name}", metavar=metavar, help=text)
        parser.addini(f"refute_{name}", f"as --refute-{name}")
    for name, metavar, text in LISTS:
        group.addoption(f"--refute-{name}", metavar=metavar, help=text, action="append", default=[])
        parser.addini(f"refute_{name}", f"as --refute-{name}, one a line", type="linelist", default=[])
    parser.addini(
        "refute_collect",
        "collect every .walk file and perft .epd file as tests, not only those named on the command line",
        type="bool",
        default=False,
    )


# ---------------------------------------------------------------- settings


def session_of(config: pytest.Config) -> Session:
    """What this process knows of the run, made when it is first asked for."""
    session = config.stash.get(SESSION, None)
    if session is None:
        session = config.stash[SESSION] = _make_session(config)
    return session


def _make_session(config: pytest.Config) -> Session:
    from refute.errors import InputError
    from refute.suite.session import Session
    from refute.suite.share import Share

    shared = _shared(config)
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    try:
        return Session(
            lambda name: _wish(config, name) or shared.get(name, ""),
            against=_wishes(config, "against"),
            reports=_wishes(config, "report"),
            folder=_folder(config),
            run=shared["run"],
            share=Share.of_worker(worker["workerid"], worker["workercount"]) if worker else Share(),
        )
    except InputError as error:
        raise pytest.UsageError(f"refute: {error}") from None


def _shared(config: pytest.Config) -> dict[str, str]:
    """What all processes of a session must agree on."""
    shared = config.stash.get(SHARED, None)
    if shared is None:
        worker: dict[str, Any] = getattr(config, "workerinput", {})
        shared = worker.get("refute") or {"run": os.urandom(6).hex(), "seed": str(int.from_bytes(os.urandom(4)))}
        config.stash[SHARED] = shared
    return shared


def _folder(config: pytest.Config) -> Path:
    return config.invocation_params.dir / (_wish(config, "out") or ".refute")


def _wish(config: pytest.Config, name: str) -> str:
    """An option as given on the command line or in the ini file; empty when in neither."""
    return str(config.getoption(f"--refute-{name}") or config.getini(f"refute_{name}") or "")


def _wishes(config: pytest.Config, name: str) -> list[str]:
    given: list[str] = config.getoption(f"--refute-{name}") or config.getini(f"refute_{name}")
    return given


# ---------------------------------------------------------------- fixtures


@pytest.fixture(scope="session")
def refute_session(pytestconfig: pytest.Config) -> Session:
    """What the tests of refute.suite share."""
    return session_of(pytestconfig)


@pytest.fixture(scope="session")
def refute_engine(refute_session: Session) -> Engine:
    """The engine of --refute-engine, connected: one for each worker, closed at the end."""
    return _opened(refute_session, lambda: refute_session.cast.subject)


@pytest.fixture(scope="session")
def refute_witnesses(refute_session: Session) -> tuple[Engine, ...]:
    """The engines of --refute-against, or every witness there is."""
    return _opened(refute_session, lambda: refute_session.cast.witnesses)


@pytest.fixture(scope="session")
def refute_comparer(refute_session: Session) -> Comparer:
    """The engine and its witnesses, ready to be driven along a walk."""
    return _opened(refute_session, lambda: refute_session.cast.comparer)


@pytest.fixture(scope="session")
def refute_hunt(refute_session: Session) -> Session:
    """The session once the hunt is over, in this process and in those beside it."""
    _opened(refute_session, refute_session.hunt)
    return refute_session


def _opened(session: Session, ask: Callable[[], T]) -> T:
    """What needs the engines; the test that asks first fails where they cannot be used, and says why."""
    from refute.errors import RefuteError

    try:
        return ask()
    except RefuteError as error:
        session.unusable = f"refute could not run: {error}"
    pytest.fail(session.unusable, pytrace=False)


# ---------------------------------------------------------------- hooks


def pytest_configure(config: pytest.Config) -> None:
    # What is wrong with an option is said at once, not after the first thousand tests.
    if any(config.getoption(f"--refute-{name}") for name, _, _ in (*OPTIONS, *LISTS)):
        session_of(config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs engines that could not be used: one test has failed for it already."""
    session = item.config.stash.get(SESSION, None)
    if session is not None and session.unusable and not NEED_ENGINES.isdisjoint(getattr(item, "fixturenames", ())):
        pytest.skip(f"as another test tells, {session.unusable}")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell each of xdist's workers which run it takes part in."""
    node.workerinput["refute"] = _shared(node.config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix not in (".walk", ".epd"):
        return None
    is_named = _is_named(file_path, parent.config)
    # Others have files that end like ours.
    if not is_named and not parent.config.getini("refute_collect"):
        return None
    from refute.collecting import collect_file

    return collect_file(file_path, parent, session_of(parent.config), is_named=is_named)


def _is_named(path: Path, config: pytest.Config) -> bool:
    """Whether it was named on the command line."""
    here = config.invocation_params.dir
    return any((here / argument.split("::", 1)[0]).resolve() == path.resolve() for argument in config.args)


# Last, when xdist's workers are gone.
@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Gather what all processes found, write the reports, and let no finding pass unnoticed."""
    config = session.config
    if hasattr(config, "workerinput") or not _has_run(config):
        return
    mine = session_of(config)
    interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
    if not mine.finish(_outcomes(config), interrupted=interrupted) and session.exitstatus in (pytest.ExitCode.OK, 5):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _has_run(config: pytest.Config) -> bool:
    if SESSION in config.stash and config.stash[SESSION].reports:
        return True
    return SHARED in config.stash and (_folder(config) / "runs" / config.stash[SHARED]["run"]).is_dir()


def _outcomes(config: pytest.Config) -> dict[str, bool]:
    """Which of the suite's tests ran, and whether each failed."""
    from refute.suite.claims import CLAIMS

    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    outcomes: dict[str, bool] = {}
    for category in ("passed", "skipped", "failed", "error"):
        for report in reporter.stats.get(category, ()) if reporter is not None else ():
            path, _, name = getattr(report, "nodeid", "").rpartition("::")
            # pytest may leave out the folders of a file that lies outside its root.
            if path.endswith(SUITE) and name in CLAIMS:
                outcomes[name] = outcomes.get(name, False) or category in ("failed", "error")
    return outcomes


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    session = config.stash.get(SESSION, None)
    if session is not None and session.summary:
        terminalreporter.section("refute")
        for text in session.summary:
            terminalreporter.write_line(text)


def pytest_unconfigure(config: pytest.Config) -> None:
    session = config.stash.get(SESSION, None)
    if session is not None:
        session.close()
