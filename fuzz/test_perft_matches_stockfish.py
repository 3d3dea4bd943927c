"""Claim: below every root move of any position, our perft counts are Stockfish's."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import given

import refute.board
from refute.board import is_compiled
from refute.divergence import Facet, Verdict
from refute.engines.protocol import Ability, Answer, Engine, Question
from refute.engines.spec import open_engine
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.PERFT, Verdict.MOVEGEN
DEPTH = 3 if is_compiled() else 2
QUESTION = Question(frozenset({Ability.PERFT}), DEPTH)


def check(board: Any, walk: Walk, witness: Engine) -> None:
    position = board.fen.parse(walk.fen, chess960=walk.chess960)
    for text in walk.moves:
        position.make_uci(text)
    answer = witness.at([walk], QUESTION)[0]
    assert isinstance(answer, Answer), answer
    assert {position.code(move): nodes for move, nodes in position.divide(DEPTH).items()} == answer.divide
    assert position.perft(DEPTH) == position.perft_hashed(DEPTH, megabytes=1)


@cache
def stockfish() -> Engine:
    return open_engine("stockfish")


@given(walks() | walks(chess960=True))
def test_perft_matches_stockfish(walk: Walk) -> None:
    check(refute.board, walk, stockfish())
