"""Each rule of movement, by name; then the two generators, and python-chess, agree everywhere."""

from __future__ import annotations

import random
import re

import chess
import pytest

from refute.board import Position, fen
from refute.board.constants import EMPTY, KING, MOST_MOVES, NO_SQUARE, PIECE_LETTERS, WHITE
from refute.board.move import EN_PASSANT, SQUARE_NUMBERS, Move
from refute.board.outcome import outcome
from refute.errors import MoveError

MANY_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"


def all_agree(position: Position) -> set[str]:
    """The legal moves as texts, once every way of finding and counting them has said the same."""
    moves = position.legal_moves()
    texts = {position.uci(move) for move in moves}
    assert len(texts) == len(moves) == position.count_moves(), "a move is listed twice, or miscounted"
    filtered = position.filtered_moves()
    assert sorted(filtered) == sorted(moves)
    pseudo = position.pseudo_legal_moves()
    assert len(set(pseudo)) == len(pseudo) <= MOST_MOVES
    assert set(filtered) <= set(pseudo)
    return texts


def legal(text: str, *, chess960: bool = False) -> set[str]:
    """The legal moves of a FEN, which python-chess must name too."""
    texts = all_agree(fen.parse(text, chess960=chess960))
    board = chess.Board(text, chess960=chess960)
    assert texts == {board.uci(move) for move in board.legal_moves}
    return texts


def moves_from(square: str, texts: set[str]) -> set[str]:
    return {text[2:] for text in texts if text.startswith(square)}


# ---------------------------------------------------------------- en passant


def test_en_passant_is_possible_from_both_sides() -> None:
    assert {"d5e6", "f5e6"} <= legal("4k3/8/8/3PpP2/8/8/8/4K3 w - e6 0 1")
    assert {"d4e3", "f4e3"} <= legal("4k3/8/8/8/3pPp2/8/8/4K3 b - e3 0 1")


def test_en_passant_does_not_reach_around_the_board() -> None:
    assert "h5a6" not in legal("4k3/8/8/p6P/8/8/8/4K3 w - a6 0 1")
    assert "a5h6" not in legal("4k3/8/8/P6p/8/8/8/4K3 w - h6 0 1")
    assert "a4h3" not in legal("4k3/8/8/8/p6P/8/8/4K3 b - h3 0 1")


def test_en_passant_is_gone_a_move_later() -> None:
    position = fen.parse("4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1")
    for text in ("e1e2", "e8e7"):
        position.make_uci(text)
    assert "d5e6" not in all_agree(position)


def test_pinned_pawn_may_not_capture_en_passant_along_rank() -> None:
    """Neither pawn is pinned alone, but both leave the rank at once."""
    assert "d5e6" not in legal("8/8/8/K2Pp2r/8/8/8/4k3 w - e6 0 1")
    assert "e4d3" not in legal("8/8/8/8/R2Pp2k/8/8/4K3 b - d3 0 1")


def test_two_takers_shield_each_other_along_the_rank() -> None:
    assert {"d5e6", "f5e6"} <= legal("8/8/8/K2PpP1r/8/8/8/4k3 w - e6 0 1")


def test_pawn_pinned_on_a_diagonal_may_not_capture_en_passant_off_it() -> None:
    assert "d5e6" not in legal("4k3/1b6/8/3Pp3/8/5K2/8/8 w - e6 0 1")


def test_pawn_pinned_on_a_diagonal_may_capture_en_passant_along_it() -> None:
    assert "d5e6" in legal("4k3/5b2/8/3Pp3/8/1K6/8/8 w - e6 0 1")


def test_pawn_pinned_on_its_file_may_not_capture_en_passant() -> None:
    assert "d5e6" not in legal("3rk3/8/8/3Pp3/8/8/8/3K4 w - e6 0 1")


def test_captured_pawn_may_have_shielded_the_king_on_a_diagonal() -> None:
    """No game gets there and no FEN may say it, because the king stood in check before the push."""
    position = fen.parse("4k3/6b1/8/3Pp3/8/2K5/8/8 w - - 0 1")
    men = [position.piece_at(square) for square in range(64)]
    position.set_up(men, WHITE, 0, [NO_SQUARE] * 4, SQUARE_NUMBERS["e6"], 0, 1, chess960=False)
    assert Move.of(SQUARE_NUMBERS["d5"], SQUARE_NUMBERS["e6"], EN_PASSANT) in position.pseudo_legal_moves()
    assert "d5e6" not in all_agree(position)


