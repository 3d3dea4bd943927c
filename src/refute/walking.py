"""The walk maker: random numbers in, a Walk out; the same numbers, the same walk, on every Python.

seed, index ──▶ Random ──▶ a start (placements, the starting position, a Chess960 start) ──play──▶ Walk

One maker serves two callers. A hunt counts walks up and asks for each by its number, so that what is
walked does not depend on how many processes share the work. Hypothesis draws one seed for a whole
walk, because one draw a ply would cost more than generating the moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from refute.board import Position, fen
from refute.board.constants import KING, PAWN
from refute.board.move import CAPTURE, DOUBLE_PUSH
from refute.board.tables import BETWEEN, KING_ATTACKS, LINE
from refute.errors import InputError
from refute.placements import THEMES, compose
from refute.walk import LONGEST_WALK, Walk

START: Final = "start"
KNOWN: Final = "known"
SHUFFLE: Final = "shuffle"
SOURCES: Final = (*THEMES, KNOWN, SHUFFLE, START)  # those with few men and short walks first

# The positions that perft results are usually published for.
KNOWN_FENS: Final = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
)
ROUND_PLIES: Final = 6  # of a shuffle in which a man goes round by three squares
SPECIAL: Final = 0x1000  # from here on a move is a double push, a castle, a capture, or promotes

# One round of a hunt: how often each source comes up. En passant has the most ways to go wrong. A walk from
# the starting position is twenty times longer than the others: one a round is a quarter of all positions.
ROUND: Final = (
    "en passant", "castling", "promotion", "pins", "scattered", "en passant", "checks", "rooks at home",
    "queens", "en passant", "few men", "castling", "shuffle", "batteries", "en passant", "edges",
    "skirmish", "pins", "en passant", "castling", "promotion", "few men", "checks", "en passant",
    "scattered", "rooks at home", "start", "castling", "en passant", "batteries", "pins", "shuffle",
    "promotion", "en passant", "edges", "skirmish", "castling", "few men", "en passant", "checks",
    "queens", "rooks at home", "scattered", "en passant", "pins", "castling", "shuffle", "promotion",
    "batteries", "en passant", "few men", "skirmish", "edges", "castling", "en passant", "checks",
    "scattered", "pins", "rooks at home", "shuffle", "en passant", "castling", "promotion", "few men", "known",
)  # fmt: skip


def walk_number(seed: int, index: int, *, chess960: bool = False) -> Walk:
    """The walk of this number in the hunt of this seed; nothing else decides what it is."""
    if index < 0:
        raise InputError(f"there is no walk number {index}: expected 0 or more")
    # Text seeds are hashed whole, so that neighbouring seeds and numbers share nothing.
    random = Random(f"refute walk {seed}:{index}:{int(chess960)}")
    return make_walk(random, chess960=chess960, sources=(ROUND[index % len(ROUND)],))


def make_walk(random: Random, *, chess960: bool = False, sources: Sequence[str] = ROUND, longest: int = 200) -> Walk:
    """A walk from one of the sources, at most `longest` plies; with a smaller limit, the same walk's beginning."""
    if not sources or not set(sources) <= set(SOURCES):
        raise InputError(f"walks start from some of {', '.join(SOURCES)}, not from {sources!r}")
    if not 0 <= longest <= LONGEST_WALK:
        raise InputError(f"a walk of up to {longest} plies: expected 0 to {LONGEST_WALK}")
    source = sources[int(random.random() * len(sources))]
    position, plies = _start(random, source, chess960)
    moves: list[str] = []
    if position.ply and random.random() < 0.5:
        # The last move is part of the walk: what it leaves behind is made, not read from a FEN.
        last = position.moves_made()[-1]
        position.unmake()
        text = _write(random, position, chess960)
        if longest:
            moves.append(position.uci(last))
            position.make(last)
    else:
        text = _write(random, position, chess960)
    # Whoever moves first goes round, if anyone does: so the placement is back soonest with the other to move.
    goes_round = position.turn if plies == ROUND_PLIES else None
    plies = min(plies, longest - len(moves))
    if source == SHUFFLE:
        _shuffle(random, position, plies, moves, goes_round=goes_round)
        return Walk(text, tuple(moves), chess960)
    if plies > 0 and source in THEMES:
        # What the position was composed for is best played at once.
        legal = position.legal_moves()
        urge = _check if source == "batteries" else _special
        move = urge(random, position, legal) if random.random() < 0.7 else 0
        _play_one(position, move, moves)
        plies -= move != 0
    _play(random, position, plies, moves, eager=0.0 if random.random() < 0.3 else 0.5)
    if source == "few men" and len(moves) < longest:
        _play_one(position, _last_move(random, position), moves)
    return Walk(text, tuple(moves), chess960)


