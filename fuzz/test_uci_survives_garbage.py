"""Claim: whatever bytes an engine prints, and however it ends, each question gets an Answer or a Fault."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from refute.board import fen
from refute.board.move import decode_uci
from refute.engines.process import Misbehaved
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.engines.uci import UciEngine
from refute.errors import EngineError
from refute.walk import START_FEN, Walk

WALKS = [Walk(START_FEN), Walk(START_FEN, ("e2e4",)), Walk("7k/8/8/8/8/8/8/K7 b - - 0 1")]
QUESTION = Question(frozenset({Ability.MOVES, Ability.PERFT, Ability.FEN, Ability.CHECK}), 1)
DISPLAY = f"Fen: {START_FEN}\nCheckers:\nreadyok\n".encode()
MOVES = [decode_uci(code).encode() for code in fen.start_position().codes()]
COUNT = b"".join(move + b": 1\n" for move in MOVES) + b"Nodes searched: 20\nreadyok\n"
WORDS = b"readyok|uciok|e2e4: 1|e7e8q: 99999999999999999999|Nodes searched: 1|Fen: 8 w|Checkers: e4|bestmove a|\x1b[2J"
LINES = st.sampled_from([*WORDS.split(b"|"), COUNT, DISPLAY]) | st.binary(max_size=20)
CHUNKS = st.lists(st.lists(LINES, max_size=6).map(b"\n".join) | st.binary(max_size=200), max_size=12)


class Scripted:
    """A process that greets, then says what is left of the script, whatever it is asked, and ends."""

    pid, complaints, unfinished = 0, b"\xff", b""

    def __init__(self, script: Iterator[bytes], end: Trouble) -> None:
        self.script, self.end, self.greeting = script, end, [b"uciok\n", b"readyok\n"]

    def send(self, data: bytes) -> None: ...

    def receive(self, deadline: float) -> bytes:
        if self.greeting:
            return self.greeting.pop(0)
        for chunk in self.script:
            lines, end, self.unfinished = (self.unfinished + chunk).rpartition(b"\n")
            if end:
                return lines + end
        raise Misbehaved(self.end, "ended")

    def close(self) -> None: ...


def check(chunks: list[bytes], end: Trouble) -> None:
    script = iter(chunks)
    with patch("refute.engines.uci.Process", lambda argv: Scripted(script, end)):
        try:
            engine = UciEngine("scripted")
        except EngineError:
            return
        for answer in (answers := engine.at(WALKS, QUESTION)):
            assert isinstance(answer, (Answer, Fault))
            assert isinstance(answer, Answer) or "".join(answer.transcript).isprintable()
        assert len(answers) == len(WALKS)
        assert 1 <= len(engine.along(WALKS[1], QUESTION)) <= 2


@given(st.sampled_from([[], [COUNT], [COUNT, DISPLAY]]), CHUNKS, st.sampled_from([Trouble.CRASH, Trouble.TIMEOUT]))
def test_uci_survives_garbage(probed: list[bytes], chunks: list[bytes], end: Trouble) -> None:
    check(probed + chunks, end)
