"""Claim: a shrunk divergence has the signature it was found with, is legal and no larger, and shrinks no further."""

from __future__ import annotations

import chess
from hypothesis import assume, given
from hypothesis import strategies as st

from refute.board import fen
from refute.compare import Comparer
from refute.engines.faulty import FAULTS, open_fault
from refute.engines.python_chess import PythonChessEngine
from refute.shrink import shrink, sort_key
from refute.walking import walk_number

COST = 4  # one example takes as long as this many of the other properties


@given(name=st.sampled_from(sorted(FAULTS)), seed=st.integers(0, 2**32), first=st.integers(0, 31))
def test_shrink_keeps_signature(name: str, seed: int, first: int) -> None:
    chess960 = FAULTS[name].chess960
    comparer = Comparer(open_fault(name), [PythonChessEngine()], chess960=chess960)
    walks = (walk_number(seed, index, chess960=chess960) for index in range(first, first + 4))
    found = next((found for found in (comparer.compare(walk).divergence for walk in walks) if found is not None), None)
    assume(found is not None)
    assert found is not None
    small = shrink(found, comparer, seconds=60.0)
    assert small.notes["shrunk"] == "whole"
    assert small.signature == found.signature
    assert sort_key(small.walk) <= sort_key(found.walk)
    fen.parse(small.walk.fen, chess960=chess960)
    board = chess.Board(small.walk.fen, chess960=chess960)
    for move in small.walk.moves:
        assert board.is_legal(chess.Move.from_uci(move))
        board.push_uci(move)
    again = comparer.compare(small.walk).divergence
    assert again is not None
    assert (again.walk, again.signature) == (small.walk, small.signature)
    assert shrink(small, comparer, seconds=60.0).walk == small.walk