def uniform_walk(seed: int, index: int, *, chess960: bool = False, longest: int = 200) -> Walk:
    """A game from the starting position, every legal move as likely as any other: what our walks are measured by."""
    random = Random(f"refute uniform {seed}:{index}:{int(chess960)}")
    position, _ = _start(random, START, chess960)
    text = fen.write(position)
    moves: list[str] = []
    _play(random, position, longest, moves, eager=0.0)
    return Walk(text, tuple(moves), chess960)


def _start(random: Random, source: str, chess960: bool) -> tuple[Position, int]:
    """Where a walk begins and how many plies it would like to go."""
    if source == START:
        position = fen.chess960_start(int(random.random() * 960)) if chess960 else fen.start_position()
        return position, 40 + int(random.random() * 60)
    if source == KNOWN:
        text = KNOWN_FENS[int(random.random() * len(KNOWN_FENS))]
        return fen.parse(text, chess960=chess960), int(random.random() * 12)
    if source == SHUFFLE:
        # Once out and back takes four plies and four times sixteen; one more where the first move does not do.
        plies = (5, 5, 5, ROUND_PLIES, ROUND_PLIES, 17, 17)[int(random.random() * 7)]
        # What comes back is compared with what was: rights and en passant squares must be worth losing, but not
        # where the side to move is to be all that changes.
        themes = ("few men",) if plies == ROUND_PLIES else ("castling", "rooks at home", "en passant", "en passant")
        theme = themes[int(random.random() * len(themes))]
        return compose(random, theme, chess960=chess960), plies
    plies = int(random.random() * random.random() * 10)
    return compose(random, source, chess960=chess960), plies


def _write(random: Random, position: Position, chess960: bool) -> str:
    shredder = chess960 and random.random() < 0.25
    return fen.write(position, en_passant="always", shredder=shredder)


def _play(random: Random, position: Position, plies: int, moves: list[str], *, eager: float) -> None:
    """Play on; with the probability `eager`, each move is chosen among the rare ones there are."""
    for _ in range(plies):
        legal = position.legal_moves()
        if not legal:
            return
        move = 0
        if random.random() < eager:
            move = _rare(random, position, legal)
        if not move:
            move = legal[int(random.random() * len(legal))]
        _play_one(position, move, moves)


def _play_one(position: Position, move: int, moves: list[str]) -> None:
    """Play a move and note it; 0 is no move."""
    if move:
        moves.append(position.uci(move))
        position.make(move)


def _rare(random: Random, position: Position, legal: list[int]) -> int:
    """A legal move of a kind that random play seldom meets, or 0.

    Castles, en passant and promotions; captures of rooks at home; double steps past an enemy pawn;
    king and rook moves that cost a right; checks.
    """
    turn = position.turn
    if random.random() < 0.6:
        move = _special(random, position, legal)
        if move:
            return move
    rights = position.castling
    if rights:
        homes = {position.rook_home(right): right >> 1 for right in range(4) if rights >> right & 1}
        choices = [move for move in legal if homes.get(move & 63) == 1 - turn or homes.get(move >> 6 & 63) == turn]
        if choices and random.random() < 0.5:
            return choices[int(random.random() * len(choices))]
    pawns = position.bitboard(PAWN + 6 * (1 - turn))
    choices = [move for move in legal if move >> 12 == DOUBLE_PUSH and (pawns << 1 | pawns >> 1) >> (move & 63) & 1]
    if choices and random.random() < 0.7:
        return choices[int(random.random() * len(choices))]
    return _check(random, position, legal)


