"""Planted faults as engines: our own board with one named mistake in it.

    fault:NAME ──▶ FAULTS[NAME] ──edits──▶ an interpreted copy of the board ──▶ OwnEngine

The faults themselves are data, in `refute.engines.faults`. An edit that no longer fits the board's
source is an error, so that a fault can never silently become the sound board.
"""

from __future__ import annotations

from difflib import get_close_matches
from textwrap import dedent
from types import ModuleType
from typing import Final

from refute.board.copies import interpreted_copy, source_of
from refute.engines.faults import PLANTED, Planted
from refute.engines.own import OwnEngine
from refute.errors import RefuteError, SpecError, quote

FAULTS: Final[dict[str, Planted]] = {fault.name: fault for fault in PLANTED}

_copies: dict[str, ModuleType] = {}


def open_fault(name: str) -> OwnEngine:
    """The board with this fault planted, as the engine `fault:NAME`; raises SpecError for a name unknown."""
    fault = FAULTS.get(name.strip())
    if fault is None:
        raise SpecError(f"there is no fault {quote(name)}: {_near(name)}")
    return OwnEngine(board=faulty_board(fault), name=f"fault:{fault.name}")


def faulty_board(fault: Planted) -> ModuleType:
    """An interpreted copy of the board with the fault in it; one copy a name, however often it is asked for."""
    board = _copies.get(fault.name)
    if board is None:
        alias = "refute_fault_" + fault.name.replace("-", "_")
        board = _copies[fault.name] = interpreted_copy(alias, {fault.module: edited_source(fault)})
    return board


def edited_source(fault: Planted) -> str:
    """The source of the fault's module with its patch applied, each part of it in the one place that fits."""
    lines = source_of(fault.module).splitlines()
    changes = []
    for old, new in hunks(fault.patch):
        places = _places(lines, old)
        if len(places) != 1:
            raise RefuteError(
                f"fault {fault.name} no longer applies: {quote(old[0].strip())} … "
                f"fits board/{fault.module}.py in {len(places)} places, expected 1"
            )
        shift = _indent(lines[places[0]]) - _indent(old[0])
        changes.append((places[0], len(old), [" " * (_indent(line) + shift) + line.lstrip() for line in new]))
    # From the end, so that the places still to come stay where they are.
    for place, length, new in sorted(changes, reverse=True):
        lines[place : place + length] = new
    return "\n".join(lines) + "\n"


def hunks(patch: str) -> list[tuple[list[str], list[str]]]:
    """The parts of a patch, blank lines between them: the lines found and the lines they become."""
    parts: list[tuple[list[str], list[str]]] = []
    for block in dedent(patch).strip("\n").split("\n\n"):
        lines = block.splitlines()
        old = [line[2:] for line in lines if line[0] != "+"]
        new = [line[2:] for line in lines if line[0] != "-"]
        parts.append((old, new))
    return parts


def _places(lines: list[str], wanted: list[str]) -> list[int]:
    """Where the wanted lines stand together, all indented by the same amount more or less."""
    texts = [line.lstrip() for line in wanted]
    steps = [_indent(line) - _indent(wanted[0]) for line in wanted]
    return [
        at
        for at in range(len(lines) - len(wanted) + 1)
        if all(
            lines[at + i].lstrip() == texts[i] and _indent(lines[at + i]) - _indent(lines[at]) == steps[i]
            for i in range(len(wanted))
        )
    ]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _near(name: str) -> str:
    near = get_close_matches(name.strip()[:80], FAULTS, n=4, cutoff=0.4)
    near += [known for known in FAULTS if name.strip() and name.strip() in known and known not in near][:4]
    return f"did you mean {', '.join(near)}?" if near else "`refute faults --list` names them all"