def test_captured_pawn_on_the_kings_file_leaves_its_taker_there() -> None:
    assert "d5e6" in legal("4r1k1/8/8/3Pp3/8/8/8/4K3 w - e6 0 1")


def test_en_passant_takes_the_pawn_that_gives_check() -> None:
    assert "c5d6" in legal("4k3/8/8/2Pp4/4K3/8/8/8 w - d6 0 1")


def test_en_passant_does_not_answer_a_check_that_the_push_uncovered() -> None:
    assert "c5d6" not in legal("4K3/8/8/2Pp4/b7/8/8/k7 w - d6 0 1")


# ---------------------------------------------------------------- pins


def test_pinned_knight_never_moves() -> None:
    assert moves_from("e2", legal("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1")) == set()
    assert moves_from("d2", legal("6k1/8/8/8/1b6/8/3N4/4K3 w - - 0 1")) == set()


def test_pinned_rook_moves_along_its_file_up_to_the_pinner() -> None:
    texts = legal("4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1")
    assert moves_from("e2", texts) == {"e3", "e4", "e5", "e6", "e7", "e8"}


def test_pinned_rook_on_a_diagonal_does_not_move() -> None:
    assert moves_from("d2", legal("6k1/8/8/8/1b6/8/3R4/4K3 w - - 0 1")) == set()


def test_pinned_bishop_moves_along_its_diagonal_only() -> None:
    assert moves_from("d2", legal("6k1/8/8/8/1b6/8/3B4/4K3 w - - 0 1")) == {"c3", "b4"}
    assert moves_from("e2", legal("4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1")) == set()


def test_pinned_queen_moves_along_either_kind_of_pin() -> None:
    assert moves_from("d2", legal("6k1/8/8/8/1q6/8/3Q4/4K3 w - - 0 1")) == {"c3", "b4"}
    assert moves_from("c1", legal("6k1/8/8/8/8/8/8/r1Q1K3 w - - 0 1")) == {"a1", "b1", "d1"}


def test_pinned_pawn_pushes_along_its_file() -> None:
    assert moves_from("e2", legal("4r1k1/8/8/8/8/3p1p2/4P3/4K3 w - - 0 1")) == {"e3", "e4"}


def test_pinned_pawn_takes_its_pinner_only() -> None:
    assert moves_from("d2", legal("6k1/8/8/8/8/2b1p3/3P4/4K3 w - - 0 1")) == {"c3"}


def test_pinned_pawn_promotes_by_taking_its_pinner() -> None:
    texts = legal("2b3k1/3P4/4K3/8/8/8/8/8 w - - 0 1")
    assert moves_from("d7", texts) == {"c8n", "c8b", "c8r", "c8q"}


def test_pawn_pinned_along_the_rank_does_not_move() -> None:
    assert moves_from("d4", legal("6k1/8/8/2p1p3/K2P3r/8/8/8 w - - 0 1")) == set()


def test_two_men_between_king_and_sniper_are_not_pinned() -> None:
    texts = legal("4r1k1/4n3/8/8/8/8/4N3/4K3 w - - 0 1")
    assert moves_from("e2", texts) == {"c1", "c3", "d4", "f4", "g3", "g1"}


def test_pinned_man_may_not_answer_a_check() -> None:
    texts = legal("4r1k1/8/8/b7/8/8/4R3/4K3 w - - 0 1")
    assert moves_from("e2", texts) == set()


# ---------------------------------------------------------------- checks


def test_double_check_lets_only_the_king_move() -> None:
    texts = legal("4r1k1/8/8/8/8/5n2/8/Q3K2R w K - 0 1")
    assert texts
    assert {text[:2] for text in texts} == {"e1"}


def test_check_is_met_by_block_capture_or_flight() -> None:
    texts = legal("4r1k1/8/8/8/Q7/8/8/R3K3 w Q - 0 1")
    assert {"a4e8", "a4e4"} <= texts
    assert "a1a2" not in texts
    assert "e1c1" not in texts


def test_king_may_not_retreat_along_the_checking_line() -> None:
    texts = legal("6k1/8/8/8/8/r3K3/8/8 w - - 0 1")
    assert "e3f3" not in texts
    assert "e3d3" not in texts


def test_king_may_not_take_a_protected_man() -> None:
    assert "e1e2" not in legal("4r1k1/8/8/8/8/8/4n3/4K3 w - - 0 1")
    assert "e1e2" in legal("6k1/8/8/8/8/8/4n3/4K3 w - - 0 1")


def test_kings_keep_their_distance() -> None:
    assert moves_from("e4", legal("8/8/4k3/8/4K3/8/8/8 w - - 0 1")) == {"d4", "f4", "d3", "e3", "f3"}


