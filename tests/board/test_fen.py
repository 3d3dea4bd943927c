"""The FEN reader names every fault, and reader and writer agree with python-chess."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import pytest

from refute import walk
from refute.board import fen
from refute.board._core import Position
from refute.errors import FenError, InputError

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

# (what is wrong, the field it is in, words of the message, the FEN)
FAULTS = [
    ("empty text", "placement", "empty", ""),
    ("one field", "side to move", "missing", "8/8/8/8/8/8/8/8"),
    ("five fields", "fullmove number", "missing", "4k3/8/8/8/8/8/8/4K3 w - - 0"),
    ("seven fields", "fullmove number", "'x' follows", "4k3/8/8/8/8/8/8/4K3 w - - 0 1 x"),
    ("leading space", "placement", "empty", " 4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("trailing space", "fullmove number", "empty", "4k3/8/8/8/8/8/8/4K3 w - - 0 1 "),
    ("two spaces", "castling", "empty", "4k3/8/8/8/8/8/8/4K3 w  - - 0 1"),
    ("empty side", "side to move", "''", "4k3/8/8/8/8/8/8/4K3  - -"),
    ("empty castling", "castling", "''", "4k3/8/8/8/8/8/8/4K3 w  - 0 1"),
    ("tab for a space", "side to move", "missing", "4k3/8/8/8/8/8/8/4K3\tw\t-\t-\t0\t1"),
    ("121 characters", "position", "longer than 120", "4k3/8/8/8/8/8/8/4K3 w - - 0 1".ljust(121, "1")),
    ("ten thousand characters", "position", "(10000 characters)", "k" * 10_000),
    ("seven ranks", "placement", "has 7 ranks", "4k3/8/8/8/8/8/4K3 w - - 0 1"),
    ("nine ranks", "placement", "has 9 ranks", "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("empty rank", "placement", "adds up to 0", "4k3/8//8/8/8/8/4K3 w - - 0 1"),
    ("short rank", "placement", "rank 8, '4k2', adds up to 7", "4k2/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("long rank", "placement", "rank 1, '4K4', adds up to 9", "4k3/8/8/8/8/8/8/4K4 w - - 0 1"),
    ("two digits in a row", "placement", "two digits in a row", "4k3/8/44/8/8/8/8/4K3 w - - 0 1"),
    ("digit 0", "placement", "'0'", "4k3/80/8/8/8/8/8/4K3 w - - 0 1"),
    ("digit 9", "placement", "'9'", "4k3/9/8/8/8/8/8/4K3 w - - 0 1"),
    ("Arabic digit", "placement", r"'\\u0668'", "4k3/\u0668/8/8/8/8/8/4K3 w - - 0 1"),
    ("superscript digit", "placement", r"'\\xb2'", "4k3/6\xb2/8/8/8/8/8/4K3 w - - 0 1"),
    ("unknown letter", "placement", "'x'", "4k3/8/8/3x4/8/8/8/4K3 w - - 0 1"),
    ("control character", "placement", r"'\\x00'", "4k3/8/8/3\x004/8/8/8/4K3 w - - 0 1"),
    ("escape sequence", "placement", r"\\x1b", "4k3/8/8/\x1b[2J/8/8/8/4K3 w - - 0 1"),
    ("no white king", "placement", "0 white kings", "4k3/8/8/8/8/8/8/8 w - - 0 1"),
    ("no black king", "placement", "0 black kings", "8/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("two white kings", "placement", "2 white kings", "4k3/8/8/8/8/8/8/K3K3 w - - 0 1"),
    ("two black kings", "placement", "2 black kings", "k3k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("white pawn on rank 8", "placement", "rank 8, 'P3k3'", "P3k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("black pawn on rank 8", "placement", "rank 8, 'p3k3'", "p3k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("white pawn on rank 1", "placement", "rank 1, 'P3K3'", "4k3/8/8/8/8/8/8/P3K3 w - - 0 1"),
    ("black pawn on rank 1", "placement", "rank 1, 'p3K3'", "4k3/8/8/8/8/8/8/p3K3 w - - 0 1"),
    ("side x", "side to move", "'x'", "4k3/8/8/8/8/8/8/4K3 x - - 0 1"),
    ("side W", "side to move", "'W'", "4k3/8/8/8/8/8/8/4K3 W - - 0 1"),
    ("side white", "side to move", "'white'", "4k3/8/8/8/8/8/8/4K3 white - - 0 1"),
    ("side -", "side to move", "'-'", "4k3/8/8/8/8/8/8/4K3 - - - 0 1"),
    ("unknown right", "castling", "'x'", "r3k2r/8/8/8/8/8/8/R3K2R w KQx - 0 1"),
    ("file I", "castling", "'I'", "r3k2r/8/8/8/8/8/8/R3K2R w I - 0 1"),
    ("dash among rights", "castling", "'-'", "r3k2r/8/8/8/8/8/8/R3K2R w K-kq - 0 1"),
    ("dash twice", "castling", "'-'", "r3k2r/8/8/8/8/8/8/R3K2R w -- - 0 1"),
    ("black rights first", "castling", "KQkq order at 'K'", "r3k2r/8/8/8/8/8/8/R3K2R w kqKQ - 0 1"),
    ("queen side first", "castling", "KQkq order at 'K'", "r3k2r/8/8/8/8/8/8/R3K2R w QK - 0 1"),
    ("file A before H", "castling", "KQkq order at 'H'", "r3k2r/8/8/8/8/8/8/R3K2R w AH - 0 1"),
    ("K twice", "castling", "'K' twice", "r3k2r/8/8/8/8/8/8/R3K2R w KKkq - 0 1"),
    ("K and H", "castling", "'H' twice", "r3k2r/8/8/8/8/8/8/R3K2R w KH - 0 1"),
    ("two king-side rooks", "castling", "'G' twice", "4k3/8/8/8/8/8/8/4K1RR w HG - 0 1"),
    ("K without its rook", "castling", "no white rook", "r3k2r/8/8/8/8/8/8/R3K3 w KQkq - 0 1"),
    ("Q without its rook", "castling", "no white rook", "r3k2r/8/8/8/8/8/8/4K2R w KQkq - 0 1"),
    ("k without its rook", "castling", "no black rook", "r3k3/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    ("q without its rook", "castling", "no black rook", "4k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    ("K with an enemy rook", "castling", "no white rook", "4k3/8/8/8/8/8/5P2/4K2r b K - 0 1"),
    ("K with a bishop at home", "castling", "no white rook", "4k3/8/8/8/8/8/8/4K2B w K - 0 1"),
    ("file without its rook", "castling", "no white rook", "4k3/8/8/8/8/8/8/4K2R w G - 0 1"),
    ("file of the king", "castling", "no white rook", "4k3/8/8/8/8/8/8/4K2R w E - 0 1"),
    ("K with the king on e2", "castling", "no white king on rank 1", "4k3/8/8/8/8/8/4K3/7R w K - 0 1"),
    ("k with the king on e7", "castling", "no black king on rank 8", "7r/4k3/8/8/8/8/8/4K3 w k - 0 1"),
    ("K with the king on h8", "castling", "no white king on rank 1", "7K/8/8/8/8/8/1k6/7R b K - 0 1"),
    ("no such square", "en passant", "'e9'", "4k3/8/8/4p3/8/8/8/4K3 w - e9 0 1"),
    ("upper-case square", "en passant", "'E6'", "4k3/8/8/4p3/8/8/8/4K3 w - E6 0 1"),
    ("square and tail", "en passant", "'e6x'", "4k3/8/8/4p3/8/8/8/4K3 w - e6x 0 1"),
    ("rank 4", "en passant", "'e4' is on rank 4, expected 3", "4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1"),
    ("rank 3, White to move", "en passant", "expected 6 with white", "4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1"),
    ("rank 6, Black to move", "en passant", "expected 3 with black", "4k3/8/8/4p3/8/8/8/4K3 b - e6 0 1"),
    ("no pawn pushed", "en passant", "no black pawn on e5", "4k3/8/8/8/8/8/8/4K3 w - e6 0 1"),
    ("own pawn there", "en passant", "no black pawn on e5", "4k3/8/8/4P3/8/8/8/4K3 w - e6 0 1"),
    ("another man there", "en passant", "no white pawn on e4", "4k3/8/8/8/4N3/8/8/4K3 b - e3 0 1"),
    ("square occupied", "en passant", "needs e6 empty", "6k1/8/4n3/4p3/8/8/8/4K3 w - e6 0 1"),
    ("origin occupied", "en passant", "needs e2 empty", "4k3/8/8/8/4P3/8/4N3/6K1 b - e3 0 1"),
    ("pushed into a check", "en passant", "black was in check", "8/8/8/k7/pP6/2B5/8/2K5 b - b3 0 1"),
    ("checked from elsewhere", "en passant", "black was in check", "R3k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"),
    ("pawn checked from home", "en passant", "black was in check", "8/8/8/8/4P3/3k4/8/7K b - e3 0 1"),
    ("checked twice", "en passant", "white was in check", "4k3/8/8/1b1pP3/2K5/8/8/8 w - d6 0 1"),
    ("clock of letters", "halfmove clock", "'x'", "4k3/8/8/8/8/8/8/4K3 w - - x 1"),
    ("clock -", "halfmove clock", "'-'", "4k3/8/8/8/8/8/8/4K3 w - - - 1"),
    ("negative clock", "halfmove clock", "'-1'", "4k3/8/8/8/8/8/8/4K3 w - - -1 1"),
    ("signed clock", "halfmove clock", r"'\+1'", "4k3/8/8/8/8/8/8/4K3 w - - +1 1"),
    ("padded clock", "halfmove clock", "'00'", "4k3/8/8/8/8/8/8/4K3 w - - 00 1"),
    ("underscored clock", "halfmove clock", "'1_0'", "4k3/8/8/8/8/8/8/4K3 w - - 1_0 1"),
    ("fraction", "halfmove clock", "'0.5'", "4k3/8/8/8/8/8/8/4K3 w - - 0.5 1"),
    ("clock of 10000", "halfmove clock", "0 to 9999", "4k3/8/8/8/8/8/8/4K3 w - - 10000 1"),
    ("Arabic clock", "halfmove clock", r"'\\u0661'", "4k3/8/8/8/8/8/8/4K3 w - - \u0661 1"),
    ("superscript clock", "halfmove clock", r"'\\xb2'", "4k3/8/8/8/8/8/8/4K3 w - - \xb2 1"),
    ("clock running after a push", "halfmove clock", "'7', expected 0", "4k3/8/8/8/4P3/8/8/4K3 b - e3 7 1"),
    ("move number 0", "fullmove number", "1 to 9999", "4k3/8/8/8/8/8/8/4K3 w - - 0 0"),
    ("move number 10000", "fullmove number", "1 to 9999", "4k3/8/8/8/8/8/8/4K3 w - - 0 10000"),
    ("line feed at the end", "fullmove number", r"'1\\n'", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"),
    ("NUL at the end", "fullmove number", r"'1\\x00'", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\x00"),
    ("waiting side in check", "position", "black in check", "4k3/8/8/8/8/8/8/K3R3 w - - 0 1"),
    ("waiting side checked by a pawn", "position", "white in check", "4k3/8/8/8/8/3p4/4K3/8 b - - 0 1"),
    ("kings touch", "position", "in check", "8/8/8/3kK3/8/8/8/8 w - - 0 1"),
]


@pytest.mark.parametrize(("field", "words", "text"), [pytest.param(*rest, id=name) for name, *rest in FAULTS])
def test_each_fault_is_named_by_its_field(field: str, words: str, text: str) -> None:
    with pytest.raises(FenError, match=words) as caught:
        fen.parse(text)
    assert caught.value.field == field
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, _, _, text in FAULTS])
def test_chess960_forgives_no_fault(name: str, text: str) -> None:
    with pytest.raises(FenError):
        fen.parse(text, chess960=True)


ODD_BUT_POSSIBLE = [
    ("nine queens", "4k3/8/8/8/8/8/QQQQ4/QQQQQ1K1 b - - 0 1"),
    (
        "every square queened",
        "k1QQQQQQ/2QQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQK b - - 0 1",
    ),
    ("three checkers", "4k3/8/3N1N2/8/8/8/8/K3R3 b - - 0 1"),
    ("largest clocks", "4k3/8/8/8/8/8/8/4K3 w - - 9999 9999"),
    ("pushed pawn checks", "8/8/8/3k4/4P3/8/8/4K3 b - e3 0 1"),
    ("push discovers a check", "8/8/8/8/2k1P3/8/8/3K1B2 b - e3 0 1"),
    ("en passant nobody can take", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"),
    ("kings that castle from different files", "1r3kr1/8/8/8/8/8/8/R2K3R w KQkq - 0 1"),
]


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in ODD_BUT_POSSIBLE])
def test_odd_positions_that_break_no_rule_are_read(text: str) -> None:
    position = fen.parse(text)
    assert position.validate() is None
    assert fen.write(position, en_passant="always") == text


def test_four_fields_have_clocks_nought_and_one() -> None:
    assert fen.parse(KIWIPETE[:-4]) == fen.parse(KIWIPETE)


def test_every_field_lands_in_the_position() -> None:
    position = fen.parse("r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 17")
    men = {square: "PNBRQKpnbrqk"[position.piece_at(square)] for square in range(64) if position.piece_at(square) < 12}
    assert men == {0: "R", 4: "K", 7: "R", 36: "P", 35: "p", 56: "r", 60: "k", 63: "r"}
    assert (position.turn, position.castling, position.en_passant) == (0, 15, 43)
    assert (position.halfmove, position.fullmove, position.chess960) == (0, 17, False)
    assert [position.rook_home(right) for right in range(4)] == [7, 0, 63, 56]


CASTLING = [
    # (what, rank 1 of White, field, Chess960, king-side home, queen-side home)
    ("standard", "R3K2R", "KQ", False, 7, 0),
    ("file letters", "R3K2R", "HA", True, 7, 0),
    ("king off the e file", "R4K1R", "KQ", True, 7, 0),
    ("rook off the h file", "R3K1R1", "KQ", True, 6, 0),
    ("K is the outermost rook", "R3KRR1", "K", True, 6, None),
    ("Q is the outermost rook", "1RR1K2R", "Q", True, None, 1),
    ("an inner rook by its file", "R3KR1R", "F", True, 5, None),
    ("inner rooks by their files", "RR2KR1R", "FB", True, 5, 1),
    ("a letter of each dialect", "RR2K2R", "KB", True, 7, 1),
]


@pytest.mark.parametrize(
    ("rank", "field", "chess960", "king_side", "queen_side"),
    [pytest.param(*rest, id=name) for name, *rest in CASTLING],
)
def test_castling_letters_name_their_rooks(
    rank: str, field: str, chess960: bool, king_side: int | None, queen_side: int | None
) -> None:
    text = f"4k3/8/8/8/8/8/8/{rank} b {field} - 0 1"
    position = fen.parse(text)
    assert position.chess960 is chess960
    assert (position.rook_home(0), position.rook_home(1)) == (king_side, queen_side)
    assert position.castling == (king_side is not None) + 2 * (queen_side is not None)
    if field != "HA":  # X-FEN has a shorter name for those
        assert fen.write(position) == text
    assert fen.parse(fen.write(position), chess960=chess960) == position
    if chess960:
        assert fen.parse(fen.write(position, shredder=True)) == position


def test_black_rooks_are_named_like_white_ones() -> None:
    text = "rr2kr1r/8/8/8/8/8/8/R3K2R w KQfb - 0 1"
    position = fen.parse(text)
    assert [position.rook_home(right) for right in range(4)] == [7, 0, 61, 57]
    assert fen.write(position) == text
    assert fen.write(position, shredder=True) == text.replace("KQ", "HA")


def test_chess960_can_be_asked_for() -> None:
    assert not fen.parse(KIWIPETE).chess960
    assert fen.parse(KIWIPETE, chess960=True).chess960
    assert fen.write(fen.parse(KIWIPETE, chess960=True)) == KIWIPETE
    assert fen.write(fen.parse(KIWIPETE), shredder=True) == KIWIPETE.replace("KQkq", "HAha")


EN_PASSANT = [
    ("takeable", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "e3"),
    ("nobody beside it", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "-"),
    ("taker pinned down the file", "3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", "-"),
    ("both pawns leave the king's rank", "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", "-"),
    ("taker pinned along the taking diagonal", "8/8/8/2k5/3pP3/8/5B2/4K3 b - e3 0 1", "e3"),
]


@pytest.mark.parametrize(("text", "legal"), [pytest.param(*rest, id=name) for name, *rest in EN_PASSANT])
def test_the_en_passant_policy_decides_what_is_written(text: str, legal: str) -> None:
    position = fen.parse(text)
    assert fen.write(position, en_passant="always") == text
    assert fen.write(position) == fen.write(position, en_passant="legal") == text.replace("e3", legal)


def test_an_unknown_en_passant_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="'sometimes'"):
        fen.write(fen.start_position(), en_passant="sometimes")  # type: ignore[arg-type]  # the point of the test


def test_the_start_is_the_same_everywhere() -> None:
    assert fen.START == walk.START_FEN == chess.STARTING_FEN
    assert fen.LONGEST_FEN == walk.LONGEST_FEN
    assert fen.write(fen.start_position()) == fen.START


def test_all_960_starts_are_scharnagls() -> None:
    for number in range(960):
        position = fen.chess960_start(number)
        assert position.chess960
        assert fen.write(position) == chess.Board.from_chess960_pos(number).fen()
    assert fen.write(fen.chess960_start(518)) == fen.START


@pytest.mark.parametrize("number", [-1, 960])
def test_a_start_number_outside_960_is_refused(number: int) -> None:
    with pytest.raises(InputError, match=f"{number} is not a Chess960 start"):
        fen.chess960_start(number)


def random_games(rng: random.Random, *, chess960: bool, games: int) -> Iterator[tuple[chess.Board, Position]]:
    """Both boards after each move of random games played on python-chess's."""
    for _ in range(games):
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        position = fen.parse(board.fen(), chess960=chess960)
        for _ in range(120):
            moves = list(board.legal_moves)
            if not moves:
                break
            move = rng.choice(moves)
            position.make(position.parse_uci(board.uci(move)))
            board.push(move)
            yield board, position


