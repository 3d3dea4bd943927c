"""What our own board complains of is named by what is wrong, so that one fault has one name wherever it shows."""

from __future__ import annotations

import pytest

from refute.board.copies import interpreted_copy
from refute.compare import Comparer
from refute.divergence import Divergence, Verdict
from refute.engines.faulty import FAULTS, edited_source, open_fault
from refute.engines.own import OwnEngine
from refute.engines.protocol import Ability, Answer, Question
from refute.engines.python_chess import PythonChessEngine
from refute.judge import mirrored_fen
from refute.walk import Walk


def seen(fault: str, fen: str, *moves: str) -> Divergence:
    """What a planted fault shows at a place, beside python-chess."""
    found = Comparer(open_fault(fault), [PythonChessEngine()]).compare(Walk(fen, moves)).divergence
    assert found is not None, (fault, fen)
    return found


def test_a_wrong_list_of_the_mirrored_position_is_told_as_that_list() -> None:
    found = seen("knight-wraps-around", "4k3/8/8/8/8/n7/8/4K3 b - - 0 1")
    assert str(found.signature) == "moves/movegen/extra knight move"
    assert found.extra
    assert found.walk == Walk("4k3/8/N7/8/8/8/8/4K3 w - - 0 1")


def test_an_en_passant_square_and_rights_are_mirrored_too() -> None:
    fen = "r3k3/8/8/8/3pP3/8/P7/4K2R b Kq e3 4 7"
    assert mirrored_fen(fen) == "4k2r/p7/8/3Pp3/8/8/8/R3K3 w Qk e6 4 7"
    assert mirrored_fen(mirrored_fen(fen)) == fen


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        (("promotion-not-undone", "K3k3/PP6/8/4b3/8/8/8/8 w - - 0 1"), "promotion"),
        (("mailbox-keeps-man", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"), "any move"),
        (("right-kept-after-rook-capture", "4k2r/5NP1/8/8/8/8/8/4K3 w k - 0 1"), "promotion"),
        (("fen-ignores-move-number", "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", "e7e5"), "move number"),
    ],
    ids=["every move there is", "every move of any kind", "two kinds", "a field"],
)
def test_a_complaint_is_named_by_what_tells_most(place: tuple[str, ...], kind: str) -> None:
    assert seen(*place).kind == kind


def test_a_move_taken_back_is_told_by_what_it_left_changed_whichever_it_is() -> None:
    found = seen("clock-not-restored", "4k3/2P5/8/8/8/8/8/4K3 w - - 150 1")
    assert found.actual == "after unmake: halfmove clock was 150, is 0"


def test_a_wrong_key_is_told_by_what_is_wrong_in_it() -> None:
    castle = seen("key-forgets-castling-rook", "4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert castle.actual.endswith("from scratch, by a white rook on f1 and a white rook on h1")
    passed = seen("key-keeps-en-passant", "4k3/8/8/pP6/8/8/8/4K3 w - a6 0 1")
    assert passed.actual.endswith("from scratch, by en passant, a-file")


@pytest.mark.parametrize(
    "fen",
    ["4k3/8/8/6K1/6p1/5b2/8/8 w - - 0 1", "4k3/8/2R5/1q1K4/2p5/8/8/8 w - - 0 1"],
    ids=["seems to list another move", "crashes"],
)
def test_a_board_that_is_not_restored_is_convicted_of_that_and_not_of_what_follows(fen: str) -> None:
    """A capture that is illegal is tried, and leaves a hole in the board on which the next one is tried."""
    found = seen("capture-not-undone", fen)
    assert str(found.signature) == "restore/unmake/capture"
    assert "was a black pawn, is empty" in found.actual


def test_a_mirrored_position_that_cannot_be_played_is_a_complaint_and_no_crash() -> None:
    """A king on h4 seems to reach a5, and so does one on h5 once colours and ranks are exchanged."""
    walk = Walk("8/8/8/7K/k7/8/8/8 w - - 0 1")
    (said,) = open_fault("king-wraps-around").at([walk], Question(frozenset({Ability.STATE})))
    assert isinstance(said, Answer)
    assert said.complaint is not None
    assert said.complaint.text.startswith("the colour-mirrored position cannot be played: ")
    assert (said.complaint.facet, said.complaint.verdict) == ("moves", "movegen")


def test_a_repetition_that_is_not_seen_because_the_history_is_lost_convicts_unmake() -> None:
    moves = ("h7h6", "e4b4", "h6h7", "b4e4") * 4
    walk = Walk("4k3/7K/8/8/4r3/8/8/8 w - - 0 1", moves)
    comparer = Comparer(open_fault("undo-keeps-only-the-last"), [PythonChessEngine()])
    comparer.question = Question(frozenset({Ability.MOVES, Ability.OUTCOME}))
    found = comparer.compare(walk).divergence
    assert found is not None
    assert str(found.signature) == "restore/unmake/-"


def test_a_tally_that_a_capture_leaves_wrong_is_not_what_makes_generators_differ() -> None:
    """Only what moves are generated from can do that."""
    faults = FAULTS["king-wraps-around"], FAULTS["material-kept-after-capture"]
    board = interpreted_copy("refute_wrong_tally", {fault.module: edited_source(fault) for fault in faults})
    walk = Walk("4k3/8/8/r7/3p4/3R4/8/K7 w - - 0 1")
    found = Comparer(OwnEngine(board=board, name="both"), [PythonChessEngine()]).compare(walk).divergence
    assert found is not None
    assert found.verdict is Verdict.MOVEGEN


@pytest.mark.parametrize(
    ("fault", "fen", "kind"),
    [
        ("fen-writes-victim-square", "4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "en passant square"),
        ("fen-writes-white", "4k3/4R3/8/8/8/8/8/4K3 b - - 0 1", "side to move"),
    ],
)
def test_a_fen_that_its_own_reader_refuses_is_named_by_the_wrong_field(fault: str, fen: str, kind: str) -> None:
    assert seen(fault, fen).kind == kind
