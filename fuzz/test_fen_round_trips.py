"""Claim: any position reached by play is written as a FEN that reads back as that position."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from refute.board import fen
from refute.board._core import Position

CHOICES = st.lists(st.integers(0, 2**16), max_size=120)


def reach(start: int, choices: list[int]) -> Position:
    """The position after these moves, each a number taken modulo the moves there are."""
    position = fen.start_position() if start == 960 else fen.chess960_start(start)
    for choice in choices:
        moves = position.legal_moves()
        if not moves:
            break
        position.make(moves[choice % len(moves)])
    return position


@given(st.integers(0, 960), CHOICES)
def test_reading_what_was_written_gives_the_same_position(start: int, choices: list[int]) -> None:
    played = reach(start, choices)
    chess960 = played.chess960
    always = fen.write(played, en_passant="always")
    assert fen.parse(always, chess960=chess960) == played
    if chess960 and played.castling:
        assert fen.parse(fen.write(played, en_passant="always", shredder=True)) == played
    # The other policy may lose a square, but only one that nothing can take on.
    legal = fen.parse(fen.write(played), chess960=chess960)
    assert (legal == played) is (played.en_passant is None or played.has_legal_en_passant())
    assert legal.key == played.key
    assert legal.codes() == played.codes()
