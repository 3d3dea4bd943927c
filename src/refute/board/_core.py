"""The board itself: Position, generator, make and unmake, key, validate, perft.

One source in two modes. Interpreted, this is ordinary Python; compiled, `_core.pxd` beside it gives
every field and every hot local a C type, and `WHITE`, `ONE` and the like become C constants. So:

- a left shift, a product and a bare `~` are masked, because interpreted integers do not wrap;
- `ONE << square`, never `1 << square`, because a bare 1 is 32 bits wide when compiled;
- `us` and `counting` are constants wherever they are passed, so that the C compiler, which inlines
  every helper here, makes one branch-free copy for each colour and for counting.

    FEN ──▶ set_up ──▶ fields, key, tallies ──▶ _generate ──▶ moves ──▶ _make ──▶ … ──▶ _unmake
"""

from __future__ import annotations

from operator import index
from typing import Any

from refute.board import changes, magics, scores, tables, zobrist
from refute.board.move import decode_uci, encode_uci
from refute.errors import BrokenInvariant, MoveError, quote

try:
    import cython
except ImportError:
    from refute.board import _no_cython as cython  # all that is asked of it is `compiled`

if not cython.compiled:
    from refute.board._interpreted import (
        LOOKUPS,
        SLIDES,
        allocate_table,
        bishop_attacks,
        check_signals,
        first,
        free_table,
        grow_undo,
        popcount,
        rook_attacks,
        several,
        slider_index,
    )
    from refute.board.constants import (
        ALL,
        BISHOP,
        BLACK,
        EMPTY,
        KING,
        KNIGHT,
        MOST_MOVES,
        NO_MOVE,
        NO_SQUARE,
        ONE,
        PAWN,
        QUEEN,
        ROOK,
        UNDO_WORDS,
        WHITE,
    )

# Compiled, each of these is a C array filled here once.
KNIGHT_ATTACKS = tables.KNIGHT_ATTACKS
KING_ATTACKS = tables.KING_ATTACKS
PAWN_ATTACKS = tables.PAWN_ATTACKS
ROOK_RAYS = tables.ROOK_RAYS
BISHOP_RAYS = tables.BISHOP_RAYS
FILES = tables.FILES
DIAGONALS = tables.DIAGONALS
ANTIDIAGONALS = tables.ANTIDIAGONALS
BETWEEN = tables.BETWEEN
LINE = tables.LINE
NOT_FILE_A = tables.NOT_FILE_A
NOT_FILE_H = tables.NOT_FILE_H
RANK_3 = tables.RANK_3
RANK_6 = tables.RANK_6
BACK_RANKS = tables.BACK_RANKS
PIECE_KEYS = zobrist.PIECE_KEYS
CASTLING_KEYS = zobrist.CASTLING_KEYS
EN_PASSANT_KEYS = zobrist.EN_PASSANT_KEYS
BLACK_KEY = zobrist.BLACK_KEY
MIXERS = zobrist.MIXERS
TALLIES = scores.TALLIES

# What perft_detailed() counts, in the order in which it is counted.
DETAILS = (
    "nodes",
    "captures",
    "en passant",
    "castles",
    "promotions",
    "checks",
    "discovered checks",
    "double checks",
    "mates",
)
DEEPEST = 99
MIRROR = 56 | 56 << 6  # both squares of a code, ranks exchanged

# An entry of the undo stack is two words: the key, and this, which is everything else make destroys.
#   bits 0-15 move   16-19 captured piece   20-23 rights   24 en passant in key   25-31 en passant   32- halfmove clock

# What `_broken` returns, and what validate() makes of it.
INVARIANTS = (
    "",
    "two pieces' bitboards overlap",
    "the mailbox disagrees with a bitboard",
    "the mailbox holds a man that no bitboard has",
    "white's occupancy is not the union of white's bitboards",
    "black's occupancy is not the union of black's bitboards",
    "the occupancy of both is not the union of white's and black's",
    "white does not have exactly one king",
    "black does not have exactly one king",
    "a pawn stands on a back rank",
    "a castling right is held without its king or rook at home",
    "the en passant square does not match a pawn that just moved two squares",
    "the en passant file is in the key although no capture is legal, or the reverse",
    "a clock is out of range",
    "the side to move is neither white nor black",
    "the side not to move is in check",
    "the key differs from the key computed from scratch",
    "white's tally differs from the tally computed from scratch",
    "black's tally differs from the tally computed from scratch",
)


def is_compiled() -> bool:
    """Whether this module runs as compiled code."""
    return bool(cython.compiled)


def _fill_sliders() -> None:
    """Fill the compiled look-up: for each square and each arrangement of blockers, what a slider sees."""
    offset = 0
    for diagonal in range(2):
        for square in range(64):
            mask = tables.BISHOP_MASKS[square] if diagonal else tables.ROOK_MASKS[square]
            magic = magics.BISHOP_MAGICS[square] if diagonal else magics.ROOK_MAGICS[square]
            at = (diagonal * 64 + square) * 4
            LOOKUPS[at] = mask
            LOOKUPS[at + 1] = magic
            LOOKUPS[at + 2] = 64 - popcount(mask)
            LOOKUPS[at + 3] = offset
            blockers = mask ^ mask
            while True:
                SLIDES[offset + slider_index(blockers, mask, magic, 64 - popcount(mask))] = _slide(
                    square, blockers, diagonal
                )
                blockers = (blockers - mask) & mask
                if blockers == 0:
                    break
            offset += ONE << popcount(mask)


def _slide(square: int, blockers: int, diagonal: int) -> int:
    """Walk the four rays of a slider, each up to its first blocker."""
    seen = 0
    for direction in range(4):
        # Diagonally both coordinates step; otherwise one does, and the other rests.
        file_step = 1 if direction & 1 else -1
        rank_step = 1 if direction & 2 else -1
        if not diagonal:
            rank_step = 0 if direction & 2 else file_step
            file_step = file_step if direction & 2 else 0
        file = (square & 7) + file_step
        rank = (square >> 3) + rank_step
        while 0 <= file < 8 and 0 <= rank < 8:
            seen |= ONE << (rank * 8 + file)
            if blockers >> (rank * 8 + file) & 1:
                break
            file += file_step
            rank += rank_step
    return seen


if cython.compiled:
    _fill_sliders()


def _square(square: int) -> int:
    square = index(square)
    if not 0 <= square < 64:
        raise ValueError(f"{square!r} is not a square: expected 0 to 63")
    return square


def _colour(colour: int) -> int:
    colour = index(colour)
    if not 0 <= colour <= 1:
        raise ValueError(f"{colour!r} is not a colour: expected 0 for white or 1 for black")
    return colour


def _depth(depth: int) -> int:
    depth = index(depth)
    if not 0 <= depth <= DEEPEST:
        raise ValueError(f"a depth of {depth!r}: expected 0 to {DEEPEST}")
    return depth


def _stir(number: int) -> int:
    """A number so mixed that sums of them tell multisets apart."""
    stirred = (number + 1) * MIXERS[0] & ALL
    return (stirred ^ stirred >> 31) * MIXERS[1] & ALL


def slider_lookup(square: int, occupied: int, diagonal: bool) -> int:
    """What the fast look-up says a bishop (diagonal) or rook attacks; for comparing with the rays."""
    square = _square(square)
    return bishop_attacks(square, occupied) if diagonal else rook_attacks(square, occupied)


