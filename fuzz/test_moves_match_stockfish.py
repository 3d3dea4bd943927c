"""Claim: at every position of a walk, our legal moves are Stockfish's, reached by the same moves."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import given

import refute.board
from refute.divergence import Facet, Verdict
from refute.engines.protocol import Ability, Answer, Engine, Question
from refute.engines.spec import open_engine
from refute.strategies import walks
from refute.walk import Walk

FACET, VERDICT = Facet.MOVES, Verdict.MOVEGEN
QUESTION = Question(frozenset({Ability.MOVES, Ability.FEN}))


def check(board: Any, walk: Walk, witness: Engine) -> None:
    position = board.fen.parse(walk.fen, chess960=walk.chess960)
    answers = witness.along(walk, QUESTION)
    assert len(answers) == len(walk) + 1
    for text, answer in zip((*walk.moves, None), answers, strict=True):
        assert isinstance(answer, Answer), answer
        assert position.codes() == answer.moves
        assert board.fen.write(position) == answer.fen
        if text:
            position.make_uci(text)


@cache
def stockfish() -> Engine:
    return open_engine("stockfish")


@given(walks(max_plies=60) | walks(chess960=True, max_plies=60))
def test_moves_match_stockfish(walk: Walk) -> None:
    check(refute.board, walk, stockfish())