def test_pawn_check_may_be_met_by_taking_the_pawn() -> None:
    assert "c3d4" in legal("4k3/8/8/8/3p4/2P1K3/8/8 w - - 0 1")


def test_mate_and_stalemate_leave_no_move() -> None:
    assert legal("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1") == set()
    assert legal("k7/2Q5/8/8/8/8/8/4K3 b - - 0 1") == set()


# ---------------------------------------------------------------- pawns


def test_double_push_needs_both_squares_empty() -> None:
    assert moves_from("e2", legal("4k3/8/8/8/8/4n3/4P3/K7 w - - 0 1")) == set()
    assert moves_from("e2", legal("4k3/8/8/8/4n3/8/4P3/K7 w - - 0 1")) == {"e3"}


def test_double_push_starts_from_the_second_rank_only() -> None:
    assert moves_from("e3", legal("4k3/8/8/8/8/4P3/8/K7 w - - 0 1")) == {"e4"}
    assert moves_from("e7", legal("k7/4p3/8/8/8/8/8/K7 b - - 0 1")) == {"e6", "e5"}


def test_pawn_captures_do_not_reach_around_the_board() -> None:
    assert moves_from("a4", legal("4k3/8/7p/7p/P7/8/8/4K3 w - - 0 1")) == {"a5"}
    assert moves_from("h4", legal("4k3/8/p7/p7/7P/8/8/4K3 w - - 0 1")) == {"h5"}
    assert moves_from("a5", legal("4k3/8/8/p7/7P/7P/8/4K3 b - - 0 1")) == {"a4"}


