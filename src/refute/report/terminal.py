"""The hunt on a terminal: boards drawn, the divergent move marked, both answers, how to see it again."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Final

import chess
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from refute.divergence import Divergence
from refute.explain import board_after, made_last
from refute.kept import also_of
from refute.report.result import HuntResult
from refute.report.text import (
    command_for,
    count,
    expected_by,
    last_lines,
    marked,
    printable,
    sentence_for,
    shrink_command,
    spoken,
    with_version,
)

MISSING: Final = "green"
EXTRA: Final = "red"
MADE: Final = "yellow"
FAINT: Final = "dim"
LAST_LINES: Final = 10  # of what was exchanged with a subject that crashed
WIDTH_ELSEWHERE: Final = 120  # columns of a file or a log, which nobody folds


def console_for(*, stderr: bool = False) -> Console:
    """A console that colours on a terminal only, and never reads markup or emoji into our text."""
    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
        # A board drawn with a few question marks in it is worth more than a UnicodeEncodeError.
        stream.reconfigure(errors="replace")
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDTH_ELSEWHERE
    return console


def print_result(result: HuntResult, console: Console | None = None) -> None:
    """Tell a person what the hunt found; everything an engine printed is shown with its escapes."""
    # Not cropped: what is to be pasted stays on one line, however narrow the terminal.
    (console or console_for()).print(render_result(result), crop=False)


def print_divergence(divergence: Divergence, console: Console | None = None) -> None:
    """Tell a person of one finding, as `drill`, `shrink` and `replay` do."""
    (console or console_for()).print(render_divergence(divergence), crop=False)


def render_result(result: HuntResult) -> RenderableType:
    """The whole report as one renderable."""
    parts: list[RenderableType] = []
    for divergence in result.divergences:
        parts += [render_divergence(divergence), Text()]
    for quarantine in result.quarantined:
        parts.append(Rule(Text("the witnesses disagree", style=MADE), style=FAINT, align="left"))
        parts.append(_text(str(quarantine.walk)))
        parts += [_fact(witness, answer) for witness, answer in quarantine.answers]
        parts.append(Text())
    if result.features and not result.divergences:
        # What "nothing refuted" is worth. A finding needs no such table, and must not scroll away under it.
        parts += [_features(result.features), Text()]
    if result.skipped:
        parts.append(Text("Not checked", style="bold"))
        parts += [Padding(_text(f"{skip.check}: {skip.why}"), (0, 0, 0, 2)) for skip in result.skipped]
        parts.append(Text())
    parts.append(_summary(result))
    return Group(*parts)


def _summary(result: HuntResult) -> Text:
    text = Text()
    if result.divergences:
        text.append(f"refuted: {count(len(result.divergences), 'finding')}", style=f"bold {EXTRA}")
    else:
        text.append("nothing refuted", style=f"bold {MISSING}")
    against = ", ".join(result.witnesses) or "no witness"
    text.append(printable(f" in {result.subject} against {against}: "))
    text.append(f"{count(result.walks, 'walk')}, {count(result.positions, 'position')}, ")
    text.append(f"{count(result.nodes, 'node')} in {result.seconds:.1f} s, seed {result.seed}")
    if result.interrupted:
        text.append(" (interrupted)", style=MADE)
    return text


def render_divergence(divergence: Divergence) -> RenderableType:
    """One finding: the board beside the facts, then what to paste."""
    title = Text(printable(str(divergence.signature)), style="bold")
    if divergence.count > 1:
        title.append(f"  seen on {count(divergence.count, 'walk')}", style=FAINT)
    facts = Group(_text(sentence_for(divergence)), Text(), *_facts(divergence))
    board = _board(divergence)
    body: RenderableType = facts
    if board is not None:
        grid = Table.grid(padding=(0, 3))
        grid.add_column(no_wrap=True)
        grid.add_column(ratio=1, overflow="fold")
        grid.add_row(board, facts)
        body = grid
    after: list[RenderableType] = [Text(), *_paste(divergence)]
    return Group(Rule(title, style=FAINT, align="left"), body, *after)


def _text(text: str, style: str = "") -> Text:
    return Text(printable(text), style=style, overflow="fold")


def _fact(name: str, value: str | Text) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True, max_width=24, overflow="ellipsis")
    grid.add_column(overflow="fold")
    grid.add_row(_text(name, FAINT), _text(value) if isinstance(value, str) else value)
    return grid


def _facts(divergence: Divergence) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_row(_text("expected", FAINT), _text(expected_by(divergence), FAINT))
    table.add_row("", _answer(divergence.expected_moves, divergence.missing, divergence.expected, MISSING))
    table.add_row(_text("actual", FAINT), _text(divergence.subject, FAINT))
    table.add_row("", _answer(divergence.actual_moves, divergence.extra, divergence.actual, EXTRA))
    if divergence.missing:
        table.add_row(_text("missing", MISSING), _text(" ".join(divergence.missing), MISSING))
    if divergence.extra:
        table.add_row(_text("extra", EXTRA), _text(" ".join(divergence.extra), EXTRA))
    for number, rule in enumerate(also_of(divergence)):
        table.add_row(_text("" if number else "also", FAINT), _text(rule, FAINT))
    yield table


def _answer(moves: tuple[str, ...], odd: tuple[str, ...], said: str, style: str) -> Text:
    """The move list with the difference marked, or what was said where no moves were compared."""
    if not moves:
        return _text(said or "-")
    text = Text(overflow="fold")
    for number, (move, is_odd) in enumerate(marked(moves, odd)):
        text.append(" " if number else "")
        # Brackets, so that the mark survives where colours do not.
        text.append(printable(f"[{move}]" if is_odd else move), style=f"bold {style}" if is_odd else "")
    return text


def _paste(divergence: Divergence) -> Iterator[RenderableType]:
    command = printable(command_for(divergence))
    yield Text(str(divergence.walk), no_wrap=True, overflow="ignore")
    yield Text.assemble(("$ ", FAINT), (command, "bold"), no_wrap=True, overflow="ignore")
    if again := shrink_command(divergence):
        yield Text.assemble(("$ ", FAINT), printable(again), ("  makes it smaller still", FAINT), overflow="ignore")
    if divergence.versions:
        told = ", ".join(with_version(*pair) for pair in divergence.versions)
        yield _text(told, FAINT)
    if divergence.transcript:
        yield Text("last lines exchanged", style=FAINT)
        for line in last_lines(divergence.transcript, LAST_LINES):
            yield Padding(_text(line), (0, 0, 0, 2))


def _marks(divergence: Divergence) -> dict[int, str]:
    """Which squares to colour: where the divergent moves leave and land."""
    made = made_last(divergence) or divergence.facet != "moves"
    moves: list[tuple[str, str]] = [(move, MISSING) for move in divergence.missing]
    moves += [(move, EXTRA) for move in divergence.extra]
    if divergence.move is not None:
        style = MADE if made else MISSING if divergence.move in divergence.missing else EXTRA
        moves = [(divergence.move, style)]
    marks: dict[int, str] = {}
    for uci, style in moves[:1]:
        for name in (uci[:2], uci[2:4]):
            if name in chess.SQUARE_NAMES:
                marks[chess.parse_square(name)] = style
    return marks


def _board(divergence: Divergence) -> RenderableType | None:
    """The position in which the divergent move is made, with it marked."""
    walk = divergence.walk.prefix(len(divergence.walk) - 1) if made_last(divergence) else divergence.walk
    board = board_after(walk)
    if board is None:
        return None
    marks = _marks(divergence)
    lines: list[Text] = []
    for rank in range(7, -1, -1):
        line = Text(f"{rank + 1} ", style=FAINT)
        for square in range(rank * 8, rank * 8 + 8):
            line.append_text(_square(board, square, marks))
        lines.append(line)
    lines.append(Text("   a  b  c  d  e  f  g  h", style=FAINT))
    lines.append(Text(f"   {'White' if board.turn else 'Black'} to move", style=FAINT))
    return Group(*lines)


def _square(board: chess.Board, square: int, marks: dict[int, str]) -> Text:
    piece = board.piece_at(square)
    letter = piece.symbol() if piece else "."
    if square in marks:
        # Brackets mark the move where there is no colour; reverse video where there is.
        return Text(f"[{letter}]", style=f"bold reverse {marks[square]}")
    return Text(f" {letter} ", style="bold" if piece else FAINT)


def _features(features: dict[str, int]) -> RenderableType:
    """Every rule and how many positions showed it, in two columns; what was never seen comes last."""
    table = Table.grid(padding=(0, 2))
    for _ in range(2):
        table.add_column(overflow="fold", max_width=29)
        table.add_column(justify="right", no_wrap=True)
    seen = [(name, times) for name, times in _by_count(features.items()) if times]
    half = (len(seen) + 1) // 2
    for left, right in zip_longest(seen[:half], seen[half:]):
        table.add_row(*(cell for pair in (left, right) if pair for cell in (_text(spoken(pair[0])), f"{pair[1]:,}")))
    parts: list[RenderableType] = [Text("Rules exercised", style="bold"), Padding(table, (0, 0, 0, 2))]
    never = [name for name, times in features.items() if not times]
    if never:
        parts.append(Padding(_text(f"never seen: {', '.join(sorted(map(spoken, never)))}", EXTRA), (0, 0, 0, 2)))
    return Group(*parts)


def _by_count(features: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(features, key=lambda item: (-item[1], item[0]))
