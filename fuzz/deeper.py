"""Count deeper than the perft corpora do, beside Stockfish, the cheapest counts first, until the time is over.

    python fuzz/deeper.py --time 120 --out DIR

corpora/perft/*.epd ──▶ (FEN, depth) by expected cost ──drill──▶ agree: one ply deeper · differ: DIR/found/*.walk
"""

from __future__ import annotations

import argparse
import heapq
import json
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from refute.board.epd import PerftCase, read_suite
from refute.divergence import Divergence
from refute.drill import drill
from refute.engines.process import DEFAULT_TIMEOUT
from refute.engines.protocol import Engine
from refute.engines.spec import find_stockfish, open_engine
from refute.errors import EngineError, RefuteError
from refute.explain import explain
from refute.finding import finding_path, write_finding
from refute.hunter import Options
from refute.suite.cast import Cast
from refute.suite.counts import KNOWN, check_count
from refute.walk import Walk

CORPORA: Final = Path(__file__).resolve().parents[1] / "corpora"
BRANCHING: Final = 40  # how much one more ply costs, at most positions
FIRST_RATE: Final = 200_000.0  # nodes a second, until it was measured
DEEPEST: Final = 12


def look(cast: Cast, witness: Engine | None, case: PerftCase, depth: int) -> tuple[int, Divergence | None]:
    """The right count at this depth, and where the subject leaves it; raises EngineError when nobody can tell."""
    known = case.counts.get(depth)
    if witness is None:
        # Only what is published can be counted; where that is wrong, python-chess may know the move.
        assert known is not None
        wrong = check_count(case, depth, cast)
        return known, None if wrong is None else _as_published(wrong.divergence, known, depth)
    drilled = drill(cast.subject, witness, Walk(case.fen, (), case.chess960), depth)
    if drilled.divergence is not None:
        return 0, drilled.divergence
    nodes = drilled.levels[0].expected
    if known is not None and nodes != known:
        raise EngineError(f"{witness.name} counts {nodes} at depth {depth} of {case.fen}, the corpus {known}")
    return nodes, None


def _as_published(found: Divergence, known: int, depth: int) -> Divergence:
    """The finding so that it can be run again, for which a witness must be an engine."""
    if found.witness != KNOWN:
        return found
    return replace(found, witness="itself", expected=f"{known} nodes at depth {depth}, as published")


def run(cases: list[PerftCase], engine: str, seconds: float, out: Path) -> int:
    """Count until the time is over; 1 when something differs."""
    deadline = time.monotonic() + seconds
    counted = refuted = total = 0
    spent = 0.0
    rate = FIRST_RATE
    with ExitStack() as stack:
        cast = Cast(Options(engine=engine, timeout=max(DEFAULT_TIMEOUT, seconds)))
        stack.callback(cast.close)
        try:
            find_stockfish()
            witness = stack.enter_context(open_engine("stockfish", timeout=max(10.0, seconds)))
        except EngineError as error:
            print(f"no deeper than the corpora: {error}")
            witness = None
        queue = [(case.counts[max(case.counts)], index, max(case.counts)) for index, case in enumerate(cases)]
        heapq.heapify(queue)
        log = stack.enter_context((out / "counts.jsonl").open("a", encoding="utf-8"))
        while queue:
            expected, index, depth = heapq.heappop(queue)
            left = deadline - time.monotonic()
            # The cheapest one always runs, however little time there is.
            if counted and expected / rate > left:
                break
            began = time.monotonic()
            nodes, found = look(cast, witness, cases[index], depth)
            took = max(time.monotonic() - began, 1e-6)
            counted += 1
            row = {"fen": cases[index].fen, "depth": depth, "nodes": nodes, "seconds": round(took, 3)}
            log.write(json.dumps({**row, "agrees": found is None}) + "\n")
            log.flush()
            if found is not None:
                refuted += 1
                found = replace(found, explanation=explain(found))
                write_finding(finding_path(out / "found", found), found)
                continue
            total, spent = total + nodes, spent + took
            rate = total / spent
            if witness is not None and depth < DEEPEST and nodes:
                heapq.heappush(queue, (nodes * BRANCHING, index, depth + 1))
    print(f"{counted} counts, {refuted} differ")
    return 1 if refuted else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--time", type=float, required=True, metavar="SECONDS")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--engine", default="own", metavar="SPEC")
    options = parser.parse_args(arguments)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        cases = [case for path in sorted((CORPORA / "perft").glob("*.epd")) for case in read_suite(path)]
        return run(cases, options.engine, options.time, options.out)
    except (RefuteError, OSError) as error:
        print(f"deeper: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