@pytest.mark.parametrize("chess960", [False, True], ids=["standard", "Chess960"])
def test_writer_and_reader_agree_with_python_chess_on_random_games(chess960: bool) -> None:
    seen = 0
    for board, position in random_games(random.Random(960), chess960=chess960, games=25):
        assert fen.write(position) == board.fen(en_passant="legal")
        assert fen.write(position, en_passant="always") == board.fen(en_passant="fen")
        assert fen.write(position, shredder=True) == board.shredder_fen(en_passant="legal")
        for text in (board.fen(en_passant="fen"), board.shredder_fen(en_passant="fen")):
            reread = fen.parse(text, chess960=chess960)
            assert fen.write(reread, en_passant="always") == board.fen(en_passant="fen")
            assert reread.key == position.key
        seen += 1
    assert seen > 1000


def is_possible(text: str) -> bool:
    """python-chess's verdict on a well-formed FEN, and, of an en passant square, the move taken back."""
    board = chess.Board(text)
    if board.status() & ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK):
        return False
    # It drops a queen-side right in silence when that side has no rook on its back rank at all.
    if chess.popcount(board.castling_rights) != len(text.split()[2].strip("-")):
        return False
    if board.ep_square is not None:
        pusher = not board.turn
        king, step = board.king(board.turn), 8 if pusher else -8
        assert king is not None
        board.remove_piece_at(board.ep_square + step)
        board.set_piece_at(board.ep_square - step, chess.Piece(chess.PAWN, pusher))
        return not board.is_attacked_by(pusher, king)
    return True


