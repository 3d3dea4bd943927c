"""Features: which rules of chess the compared positions exercised, counted position by position.

position, its legal moves, the move that led to it ──FeatureCounter.see──▶ {feature: positions}

A feature counts the positions that show it: a rule is exercised where its moves are listed and
compared, or where it keeps moves from being listed, whether or not the walk goes on with one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from refute.board import Position, fen
from refute.board.constants import BISHOP, KNIGHT, PAWN, QUEEN
from refute.board.move import CAPTURE, DOUBLE_PUSH, EN_PASSANT, KING_CASTLE, PROMOTION, QUEEN_CASTLE
from refute.board.outcome import FIFTY_MOVES_PLIES, SEVENTYFIVE_MOVES_PLIES, is_dead
from refute.board.tables import BETWEEN, FILE_A, FILE_H, FILES, KING_ATTACKS, LINE, PAWN_ATTACKS, RANK_1
from refute.walk import Walk

CASTLES: Final = (
    "white castles king-side",
    "white castles queen-side",
    "black castles king-side",
    "black castles queen-side",
)
PROMOTIONS: Final = tuple(
    f"{way} to a {piece}"
    for way in ("promotion", "capture and promotion")
    for piece in ("knight", "bishop", "rook", "queen")
)
CHECKERS: Final = ("check by a pawn", "check by a knight", "check by a bishop", "check by a rook", "check by a queen")

STANDARD_FEATURES: Final = (
    *CASTLES,
    "castling barred: king in check",
    "castling barred: the king would pass an attacked square",
    "castling barred: the king would land on an attacked square",
    "castling barred: a man in the way",
    "castling although the rook is attacked",
    "castling although the rook passes an attacked square",
    "right lost by a king move",
    "right lost by a rook move",
    "right lost by a rook's capture",
    "right lost by a rook's capture by promotion",
    "rook takes rook and both sides lose a right",
    "double step beside an enemy pawn",
    "double step barred by a man on its second square",
    "en passant",
    "en passant by either of two pawns",
    "en passant as evasion",
    "en passant refused: another man gives check",
    "en passant refused: rank pin",
    "en passant refused: diagonal pin",
    "en passant refused: file pin",
    "en passant along a pin",
    "en passant square nobody can take on",
    *PROMOTIONS,
    *CHECKERS,
    "double check",
    "discovered check",
    "check by castling",
    "check by promotion",
    "check by en passant",
    "check met by stepping between",
    "check met by taking the checker",
    "king takes the checker",
    "king may not flee along the checker's line",
    "pinned man may not meet the check",
    "king may not take a protected man",
    "kings keep each other at a distance",
    "pin on a rank",
    "pin on a file",
    "pin on a diagonal",
    "pinned knight",
    "pinned pawn pushes along its pin",
    "pinned pawn takes along its pin",
    "pinned piece moves along its pin",
    "pinned piece takes the pinner",
    "checkmate",
    "stalemate",
    "only one legal move",
    "100 legal moves or more",
    "200 legal moves or more",
    "three queens or more",
    "insufficient material",
    "fifty moves without progress",
    "seventy-five moves without progress",
    "threefold repetition",
    "fivefold repetition",
)
CHESS960_FEATURES: Final = (
    "castling: the king stays",
    "castling: the rook stays",
    "castling: king and rook change places",
    "castling: the king lands on the rook's square",
    "castling: the rook lands on the king's square",
    "castling barred: the rook shields its king",
)
FEATURES: Final = STANDARD_FEATURES + CHESS960_FEATURES

SPECIAL: Final = 0x1000  # from here on a move is a double push, a castle, a capture, or promotes
CAPTURES: Final = 0x4000


def applicable_features(chess960: bool) -> tuple[str, ...]:
    """The features that a hunt can meet; without Chess960, castles in which a man stays are none."""
    return FEATURES if chess960 else STANDARD_FEATURES


class FeatureCounter:
    """Counts, for each feature, the positions that showed it.

    `counts` has every applicable feature from the beginning, so that what was never seen is shown as 0.
    """

    def __init__(self, *, chess960: bool = False) -> None:
        self.counts: dict[str, int] = dict.fromkeys(applicable_features(chess960), 0)
        self.chess960 = chess960

    def add(self, counts: Mapping[str, int]) -> None:
        """Add what another counter counted."""
        for name, count in counts.items():
            self.counts[name] = self.counts.get(name, 0) + count

    def never_seen(self) -> list[str]:
        """The features no position has shown yet."""
        return [name for name, count in self.counts.items() if count == 0]

    def rarest(self) -> str:
        """The feature seen least often; the first in the order of FEATURES when several are."""
        return min(self.counts, key=self.counts.__getitem__)

    def see_walk(self, walk: Walk) -> None:
        """Count every position of a walk."""
        position = fen.parse(walk.fen, chess960=walk.chess960)
        self.see(position, position.legal_moves())
        for text in walk.moves:
            move = position.make_uci(text)
            self.see(position, position.legal_moves(), played=move)

    def see(self, position: Position, moves: list[int], *, played: int | None = None) -> None:
        """Count one position: its legal moves, and the move just played to reach it, if any.

        Repetitions are known from the moves made on this Position object.
        """
        counts = self.counts
        turn = position.turn
        king = position.king(turn)
        flags = {move >> 12 for move in moves if move >= SPECIAL}
        for flag in flags:
            if flag >= PROMOTION:
                counts[PROMOTIONS[flag - PROMOTION]] += 1
            elif flag in (KING_CASTLE, QUEEN_CASTLE):
                counts[CASTLES[2 * turn + flag - KING_CASTLE]] += 1
        checkers = position.checkers()
        pinned = position.pinned()
        if position.castling:
            self._see_rights(position, moves, flags, king, checkers)
        if position.en_passant is not None:
            self._see_en_passant(position, moves, king, checkers, pinned)
        if checkers:
            self._see_check(position, moves, king, checkers, pinned, played)
        if pinned:
            self._see_pins(position, moves, king, pinned)
        pawns = position.bitboard(PAWN + 6 * turn)
        if pawns:
            self._see_double_steps(position, moves, flags, pawns & ~pinned, checkers)
        self._see_king(position, king)
        self._see_ending(position, len(moves), checkers)

    def _see_rights(self, position: Position, moves: list[int], flags: set[int], king: int, checkers: int) -> None:
        counts = self.counts
        turn = position.turn
        homes = enemy_homes = 0
        for right in range(4):
            home = position.rook_home(right)
            if home is None:
                continue
            if right >> 1 == turn:
                homes |= 1 << home
                self._see_castle(position, KING_CASTLE + (right & 1) in flags, king, home, right, checkers)
            else:
                enemy_homes |= 1 << home
        if homes:
            sources = {move >> 6 & 63 for move in moves if move >> 13 != KING_CASTLE >> 1}
            counts["right lost by a king move"] += king in sources
            counts["right lost by a rook move"] += any(homes >> source & 1 for source in sources)
        if enemy_homes:
            takers = [move for move in moves if move & CAPTURES and enemy_homes >> (move & 63) & 1]
            if takers:
                counts["right lost by a rook's capture"] += any(move >> 12 == CAPTURE for move in takers)
                counts["right lost by a rook's capture by promotion"] += any(move >= 0x8000 for move in takers)
                counts["rook takes rook and both sides lose a right"] += any(
                    homes >> (move >> 6 & 63) & 1 for move in takers
                )

    def _see_castle(self, position: Position, legal: bool, king: int, home: int, right: int, checkers: int) -> None:
        """One right of the side to move: what bars the castle, or what does not although it might seem to."""
        counts = self.counts
        enemy = 1 - position.turn
        path, passes, lands, rook_passes, rook_lands = castle_squares(king, home, right)
        if legal:
            counts["castling although the rook is attacked"] += position.is_attacked(home, enemy)
            counts["castling although the rook passes an attacked square"] += any(
                position.is_attacked(square, enemy) for square in rook_passes
            )
            if self.chess960:
                self._see_chess960_castle(king, home, lands, rook_lands)
        elif path & position.occupancy():
            counts["castling barred: a man in the way"] += not checkers
        elif checkers:
            counts["castling barred: king in check"] += 1
        else:
            passing = any(position.is_attacked(square, enemy) for square in passes)
            landing = lands != king and position.is_attacked(lands, enemy)
            counts["castling barred: the king would pass an attacked square"] += passing
            counts["castling barred: the king would land on an attacked square"] += landing
            if self.chess960:
                counts["castling barred: the rook shields its king"] += not passing and not landing

    def _see_chess960_castle(self, king: int, home: int, lands: int, rook_lands: int) -> None:
        counts = self.counts
        counts["castling: the king stays"] += lands == king
        counts["castling: the rook stays"] += rook_lands == home
        swap = lands == home and rook_lands == king
        counts["castling: king and rook change places"] += swap
        counts["castling: the king lands on the rook's square"] += lands == home and not swap
        counts["castling: the rook lands on the king's square"] += rook_lands == king and not swap

    def _see_en_passant(self, position: Position, moves: list[int], king: int, checkers: int, pinned: int) -> None:
        counts = self.counts
        turn = position.turn
        target = position.en_passant
        assert target is not None
        sources = [move >> 6 & 63 for move in moves if move >> 12 == EN_PASSANT]
        refused = PAWN_ATTACKS[(1 - turn) * 64 + target] & position.bitboard(PAWN + 6 * turn)
        if sources:
            counts["en passant"] += 1
            counts["en passant by either of two pawns"] += len(sources) == 2
            counts["en passant as evasion"] += checkers != 0
            counts["en passant along a pin"] += any(pinned >> source & 1 for source in sources)
            for source in sources:
                refused &= ~(1 << source)
        else:
            counts["en passant square nobody can take on"] += 1
        while refused:
            taker = (refused & -refused).bit_length() - 1
            refused &= refused - 1
            if checkers & ~(1 << (target ^ 8)):
                counts["en passant refused: another man gives check"] += 1
            elif king >> 3 == taker >> 3:
                counts["en passant refused: rank pin"] += 1
            elif king & 7 == taker & 7:
                counts["en passant refused: file pin"] += 1
            else:
                counts["en passant refused: diagonal pin"] += 1

    def _see_check(
        self, position: Position, moves: list[int], king: int, checkers: int, pinned: int, played: int | None
    ) -> None:
        counts = self.counts
        enemy = 1 - position.turn
        for checker in squares_of(checkers):
            kind = position.piece_at(checker) - 6 * enemy
            counts[CHECKERS[kind]] += 1
            if BISHOP <= kind <= QUEEN:
                # The squares behind the king, that nothing attacks while it stands before them.
                behind = KING_ATTACKS[king] & LINE[king * 64 + checker] & ~position.occupied(1 - enemy)
                behind &= ~(BETWEEN[king * 64 + checker] | 1 << checker)
                barred = any(not position.is_attacked(square, enemy) for square in squares_of(behind))
                counts["king may not flee along the checker's line"] += barred
        if played is not None:
            flag, target = played >> 12, played & 63
            if flag in (KING_CASTLE, QUEEN_CASTLE):
                counts["check by castling"] += 1
            else:
                counts["discovered check"] += checkers & ~(1 << target) != 0
                counts["check by promotion"] += flag >= PROMOTION and checkers >> target & 1
                counts["check by en passant"] += flag == EN_PASSANT
        if checkers & (checkers - 1):
            counts["double check"] += 1
            return
        between = BETWEEN[king * 64 + checkers.bit_length() - 1]
        answers = [(move >> 6 & 63, 1 << (move & 63)) for move in moves if move >> 12 != EN_PASSANT]
        counts["king takes the checker"] += (king, checkers) in answers
        counts["check met by stepping between"] += any(target & between and s != king for s, target in answers)
        counts["check met by taking the checker"] += any(target == checkers and s != king for s, target in answers)
        if pinned:
            counts["pinned man may not meet the check"] += any(
                pinned >> (move >> 6 & 63) & 1 and (between | checkers) >> (move & 63) & 1
                for move in position.pseudo_legal_moves()
            )

    def _see_pins(self, position: Position, moves: list[int], king: int, pinned: int) -> None:
        counts = self.counts
        knight = KNIGHT + 6 * position.turn
        rank = pinned & RANK_1 << (king & 56)
        file = pinned & FILES[king]
        counts["pin on a rank"] += rank != 0
        counts["pin on a file"] += file != 0
        counts["pin on a diagonal"] += pinned != rank | file
        counts["pinned knight"] += pinned & position.bitboard(knight) != 0
        mobile = [move for move in moves if pinned >> (move >> 6 & 63) & 1 and move >> 12 != EN_PASSANT]
        if mobile:
            pawns = position.bitboard(PAWN + 6 * position.turn)
            by_pawn = {move & CAPTURES for move in mobile if pawns >> (move >> 6 & 63) & 1}
            by_piece = {move & CAPTURES for move in mobile if not pawns >> (move >> 6 & 63) & 1}
            counts["pinned pawn pushes along its pin"] += 0 in by_pawn
            counts["pinned pawn takes along its pin"] += CAPTURES in by_pawn
            counts["pinned piece moves along its pin"] += 0 in by_piece
            counts["pinned piece takes the pinner"] += CAPTURES in by_piece

    def _see_double_steps(
        self, position: Position, moves: list[int], flags: set[int], free_pawns: int, checkers: int
    ) -> None:
        turn = position.turn
        if DOUBLE_PUSH in flags:
            pawns = position.bitboard(PAWN + 6 * (1 - turn))
            beside = pawns << 1 & ~FILE_A | pawns >> 1 & ~FILE_H
            self.counts["double step beside an enemy pawn"] += any(
                beside >> (move & 63) & 1 for move in moves if move >> 12 == DOUBLE_PUSH
            )
        if checkers:
            return
        occupied = position.occupancy()
        if turn == 0:
            barred = ((free_pawns & RANK_1 << 8) << 8 & ~occupied) << 8 & occupied
        else:
            barred = ((free_pawns & RANK_1 << 48) >> 8 & ~occupied) >> 8 & occupied
        self.counts["double step barred by a man on its second square"] += barred != 0

    def _see_king(self, position: Position, king: int) -> None:
        """What the enemy king and protected men keep the king from; attackers see through nothing here."""
        counts = self.counts
        enemy = 1 - position.turn
        prey = KING_ATTACKS[king] & position.occupied(enemy)
        if prey:
            counts["king may not take a protected man"] += any(
                position.is_attacked(square, enemy) for square in squares_of(prey)
            )
        rival = position.king(enemy)
        contested = KING_ATTACKS[king] & KING_ATTACKS[rival] & ~position.occupancy()
        if contested:
            counts["kings keep each other at a distance"] += any(
                position.attackers(square, enemy) == 1 << rival for square in squares_of(contested)
            )

    def _see_ending(self, position: Position, count: int, checkers: int) -> None:
        counts = self.counts
        if count <= 1:
            if count:
                counts["only one legal move"] += 1
            elif checkers:
                counts["checkmate"] += 1
            else:
                counts["stalemate"] += 1
        elif count >= 100:
            counts["100 legal moves or more"] += 1
            counts["200 legal moves or more"] += count >= 200
        queens = position.bitboard(QUEEN), position.bitboard(QUEEN + 6)
        counts["three queens or more"] += queens[0].bit_count() > 2 or queens[1].bit_count() > 2
        if not any(queens):
            counts["insufficient material"] += is_dead(position)
        halfmove = position.halfmove
        if halfmove >= FIFTY_MOVES_PLIES:
            counts["fifty moves without progress"] += 1
            counts["seventy-five moves without progress"] += halfmove >= SEVENTYFIVE_MOVES_PLIES
        # A position comes back every fourth ply at the soonest.
        if halfmove >= 8 and position.ply >= 8:
            times = position.repetitions()
            counts["threefold repetition"] += times >= 3
            counts["fivefold repetition"] += times >= 5


@lru_cache(maxsize=1024)
def castle_squares(king: int, home: int, right: int) -> tuple[int, tuple[int, ...], int, tuple[int, ...], int]:
    """Of a castle: what must be empty, what the king passes, where it lands, what only the rook passes, its landing.

    >>> castle_squares(4, 0, 1)
    (14, (3,), 2, (1,), 3)
    """
    rank = 56 * (right >> 1)
    lands = rank + (2 if right & 1 else 6)
    rook_lands = rank + (3 if right & 1 else 5)
    route = BETWEEN[king * 64 + lands] | 1 << lands
    rook_route = BETWEEN[home * 64 + rook_lands] | 1 << rook_lands
    men = 1 << king | 1 << home
    path = (route | rook_route | BETWEEN[king * 64 + home]) & ~men
    passes = tuple(squares_of(route & ~(1 << lands | 1 << king)))
    return path, passes, lands, tuple(squares_of(rook_route & ~(route | men))), rook_lands


def squares_of(bits: int) -> Iterable[int]:
    """The squares of a set, lowest first."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
