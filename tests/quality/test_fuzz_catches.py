"""Each property of fuzz/ fails on a board, a reader, an engine or a shrinker with a planted fault."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from refute.board.copies import interpreted_copy
from refute.engines.faulty import FAULTS, faulty_board
from refute.engines.protocol import Trouble
from refute.engines.spec import open_engine
from refute.walking import walk_number

FUZZ = Path(__file__).parents[2] / "fuzz"
MOST_WALKS = 400
# Enough to see a failure; what it shrinks to is not the question here.
QUICK = settings(
    max_examples=300, derandomize=True, database=None, deadline=None, phases=[Phase.explicit, Phase.generate]
)

CAUGHT = {
    "test_unmake_restores": ["capture-not-undone", "clock-not-restored", "castling-rook-not-undone"],
    "test_key_matches_scratch": ["key-not-restored", "promotion-keyed-as-pawn", "key-of-untakeable-en-passant"],
    "test_null_move_restores": ["null-move-keeps-en-passant", "null-move-turn-not-undone", "null-move-keeps-key"],
    "test_moves_match_python_chess": ["en-passant-diagonal-pin", "castle-through-attack", "king-evasions-twice"],
    "test_moves_match_stockfish": ["missing-underpromotion", "clock-runs-over-captures"],
    "test_perft_matches_stockfish": ["castle-through-attack", "right-kept-after-rook-capture"],
    "test_compiled_matches_interpreted": ["key-shares-rights", "kings-may-touch", "fen-swaps-clocks"],
    "test_pseudo_legal_filtered_is_legal": ["en-passant-rank-pin", "king-evasions-twice"],
    "test_outcome_matches_python_chess": ["fifty-moves-end-game", "stalemate-as-mate", "any-bishops-are-dead"],
    "test_mirror_has_mirrored_moves": ["double-push-from-wrong-rank", "knight-wraps-around"],
}
INTERLEAVED = ["side-not-restored", "null-move-clock-not-undone", "undo-field-too-narrow"]
FEN_READ_BACK = ["fen-drops-last-gap", "fen-ignores-en-passant"]
OTHERS = {
    "test_interleaved_make_unmake",
    "test_fen_round_trips",
    "test_fen_reader_never_crashes",
    "test_uci_survives_garbage",
    "test_shrink_keeps_signature",
}


def load(name: str) -> ModuleType:
    """The property as a module of its own, so that what a test plants in it stays there."""
    spec = importlib.util.spec_from_file_location(f"planted_{name}", FUZZ / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_property_is_tried_below() -> None:
    assert {path.stem for path in FUZZ.glob("test_*.py")} == CAUGHT.keys() | OTHERS


@pytest.mark.parametrize(
    ("name", "fault"), [pytest.param(name, fault, id=f"{name}-{fault}") for name in CAUGHT for fault in CAUGHT[name]]
)
def test_a_property_fails_on_a_faulty_board_and_holds_on_the_sound_one(
    name: str, fault: str, request: pytest.FixtureRequest
) -> None:
    check = load(name).check
    faulty, sound = faulty_board(FAULTS[fault]), interpreted_copy("refute_interpreted_board")
    beside = []
    if name.endswith("stockfish"):
        request.getfixturevalue("stockfish")
        beside = [open_engine("stockfish")]
    for index in range(MOST_WALKS):
        walk = walk_number(1, index)
        try:
            check(faulty, walk, *beside)
        except AssertionError:
            break
    else:
        pytest.fail(f"{name} holds on a board with {fault}")
    check(sound, walk, *beside)
    for engine in beside:
        engine.close()


@pytest.mark.parametrize("fault", INTERLEAVED)
def test_moves_in_any_order_show_what_is_not_undone(fault: str) -> None:
    class OnFaultyBoard(load("test_interleaved_make_unmake").Interleaved):  # type: ignore[misc]  # known only here
        board = faulty_board(FAULTS[fault])

    with pytest.raises(AssertionError):
        run_state_machine_as_test(OnFaultyBoard, settings=QUICK)


@pytest.mark.parametrize("fault", FEN_READ_BACK)
def test_a_round_trip_shows_a_fault_of_reader_or_writer(fault: str) -> None:
    module: Any = load("test_fen_round_trips")
    module.fen = faulty_board(FAULTS[fault]).fen
    with pytest.raises((AssertionError, ValueError)):
        QUICK(module.test_reading_what_was_written_gives_the_same_position)()


def test_a_reader_that_trusts_its_input_is_caught() -> None:
    module: Any = load("test_fen_reader_never_crashes")

    class Trusting:
        FIELDS, write = module.fen.FIELDS, staticmethod(module.fen.write)

        @staticmethod
        def parse(text: str, *, chess960: bool) -> Any:
            text.split(" ")[3]  # as if every FEN had four fields
            return module_fen.parse(text, chess960=chess960)

    module_fen, module.fen = module.fen, Trusting
    with pytest.raises(IndexError):
        QUICK(module.test_only_fen_errors_come_out)()


def test_a_transcript_that_expects_utf8_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    check = load("test_uci_survives_garbage").check
    script = [b"\xff\xfe\n" * 3]
    check(script, Trouble.CRASH)
    monkeypatch.setattr("refute.engines.uci_text.printable", lambda line: line.decode("utf-8"))
    with pytest.raises(UnicodeDecodeError):
        check(script, Trouble.CRASH)


def test_a_shrinker_that_slips_to_another_signature_is_caught() -> None:
    module: Any = load("test_shrink_keeps_signature")
    shrink = module.shrink

    def slipping(found: Any, comparer: Any, *, seconds: float) -> Any:
        return dataclasses.replace(shrink(found, comparer, seconds=seconds), kind="another kind")

    module.shrink = slipping
    with pytest.raises(AssertionError):
        QUICK(module.test_shrink_keeps_signature)()
