"""The commands, each in a module of its own that is imported only when the command is called.

To add one: write `refute/commands/NAME.py` with a click command in it, and give it a line here.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """Where a command lives, and its line in `refute --help`, so that listing commands imports none."""

    module: str
    attribute: str
    summary: str


COMMANDS: Final = {
    "hunt": Entry("refute.commands.hunt", "hunt", "Fuzz an engine beside its witnesses, and shrink what is found."),
    "perft": Entry("refute.commands.perft", "perft", "Count the leaves of the move tree, by root move if asked."),
    "drill": Entry("refute.commands.drill", "drill", "Descend the divides to the first move list that is wrong."),
    "shrink": Entry("refute.commands.shrink", "shrink", "Make a finding smaller, keeping its fault."),
    "replay": Entry("refute.commands.replay", "replay", "Run findings again: FIXED or STILL FAILING."),
    "faults": Entry("refute.commands.faults", "faults", "Hunt planted faults: what is found, how fast, how small."),
    "bench": Entry("refute.commands.bench", "bench", "Measure speed beside python-chess and Stockfish, as ratios."),
    "suite": Entry("refute.commands.suite", "suite", "Run perft suites, and name the counts that are wrong."),
    "doctor": Entry("refute.commands.doctor", "doctor", "Examine an engine: what it says, what will be checked."),
    "mutants": Entry("refute.commands.mutants", "mutants", "Make small mistakes in our own board; each must show."),
    "corpus": Entry("refute.commands.corpus", "corpus", "Make the corpora, and check them again."),
}
