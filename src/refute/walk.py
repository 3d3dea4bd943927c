"""A walk: a start FEN and UCI moves, the one shape in which positions travel through refute.

Walk(fen, moves)  ──str──▶  position fen <fen> moves <moves>     pastes into any UCI engine
                  ◀─parse──
"""

from __future__ import annotations

from dataclasses import dataclass

from refute.board.move import encode_uci
from refute.errors import InputError, WalkError, quote

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LONGEST_FEN = 120
LONGEST_WALK = 4096


@dataclass(frozen=True, slots=True)
class Walk:
    """A start FEN and UCI moves; nothing in it can end a line of UCI or start another."""

    fen: str
    moves: tuple[str, ...] = ()
    chess960: bool = False

    def __post_init__(self) -> None:
        # Eager, because a walk is written to engines' pipes: a newline here would be a command there.
        if len(self.fen) > LONGEST_FEN or not self.fen.isascii() or not self.fen.isprintable():
            raise WalkError(f"{quote(self.fen)} cannot be a FEN: it must be one short line of ASCII")
        if len(self.moves) > LONGEST_WALK:
            raise WalkError(f"a walk of {len(self.moves)} moves is over the limit of {LONGEST_WALK}")
        for move in self.moves:
            encode_uci(move)

    def __str__(self) -> str:
        if not self.moves:
            return f"position fen {self.fen}"
        return f"position fen {self.fen} moves {' '.join(self.moves)}"

    def __len__(self) -> int:
        """Plies; a walk has one position more than that."""
        return len(self.moves)

    def __bool__(self) -> bool:
        # Without moves it is still a position: `original or walk` must not pass over it.
        return True

    def prefix(self, plies: int) -> Walk:
        """The walk's first plies."""
        return Walk(self.fen, self.moves[:plies], self.chess960)

    def then(self, *moves: str) -> Walk:
        """The walk gone on with."""
        return Walk(self.fen, self.moves + moves, self.chess960)

    @classmethod
    def parse(cls, line: str, *, chess960: bool = False) -> Walk:
        """Read what `str` wrote: `position startpos|fen F [moves …]`."""
        words = line.split()
        if words[:1] != ["position"] or len(words) < 2:
            raise WalkError(f"{quote(line)} is not a UCI position command")
        cut = words.index("moves") if "moves" in words else len(words)
        if words[1] == "startpos":
            if cut != 2:
                raise WalkError(f"{quote(line)}: only 'moves' may follow 'startpos'")
            fen = START_FEN
        elif words[1] == "fen":
            fen = " ".join(words[2:cut])
        else:
            raise WalkError(f"{quote(line)}: expected 'startpos' or 'fen' after 'position'")
        try:
            return cls(fen, tuple(words[cut + 1 :]), chess960)
        except InputError as error:
            raise WalkError(str(error)) from None
