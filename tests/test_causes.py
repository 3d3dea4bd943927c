"""One cause, one finding: what one planted fault shows in several places is one, and what two faults show is two."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from refute.board.copies import interpreted_copy
from refute.causes import Names, causes_of, group, key_of, related, rule_of
from refute.compare import Comparer
from refute.divergence import Divergence, Signature, Verdict
from refute.engines.faulty import FAULTS, edited_source, open_fault
from refute.engines.own import OwnEngine
from refute.engines.pyobject import FunctionEngine
from refute.engines.python_chess import PythonChessEngine
from refute.finding import finding_path, read_finding, write_finding
from refute.hunter import Found, Options, Tally
from refute.refining import group_findings, keep_findings
from refute.walk import Walk

Places = tuple[tuple[str, ...], ...]


def seen(fault: str, fen: str, *moves: str) -> Divergence:
    """What a planted fault shows at a place, beside python-chess."""
    found = Comparer(open_fault(fault), [PythonChessEngine()]).compare(Walk(fen, moves)).divergence
    assert found is not None, (fault, fen)
    return found


# A fault, and places where it shows itself under another signature each.
ONE: dict[str, Places] = {
    "checker-cannot-be-taken": (
        ("4k3/8/8/8/1b1Q4/8/8/4K3 w - - 0 1",),
        ("4k3/8/8/5N2/3p4/4K3/8/8 w - - 0 1",),
        ("4k3/8/8/8/8/2b5/1P6/4K3 w - - 0 1",),
    ),
    "double-check-as-single": (
        ("4k3/8/8/4r3/3B4/8/3rK3/8 w - - 0 1",),
        ("4k3/8/8/8/2p5/3K2r1/4P3/8 w - - 0 1",),
    ),
    "diagonal-pins-forgotten": (
        ("4k3/8/4b3/5P2/8/7K/8/8 w - - 0 1",),
        ("4K1k1/8/2N5/1b6/8/8/8/8 w - - 0 1",),
    ),
    "castle-through-attack": (
        ("4k3/8/8/8/8/8/6p1/4K2R w K - 0 1",),
        ("4k3/8/8/8/8/8/4p3/R3K3 w Q - 0 1",),
    ),
    "kings-may-touch": (("7k/5K2/8/8/8/8/8/8 w - - 0 1",), ("8/K1k5/1p6/8/8/8/8/8 w - - 0 1",)),
    "knight-wraps-around": (
        ("4k3/8/8/8/N7/8/8/4K3 w - - 0 1",),
        ("4k3/8/K7/8/8/8/7n/8 w - - 0 1",),  # a king that may not go where no knight is near
        ("N7/8/8/2P4k/8/b7/8/4K3 b - - 0 1",),  # and a bishop that must answer a check that is none
    ),
    "edge-pawn-cannot-capture": (
        ("4k3/8/8/p7/1P6/8/8/4K3 w - - 0 1",),
        ("4k3/1p6/P7/8/8/8/8/4K3 w - - 0 1",),
        ("4k1n1/7P/8/8/8/8/8/4K3 w - - 0 1",),
        ("4k3/8/8/8/8/7p/8/6K1 w - - 0 1",),
        ("4k3/8/8/8/8/8/7p/4K2R w K - 0 1",),
    ),
    "missing-underpromotion": (("n3k3/1P6/8/8/8/8/8/4K3 w - - 0 1",), ("4k3/2P5/8/8/8/8/8/4K3 w - - 0 1",)),
    "king-evasions-twice": (("4k3/8/8/1r6/8/8/8/1K6 w - - 0 1",), ("k5K1/5b2/8/8/8/8/8/8 w - - 0 1",)),
    "castle-leaves-rook": (
        ("4k3/8/8/8/3P4/8/8/R3K3 w Q - 0 1", "e1c1"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"),
        ("4k3/8/8/8/5P2/8/8/4K2R w K - 0 1", "e1g1"),
    ),
    "promotion-always-queen": (
        ("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7b8r"),
        ("k7/7P/8/8/8/8/8/4K3 w - - 0 1", "h7h8n"),
        ("r3k3/6P1/8/8/8/8/8/4K3 w q - 0 1", "g7g8b"),
    ),
    "en-passant-victim-stays": (
        ("4k3/8/8/pP6/1K6/8/8/8 w - a6 0 1",),
        ("4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", "d5e6"),
        ("8/k7/8/1pP5/8/8/8/4K3 w - b6 0 1", "c5b6"),
    ),
    "right-kept-after-rook-capture": (
        ("r3k3/8/8/R7/8/8/8/4K3 w q - 0 1",),
        ("r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1",),
    ),
    "right-kept-after-king-move": (
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1",),
        ("4k3/8/8/8/8/8/3P4/4Kq1R w K - 0 1",),
    ),
    "material-kept-after-capture": (
        ("4k3/8/8/1pP5/8/8/8/4K3 w - b6 0 1",),
        ("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1",),
        ("4k3/2P5/8/8/8/8/8/4K3 w - - 0 1",),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",),
    ),
    "clock-not-restored": (
        ("k5K1/5p2/8/8/8/8/8/8 w - - 21 1",),
        ("4k3/2P5/8/8/8/8/8/4K3 w - - 150 1",),
        ("4k3/8/8/8/4P3/8/8/4K3 w - - 97 1",),
    ),
    "capture-not-undone": (
        ("4k3/8/8/3R4/3p4/8/8/4K3 w - - 0 1",),
        ("4k3/8/8/6K1/6p1/5b2/8/8 w - - 0 1",),  # what fails is a capture that is illegal, tried all the same
        ("4k3/8/2R5/1q1K4/2p5/8/8/8 w - - 0 1",),  # and whoever plays on there crashes
    ),
    "slider-stops-short": (
        ("4k3/8/8/3R4/3p4/8/8/4K3 w - - 0 1",),
        ("4k3/8/8/8/2B5/3p4/8/4K3 w - - 0 1",),
        ("4k3/8/8/1b1K4/2p5/8/8/8 w - - 0 1",),
        ("4k3/8/8/8/5r2/8/5K2/8 w - - 0 1",),
        ("4k3/8/8/1rPpK3/8/8/8/8 w - d6 0 1",),
    ),
    "rook-mask-without-own-edge": (
        ("4k3/8/8/8/8/8/8/3RK3 w - - 0 1",),
        ("3r1K1k/3B4/8/8/8/8/8/8 w - - 0 1",),  # whose bishop may go to e8, and seems to leave the king in check
    ),
    "captured-man-keeps-bit": (
        ("4k3/2P5/8/8/8/8/8/4K3 w - - 0 1",),
        ("4k3/8/8/3b4/8/6r1/7K/8 w - - 0 1",),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",),
    ),
    "en-passant-taker-twice": (
        ("4k3/8/8/1PpP4/8/8/8/4K3 w - c6 0 1",),
        ("4k3/8/4b3/5PpP/8/7K/8/8 w - g6 0 1",),  # the first taker may not, and the second is not asked
    ),
    "castle-over-men": (
        ("4k3/8/8/8/8/8/8/R2nK3 w Q - 0 1",),
        ("4k3/8/8/8/8/8/8/4KNNR w K - 0 1",),
        ("4k3/8/8/8/8/8/8/R1R1K3 w Q - 0 1",),  # it ends on a rook of its own side
    ),
    "fen-writes-victim-square": (
        ("4k3/8/8/1pP5/8/8/8/4K3 w - b6 0 1",),
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1",),  # its own reader refuses it
    ),
    "fen-writes-white": (
        ("4k3/8/8/8/8/8/8/4K3 b - - 0 1",),
        ("4k3/4R3/8/8/8/8/8/4K3 b - - 0 1",),
    ),
    "fen-ignores-halfmove-clock": (
        ("4k3/8/8/8/8/8/8/4K3 w - - 97 1",),
        ("4k3/8/1R6/8/8/8/8/4K3 w - - 0 1", "b6b2"),
    ),
    "threefold-ends-game": (
        ("4k3/8/8/4n3/8/8/7R/4K3 w - - 0 1", "h2c2", "e5f7", "c2h2", "f7e5", "h2c2", "e5f7", "c2h2", "f7e5"),
        ("8/8/8/4p2K/8/4k3/8/8 w - - 0 1", "h5g6", "e3e4", "g6h5", "e4e3", "h5g6", "e3e4", "g6h5", "e4e3"),
    ),
}


@pytest.mark.parametrize(("fault", "places"), ONE.items(), ids=ONE)
def test_one_fault_seen_in_several_places_is_one_cause(fault: str, places: Places) -> None:
    named = [causes_of(seen(fault, *place)) for place in places]
    assert group(named) == [list(range(len(places)))]


# Two faults that have something in common, each at a place of its own.
TWO = {
    "en passant that uncovers a rook and kings that touch": (
        ("en-passant-rank-pin", "4k3/8/8/1rPpK3/8/8/8/8 w - d6 0 1"),
        ("kings-may-touch", "7k/5K2/8/8/8/8/8/8 w - - 0 1"),
    ),
    "kings that touch and kings that pawns do not frighten": (
        ("kings-may-touch", "7k/5K2/8/8/8/8/8/8 w - - 0 1"),
        ("edge-pawn-cannot-capture", "4k3/8/8/8/8/7p/8/6K1 w - - 0 1"),
    ),
    "captures that come back as other men and capturing promotions that do not come back": (
        ("undo-field-too-narrow", "4k2r/6P1/8/8/8/8/8/4K3 w k - 0 1"),
        ("promotion-capture-not-undone", "4k2r/6P1/8/8/8/8/8/4K3 w k - 0 1"),
    ),
    "taking a man that is defended and sliders that take nothing": (
        ("king-takes-protected-man", "4k3/8/8/8/8/1p6/2p5/3K4 w - - 0 1"),
        ("slider-stops-short", "4k3/8/8/3R4/3p4/8/8/4K3 w - - 0 1"),
    ),
    "keys of castling and of en passant": (
        ("key-forgets-castling-rook", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("key-keeps-en-passant", "4k3/8/8/pP6/8/8/8/4K3 w - a6 0 1"),
    ),
    "castling through an attack and out of check": (
        ("castle-through-attack", "4k3/8/8/8/8/8/6p1/4K2R w K - 0 1"),
        ("castle-out-of-check", "4k3/8/8/8/4r3/8/8/R3K3 w Q - 0 1"),
    ),
    "castling through an attack and taking what is defended": (
        ("castle-through-attack", "4k3/8/8/8/8/8/6p1/4K2R w K - 0 1"),
        ("king-takes-protected-man", "4k3/8/8/8/8/1p6/2p5/3K4 w - - 0 1"),
    ),
    "knights and kings that wrap around": (
        ("knight-wraps-around", "4k3/8/8/8/N7/8/8/4K3 w - - 0 1"),
        ("king-wraps-around", "4k3/8/8/8/8/8/8/7K w - - 0 1"),
    ),
    "checkers not taken and checks not blocked": (
        ("checker-cannot-be-taken", "4k3/8/8/8/1b1Q4/8/8/4K3 w - - 0 1"),
        ("check-cannot-be-blocked", "4k3/8/8/8/1b1Q4/8/8/4K3 w - - 0 1"),
    ),
    "the same FEN, the clock and the move number": (
        ("fen-ignores-halfmove-clock", "4k3/8/8/8/8/8/8/4K3 w - - 97 58"),
        ("fen-ignores-move-number", "4k3/8/8/8/8/8/8/4K3 w - - 97 58"),
    ),
    "what is not restored of en passant and of castling": (
        ("en-passant-victim-misplaced", "4k3/8/8/1pP5/8/8/8/4K3 w - b6 0 1"),
        ("right-lost-on-unmake", "4k3/8/8/8/8/8/8/4KN1R w K - 0 1"),
    ),
}


@pytest.mark.parametrize("places", TWO.values(), ids=TWO)
def test_two_faults_are_two_causes(places: tuple[tuple[str, str], ...]) -> None:
    assert group([causes_of(seen(*place)) for place in places]) == [[0], [1]]


def test_what_two_causes_would_explain_makes_them_no_one_cause() -> None:
    """Which of two it was nobody can tell."""
    causes = [Names(frozenset({name}), frozenset({"unmake"})) for name in ("en passant", "castling")]
    odd = Names(frozenset({"odd"}), frozenset(), under=frozenset({"unmake"}))
    assert group([*causes, odd]) == [[0, 2], [1]]
    assert related(odd, causes) == [0]


def test_two_faults_of_one_kind_of_move_are_told_apart_by_what_they_leave_behind() -> None:
    """One brings a captured rook back as another man, the other does not bring it back."""
    place = "4k2r/6P1/8/8/8/8/8/4K3 w k - 0 1"
    changed, gone = seen("undo-field-too-narrow", place), seen("promotion-capture-not-undone", place)
    assert changed.signature == gone.signature
    assert key_of(changed) != key_of(gone)
    tally = Tally(Options())
    for number, found in enumerate((changed, gone)):
        tally.take(0, Found(number, found))
    group_findings(tally)
    assert [found.actual for found in tally.findings.values()] == [changed.actual, gone.actual]


def listing(*castles: str) -> FunctionEngine:
    """An engine that lists these castles whatever attacks their squares."""

    def moves(fen: str) -> list[str]:
        board = chess.Board(fen)
        legal = [move.uci() for move in board.legal_moves]
        return legal + [castle for castle in castles if castle not in legal]

    return FunctionEngine(moves, name="listing", timeout=10)


OUT_OF_CHECK = "4k3/8/8/8/4r3/8/8/4K2R w K - 0 1"
THROUGH = "4k3/8/8/8/5r2/8/8/4K2R w K - 0 1"
INTO = "4k3/8/8/8/6r1/8/8/4K2R w K - 0 1"


def castled(fen: str) -> Divergence:
    found = Comparer(listing("e1g1"), [PythonChessEngine()]).compare(Walk(fen)).divergence
    assert found is not None
    return found


def test_two_rules_of_castling_are_two_causes_though_the_move_is_the_same() -> None:
    found = [castled(OUT_OF_CHECK), castled(THROUGH)]
    assert found[0].signature == found[1].signature
    assert key_of(found[0]) != key_of(found[1])
    assert group(list(map(causes_of, found))) == [[0], [1]]


def test_a_castle_that_looks_at_no_attack_at_all_is_one_cause() -> None:
    assert group([causes_of(castled(fen)) for fen in (OUT_OF_CHECK, THROUGH, INTO)]) == [[0, 1, 2]]


def test_knights_that_miss_a_capture_are_no_reason_to_castle_into_their_attack() -> None:
    def moves(fen: str) -> list[str]:
        board = chess.Board(fen)
        knights = board.pieces(chess.KNIGHT, board.turn)
        return [
            move.uci() for move in board.legal_moves if not (move.from_square in knights and board.is_capture(move))
        ]

    blunt = FunctionEngine(moves, name="blunt", timeout=10)
    missing = Comparer(blunt, [PythonChessEngine()]).compare(Walk("4k3/8/2p5/8/3N4/8/8/4K3 w - - 0 1")).divergence
    assert missing is not None
    into = castled("4k3/8/8/8/8/7n/8/4K2R w K - 0 1")
    assert group([causes_of(missing), causes_of(into)]) == [[0], [1]]


def test_two_faults_in_one_board_keep_their_verdicts() -> None:
    """A clock that is misread must not make a rook that castling left behind a fault of the reader."""
    faults = FAULTS["fen-ignores-halfmove-clock"], FAULTS["castle-leaves-rook"]
    board = interpreted_copy("refute_two_faults", {fault.module: edited_source(fault) for fault in faults})
    comparer = Comparer(OwnEngine(board=board, name="both"), [PythonChessEngine()])
    castle = comparer.compare(Walk("4k3/8/8/8/3P4/8/8/R3K3 w Q - 0 1", ("e1c1",))).divergence
    clock = comparer.compare(Walk("4k3/8/8/8/8/8/8/4K3 w - - 97 1")).divergence
    assert castle is not None
    assert clock is not None
    assert (castle.verdict, clock.verdict) == (Verdict.MAKE, Verdict.FEN)
    assert group([causes_of(castle), causes_of(clock)]) == [[0], [1]]


# ---------------------------------------------------------------- in a hunt


def tally_of(folder: Path, findings: list[Divergence]) -> Tally:
    """A hunt that found these, three walks each, and has them on disk."""
    tally = Tally(Options(folder=folder))
    for number, found in enumerate(findings):
        path = finding_path(folder / "found", found)
        write_finding(path, found)
        tally.findings[key_of(found)] = _at(found, path)
        tally.counts[key_of(found)] = 3
        tally.indices[key_of(found)] = number
    return tally


def _at(found: Divergence, path: Path) -> Divergence:
    found.notes["path"] = str(path)
    return found


def test_a_hunt_tells_each_cause_once_and_keeps_every_walk_of_it(tmp_path: Path) -> None:
    fault = "castle-through-attack"
    castles = [seen(fault, *place) for place in ONE[fault]]
    other = seen("knight-wraps-around", "4k3/8/8/8/N7/8/8/4K3 w - - 0 1")
    tally = tally_of(tmp_path, [*castles, other])
    group_findings(tally)
    keep_findings(tally)
    assert [str(found.signature) for found in tally.findings.values()] == [
        "moves/movegen/extra queen-side castle",
        "moves/movegen/extra knight move",
    ]
    assert list(tally.counts.values()) == [6, 3]
    kept = [read_finding(path) for path in (tmp_path / "found").iterdir()]
    assert sorted(found.count for found in kept) == [3, 6]
    castle = next(found for found in kept if found.count == 6)
    # Both sides break the same rule, so that one walk stands for it.
    assert rule_of(castles[0]) == rule_of(castles[1])
    assert "also" not in castle.notes


def test_what_explains_the_others_stands_for_them(tmp_path: Path) -> None:
    fault = "edge-pawn-cannot-capture"
    capture, *others = (ONE[fault][number] for number in (1, 3, 4))
    tally = tally_of(tmp_path, [seen(fault, *place) for place in (*others, capture)])
    group_findings(tally)
    keep_findings(tally)
    assert list(tally.findings) == [Signature.parse("moves/movegen/missing pawn capture")]
    (path,) = (tmp_path / "found").iterdir()
    also = read_finding(path).notes["also"]
    assert {text.split(" ", 2)[2] for text in also.values()} == {place[0] for place in others}
