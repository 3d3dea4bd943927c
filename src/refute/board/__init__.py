"""Chess: a position, its moves, its text. Knows nothing of testing."""

from refute.board.copies import load_interpreted_core, wants_pure

if wants_pure():
    load_interpreted_core()

from refute.board._core import Position, is_compiled  # after the choice of core above

__all__ = ["Position", "is_compiled"]