class Position:
    """A chess position that can be played forward and exactly back.

    Squares are a1 = 0 … h8 = 63, pieces colour * 6 + kind, 12 for none. A new Position is an empty
    board, which is not legal; `refute.board.fen` makes legal ones.
    """

    def __init__(self) -> None:
        self._allocate()
        self.set_up([EMPTY] * 64, WHITE, 0, [NO_SQUARE] * 4, NO_SQUARE, 0, 1, chess960=False)

    def __dealloc__(self) -> None:  # called when compiled; interpreted, lists go by themselves
        if cython.compiled:
            free_table(self.undo)

    def _allocate(self) -> None:
        if not cython.compiled:  # compiled, these are C arrays and begin as zeros
            self.pieces = [0] * 12
            self.colours = [0, 0]
            self.board = [0] * 64
            self.keeps = [0] * 64
            self.rook_homes = [0] * 4
            self.castle_paths = [0] * 4
            self.castle_routes = [0] * 4
            self.castle_keys = [0] * 16
            self.tallies = [0, 0]
            self.undo: list[int] = []
            self.capacity = 0
            self.unsound = self.is_sound = 0

    # ---------------------------------------------------------------- setting up

    def set_up(
        self,
        mailbox: list[int],
        turn: int,
        castling: int,
        rook_homes: list[int],
        en_passant: int,
        halfmove: int,
        fullmove: int,
        *,
        chess960: bool,
    ) -> None:
        """Become the position described, with key, tallies and an empty undo stack to match.

        Numbers out of range raise ValueError. A position that breaks an invariant can be looked at and
        validated, but not played or counted: nothing below checks bounds when compiled.
        """
        mailbox, rook_homes = list(mailbox), list(rook_homes)
        turn, castling, en_passant = index(turn), index(castling), index(en_passant)
        halfmove, fullmove = index(halfmove), index(fullmove)
        if len(mailbox) != 64 or len(rook_homes) != 4:
            raise ValueError("a mailbox has 64 pieces, and there are four rook homes")
        for man in mailbox:
            if not isinstance(man, int) or not 0 <= man <= 12:
                raise ValueError(f"{man!r} is not a piece: expected 0 to 11, or 12 for an empty square")
        for home in rook_homes:
            if not isinstance(home, int) or not 0 <= home <= 64:
                raise ValueError(f"{home!r} is not a rook's home: expected 0 to 63, or 64 for none")
        if turn not in (0, 1) or not 0 <= castling < 16 or not 0 <= en_passant <= NO_SQUARE:
            raise ValueError(f"turn {turn}, castling {castling} or en passant {en_passant} is out of range")
        if not 0 <= halfmove <= 100_000 or not 0 <= fullmove <= 100_000:
            raise ValueError(f"clocks {halfmove} and {fullmove} are out of range")
        for piece in range(12):
            self.pieces[piece] = 0
        self.colours[WHITE] = self.colours[BLACK] = self.occupied_squares = 0
        self.tallies[WHITE] = self.tallies[BLACK] = 0
        self.key = 0
        self.ply = 0
        self.side = turn
        self.castling = castling
        self.ep = en_passant
        self.ep_keyed = 0
        self.halfmove = halfmove
        self.fullmove = fullmove
        self.is_chess960 = chess960
        for square in range(64):
            self.board[square] = EMPTY
            self.keeps[square] = 15
        for square in range(64):
            piece = mailbox[square]
            if piece != EMPTY:
                self._place(piece, square)
        self._set_up_castling(rook_homes)
        self.ep_keyed = self._has_legal_en_passant(turn)
        self.key = self._scratch_key()
        self.unsound = self._broken()
        self.is_sound = 1 if self.unsound == 0 else 0

    def _set_up_castling(self, rook_homes: list[int]) -> None:
        """Work out, for each right held, which squares it needs empty and which unattacked."""
        for right in range(4):
            colour = right >> 1
            self.rook_homes[right] = rook_homes[right]
            self.castle_paths[right] = self.castle_routes[right] = 0
            kings = self.pieces[colour * 6 + KING]
            home = rook_homes[right]
            if not self.castling >> right & 1 or not kings or home == NO_SQUARE:
                continue
            king = first(kings)
            king_to = colour * 56 + (2 if right & 1 else 6)
            rook_to = colour * 56 + (3 if right & 1 else 5)
            route = BETWEEN[king * 64 + king_to] | ONE << king_to
            path = route | BETWEEN[home * 64 + rook_to] | ONE << rook_to | BETWEEN[king * 64 + home]
            self.castle_routes[right] = route
            self.castle_paths[right] = path & ~(ONE << king | ONE << home)
            self.keeps[king] &= ~(1 << right)
            self.keeps[home] &= ~(1 << right)
        for rights in range(16):
            self.castle_keys[rights] = 0
            for right in range(4):
                if rights >> right & 1 and rook_homes[right] != NO_SQUARE:
                    self.castle_keys[rights] ^= CASTLING_KEYS[(right >> 1) * 8 + (rook_homes[right] & 7)]

    # ---------------------------------------------------------------- the funnel
    # The only three places where a man appears, disappears or moves: bitboards, occupancies, mailbox,
    # key and tally change together or not at all.

    def _place(self, piece: int, square: int) -> None:
        bit = ONE << square
        colour = 1 if piece >= 6 else 0
        self.pieces[piece] |= bit
        self.colours[colour] |= bit
        self.occupied_squares |= bit
        self.board[square] = piece
        self.key ^= PIECE_KEYS[piece * 64 + square]
        self.tallies[colour] += TALLIES[piece * 64 + square]

    def _remove(self, piece: int, square: int) -> None:
        bit = ONE << square
        colour = 1 if piece >= 6 else 0
        self.pieces[piece] ^= bit
        self.colours[colour] ^= bit
        self.occupied_squares ^= bit
        self.board[square] = EMPTY
        self.key ^= PIECE_KEYS[piece * 64 + square]
        self.tallies[colour] -= TALLIES[piece * 64 + square]

    def _shift(self, piece: int, source: int, target: int) -> None:
        bits = ONE << source | ONE << target
        colour = 1 if piece >= 6 else 0
        self.pieces[piece] ^= bits
        self.colours[colour] ^= bits
        self.occupied_squares ^= bits
        self.board[source] = EMPTY
        self.board[target] = piece
        self.key ^= PIECE_KEYS[piece * 64 + source] ^ PIECE_KEYS[piece * 64 + target]
        self.tallies[colour] += TALLIES[piece * 64 + target] - TALLIES[piece * 64 + source]

    # ---------------------------------------------------------------- make and unmake

    def _make(self, move: int, us: int) -> None:
        """Play a legal move of the side `us`; `_unmake` is its mirror, row by row."""
        source = move >> 6 & 63
        target = move & 63
        flag = move >> 12
        piece = self.board[source]
        captured = EMPTY
        if flag & 4:
            captured = self.board[target ^ 8] if flag == 5 else self.board[target]
        self._push(move, captured)

        self.key ^= BLACK_KEY ^ self.castle_keys[self.castling]
        if self.ep_keyed:
            self.key ^= EN_PASSANT_KEYS[self.ep & 7]
            self.ep_keyed = 0
        self.ep = NO_SQUARE
        # From *and* to: a captured rook may be the one that still carried a right.
        self.castling &= self.keeps[source] & self.keeps[target]
        self.key ^= self.castle_keys[self.castling]
        self.halfmove += 1
        self.fullmove += us

        if flag == 0:
            self._shift(piece, source, target)
            if piece == us * 6:
                self.halfmove = 0
        elif flag == 4:
            self._remove(captured, target)
            self._shift(piece, source, target)
            self.halfmove = 0
        elif flag == 1:
            self._shift(piece, source, target)
            self.halfmove = 0
            self.ep = target ^ 8
        elif flag == 5:
            self._remove(captured, target ^ 8)
            self._shift(piece, source, target)
            self.halfmove = 0
        elif flag < 4:
            # Both leave before either arrives: in Chess960 they may land on each other's squares.
            self._remove(us * 6 + KING, source)
            self._remove(us * 6 + ROOK, target)
            self._place(us * 6 + KING, us * 56 + (6 if flag == 2 else 2))
            self._place(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))
        else:
            if flag & 4:
                self._remove(captured, target)
            self._remove(piece, source)
            self._place(us * 6 + KNIGHT + (flag & 3), target)
            self.halfmove = 0

        self.side = us ^ 1
        if flag == 1 and self._has_legal_en_passant(us ^ 1):
            self.ep_keyed = 1
            self.key ^= EN_PASSANT_KEYS[self.ep & 7]

    def _unmake(self, us: int) -> None:
        """Undo exactly what the last `_make` by the side `us` did, key included."""
        self.ply -= 1
        word = self.undo[self.ply * UNDO_WORDS + 1]
        move = word & 0xFFFF
        captured = word >> 16 & 15
        source = move >> 6 & 63
        target = move & 63
        flag = move >> 12

        self.side = us
        self.fullmove -= us
        if flag == 0 or flag == 1:
            self._shift(self.board[target], target, source)
        elif flag == 4:
            self._shift(self.board[target], target, source)
            self._place(captured, target)
        elif flag == 5:
            self._shift(us * 6 + PAWN, target, source)
            self._place(captured, target ^ 8)
        elif flag < 4:
            self._remove(us * 6 + KING, us * 56 + (6 if flag == 2 else 2))
            self._remove(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))
            self._place(us * 6 + KING, source)
            self._place(us * 6 + ROOK, target)
        else:
            self._remove(us * 6 + KNIGHT + (flag & 3), target)
            self._place(us * 6 + PAWN, source)
            if flag & 4:
                self._place(captured, target)

        self.castling = word >> 20 & 15
        self.ep_keyed = word >> 24 & 1
        self.ep = word >> 25 & 127
        self.halfmove = word >> 32
        self.key = self.undo[self.ply * UNDO_WORDS]

    def _make_null(self, us: int) -> None:
        """Pass: the turn and the clocks change, an en passant chance is gone, nothing else moves."""
        self._push(NO_MOVE, EMPTY)
        self.key ^= BLACK_KEY
        if self.ep_keyed:
            self.key ^= EN_PASSANT_KEYS[self.ep & 7]
            self.ep_keyed = 0
        self.ep = NO_SQUARE
        self.halfmove += 1
        self.fullmove += us
        self.side = us ^ 1

    def _unmake_null(self, us: int) -> None:
        """Undo exactly what `_make_null` did."""
        self.ply -= 1
        word = self.undo[self.ply * UNDO_WORDS + 1]
        self.side = us
        self.fullmove -= us
        self.ep_keyed = word >> 24 & 1
        self.ep = word >> 25 & 127
        self.halfmove = word >> 32
        self.key = self.undo[self.ply * UNDO_WORDS]

    def _push(self, move: int, captured: int) -> None:
        if self.ply == self.capacity:
            self._grow()
        at = self.ply * UNDO_WORDS
        word = self.halfmove << 7 | self.ep
        word = word << 5 | self.ep_keyed << 4 | self.castling
        self.undo[at] = self.key
        self.undo[at + 1] = word << 20 | captured << 16 | move
        self.ply += 1

    def _grow(self) -> None:
        """Double the undo stack: it is bounded by memory alone."""
        grow_undo(self)

    # ---------------------------------------------------------------- attacks

    def _attackers(self, square: int, by: int, occupied: int) -> int:
        """The men of colour `by` that attack the square when `occupied` is in the way."""
        pieces = self.pieces
        theirs = by * 6
        queens = pieces[theirs + QUEEN]
        return (
            PAWN_ATTACKS[(by ^ 1) * 64 + square] & pieces[theirs]
            | KNIGHT_ATTACKS[square] & pieces[theirs + KNIGHT]
            | KING_ATTACKS[square] & pieces[theirs + KING]
            | bishop_attacks(square, occupied) & (pieces[theirs + BISHOP] | queens)
            | rook_attacks(square, occupied) & (pieces[theirs + ROOK] | queens)
        )

    def _danger(self, zone: int, by: int, occupied: int) -> int:
        """The squares of the zone that colour `by` attacks; squares outside it may be missing.

        Sliders whose rays cannot meet the zone are passed over, which near a sheltered king is most.
        """
        pieces = self.pieces
        theirs = by * 6
        pawns = pieces[theirs]
        if by == WHITE:
            danger = (pawns & NOT_FILE_A) << 7 & ALL | (pawns & NOT_FILE_H) << 9 & ALL
        else:
            danger = (pawns & NOT_FILE_A) >> 9 | (pawns & NOT_FILE_H) >> 7
        danger |= KING_ATTACKS[first(pieces[theirs + KING])]
        men = pieces[theirs + KNIGHT]
        while men:
            danger |= KNIGHT_ATTACKS[first(men)]
            men &= men - 1
        men = pieces[theirs + BISHOP] | pieces[theirs + QUEEN]
        while men:
            square = first(men)
            if BISHOP_RAYS[square] & zone:
                danger |= bishop_attacks(square, occupied)
            men &= men - 1
        men = pieces[theirs + ROOK] | pieces[theirs + QUEEN]
        while men:
            square = first(men)
            if ROOK_RAYS[square] & zone:
                danger |= rook_attacks(square, occupied)
            men &= men - 1
        return danger

    def _has_legal_en_passant(self, us: int) -> int:
        """Whether the side `us`, to move, may really capture en passant; then the file is in the key."""
        if self.ep == NO_SQUARE:
            return 0
        takers = PAWN_ATTACKS[(us ^ 1) * 64 + self.ep] & self.pieces[us * 6]
        while takers:
            if self._is_legal_en_passant(first(takers), us):
                return 1
            takers &= takers - 1
        return 0

    def _is_legal_en_passant(self, source: int, us: int) -> int:
        """Whether our king is safe after this pawn takes en passant.

        Two men leave one rank at once, so no pin along rank or diagonal tells: the board as it will be does.
        """
        victim = ONE << (self.ep ^ 8)
        kings = self.pieces[us * 6 + KING]
        if not kings:
            return 0
        occupied = (self.occupied_squares ^ victim ^ ONE << source) | ONE << self.ep
        return 0 if self._attackers(first(kings), us ^ 1, occupied) & ~victim else 1

    # ---------------------------------------------------------------- the legal generator

    def _generate(self, us: int, counting: int, out: list[int]) -> int:
        """Write the legal moves of the side `us` to `out` and return how many; counting, write none.

        Checkers and pins first; then every man moves only where that keeps the king safe, so no move
        has to be tried.
        """
        pieces = self.pieces
        them = us ^ 1
        ours = us * 6
        theirs = them * 6
        own = self.colours[us]
        enemy = self.colours[them]
        occupied = self.occupied_squares
        king = first(pieces[ours + KING])
        queens = pieces[theirs + QUEEN]

        checkers = PAWN_ATTACKS[us * 64 + king] & pieces[theirs] | KNIGHT_ATTACKS[king] & pieces[theirs + KNIGHT]
        pinned = 0
        snipers = ROOK_RAYS[king] & (pieces[theirs + ROOK] | queens) | BISHOP_RAYS[king] & (
            pieces[theirs + BISHOP] | queens
        )
        while snipers:
            sniper = first(snipers)
            blockers = BETWEEN[king * 64 + sniper] & occupied
            if blockers == 0:
                checkers |= ONE << sniper
            elif not several(blockers):
                pinned |= blockers & own
            snipers &= snipers - 1

        # King moves, and the castles whose path is clear, share one look at what the enemy attacks.
        n = 0
        targets = KING_ATTACKS[king] & ~own
        zone = targets
        castles = 0
        if checkers == 0 and self.castling & 3 << 2 * us:
            if self.castling & 1 << 2 * us and self.castle_paths[2 * us] & occupied == 0:
                castles = 1
                zone |= self.castle_routes[2 * us]
            if self.castling & 2 << 2 * us and self.castle_paths[2 * us + 1] & occupied == 0:
                castles |= 2
                zone |= self.castle_routes[2 * us + 1]
        if zone:
            danger = self._danger(zone, them, occupied ^ ONE << king)
            targets &= ~danger
            if counting:
                n += popcount(targets)
            else:
                n = self._emit(out, n, king, targets, enemy)
            # A rook that shields its king along the rank may not step aside: only Chess960 gets there.
            if castles & 1 and not (self.castle_routes[2 * us] & danger or pinned >> self.rook_homes[2 * us] & 1):
                if not counting:
                    out[n] = 2 << 12 | king << 6 | self.rook_homes[2 * us]
                n += 1
            if castles & 2 and not (
                self.castle_routes[2 * us + 1] & danger or pinned >> self.rook_homes[2 * us + 1] & 1
            ):
                if not counting:
                    out[n] = 3 << 12 | king << 6 | self.rook_homes[2 * us + 1]
                n += 1

        allowed = ALL ^ own
        if checkers:
            if several(checkers):
                return n
            # One checker: take it, or step between.
            allowed &= BETWEEN[king * 64 + first(checkers)] | checkers

        men = pieces[ours + KNIGHT] & ~pinned
        while men:
            source = first(men)
            targets = KNIGHT_ATTACKS[source] & allowed
            if counting:
                n += popcount(targets)
            else:
                n = self._emit(out, n, source, targets, enemy)
            men &= men - 1
        men = (pieces[ours + BISHOP] | pieces[ours + QUEEN]) & ~pinned
        while men:
            source = first(men)
            targets = bishop_attacks(source, occupied) & allowed
            if counting:
                n += popcount(targets)
            else:
                n = self._emit(out, n, source, targets, enemy)
            men &= men - 1
        men = (pieces[ours + ROOK] | pieces[ours + QUEEN]) & ~pinned
        while men:
            source = first(men)
            targets = rook_attacks(source, occupied) & allowed
            if counting:
                n += popcount(targets)
            else:
                n = self._emit(out, n, source, targets, enemy)
            men &= men - 1
        if pinned and checkers == 0:
            # A pinned slider may still move along its pin; a pinned knight never.
            men = pinned & (pieces[ours + BISHOP] | pieces[ours + QUEEN]) & BISHOP_RAYS[king]
            while men:
                source = first(men)
                targets = bishop_attacks(source, occupied) & allowed & LINE[king * 64 + source]
                if counting:
                    n += popcount(targets)
                else:
                    n = self._emit(out, n, source, targets, enemy)
                men &= men - 1
            men = pinned & (pieces[ours + ROOK] | pieces[ours + QUEEN]) & ROOK_RAYS[king]
            while men:
                source = first(men)
                targets = rook_attacks(source, occupied) & allowed & LINE[king * 64 + source]
                if counting:
                    n += popcount(targets)
                else:
                    n = self._emit(out, n, source, targets, enemy)
                men &= men - 1

        # Pawns move as sets. A pinned pawn may push along its file and capture along its diagonal.
        pawns = pieces[ours]
        free = pawns & ~pinned
        pushers = free | pawns & FILES[king]
        takes = enemy & allowed
        if us == WHITE:
            singles = pushers << 8 & ~occupied & ALL
            doubles = (singles & RANK_3) << 8 & ~occupied & allowed
            lefts = ((free | pawns & ANTIDIAGONALS[king]) & NOT_FILE_A) << 7 & takes
            rights = ((free | pawns & DIAGONALS[king]) & NOT_FILE_H) << 9 & takes
        else:
            singles = pushers >> 8 & ~occupied
            doubles = (singles & RANK_6) >> 8 & ~occupied & allowed
            lefts = ((free | pawns & DIAGONALS[king]) & NOT_FILE_A) >> 9 & takes
            rights = ((free | pawns & ANTIDIAGONALS[king]) & NOT_FILE_H) >> 7 & takes
        singles &= allowed
        if counting:
            n += popcount(singles) + popcount(doubles) + popcount(lefts) + popcount(rights)
            if (singles | lefts | rights) & BACK_RANKS:
                # Four promotions each, one of them counted already.
                n += 3 * (popcount(singles & BACK_RANKS) + popcount(lefts & BACK_RANKS) + popcount(rights & BACK_RANKS))
        else:
            n = self._emit_pawns(out, n, singles, 8 if us == BLACK else -8, 0)
            n = self._emit_pawns(out, n, doubles, 16 if us == BLACK else -16, 1)
            n = self._emit_pawns(out, n, lefts, 9 if us == BLACK else -7, 4)
            n = self._emit_pawns(out, n, rights, 7 if us == BLACK else -9, 4)

        if self.ep_keyed:
            men = PAWN_ATTACKS[them * 64 + self.ep] & pawns
            while men:
                source = first(men)
                if self._is_legal_en_passant(source, us):
                    if not counting:
                        out[n] = 5 << 12 | source << 6 | self.ep
                    n += 1
                men &= men - 1
        return n

    def _emit(self, out: list[int], n: int, source: int, targets: int, enemy: int) -> int:
        """Append a man's moves, captures flagged as such."""
        base = source << 6
        while targets:
            target = first(targets)
            out[n] = base | target | (enemy >> target & 1) << 14
            n += 1
            targets &= targets - 1
        return n

    def _emit_pawns(self, out: list[int], n: int, targets: int, back: int, flag: int) -> int:
        """Append the pawn moves that end on these targets, each from `back` squares behind."""
        while targets:
            target = first(targets)
            base = (target + back) << 6 | target
            if BACK_RANKS >> target & 1:
                out[n] = (flag | 11) << 12 | base
                out[n + 1] = (flag | 10) << 12 | base
                out[n + 2] = (flag | 9) << 12 | base
                out[n + 3] = (flag | 8) << 12 | base
                n += 4
            else:
                out[n] = flag << 12 | base
                n += 1
            targets &= targets - 1
        return n

    # ---------------------------------------------------------------- the pseudo-legal generator

    def _generate_pseudo(self, us: int, out: list[int]) -> int:
        """Write every move that obeys how the men move, king safety and castling's attacks left aside."""
        pieces = self.pieces
        ours = us * 6
        own = self.colours[us]
        enemy = self.colours[us ^ 1]
        occupied = self.occupied_squares
        n = 0
        for kind in range(KNIGHT, KING + 1):
            men = pieces[ours + kind]
            while men:
                source = first(men)
                targets = 0
                if kind == KNIGHT:
                    targets = KNIGHT_ATTACKS[source]
                if kind == KING:
                    targets = KING_ATTACKS[source]
                if kind == BISHOP or kind == QUEEN:
                    targets |= bishop_attacks(source, occupied)
                if kind == ROOK or kind == QUEEN:
                    targets |= rook_attacks(source, occupied)
                n = self._emit(out, n, source, targets & ~own, enemy)
                men &= men - 1
        men = pieces[ours]
        while men:
            source = first(men)
            targets = PAWN_ATTACKS[us * 64 + source] & enemy
            n = self._emit_pawns(out, n, targets & NOT_FILE_A & FILES[source] << 1, -9 if us == WHITE else 7, 4)
            n = self._emit_pawns(out, n, targets & NOT_FILE_H & FILES[source] >> 1, -7 if us == WHITE else 9, 4)
            step = source + 8 if us == WHITE else source - 8
            if not occupied >> step & 1:
                n = self._emit_pawns(out, n, ONE << step, source - step, 0)
                if source >> 3 == (1 if us == WHITE else 6):
                    step = source + 16 if us == WHITE else source - 16
                    if not occupied >> step & 1:
                        n = self._emit_pawns(out, n, ONE << step, source - step, 1)
            if self.ep != NO_SQUARE and PAWN_ATTACKS[us * 64 + source] >> self.ep & 1:
                out[n] = 5 << 12 | source << 6 | self.ep
                n += 1
            men &= men - 1
        for right in range(2 * us, 2 * us + 2):
            if self.castling >> right & 1 and self.castle_paths[right] & occupied == 0:
                out[n] = (2 | right & 1) << 12 | first(pieces[ours + KING]) << 6 | self.rook_homes[right]
                n += 1
        return n

    def _is_safe(self, move: int, us: int) -> int:
        """Whether a pseudo-legal move is legal: castle through nothing attacked, and leave no king en prise."""
        if move >> 13 == 1:
            route = self.castle_routes[2 * us + (move >> 12 & 1)] | ONE << (move >> 6 & 63)
            while route:
                if self._attackers(first(route), us ^ 1, self.occupied_squares):
                    return 0
                route &= route - 1
        self._make(move, us)
        king = first(self.pieces[us * 6 + KING])
        safe = 0 if self._attackers(king, us ^ 1, self.occupied_squares) else 1
        self._unmake(us)
        return safe

    # ---------------------------------------------------------------- from scratch

    def _scratch_key(self) -> int:
        """The key as the position's other fields imply it."""
        key = 0
        for piece in range(12):
            men = self.pieces[piece]
            while men:
                key ^= PIECE_KEYS[piece * 64 + first(men)]
                men &= men - 1
        for right in range(4):
            if self.castling >> right & 1 and self.rook_homes[right] != NO_SQUARE:
                key ^= CASTLING_KEYS[(right >> 1) * 8 + (self.rook_homes[right] & 7)]
        if self.ep != NO_SQUARE and self._has_legal_en_passant(self.side):
            key ^= EN_PASSANT_KEYS[self.ep & 7]
        if self.side == BLACK:
            key ^= BLACK_KEY
        return key

    def _broken(self) -> int:
        """The number of the first broken invariant, 0 when all hold.

        One pass over the men in the mailbox asks whether each has its bit, and adds up key and tallies.
        With as many bits as men, and as many empty squares as there are left, nothing can be stored
        wrongly; only otherwise is it worked out in which way it is.
        """
        if not cython.compiled:
            sums = [0, 0]
        pieces = self.pieces
        key = ONE - ONE
        bits = 0
        for piece in range(12):
            bits += popcount(pieces[piece])
        empties = 0
        for square in range(64):
            empties += self.board[square] == EMPTY
        if empties + bits != 64 or bits != popcount(self.occupied_squares):
            return self._misplaced()
        for colour in range(2):
            men = self.colours[colour]
            total = ONE - ONE
            has_bits = ONE
            while men:
                square = first(men)
                piece = self.board[square]
                if piece >= EMPTY:
                    return self._misplaced()
                has_bits &= pieces[piece] >> square
                key ^= PIECE_KEYS[piece * 64 + square]
                total += TALLIES[piece * 64 + square]
                men &= men - 1
            if not has_bits:
                return self._misplaced()
            sums[colour] = total
        return self._broken_sets() or self._broken_state(key, sums[WHITE], sums[BLACK])

    def _misplaced(self) -> int:
        """Which of the ways in which men can be stored wrongly comes first."""
        seen = ONE - ONE
        for piece in range(12):
            men = self.pieces[piece]
            if men & seen:
                return 1
            seen |= men
            while men:
                if self.board[first(men)] != piece:
                    return 2
                men &= men - 1
        for square in range(64):
            if self.board[square] != EMPTY and not seen >> square & 1:
                return 3
        return self._broken_sets()

    def _broken_sets(self) -> int:
        pieces = self.pieces
        white = pieces[0] | pieces[1] | pieces[2] | pieces[3] | pieces[4] | pieces[5]
        black = pieces[6] | pieces[7] | pieces[8] | pieces[9] | pieces[10] | pieces[11]
        if self.colours[WHITE] != white:
            return 4
        if self.colours[BLACK] != black:
            return 5
        if self.occupied_squares != white | black:
            return 6
        if pieces[KING] == 0 or several(pieces[KING]):
            return 7
        if pieces[6 + KING] == 0 or several(pieces[6 + KING]):
            return 8
        if (pieces[PAWN] | pieces[6 + PAWN]) & BACK_RANKS:
            return 9
        return 0

    def _broken_state(self, key: int, white: int, black: int) -> int:
        pieces = self.pieces
        for right in range(4):
            if self.castling >> right & 1:
                # A king or rook that left home took the right with it: `keeps` knows both homes.
                home = self.rook_homes[right]
                back = (right >> 1) * 7
                if home == NO_SQUARE or home >> 3 != back or self.board[home] != (right >> 1) * 6 + ROOK:
                    return 10
                king = first(pieces[(right >> 1) * 6 + KING])
                if self.keeps[king] >> right & 1 or king >> 3 != back or (home < king) != right & 1:
                    return 10
                key ^= CASTLING_KEYS[(right >> 1) * 8 + (home & 7)]
        if self.side != WHITE and self.side != BLACK:
            return 14
        if self.ep != NO_SQUARE:
            pawn = self.ep ^ 8
            if self.ep >> 3 != (5 if self.side == WHITE else 2) or self.board[pawn] != (self.side ^ 1) * 6:
                return 11
            # It came from the square behind, which is empty now, as is the one it passed.
            if (self.occupied_squares >> self.ep | self.occupied_squares >> (self.ep ^ 24)) & 1:
                return 11
        if self.halfmove < 0 or self.fullmove < 1:
            return 13
        takeable = self._has_legal_en_passant(self.side)
        if takeable != self.ep_keyed:
            return 12
        if takeable:
            key ^= EN_PASSANT_KEYS[self.ep & 7]
        if self.side == BLACK:
            key ^= BLACK_KEY
        if self._attackers(first(pieces[(self.side ^ 1) * 6 + KING]), self.side, self.occupied_squares):
            return 15
        if key != self.key:
            return 16
        if white != self.tallies[WHITE]:
            return 17
        if black != self.tallies[BLACK]:
            return 18
        return 0

    def _mix(self) -> int:
        """Every field times an odd number of its own, added up: no single change goes unseen."""
        mixed = self.key * MIXERS[64] + self.occupied_squares * MIXERS[65] + self.ply * MIXERS[66]
        mixed += self.side * MIXERS[67] + self.castling * MIXERS[68] + self.ep * MIXERS[69]
        mixed += self.ep_keyed * MIXERS[70] + self.halfmove * MIXERS[71] + self.fullmove * MIXERS[72]
        mixed += self.is_chess960 * MIXERS[73]
        for colour in range(2):
            mixed += self.colours[colour] * MIXERS[74 + colour] + self.tallies[colour] * MIXERS[76 + colour]
        for piece in range(12):
            mixed += self.pieces[piece] * MIXERS[78 + piece]
        for right in range(4):
            mixed += self.rook_homes[right] * MIXERS[90 + right]
        for square in range(64):
            mixed += self.board[square] * MIXERS[square]
        return mixed & ALL

    # ---------------------------------------------------------------- perft

    def _perft(self, depth: int, us: int) -> int:
        """Leaves at the depth, the last ply counted and not played."""
        if not cython.compiled:
            out = [0] * MOST_MOVES
        if depth == 1:
            return self._generate(us, 1, out)
        if depth > 4:
            check_signals()
        nodes = 0
        n = self._generate(us, 0, out)
        if depth == 2:
            return self._count_replies(us, n, out)
        for i in range(n):
            self._make(out[i], us)
            nodes += self._perft_black(depth - 1) if us == WHITE else self._perft_white(depth - 1)
            self._unmake(us)
        return nodes

    def _count_replies(self, us: int, n: int, out: list[int]) -> int:
        """How many legal replies the first `n` moves of `out` have together.

        Counting reads no mailbox, key, tally or clock, so those stay as they are and only the
        bitboards, the rights and the en passant square follow each move.
        """
        castling = self.castling
        ep = self.ep
        ep_keyed = self.ep_keyed
        nodes = 0
        for i in range(n):
            move = out[i]
            self.castling = castling & self.keeps[move >> 6 & 63] & self.keeps[move & 63]
            self.ep = NO_SQUARE
            self.ep_keyed = 0
            self._toggle(move, us)
            if move >> 12 == 1:
                self.ep = move & 63 ^ 8
                self.ep_keyed = self._has_legal_en_passant(us ^ 1)
            nodes += self._generate(us ^ 1, 1, out)
            self._toggle(move, us)
        self.castling = castling
        self.ep = ep
        self.ep_keyed = ep_keyed
        return nodes

    def _toggle(self, move: int, us: int) -> None:
        """Do to the bitboards alone what a move does, or undo it: every change flips bits, so twice is never."""
        pieces = self.pieces
        source = move >> 6 & 63
        target = move & 63
        flag = move >> 12
        piece = self.board[source]
        leave = ONE << source
        arrive = ONE << target
        if flag < 2:
            pieces[piece] ^= leave | arrive
            self.colours[us] ^= leave | arrive
            self.occupied_squares ^= leave | arrive
        elif flag == 4:
            pieces[self.board[target]] ^= arrive
            self.colours[us ^ 1] ^= arrive
            pieces[piece] ^= leave | arrive
            self.colours[us] ^= leave | arrive
            self.occupied_squares ^= leave
        elif flag == 5:
            victim = ONE << (target ^ 8)
            pieces[(us ^ 1) * 6] ^= victim
            self.colours[us ^ 1] ^= victim
            pieces[piece] ^= leave | arrive
            self.colours[us] ^= leave | arrive
            self.occupied_squares ^= leave | arrive | victim
        elif flag < 4:
            king = leave ^ ONE << (us * 56 + (6 if flag == 2 else 2))
            rook = arrive ^ ONE << (us * 56 + (5 if flag == 2 else 3))
            pieces[us * 6 + KING] ^= king
            pieces[us * 6 + ROOK] ^= rook
            self.colours[us] ^= king ^ rook
            self.occupied_squares ^= king ^ rook
        else:
            pieces[us * 6] ^= leave
            pieces[us * 6 + KNIGHT + (flag & 3)] ^= arrive
            self.colours[us] ^= leave | arrive
            self.occupied_squares ^= leave
            if flag & 4:
                pieces[self.board[target]] ^= arrive
                self.colours[us ^ 1] ^= arrive
            else:
                self.occupied_squares ^= arrive

    def _perft_white(self, depth: int) -> int:
        return self._perft(depth, WHITE)

    def _perft_black(self, depth: int) -> int:
        return self._perft(depth, BLACK)

    def _perft_played(self, depth: int) -> int:
        """Leaves at the depth, every one of them made and unmade."""
        if depth == 0:
            return 1
        if not cython.compiled:
            out = [0] * MOST_MOVES
        if depth > 4:
            check_signals()
        nodes = 0
        n = self._list(out)
        for i in range(n):
            self._play(out[i])
            nodes += self._perft_played(depth - 1)
            self._take_back()
        return nodes

    def _perft_hashed(self, depth: int, table: list[int], slots: int) -> int:
        """Leaves at the depth, remembering what each position met before had below it."""
        if not cython.compiled:
            out = [0] * MOST_MOVES
        if depth == 1:
            return self._list_count()
        if depth > 4:
            check_signals()
        # The depth is stirred into the tag, so one table serves all depths.
        tag = (self.key ^ depth * MIXERS[0]) & ALL
        at = tag % slots * 2
        if table[at] == tag and table[at + 1]:
            return table[at + 1]
        nodes = 0
        n = self._list(out)
        for i in range(n):
            self._play(out[i])
            nodes += self._perft_hashed(depth - 1, table, slots)
            self._take_back()
        table[at] = tag
        table[at + 1] = nodes
        return nodes

    def _perft_detailed(self, depth: int, counts: list[int]) -> int:
        """Count what the last ply's moves are, into `counts` in the order of DETAILS."""
        if not cython.compiled:
            out = [0] * MOST_MOVES
        if depth > 4:
            check_signals()
        n = self._list(out)
        for i in range(n):
            move = out[i]
            self._play(move)
            if depth > 1:
                self._perft_detailed(depth - 1, counts)
            else:
                flag = move >> 12
                counts[0] += 1
                counts[1] += flag >> 2 & 1
                counts[2] += flag == 5
                counts[3] += flag == 2 or flag == 3
                counts[4] += flag >> 3
                checkers = self._checkers()
                if checkers:
                    counts[5] += 1
                    mover = ONE << (move & 63)
                    if flag == 2 or flag == 3:
                        # The castled rook gives the check, and it is the one that moved.
                        mover = ONE << ((self.side ^ 1) * 56 + (5 if flag == 2 else 3))
                    if several(checkers):
                        counts[7] += 1
                    elif checkers & mover == 0:
                        counts[6] += 1
                    counts[8] += self._list_count() == 0
            self._take_back()
        return 0

    def _perft_checked(self, depth: int, root: int) -> int:
        """Leaves at the depth, the whole position checked after every make and every unmake."""
        if not cython.compiled:
            out = [0] * MOST_MOVES
        if depth > 2:
            check_signals()
        nodes = 0
        n = self._list(out)
        before = self._mix()
        for i in range(n):
            self._play(out[i])
            broken = self._broken()
            if broken:
                self._fail("make", broken, root, NO_MOVE)
            nodes += self._perft_checked(depth - 1, root) if depth > 1 else 1
            self._take_back()
            broken = self._broken()
            if broken or self._mix() != before:
                self._fail("unmake", broken, root, out[i])
        return nodes

    def _fail(self, stage: str, broken: int, root: int, last: int) -> int:
        """Raise BrokenInvariant with the path from ply `root` to the faulty move."""
        path = [self.undo[ply * UNDO_WORDS + 1] & 0xFFFF for ply in range(root, self.ply)]
        if last != NO_MOVE:
            path.append(last)
        message = INVARIANTS[broken] if broken else "not every field is what it was before the move"
        if stage == "generate":
            message = "counting the moves gives another number than listing them"
        raise BrokenInvariant(stage, message, path, number=broken)

    # The colour is known only at run time from here on; these choose the copy made for it.

    def _list(self, out: list[int]) -> int:
        return self._generate(WHITE, 0, out) if self.side == WHITE else self._generate(BLACK, 0, out)

    def _list_count(self) -> int:
        if not cython.compiled:
            out: list[int] = []
        return self._generate(WHITE, 1, out) if self.side == WHITE else self._generate(BLACK, 1, out)

    def _play(self, move: int) -> None:
        if self.side == WHITE:
            self._make(move, WHITE)
        else:
            self._make(move, BLACK)

    def _take_back(self) -> None:
        if self.side == BLACK:
            self._unmake(WHITE)
        else:
            self._unmake(BLACK)

    def _checkers(self) -> int:
        return self._attackers(first(self.pieces[self.side * 6 + KING]), self.side ^ 1, self.occupied_squares)

    def _code(self, move: int) -> int:
        """The move as UCI says it: from | to << 6 | promotion << 12, promotion 1 to 4 for n b r q."""
        source = move >> 6 & 63
        target = move & 63
        flag = move >> 12
        if flag & 8:
            return source | target << 6 | ((flag & 3) + 1) << 12
        if (flag == 2 or flag == 3) and not self.is_chess960:
            target = source & 56 | (6 if flag == 2 else 2)
        return source | target << 6

    # ---------------------------------------------------------------- what everyone may call
    # Arguments are checked here: nothing below bounds-checks when compiled.

    @property
    def turn(self) -> int:
        """The side to move: 0 white, 1 black."""
        return self.side

    @property
    def en_passant(self) -> int | None:
        """The square passed over by the last move's double push, takeable or not."""
        return None if self.ep == NO_SQUARE else self.ep

    @property
    def chess960(self) -> bool:
        """Whether castling is written king takes rook."""
        return bool(self.is_chess960)

    def has_legal_en_passant(self) -> bool:
        """Whether an en passant capture is legal here; then, and only then, the file is in the key."""
        return bool(self.ep_keyed)

    def rook_home(self, right: int) -> int | None:
        """The home square of the rook that belongs to right 0 to 3, while the right is held."""
        if not 0 <= right < 4:
            raise ValueError(f"{right!r} is not a right: expected 0 to 3")
        return self.rook_homes[right] if self.castling >> right & 1 else None

    def piece_at(self, square: int) -> int:
        """The piece on a square, 12 for none."""
        return self.board[_square(square)]

    def mailbox(self) -> list[int]:
        """The pieces on all squares, a1 first."""
        return [self.board[square] for square in range(64)]

    def numbers(self) -> tuple[int, ...]:
        """The position as other boards would say it in numbers, to be compared without writing a FEN.

        Pawns to kings of both colours, white's men, black's men, the side to move, the rooks that may
        castle, the en passant square if a legal capture exists (else -1), both clocks.
        """
        pieces = self.pieces
        rooks = ONE - ONE
        for right in range(4):
            if self.castling >> right & 1:
                rooks |= ONE << self.rook_homes[right]
        return (
            pieces[0] | pieces[6],
            pieces[1] | pieces[7],
            pieces[2] | pieces[8],
            pieces[3] | pieces[9],
            pieces[4] | pieces[10],
            pieces[5] | pieces[11],
            self.colours[WHITE],
            self.colours[BLACK],
            self.side,
            rooks,
            self.ep if self.ep_keyed else -1,
            self.halfmove,
            self.fullmove,
        )

    def bitboard(self, piece: int) -> int:
        """The squares of one piece, 0 to 11."""
        if not 0 <= piece < 12:
            raise ValueError(f"{piece!r} is not a piece: expected 0 to 11")
        return self.pieces[piece]

    def occupied(self, colour: int) -> int:
        """The squares of one side's men."""
        return self.colours[_colour(colour)]

    def occupancy(self) -> int:
        """The squares of all men."""
        return self.occupied_squares

    def king(self, colour: int) -> int:
        """The square of a side's king."""
        kings = self.pieces[_colour(colour) * 6 + KING]
        if not kings:
            raise ValueError("there is no such king on the board")
        return first(kings)

    def attackers(self, square: int, colour: int) -> int:
        """The men of a colour that attack a square."""
        return self._attackers(_square(square), _colour(colour), self.occupied_squares)

    def is_attacked(self, square: int, by: int) -> bool:
        """Whether a colour attacks a square."""
        return self.attackers(square, by) != 0

    def checkers(self) -> int:
        """The men that give check."""
        self._require_sound()
        return self._checkers()

    def is_check(self) -> bool:
        """Whether the side to move is in check."""
        self._require_sound()
        return self._checkers() != 0

    def pinned(self) -> int:
        """The side to move's men that shield its king from a slider."""
        self._require_sound()
        us = self.side
        theirs = (us ^ 1) * 6
        king = first(self.pieces[us * 6 + KING])
        queens = self.pieces[theirs + QUEEN]
        snipers = ROOK_RAYS[king] & (self.pieces[theirs + ROOK] | queens)
        snipers |= BISHOP_RAYS[king] & (self.pieces[theirs + BISHOP] | queens)
        pinned = 0
        while snipers:
            blockers = BETWEEN[king * 64 + first(snipers)] & self.occupied_squares
            if not several(blockers):
                pinned |= blockers & self.colours[us]
            snipers &= snipers - 1
        return pinned

    def legal_moves(self) -> list[int]:
        """Every legal move, each once, as 16-bit numbers (`refute.board.move.Move` names their parts)."""
        self._require_sound()
        if not cython.compiled:
            out = [0] * MOST_MOVES
        n = self._list(out)
        return [out[i] for i in range(n)]

    def pseudo_legal_moves(self) -> list[int]:
        """Every move that obeys how the men move; `is_safe` filters them to the legal ones."""
        self._require_sound()
        if not cython.compiled:
            out = [0] * MOST_MOVES
        n = self._generate_pseudo(self.side, out)
        return [out[i] for i in range(n)]

    def is_safe(self, move: int) -> bool:
        """Whether a pseudo-legal move leaves its king safe and castles through nothing attacked."""
        move = index(move)
        if move not in self.pseudo_legal_moves():
            raise MoveError(f"{move!r} is not a pseudo-legal move here")
        return bool(self._is_safe(move, self.side))

    def filtered_moves(self) -> list[int]:
        """The pseudo-legal moves that are safe: what legal_moves() must say, found the other way."""
        self._require_sound()
        if not cython.compiled:
            out = [0] * MOST_MOVES
        us = self.side
        n = self._generate_pseudo(us, out)
        return [out[i] for i in range(n) if self._is_safe(out[i], us)]

    def count_moves(self) -> int:
        """How many legal moves there are, without listing them."""
        self._require_sound()
        return self._list_count()

    def is_legal(self, move: int) -> bool:
        """Whether the 16-bit move, flag included, is legal here."""
        return move in self.legal_moves()

    def codes(self) -> list[int]:
        """The legal moves as UCI says them (see `refute.board.move.encode_uci`), sorted."""
        self._require_sound()
        if not cython.compiled:
            out = [0] * MOST_MOVES
        n = self._list(out)
        codes = [self._code(out[i]) for i in range(n)]
        codes.sort()
        return codes

    def code(self, move: int) -> int:
        """One move as UCI says it."""
        return self._code(move & 0xFFFF)

    def uci(self, move: int) -> str:
        """A move's UCI text: a castle is king takes rook in Chess960, e1g1 otherwise."""
        return decode_uci(self._code(move & 0xFFFF))

    def parse_uci(self, text: str) -> int:
        """The legal move a UCI text means here; raises MoveError when there is none."""
        code = encode_uci(text)
        self._require_sound()
        if not cython.compiled:
            out = [0] * MOST_MOVES
        n = self._list(out)
        for i in range(n):
            if self._code(out[i]) == code:
                return out[i]
        raise MoveError(f"{quote(text)} is not a legal move here")

    def make(self, move: int) -> None:
        """Play a legal move; anything else raises MoveError and leaves the position as it was."""
        move = index(move)
        if not self.is_legal(move):
            raise MoveError(f"{move!r} is not a legal move here")
        self._play(move)

    def make_uci(self, text: str) -> int:
        """Play the legal move a UCI text means, and return it; anything else raises MoveError and changes nothing."""
        move = self.parse_uci(text)
        self._play(move)
        return move

    def make_null(self) -> None:
        """Pass the turn; refused in check, where it would leave a king to be taken."""
        if self.is_check():
            raise MoveError("a null move in check would leave the king to be taken")
        self._make_null(self.side)

    def unmake(self) -> None:
        """Undo exactly what the last make or make_null did."""
        if self.ply == 0:
            raise MoveError("there is no move to take back")
        if self.undo[(self.ply - 1) * UNDO_WORDS + 1] & 0xFFFF == NO_MOVE:
            self._unmake_null(self.side ^ 1)
        else:
            self._take_back()

    def repetitions(self) -> int:
        """How often this position stood on the board, this time included, since it could last arise.

        Only as far back as the undo stack and the last capture, pawn move or null move.
        """
        times = 1
        for back in range(1, self.ply + 1):
            at = (self.ply - back) * UNDO_WORDS
            if back > self.halfmove or self.undo[at + 1] & 0xFFFF == NO_MOVE:
                break
            times += self.undo[at] == self.key
        return times

    def mirrored(self) -> Position:
        """The same position with colours and ranks exchanged: its moves are this one's, mirrored."""
        twin = self.copy()
        mailbox = [EMPTY] * 64
        for square in range(64):
            piece = self.board[square ^ 56]
            if piece != EMPTY:
                mailbox[square] = (piece + 6) % 12
        homes = [
            self.rook_homes[right ^ 2] ^ 56 if self.castling >> (right ^ 2) & 1 else NO_SQUARE for right in range(4)
        ]
        twin.set_up(
            mailbox,
            self.side ^ 1,
            self.castling >> 2 | self.castling << 2 & 15,
            homes,
            NO_SQUARE if self.ep == NO_SQUARE else self.ep ^ 56,
            self.halfmove,
            self.fullmove,
            chess960=bool(self.is_chess960),
        )
        return twin

    def moves_made(self) -> list[int]:
        """The moves on the undo stack, oldest first; 0 is a null move."""
        return [int(self.undo[ply * UNDO_WORDS + 1] & 0xFFFF) for ply in range(self.ply)]

    def key_history(self) -> list[int]:
        """The keys before each move on the undo stack, oldest first."""
        return [int(self.undo[ply * UNDO_WORDS]) for ply in range(self.ply)]

    def compute_key(self) -> int:
        """The key from scratch; `key` always equals it."""
        return self._scratch_key()

    def validate(self) -> str | None:
        """Name the first broken invariant, or None when every one holds."""
        broken = self._broken()
        return INVARIANTS[broken] if broken else None

    def fingerprint(self) -> int:
        """A number that covers every field, clocks and undo depth included."""
        return self._mix()

    def audit(self) -> int:
        """Make and unmake every legal move, and a null move, checking everything after each.

        Also: the legal generator, the filtered pseudo-legal one, the count and the mirrored position
        agree. Returns how many moves were tried; raises BrokenInvariant, stage and move named. Works on
        a copy, so that what it finds broken is never left behind.
        """
        self._require_sound()
        broken = self._broken()
        if broken:
            raise BrokenInvariant("make", INVARIANTS[broken], (), number=broken)
        trial = self.copy()
        try:
            tried = trial._perft_checked(1, trial.ply)
            trial._audit_generators()
        except BrokenInvariant as failure:
            raise self._named(failure) from None
        if not trial._checkers():
            trial._audit_null()
        return tried

    def audit_move(self, move: int) -> None:
        """Make and unmake one legal move on a copy, checking everything; raises BrokenInvariant."""
        move = index(move)
        if not self.is_legal(move):
            raise MoveError(f"{move!r} is not a legal move here")
        trial = self.copy()
        root = trial.ply
        before = trial._mix()
        trial._play(move)
        broken = trial._broken()
        if broken:
            trial._fail("make", broken, root, NO_MOVE)
        trial._take_back()
        broken = trial._broken()
        if broken or trial._mix() != before:
            trial._fail("unmake", broken, root, move)

    def _audit_generators(self) -> int:
        """The legal generator, the filtered pseudo-legal one, the count and the mirrored position agree."""
        if not cython.compiled:
            out = [0] * MOST_MOVES
            replies = [0] * MOST_MOVES
        us = self.side
        n = self._list(out)
        if n != self._list_count():
            raise BrokenInvariant("generate", "counting the moves gives another number than listing them")
        legal = ONE - ONE
        mirror = ONE - ONE
        for i in range(n):
            legal += _stir(out[i])
            mirror += _stir(self._code(out[i]) ^ MIRROR)
        # Whether a move is safe is found by playing it, which must not spoil the board the rest is judged on.
        probe = self.copy()
        safe = ONE - ONE
        total = probe._generate_pseudo(us, replies)
        for i in range(total):
            if probe._is_safe(replies[i], us):
                safe += _stir(replies[i])
        if legal & ALL != safe & ALL:
            self._fail_generators()
        if mirror & ALL != self.mirrored()._stirred():
            self._fail_mirror()
        nodes = ONE - ONE
        for i in range(n):
            self._play(out[i])
            total = self._list_count()
            if self._list(replies) != total:
                self._fail("generate", 0, self.ply - 1, NO_MOVE)
            nodes += total
            self._take_back()
        if nodes != self._perft(2, us):
            raise BrokenInvariant("generate", "bulk perft 2 differs from the replies counted move by move")
        return 0

    def _stirred(self) -> int:
        """One number for the legal moves' codes, in whatever order they come."""
        if not cython.compiled:
            out = [0] * MOST_MOVES
        total = ONE - ONE
        n = self._list(out)
        for i in range(n):
            total += _stir(self._code(out[i]))
        return total & ALL

    def _fail_generators(self) -> int:
        legal, safe = self.legal_moves(), self.copy().filtered_moves()
        odd = [move for move in legal if legal.count(move) != safe.count(move)]
        odd += [move for move in safe if move not in legal]
        for move in odd:
            # Where playing it breaks more than the king's safety, make is at fault and not the generator.
            self._play(move)
            broken = self._broken()
            if broken and broken != 15:
                self._fail("make", broken, self.ply - 1, NO_MOVE)
            self._take_back()
        raise BrokenInvariant("generate", "the legal and the filtered pseudo-legal moves differ", odd)

    def _fail_mirror(self) -> int:
        theirs = [code ^ MIRROR for code in self.mirrored().codes()]
        odd = [move for move in self.legal_moves() if self._code(move) not in theirs]
        raise BrokenInvariant("generate", "the colour-mirrored position does not have the mirrored moves", odd)

    def _audit_null(self) -> int:
        us = self.side
        before = self._mix()
        self._make_null(us)
        broken = self._broken()
        if broken:
            raise BrokenInvariant("null", INVARIANTS[broken], (NO_MOVE,), number=broken)
        self._unmake_null(us)
        broken = self._broken()
        if broken or self._mix() != before:
            message = INVARIANTS[broken] if broken else "not every field is what it was"
            raise BrokenInvariant("unmake null", message, (NO_MOVE,), number=broken)
        return 0

    def _named(self, failure: BrokenInvariant) -> BrokenInvariant:
        """The same failure, saying which field a take-back left changed."""
        if failure.stage != "unmake":
            return failure
        trial = self.copy()
        *path, last = failure.path
        for move in path:
            trial._play(move)
        before = trial.fields()
        trial._play(last)
        trial._take_back()
        told = changes.tell_changes(before, trial.fields())
        return BrokenInvariant("unmake", told or failure.message, failure.path, number=failure.number)

    def perft(self, depth: int, *, bulk: bool = True) -> int:
        """Count the leaves of the move tree; without bulk, every last move is made and unmade too."""
        self._require_sound()
        depth = _depth(depth)
        if depth == 0:
            return 1
        # On a copy, here and below: Ctrl-C in the middle of a count must not leave a position half played.
        trial = self.copy()
        if not bulk:
            return trial._perft_played(depth)
        return trial._perft_white(depth) if trial.side == WHITE else trial._perft_black(depth)

    def perft_hashed(self, depth: int, *, megabytes: int = 16) -> int:
        """Count leaves with a table of the given size, so that transpositions are counted once."""
        megabytes = index(megabytes)
        if not 1 <= megabytes <= 65536:
            raise ValueError(f"a table of {megabytes!r} MB: expected 1 to 65536")
        self._require_sound()
        depth = _depth(depth)
        if depth == 0:
            return 1
        slots = ONE * megabytes * 65536  # two words each
        trial = self.copy()
        table = allocate_table(slots * 2)
        try:
            return trial._perft_hashed(depth, table, slots)
        finally:
            free_table(table)

    def divide(self, depth: int) -> dict[int, int]:
        """Count the leaves below each legal move."""
        depth = _depth(depth)
        if depth == 0:
            raise ValueError("divide needs a depth of 1 or more")
        nodes = {}
        trial = self.copy()
        for move in self.legal_moves():
            trial._play(move)
            nodes[move] = trial.perft(depth - 1)
            trial._take_back()
        return nodes

    def perft_detailed(self, depth: int) -> dict[str, int]:
        """Count what the moves of the last ply are: captures, castles, checks and so on."""
        self._require_sound()
        depth = _depth(depth)
        if depth == 0:
            return {name: int(name == "nodes") for name in DETAILS}
        if not cython.compiled:
            counts = [0] * len(DETAILS)
        for i in range(len(DETAILS)):
            counts[i] = 0
        trial = self.copy()
        trial._perft_detailed(depth, counts)
        return {DETAILS[i]: int(counts[i]) for i in range(len(DETAILS))}

    def perft_checked(self, depth: int) -> int:
        """Count the leaves while checking everything, after every make and every unmake.

        Raises BrokenInvariant with the path to the faulty move. Works on a copy.
        """
        self._require_sound()
        depth = _depth(depth)
        if depth == 0:
            return 1
        trial = self.copy()
        try:
            return trial._perft_checked(depth, trial.ply)
        except BrokenInvariant as failure:
            raise self._named(failure) from None

    def material(self, colour: int) -> int:
        """A side's material in centipawns."""
        return int(self.tallies[_colour(colour)] & 0x1FFFF)

    def score(self) -> tuple[int, int]:
        """Middlegame and endgame piece-square scores, material included, white minus black."""
        lift = (popcount(self.colours[WHITE]) - popcount(self.colours[BLACK])) * scores.LIFT
        white, black = int(self.tallies[WHITE]), int(self.tallies[BLACK])
        return (
            (white >> scores.MIDDLEGAME & 0x3FFFF) - (black >> scores.MIDDLEGAME & 0x3FFFF) - lift,
            (white >> scores.ENDGAME & 0x3FFFF) - (black >> scores.ENDGAME & 0x3FFFF) - lift,
        )

    def phase(self) -> int:
        """Men left, weighted: 24 at the start of a game, 0 with kings and pawns alone."""
        return int(self.tallies[WHITE] >> scores.PHASE) + int(self.tallies[BLACK] >> scores.PHASE)

    def fields(self) -> dict[str, object]:
        """Every field by name, to be compared or shown."""
        return {
            "board": tuple([int(self.board[square]) for square in range(64)]),
            "bitboards": tuple([int(self.pieces[piece]) for piece in range(12)]),
            "white's occupancy": int(self.colours[WHITE]),
            "black's occupancy": int(self.colours[BLACK]),
            "occupancy": int(self.occupied_squares),
            "turn": int(self.side),
            "castling": int(self.castling),
            "rook homes": tuple([self.rook_home(right) for right in range(4)]),
            "en passant": self.en_passant,
            "en passant in key": bool(self.ep_keyed),
            "halfmove clock": int(self.halfmove),
            "fullmove number": int(self.fullmove),
            "chess960": bool(self.is_chess960),
            "key": int(self.key),
            "white's tally": int(self.tallies[WHITE]),
            "black's tally": int(self.tallies[BLACK]),
        }

    def copy(self) -> Position:
        """A deep copy, undo stack included; playing on one leaves the other as it was."""
        twin = Position.__new__(Position)
        twin._allocate()
        for piece in range(12):
            twin.pieces[piece] = self.pieces[piece]
        for square in range(64):
            twin.board[square] = self.board[square]
            twin.keeps[square] = self.keeps[square]
        for colour in range(2):
            twin.colours[colour] = self.colours[colour]
            twin.tallies[colour] = self.tallies[colour]
        for right in range(4):
            twin.rook_homes[right] = self.rook_homes[right]
            twin.castle_paths[right] = self.castle_paths[right]
            twin.castle_routes[right] = self.castle_routes[right]
        for rights in range(16):
            twin.castle_keys[rights] = self.castle_keys[rights]
        twin.occupied_squares = self.occupied_squares
        twin.key = self.key
        twin.side = self.side
        twin.castling = self.castling
        twin.ep = self.ep
        twin.ep_keyed = self.ep_keyed
        twin.halfmove = self.halfmove
        twin.fullmove = self.fullmove
        twin.is_chess960 = self.is_chess960
        twin.unsound = self.unsound
        twin.is_sound = self.is_sound
        twin.ply = 0
        while twin.capacity < self.ply:
            twin._grow()
        for i in range(self.ply * UNDO_WORDS):
            twin.undo[i] = self.undo[i]
        twin.ply = self.ply
        return twin

    def __copy__(self) -> Position:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the position at the bottom of the undo stack and the moves that led here."""
        root = self.copy()
        while root.ply:
            root.unmake()
        mailbox = [int(root.board[square]) for square in range(64)]
        homes = [int(root.rook_homes[right]) for right in range(4)]
        state = (mailbox, root.side, root.castling, homes, root.ep, root.halfmove, root.fullmove)
        return _revive, (state, bool(root.is_chess960), self.moves_made())

    def _require_sound(self) -> None:
        # Zero until set_up, so that a Position made without it cannot be played either.
        if not self.is_sound:
            raise ValueError(f"this position cannot be played: {INVARIANTS[self.unsound] or 'it was never set up'}")

    def __eq__(self, other: object) -> bool:
        """Equal in every field that `fields` names: the undo stack, and the homes of rights long lost, are not."""
        return isinstance(other, Position) and bool(self._same(other))

    def _same(self, other: Position) -> int:
        for square in range(64):
            if self.board[square] != other.board[square]:
                return 0
        for piece in range(12):
            if self.pieces[piece] != other.pieces[piece]:
                return 0
        for colour in range(2):
            if self.colours[colour] != other.colours[colour] or self.tallies[colour] != other.tallies[colour]:
                return 0
        for right in range(4):
            if self.castling >> right & 1 and self.rook_homes[right] != other.rook_homes[right]:
                return 0
        return (
            self.occupied_squares == other.occupied_squares
            and self.key == other.key
            and self.side == other.side
            and self.castling == other.castling
            and self.ep == other.ep
            and self.ep_keyed == other.ep_keyed
            and self.halfmove == other.halfmove
            and self.fullmove == other.fullmove
            and self.is_chess960 == other.is_chess960
        )

    __hash__ = None  # type: ignore[assignment]  # a mutable position must not be a dict key


def _revive(state: tuple[Any, ...], chess960: bool, moves: list[int]) -> Position:
    """Unpickle: set up, then play on. A forged pickle meets the same checks as any other caller."""
    position = Position()
    position.set_up(*state, chess960=chess960)
    for move in moves:
        if move == NO_MOVE:
            position.make_null()
        else:
            position.make(move)
    return position
