"""Text that every format needs: made safe to show, quoted for a shell, linked, counted."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import quote as percent

from refute.divergence import Divergence
from refute.explain import board_after, explain
from refute.kinds import NAMES
from refute.shrink import UNFINISHED
from refute.states import COMPLAINT
from refute.walk import Walk

LONGEST_SHOWN = 20_000


def printable(text: str, *, lines: bool = False) -> str:
    """Show what would steer a terminal, a parser or the reading direction as an escape instead.

    >>> printable("\\x1b[31mred")
    '\\\\x1b[31mred'
    """
    if len(text) > LONGEST_SHOWN:
        text = f"{text[:LONGEST_SHOWN]}… ({len(text)} characters)"
    if lines:
        text = text.replace("\r\n", "\n")
    return "".join(letter if _is_safe(letter, lines=lines) else ascii(letter)[1:-1] for letter in text)


def _is_safe(letter: str, *, lines: bool) -> bool:
    if letter == "\n":
        return lines
    # Combining marks are printable but pile up over their neighbours without limit.
    return letter.isprintable() and unicodedata.category(letter) not in ("Mn", "Me", "Co")


def shell_quote(text: str) -> str:
    """Quote one word for a shell so that it pastes as it was, control characters included."""
    if text.isprintable():
        return shlex.quote(text)
    # Only $'…' can say a control character in visible letters.
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{''.join(letter if letter.isprintable() else _bytes(letter) for letter in escaped)}'"


def _bytes(letter: str) -> str:
    # What a process printed reaches us with its undecodable bytes as lone surrogates.
    errors = "surrogateescape" if "\udc80" <= letter <= "\udcff" else "replace"
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", errors))


BUILT_IN: Final = ("own", "own:pure", "python-chess", "stockfish")
NO_WITNESS: Final = ("", "itself")  # what a finding says that needed none


def witnesses_of(divergence: Divergence) -> list[str]:
    """The witnesses a finding names, one by one; none where the subject convicted itself."""
    return [witness for witness in divergence.witness.split(", ") if witness not in NO_WITNESS]


def _is_built_in(engine: str) -> bool:
    return engine in BUILT_IN or engine.startswith("fault:")


def _trust(divergence: Divergence) -> str:
    # A file that names a program to start is believed only when the user says so.
    return "" if all(map(_is_built_in, (divergence.subject, *witnesses_of(divergence)))) else " --trust"


def depth_of(divergence: Divergence) -> int | None:
    """How deep to count so that the finding shows, where it says so; None where nothing need be counted."""
    told = divergence.notes.get("depth")
    # Notes may come from a file, and True is an int too.
    return told if type(told) is int and told > 1 else None


def command_for(divergence: Divergence, path: str | None = None) -> str:
    """The command that shows the divergence again, ready to paste into a shell."""
    kept = path if path is not None else divergence.notes.get("path")
    if kept is not None:
        return f"refute replay {shell_quote(str(kept))}{_trust(divergence)}"
    words = ["refute", "replay", "--engine", divergence.subject]
    for witness in witnesses_of(divergence):
        words += ["--against", witness]
    depth = depth_of(divergence)
    if depth is not None:
        words += ["--depth", str(depth)]
    if divergence.walk.chess960:
        words.append("--chess960")
    return " ".join(shell_quote(word) for word in (*words, str(divergence.walk)))


def shrink_command(divergence: Divergence) -> str:
    """The command that goes on where shrinking was cut short; empty where there is nothing to go on with."""
    kept = divergence.notes.get("path")
    if kept is None or divergence.notes.get("shrunk") not in UNFINISHED:
        return ""
    return f"refute shrink {shell_quote(str(kept))}{_trust(divergence)}"


def sentence_for(divergence: Divergence) -> str:
    """The explanation the divergence carries, or the one its position gives."""
    return divergence.explanation or explain(divergence)


def spoken(name: str) -> str:
    """A kind of move, or a rule, as one says it.

    >>> spoken("missing promotion to r")
    'missing promotion to a rook'
    """
    return re.sub(r"\bpromotion to ([nbrq])$", lambda match: f"promotion to a {NAMES[match[1]]}", name)


def shrunk_from(divergence: Divergence) -> str:
    """What the walk was before it was shrunk; empty where it is the same still."""
    original = divergence.original
    if original is None or original == divergence.walk:
        return ""
    men = replace(divergence, walk=original).pieces
    moves = count(len(original), "move") if original.moves else "no moves"
    return f"{men} {'man' if men == 1 else 'men'} and {moves}"


MARKS: Final = re.compile(r"(?:! )?\s*[~^]+\s*")  # under the code of a traceback
CODE: Final = re.compile(r"(?:! )?\s{4,}\S.*")


def last_lines(transcript: Sequence[str], most: int) -> list[str]:
    """The last lines exchanged, about so many; of a traceback no line of code without the file it stands in."""
    lines = [line for line in transcript if MARKS.fullmatch(line) is None]
    first = max(len(lines) - most, 0)
    while first and CODE.fullmatch(lines[first]):
        first -= 1
    return lines[first:]


def with_version(name: str, version: str) -> str:
    """An engine and its version, its name said once.

    >>> with_version("stockfish", "Stockfish 15.1"), with_version("own", "refute 0.1.0")
    ('Stockfish 15.1', 'own refute 0.1.0')
    """
    return version if version.lower().startswith(f"{name.lower()} ") else f"{name} {version}"


def expected_by(divergence: Divergence) -> str:
    """Who says what was expected; nobody where our own board found a fault in itself."""
    return "" if divergence.expected == COMPLAINT else divergence.witness


def end_fen(walk: Walk) -> str | None:
    """The FEN at the end of a walk, where python-chess can follow it."""
    board = board_after(walk)
    # Always with the en passant square: a reader who pastes it must get the same position.
    return board.fen(en_passant="fen") if board is not None else None


def lichess_link(walk: Walk) -> str | None:
    """An analysis board of the walk's last position."""
    fen = end_fen(walk)
    if fen is None:
        return None
    variant = "chess960" if walk.chess960 else "standard"
    colour = "black" if fen.split()[1] == "b" else "white"
    return f"https://lichess.org/analysis/{variant}/{percent(fen.replace(' ', '_'), safe='/_-')}?color={colour}"


def slug(text: str) -> str:
    """Letters, digits and single underscores: fit for a name in any language.

    >>> slug("moves/movegen/king-side castle")
    'moves_movegen_king_side_castle'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:80] or "finding"


def unique(names: Iterable[str]) -> list[str]:
    """Number the names that come more than once."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result


def marked(moves: Iterable[str], odd: Iterable[str]) -> list[tuple[str, bool]]:
    """The moves in order, each with whether it is one of the odd ones; duplicates are counted.

    >>> marked(["e2e4", "g1f3", "g1f3"], ["g1f3"])
    [('e2e4', False), ('g1f3', False), ('g1f3', True)]
    """
    listed = sorted(moves)
    left, odds = Counter(listed), Counter(odd)
    result = []
    for move in listed:
        result.append((move, left[move] <= odds[move]))
        left[move] -= 1
    return result


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "walk"), count(1200, "walk")
    ('1 walk', '1,200 walks')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
