"""The sentence names what is special about the divergent move, and why an extra move is illegal."""

from __future__ import annotations

from typing import Any

import chess
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refute.compare import Comparer
from refute.divergence import Divergence, Facet, Verdict
from refute.engines.protocol import Answer, Fault, Question, Trouble
from refute.engines.python_chess import PythonChessEngine
from refute.explain import explain
from refute.reasons import why_illegal
from refute.remarks import remarks
from refute.walk import Walk


def divergence(fen: str, *moves: str, **fields: object) -> Divergence:
    given: dict[str, object] = {
        "facet": Facet.MOVES,
        "verdict": Verdict.MOVEGEN,
        "kind": "-",
        "subject": "own",
        "witness": "python-chess",
        "expected": "",
        "actual": "",
    }
    given.update(fields)
    chess960 = bool(given.pop("chess960", False))
    return Divergence(walk=Walk(fen, moves, chess960), **given)  # type: ignore[arg-type]  # test shorthand


MISSING = {
    "evades a double check": ("4k3/8/8/8/8/5n2/8/4K2r w - - 0 1", "e1e2", "evades a double check"),
    "captures the checker": ("4k3/8/8/8/8/3n4/4P3/4K3 w - - 0 1", "e2d3", "captures the knight on d3, which"),
    "blocks the check": ("4k3/4r3/8/8/8/8/3B4/4K3 w - - 0 1", "d2e3", "blocks the check by the rook on e7"),
    "evades the check": ("4k3/4r3/8/8/8/8/8/4K3 w - - 0 1", "e1d1", "evades the check by the rook on e7"),
    "en passant takes the checker": (
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "e4d3",
        "captures en passant the pawn on d4, which gives check",
    ),
    "pinned along a file": ("4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2e5", "stays on the e-file, along which"),
    "pinned along a rank": (
        "6k1/8/8/8/K2R3r/8/8/8 w - - 0 1",
        "d4e4",
        "stays on rank 4, along which",
    ),
    "captures its pinner": ("6k1/8/8/8/1b6/2B5/3K4/8 w - - 0 1", "c3b4", "which pins it along the diagonal"),
    "b1 may be attacked": ("1r4k1/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "although b1, which only the rook"),
    "rook may be attacked": (
        "r5k1/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "e1c1",
        "although the rook on a1 is",
    ),
    "captures the rook of a right": ("4k2r/8/6N1/8/8/8/8/4K3 w k - 0 1", "g6h8", "still carries a castling right"),
    "underpromotion": ("8/P5k1/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "is an underpromotion"),
    "en passant": ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "takes a pawn beside it, on d5"),
    "castle": ("6k1/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "a way free of men and of attacks"),
    "only move": ("7k/8/8/8/8/1r6/N7/K1r5 w - - 0 1", "a2c1", "captures the rook on c1, which gives check"),
    "underpromotion that takes": ("3n2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8r", "e7d8r to a rook, which is an under"),
    "one of two en passant": ("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "e5d6", "one of two ways to take en passant on d6"),
    "double push": ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "two ranks from the pawn's first square"),
    "pawn takes to the edge": ("4k3/8/8/8/8/p7/1P6/4K3 w - - 0 1", "b2a3", "takes towards the edge of the board"),
    "pawn takes from the edge": ("4k3/8/8/8/8/1p6/P7/4K3 w - - 0 1", "a2b3", "takes from the edge of the board"),
    "slides": ("6k1/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a4", "slides 3 squares along the a-file"),
    "slides onto a man": ("6k1/8/8/n7/8/8/8/R3K3 w - - 0 1", "a1a5", "the first man on its line, the knight on a5"),
    "king's free square": ("6k1/8/8/8/8/8/8/4K3 w - - 0 1", "e1d1", "goes to d1, which no man attacks"),
    "king takes": ("6k1/8/8/8/8/8/3n4/4K3 w - - 0 1", "e1d2", "takes the knight on d2, which no man defends"),
    "attack around the edge": ("4k3/8/8/p7/8/6K1/8/8 w - - 0 1", "g3h3", "the pawn on a5 attacks only around the edge"),
    "knight around the edge": ("4k3/8/8/n7/8/8/6K1/8 w - - 0 1", "g2h2", "the knight on a5 attacks only around"),
    "discovered check": ("4k3/8/8/8/8/8/4N3/4RK2 w - - 0 1", "e2c3", "gives a discovered check"),
    "no remark": ("6k1/8/8/8/8/8/8/4K1N1 w - - 0 1", "g1f3", "misses the knight move g1f3."),
}


@pytest.mark.parametrize(("fen", "move", "says"), MISSING.values(), ids=MISSING)
def test_a_missing_move_is_explained(fen: str, move: str, says: str) -> None:
    sentence = explain(divergence(fen, missing=(move,), move=move))
    assert sentence.startswith("The subject misses ")
    assert says in sentence
    assert sentence.endswith(".")


EXTRA = {
    "no such piece": ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "a2a3", "a2 is empty"),
    "other side's man": ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e8e7", "the king on e8 is not the mover's own"),
    "own man captured": ("4k3/8/8/8/8/8/3P4/4K3 w - - 0 1", "e1d2", "d2 holds the mover's own pawn"),
    "king captured": ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "e7e8", "a king is never captured"),
    "pinned on a rank": ("6k1/8/8/8/K2B3r/8/8/8 w - - 0 1", "d4e5", "pinned along rank 4 by the rook on h4"),
    "pinned on a file": ("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "pinned along the e-file by the rook"),
    "pinned on a diagonal": ("6k1/8/8/8/1b6/2P5/3K4/8 w - - 0 1", "c3c4", "pinned along the diagonal by the"),
    "double check": ("4k3/8/8/8/6B1/5n2/8/4K2r w - - 0 1", "g4f3", "in a double check by the rook on h1 and"),
    "check unanswered": (
        "4k3/4r3/8/8/8/8/P7/4K3 w - - 0 1",
        "a2a3",
        "leaves the king on e1 in check by",
    ),
    "attacked square": ("5rk1/8/8/8/8/8/8/4K3 w - - 0 1", "e1f1", "f1 is attacked by the rook on f8"),
    "through the king": ("4r1k1/8/8/8/8/4K3/8/8 w - - 0 1", "e3e2", "stays on the line of the rook on e8"),
    "defended man": (
        "6k1/8/8/8/8/2b5/3r4/4K3 w - - 0 1",
        "e1d2",
        "rook on d2 is defended by the bishop",
    ),
    "kings touch": ("8/8/8/8/8/4k3/8/4K3 w - - 0 1", "e1e2", "e2 is attacked by the king on e3"),
    "castles out of check": ("4r1k1/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "castles out of check by the rook"),
    "castles through": (
        "5rk1/8/8/8/8/8/8/4K2R w K - 0 1",
        "e1g1",
        "castles through f1, which is attacked",
    ),
    "castles into": (
        "6k1/8/8/8/8/8/7p/4K2R w K - 0 1",
        "e1g1",
        "castles into g1, which is attacked",
    ),
    "castles past a man": ("6k1/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1", "the knight on b1 stands in the way"),
    "castles without right": ("6k1/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "castle king-side is lost"),
    "castles without rook": ("6k1/8/8/8/8/8/8/4K3 w - - 0 1", "e1g1", "there is no rook on h1"),
    "castles off its rank": ("6k1/8/8/8/4K3/8/8/8 w - - 0 1", "e4g4", "castles only on its first rank"),
    "en passant off the rank": (
        "6k1/8/8/K2pP2r/8/8/8/8 w - d6 0 1",
        "e5d6",
        "both pawns off rank 5 and",
    ),
    "en passant off the diagonal": (
        "6k1/8/8/b2pP3/1b6/8/8/4K3 w - d6 0 1",
        "e5d6",
        "leaves the king on e1 in check",
    ),
    "en passant opens a diagonal": (
        "b5k1/8/8/3pP3/8/8/6K1/8 w - d6 0 1",
        "e5d6",
        "takes the pawn on d5 off the diagonal and uncovers the bishop on a8",
    ),
    "stale en passant": ("6k1/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6", "no pawn has just made a double push"),
    "other en passant": ("6k1/8/8/3pPp2/8/8/8/4K3 w - d6 0 1", "e5f6", "is the one behind d6"),
    "double push, wrong rank": ("6k1/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3e5", "only a pawn on its first square"),
    "double push over a man": ("6k1/8/8/8/8/4n3/4P3/7K w - - 0 1", "e2e4", "jumps over the knight on e3"),
    "double push onto a man": (
        "6k1/8/8/8/4n3/8/4P3/7K w - - 0 1",
        "e2e4",
        "the knight on e4 stands in its way",
    ),
    "push onto a man": ("6k1/8/8/8/8/4n3/4P3/7K w - - 0 1", "e2e3", "the knight on e3 stands in its way"),
    "pawn captures air": ("6k1/8/8/8/8/8/4P3/7K w - - 0 1", "e2d3", "nothing to capture on d3"),
    "pawn goes back": ("6k1/8/8/8/8/4P3/8/7K w - - 0 1", "e3e2", "does not move backwards"),
    "pawn astray": ("6k1/8/8/8/7n/P7/8/7K w - - 0 1", "a3b5", "does not move like that"),
    "pawn capture wraps": ("6k1/8/8/8/n7/7P/8/4K3 w - - 0 1", "h3a5", "wraps around the edge"),
    "no promotion": ("8/P5k1/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "must promote"),
    "promotes too early": (
        "6k1/8/P7/8/8/8/8/4K3 w - - 0 1",
        "a6a7q",
        "only a pawn that reaches the",
    ),
    "knight wraps": ("6k1/8/8/8/8/8/8/4K2N w - - 0 1", "h1b3", "wraps around the edge"),
    "rook wraps": ("6k1/8/8/8/8/7R/8/4K3 w - - 0 1", "h3b4", "wraps around the edge"),
    "king wraps": ("6k1/8/8/8/7K/8/8/8 w - - 0 1", "h4a5", "wraps around the edge"),
    "slider jumps": ("6k1/8/8/8/8/P7/8/R3K3 w - - 0 1", "a1a5", "it jumps over the pawn on a3"),
    "rook goes astray": ("6k1/8/8/8/8/8/8/R3K3 w - - 0 1", "a1c8", "a rook does not move like that"),
    "null move": ("6k1/8/8/8/8/8/8/R3K3 w - - 0 1", "0000", "passing is not a move"),
    "no move at all": ("6k1/8/8/8/8/8/8/R3K3 w - - 0 1", "\x1b[31m", "'\\x1b[31m', but that is not a move"),
}


@pytest.mark.parametrize(("fen", "move", "says"), EXTRA.values(), ids=EXTRA)
def test_an_extra_move_is_explained(fen: str, move: str, says: str) -> None:
    sentence = explain(divergence(fen, extra=(move,), move=move))
    assert sentence.startswith("The subject lists ")
    assert says in sentence


def test_a_castle_after_the_rook_was_captured_says_so() -> None:
    found = divergence("4k2r/8/8/8/8/8/8/4K2R w k - 0 1", "h1h8", extra=("e8g8",))
    assert "the rook was captured on h8" in explain(found)


def test_a_chess960_castle_that_uncovers_its_king_says_so() -> None:
    found = divergence("7k/8/8/8/8/8/8/qRK5 w B - 0 1", extra=("c1b1",), chess960=True)
    assert "the rook's leaving b1 uncovers the queen on a1" in explain(found)


def test_a_duplicate_is_called_one() -> None:
    found = divergence("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", extra=("g1f3",), actual_moves=("g1f3", "g1f3"))
    assert explain(found) == "The subject lists the knight move g1f3 more than once."


def test_missing_and_extra_share_one_sentence() -> None:
    found = divergence("5rk1/8/8/8/8/8/8/4K3 w - - 0 1", missing=("e1d1", "e1d2"), extra=("e1f1",))
    assert explain(found) == (
        "The subject misses the king move e1d1, which goes to d1, which no man attacks (and 1 other move likewise); "
        "it also lists the king move e1f1, but f1 is attacked by the rook on f8."
    )


def test_castles_written_the_other_way_are_recognised() -> None:
    found = divergence("6k1/8/8/8/8/8/8/4K2R w K - 0 1", missing=("e1g1",), extra=("e1h1",))
    assert "writes the king-side castle e1g1 as 'e1h1', in Chess960's way" in explain(found)
    found = divergence("6k1/8/8/8/8/8/8/4K2R w H - 0 1", missing=("e1h1",), extra=("e1g1",), chess960=True)
    assert "in the standard way" in explain(found)


def test_a_promotion_without_its_letter_is_recognised() -> None:
    missing = ("a7a8q", "a7a8r", "a7a8b", "a7a8n")
    found = divergence("8/P5k1/8/8/8/8/8/4K3 w - - 0 1", missing=missing, extra=("a7a8",))
    assert explain(found) == "The subject lists the promotion a7a8 without saying what the pawn becomes."


STATE = {
    "key": (Facet.KEY, Verdict.HASH, "the subject's key is not the key of the position"),
    "restore": (Facet.RESTORE, Verdict.UNMAKE, "Unmaking the capturing promotion b7a8q to a queen, which captures the"),
    "invariants": (Facet.INVARIANTS, Verdict.MAKE, "board contradicts itself"),
    "perft": (Facet.PERFT, Verdict.MAKE, "counts other nodes"),
    "null": (Facet.NULL, Verdict.UNMAKE, "null move"),
    "crash": (Facet.CRASH, Verdict.CRASH, "the subject crashes"),
    "timeout": (Facet.TIMEOUT, Verdict.CRASH, "no answer in time"),
}


@pytest.mark.parametrize(("facet", "verdict", "says"), STATE.values(), ids=STATE)
def test_a_state_fault_names_the_move_and_its_effect(facet: Facet, verdict: Verdict, says: str) -> None:
    fen = "r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1"
    for moves in ((), ("b7a8q",)):
        sentence = explain(divergence(fen, *moves, facet=facet, verdict=verdict, move="b7a8q"))
        assert says in sentence
        assert "b7a8q" in sentence
        if facet is not Facet.NULL:
            assert "captures the rook on a8, which still carries a castling right" in sentence


@pytest.mark.parametrize(
    ("trouble", "says"),
    [(Trouble.CRASH, "the subject crashes."), (Trouble.GARBAGE, "the subject gives no usable answer.")],
)
def test_only_what_died_is_called_a_crash(trouble: Trouble, says: str) -> None:
    class Broken(PythonChessEngine):
        def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
            return [Fault(trouble, "printed 'la la la'")]

    found = Comparer(Broken(name="broken"), [PythonChessEngine()]).compare(Walk(chess.STARTING_FEN)).divergence
    assert found is not None
    assert found.facet is Facet.CRASH
    assert explain(found) == f"In this position {says}"


def test_what_shows_in_counting_alone_says_so_once_that_is_known() -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    found = divergence(fen, facet=Facet.CRASH, verdict=Verdict.CRASH, notes={"depth": 3, "shrunk": "whole"})
    assert explain(found) == "In this position the subject crashes when it counts to depth 3."
    found = divergence(fen, facet=Facet.TIMEOUT, verdict=Verdict.CRASH, notes={"depth": 3})
    assert explain(found) == "In this position the subject gives no answer in time."


def test_a_walk_that_is_not_taken_back_is_told_as_a_whole() -> None:
    found = divergence("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "e8e7", facet=Facet.RESTORE, verdict=Verdict.UNMAKE)
    assert explain(found).startswith("Unmaking the moves of the walk, one after another, does not lead back")


def test_a_fen_fault_names_the_field() -> None:
    found = divergence(
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "e2e4",
        facet=Facet.FEN,
        verdict=Verdict.MAKE,
        move="e2e4",
        expected="4k3/8/8/8/4P3/8/8/4K3 b - - 0 1",
        actual="4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
    )
    assert "its en passant square is 'e3' where '-' is right" in explain(found)
    assert "where no pawn can take en passant" in explain(found)


MISREAD = {
    "upside down": ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "4K3/P7/8/8/8/8/8/4k3 w - - 0 1", "placement is upside down"),
    "turned round": ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "3K4/7P/8/8/8/8/8/3k4 w - - 0 1", "is turned round"),
    "colours": ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "4K3/8/8/8/8/8/p7/4k3 w - - 0 1", "is of exchanged colours"),
    "one square": (
        "4k3/8/8/8/8/8/P7/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/p7/4K3 w - - 0 1",
        "a2 holds a black pawn instead of a white pawn.",
    ),
    "two fields": (
        "4k3/8/8/8/8/8/P7/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/P7/4K3 b - - 3 1",
        "its side to move and halfmove clock are wrong.",
    ),
    "clocks": (
        "4k3/8/8/8/8/8/8/4K3 w - - 3 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 1 3",
        "its halfmove clock and move number are exchanged, '1 3' where '3 1' is right.",
    ),
    "no FEN": ("4k3/8/8/8/8/8/8/4K3 w - - 3 1", "la la", "The subject reads the FEN wrong."),
    "no placement": ("4k3/8/8/8/8/8/8/4K3 w - - 3 1", "4k4/8 w - - 3 1", "placement is '4k4/8' where '4k3/8/"),
}


@pytest.mark.parametrize(("right", "given", "says"), MISREAD.values(), ids=MISREAD)
def test_a_misread_fen_says_what_was_misread(right: str, given: str, says: str) -> None:
    found = divergence(right, facet=Facet.FEN, verdict=Verdict.FEN, expected=right, actual=given)
    assert says in explain(found)


@pytest.mark.parametrize(
    ("moves", "listed", "says"),
    [
        (("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), "d5d4 e8d7 e8d8 e8f7 e8f8", "the pawn on d5 were still there"),
        (("k7/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), "a8a7 a8b7", ""),
        (("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5"), "e1d1 e1d2 e1e2 e1f1 e1f2 e5e6", "taken en passant on d6"),
    ],
)
def test_moves_of_another_board_are_told_as_such(moves: tuple[str, ...], listed: str, says: str) -> None:
    actual = tuple(listed.split())
    sentence = explain(divergence(*moves, verdict=Verdict.MAKE, extra=("a1a2",), actual_moves=actual))
    assert ("lists its moves as if" in sentence) is bool(says)
    assert says in sentence


def test_what_an_engine_said_of_itself_is_repeated_only_where_it_is_plain_text() -> None:
    fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    more: dict[str, Any] = {
        "facet": Facet.INVARIANTS,
        "verdict": Verdict.MAKE,
        "move": "e1d1",
        "expected": "no complaint",
    }
    assert explain(divergence(fen, **more, actual="after make: a clock is out of range")).endswith(
        "the subject's board contradicts itself: a clock is out of range."
    )
    assert explain(divergence(fen, **more, actual="\x1b[31m\n")).endswith("board contradicts itself.")
    assert len(explain(divergence(fen, **more, actual="a" * 5000))) < 500


def test_a_null_move_after_a_walk_says_what_came_before_it() -> None:
    more: dict[str, Any] = {"facet": Facet.NULL, "verdict": Verdict.MAKE, "expected": "no complaint"}
    text = "after null: the en passant square does not match a pawn that just moved two squares"
    assert explain(divergence("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", **more, actual=text)) == (
        "After the double push e2e4 and a null move, which changes the side to move and ends the en passant square "
        "e3, the subject still has the en passant square e3."
    )


def test_an_outcome_says_what_makes_it_one() -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 150 90"
    found = divergence(fen, facet=Facet.OUTCOME, expected="seventyfive-moves", actual="the game goes on")
    assert "lets the game go on, but it is seventyfive moves: the halfmove clock is at 150" in explain(found)
    found = divergence("4k3/8/8/8/8/8/8/4K1B1 w - - 0 1", facet=Facet.OUTCOME, actual="the game goes on")
    assert "it is insufficient material: no mate is possible with the bishop on g1." in explain(found)
    found = divergence("4k3/8/8/8/8/8/8/4K1B1 w - - 0 1", facet=Facet.OUTCOME, actual="<script>")
    assert "the subject is wrong about the outcome: it is insufficient material" in explain(found)


def test_check_and_outcome_tell_the_truth_of_the_position() -> None:
    checked = divergence("4k3/8/8/8/8/8/8/r3K3 w - - 0 1", facet=Facet.CHECK)
    assert explain(checked).endswith("the king on e1 is in check by the rook on a1.")
    calm = divergence("4k3/8/8/8/8/8/8/4K3 w - - 0 1", facet=Facet.CHECK)
    assert explain(calm).endswith("the king on e1 is not in check.")
    stale = divergence("7k/5Q2/8/8/8/8/8/4K3 b - - 0 1", facet=Facet.OUTCOME)
    assert explain(stale).endswith("it is stalemate: Black has no legal move and is not in check.")


def test_path_dependence_and_the_made_move_are_said() -> None:
    fen = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1"
    found = divergence(fen, "e2e4", verdict=Verdict.MAKE, missing=("d4e3",), move="e2e4", path_dependent=True)
    assert explain(found) == (
        "Once the double push e2e4 was made, the subject misses the en passant capture d4e3, "
        "which takes a pawn beside it, on e4, not on its target square; the FEN alone does not show it."
    )


def walked(choices: list[int], *, chess960: int | None = None) -> chess.Board:
    board = chess.Board() if chess960 is None else chess.Board.from_chess960_pos(chess960)
    for choice in choices:
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if not legal:
            break
        board.push(legal[choice % len(legal)])
    return board


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 10**6), max_size=90), st.integers(0, 63))
@example([], 4)
def test_a_reason_is_given_for_exactly_the_illegal_moves(choices: list[int], number: int) -> None:
    board = walked(choices)
    men = chess.SquareSet(board.occupied_co[board.turn])
    source = chess.SQUARE_NAMES[list(men)[number % len(men)]]
    legal = {move.uci() for move in board.legal_moves}
    for target in chess.SQUARE_NAMES:
        for uci in (source + target, source + target + "q"):
            assert (why_illegal(board, uci) == "") == (uci in legal), (board.fen(), uci)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 959), st.lists(st.integers(0, 10**6), max_size=60))
def test_no_reason_is_given_against_a_legal_chess960_move(start: int, choices: list[int]) -> None:
    board = walked(choices, chess960=start)
    for move in board.legal_moves:
        assert why_illegal(board, move.uci()) == "", (board.fen(), move.uci())
        assert all(remarks(board, move))


@given(st.text(alphabet="kKpPqQ/8 w-0123\x00<", max_size=40), st.text(max_size=6), st.sampled_from(Facet))
def test_nothing_makes_it_raise(fen: str, text: str, facet: Facet) -> None:
    printable = fen if fen.isascii() and fen.isprintable() else "8/8/8/8/8/8/8/8 w - - 0 1"
    sentence = explain(divergence(printable, facet=facet, missing=(text,), extra=(text[::-1],), move=text))
    assert sentence.endswith(".")
    assert sentence.isprintable()
