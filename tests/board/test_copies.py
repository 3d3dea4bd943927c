"""Interpreted copies stand beside the board in use, edited or not, and compiled code matches them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import refute.board
from refute.board import Position, fen, is_compiled
from refute.board.copies import interpreted_copy, source_of

TWIN: Any = interpreted_copy("refute_board_twin")


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def test_a_copy_is_interpreted_and_of_its_own() -> None:
    assert TWIN._core.is_compiled() is False
    assert TWIN._core.Position is not Position
    assert TWIN.fen.parse(fen.START) != fen.start_position(), "positions of two packages are not compared"
    assert refute.board.Position is Position


def test_asking_twice_for_one_name_gives_one_copy() -> None:
    assert interpreted_copy("refute_board_twin") is TWIN


def test_an_edited_copy_differs_and_the_board_in_use_does_not() -> None:
    text = source_of("tables")
    edited = text.replace("KNIGHT_STEPS: Final = ((1, 2), ", "KNIGHT_STEPS: Final = ((3, 1), ")
    assert edited != text
    before = fen.start_position().perft(3)
    copy: Any = interpreted_copy("refute_board_camel", {"tables": edited})
    assert copy.fen.parse(fen.START).perft(3) != before
    assert TWIN.fen.parse(fen.START).perft(3) == before
    assert fen.start_position().perft(3) == before == 8902
    assert source_of("tables") == text


def test_an_edited_core_is_used_by_the_copys_own_fen() -> None:
    text = source_of("_core")
    edited = text + "\n\ndef mark() -> str:\n    return 'edited'\n"
    copy: Any = interpreted_copy("refute_board_marked", {"_core": edited})
    assert copy._core.mark() == "edited"
    assert type(copy.fen.parse(fen.START)) is copy._core.Position
    assert not hasattr(refute.board._core, "mark")


def test_a_copy_that_cannot_be_imported_leaves_nothing_behind() -> None:
    finders = list(sys.meta_path)
    with pytest.raises(ZeroDivisionError):
        interpreted_copy("refute_board_broken", {"zobrist": "1 / 0\n"})
    assert not [name for name in sys.modules if name.startswith("refute_board_broken")]
    assert sys.meta_path == finders


def test_refute_pure_chooses_the_interpreted_core() -> None:
    code = "from refute.board import is_compiled, fen; print(is_compiled(), fen.start_position().perft(3))"
    assert run(code, REFUTE_PURE="1") == "False 8902"


@pytest.mark.parametrize("unset", ["", "0"])
def test_refute_pure_unset_chooses_what_this_run_uses(unset: str) -> None:
    code = "from refute.board import is_compiled; print(is_compiled())"
    built = any(path.suffix in (".so", ".pyd") for path in refute.board.copies.FOLDER.glob("_core.*"))
    assert run(code, REFUTE_PURE=unset) == str(built)


def test_this_run_is_compiled_exactly_when_built_and_not_pure() -> None:
    built = any(path.suffix in (".so", ".pyd") for path in refute.board.copies.FOLDER.glob("_core.*"))
    assert is_compiled() == (built and not refute.board.copies.wants_pure())


def test_ci_runs_say_which_mode_they_are() -> None:
    """CI sets REFUTE_EXPECT to `compiled` or `interpreted`; a silent fall-back must not pass as the other."""
    expected = os.environ.get("REFUTE_EXPECT", "compiled" if is_compiled() else "interpreted")
    assert expected == ("compiled" if is_compiled() else "interpreted")


# ---------------------------------------------------------------- one source, two modes


def both(text: str, chess960: bool) -> tuple[Position, Any]:
    return fen.parse(text, chess960=chess960), TWIN.fen.parse(text, chess960=chess960)


def test_fields_keys_and_fingerprints_match_the_interpreted_copy(sample: list[tuple[str, bool]]) -> None:
    for text, chess960 in sample:
        ours, theirs = both(text, chess960)
        assert ours.fields() == theirs.fields()
        assert ours.key == theirs.key == theirs.compute_key()
        assert ours.fingerprint() == theirs.fingerprint()
        assert (ours.score(), ours.phase()) == (theirs.score(), theirs.phase())
        assert (ours.checkers(), ours.pinned()) == (theirs.checkers(), theirs.pinned())
        assert fen.write(ours) == TWIN.fen.write(theirs)


def test_moves_match_the_interpreted_copy_in_order(sample: list[tuple[str, bool]]) -> None:
    for text, chess960 in sample:
        ours, theirs = both(text, chess960)
        assert ours.legal_moves() == theirs.legal_moves()
        assert ours.pseudo_legal_moves() == theirs.pseudo_legal_moves()
        assert ours.filtered_moves() == theirs.filtered_moves()
        assert ours.count_moves() == theirs.count_moves()
        assert ours.codes() == theirs.codes()


def test_every_make_matches_the_interpreted_copy(sample: list[tuple[str, bool]]) -> None:
    for text, chess960 in sample[::4]:
        ours, theirs = both(text, chess960)
        for move in ours.legal_moves():
            ours.make(move)
            theirs.make(move)
            assert ours.fingerprint() == theirs.fingerprint()
            assert ours.key == theirs.key
            ours.unmake()
            theirs.unmake()
            assert ours.fingerprint() == theirs.fingerprint()


def test_perft_matches_the_interpreted_copy(sample: list[tuple[str, bool]]) -> None:
    for text, chess960 in sample[::6]:
        ours, theirs = both(text, chess960)
        assert ours.perft(2) == theirs.perft(2)
        assert ours.divide(2) == theirs.divide(2)
        assert ours.perft_detailed(2) == theirs.perft_detailed(2)