def _special(random: Random, position: Position, legal: list[int]) -> int:
    """A castle, a capture en passant or a promotion, or 0."""
    choices = [move for move in legal if move >= SPECIAL and move >> 12 != CAPTURE and move >> 12 != DOUBLE_PUSH]
    return choices[int(random.random() * len(choices))] if choices else 0


def _check(random: Random, position: Position, legal: list[int]) -> int:
    """A move that gives check, or 0: at most thirty are tried, from a random one on."""
    begin = int(random.random() * len(legal))
    for move in (legal[begin:] + legal[:begin])[:30]:
        position.make(move)
        check = position.is_check()
        position.unmake()
        if check:
            return move
    return 0


def _last_move(random: Random, position: Position) -> int:
    """A move that stalemates, or else one that mates, or 0."""
    legal = position.legal_moves()
    begin = int(random.random() * len(legal))
    mate = 0
    for move in legal[begin:] + legal[:begin]:
        position.make(move)
        over, check = position.count_moves() == 0, position.is_check()
        position.unmake()
        if over and not check:
            return move
        if over:
            mate = move
    return mate


def _shuffle(random: Random, position: Position, plies: int, moves: list[str], *, goes_round: int | None) -> None:
    """Each side sends one man out and back again, over and over.

    Positions come back, with fewer rights or without their en passant square; a man that goes round by
    three squares loses a tempo, and the same placement stands with the other side to move.
    """
    routes: list[list[int]] = [[], []]  # for each side, the squares its man visits in turn
    for _ in range(plies):
        legal = position.legal_moves()
        if not legal:
            return
        route = routes[position.turn]
        if not route or route[0] << 6 | route[1] not in legal:
            route = routes[position.turn] = _route(random, position, legal, detour=position.turn == goes_round)
        if route:
            move = route[0] << 6 | route[1]
            route.append(route.pop(0))
        else:
            move = legal[int(random.random() * len(legal))]
        _play_one(position, move, moves)


def _route(random: Random, position: Position, legal: list[int], *, detour: bool) -> list[int]:
    """Two or three squares that one man can visit in turn; empty when no man can go and come back."""
    turn = position.turn
    quiet = [move for move in legal if move < SPECIAL and position.piece_at(move >> 6) % 6 != PAWN]
    if not quiet:
        return []
    begin = int(random.random() * len(quiet))
    if detour:
        for move in (quiet[begin:] + quiet[:begin])[:30]:
            third = _third(random, position, move)
            if third is not None:
                return [move >> 6, move & 63, third]
    if position.castling >> 2 * turn & 3 and random.random() < 0.7:
        # The moves that cost a right.
        homes = {position.king(turn), *(position.rook_home(2 * turn + side) for side in (0, 1))}
        quiet = [move for move in quiet if move >> 6 in homes] or quiet
    move = quiet[int(random.random() * len(quiet))]
    return [move >> 6, move & 63]


def _third(random: Random, position: Position, move: int) -> int | None:
    """An empty square by which the man that made the move can go back where it came from, or None."""
    source, target = move >> 6, move & 63
    occupied = position.occupancy() & ~(1 << source)
    if position.piece_at(source) % 6 == KING:
        thirds = KING_ATTACKS[source] & KING_ATTACKS[target]
    else:
        thirds = LINE[source * 64 + target] & ~(1 << source | 1 << target)
    thirds &= ~occupied
    for _ in range(int(random.random() * thirds.bit_count())):
        thirds &= thirds - 1
    if not thirds:
        return None
    third = (thirds & -thirds).bit_length() - 1
    return None if (BETWEEN[target * 64 + third] | BETWEEN[third * 64 + source]) & occupied else third
