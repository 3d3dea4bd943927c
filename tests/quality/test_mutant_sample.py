"""A fixed sample of small mistakes in the board, none of which may survive; every night all of them are tried."""

from __future__ import annotations

from refute.mutants import Options, prepare, run_mutants
from refute.mutating import Mutant

SAMPLE = 24
SECOND = 6  # the sample of a second run
OLD, NEW = "DEEPEST = 99", "DEEPEST = 90 + 9"


def harmless_edit(source: str) -> Mutant:
    """No mistake at all. Being outside of all functions, it is tried on every check there is."""
    assert source.count(OLD) == 1
    start = source.encode().index(OLD.encode())
    line = source.encode().count(b"\n", 0, start) + 1
    return Mutant(f"module: {NEW}", "module", line, "edit", start, start + len(OLD.encode()), NEW)


def test_no_mutant_of_the_sample_survives_and_the_true_board_differently_written_does(is_second_run: bool) -> None:
    sample = SECOND if is_second_run else SAMPLE
    report = prepare(Options(sample=sample, walks=4, limit=300))
    mistakes = len(report.planned)
    # A check that the true board fails would prove nothing of a mutant that fails it too.
    harmless = [] if is_second_run else [harmless_edit(report.source)]
    report.chosen += harmless
    run_mutants(report)
    assert not report.interrupted
    assert [outcome.mutant for outcome in report.survivors] == harmless
    assert all(f"+{NEW}" in survivor["diff"] for survivor in report.to_json()["survivors"])
    assert report.is_clean is is_second_run
    assert len(report.killed) == mistakes > sample * 2 // 3  # a few are equivalent
    # A sample that only died by crashing would prove little.
    assert {"hunt", "battery", "perft"} & set(report.killers())
