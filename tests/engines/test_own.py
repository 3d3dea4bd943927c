"""Our own board as an engine says what is wrong with it in the most telling way."""

from __future__ import annotations

from refute.engines.faulty import open_fault
from refute.engines.protocol import Ability, Answer, Question
from refute.walk import Walk


def test_a_board_that_is_not_restored_complains_before_it_counts() -> None:
    walk = Walk("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    asks = frozenset({Ability.MOVES, Ability.PERFT, Ability.STATE})
    (answer,) = open_fault("castling-rook-not-undone").along(walk, Question(asks, depth=3))
    assert isinstance(answer, Answer), "counting on a broken board crashes, which tells less"
    assert answer.complaint is not None
    assert "h1 was a white rook, is empty" in answer.complaint.text
    assert answer.divide is None
