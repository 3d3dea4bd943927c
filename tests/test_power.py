"""Planted faults are measured as they are found, every must can fail, and the page shows it all."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import chess
import pytest

import refute.power
from refute.board import fen, is_compiled
from refute.engines.faulty import FAULTS, open_fault
from refute.engines.own import OwnEngine
from refute.engines.protocol import Answer, Fault, Question, Trouble
from refute.errors import EngineError, SpecError
from refute.power import (
    MOST_MOVES_OF_A_PATH,
    OURS,
    PERFT,
    PERFT_COUNTS,
    UNIFORM,
    Measured,
    Trial,
    measure,
    measure_all,
    pick,
)
from refute.report.power import Power, curves, draw, few_digits, render_csv, render_markdown, render_page
from refute.scoring import compare_walks, summarise
from refute.walk import START_FEN, Walk
from refute.walking import uniform_walk

EASY = "edge-pawn-cannot-capture"
HARD = "repetition-counted-short"


def a_measured(name: str = EASY, /, **changed: Any) -> Measured:
    """A fault found fast, told right, and shrunk small, unless said otherwise."""
    fault = FAULTS[name]
    good = Measured(
        name,
        fault.class_,
        fault.what,
        1,
        OURS,
        True,
        7,
        0.1,
        "movegen",
        True,
        "moves",
        "pawn capture",
        4,
        0,
        fault.path,
        fault.fewest,
    )
    return dataclasses.replace(good, **changed)


# ---------------------------------------------------------------- one trial


def test_a_fault_is_hunted_until_found_and_then_shrunk() -> None:
    found = measure(Trial(EASY))
    assert found.found
    assert 1 <= found.positions <= 1000
    assert (found.verdict, found.verdict_right, found.facet) == ("movegen", True, "moves")
    assert found.pieces is not None
    assert found.pieces <= 5
    assert (found.moves, found.is_small) == (0, True)
    assert found.walk is not None
    engine = open_fault(EASY)
    assert Walk.parse(found.walk)
    assert engine.name == f"fault:{EASY}"


def test_the_same_trial_finds_the_same_walk() -> None:
    trial = Trial(EASY, seed=5)
    first, second = (dataclasses.replace(measure(trial), seconds=0, shrink_seconds=None) for _ in range(2))
    assert first == second


def test_what_is_not_found_within_the_budget_is_not_found() -> None:
    missed = measure(Trial(HARD, budget=30))
    assert not missed.found
    assert missed.positions == 30
    assert (missed.verdict, missed.verdict_right, missed.pieces, missed.moves) == (None, None, None, None)
    found = measure(Trial(EASY, shrinks=False))
    assert not measure(Trial(EASY, shrinks=False, budget=found.positions - 1)).found
    assert measure(Trial(EASY, shrinks=False, budget=found.positions)).found


def test_uniform_games_are_hunted_with_the_same_checks() -> None:
    found = measure(Trial(EASY, walks=UNIFORM, shrinks=False))
    assert found.found
    assert (found.walks, found.verdict, found.pieces) == (UNIFORM, "movegen", None)


def test_uniform_games_start_at_the_start_and_are_legal() -> None:
    walks = [uniform_walk(1, index) for index in range(4)]
    assert {walk.fen for walk in walks} == {START_FEN}
    assert len({walk.moves for walk in walks}) == 4
    assert walks[0] == uniform_walk(1, 0)
    board = chess.Board()
    for move in walks[0].moves:
        board.push(board.parse_uci(move))
    assert len(walks[0]) == 200 or not any(board.legal_moves)
    assert uniform_walk(1, 1, chess960=True).fen != START_FEN


def test_a_wrong_verdict_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    blames_make = dataclasses.replace(FAULTS[EASY], shows=("moves/make",))
    monkeypatch.setitem(FAULTS, EASY, blames_make)
    assert measure(Trial(EASY, shrinks=False)).verdict_right is False


# ---------------------------------------------------------------- perft


def test_the_published_counts_are_right() -> None:
    counts = PERFT_COUNTS if is_compiled() else PERFT_COUNTS[:2]
    assert len(PERFT_COUNTS) == 6
    for published, text in counts:
        assert fen.parse(text).perft(4) == published


def test_perft_finds_what_changes_a_count_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refute.power, "PERFT_COUNTS", PERFT_COUNTS[:2])
    wraps, clock = (measure(Trial(name, walks=PERFT)) for name in (EASY, "castling-resets-clock"))
    assert wraps.found
    assert not clock.found
    assert clock.positions == sum(count for count, _ in PERFT_COUNTS[:2])


def test_a_board_that_raises_while_counting_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def at(self: OwnEngine, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        return [Fault(Trouble.CRASH, "IndexError")]

    monkeypatch.setattr(OwnEngine, "at", at)
    assert measure(Trial(EASY, walks=PERFT)).found


# ---------------------------------------------------------------- many trials


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_trial_is_measured_whatever_the_number_of_processes(jobs: int) -> None:
    trials = [Trial(EASY, seed=seed, shrinks=False) for seed in (1, 2, 3)]
    measured = list(measure_all(trials, jobs=jobs))
    assert sorted(one.seed for one in measured) == [1, 2, 3]
    assert all(one.found for one in measured)


def test_leaving_early_waits_for_no_long_trial() -> None:
    trials = [Trial(EASY, shrinks=False), *(Trial(HARD, seed=seed, budget=10**8) for seed in range(4))]
    measuring = measure_all(trials, jobs=2)
    assert next(measuring).name == EASY
    measuring.close()


def test_nothing_to_measure_is_nothing_measured() -> None:
    assert list(measure_all([])) == []


def test_faults_are_picked_by_name_and_by_class() -> None:
    assert [fault.name for fault in pick()] == list(FAULTS)
    assert [fault.name for fault in pick([HARD, EASY])] == [EASY, HARD]
    assert {fault.class_ for fault in pick(class_="castling")} == {"castling"}
    with pytest.raises(SpecError, match="no fault of the class 'castling' among"):
        pick([HARD], class_="castling")
    with pytest.raises(SpecError, match="did you mean edge-pawn-cannot-capture"):
        pick(["edge-pawn-can-capture"])
    with pytest.raises(SpecError, match=r"no class 'magic'.*en passant"):
        pick(class_="magic")


def test_a_process_that_dies_is_an_error_and_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying:
        def __init__(self, *arguments: object, **more: object) -> None:
            self.shut = False

        def submit(self, *arguments: object) -> None:
            raise BrokenProcessPool

        def shutdown(self, **more: object) -> None:
            self.shut = True

    monkeypatch.setattr(refute.power, "ProcessPoolExecutor", Dying)
    with pytest.raises(EngineError, match="died"):
        list(measure_all([Trial(EASY), Trial(HARD)], jobs=2))


# ---------------------------------------------------------------- musts and aims


def met(measured: list[Measured]) -> list[tuple[bool, bool]]:
    return [(row.ok, row.aim_met) for row in summarise(measured, budget=20_000)]


def test_a_good_run_meets_every_must_and_aim() -> None:
    assert met([a_measured(), a_measured(seed=2)]) == [(True, True)] * 5
    assert summarise([], budget=20_000) == []


@pytest.mark.parametrize(
    ("row", "changed", "expected"),
    [
        pytest.param(0, {"found": False}, (False, False), id="not found"),
        pytest.param(0, {"positions": 5001}, (True, False), id="found late"),
        pytest.param(1, {"positions": 301}, (False, False), id="slow"),
        pytest.param(1, {"positions": 101}, (True, False), id="not so slow"),
        pytest.param(1, {"found": False}, (False, False), id="never"),
        pytest.param(2, {"verdict_right": False}, (False, False), id="wrong verdict"),
        pytest.param(3, {"moves": 2}, (False, False), id="long"),
        pytest.param(4, {"pieces": 6}, (False, False), id="crowded"),
        pytest.param(4, {"pieces": 5}, (True, False), id="nearly crowded"),
    ],
)
def test_each_must_and_each_aim_can_be_missed(
    row: int, changed: dict[str, object], expected: tuple[bool, bool]
) -> None:
    assert met([a_measured(**changed)])[row] == expected
    # One bad seed is enough.
    assert met([a_measured(), a_measured(seed=2, **changed)])[row] == expected


def test_a_path_fault_may_keep_three_moves_and_a_history_fault_the_fewest_there_can_be() -> None:
    path = next(fault.name for fault in FAULTS.values() if fault.path and not fault.fewest)
    assert a_measured(path, moves=3).is_small
    assert not a_measured(path, moves=4).is_small
    assert a_measured(HARD, moves=16).is_small
    assert not a_measured(HARD, moves=17).is_small


def test_history_faults_are_told_in_a_row_of_their_own() -> None:
    easy, hard = a_measured(moves=1), a_measured(HARD, moves=17)
    assert len(summarise([easy], budget=20_000)) == 5
    _, _, _, moves, _, fewest = summarise([easy, hard], budget=20_000)
    assert (moves.ok, moves.scores[1].text) == (True, "1 of 1")
    assert (fewest.ok, fewest.scores[1].text) == (False, "0 of 1")


def test_only_path_faults_need_a_longer_game_and_then_longer_than_others_may_keep() -> None:
    assert all(fault.path and fault.fewest > MOST_MOVES_OF_A_PATH for fault in FAULTS.values() if fault.fewest)
    assert {fault.class_ for fault in FAULTS.values() if fault.fewest} == {"history"}
    assert all(fault.fewest for fault in FAULTS.values() if fault.class_ == "history")


def test_walks_are_compared_by_what_they_find_for_their_price() -> None:
    measured = [
        a_measured(positions=100),
        a_measured(positions=300, seed=2),
        a_measured(walks=UNIFORM, positions=1000),
        a_measured(walks=UNIFORM, positions=1000, seed=2, found=False),
        a_measured(walks=PERFT, positions=4_000_000),
    ]
    comparison = compare_walks(measured, budget=1000)
    assert comparison.standings[OURS].per_million == 5000
    assert comparison.standings[OURS].by_seed == {1: 10_000, 2: pytest.approx(3333.3, abs=0.1)}
    assert comparison.times(UNIFORM) == 10
    assert comparison.times(UNIFORM, within_budget=True) == 2
    assert comparison.times(PERFT) == 20_000
    assert comparison.ok
    assert not compare_walks([*measured, a_measured(positions=100_000, seed=3)], budget=1000).ok
    assert compare_walks(measured[:2], budget=1000).times(UNIFORM) is None


# ---------------------------------------------------------------- telling


@pytest.fixture
def power() -> Power:
    measured = (
        a_measured(),
        a_measured(HARD, found=False, positions=20_000, verdict=None, verdict_right=None, pieces=None, moves=None),
        a_measured(HARD, seed=2, positions=900, moves=16, verdict="hash", verdict_right=False),
    )
    return Power(measured, (1, 2), 20_000, ("python-chess",), 3.5)


def test_json_and_csv_have_the_promised_fields(power: Power) -> None:
    report = json.loads(json.dumps(power.to_json()))
    promised = ("name", "class", "found", "positions", "seconds", "verdict", "verdict_right", "pieces", "moves")
    assert all(key in one for one in (*report["faults"], *report["history"]) for key in promised)
    assert [one["name"] for one in report["faults"]] == [EASY]
    assert [one["name"] for one in report["history"]] == [HARD, HARD]
    assert [row["ok"] for row in report["summary"]] == [False, False, False, True, True, True]
    rows = list(csv.DictReader(io.StringIO(render_csv(power))))
    assert [row["name"] for row in rows] == [EASY, HARD, HARD]
    assert rows[1]["verdict"] == ""


def test_markdown_has_a_row_for_each_measure_and_each_way_of_looking(power: Power) -> None:
    lines = render_markdown(power).splitlines()
    assert lines[0] == "| measure | must | aim | seed 1 | seed 2 |"
    assert "| verdict right | 95 % | 100 % | 100.0 % | 0.0 % |" in lines
    assert any(line.endswith("history faults | all | all | 0 of 0 | 1 of 1 |") for line in lines)
    compared = dataclasses.replace(power, compares=True, measured=(*power.measured, a_measured(walks=UNIFORM)))
    text = render_markdown(compared)
    assert "| our walks | 2 of 3 | 20,907 | 95.7 |" in text
    assert "ours ÷ perft" not in text, "what was not measured is not told"


def test_the_page_needs_nothing_from_elsewhere_and_tells_every_fault(power: Power) -> None:
    page = render_page(power)
    assert "2 of 3</em> planted faults found" in page
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!#)""", page)
    assert "http" not in page.replace('http-equiv="Content-Security-Policy"', "")
    assert "style=" not in page, "the policy would refuse it"
    for one in power.measured:
        assert one.name in page
        assert one.what.replace("'", "&#39;") in page
    assert page.count('class="curve ') == 2
    assert 'data-theme="dark"' in render_page(power, theme="dark")


