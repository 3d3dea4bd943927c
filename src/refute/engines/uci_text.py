"""What UCI engines print, made into answers: perft lines, the display of `d`, FENs and transcripts.

bytes of a whole batch ──Reading.feed──▶ one Count and one Display per case
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from refute.board.move import encode_uci
from refute.walk import Walk

TRANSCRIPT_LINES: Final = 40
TRANSCRIPT_WIDTH: Final = 500
_USUAL_RIGHTS: Final = frozenset(
    "".join(right for bit, right in enumerate("KQkq") if mask >> bit & 1) for mask in range(16)
)

# One alternation over whole chunks: everything else an engine prints (`info string …`, the drawn board
# of `d`) is skipped at the regular expression's speed, not at Python's.
_LINES: Final = re.compile(
    rb"""^[ \t]*(?:
        ([a-h][1-8][a-h][1-8][nbrqNBRQ]?) (?:[ \t]*[:=-][ \t]*|[ \t]+) ([0-9]{1,20})   # e2e4: 1
      | (nodes[ ]searched|nodes|total[ ]nodes|total|leaf[ ]nodes|leaves|perft(?:[ ]?\(?[0-9]+\)?)?)
            (?:[ \t]*[:=][ \t]*|[ \t]+) ([0-9]{1,20})                                   # Nodes searched: 20
      | (readyok)
      | (fen|checkers):[ \t]*([^\r\n]*?)
      | (bestmove)\b[^\r\n]*
    )[ \t]*\r?$""",
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)


class _Codes(dict[bytes, int]):
    """UCI text to code, remembered: the same few thousand texts come back millions of times."""

    def __missing__(self, text: bytes) -> int:
        code = self[text] = encode_uci(text.decode("ascii").lower())
        return code


_codes: Final = _Codes()


@dataclass(slots=True)
class Count:
    """What one `go perft` said: its lines in order, and the total it gave."""

    codes: list[int] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    total: int = 0


@dataclass(slots=True)
class Display:
    """What one `d` said, as far as it concerns us."""

    fen: bytes | None = None
    checkers: bytes | None = None


class Reading:
    """Sorts a batch's output by case, for engines that count aside and for engines that do not.

    Stockfish counts in a thread of its own: `readyok` and the display of case 2 may come before the
    count of case 1 is done. So counts are numbered by their totals and displays by the `readyok`s,
    each in its own order. An answer is *trusted* once some `readyok` found every count asked until
    then already there: a case that was silently skipped can then not have shifted the later ones.
    """

    def __init__(self, *, counting: bool, label: bytes | None = None) -> None:
        self.counts: list[Count] = []
        self.displays: list[Display] = []
        self.trusted = 0
        self.label = label  # how this engine names its totals; None accepts the first name it uses
        self.has_best_move = False
        self.lone_total: int | None = None  # a total with no move before it, which is none
        self._counting = counting
        self._count = Count()
        self._display = Display()

    @property
    def ready(self) -> int:
        """How many cases' commands it has taken in."""
        return len(self.displays)

    @property
    def listed(self) -> int:
        """How many moves it has listed since the last total."""
        return len(self._count.codes)

    def is_complete(self, cases: int) -> bool:
        return len(self.displays) >= cases and (not self._counting or len(self.counts) >= cases)

    def feed(self, chunk: bytes) -> int:
        """Take in whole lines; tells how many cases went forward."""
        before = len(self.counts) + len(self.displays)
        count = self._count
        for move, nodes, label, total, ready, name, value, _best in _LINES.findall(chunk):
            if move:
                count.codes.append(_codes[move])
                count.nodes.append(int(nodes))
            elif label:
                self._end_count(label.lower(), int(total))
                count = self._count
            elif ready:
                self.displays.append(self._display)
                self._display = Display()
                if len(self.counts) == len(self.displays) or not self._counting:
                    self.trusted = len(self.displays)
            elif not name:
                self.has_best_move = True
            elif name[0] in b"Ff":
                self._display.fen = value
            else:
                self._display.checkers = value
        return len(self.counts) + len(self.displays) - before

    def _end_count(self, label: bytes, total: int) -> None:
        label = label.rstrip(b"0123456789() ")  # "Perft(3)" and "Perft(4)" are one name
        if self.label is None:
            if total and not self._count.codes:
                self.lone_total = total
                return  # a header such as "perft 1": nodes without a move to have them cannot be a total
            self.label = label
        if label == self.label:
            self._count.total = total
            self.counts.append(self._count)
            self._count = Count()