def test_promotion_offers_four_pieces_by_push_and_capture() -> None:
    texts = legal("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    assert moves_from("a7", texts) == {square + piece for square in ("a8", "b8") for piece in "nbrq"}
    texts = legal("4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1")
    assert moves_from("a2", texts) == {square + piece for square in ("a1", "b1") for piece in "nbrq"}


def test_promotion_may_block_a_check() -> None:
    assert moves_from("d7", legal("r3K1k1/3P4/8/8/8/8/8/8 w - - 0 1")) == {"d8n", "d8b", "d8r", "d8q"}


# ---------------------------------------------------------------- castling

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R"


@pytest.mark.parametrize("side", ["w", "b"])
def test_castling_is_possible_on_both_sides(side: str) -> None:
    rank = "1" if side == "w" else "8"
    assert {f"e{rank}g{rank}", f"e{rank}c{rank}"} <= legal(f"{CASTLING} {side} KQkq - 0 1")


def test_castling_needs_its_right() -> None:
    texts = legal(f"{CASTLING} w Qkq - 0 1")
    assert "e1g1" not in texts
    assert "e1c1" in texts


def test_castling_out_of_check_is_refused() -> None:
    texts = legal("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1")
    assert not {"e1g1", "e1c1"} & texts


def test_castling_through_an_attacked_square_is_refused() -> None:
    texts = legal("4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1")
    assert "e1g1" not in texts
    assert "e1c1" in texts


def test_castling_into_check_is_refused() -> None:
    assert "e1g1" not in legal("4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1")
    assert "e1c1" not in legal("4k3/8/8/8/2r5/8/8/R3K2R w KQ - 0 1")


def test_castling_past_a_pawn_on_the_seventh_is_refused() -> None:
    assert not {"e1g1", "e1c1"} & legal("4k3/8/8/8/8/8/4p3/R3K2R w KQ - 0 1")
    assert "e1g1" not in legal("4k3/8/8/8/8/8/7p/R3K2R w KQ - 0 1")


def test_rook_may_castle_out_of_and_past_attack() -> None:
    assert "e1c1" in legal("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    assert "e1c1" in legal("r3k3/8/8/8/8/8/8/R3K3 w Q - 0 1")


@pytest.mark.parametrize("square", ["b1", "c1", "d1"])
def test_queen_side_castling_needs_every_square_between_empty(square: str) -> None:
    rank = {"b1": "RN2K3", "c1": "R1B1K3", "d1": "R2QK3"}[square]
    assert "e1c1" not in legal(f"4k3/8/8/8/8/8/8/{rank} w Q - 0 1")


def test_castling_is_gone_after_king_or_rook_moved_and_came_back() -> None:
    position = fen.parse(f"{CASTLING} w KQkq - 0 1")
    for text in ("h1g1", "e8e7", "g1h1", "e7e8"):
        position.make_uci(text)
    texts = all_agree(position)
    assert "e1g1" not in texts
    assert "e1c1" in texts
    position.make_uci("e1c1")
    assert not {"e8g8", "e8c8"} & all_agree(position)


def test_castling_is_gone_once_the_rook_was_taken() -> None:
    position = fen.parse("r3k2r/8/8/8/8/8/6b1/R3K2R b KQkq - 0 1")
    for text in ("g2h1", "a1b1", "h1g2"):
        position.make_uci(text)
    assert not {"e1g1", "e1c1"} & all_agree(position)


def test_chess960_castling_is_written_king_takes_rook() -> None:
    assert {"e1h1", "e1a1"} <= legal(f"{CASTLING} w KQkq - 0 1", chess960=True)


def test_chess960_king_may_stand_still_or_pass_its_rook() -> None:
    assert "g1h1" in legal("4k3/8/8/8/8/8/8/6KR w K - 0 1", chess960=True)
    assert "f1g1" in legal("4k3/8/8/8/8/8/8/5KR1 w K - 0 1", chess960=True)
    assert "b1a1" in legal("4k3/8/8/8/8/8/8/RK6 w Q - 0 1", chess960=True)


def test_chess960_castling_rook_may_not_have_shielded_its_king() -> None:
    assert "b1a1" in legal("4k3/8/8/8/8/8/8/RK6 w Q - 0 1", chess960=True)
    assert "c1b1" not in legal("4k3/8/8/8/8/8/8/rRK5 w Q - 0 1", chess960=True)
    assert "c1b1" in legal("4k3/8/8/8/8/8/8/1RK5 w Q - 0 1", chess960=True)


def test_chess960_castling_path_ignores_its_own_king_and_rook_only() -> None:
    assert "f1g1" not in legal("4k3/8/8/8/8/8/8/2K2RN1 w - - 0 1", chess960=True)
    assert "b1h1" not in legal("4k3/8/8/8/8/8/8/1K3N1R w K - 0 1", chess960=True)
    assert "b1h1" in legal("4k3/8/8/8/8/8/8/1K5R w K - 0 1", chess960=True)


# ---------------------------------------------------------------- many men


def test_the_position_with_the_most_moves_has_218() -> None:
    assert len(legal(MANY_MOVES)) == 218


def test_more_queens_than_any_game_brings_fit_the_move_list() -> None:
    """Black's king hides behind its own men while White has every queen there is room for."""
    rng = random.Random(7)
    for queens in range(9, 40):
        men = ["1"] * 60
        for square in rng.sample(range(2, 60), queens):
            men[square] = "Q"
        men[-1] = "K"
        rows = ["kn" + "".join(men[:6]), "pp" + "".join(men[6:12])]
        rows += ["".join(men[start : start + 8]) for start in range(12, 60, 8)]
        legal(f"{'/'.join(map(packed, rows))} w - - 0 1")
    assert len(legal("kn1QQQQQ/pp5Q/7Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQK w - - 0 1")) > 218


def packed(row: str) -> str:
    """A row of men and ones as FEN writes it."""
    return re.sub("1+", lambda run: str(len(run[0])), row)


def random_crowd(rng: random.Random) -> Position | None:
    """A legal position of randomly many, randomly chosen men; None when the dice gave an illegal one."""
    mailbox = [EMPTY] * 64
    men = rng.choices(range(12), k=rng.randrange(1, 40), weights=[4, 2, 2, 2, rng.randrange(6), 0] * 2)
    squares = rng.sample(range(64), len(men) + 2)
    for piece, square in zip([KING, 6 + KING, *men], squares, strict=True):
        if piece % 6 or 8 <= square < 56:
            mailbox[square] = piece
    letters = ["1" if piece == EMPTY else PIECE_LETTERS[piece] for piece in mailbox]
    text = "/".join(packed("".join(letters[start : start + 8])) for start in range(56, -8, -8))
    try:
        return fen.parse(f"{text} {rng.choice('wb')} - - 0 1")
    except ValueError:
        return None


def test_crowds_of_random_men_move_as_python_chess_says() -> None:
    rng = random.Random(3)
    crowds = [crowd for _ in range(1200) if (crowd := random_crowd(rng))]
    assert len(crowds) > 200
    for position in crowds:
        legal(fen.write(position))


def test_two_generators_and_the_count_agree_on_random_positions(positions: list[Position]) -> None:
    for position in positions:
        before = position.fields()
        all_agree(position)
        assert position.fields() == before, "listing moves changed the position"


def test_is_safe_tells_which_pseudo_legal_moves_are_legal(positions: list[Position]) -> None:
    for position in positions[::10]:
        safe = [move for move in position.pseudo_legal_moves() if position.is_safe(move)]
        assert sorted(safe) == sorted(position.legal_moves())


def test_is_safe_refuses_a_move_that_is_not_pseudo_legal() -> None:
    with pytest.raises(MoveError, match="not a pseudo-legal move"):
        fen.start_position().is_safe(Move.of(0, 32))


def test_flags_say_what_the_move_does(positions: list[Position]) -> None:
    for position in positions:
        board = chess.Board(fen.write(position, en_passant="always"), chess960=position.chess960)
        for number in position.legal_moves():
            move, theirs = Move(number), board.parse_uci(position.uci(number))
            assert move.is_capture == board.is_capture(theirs)
            assert move.is_en_passant == board.is_en_passant(theirs)
            assert move.is_castle == board.is_castling(theirs)
            pawn = board.piece_type_at(theirs.from_square) == chess.PAWN
            assert move.is_double_push == (pawn and abs(move.target - move.source) == 16)


def plays_as_python_chess_says(position: Position, rng: random.Random) -> int:
    """Play one random game beside python-chess, then take it all back; returns how many plies."""
    board = chess.Board(fen.write(position), chess960=position.chess960)
    before = position.fingerprint()
    made = 0
    while made < 150:
        theirs = {board.uci(move): move for move in board.legal_moves}
        assert all_agree(position) == theirs.keys(), board.fen()
        assert fen.write(position) == board.fen(en_passant="legal")
        assert position.is_check() == board.is_check()
        ended = board.outcome()
        ours = outcome(position)
        assert (ours and ours.name) == (ended and ended.termination.name), board.fen()
        if not theirs:
            break
        choice = rng.choice(sorted(theirs))
        position.make_uci(choice)
        board.push(theirs[choice])
        assert position.key == position.compute_key()
        assert position.validate() is None
        made += 1
    assert position.ply == made
    for _ in range(made):
        position.unmake()
    assert position.fingerprint() == before
    return made


def test_random_standard_games_follow_python_chess(sample: list[tuple[str, bool]]) -> None:
    rng = random.Random(4)
    texts = [text for text, chess960 in sample if not chess960]
    starts = [fen.START] * 8 + rng.sample(texts, 8)
    assert sum(plays_as_python_chess_says(fen.parse(text), rng) for text in starts) > 500


def test_random_chess960_games_follow_python_chess() -> None:
    rng = random.Random(5)
    starts = [fen.chess960_start(number) for number in rng.sample(range(960), 16)]
    assert sum(plays_as_python_chess_says(start, rng) for start in starts) > 500


def castling_position(rng: random.Random) -> Position | None:
    """Kings and rooks anywhere on their ranks, little between them; None when a king stands in check."""
    left, king, right = sorted(rng.sample(range(8), 3))
    rank = ["1"] * 8
    rank[left], rank[king], rank[right] = "r", "k", "r"
    for file in rng.sample([file for file in range(8) if rank[file] == "1"], rng.randrange(3)):
        rank[file] = rng.choice("nbq")
    pawns = "".join("p" if rng.random() < 0.7 else "1" for _ in range(8))
    line, wall = packed("".join(rank)), packed(pawns)
    text = f"{line}/{wall}/8/8/8/8/{wall.upper()}/{line.upper()} {rng.choice('wb')} KQkq - 0 1"
    try:
        return fen.parse(text, chess960=True)
    except ValueError:
        return None


def test_random_chess960_castles_follow_python_chess() -> None:
    rng = random.Random(6)
    castles = 0
    for position in [found for _ in range(600) if (found := castling_position(rng))]:
        text = fen.write(position)
        legal(text, chess960=True)
        for number in filter(lambda number: Move(number).is_castle, position.legal_moves()):
            castles += 1
            board = chess.Board(text, chess960=True)
            board.push_uci(position.uci(number))
            position.make(number)
            assert fen.write(position) == board.fen()
            legal(fen.write(position), chess960=True)
            assert position.validate() is None
            position.unmake()
            assert fen.write(position) == text
    assert castles > 100


def test_a_mirrored_position_has_the_mirrored_moves(positions: list[Position]) -> None:
    for position in positions[::3]:
        mirrored = position.mirrored()
        assert mirrored.validate() is None
        assert mirrored.mirrored() == position
        # Each square's rank is turned over: both squares of a code change in their upper three bits.
        assert sorted(code ^ (56 | 56 << 6) for code in mirrored.codes()) == position.codes()
        assert mirrored.perft(2) == position.perft(2)
