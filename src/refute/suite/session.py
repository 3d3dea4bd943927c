"""What one process of a pytest session knows: its settings, its engines, and the run it takes part in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from refute.divergence import Divergence
from refute.errors import InputError, RefuteError, quote
from refute.hunter import Options, timeout_within
from refute.regression import tell
from refute.report import ReportTarget, parse_report_option, write_report
from refute.report.text import count, printable
from refute.suite.cast import Cast
from refute.suite.claims import claim_of
from refute.suite.run import FILE, Run
from refute.suite.share import Share, hunt_share, refine_rest
from refute.timing import read_seconds

DEFAULT_TIME = "30s"
ENOUGH_TIME = "1h"
DEFAULT_NODES = "100000"

Ask = Callable[[str], str]


class Session:
    """Read the settings, and wait to be asked for the rest."""

    def __init__(
        self, ask: Ask, *, against: Sequence[str], reports: Sequence[str], folder: Path, run: str, share: Share
    ) -> None:
        """`ask` gives the option of a name as text, empty where it was not given; raises InputError."""
        walks = _read_number(ask("walks"), "--refute-walks") if ask("walks") else None
        # A number of walks is to be walked whole, so that the same number finds the same.
        seconds = read_seconds(ask("time") or (DEFAULT_TIME if walks is None else ENOUGH_TIME))
        self.share = share
        self.is_engine_given = bool(ask("engine"))
        self.nodes = _read_number(ask("nodes") or DEFAULT_NODES, "--refute-nodes")
        self.reports: list[ReportTarget] = [parse_report_option(text) for text in reports]
        self.options = Options(
            engine=ask("engine") or "own",
            against=tuple(against),
            seed=_read_number(ask("seed"), "--refute-seed"),
            walks=walks,
            seconds=seconds,
            keep_going=True,
            timeout=timeout_within(seconds),
            folder=folder,
        )
        self.run = Run(folder / "runs" / run, self.options)
        self.cast = Cast(self.options)
        self.findings: tuple[Divergence, ...] = ()
        self.summary: list[str] = []
        self.unusable = ""  # why its engines could not be used, once that is known

    def hunt(self) -> None:
        """Hunt this process's share of the walks, then hear what the others found."""
        hunt_share(self.run, self.share)
        self.run.wait()
        self.findings = self.run.gather()

    def finish(self, outcomes: dict[str, bool], *, interrupted: bool = False) -> bool:
        """Write the reports and remove the run; False when that failed, or something found has failed no test.

        `outcomes` tells of each of the suite's tests that ran whether it failed.
        """
        if interrupted:
            # Whoever cannot wait for it, or has no engine for it, has the findings as they are.
            with suppress(KeyboardInterrupt, RefuteError):
                refine_rest(self.run)
        self.findings = self.run.gather()
        result = self.run.result(self.findings)
        silent = [found for found in self.findings if outcomes.get(claim_of(found).test) is False and not _file(found)]
        unasked = [found for found in self.findings if claim_of(found).test not in outcomes and not _file(found)]
        if outcomes or self.findings:
            told = "refuted: " + count(len(self.findings), "finding") if self.findings else "nothing refuted"
            if not self.findings and any(outcomes.values()):
                told = "nothing shown, for reasons told above,"
            against = ", ".join(result.witnesses) or "the counts known"
            self.summary.append(
                printable(f"{told} in {result.subject} against {against}: {count(result.walks, 'walk')}, ")
                + f"{count(result.positions, 'position')}, {count(result.nodes, 'node')}, seed {result.seed}"
            )
        is_written = True
        for target in self.reports:
            try:
                paths = write_report(target, result)
                self.summary += [printable(f"{target.format} report: {path}") for path in paths]
            except InputError as error:
                self.summary.append(printable(f"{target.format} report: {error}"))
                is_written = False
        if unasked:
            self.summary += ["found as well, where the test was not asked for:", *map(_line, unasked)]
        if silent:
            # It came after its test was over, or from a process that did not live to tell.
            self.summary += ["found, but too late for its test to fail:", failure_text(silent)]
        self.run.remove()
        return is_written and not silent

    def close(self) -> None:
        self.cast.close()


def failure_text(findings: Sequence[Divergence], most: int = 3) -> str:
    """What a failed test prints: the board, both answers, the sentence and the command of each finding."""
    parts = [tell(found) for found in findings[:most]]
    parts += [_line(found) for found in findings[most:]]
    return "\n\n".join(parts)


def _line(found: Divergence) -> str:
    return printable(f"{found.signature}  {found.notes.get('path', '')}  {found.walk}")


def _file(found: Divergence) -> bool:
    """Whether it comes from a file that was collected as a test of its own."""
    return FILE in found.notes


def _read_number(text: str, option: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 30):
        raise InputError(f"{option} is {quote(text)}, expected a number")
    return int(text)