def test_what_a_user_wrote_is_escaped(power: Power) -> None:
    page = render_page(dataclasses.replace(power, against=("uci:<script>alert(1)</script>",)))
    assert "<script>alert" not in page


def test_a_curve_climbs_with_each_fault_found_and_ends_at_the_share_found(power: Power) -> None:
    easy, hard = curves(power.measured)
    assert (easy.after, easy.trials) == ((7,), 1)
    assert (hard.after, hard.trials, hard.found) == ((900,), 2, 1)
    svg = draw([hard], budget=20_000)
    path = re.search(r' d="M[\d.]+ ([\d.]+)H([\d.]+)V([\d.]+)H([\d.]+)"', svg)
    assert path is not None
    bottom, after, halfway, right = map(float, path.groups())
    assert halfway == pytest.approx((bottom + 12) / 2)
    assert 44 < after < right


def test_numbers_are_shown_with_few_digits() -> None:
    assert [few_digits(value) for value in (12345.6, 3.14159, 0.004567, float("inf"))] == [
        "12,346",
        "3.14",
        "0.00457",
        "∞",
    ]


def test_the_page_is_packaged() -> None:
    folder = Path(refute.power.__file__).parent / "report"
    assert (folder / "power.html.j2").is_file()
    project = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert '"report/power.*"' in project
