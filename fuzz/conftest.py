"""How long the properties run, where their failing examples are kept, and what becomes of a walk that fails one.

profile   examples                  chosen by
dev       a few seconds in all      nothing said
ci        the same ones every time  CI in the environment
nightly   until the time is over    --hypothesis-profile=nightly, or HYPOTHESIS_PROFILE
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    GitHubArtifactDatabase,
    MultiplexedDatabase,
    ReadOnlyDatabase,
)

from refute.board import is_compiled
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.spec import find_stockfish
from refute.errors import EngineError
from refute.finding import finding_path, write_finding
from refute.walk import Walk

HERE: Final = Path(__file__).resolve().parent
DATABASE: Final = HERE.parent / ".hypothesis" / "examples"
ARTIFACT: Final = "hypothesis-database"  # what the nightly workflow uploads DATABASE as

# The whole run's seconds under the profile nightly, shared among the properties.
SECONDS: Final = float(os.environ.get("REFUTE_FUZZ_SECONDS") or 600.0)
FOUND: Final = os.environ.get("REFUTE_FUZZ_FOUND")  # the folder for `.walk` files; unset: none are written
REPOSITORY: Final = os.environ.get("REFUTE_FUZZ_REPOSITORY")  # OWNER/NAME whose last night is replayed first

EXAMPLES: Final = 100 if is_compiled() else 60
ROUND: Final = min(200, max(10, int(SECONDS)))  # examples between two looks at the clock


def database() -> ExampleDatabase:
    """What failed here before, and with REFUTE_FUZZ_REPOSITORY what failed there last night."""
    local = DirectoryBasedExampleDatabase(DATABASE)
    if not REPOSITORY:
        return local
    owner, _, name = REPOSITORY.partition("/")
    return MultiplexedDatabase(local, ReadOnlyDatabase(GitHubArtifactDatabase(owner, name, ARTIFACT)))


# A walk is long, and interpreted it is slow: neither says anything about a property.
CALM: Final = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    report_multiple_bugs=False,
)
settings.register_profile("dev", CALM, max_examples=EXAMPLES, derandomize=False, database=database())
settings.register_profile("ci", CALM, max_examples=EXAMPLES, derandomize=True, database=None, print_blob=True)
settings.register_profile("nightly", CALM, max_examples=ROUND, derandomize=False, database=database(), print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A property says itself what one of its examples costs, and has fewer; those that need Stockfish need it in CI."""
    for item in items:
        if HERE in item.path.parents and isinstance(item, pytest.Function) and hasattr(item.module, "COST"):
            settings(max_examples=max(1, settings().max_examples // item.module.COST))(item.obj)
    try:
        find_stockfish()
    except EngineError as error:
        for item in items:
            if HERE in item.path.parents and "stockfish" in item.path.stem and not os.environ.get("CI"):
                item.add_marker(pytest.mark.skip(reason=str(error)))


# ---------------------------------------------------------------- the time budget


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Under the profile nightly, run a property again and again, each time with new examples, until it
    fails or its share of the time is spent: Hypothesis itself counts examples, not seconds."""
    if settings.get_current_profile_name() != "nightly" or HERE not in item.path.parents:
        return None
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    began = time.monotonic()
    deadline = began + SECONDS * workers / len(item.session.items)
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    while True:
        started = time.monotonic()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        now = time.monotonic()
        if not all(report.passed for report in reports) or now + (now - started) > deadline:
            break
        item._initrequest()  # type: ignore[attr-defined]  # what plugins that repeat a test do before the next time
    for report in reports:
        if report.when == "call":
            report.duration = now - began
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


# ---------------------------------------------------------------- what lasts


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Keep the walk a property failed on as a `.walk` file: an example database is bound to its version."""
    if FOUND and call.excinfo is not None and HERE in item.path.parents:
        for entry in reversed(call.excinfo.traceback):
            walk = entry.frame.f_locals.get("walk")
            if isinstance(walk, Walk):
                keep(walk, item, call.excinfo.value)
                break
    return (yield)


def keep(walk: Walk, item: Any, error: BaseException) -> None:
    """Write the finding; a property says itself which facet it is about and where the fault lies."""
    facet: Facet = getattr(item.module, "FACET", Facet.INVARIANTS)
    verdict: Verdict = getattr(item.module, "VERDICT", Verdict.MAKE)
    found = Divergence(
        walk=walk,
        facet=facet,
        verdict=verdict,
        kind=item.path.stem.removeprefix("test_").replace("_", " "),
        subject="own",
        witness="itself",
        expected=(item.module.__doc__ or "the property holds").removeprefix("Claim: "),
        actual=f"{type(error).__name__}: {error}"[:500],
        notes={"test": item.nodeid},
    )
    write_finding(finding_path(FOUND or ".", found), found)
