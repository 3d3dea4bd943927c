"""A fixed sample of small mistakes in the board, none of which may survive; every night all of them are tried."""

from __future__ import annotations

import pytest

from refute.mutants import Options, prepare, run_mutants

SAMPLE = 24
PARTS = 2  # so that two processors share the work


@pytest.mark.parametrize("part", range(PARTS))
def test_no_mutant_of_the_sample_survives(part: int) -> None:
    report = prepare(Options(sample=SAMPLE, walks=64, limit=300))
    report.chosen = report.chosen[part::PARTS]
    run_mutants(report)
    assert not report.interrupted
    assert [outcome.mutant.name for outcome in report.survivors] == []
    assert len(report.killed) == len(report.planned) > SAMPLE // PARTS - 4  # a few are equivalent
    # A sample that only died by crashing would prove little.
    assert {"hunt", "battery", "perft"} & set(report.killers())
