"""Findings as Markdown, ready to paste as an issue."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

import chess

from refute.divergence import Divergence
from refute.explain import board_after, made_last
from refute.kept import also_of
from refute.report.result import HuntResult
from refute.report.text import (
    command_for,
    count,
    end_fen,
    expected_by,
    lichess_link,
    marked,
    printable,
    sentence_for,
    shrunk_from,
    spoken,
)


def render_markdown(result: HuntResult) -> str:
    """One section for each finding; whatever an engine printed stands in code, never in markup."""
    parts = [f"# {_title(result)}", _summary(result)]
    for signature, divergences in result.groups().items():
        for divergence in divergences:
            parts.append(f"## {_escape(str(signature))}")
            parts.extend(_finding(divergence, result))
    if result.quarantined:
        parts.append("## The witnesses disagree")
        parts.append("Nobody is blamed for these: one of the witnesses is wrong.")
        parts.extend(_quarantined(result))
    parts.append(_coverage(result))
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(result: HuntResult) -> str:
    if not result.divergences:
        return f"Nothing refuted in {_code(result.subject)}"
    return f"{count(len(result.divergences), 'finding')} in {_code(result.subject)}"


def _summary(result: HuntResult) -> str:
    against = ", ".join(_code(witness) for witness in result.witnesses) or "no witness"
    told = (
        f"{count(result.walks, 'walk')}, {count(result.positions, 'position')} and "
        f"{count(result.nodes, 'node')} compared against {against} "
        f"in {result.seconds:.1f} s, seed {result.seed}."
    )
    return f"{told} The hunt was interrupted." if result.interrupted else told


def _finding(divergence: Divergence, result: HuntResult) -> Iterable[str]:
    yield _escape(sentence_for(divergence))
    board = _board(divergence)
    if board:
        yield _fence(board)
    yield _facts(divergence)
    yield from _answers(divergence)
    yield "To see it again:"
    yield _fence(command_for(divergence), "sh")
    if divergence.transcript:
        yield "The last lines exchanged with the subject:"
        yield _fence("\n".join(divergence.transcript))
    versions = divergence.versions or result.versions
    if versions:
        yield "| engine | version |\n|---|---|\n" + "\n".join(
            f"| {_code(name, cell=True)} | {_code(version, cell=True)} |" for name, version in versions
        )


def _board(divergence: Divergence) -> str:
    walk = divergence.walk.prefix(len(divergence.walk) - 1) if made_last(divergence) else divergence.walk
    board = board_after(walk)
    if board is None:
        return ""
    ranks = str(board).split("\n")
    rows = [f"{8 - number}  {rank}" for number, rank in enumerate(ranks)]
    to_move = "White" if board.turn == chess.WHITE else "Black"
    return "\n".join([*rows, "", "   a b c d e f g h", f"   {to_move} to move"])


def _facts(divergence: Divergence) -> str:
    walk = divergence.walk
    rows = [("FEN", _code(walk.fen)), ("moves", _code(" ".join(walk.moves)) if walk.moves else "none")]
    fen = end_fen(walk)
    if walk.moves and fen is not None:
        rows.append(("FEN after the moves", _code(fen)))
    if divergence.move is not None:
        rows.append(("divergent move", f"{_code(divergence.move)} ({_escape(spoken(divergence.kind))})"))
    rows.append(("facet, verdict", f"{divergence.facet}, {divergence.verdict}"))
    if divergence.path_dependent:
        rows.append(("path", "needed: the FEN alone does not show it"))
    if origin := shrunk_from(divergence):
        rows.append(("shrunk from", origin))
    if divergence.count > 1:
        rows.append(("seen on", count(divergence.count, "walk")))
    if also := also_of(divergence):
        rows.append(("shown also as", "; ".join(also)))
    link = lichess_link(walk)
    if link is not None:
        rows.append(("analysis", f"[lichess]({link})"))
    return "\n".join(f"- **{name}**: {value}" for name, value in rows)


def _answers(divergence: Divergence) -> Iterable[str]:
    if divergence.missing:
        yield f"Missing: {_codes(divergence.missing)}"
    if divergence.extra:
        yield f"Extra: {_codes(divergence.extra)}"
    lists = (divergence.expected_moves, divergence.actual_moves)
    if any(lists):
        expected = [f"{'-' if odd else ' '} {move}" for move, odd in marked(lists[0], divergence.missing)]
        actual = [f"+ {move}" for move, odd in marked(lists[1], divergence.extra) if odd]
        yield "The move lists, `-` expected and missing, `+` extra:"
        yield _fence("\n".join(sorted([*expected, *actual], key=lambda line: line[2:])), "diff")
    if divergence.expected or divergence.actual:
        by = expected_by(divergence)
        yield f"Expected, as {_code(by)} says:" if by else "Expected:"
        yield _fence(divergence.expected)
        yield f"Actual, as {_code(divergence.subject)} says:"
        yield _fence(divergence.actual)


def _quarantined(result: HuntResult) -> Iterable[str]:
    for quarantine in result.quarantined:
        said = [f"{witness}: {answer}" for witness, answer in quarantine.answers]
        yield _fence("\n".join([str(quarantine.walk), f"facet {quarantine.facet}", *said]))


def _coverage(result: HuntResult) -> str:
    lines = []
    if result.features:
        lines += ["<details><summary>Rules exercised</summary>", "", "| rule | positions |", "|---|--:|"]
        lines += [f"| {_escape(spoken(name))} | {times:,} |" for name, times in result.features.items()]
        lines += ["", "</details>"]
    if result.skipped:
        lines += ["", "Not checked:", ""]
        lines += [f"- {_escape(skip.check)}: {_escape(skip.why)}" for skip in result.skipped]
    return "\n".join(lines)


def _escape(text: str) -> str:
    """Text that Markdown and HTML both leave alone."""
    return re.sub(r"([\\`*_\[\]|~#@])", r"\\\1", html.escape(printable(text), quote=False))


def _code(text: str, *, cell: bool = False) -> str:
    """A code span; its fence is longer than any run of backticks inside."""
    shown = printable(text) or " "
    if cell:
        # A table splits its cells before it reads code spans.
        shown = shown.replace("|", "\\|")
    ticks = "`" * (_longest_run(shown) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _codes(texts: Iterable[str]) -> str:
    return " ".join(_code(text) for text in texts)


def _fence(text: str, language: str = "") -> str:
    shown = printable(text, lines=True)
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return f"{ticks}{language or 'text'}\n{shown}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
