"""What is claimed of an engine, one test each; `refute.pytest_plugin` runs one hunt for all of them.

A finding refutes exactly one claim, the most particular. A claim that could not be checked is skipped,
with why, and never passed; where the hunt compared nothing at all, every claim of it fails.
"""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from refute.board.epd import parse_line
from refute.divergence import Facet
from refute.engines.limits import hurried
from refute.engines.protocol import Engine
from refute.suite import claims
from refute.suite.counts import CutShort, check_count, why_uncounted
from refute.suite.session import Session, failure_text


def judge(session: Session, claim: claims.Claim) -> None:
    """Fail with what refutes the claim, or because nothing was compared, or skip with why it could not be checked."""
    __tracebackhide__ = True
    found = [one for one in session.findings if claims.claim_of(one) is claim]
    if found:
        pytest.fail(failure_text(found), pytrace=False)
    nothing = session.run.why_nothing(claim)
    if nothing:
        # Skipped, or passed, a run that has shown nothing would look like a good one.
        pytest.fail(nothing, pytrace=False)
    why = session.run.why_not(claim)
    if why:
        pytest.skip(why)


def test_moves_match(refute_hunt: Session) -> None:
    """The legal moves are the witnesses', whichever way a position is given."""
    judge(refute_hunt, claims.MOVES)


def test_perft_matches(refute_hunt: Session) -> None:
    """Counts agree below every position, also where every move list does."""
    judge(refute_hunt, claims.PERFT)


def test_path_equals_fen(refute_hunt: Session) -> None:
    """A position has the same moves and the same check whether moves led there or its FEN was read."""
    judge(refute_hunt, claims.PATH)


def test_check_matches(refute_hunt: Session) -> None:
    """The side to move is in check when the witnesses say so."""
    judge(refute_hunt, claims.CHECK)


def test_fen_is_read_and_written_right(refute_hunt: Session) -> None:
    """A FEN that is read is written back as the witnesses write it."""
    judge(refute_hunt, claims.READING)


def test_fen_after_each_move_matches(refute_hunt: Session) -> None:
    """After every move the position is the witnesses', rights, en passant square and clocks included."""
    judge(refute_hunt, claims.FEN)


def test_outcome_matches(refute_hunt: Session) -> None:
    """The game is over, and why, when the witnesses say so."""
    judge(refute_hunt, claims.OUTCOME)


def test_key_matches_position(refute_hunt: Session) -> None:
    """Equal positions have equal keys, different ones different keys."""
    judge(refute_hunt, claims.KEY)


def test_unmake_restores(refute_hunt: Session) -> None:
    """Unmake brings back everything that make changed."""
    judge(refute_hunt, claims.RESTORE)


def test_invariants_hold(refute_hunt: Session) -> None:
    """After every make the engine's own state is sound."""
    judge(refute_hunt, claims.INVARIANTS)


def test_null_move_restores(refute_hunt: Session) -> None:
    """A null move changes what it should, and its unmake brings it back."""
    judge(refute_hunt, claims.NULL)


def test_survives(refute_hunt: Session) -> None:
    """The engine neither crashes nor hangs."""
    judge(refute_hunt, claims.SURVIVES)


def test_chess960(refute_hunt: Session) -> None:
    """What holds in standard chess holds in Chess960."""
    judge(refute_hunt, claims.CHESS960)


def test_published_perft_counts(refute_session: Session, refute_engine: Engine) -> None:
    """The counts everyone publishes come out, as deep as a tenth of the time allows."""
    session = refute_session
    why = why_uncounted(refute_engine)
    if why:
        pytest.skip(why)
    until = time.monotonic() + min(session.run.reserve, max(session.run.left(), 0.0))
    # The first count is waited for whatever it takes, unless the engine is known to hang.
    hangs = any(found.facet is Facet.TIMEOUT for found in session.findings)
    cases = [parse_line(line) for line in claims.PUBLISHED_COUNTS]
    counted = 0
    for depth in range(1, 6):
        for case in cases:
            if depth not in case.counts or (counted and time.monotonic() > until):
                continue
            try:
                with hurried([refute_engine], until if counted or hangs else None):
                    wrong = check_count(case, depth, session.cast, seconds=until - time.monotonic())
            except CutShort:
                continue
            counted += 1
            if wrong is not None:
                found = wrong.divergence
                found = session.run.keep(replace(found, notes={**found.notes, "claim": claims.PUBLISHED.test}))
                pytest.fail(f"{wrong.text}\n{failure_text([found])}", pytrace=False)
    if not counted:
        pytest.skip("no count came in the time that was left")
