"""Checked perft and the audit catch bugs planted in a copy of the core, and lead to the faulty move."""

from __future__ import annotations

import re
from typing import Any

import pytest

from refute.board import fen
from refute.board._core import INVARIANTS
from refute.board.copies import interpreted_copy, source_of
from refute.errors import BrokenInvariant

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9"
PASSED = "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2"
KEYED = "self.key ^= EN_PASSANT_KEYS[self.ep & 7]"
BLACK = "4k3/8/8/8/8/8/4p3/K7 b - - 7 30"


def planted(name: str, method: str, old: str, new: str) -> Any:
    """A copy of the board with one method of its core changed."""
    text = source_of("_core")
    found = re.search(rf"^    def {method}\(.*?(?=^    def |^    # ---)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"the core has no method {method}"
    assert old in found[0], f"{method} no longer says {old!r}"
    edited = text[: found.start()] + found[0].replace(old, new) + text[found.end() :]
    return interpreted_copy(f"refute_board_planted_{re.sub('[^a-z]', '_', name)}", {"_core": edited})


# name, method, text, its replacement, FEN, plies, stage, faulty move, what is said of it
FAULTS = [
    ("captured rook keeps its right", "_make", "self.keeps[source] & self.keeps[target]", "self.keeps[source]",
     "r3k2r/8/8/8/8/8/6b1/R3K2R b KQkq - 0 1", 1, "make", "g2h1", INVARIANTS[10]),
    ("moved king keeps its rights", "_make", "self.keeps[source] & self.keeps[target]", "self.keeps[target]",
     "4k3/8/8/8/8/8/8/R3K2R w KQ - 3 9", 1, "make", "e1d1", INVARIANTS[10]),
    ("turn not in the key", "_make", "self.key ^= BLACK_KEY ^ ", "self.key ^= ",
     BLACK, 1, "make", None, INVARIANTS[16]),
    ("old rights not in the key", "_make", "BLACK_KEY ^ self.castle_keys[self.castling]", "BLACK_KEY",
     CASTLING, 1, "make", None, INVARIANTS[16]),
    ("new en passant chance not in the key", "_make", f"self.ep_keyed = 1\n            {KEYED}",
     "self.ep_keyed = 1", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", 1, "make", "e2e4", INVARIANTS[16]),
    ("old en passant chance stays in the key", "_make", f"{KEYED}\n            self.ep_keyed = 0",
     "self.ep_keyed = 0", PASSED, 1, "make", None, INVARIANTS[16]),
    ("old en passant square stays", "_make", "self.ep = NO_SQUARE", "pass",
     PASSED, 1, "make", None, INVARIANTS[11]),
    ("tally forgets where men move", "_shift", "self.tallies[colour] +=", "self.tallies[colour] + ",
     BLACK, 1, "make", None, INVARIANTS[18]),
    ("mailbox keeps the man taken en passant", "_remove", "self.board[square] = EMPTY", "pass",
     PASSED, 1, "make", "d5e6", INVARIANTS[3]),
    ("pinned knight moves", "_generate", "pieces[ours + KNIGHT] & ~pinned", "pieces[ours + KNIGHT]",
     "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", 1, "make", "e2", INVARIANTS[15]),
    ("man taken en passant does not return", "_unmake", "self._place(captured, target ^ 8)", "pass",
     PASSED, 1, "unmake", "d5e6", "e5 was a black pawn, is empty"),
    ("captured man does not return", "_unmake", "self._place(captured, target)", "pass",
     CASTLING, 1, "unmake", "a1a8", "a8 was a black rook, is empty"),
    ("rights do not return", "_unmake", "self.castling = word >> 20 & 15", "pass",
     "4k3/8/8/8/8/8/8/R3K3 w Q - 3 9", 1, "unmake", None, "castling was Q, is -"),
    ("halfmove clock does not return", "_unmake", "self.halfmove = word >> 32", "pass",
     BLACK, 1, "unmake", None, "halfmove clock was 7, is"),
    ("en passant square does not return", "_unmake", "self.ep = word >> 25 & 127", "pass",
     "4k3/8/8/4p3/8/8/8/4K3 w - e6 0 2", 1, "unmake", None, "en passant was e6, is none"),
    ("move number is not counted", "_make", "self.fullmove += us", "pass",
     BLACK, 1, "unmake", None, "fullmove number was 30, is 29"),
    ("promoted pawn does not return", "_unmake", "self._place(us * 6 + PAWN, source)", "pass",
     "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", 1, "unmake", "a7a8", "a7 was a white pawn, is empty"),
    ("castled rook does not return", "_unmake", "self._place(us * 6 + ROOK, target)", "pass",
     CASTLING, 1, "unmake", "e1", "h1 was a white rook, is empty"),
    ("en passant two plies down", "_unmake", "self._place(captured, target ^ 8)", "pass",
     "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", 3, "unmake", "d4e3", "e4 was a white pawn, is empty"),
    ("captured rook two plies down", "_make", "self.keeps[source] & self.keeps[target]", "self.keeps[source]",
     KIWIPETE, 3, "make", None, INVARIANTS[10]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "method", "old", "new", "text", "depth", "stage", "move", "said"),
    [pytest.param(*fault, id=fault[0]) for fault in FAULTS],
)
def test_checked_perft_leads_to_the_faulty_move(
    name: str, method: str, old: str, new: str, text: str, depth: int, stage: str, move: str | None, said: str
) -> None:
    copy = planted(name, method, old, new)
    position = copy.fen.parse(text)
    before = position.fingerprint()
    with pytest.raises(BrokenInvariant) as caught:
        position.perft_checked(depth)
    failure = caught.value
    assert failure.stage == stage
    assert said in failure.message
    assert str(failure) == f"after {stage}: {failure.message}"
    assert position.fingerprint() == before, "the search must not leave its own damage behind"

    # The path is a line of the sound board up to the faulty move, and no shorter line is at fault.
    assert 1 <= len(failure.path) <= depth
    sound = fen.parse(text)
    *line, last = failure.path
    for made in line:
        sound.make(made)
    text_of_last = sound.uci(last)
    if move is not None:
        assert text_of_last.startswith(move)
    if stage == "make":
        assert failure.message == INVARIANTS[failure.number]
    # Replayed on the copy, that very move shows the fault.
    replay = copy.fen.parse(fen.write(sound, en_passant="always"))
    with pytest.raises(BrokenInvariant) as again:
        replay.perft_checked(1)
    assert again.value.stage == stage


@pytest.mark.parametrize(
    ("name", "method", "old", "new", "text", "stage", "move"),
    [pytest.param(*f[:5], f[6], f[7], id=f[0]) for f in FAULTS if f[5] == 1],
)
def test_audit_finds_the_same_faults(
    name: str, method: str, old: str, new: str, text: str, stage: str, move: str | None
) -> None:
    copy = planted(name, method, old, new)
    position = copy.fen.parse(text)
    before = position.fingerprint()
    with pytest.raises(BrokenInvariant) as caught:
        position.audit()
    assert caught.value.stage == stage
    if move is not None:
        assert position.uci(caught.value.path[-1]).startswith(move)
    assert position.fingerprint() == before


NULL_FAULTS = [
    ("pass not in the key", "_make_null", "self.key ^= BLACK_KEY", "pass", BLACK, "null"),
    ("pass keeps the en passant square", "_make_null", "self.ep = NO_SQUARE", "pass", PASSED, "null"),
    ("pass taken back keeps the turn", "_unmake_null", "self.side = us", "pass", BLACK, "unmake null"),
    ("pass taken back loses en passant", "_unmake_null", "self.ep = word >> 25 & 127", "pass", PASSED, "unmake null"),
    ("pass taken back keeps the clock", "_unmake_null", "self.halfmove = word >> 32", "pass", BLACK, "unmake null"),
]


@pytest.mark.parametrize(
    ("name", "method", "old", "new", "text", "stage"), [pytest.param(*fault, id=fault[0]) for fault in NULL_FAULTS]
)
def test_audit_finds_faults_of_null_moves(name: str, method: str, old: str, new: str, text: str, stage: str) -> None:
    copy = planted(name, method, old, new)
    with pytest.raises(BrokenInvariant) as caught:
        copy.fen.parse(text).audit()
    assert caught.value.stage == stage
    assert caught.value.path == (0,)


GENERATOR_FAULTS = [
    ("promotions counted thrice", "_generate", "n += 3 * (", "n += 2 * (", "8/P3k3/8/8/8/8/8/4K3 w - - 0 1"),
    ("filter lets castles pass", "_is_safe", "if move >> 13 == 1:", "if False:", "4k3/8/8/8/5r2/8/8/4K2R w K - 0 1"),
    ("pseudo-legal pawns do not push", "_generate_pseudo", "if not occupied >> step & 1:", "if False:", BLACK),
]


@pytest.mark.parametrize(
    ("name", "method", "old", "new", "text"), [pytest.param(*fault, id=fault[0]) for fault in GENERATOR_FAULTS]
)
def test_audit_finds_generators_that_disagree(name: str, method: str, old: str, new: str, text: str) -> None:
    copy = planted(name, method, old, new)
    with pytest.raises(BrokenInvariant) as caught:
        copy.fen.parse(text).audit()
    assert caught.value.stage == "generate"


def test_nothing_is_found_where_nothing_is_planted() -> None:
    copy: Any = interpreted_copy("refute_board_unplanted")
    for text in {fault[4] for fault in FAULTS}:
        position = copy.fen.parse(text)
        assert position.perft_checked(2) == fen.parse(text).perft(2)
        assert position.audit() == position.count_moves()


def test_fault_names_are_unique_because_each_names_its_copy() -> None:
    names = [fault[0] for fault in (*FAULTS, *NULL_FAULTS, *GENERATOR_FAULTS)]
    assert len(set(names)) == len(names)
