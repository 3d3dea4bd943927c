"""The only place that meets libraries and processes: every engine behind one small protocol."""

from refute.engines.protocol import (
    Ability,
    Answer,
    Complaint,
    Engine,
    Fault,
    Question,
    Trouble,
)
from refute.engines.spec import find_stockfish, open_engine

__all__ = [
    "Ability",
    "Answer",
    "Complaint",
    "Engine",
    "Fault",
    "Question",
    "Trouble",
    "find_stockfish",
    "open_engine",
]
