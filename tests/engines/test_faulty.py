"""Planted faults: each fits the board's source, changes what the board does, and is opened by its name."""

from __future__ import annotations

import dataclasses

import pytest

from refute.board.copies import source_of
from refute.divergence import Facet, Verdict
from refute.engines import open_engine
from refute.engines.faults import PLANTED, Planted
from refute.engines.faulty import FAULTS, edited_source, faulty_board, hunks, open_fault
from refute.errors import RefuteError, SpecError

CLASSES = (
    "attacks", "pawns", "en passant", "castling", "promotion", "evasions", "make and unmake", "null move", "key",
    "clocks", "move list", "FEN", "outcome", "history",
)  # fmt: skip
SAMPLE = FAULTS["missing-underpromotion"]


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_the_patch_fits_and_the_result_is_python(fault: Planted) -> None:
    text = edited_source(fault)
    assert text != source_of(fault.module)
    compile(text, fault.name, "exec")


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_what_a_fault_shows_is_a_facet_and_a_verdict(fault: Planted) -> None:
    assert fault.shows
    for shown in fault.shows:
        facet, verdict = shown.split("/")
        assert Facet(facet).value == facet
        assert Verdict(verdict).value == verdict


def test_names_are_unique_and_every_class_has_faults() -> None:
    assert len(FAULTS) == len(PLANTED) >= 45
    assert {fault.class_ for fault in PLANTED} == set(CLASSES)


def test_no_two_faults_are_the_same_edit() -> None:
    texts = [(fault.module, edited_source(fault)) for fault in PLANTED]
    assert len(set(texts)) == len(texts)


def test_every_verdict_but_crash_and_quarantine_has_a_fault() -> None:
    verdicts = {verdict for fault in PLANTED for verdict in fault.verdicts}
    assert verdicts == {"movegen", "make", "unmake", "hash", "fen"}


def test_a_patch_that_fits_nowhere_is_an_error_that_names_the_fault() -> None:
    stale = dataclasses.replace(SAMPLE, name="stale", patch="\n- this line is in no board\n+ pass\n")
    with pytest.raises(RefuteError, match=r"fault stale no longer applies.*in 0 places"):
        edited_source(stale)


def test_a_patch_that_fits_twice_is_an_error() -> None:
    vague = dataclasses.replace(SAMPLE, name="vague", patch="\n- self.halfmove = 0\n+ pass\n")
    with pytest.raises(RefuteError, match="fault vague no longer applies"):
        edited_source(vague)


def test_a_patch_is_found_at_any_indentation_and_keeps_it() -> None:
    fault = dataclasses.replace(SAMPLE, patch="\n- n += 4\n+ n += 5\n")
    assert "\n                n += 5\n" in edited_source(fault)


def test_blank_lines_part_a_patch() -> None:
    assert hunks("\n    - a\n    + b\n\n      c\n    +   d\n    ") == [(["a"], ["b"]), (["c"], ["c", "  d"])]


def test_a_fault_is_an_engine_by_its_spec_and_misses_the_move_it_should() -> None:
    with open_engine("fault:missing-underpromotion") as engine:
        assert engine.name == "fault:missing-underpromotion"
        assert "interpreted" in engine.version
    position = faulty_board(SAMPLE).fen.parse("7k/P7/8/8/8/8/8/K7 w - - 0 1")
    promotions = {position.uci(move) for move in position.legal_moves() if position.uci(move).startswith("a7")}
    assert promotions == {"a7a8q", "a7a8r", "a7a8b"}


def test_a_planted_fault_leaves_the_board_in_use_sound() -> None:
    from refute.board import fen

    open_fault("missing-underpromotion")
    position = fen.parse("7k/P7/8/8/8/8/8/K7 w - - 0 1")
    assert "a7a8n" in {position.uci(move) for move in position.legal_moves()}


def test_the_same_name_gives_the_same_copy() -> None:
    assert faulty_board(SAMPLE) is faulty_board(SAMPLE)


def test_an_unknown_fault_is_refused_with_near_names() -> None:
    with pytest.raises(SpecError, match=r"'missing-underpromotoin'.*missing-underpromotion"):
        open_fault("missing-underpromotoin")


@pytest.mark.parametrize("name", ["", "zzzz", "x" * 5000])
def test_a_name_near_nothing_is_refused_all_the_same(name: str) -> None:
    with pytest.raises(SpecError, match="there is no fault"):
        open_fault(name)
