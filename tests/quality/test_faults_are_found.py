"""Every planted fault is found by the walks of one hunt, and the verdict says where it lies.

The seed is the first there is, not one that does well; `refute faults` reports other seeds.
"""

from __future__ import annotations

from typing import Final

import pytest

from refute.board import is_compiled
from refute.compare import Comparer
from refute.divergence import Divergence
from refute.engines.faults import Planted
from refute.engines.faulty import open_fault
from refute.engines.own import OwnEngine
from refute.engines.protocol import Engine
from refute.engines.python_chess import PythonChessEngine
from refute.walking import walk_number

SEED: Final = 1
BUDGET: Final = 20_000  # positions for one fault
SOUND: Final = 600  # positions of the sound board on which nothing may be found


def hunt(subject: Engine, *, budget: int, chess960: bool) -> Divergence | None:
    comparer = Comparer(subject, [PythonChessEngine()], chess960=chess960)
    positions = index = 0
    while positions < budget:
        comparison = comparer.compare(walk_number(SEED, index, chess960=chess960))
        assert comparison.quarantine is None, "one witness cannot disagree with itself"
        if comparison.divergence is not None:
            return comparison.divergence
        positions += comparison.positions
        index += 1
    return None


def test_the_fault_is_found_and_the_verdict_is_right(planted: Planted) -> None:
    found = hunt(open_fault(planted.name), budget=BUDGET, chess960=planted.chess960)
    assert found is not None, f"not found in {BUDGET} positions"
    assert f"{found.facet}/{found.verdict}" in planted.shows, f"{found.walk}: {found.actual}"


@pytest.mark.parametrize("chess960", [False, True], ids=["standard", "chess960"])
def test_the_sound_board_on_the_same_walks_shows_nothing(chess960: bool) -> None:
    # Compiled where it is compiled; interpreted, it is the same source that the faults are planted in.
    assert hunt(OwnEngine(pure=not is_compiled()), budget=SOUND, chess960=chess960) is None