def random_fen(rng: random.Random) -> str:
    """A well-formed FEN of few men that is often impossible, its rights and en passant square guessed."""
    board = chess.Board(None)
    homes = [
        (chess.E1, "K"),
        (chess.E8, "k"),
        (chess.A1, "R"),
        (chess.H1, "R"),
        (chess.A8, "r"),
        (chess.H8, "r"),
    ]
    white, file = rng.random() < 0.5, rng.choice("abcdefgh")
    landing = chess.parse_square(file + ("5" if white else "4"))
    squares = rng.sample(range(8, 56), 12)
    for square, letter in homes:
        at_home = rng.random() < 0.85
        if at_home or letter in "Kk":
            board.set_piece_at(square if at_home else squares.pop(), chess.Piece.from_symbol(letter))
    for letter in rng.choices("PpPpNnBbQq", k=rng.randrange(6)):
        board.set_piece_at(squares.pop(), chess.Piece.from_symbol(letter))
    if rng.random() < 0.9 and board.piece_type_at(landing) != chess.KING:
        board.set_piece_at(landing, chess.Piece(chess.PAWN, not white))
    rights = "".join(letter for letter in "KQkq" if rng.random() < 0.25) or "-"
    passed = file + ("6" if white else "3") if rng.random() < 0.8 else "-"
    return f"{board.board_fen()} {'w' if white else 'b'} {rights} {passed} 0 1"


def test_the_reader_refuses_exactly_what_the_rules_make_impossible() -> None:
    rng = random.Random(2)
    verdicts = {True: 0, False: 0}
    for _ in range(6000):
        text = random_fen(rng)
        try:
            possible = not fen.parse(text).chess960  # rights that need Chess960 are none in standard chess
        except FenError:
            possible = False
        assert possible is is_possible(text), text
        verdicts[possible] += 1
    assert min(verdicts.values()) > 500, verdicts