def transcript(sent: Iterable[bytes], received: bytes, complaints: bytes) -> tuple[str, ...]:
    """The last lines of an exchange: `>` we said, `<` it said, `!` it said on stderr; all printable."""
    lines = [("> ", line) for block in sent for line in block.splitlines()][-TRANSCRIPT_LINES:]
    lines += [("< ", line) for line in received.splitlines()[-TRANSCRIPT_LINES:]]
    lines += [("! ", line) for line in complaints.splitlines()[-TRANSCRIPT_LINES:]]
    return tuple(mark + printable(line) for mark, line in lines)


def printable(line: bytes) -> str:
    """Untrusted bytes as one line that cannot steer a terminal."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line.decode("utf-8", "backslashreplace"))
    return text if len(text) <= TRANSCRIPT_WIDTH else f"{text[:TRANSCRIPT_WIDTH]}… ({len(text)} characters)"


def house_fen(text: str) -> str | None:
    """An engine's FEN in our conventions, or None when it has not six fields.

    Only what is convention changes: the order and letters of castling rights (`HAha` becomes `KQkq`
    where X-FEN says so) and an en passant square that no legal capture uses. A right without its rook
    or a wrong square stays as it was said, to be compared.
    """
    fields = text.split()
    if len(fields) != 6:
        return None
    placement, turn, rights, en_passant, halfmove, fullmove = fields
    if rights != "-":
        rights = _house_rights(placement, rights)
    if en_passant != "-" and not _can_capture_en_passant(placement, turn, en_passant):
        en_passant = "-"
    return f"{placement} {turn} {rights} {en_passant} {halfmove} {fullmove}"


def _house_rights(placement: str, rights: str) -> str:
    rows = placement.split("/")
    if rights in _USUAL_RIGHTS or len(rows) != 8:
        return rights
    said = [_house_right(_spread(rows[7 if right.isupper() else 0]), right) for right in rights]
    return "".join(right for _, right in sorted(said))


def _house_right(rank: str, right: str) -> tuple[tuple[bool, int], str]:
    """One right in X-FEN, after what it is sorted by: White first, each side from the h-file on."""
    is_black = right.islower()
    king = rank.find("k" if is_black else "K")
    rooks = [file for file, piece in enumerate(rank) if piece == ("r" if is_black else "R")]
    wing = right.upper()
    if wing == "K":
        return (is_black, -max(rooks, default=7)), right
    if wing == "Q":
        return (is_black, -min(rooks, default=0)), right
    file = ord(wing) - ord("A")
    letter = right
    if file in rooks and king >= 0:
        if file > king and file == max(rooks):
            letter = "k" if is_black else "K"
        elif file < king and file == min(rooks):
            letter = "q" if is_black else "Q"
    return (is_black, -file), letter


def _spread(row: str) -> str:
    return "".join("." * int(c) if c.isdigit() else c for c in row)


def _can_capture_en_passant(placement: str, turn: str, square: str) -> bool:
    # Imported here: only a FEN with an en passant square, or an engine gone astray, needs the library.
    import chess

    try:
        return chess.Board(f"{placement} {turn} - {square} 0 1").has_legal_en_passant()
    except ValueError:
        return True  # not a position; leave the square where it can be seen


def stopped_after(walk: Walk, plies: int, reached: str) -> int | None:
    """How many of the moves lead to where the engine stands, if it is fewer than all; otherwise None."""
    import chess

    stand = reached.split()
    try:
        board = chess.Board(walk.fen, chess960=walk.chess960)
        for played, text in enumerate(walk.moves[:plies]):
            turn = "w" if board.turn else "b"
            if [board.board_fen(), turn, str(board.fullmove_number)] == [*stand[:2], *stand[5:6]]:
                return played
            move = board.parse_uci(text)
            board.push(move)
    except ValueError:
        return None
    return None
