"""Claim: moves, null moves, take-backs and copies in any order keep every invariant, python-chess beside them."""

from __future__ import annotations

from typing import Any

import chess
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import refute.board
from refute.strategies import walks
from refute.walk import Walk


class Interleaved(RuleBasedStateMachine):
    board: Any = refute.board  # a test of this test puts a faulty one in its place

    @initialize(walk=walks(max_plies=8) | walks(chess960=True, max_plies=8))
    def set_up(self, walk: Walk) -> None:
        self.position = self.board.fen.parse(walk.fen, chess960=walk.chess960)
        self.witness = chess.Board(walk.fen, chess960=walk.chess960)
        self.before: list[dict[str, object]] = []  # what each take-back must bring back
        self.aside: list[tuple[Any, dict[str, object]]] = []  # copies that must stay as they were
        for text in walk.moves:
            self.play(self.position.parse_uci(text))

    def play(self, move: int) -> None:
        self.before.append(self.position.fields())
        self.witness.push_uci(self.position.uci(move))
        self.position.make(move)

    @precondition(lambda self: self.position.count_moves())
    @rule(choice=st.integers(0, 2**16))
    def make(self, choice: int) -> None:
        moves = self.position.legal_moves()
        self.play(moves[choice % len(moves)])

    @precondition(lambda self: not self.position.is_check())
    @rule()
    def make_null(self) -> None:
        self.before.append(self.position.fields())
        self.witness.push(chess.Move.null())
        self.position.make_null()

    @precondition(lambda self: self.before)
    @rule(times=st.integers(1, 12))
    def unmake(self, times: int) -> None:
        for _ in range(min(times, len(self.before))):
            self.witness.pop()
            self.position.unmake()
            assert self.position.fields() == self.before.pop()

    @rule()
    def copy(self) -> None:
        self.aside = [*self.aside[-2:], (self.position, self.position.fields())]
        self.position = self.position.copy()

    @invariant()
    def is_sound(self) -> None:
        assert self.position.validate() is None
        assert self.position.key == self.position.compute_key()
        assert self.position.ply == len(self.before) == len(self.witness.move_stack)
        assert self.board.fen.write(self.position) == self.witness.fen()
        ours = sorted(map(self.position.uci, self.position.legal_moves()))
        assert ours == sorted(move.uci() for move in self.witness.legal_moves)
        assert all(twin.fields() == fields for twin, fields in self.aside)


TestInterleavedMakeUnmake = Interleaved.TestCase
