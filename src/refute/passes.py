"""The passes of the shrinker: each is a function that proposes smaller walks, and knows no predicate.

    Attempts.best ──edit──▶ Walk ──Attempts.attempt──▶ adopted (and now the best), or not

A pass proposes freely; whoever owns the predicate refuses what is illegal, larger, or shows another fault.
python-chess edits and plays here, and not our own board, because our own board may be the subject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

import chess

from refute.board.constants import PIECE_LETTERS
from refute.board.move import SQUARE_NUMBERS
from refute.divergence import Divergence
from refute.walk import Walk

# Where a king stands when nothing depends on it, best first; Black's are the same squares mirrored.
KING_SQUARES: Final = (chess.E1, chess.G1, chess.H1, chess.A1, chess.E2, chess.B1)
WEAKER: Final = {
    chess.QUEEN: (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK),
    chess.ROOK: (chess.PAWN, chess.KNIGHT, chess.BISHOP),
    chess.BISHOP: (chess.PAWN, chess.KNIGHT),
    chess.KNIGHT: (chess.PAWN,),
    chess.PAWN: (),
}
FIRST_SUFFIXES: Final = 4  # these lengths are tried one by one, longer ones half as long again each time
SHORTEST_CYCLE: Final = 4  # plies from a position back to itself
SHORT_SPAN: Final = 8  # spans up to here are tried at every place, and in every length

Edit = Callable[[chess.Board], None]


class Attempts(Protocol):
    """What a pass sees of the shrinker."""

    @property
    def best(self) -> Divergence:
        """The smallest divergence so far."""

    def attempt(self, walk: Walk) -> bool:
        """Adopt the walk as the best, if it is smaller, legal, and shows the same fault."""


# ------------------------------------------------------------------------------ the walk


def rebase(shrinker: Attempts) -> None:
    """Start as near to the divergence as it still shows: at its own position, else a few moves before."""
    walk = shrinker.best.walk
    starts = starts_of(walk)
    for plies in _suffix_lengths(len(walk)):
        if shrinker.attempt(_suffix(walk, starts, plies)):
            break
    drop_first_moves(shrinker)


def drop_first_moves(shrinker: Attempts) -> None:
    """Start one move later, for as long as that works."""
    walk = shrinker.best.walk
    starts = starts_of(walk)
    plies = len(walk) - 1
    while plies >= 0 and shrinker.attempt(_suffix(walk, starts, plies)):
        plies = min(plies, len(shrinker.best.walk)) - 1


def drop_spans(shrinker: Attempts) -> None:
    """Leave out moves from the middle, long spans first."""
    for span in _span_lengths(len(shrinker.best.walk)):
        start = 0
        while start + span <= len(shrinker.best.walk):
            walk = shrinker.best.walk
            shorter = Walk(walk.fen, walk.moves[:start] + walk.moves[start + span :], walk.chess960)
            if not shrinker.attempt(shorter):
                start += max(1, span // SHORT_SPAN)


def turn_back(shrinker: Attempts) -> None:
    """Come back to a position by the shortest way: each side goes out and straight back."""
    walk = shrinker.best.walk
    for start in range(len(walk) - SHORTEST_CYCLE):
        out = walk.moves[start : start + 2]
        back = tuple(move[2:4] + move[:2] for move in out)
        if shrinker.attempt(Walk(walk.fen, (*walk.moves[:start], *out, *back), walk.chess960)):
            return


def starts_of(walk: Walk) -> list[str]:
    """The FEN of every position of the walk, its en passant square always written."""
    board = chess.Board(walk.fen, chess960=walk.chess960)
    starts = [walk.fen]
    for move in walk.moves:
        board.push_uci(move)
        starts.append(board.fen(en_passant="fen"))
    return starts


def _suffix(walk: Walk, starts: Sequence[str], plies: int) -> Walk:
    cut = len(walk) - plies
    return Walk(starts[cut], walk.moves[cut:], walk.chess960)


def _span_lengths(longest: int) -> Iterator[int]:
    while longest > SHORT_SPAN:
        longest = longest // 2
        yield longest
    yield from range(longest - (longest == SHORT_SPAN), 0, -1)


def _suffix_lengths(longest: int) -> Iterator[int]:
    plies = 0
    while plies < longest:
        yield plies
        plies += 1 if plies < FIRST_SUFFIXES else plies // 2


# ------------------------------------------------------------------------------ the men


def keep_actors(shrinker: Attempts) -> None:
    """Take off everything but the kings and what the divergent move touches, or besides that what bears on them."""
    board = chess.Board(shrinker.best.walk.fen, chess960=shrinker.best.walk.chess960)
    actors = _actors(board, shrinker.best)
    for kept in (actors, actors | _bearing(board)):
        if shrinker.attempt(edited(shrinker.best.walk, _lifts(_squares(board.occupied & ~kept)))):
            return


def lift_men(shrinker: Attempts) -> None:
    """Take off men, half of them at a time, then a quarter, down to one by one."""
    men = _men(shrinker.best.walk)
    size = max(1, len(men) // 2)
    while True:
        start = 0
        while start < len(men):
            chunk = men[start : start + size]
            if shrinker.attempt(edited(shrinker.best.walk, _lifts(chunk))):
                men[start : start + size] = []
            else:
                start += size
        if size == 1:
            return
        size = (size + 1) // 2


def lift_pairs(shrinker: Attempts) -> None:
    """Take off two men at once: a pinner and what it pins, an attacker and a defender."""
    men = _men(shrinker.best.walk)
    pairs = [(first, second) for index, first in enumerate(men) for second in men[index + 1 :]]
    for pair in pairs:
        occupied = _men(shrinker.best.walk)
        if pair[0] in occupied and pair[1] in occupied:
            shrinker.attempt(edited(shrinker.best.walk, _lifts(pair)))


def weaken_men(shrinker: Attempts) -> None:
    """Put a weaker man in the place of a stronger one."""
    for square in _men(shrinker.best.walk):
        man = chess.Board(shrinker.best.walk.fen).piece_at(square)
        if man is None:
            continue
        for kind in WEAKER.get(man.piece_type, ()):
            if shrinker.attempt(edited(shrinker.best.walk, _puts(square, chess.Piece(kind, man.color)))):
                break


def move_kings(shrinker: Attempts) -> None:
    """Stand each king on one of a few squares that are easy on the eye."""
    for colour in chess.COLORS:
        for square in KING_SQUARES:
            target = square if colour else chess.square_mirror(square)
            if shrinker.attempt(edited(shrinker.best.walk, _moves_king(colour, target))):
                break


def settle_men(shrinker: Attempts) -> None:
    """Bring each man nearer to the middle of the board, a step at a time.

    Findings of one cause then tend to end as one position, wherever they began.
    """
    for square in _men(shrinker.best.walk):
        while True:
            nearer = sorted(_squares(chess.BB_KING_ATTACKS[square]), key=lambda target: (distance(target), target))
            for target in nearer:
                if distance(target) < distance(square) and shrinker.attempt(
                    edited(shrinker.best.walk, _moves_man(square, target))
                ):
                    square = target
                    break
            else:
                break


# ------------------------------------------------------------------------------ the other fields


def drop_rights(shrinker: Attempts) -> None:
    """Take away castling rights, all at once and then one by one."""

    def take_all(board: chess.Board) -> None:
        board.castling_rights = chess.BB_EMPTY

    if shrinker.attempt(edited(shrinker.best.walk, take_all)):
        return
    for rook in _squares(chess.Board(shrinker.best.walk.fen, chess960=shrinker.best.walk.chess960).castling_rights):

        def take(board: chess.Board, rook: chess.Square = rook) -> None:
            board.castling_rights &= ~chess.BB_SQUARES[rook]

        shrinker.attempt(edited(shrinker.best.walk, take))


def drop_en_passant(shrinker: Attempts) -> None:
    """Forget the square a pawn has just passed."""

    def forget(board: chess.Board) -> None:
        board.ep_square = None

    shrinker.attempt(edited(shrinker.best.walk, forget))


def reset_clocks(shrinker: Attempts) -> None:
    """Set the clocks to 0 and 1, or else each alone."""

    def reset(board: chess.Board, *, halfmove: bool, fullmove: bool) -> None:
        board.halfmove_clock = 0 if halfmove else board.halfmove_clock
        board.fullmove_number = 1 if fullmove else board.fullmove_number

    for halfmove, fullmove in ((True, True), (False, True), (True, False)):

        def wind(board: chess.Board, halfmove: bool = halfmove, fullmove: bool = fullmove) -> None:
            reset(board, halfmove=halfmove, fullmove=fullmove)

        if shrinker.attempt(edited(shrinker.best.walk, wind)):
            return


def give_white_the_move(shrinker: Attempts) -> None:
    """Exchange the colours, ranks and moves mirrored, when Black is to move."""
    walk = shrinker.best.walk
    board = chess.Board(walk.fen, chess960=walk.chess960)
    if board.turn == chess.BLACK:
        mirrored = board.mirror()
        moves = tuple(map(mirror_uci, walk.moves))
        shrinker.attempt(Walk(_write(mirrored), moves, walk.chess960))


def mirror_uci(move: str) -> str:
    """The same move with the ranks exchanged.

    >>> mirror_uci("e7e8q")
    'e2e1q'
    """
    return move[0] + str(9 - int(move[1])) + move[2] + str(9 - int(move[3])) + move[4:]


# The cuts that save most come first; whatever succeeds makes all that follows cheaper.
PASSES: Final[tuple[Callable[[Attempts], None], ...]] = (
    rebase,
    keep_actors,
    lift_men,
    drop_spans,
    turn_back,
    drop_rights,
    drop_en_passant,
    reset_clocks,
    lift_pairs,
    weaken_men,
    give_white_the_move,
    move_kings,
    settle_men,
)


# ------------------------------------------------------------------------------ editing


def edited(walk: Walk, edit: Edit) -> Walk:
    """The walk with its start edited; rights and an en passant square that lost their men go with them."""
    board = chess.Board(walk.fen, chess960=walk.chess960)
    edit(board)
    board.castling_rights = board.clean_castling_rights()
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None
    return Walk(_write(board), walk.moves, walk.chess960)


def _write(board: chess.Board) -> str:
    return board.fen(en_passant="fen")


def _lifts(squares: Sequence[chess.Square]) -> Edit:
    def lift(board: chess.Board) -> None:
        for square in squares:
            board.remove_piece_at(square)

    return lift


def _puts(square: chess.Square, man: chess.Piece) -> Edit:
    def put(board: chess.Board) -> None:
        board.set_piece_at(square, man)

    return put


def _moves_king(colour: chess.Color, target: chess.Square) -> Edit:
    def move(board: chess.Board) -> None:
        king = board.king(colour)
        if king is not None:
            _moves_man(king, target)(board)

    return move


def _moves_man(source: chess.Square, target: chess.Square) -> Edit:
    def move(board: chess.Board) -> None:
        if board.piece_at(target) is None:
            board.set_piece_at(target, board.remove_piece_at(source))

    return move


def _men(walk: Walk) -> list[chess.Square]:
    """Where the men stand that may be taken off: all but the kings, strongest first."""
    board = chess.Board(walk.fen, chess960=walk.chess960)
    squares = _squares(board.occupied & ~board.kings)
    return sorted(squares, key=lambda square: (-(board.piece_type_at(square) or 0), square))


def _squares(mask: chess.Bitboard) -> list[chess.Square]:
    return list(chess.scan_forward(mask))


def _actors(board: chess.Board, divergence: Divergence) -> chess.Bitboard:
    """The kings, the men of the moves at issue, and what they take, pass or castle with."""
    actors = board.kings
    if board.ep_square is not None:
        actors |= chess.BB_SQUARES[board.ep_square + (-8 if board.turn else 8)]
    moves = (*divergence.walk.moves, divergence.move or "")
    for move in moves:
        for name in (move[:2], move[2:4]):
            square = SQUARE_NUMBERS.get(name)
            if square is not None:
                actors |= chess.BB_SQUARES[square]
        source = SQUARE_NUMBERS.get(move[:2])
        if source is not None and board.kings & chess.BB_SQUARES[source]:
            actors |= board.castling_rights
    return actors & board.occupied


def _bearing(board: chess.Board) -> chess.Bitboard:
    """The men that attack a king or a square beside it, or would with nothing in between."""
    bearing = chess.BB_EMPTY
    for colour in chess.COLORS:
        king = board.king(colour)
        if king is not None:
            bearing |= board.attackers_mask(not colour, king, chess.BB_EMPTY)
            for square in _squares(chess.BB_KING_ATTACKS[king]):
                bearing |= board.attackers_mask(not colour, square)
    return bearing


# ------------------------------------------------------------------------------ what is small


def weight(placement: str) -> int:
    """How strong the men on the board are, in all: a pawn 1, a knight 2 … a queen 5.

    >>> weight("4k3/8/8/3pP3/8/8/8/Q3K3")
    7
    """
    return sum(PIECE_LETTERS.index(letter) % 6 + 1 for letter in placement if letter.isalpha() and letter not in "Kk")


def distance(square: chess.Square) -> int:
    """How far a square is from the middle of the board; d4, e4, d5 and e5 are nearest."""
    return abs(2 * chess.square_file(square) - 7) + abs(2 * chess.square_rank(square) - 7)


def disorder(placement: str) -> int:
    """How far the kings are from the squares that suit them, and then the other men from the middle."""
    board = chess.BaseBoard(placement)
    cost = 0
    for colour in chess.COLORS:
        king = board.king(colour)
        if king is not None:
            square = king if colour else chess.square_mirror(king)
            cost += KING_SQUARES.index(square) if square in KING_SQUARES else len(KING_SQUARES)
    return cost << 10 | sum(map(distance, _squares(board.occupied & ~board.kings)))
