"""A walk as a film of SVG boards, drawn by python-chess and trimmed to share one set of pieces.

Divergence ──film──▶ Frame, Frame, … Frame    the last with the divergent moves as arrows
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as ET

import chess
import chess.svg

from refute.divergence import Divergence, Facet
from refute.explain import board_after, made_last
from refute.kinds import kind_of_move

MOST_FRAMES: Final = 41
MOST_ARROWS: Final = 12

# Stand-ins that the page's style sheet replaces by each theme's own colours.
MISSING_COLOUR: Final = "#1a7f4b"
EXTRA_COLOUR: Final = "#c2332b"
MADE_COLOUR: Final = "#b7791f"
ARROW_CLASSES: Final = {MISSING_COLOUR: "missing", EXTRA_COLOUR: "extra", MADE_COLOUR: "made"}
COLOURS: Final = {
    "square light": "#ece6da",
    "square dark": "#a9b7ac",
    "square light lastmove": "#e9dcae",
    "square dark lastmove": "#c2b884",
    "margin": "#00000000",
    "coord": "#8a8d91",
}

# python-chess writes files above and below, ranks left and right; once each is enough.
SECOND_COORDINATES: Final = (*(f"translate({x}, 1)" for x in range(20, 380, 45)), "translate(375,")
WITHOUT_THEIR_MARGIN: Final = "0 15 375 375"


@dataclass(frozen=True, slots=True)
class Frame:
    """One position of a walk, drawn."""

    label: str  # the move that led here; "start" for the first
    fen: str
    svg: str
    alt: str


def film(divergence: Divergence) -> list[Frame]:
    """The positions of the walk, the last few of a long one; none where python-chess cannot follow."""
    walk = divergence.walk
    board = board_after(walk)
    if board is None:
        return []
    arrows = _arrows(divergence)
    frames: list[Frame] = []
    while True:
        last = board.peek() if board.move_stack else None
        is_end = not frames
        # The made move is shown leaving, too: on the board before it.
        is_before = len(frames) == 1 and made_last(divergence)
        shown = arrows if is_end or is_before else []
        frames.append(_frame(board, last, shown, walk.moves[len(board.move_stack) - 1 :][:1]))
        if last is None or len(frames) == MOST_FRAMES:
            break
        board.pop()
    return frames[::-1]


def _frame(
    board: chess.Board,
    last: chess.Move | None,
    arrows: list[chess.svg.Arrow],
    label: Iterable[str],
) -> Frame:
    drawn = chess.svg.board(
        board,
        lastmove=last if last else None,
        check=board.king(board.turn) if board.is_check() else None,
        arrows=arrows,
        colors=COLOURS,
    )
    to_move = "White" if board.turn else "Black"
    named = next(iter(label), "start") if last is not None else "start"
    fen = board.fen(en_passant="fen")
    return Frame(named, fen, trim(drawn), f"Board after {named}, {to_move} to move: {fen}")


def _arrows(divergence: Divergence) -> list[chess.svg.Arrow]:
    moves = [(move, MISSING_COLOUR) for move in divergence.missing]
    moves += [(move, EXTRA_COLOUR) for move in divergence.extra]
    if divergence.move is not None and (divergence.facet is not Facet.MOVES or not moves):
        moves = [(divergence.move, MADE_COLOUR)]
    # The divergent move is drawn last, above the others.
    moves.sort(key=lambda item: item[0] == divergence.move)
    arrows = []
    for uci, colour in dict.fromkeys(moves[-MOST_ARROWS:]):
        if kind_of_move(divergence.walk.fen, uci) not in ("not a move", "null move"):
            tail, head = chess.parse_square(uci[:2]), chess.parse_square(uci[2:4])
            arrows.append(chess.svg.Arrow(tail, head, color=colour))
    return arrows


def sprite() -> str:
    """Every definition the trimmed boards refer to, once for the whole page."""
    full = chess.svg.board(chess.Board(), check=chess.E1)
    definitions = [element for element in ET.fromstring(full).iter() if element.tag.endswith("}defs")]
    inside = "".join(_write(child) for element in definitions for child in element)
    return f'<svg class="sprite" width="0" height="0" aria-hidden="true"><defs>{inside}</defs></svg>'


def trim(svg: str) -> str:
    """The drawing without its definitions and without inline styles, which the page's policy forbids."""
    root = ET.fromstring(svg)
    for child in list(root):
        if child.tag.endswith(("}defs", "}desc")) or child.get("transform", "").startswith(SECOND_COORDINATES):
            root.remove(child)
    root.set("viewBox", WITHOUT_THEIR_MARGIN)
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.set("aria-hidden", "true")
    root.set("class", "board")
    return _write(root)


def _write(root: ET.Element) -> str:
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        for name in list(element.attrib):
            value = element.attrib.pop(name)
            if name == "style":
                for rule in value.split(";"):
                    key, _, setting = rule.partition(":")
                    if setting:
                        element.set(key.strip(), setting.strip())
            else:
                element.set(name.rpartition("}")[2], value)
        paint = element.get("stroke") or element.get("fill") or ""
        if element.get("class") == "arrow" and paint in ARROW_CLASSES:
            element.set("class", f"arrow {ARROW_CLASSES[paint]}")
        element.tail = None
    return ET.tostring(root, encoding="unicode", short_empty_elements=False)
