"""Planted faults as engines: our own board with one named mistake in it.

    fault:NAME ──▶ FAULTS[NAME] ──edits──▶ an interpreted copy of the board ──▶ OwnEngine

The faults themselves are data, in `refute.engines.faults`. An edit that no longer fits the board's
source is an error, so that a fault can never silently become the sound board.
"""

from __future__ import annotations

from difflib import get_close_matches
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
    """The source of the fault's module with its edits made, each as often as it says and no more."""
    text = source_of(fault.module)
    for edit in fault.edits:
        found = text.count(edit.old)
        if found != edit.times:
            raise RefuteError(
                f"fault {fault.name} no longer applies: {quote(edit.old)} is in board/{fault.module}.py "
                f"{found} times, expected {edit.times}"
            )
        text = text.replace(edit.old, edit.new)
    return text


def _near(name: str) -> str:
    near = get_close_matches(name.strip()[:80], FAULTS, n=4, cutoff=0.4)
    near += [known for known in FAULTS if name.strip() and name.strip() in known and known not in near][:4]
    return f"did you mean {', '.join(near)}?" if near else "`refute faults --list` names them all"
