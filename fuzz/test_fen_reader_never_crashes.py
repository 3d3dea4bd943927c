"""Claim: whatever text the FEN reader is given, it returns a valid position or raises FenError."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from refute.board import fen
from refute.errors import FenError

VALID = [
    fen.START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/pp1ppppp/8/8/2pP4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
    "1r2k1r1/8/8/8/8/8/8/1R2K1RR b GBgb - 12 40",
]
SYMBOLS = st.sampled_from("KQRBNPkqrbnpABGHabgh12345678/ w-36909\t\n\0\x1b\x7f²٣é\ud800")
EDITS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 2), SYMBOLS), min_size=1, max_size=4)


@st.composite
def mutated_fens(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(VALID))
    for at, edit, symbol in draw(EDITS):  # 0 deletes, 1 inserts, 2 replaces
        text = text[:at] + symbol * (edit > 0) + text[at + (edit != 1) :]
    return text * draw(st.sampled_from([1, 1, 1, 1, 2, 200]))


@given(mutated_fens() | st.text() | st.text(SYMBOLS, max_size=90), st.booleans())
@example("8/" * 5_000, False)
@example("1" * 10_000, True)
def test_only_fen_errors_come_out(text: str, chess960: bool) -> None:
    try:
        position = fen.parse(text, chess960=chess960)
    except FenError as error:
        fault = error
    else:
        assert position.validate() is None
        assert fen.parse(fen.write(position, en_passant="always"), chess960=position.chess960) == position
        return
    assert fault.field in (*fen.FIELDS, "position")
    assert str(fault).isprintable()
