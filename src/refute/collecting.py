"""Files as tests: a `.walk` file is replayed, a perft `.epd` file is counted position by position."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from refute.board.epd import PerftCase, read_suite
from refute.divergence import Divergence
from refute.errors import RefuteError, quote
from refute.finding import FORMAT
from refute.kept import other_walks
from refute.regression import compare, is_unrepeatable, witness_specs
from refute.report.text import printable
from refute.suite.counts import check_count, depths_within, why_uncounted
from refute.suite.run import FILE
from refute.suite.session import Session, failure_text
from refute.targets import SAFE, Engines, Wish, read_target

LOOKED_AT: Final = 64 * 1024  # bytes at the head of a file that tell what it is


def collect_file(
    path: Path, parent: pytest.Collector, session: Session, *, is_named: bool = False
) -> pytest.Collector | None:
    """A collector for a file that is ours; any other of the same ending is none of our business.

    A `.walk` file that the user named is ours whatever it holds: a test says what is wrong with it.
    """
    if not _is_ours(path) and not (is_named and path.suffix == ".walk"):
        return None
    kind = WalkFile if path.suffix == ".walk" else PerftFile
    return kind.from_parent(parent, path=path, known=session)


def _is_ours(path: Path) -> bool:
    """Whether the first line that says something is one of a `.walk` file or of a perft suite."""
    try:
        with path.open("rb") as file:
            head = file.read(LOOKED_AT)
    except OSError:
        return False
    lines = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    if path.suffix == ".walk":
        return lines[:1] == [f"# format: {FORMAT}"]
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return ";D" in first.replace(" ", "")


class _File(pytest.File):
    def __init__(self, *, known: Session, **rest: Any) -> None:
        super().__init__(**rest)
        self.known = known


class WalkFile(_File):
    """A `.walk` file: one test."""

    def collect(self) -> Iterable[pytest.Item]:
        yield WalkItem.from_parent(self, name="replay", known=self.known)


class PerftFile(_File):
    """A perft suite: one test a position."""

    def collect(self) -> Iterable[pytest.Item]:
        try:
            cases = read_suite(self.path)
        except RefuteError as error:
            raise self.CollectError(str(error)) from None
        for number, case in enumerate(cases, 1):
            yield PerftItem.from_parent(self, name=f"position {number}", known=self.known, case=case)


class _Item(pytest.Item):
    """A test whose failure is a finding: it shows the finding, and nothing of how it was found."""

    def __init__(self, *, known: Session, **rest: Any) -> None:
        super().__init__(**rest)
        self.known = known

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, RefuteError | OSError):
            return f"refute could not run: {printable(str(excinfo.value))}"
        return super().repr_failure(excinfo, style)

    def fail(self, found: Divergence, *, headline: str = "") -> None:
        """Fail with a finding that the report tells too."""
        named = {"claim": self.nodeid, FILE: str(self.path)}
        kept = self.known.run.keep(dataclasses.replace(found, notes={**found.notes, **named}))
        # A suite of positions is no finding that could be replayed.
        shown = found if self.path.suffix == ".epd" else kept
        pytest.fail("\n".join(filter(None, [headline, failure_text([shown])])), pytrace=False)


class WalkItem(_Item):
    """Passes when the subject agrees with its witnesses along the walk."""

    def runtest(self) -> None:
        session = self.known
        target = read_target(str(self.path), chess960=False)
        assert target.finding is not None  # it is a file
        given = session.options.engine if session.is_engine_given else None
        subject = given or target.finding.subject
        if given is None and not _is_harmless(subject):
            pytest.skip(f"a file does not start programs: it names {quote(subject)}; add --refute-engine SPEC")
        against = session.options.against
        if not against:
            named = witness_specs([target.finding.witness], subject=subject)
            against = tuple(spec for spec in named if _is_harmless(spec) and spec != subject)
            against = against or witness_specs((), subject=subject)
        with Engines(Wish(given, against, False, session.options.timeout)) as engines:
            comparer = engines.comparer(target)
            walks = (target.walk, *other_walks(target.finding))
            found = next(filter(None, (compare(comparer, walk) for walk in walks)), None)
        if found is not None:
            self.fail(found)
        if is_unrepeatable(target.finding):
            pytest.skip("not seen again, which proves nothing: it did not come back when it was found either")

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"replay {self.path.name}"


class PerftItem(_Item):
    """Passes when the subject counts what the suite says, as deep as --refute-nodes allows."""

    def __init__(self, *, case: PerftCase, **rest: Any) -> None:
        super().__init__(**rest)
        self.case = case

    def runtest(self) -> None:
        session = self.known
        why = why_uncounted(session.cast.subject, chess960=self.case.chess960)
        if why:
            pytest.skip(why)
        depths = depths_within(self.case, session.nodes)
        if not depths:
            pytest.skip(f"every count is above --refute-nodes {session.nodes}")
        for depth in depths:
            wrong = check_count(self.case, depth, session.cast)
            if wrong is not None:
                self.fail(wrong.divergence, headline=wrong.text)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"perft {self.case.fen}"


def _is_harmless(spec: str) -> bool:
    # A file may come from anyone: it must not choose which program runs, or what is imported.
    return spec in SAFE or spec.startswith("fault:")
