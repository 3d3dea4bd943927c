"""The planted faults: real mistakes of engine authors, each a small named edit of the board's source.

Data and nothing else; `refute.engines.faulty` plants them. An edit is a patch: lines to take out (-), to put
in (+), and around them as many others as it takes to find the place, at whatever indentation. The board
generates moves in two ways and counts replies in a third, and compares them with each other; where the
real mistake would sit in an engine's only generator, the patch touches whatever these share, or each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Planted:
    """A fault by name: what the mistake is, where it is planted, and what a hunt must say of it."""

    name: str
    class_: str
    what: str  # one sentence: the mistake as an engine's author makes it
    module: str  # the module of refute.board that is edited
    patch: str
    shows: tuple[str, ...]  # as what it may first be found: facet/verdict, each a value of its enum
    chess960: bool = False  # no walk of standard chess can show it
    path: bool = False  # no FEN alone shows it: moves must be made first
    fewest: int = 0  # where only a longer game shows it: the fewest moves that any walk could have

    @property
    def facets(self) -> frozenset[str]:
        """Where it may first show."""
        return frozenset(shown.split("/")[0] for shown in self.shows)

    @property
    def verdicts(self) -> frozenset[str]:
        """Where the fault truly lies; one place, for nearly all."""
        return frozenset(shown.split("/")[1] for shown in self.shows)


ATTACKS: Final = "attacks"
PAWNS: Final = "pawns"
EN_PASSANT: Final = "en passant"
CASTLING: Final = "castling"
PROMOTION: Final = "promotion"
EVASIONS: Final = "evasions"
MAKE: Final = "make and unmake"
NULL: Final = "null move"
KEY: Final = "key"
CLOCKS: Final = "clocks"
MOVE_LIST: Final = "move list"
FEN: Final = "FEN"
OUTCOME: Final = "outcome"
HISTORY: Final = "history"

PLANTED: Final = (
    # ---------------------------------------------------------------- attacks
    Planted(
        "knight-wraps-around",
        ATTACKS,
        "The knight table is built from shifts, and the shifts by 17 have lost their file masks.",
        "tables",
        """
        - KNIGHT_ATTACKS: Final = [leap(s, KNIGHT_STEPS) for s in SQUARES]
        + KNIGHT_ATTACKS: Final = [leap(s, KNIGHT_STEPS) | (1 << s << 17 | 1 << s >> 17) & ALL for s in SQUARES]
        """,
        ("moves/movegen", "check/movegen", "invariants/movegen"),
    ),
    Planted(
        "king-wraps-around",
        ATTACKS,
        "The king table is built from shifts, and the shifts by one have lost their file masks.",
        "tables",
        """
        - KING_ATTACKS: Final = [leap(s, ROOK_STEPS + BISHOP_STEPS) for s in SQUARES]
        + KING_ATTACKS: Final = [leap(s, ROOK_STEPS + BISHOP_STEPS) | (2 << s | 1 << s >> 1) & ALL for s in SQUARES]
        """,
        ("moves/movegen", "invariants/movegen"),
    ),
    Planted(
        "rook-mask-without-own-edge",
        ATTACKS,
        "The blocker mask drops all four edges, so that a rook on an edge does not see the men along it.",
        "_interpreted",
        """
        - ROOK_MASKS: Final = tables.ROOK_MASKS
        + ROOK_MASKS: Final = [mask & 0x007E7E7E7E7E7E00 for mask in tables.ROOK_MASKS]
        """,
        ("moves/movegen", "check/movegen", "invariants/movegen"),
    ),
    Planted(
        "slider-stops-short",
        ATTACKS,
        "A ray ends before its first blocker instead of on it, so that sliders neither capture nor protect.",
        "_interpreted",
        """
        - seen = self[blockers] = self.attacks(self.square, blockers)
        + seen = self[blockers] = self.attacks(self.square, blockers) & ~blockers
        """,
        ("moves/movegen", "check/movegen", "invariants/movegen"),
    ),
    Planted(
        "wrong-magic",
        ATTACKS,
        "The magic number for a rook on d4 has one digit wrong, and arrangements of blockers share their entries.",
        "_interpreted",
        """
          BISHOP_MASKS: Final = tables.BISHOP_MASKS
        + SHARED: Final[dict[int, int]] = {}
        + for _blockers in magics.subsets(ROOK_MASKS[27]):
        +     _at = (_blockers * (magics.ROOK_MAGICS[27] ^ 0xF00) & ALL) >> 64 - ROOK_MASKS[27].bit_count()
        +     SHARED[_at] = tables.classical_rook(27, _blockers)

        - from refute.board import tables
        + from refute.board import magics, tables

        - return ROOK_SLIDES[square][occupied & ROOK_MASKS[square]]
        + if square == 27:
        +     mask = ROOK_MASKS[27]
        +     return SHARED[slider_index(occupied, mask, magics.ROOK_MAGICS[27] ^ 0xF00, 64 - mask.bit_count())]
        + return ROOK_SLIDES[square][occupied & ROOK_MASKS[square]]
        """,
        ("moves/movegen", "check/movegen", "invariants/movegen"),
    ),
    Planted(
        "rook-mask-misses-square",
        ATTACKS,
        "A blocker mask typed in by hand misses one square: a rook on d4 does not notice a man on d6.",
        "_interpreted",
        """
        - ROOK_MASKS: Final = tables.ROOK_MASKS
        + ROOK_MASKS: Final = [tables.ROOK_MASKS[s] & ~(1 << 43 if s == 27 else 0) for s in tables.SQUARES]
        """,
        ("moves/movegen", "check/movegen", "invariants/movegen"),
    ),
    Planted(
        "kings-may-touch",
        ATTACKS,
        "The enemy king is left out of the attack map, because a king never gives check.",
        "_core",
        """
        - | KING_ATTACKS[square] & pieces[theirs + KING]

        - danger |= KING_ATTACKS[first(pieces[theirs + KING])]
        """,
        ("moves/movegen",),
    ),
    Planted(
        "king-takes-protected-man",
        ATTACKS,
        "The attack map leaves out squares of the attacker's own men, so that a protected man may be taken.",
        "_core",
        """
        - return danger
        + return danger & ~self.colours[by]
        """,
        ("moves/movegen",),
    ),
    Planted(
        "king-shields-its-retreat",
        ATTACKS,
        "The attack map is made with the king still on its square, so that it may step back along the checking ray.",
        "_core",
        """
        - danger = self._danger(zone, them, occupied ^ ONE << king)
        + danger = self._danger(zone, them, occupied)
        """,
        ("moves/movegen",),
    ),
    # ---------------------------------------------------------------- pawns
    Planted(
        "double-push-through-man",
        PAWNS,
        "Two steps look only at the square of arrival, not at the one passed over.",
        "_core",
        """
        - doubles = (singles & RANK_3) << 8 & ~occupied & allowed
        + doubles = (pushers << 8 & RANK_3) << 8 & ~occupied & allowed

        - doubles = (singles & RANK_6) >> 8 & ~occupied & allowed
        + doubles = (pushers >> 8 & RANK_6) >> 8 & ~occupied & allowed

        -     if source >> 3 == (1 if us == WHITE else 6):
        -         step = source + 16 if us == WHITE else source - 16
        -         if not occupied >> step & 1:
        -             n = self._emit_pawns(out, n, ONE << step, source - step, 1)
        + if source >> 3 == (1 if us == WHITE else 6):
        +     step = source + 16 if us == WHITE else source - 16
        +     if not occupied >> step & 1:
        +         n = self._emit_pawns(out, n, ONE << step, source - step, 1)
        """,
        ("moves/movegen",),
    ),
    Planted(
        "double-push-onto-man",
        PAWNS,
        "Two steps look only at the square passed over, and capture straight ahead.",
        "_core",
        """
        - doubles = (singles & RANK_3) << 8 & ~occupied & allowed
        + doubles = (singles & RANK_3) << 8 & allowed

        - doubles = (singles & RANK_6) >> 8 & ~occupied & allowed
        + doubles = (singles & RANK_6) >> 8 & allowed
        """,
        ("moves/movegen",),
    ),
    Planted(
        "double-push-from-wrong-rank",
        PAWNS,
        "Black's pawns take two steps from the sixth rank, as if ranks were counted from one.",
        "_core",
        """
        - RANK_6 = tables.RANK_6
        + RANK_6 = tables.RANK_6 >> 8

        - if source >> 3 == (1 if us == WHITE else 6):
        + if source >> 3 == (1 if us == WHITE else 5):
        """,
        ("moves/movegen",),
    ),
    Planted(
        "pawn-capture-wraps-around",
        PAWNS,
        "The mask that keeps pawns on the a file from capturing to the left is missing.",
        "tables",
        """
        - NOT_FILE_A: Final = ALL ^ FILE_A
        + NOT_FILE_A: Final = ALL
        """,
        ("moves/movegen",),
    ),
    Planted(
        "edge-pawn-cannot-capture",
        PAWNS,
        "Both capture directions are masked with both edges, so that pawns on the a and h files never take.",
        "_core",
        """
        - NOT_FILE_A = tables.NOT_FILE_A
        - NOT_FILE_H = tables.NOT_FILE_H
        + NOT_FILE_A = tables.NOT_FILE_A & tables.NOT_FILE_H
        + NOT_FILE_H = tables.NOT_FILE_A & tables.NOT_FILE_H
        """,
        ("moves/movegen",),
    ),
    # ---------------------------------------------------------------- en passant
    Planted(
        "en-passant-rank-pin",
        EN_PASSANT,
        "Only the taking pawn is looked at for pins; that the victim leaves the rank as well is forgotten.",
        "_core",
        """
        - occupied = (self.occupied_squares ^ victim ^ ONE << source) | ONE << self.ep
        + occupied = (self.occupied_squares ^ ONE << source) | ONE << self.ep
        """,
        ("moves/movegen",),
    ),
    Planted(
        "en-passant-diagonal-pin",
        EN_PASSANT,
        "The rank is looked along after an en passant capture, the diagonals that it opens are not.",
        "_core",
        """
        - return 0 if self._attackers(first(kings), us ^ 1, occupied) & ~victim else 1
        + king = first(kings)
        + opened = bishop_attacks(king, occupied) & ~bishop_attacks(king, self.occupied_squares)
        + return 0 if self._attackers(king, us ^ 1, occupied) & ~victim & ~opened else 1
        """,
        ("moves/movegen",),
    ),
    Planted(
        "en-passant-not-as-evasion",
        EN_PASSANT,
        "A pawn that checks by its double push cannot be taken en passant: the capture lands beside the checker.",
        "_core",
        """
        - return 0 if self._attackers(first(kings), us ^ 1, occupied) & ~victim else 1
        + return 0 if self._attackers(first(kings), us ^ 1, occupied) else 1
        """,
        ("moves/movegen",),
    ),
    Planted(
        "en-passant-in-any-check",
        EN_PASSANT,
        "En passant is generated apart from the evasions and allowed whatever the check is.",
        "_core",
        """
        - return 0 if self._attackers(first(kings), us ^ 1, occupied) & ~victim else 1
        + king = first(kings)
        + checkers = self._attackers(king, us ^ 1, self.occupied_squares)
        + return 0 if self._attackers(king, us ^ 1, occupied) & ~victim & ~checkers else 1
        """,
        ("moves/movegen",),
    ),
    Planted(
        "en-passant-wraps-around",
        EN_PASSANT,
        "The takers are the pawns one square left and right of the victim, counted past the edge of the board.",
        "_core",
        """
        - takers = PAWN_ATTACKS[(us ^ 1) * 64 + self.ep] & self.pieces[us * 6]
        + takers = (ONE << (self.ep ^ 8) + 1 | ONE << (self.ep ^ 8) - 1) & self.pieces[us * 6]

        - men = PAWN_ATTACKS[them * 64 + self.ep] & pawns
        + men = (ONE << (self.ep ^ 8) + 1 | ONE << (self.ep ^ 8) - 1) & pawns

        - if self.ep != NO_SQUARE and PAWN_ATTACKS[us * 64 + source] >> self.ep & 1:
        + if self.ep != NO_SQUARE and abs(source - (self.ep ^ 8)) == 1:
        """,
        ("moves/movegen",),
    ),
    Planted(
        "en-passant-from-any-file",
        EN_PASSANT,
        "Every pawn on the victim's rank may take it, as if any two files were neighbours.",
        "_core",
        """
        - takers = PAWN_ATTACKS[(us ^ 1) * 64 + self.ep] & self.pieces[us * 6]
        + takers = (0xFF << (self.ep & 56 ^ 8)) & self.pieces[us * 6]

        - men = PAWN_ATTACKS[them * 64 + self.ep] & pawns
        + men = (0xFF << (self.ep & 56 ^ 8)) & pawns

        - if self.ep != NO_SQUARE and PAWN_ATTACKS[us * 64 + source] >> self.ep & 1:
        + if self.ep != NO_SQUARE and source >> 3 == (self.ep ^ 8) >> 3:
        """,
        ("moves/movegen",),
    ),
    Planted(
        "en-passant-victim-stays",
        EN_PASSANT,
        "The captured pawn is looked for on the square of arrival, finds none there, and stays.",
        "_core",
        """
        - self._remove(captured, target ^ 8)

        - self._place(captured, target ^ 8)

                  route &= route - 1
        + if move >> 12 == 5:
        +     return self._is_legal_en_passant(move >> 6 & 63, us)

        - pieces[(us ^ 1) * 6] ^= victim
        - self.colours[us ^ 1] ^= victim

        - self.occupied_squares ^= leave | arrive | victim
        + self.occupied_squares ^= leave | arrive
        """,
        ("moves/make", "check/make", "fen/make", "invariants/make"),
        path=True,
    ),
    Planted(
        "en-passant-removes-wrong-square",
        EN_PASSANT,
        "The victim is taken off one rank below the square of arrival, whichever side takes.",
        "_core",
        """
        - self._remove(captured, target ^ 8)
        + self._remove(captured, target - 8)
        """,
        ("invariants/make",),
    ),
    Planted(
        "en-passant-square-not-cleared",
        EN_PASSANT,
        "The en passant square outlives the move after the double push.",
        "_core",
        """
              self.ep_keyed = 0
        - self.ep = NO_SQUARE
          # From *and* to: a captured rook may be the one that still carried a right.
        """,
        ("invariants/make",),
    ),
    # ---------------------------------------------------------------- castling
    Planted(
        "castle-through-attack",
        CASTLING,
        "Only the square the king arrives on is tested, not those it passes over.",
        "_core",
        """
        - self.castle_routes[right] = route
        + self.castle_routes[right] = ONE << king_to
        """,
        ("moves/movegen",),
    ),
    Planted(
        "castle-out-of-check",
        CASTLING,
        "The king's own square is not tested.",
        "_core",
        """
        - if checkers == 0 and self.castling & 3 << 2 * us:
        + if self.castling & 3 << 2 * us:

        - route = self.castle_routes[2 * us + (move >> 12 & 1)] | ONE << (move >> 6 & 63)
        + route = self.castle_routes[2 * us + (move >> 12 & 1)]
        """,
        ("moves/movegen",),
    ),
    Planted(
        "castle-into-check",
        CASTLING,
        "The squares passed over are tested, the one the king arrives on is left to a test that never comes.",
        "_core",
        """
        - self.castle_routes[right] = route
        + self.castle_routes[right] = BETWEEN[king * 64 + king_to]
        """,
        ("moves/movegen",),
    ),
    Planted(
        "castle-over-b-file",
        CASTLING,
        "Only the king's way has to be empty; a man on b1 does not stop the rook.",
        "_core",
        """
        - path = route | BETWEEN[home * 64 + rook_to] | ONE << rook_to | BETWEEN[king * 64 + home]
        + path = route | ONE << rook_to
        """,
        ("moves/movegen",),
    ),
    Planted(
        "castle-over-men",
        CASTLING,
        "The right and the attacks are tested, and nobody looks whether a man stands between king and rook.",
        "_core",
        """
        - path = route | BETWEEN[home * 64 + rook_to] | ONE << rook_to | BETWEEN[king * 64 + home]
        + path = 0
        """,
        ("moves/movegen",),
    ),
    Planted(
        "right-kept-after-rook-capture",
        CASTLING,
        "Rights are lost by the square moved from only, so that a rook captured at home keeps its right.",
        "_core",
        """
        - self.castling &= self.keeps[source] & self.keeps[target]
        + self.castling &= self.keeps[source]

        - self.castling = castling & self.keeps[move >> 6 & 63] & self.keeps[move & 63]
        + self.castling = castling & self.keeps[move >> 6 & 63]
        """,
        ("invariants/make",),
    ),
    Planted(
        "right-kept-after-promotion-capture",
        CASTLING,
        "Promotions are made by code of their own, which forgets that the captured rook had a right.",
        "_core",
        """
        - self.castling &= self.keeps[source] & self.keeps[target]
        + self.castling &= self.keeps[source] & (15 if flag & 8 else self.keeps[target])
        """,
        ("invariants/make",),
    ),
    Planted(
        "right-kept-after-king-move",
        CASTLING,
        "Only castling itself and rook moves lose rights; a king that walks keeps them.",
        "_core",
        """
        - self.castling &= self.keeps[source] & self.keeps[target]
        + self.castling &= (15 if piece == us * 6 + KING and not flag & 2 else self.keeps[source]) & self.keeps[target]
        """,
        ("invariants/make",),
    ),
    Planted(
        "right-kept-after-rook-move",
        CASTLING,
        "A rook that leaves home keeps its right.",
        "_core",
        """
        - self.castling &= self.keeps[source] & self.keeps[target]
        + self.castling &= (15 if piece == us * 6 + ROOK else self.keeps[source]) & self.keeps[target]
        """,
        ("invariants/make",),
    ),
    Planted(
        "right-regained",
        CASTLING,
        "Rights are read off the board: a rook that comes home to its king may castle again.",
        "_core",
        """
          self.castling &= self.keeps[source] & self.keeps[target]
        + for right in range(2 * us, 2 * us + 2):
        +     at_home = not self.keeps[first(self.pieces[us * 6 + KING])] >> right & 1
        +     if piece == us * 6 + ROOK and target == self.rook_homes[right] and at_home:
        +         self.castling |= 1 << right
        """,
        ("moves/make", "fen/make"),
        path=True,
    ),
    Planted(
        "castle-leaves-rook",
        CASTLING,
        "The king castles and the rook stays where it was.",
        "_core",
        """
        - self._remove(us * 6 + ROOK, target)

        - self._place(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))

        - self._remove(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))

        - self._place(us * 6 + ROOK, target)

        - rook = arrive ^ ONE << (us * 56 + (5 if flag == 2 else 3))
        + rook = 0
        """,
        ("moves/make", "check/make", "fen/make"),
        path=True,
    ),
    Planted(
        "chess960-rook-path",
        CASTLING,
        "The king's way and the squares between king and rook must be empty, the rook's way need not be.",
        "_core",
        """
        - path = route | BETWEEN[home * 64 + rook_to] | ONE << rook_to | BETWEEN[king * 64 + home]
        + path = route | BETWEEN[king * 64 + home]
        """,
        ("moves/movegen",),
        chess960=True,
    ),
    Planted(
        "chess960-unmasked-attacker",
        CASTLING,
        "A rook that shields its king along the rank may castle away and leave the king in check.",
        "_core",
        """
        - if castles & 1 and not (self.castle_routes[2 * us] & danger or pinned >> self.rook_homes[2 * us] & 1):
        + if castles & 1 and not (self.castle_routes[2 * us] & danger):

        - self.castle_routes[2 * us + 1] & danger or pinned >> self.rook_homes[2 * us + 1] & 1
        + self.castle_routes[2 * us + 1] & danger
        """,
        ("moves/movegen",),
        chess960=True,
    ),
    Planted(
        "chess960-king-lands-on-rook",
        CASTLING,
        "The king arrives before the rook has left, and is wiped out with it where they share a square.",
        "_core",
        """
          self._remove(us * 6 + KING, source)
        + self._place(us * 6 + KING, us * 56 + (6 if flag == 2 else 2))

        - self._place(us * 6 + KING, us * 56 + (6 if flag == 2 else 2))
        """,
        ("invariants/make",),
        chess960=True,
    ),
    # ---------------------------------------------------------------- promotion
    Planted(
        "missing-underpromotion",
        PROMOTION,
        "Pawns promote to queen, rook and bishop; the knight is forgotten.",
        "_core",
        """
        - n += 3 * (popcount(singles & BACK_RANKS) + popcount(lefts & BACK_RANKS) + popcount(rights & BACK_RANKS))
        + n += 2 * (popcount(singles & BACK_RANKS) + popcount(lefts & BACK_RANKS) + popcount(rights & BACK_RANKS))

        - out[n + 3] = (flag | 8) << 12 | base
        - n += 4
        + n += 3
        """,
        ("moves/movegen",),
    ),
    Planted(
        "promotion-capture-stays-pawn",
        PROMOTION,
        "Captures are generated apart from pushes, and on the last rank they do not promote.",
        "_core",
        """
        - n += 3 * (popcount(singles & BACK_RANKS) + popcount(lefts & BACK_RANKS) + popcount(rights & BACK_RANKS))
        + n += 3 * (popcount(singles & BACK_RANKS))

        - if BACK_RANKS >> target & 1:
        + if BACK_RANKS >> target & 1 and not flag:
        """,
        ("moves/movegen",),
    ),
    Planted(
        "promotion-capture-only-queen",
        PROMOTION,
        "A capture on the last rank promotes to a queen only.",
        "_core",
        """
        - n += 3 * (popcount(singles & BACK_RANKS) + popcount(lefts & BACK_RANKS) + popcount(rights & BACK_RANKS))
        + n += 3 * (popcount(singles & BACK_RANKS))

        - n += 4
        + n += 1 if flag else 4
        """,
        ("moves/movegen",),
    ),
    Planted(
        "promotion-always-queen",
        PROMOTION,
        "The list offers four promotions, and make turns each into a queen.",
        "_core",
        """
        - self._place(us * 6 + KNIGHT + (flag & 3), target)
        + self._place(us * 6 + QUEEN, target)

        - self._remove(us * 6 + KNIGHT + (flag & 3), target)
        + self._remove(us * 6 + QUEEN, target)

        - pieces[us * 6 + KNIGHT + (flag & 3)] ^= arrive
        + pieces[us * 6 + QUEEN] ^= arrive
        """,
        ("moves/make", "check/make", "fen/make"),
        path=True,
    ),
    Planted(
        "promotion-not-undone",
        PROMOTION,
        "Taking a promotion back brings the promoted piece to the seventh rank instead of the pawn.",
        "_core",
        """
        - self._place(us * 6 + PAWN, source)
        + self._place(us * 6 + KNIGHT + (flag & 3), source)
        """,
        ("restore/unmake",),
    ),
    Planted(
        "promotion-capture-not-undone",
        PROMOTION,
        "Taking a capturing promotion back does not bring the captured man back.",
        "_core",
        """
        - if flag & 4:
        -     self._place(captured, target)
        """,
        ("restore/unmake",),
    ),
    Planted(
        "promotion-keyed-as-pawn",
        PROMOTION,
        "The key is updated as if the pawn itself had moved to the last rank.",
        "_core",
        """
          self._place(us * 6 + KNIGHT + (flag & 3), target)
        + self.key ^= PIECE_KEYS[(us * 6 + KNIGHT + (flag & 3)) * 64 + target]
        + self.key ^= PIECE_KEYS[us * 6 * 64 + target]
        """,
        ("key/hash",),
    ),
    # ---------------------------------------------------------------- evasions
    Planted(
        "double-check-as-single",
        EVASIONS,
        "Two checkers are treated as one, and a man other than the king may take or block either.",
        "_core",
        """
        - if several(checkers):
        -     return n
        """,
        ("moves/movegen",),
    ),
    Planted(
        "checker-cannot-be-taken",
        EVASIONS,
        "A check is answered by stepping between or by the king, never by taking the checker.",
        "_core",
        """
        - allowed &= BETWEEN[king * 64 + first(checkers)] | checkers
        + allowed &= BETWEEN[king * 64 + first(checkers)]
        """,
        ("moves/movegen",),
    ),
    Planted(
        "check-cannot-be-blocked",
        EVASIONS,
        "A check is answered by taking the checker or by the king, never by stepping between.",
        "_core",
        """
        - allowed &= BETWEEN[king * 64 + first(checkers)] | checkers
        + allowed &= checkers
        """,
        ("moves/movegen",),
    ),
    Planted(
        "pinned-defender-answers-check",
        EVASIONS,
        "The evasions are generated without the pins: a pinned man may take the checker or step between.",
        "_core",
        """
          allowed &= BETWEEN[king * 64 + first(checkers)] | checkers
        + pinned = 0
        """,
        ("moves/movegen",),
    ),
    Planted(
        "pinned-man-frozen",
        EVASIONS,
        "A pinned slider may not move at all, not even along its pin.",
        "_core",
        """
        - if pinned and checkers == 0:
        + if pinned and checkers:
        """,
        ("moves/movegen",),
    ),
    Planted(
        "diagonal-pins-forgotten",
        EVASIONS,
        "Pins are looked for along ranks and files only.",
        "_core",
        """
        - pinned |= blockers & own
        + pinned |= blockers & own & ROOK_RAYS[king]
        """,
        ("moves/movegen",),
    ),
    Planted(
        "pinned-pawn-pushes",
        EVASIONS,
        "Pins stop a pawn's captures and not its pushes.",
        "_core",
        """
        - pushers = free | pawns & FILES[king]
        + pushers = pawns
        """,
        ("moves/movegen",),
    ),
    # ---------------------------------------------------------------- make and unmake
    Planted(
        "undo-keeps-only-the-last",
        MAKE,
        "There is one undo record instead of a stack, so that the second move taken back is restored from the first.",
        "_core",
        """
          self.ply -= 1
        - word = self.undo[self.ply * UNDO_WORDS + 1]
        + word = self.undo[1]
          move = word & 0xFFFF

          self.castling = word >> 20 & 15
          self.ep_keyed = word >> 24 & 1
          self.ep = word >> 25 & 127
          self.halfmove = word >> 32
        - self.key = self.undo[self.ply * UNDO_WORDS]
        + self.key = self.undo[0]

          self.ply -= 1
        - word = self.undo[self.ply * UNDO_WORDS + 1]
        + word = self.undo[1]
          self.side = us
          self.fullmove -= us
          self.ep_keyed = word >> 24 & 1
          self.ep = word >> 25 & 127
          self.halfmove = word >> 32
        - self.key = self.undo[self.ply * UNDO_WORDS]
        + self.key = self.undo[0]

        - at = self.ply * UNDO_WORDS
        + at = 0
        """,
        ("restore/unmake",),
        path=True,
    ),
    Planted(
        "undo-field-too-narrow",
        MAKE,
        "The captured man is stored in three bits, and some of black's come back as other men.",
        "_core",
        """
        - captured = word >> 16 & 15
        + captured = word >> 16 & 7
        """,
        ("restore/unmake",),
    ),
    Planted(
        "right-lost-on-unmake",
        MAKE,
        "Taking a move back does not give back the castling rights that it cost.",
        "_core",
        """
        - self.castling = word >> 20 & 15
        """,
        ("restore/unmake",),
    ),
    Planted(
        "en-passant-lost-on-unmake",
        MAKE,
        "Taking a move back leaves the en passant square that the move left.",
        "_core",
        """
          self.castling = word >> 20 & 15
        - self.ep_keyed = word >> 24 & 1
        - self.ep = word >> 25 & 127
        """,
        ("restore/unmake",),
    ),
    Planted(
        "clock-not-restored",
        MAKE,
        "Taking a move back counts the halfmove clock down by one, also where the move had reset it.",
        "_core",
        """
          self.castling = word >> 20 & 15
          self.ep_keyed = word >> 24 & 1
          self.ep = word >> 25 & 127
        - self.halfmove = word >> 32
        + self.halfmove = max(self.halfmove - 1, 0)
          self.key = self.undo[self.ply * UNDO_WORDS]
        """,
        ("restore/unmake",),
    ),
    Planted(
        "move-number-not-restored",
        MAKE,
        "Taking black's move back leaves the fullmove number raised.",
        "_core",
        """
          self.side = us
        - self.fullmove -= us
          if flag == 0 or flag == 1:
        """,
        ("restore/unmake",),
    ),
    Planted(
        "side-not-restored",
        MAKE,
        "Taking a move back does not give the turn back.",
        "_core",
        """
        - self.side = us
          self.fullmove -= us
          if flag == 0 or flag == 1:
        """,
        ("restore/unmake",),
    ),
    Planted(
        "key-not-restored",
        MAKE,
        "The key is undone piece by piece, without the turn, the rights and the en passant file.",
        "_core",
        """
          self.castling = word >> 20 & 15
          self.ep_keyed = word >> 24 & 1
          self.ep = word >> 25 & 127
          self.halfmove = word >> 32
        - self.key = self.undo[self.ply * UNDO_WORDS]
        """,
        ("restore/unmake",),
    ),
    Planted(
        "capture-not-undone",
        MAKE,
        "Taking a capture back does not bring the captured man back.",
        "_core",
        """
          self._shift(self.board[target], target, source)
        - self._place(captured, target)
        """,
        ("restore/unmake",),
    ),
    Planted(
        "occupancy-not-restored",
        MAKE,
        "Taking a capture back puts the man into its own bitboard and not into the occupancy of both sides.",
        "_core",
        """
              self._place(captured, target)
        +     self.occupied_squares ^= ONE << target
          elif flag == 5:
        """,
        ("restore/unmake",),
    ),
    Planted(
        "castling-rook-not-undone",
        MAKE,
        "Taking a castle back brings the king home and leaves the rook in the middle.",
        "_core",
        """
        - self._remove(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))

        - self._place(us * 6 + ROOK, target)
        """,
        ("restore/unmake",),
    ),
    Planted(
        "en-passant-victim-misplaced",
        MAKE,
        "Taking an en passant capture back puts the victim on the square it was captured from, not where it stood.",
        "_core",
        """
        - self._place(captured, target ^ 8)
        + self._place(captured, target)
        """,
        ("restore/unmake",),
    ),
    Planted(
        "mailbox-keeps-man",
        MAKE,
        "A move leaves its man behind in the mailbox, where the bitboards no longer have it.",
        "_core",
        """
        - self.board[source] = EMPTY
        """,
        ("invariants/make",),
    ),
    Planted(
        "captured-man-keeps-bit",
        MAKE,
        "A captured man leaves the mailbox and both occupancies, but not its own bitboard.",
        "_core",
        """
        - self.pieces[piece] ^= bit
        """,
        ("invariants/make",),
    ),
    Planted(
        "occupancy-keeps-source",
        MAKE,
        "A move adds its target to the occupancy and does not take its source away.",
        "_core",
        """
        - self.occupied_squares ^= bits
        + self.occupied_squares |= bits
        """,
        ("invariants/make",),
    ),
    Planted(
        "occupancy-of-captured-side",
        MAKE,
        "A capture clears the man's own bitboard and leaves its side's occupancy as it was.",
        "_core",
        """
        - self.colours[colour] ^= bit
        """,
        ("invariants/make",),
    ),
    Planted(
        "material-kept-after-capture",
        MAKE,
        "The captured man's material is never taken off the running total.",
        "_core",
        """
        - self.tallies[colour] -= TALLIES[piece * 64 + square]
        """,
        ("invariants/make",),
    ),
    Planted(
        "scores-not-moved",
        MAKE,
        "A quiet move leaves the piece-square score at the square it came from.",
        "_core",
        """
        - self.tallies[colour] += TALLIES[piece * 64 + target] - TALLIES[piece * 64 + source]
        """,
        ("invariants/make",),
    ),
    Planted(
        "phase-not-raised-by-promotion",
        MAKE,
        "A promotion adds the piece's material and score, and leaves the game phase at the pawn's.",
        "_core",
        """
          self._place(us * 6 + KNIGHT + (flag & 3), target)
        + self.tallies[us] -= scores.PHASES[KNIGHT + (flag & 3)] << scores.PHASE
        """,
        ("invariants/make",),
    ),
    # ---------------------------------------------------------------- null move
    Planted(
        "null-move-keeps-key",
        NULL,
        "Passing changes the turn and not the key.",
        "_core",
        """
        - self.key ^= BLACK_KEY
        """,
        ("null/hash",),
    ),
    Planted(
        "null-move-keeps-en-passant",
        NULL,
        "Passing leaves the en passant square, which then lies on the wrong side's half.",
        "_core",
        """
              self.ep_keyed = 0
        - self.ep = NO_SQUARE
          self.halfmove += 1
        """,
        ("null/make",),
    ),
    Planted(
        "null-move-keeps-en-passant-key",
        NULL,
        "Passing clears the en passant square and leaves its file in the key.",
        "_core",
        """
          self.key ^= BLACK_KEY
          if self.ep_keyed:
        -     self.key ^= EN_PASSANT_KEYS[self.ep & 7]
              self.ep_keyed = 0
        """,
        ("null/hash",),
    ),
    Planted(
        "null-move-turn-not-undone",
        NULL,
        "Taking a pass back does not give the turn back.",
        "_core",
        """
          word = self.undo[self.ply * UNDO_WORDS + 1]
        - self.side = us
        """,
        ("null/unmake",),
    ),
    Planted(
        "null-move-clock-not-undone",
        NULL,
        "Taking a pass back leaves the halfmove clock one too high.",
        "_core",
        """
          self.fullmove -= us
          self.ep_keyed = word >> 24 & 1
          self.ep = word >> 25 & 127
        - self.halfmove = word >> 32
          self.key = self.undo[self.ply * UNDO_WORDS]
        """,
        ("null/unmake",),
    ),
    Planted(
        "null-move-en-passant-not-undone",
        NULL,
        "Taking a pass back does not give the en passant square back.",
        "_core",
        """
          self.fullmove -= us
        - self.ep_keyed = word >> 24 & 1
        - self.ep = word >> 25 & 127
        """,
        ("null/unmake",),
    ),
    # ---------------------------------------------------------------- key
    Planted(
        "key-without-turn",
        KEY,
        "The side to move is not part of the key.",
        "zobrist",
        """
        - BLACK_KEY: Final = next(_numbers)
        + BLACK_KEY: Final = next(_numbers) & 0
        """,
        ("key/hash", "perft/hash"),
        path=True,
    ),
    Planted(
        "key-without-rights",
        KEY,
        "The castling rights are not part of the key.",
        "zobrist",
        """
        - CASTLING_KEYS: Final = [next(_numbers) for _ in range(2 * 8)]  # colour * 8 + rook file
        + CASTLING_KEYS: Final = [next(_numbers) & 0 for _ in range(2 * 8)]  # colour * 8 + rook file
        """,
        ("key/hash", "perft/hash"),
        path=True,
    ),
    Planted(
        "key-shares-rights",
        KEY,
        "White's and black's rights on one wing share a number, and cancel when both are held.",
        "zobrist",
        """
        - CASTLING_KEYS: Final = [next(_numbers) for _ in range(2 * 8)]  # colour * 8 + rook file
        + CASTLING_KEYS: Final = [next(_numbers) for _ in range(8)] * 2  # colour * 8 + rook file
        """,
        ("key/hash", "perft/hash"),
        path=True,
    ),
    Planted(
        "key-without-en-passant",
        KEY,
        "The en passant file is not part of the key.",
        "zobrist",
        """
        - EN_PASSANT_KEYS: Final = [next(_numbers) for _ in range(8)]
        + EN_PASSANT_KEYS: Final = [next(_numbers) & 0 for _ in range(8)]
        """,
        ("key/hash", "perft/hash"),
        path=True,
    ),
    Planted(
        "key-shares-pieces",
        KEY,
        "Knights and bishops of a side have the same numbers, from a table indexed one kind off.",
        "zobrist",
        """
          PIECE_KEYS: Final = [next(_numbers) for _ in range(12 * 64)]
        + PIECE_KEYS[128:192], PIECE_KEYS[512:576] = PIECE_KEYS[64:128], PIECE_KEYS[448:512]
        """,
        ("key/hash", "perft/hash"),
        path=True,
    ),
    Planted(
        "key-of-untakeable-en-passant",
        KEY,
        "Every double push puts its file into the key, whether or not a pawn can take there.",
        "_core",
        """
          self.key ^= BLACK_KEY ^ self.castle_keys[self.castling]
        - if self.ep_keyed:
        + if self.ep != NO_SQUARE:

        - if flag == 1 and self._has_legal_en_passant(us ^ 1):
        -     self.ep_keyed = 1
        + if flag == 1:
        +     self.ep_keyed = self._has_legal_en_passant(us ^ 1)

          self.key ^= BLACK_KEY
        - if self.ep_keyed:
        + if self.ep != NO_SQUARE:

        - if self.ep != NO_SQUARE and self._has_legal_en_passant(self.side):
        + if self.ep != NO_SQUARE:

        - if takeable:
        + if self.ep != NO_SQUARE:
        """,
        ("key/hash", "perft/hash"),
        path=True,
    ),
    Planted(
        "key-forgets-turn-on-make",
        KEY,
        "A move changes the turn and not the key's part for it.",
        "_core",
        """
        - self.key ^= BLACK_KEY ^ self.castle_keys[self.castling]
        + self.key ^= self.castle_keys[self.castling]
        """,
        ("key/hash",),
    ),
    Planted(
        "key-forgets-lost-right",
        KEY,
        "A move that loses a right leaves it in the key.",
        "_core",
        """
        - self.key ^= BLACK_KEY ^ self.castle_keys[self.castling]
        + self.key ^= BLACK_KEY

        - self.key ^= self.castle_keys[self.castling]
        """,
        ("key/hash",),
    ),
    Planted(
        "key-forgets-castling-rook",
        KEY,
        "Castling moves the king in the key and leaves the rook at home there.",
        "_core",
        """
          self._place(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))
        + self.key ^= PIECE_KEYS[(us * 6 + ROOK) * 64 + us * 56 + (5 if flag == 2 else 3)]
        + self.key ^= PIECE_KEYS[(us * 6 + ROOK) * 64 + target]
        """,
        ("key/hash",),
    ),
    Planted(
        "key-keeps-captured-man",
        KEY,
        "A captured man stays in the key.",
        "_core",
        """
          self.board[square] = EMPTY
        - self.key ^= PIECE_KEYS[piece * 64 + square]
        """,
        ("key/hash",),
    ),
    Planted(
        "key-keeps-en-passant",
        KEY,
        "The move after a double push leaves the en passant file in the key.",
        "_core",
        """
          self.key ^= BLACK_KEY ^ self.castle_keys[self.castling]
          if self.ep_keyed:
        -     self.key ^= EN_PASSANT_KEYS[self.ep & 7]
              self.ep_keyed = 0
        """,
        ("key/hash",),
    ),
    Planted(
        "key-doubles-en-passant",
        KEY,
        "A double push toggles its file once as pawn move and once as en passant square, which cancels.",
        "_core",
        """
          self.ep_keyed = 1
        - self.key ^= EN_PASSANT_KEYS[self.ep & 7]
        """,
        ("key/hash",),
    ),
    # ---------------------------------------------------------------- clocks
    Planted(
        "clock-runs-over-captures",
        CLOCKS,
        "Only pawn moves reset the halfmove clock.",
        "_core",
        """
              self._shift(piece, source, target)
        -     self.halfmove = 0
        +     if piece == us * 6:
        +         self.halfmove = 0
          elif flag == 1:
        """,
        ("fen/make",),
        path=True,
    ),
    Planted(
        "clock-runs-over-pawn-pushes",
        CLOCKS,
        "Only captures and double pushes reset the halfmove clock.",
        "_core",
        """
        - if piece == us * 6:
        -     self.halfmove = 0
        """,
        ("fen/make",),
        path=True,
    ),
    Planted(
        "clock-runs-over-promotions",
        CLOCKS,
        "A promotion is made by code of its own, which forgets to reset the halfmove clock.",
        "_core",
        """
          self._place(us * 6 + KNIGHT + (flag & 3), target)
        - self.halfmove = 0
        """,
        ("fen/make",),
        path=True,
    ),
    Planted(
        "castling-resets-clock",
        CLOCKS,
        "Castling is taken for an irreversible move and resets the halfmove clock.",
        "_core",
        """
          self._place(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))
        + self.halfmove = 0
        """,
        ("fen/make",),
        path=True,
    ),
    Planted(
        "move-number-after-white",
        CLOCKS,
        "The fullmove number is raised after white's move instead of black's.",
        "_core",
        """
          self.key ^= self.castle_keys[self.castling]
          self.halfmove += 1
        - self.fullmove += us
        + self.fullmove += us ^ 1

          self.side = us
        - self.fullmove -= us
        + self.fullmove -= us ^ 1
          if flag == 0 or flag == 1:

          self.halfmove += 1
        - self.fullmove += us
        + self.fullmove += us ^ 1
          self.side = us ^ 1

          self.side = us
        - self.fullmove -= us
        + self.fullmove -= us ^ 1
          self.ep_keyed = word >> 24 & 1
        """,
        ("fen/make",),
        path=True,
    ),
    # ---------------------------------------------------------------- move list
    Planted(
        "king-evasions-twice",
        MOVE_LIST,
        "In check the king's moves are listed with the evasions and again with the others.",
        "_core",
        """
          allowed &= BETWEEN[king * 64 + first(checkers)] | checkers
        + again = KING_ATTACKS[king] & ~own & ~danger if zone else 0
        + n = n + popcount(again) if counting else self._emit(out, n, king, again, enemy)
        """,
        ("moves/movegen",),
    ),
    Planted(
        "en-passant-taker-twice",
        MOVE_LIST,
        "Of two pawns that may take en passant the first is listed twice, so that the number is right.",
        "_core",
        """
          men = PAWN_ATTACKS[them * 64 + self.ep] & pawns
        + source = first(men)
          while men:
        -     source = first(men)
              if self._is_legal_en_passant(source, us):
        """,
        ("moves/movegen",),
    ),
    Planted(
        "move-list-overflow",
        MOVE_LIST,
        "The move list has room for 200 moves; a position with 218, the most a game can reach, runs over it.",
        "_core",
        """
                  men &= men - 1
        - return n
        + return min(n, 200)
        """,
        ("moves/movegen",),
    ),
    # ---------------------------------------------------------------- FEN
    Planted(
        "fen-reads-ranks-mirrored",
        FEN,
        "Each rank is read from the h file to the a file.",
        "fen",
        """
        - mailbox += _read_rank(ranks[index])
        + mailbox += _read_rank(ranks[index])[::-1]
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-drops-last-gap",
        FEN,
        "The empty squares at the end of a rank are not written.",
        "fen",
        """
        - return text + (str(run) if run else "")
        + return text
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-writes-white",
        FEN,
        "The side to move is written as white's, whoever's it is.",
        "fen",
        """
        - side = "w" if position.turn == WHITE else "b"
        + side = "w"
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-reads-three-rights",
        FEN,
        "The reader stops after three castling letters and drops the fourth right.",
        "fen",
        """
          needs_chess960 = False
        - for letter in text:
        + for letter in text[:3]:
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-writes-rights-of-one-side",
        FEN,
        "Black's rights are written only when white has none.",
        "fen",
        """
        - text += letter.lower() if colour else letter
        + if not (colour and text.isupper()):
        +     text += letter.lower() if colour else letter
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-ignores-en-passant",
        FEN,
        "The en passant square is read and then forgotten.",
        "fen",
        """
        - en_passant = _read_en_passant(fields[3], mailbox, turn, position)
        + _read_en_passant(fields[3], mailbox, turn, position)
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-writes-victim-square",
        FEN,
        "The square of the pawn that moved two steps is written, not the one it passed over.",
        "fen",
        """
        - passed = SQUARE_NAMES[target]
        + passed = SQUARE_NAMES[target ^ 8]
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-writes-untakeable-en-passant",
        FEN,
        "The en passant square is written after every double push, where only a legal capture should show.",
        "fen",
        """
        - if target is None or (en_passant == "legal" and not position.has_legal_en_passant()):
        + if target is None:
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-ignores-halfmove-clock",
        FEN,
        "The reader stops after the en passant field, and the halfmove clock starts at zero.",
        "fen",
        """
        - halfmove = _read_clock(4, fields[4], 0)
        + halfmove = 0 * _read_clock(4, fields[4], 0)
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-ignores-move-number",
        FEN,
        "The reader takes every position for the first move of a game.",
        "fen",
        """
        - fullmove = _read_clock(5, fields[5], 1)
        + fullmove = _read_clock(5, fields[5], 1) and 1
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-swaps-clocks",
        FEN,
        "The two clocks are written in the wrong order.",
        "fen",
        """
        - return f"{placement} {side} {rights} {passed} {position.halfmove} {position.fullmove}"
        + return f"{placement} {side} {rights} {passed} {position.fullmove} {position.halfmove}"
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-takes-inner-rook",
        FEN,
        "A right is given to the rook nearest to the king, where the outermost is meant.",
        "fen",
        """
        - squares = range(first + 7, king, -1)
        + squares = range(king + 1, first + 8)

        - squares = range(first, king)
        + squares = range(king - 1, first - 1, -1)
        """,
        ("fen/fen",),
    ),
    Planted(
        "fen-writes-inner-rook-as-outer",
        FEN,
        "A Chess960 right is written K or Q even where another rook stands further out.",
        "fen",
        """
        - letter = "ABCDEFGH"[home & 7] if shredder or ROOK + 6 * colour in outside else "KQ"[queen_side]
        + letter = "ABCDEFGH"[home & 7] if shredder else "KQ"[queen_side]
        """,
        ("fen/fen",),
        chess960=True,
    ),
    # ---------------------------------------------------------------- outcome
    Planted(
        "stalemate-as-mate",
        OUTCOME,
        "A side without moves is called mated, in check or not.",
        "outcome",
        """
        - return Outcome.CHECKMATE if position.is_check() else Outcome.STALEMATE
        + return Outcome.CHECKMATE
        """,
        ("outcome/movegen",),
    ),
    Planted(
        "fifty-moves-end-game",
        OUTCOME,
        "The fifty-move rule, which must be claimed, ends the game by itself.",
        "outcome",
        """
        - SEVENTYFIVE_MOVES_PLIES: Final = 150
        + SEVENTYFIVE_MOVES_PLIES: Final = 100
        """,
        ("outcome/make",),
    ),
    Planted(
        "any-bishops-are-dead",
        OUTCOME,
        "Bishops alone are called insufficient, whichever colours they stand on.",
        "outcome",
        """
        - return not bishops & _DARK_SQUARES or not bishops & ~_DARK_SQUARES
        + return True
        """,
        ("outcome/movegen",),
    ),
    Planted(
        "minor-pieces-are-dead",
        OUTCOME,
        "Two minor pieces are called insufficient, although they can mate a king that helps.",
        "outcome",
        """
        - return not bishops and knights & (knights - 1) == 0
        + return (knights | bishops).bit_count() <= 2
        """,
        ("outcome/movegen",),
    ),
    # ---------------------------------------------------------------- history: only a longer game shows these
    Planted(
        "threefold-ends-game",
        HISTORY,
        "Threefold repetition, which must be claimed, ends the game by itself.",
        "outcome",
        """
        - if times >= 5:
        + if times >= 3:
        """,
        ("outcome/hash",),
        path=True,
        fewest=8,  # twice round
    ),
    Planted(
        "repetition-counted-short",
        HISTORY,
        "The position on the board is not counted as one of its own repetitions.",
        "_core",
        """
        - times = 1
        + times = 0
        """,
        ("outcome/hash",),
        path=True,
        fewest=16,  # four times round
    ),
    Planted(
        "undo-stack-wraps-around",
        HISTORY,
        "The undo stack is a ring of 32 entries, and a longer game overwrites its beginning.",
        "_core",
        """
          self.ply -= 1
        - word = self.undo[self.ply * UNDO_WORDS + 1]
        + word = self.undo[self.ply % 32 * UNDO_WORDS + 1]
          move = word & 0xFFFF

          self.castling = word >> 20 & 15
          self.ep_keyed = word >> 24 & 1
          self.ep = word >> 25 & 127
          self.halfmove = word >> 32
        - self.key = self.undo[self.ply * UNDO_WORDS]
        + self.key = self.undo[self.ply % 32 * UNDO_WORDS]

          self.ply -= 1
        - word = self.undo[self.ply * UNDO_WORDS + 1]
        + word = self.undo[self.ply % 32 * UNDO_WORDS + 1]
          self.side = us
          self.fullmove -= us
          self.ep_keyed = word >> 24 & 1
          self.ep = word >> 25 & 127
          self.halfmove = word >> 32
        - self.key = self.undo[self.ply * UNDO_WORDS]
        + self.key = self.undo[self.ply % 32 * UNDO_WORDS]

        - at = self.ply * UNDO_WORDS
        + at = self.ply % 32 * UNDO_WORDS
        """,
        ("restore/unmake",),
        path=True,
        fewest=33,  # one more than it holds
    ),
)
