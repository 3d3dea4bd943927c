"""The planted faults: real mistakes of engine authors, each a small named edit of the board's source.

Data and nothing else; `refute.engines.faulty` plants them. The board generates moves in two ways and
counts replies in a third, and compares them with each other. Where the real mistake would sit in what an
engine's only generator does, the edit is made in whatever of these share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement of source text, which must be found exactly `times` times."""

    old: str
    new: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Planted:
    """A fault by name: what the mistake is, where it is planted, and what a hunt must say of it."""

    name: str
    class_: str
    what: str  # one sentence: the mistake as an engine's author makes it
    module: str  # the module of refute.board that is edited
    edits: tuple[Edit, ...]
    verdicts: tuple[str, ...]  # divergence.Verdict values: where the fault truly lies
    facets: tuple[str, ...]  # divergence.Facet values: where it may first show
    chess960: bool = False  # no walk of standard chess can show it
    path: bool = False  # no FEN alone shows it: moves must be made first


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

PLANTED: Final = (
    # ---------------------------------------------------------------- attacks
    Planted(
        "knight-wraps-around",
        ATTACKS,
        "The knight table is built from shifts, and the shifts by 17 have lost their file masks.",
        "tables",
        (
            Edit(
                "KNIGHT_ATTACKS: Final = [leap(s, KNIGHT_STEPS) for s in SQUARES]",
                "KNIGHT_ATTACKS: Final = [leap(s, KNIGHT_STEPS) | (1 << s << 17 | 1 << s >> 17) & ALL for s in SQUARES]",
            ),
        ),
        ("movegen",),
        ("moves", "check", "invariants"),
    ),
    Planted(
        "king-wraps-around",
        ATTACKS,
        "The king table is built from shifts, and the shifts by one have lost their file masks.",
        "tables",
        (
            Edit(
                "[leap(s, ROOK_STEPS + BISHOP_STEPS) for s in SQUARES]",
                "[leap(s, ROOK_STEPS + BISHOP_STEPS) | (1 << s << 1 | 1 << s >> 1) & ALL for s in SQUARES]",
            ),
        ),
        ("movegen",),
        ("moves", "invariants"),
    ),
    Planted(
        "rook-mask-without-own-edge",
        ATTACKS,
        "The blocker mask drops all four edges, so that a rook on an edge does not see the men along it.",
        "_interpreted",
        (
            Edit(
                "ROOK_MASKS: Final = tables.ROOK_MASKS",
                "ROOK_MASKS: Final = [mask & 0x007E7E7E7E7E7E00 for mask in tables.ROOK_MASKS]",
            ),
        ),
        ("movegen",),
        ("moves", "check", "invariants"),
    ),
    Planted(
        "slider-stops-short",
        ATTACKS,
        "A ray ends before its first blocker instead of on it, so that sliders neither capture nor protect.",
        "_interpreted",
        (
            Edit(
                "seen = self[blockers] = self.attacks(self.square, blockers)",
                "seen = self[blockers] = self.attacks(self.square, blockers) & ~blockers",
            ),
        ),
        ("movegen",),
        ("moves", "check", "invariants"),
    ),
    Planted(
        "wrong-magic",
        ATTACKS,
        "Two arrangements of blockers share an entry: a rook on d4 does not notice a man on d6.",
        "_interpreted",
        (
            Edit(
                "ROOK_MASKS: Final = tables.ROOK_MASKS",
                "ROOK_MASKS: Final = [tables.ROOK_MASKS[s] & ~(1 << 43 if s == 27 else 0) for s in tables.SQUARES]",
            ),
        ),
        ("movegen",),
        ("moves", "check", "invariants"),
    ),
    Planted(
        "kings-may-touch",
        ATTACKS,
        "The enemy king is left out of the attack map, because a king never gives check.",
        "_core",
        (
            Edit("            | KING_ATTACKS[square] & pieces[theirs + KING]\n", ""),
            Edit("        danger |= KING_ATTACKS[first(pieces[theirs + KING])]\n", ""),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "king-takes-protected-man",
        ATTACKS,
        "The attack map leaves out squares of the attacker's own men, so that a protected man may be taken.",
        "_core",
        (
            Edit(
                "                danger |= rook_attacks(square, occupied)\n            men &= men - 1\n        return danger\n",
                "                danger |= rook_attacks(square, occupied)\n            men &= men - 1\n"
                "        return danger & ~self.colours[by]\n",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "king-shields-its-retreat",
        ATTACKS,
        "The attack map is made with the king still on its square, so that it may step back along the checking ray.",
        "_core",
        (Edit("self._danger(zone, them, occupied ^ ONE << king)", "self._danger(zone, them, occupied)"),),
        ("movegen",),
        ("moves",),
    ),
    # ---------------------------------------------------------------- pawns
    Planted(
        "double-push-through-man",
        PAWNS,
        "Two steps look only at the square of arrival, not at the one passed over.",
        "_core",
        (
            Edit("doubles = (singles & RANK_3) << 8", "doubles = (pushers << 8 & RANK_3) << 8"),
            Edit("doubles = (singles & RANK_6) >> 8", "doubles = (pushers >> 8 & RANK_6) >> 8"),
            Edit(
                "                n = self._emit_pawns(out, n, ONE << step, source - step, 0)\n"
                "                if source >> 3 == (1 if us == WHITE else 6):\n"
                "                    step = source + 16 if us == WHITE else source - 16\n"
                "                    if not occupied >> step & 1:\n"
                "                        n = self._emit_pawns(out, n, ONE << step, source - step, 1)\n",
                "                n = self._emit_pawns(out, n, ONE << step, source - step, 0)\n"
                "            if source >> 3 == (1 if us == WHITE else 6):\n"
                "                step = source + 16 if us == WHITE else source - 16\n"
                "                if not occupied >> step & 1:\n"
                "                    n = self._emit_pawns(out, n, ONE << step, source - step, 1)\n",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "double-push-onto-man",
        PAWNS,
        "Two steps look only at the square passed over, and capture straight ahead.",
        "_core",
        (
            Edit("(singles & RANK_3) << 8 & ~occupied & allowed", "(singles & RANK_3) << 8 & allowed"),
            Edit("(singles & RANK_6) >> 8 & ~occupied & allowed", "(singles & RANK_6) >> 8 & allowed"),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "double-push-from-wrong-rank",
        PAWNS,
        "Black's pawns take two steps from the sixth rank, as if ranks were counted from one.",
        "_core",
        (
            Edit("RANK_6 = tables.RANK_6", "RANK_6 = tables.RANK_6 >> 8"),
            Edit("if source >> 3 == (1 if us == WHITE else 6):", "if source >> 3 == (1 if us == WHITE else 5):"),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "pawn-capture-wraps-around",
        PAWNS,
        "The mask that keeps pawns on the a file from capturing to the left is missing.",
        "tables",
        (Edit("NOT_FILE_A: Final = ALL ^ FILE_A", "NOT_FILE_A: Final = ALL"),),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "edge-pawn-cannot-capture",
        PAWNS,
        "Both capture directions are masked with both edges, so that pawns on the a and h files never take.",
        "_core",
        (
            Edit("NOT_FILE_A = tables.NOT_FILE_A", "NOT_FILE_A = tables.NOT_FILE_A & tables.NOT_FILE_H"),
            Edit("NOT_FILE_H = tables.NOT_FILE_H", "NOT_FILE_H = tables.NOT_FILE_A & tables.NOT_FILE_H"),
        ),
        ("movegen",),
        ("moves",),
    ),
    # ---------------------------------------------------------------- en passant
    Planted(
        "en-passant-rank-pin",
        EN_PASSANT,
        "Only the taking pawn is looked at for pins; that the victim leaves the rank as well is forgotten.",
        "_core",
        (Edit("(self.occupied_squares ^ victim ^ ONE << source)", "(self.occupied_squares ^ ONE << source)"),),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "en-passant-diagonal-pin",
        EN_PASSANT,
        "The rank is looked along after an en passant capture, the diagonals that it opens are not.",
        "_core",
        (
            Edit(
                "return 0 if self._attackers(first(kings), us ^ 1, occupied) & ~victim else 1",
                "king = first(kings)\n"
                "        opened = bishop_attacks(king, occupied) & ~bishop_attacks(king, self.occupied_squares)\n"
                "        return 0 if self._attackers(king, us ^ 1, occupied) & ~victim & ~opened else 1",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "en-passant-not-as-evasion",
        EN_PASSANT,
        "A pawn that checks by its double push cannot be taken en passant: the capture lands beside the checker.",
        "_core",
        (
            Edit(
                "self._attackers(first(kings), us ^ 1, occupied) & ~victim else 1",
                "self._attackers(first(kings), us ^ 1, occupied) else 1",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "en-passant-in-any-check",
        EN_PASSANT,
        "En passant is generated apart from the evasions and allowed whatever the check is.",
        "_core",
        (
            Edit(
                "return 0 if self._attackers(first(kings), us ^ 1, occupied) & ~victim else 1",
                "king = first(kings)\n"
                "        checkers = self._attackers(king, us ^ 1, self.occupied_squares)\n"
                "        return 0 if self._attackers(king, us ^ 1, occupied) & ~victim & ~checkers else 1",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "en-passant-wraps-around",
        EN_PASSANT,
        "The takers are the pawns one square left and right of the victim, counted past the edge of the board.",
        "_core",
        (
            Edit(
                "takers = PAWN_ATTACKS[(us ^ 1) * 64 + self.ep] & self.pieces[us * 6]",
                "takers = (ONE << (self.ep ^ 8) + 1 | ONE << (self.ep ^ 8) - 1) & self.pieces[us * 6]",
            ),
            Edit(
                "men = PAWN_ATTACKS[them * 64 + self.ep] & pawns",
                "men = (ONE << (self.ep ^ 8) + 1 | ONE << (self.ep ^ 8) - 1) & pawns",
            ),
            Edit(
                "if self.ep != NO_SQUARE and PAWN_ATTACKS[us * 64 + source] >> self.ep & 1:",
                "if self.ep != NO_SQUARE and abs(source - (self.ep ^ 8)) == 1:",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "en-passant-victim-stays",
        EN_PASSANT,
        "The captured pawn is looked for on the square of arrival, finds none there, and stays.",
        "_core",
        (
            Edit("            self._remove(captured, target ^ 8)\n", ""),
            Edit("            self._place(captured, target ^ 8)\n", ""),
            Edit(
                "            pieces[(us ^ 1) * 6] ^= victim\n            self.colours[us ^ 1] ^= victim\n",
                "",
            ),
            Edit("self.occupied_squares ^= leave | arrive | victim", "self.occupied_squares ^= leave | arrive"),
            Edit(
                "        self._make(move, us)\n        king = first",
                "        if move >> 12 == 5:\n            return self._is_legal_en_passant(move >> 6 & 63, us)\n"
                "        self._make(move, us)\n        king = first",
            ),
        ),
        ("make",),
        ("moves", "check", "fen"),
        path=True,
    ),
    Planted(
        "en-passant-removes-wrong-square",
        EN_PASSANT,
        "The victim is taken off one rank below the square of arrival, whichever side takes.",
        "_core",
        (Edit("self._remove(captured, target ^ 8)", "self._remove(captured, target - 8)"),),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "en-passant-square-not-cleared",
        EN_PASSANT,
        "The en passant square outlives the move after the double push.",
        "_core",
        (Edit("        self.ep = NO_SQUARE\n        # From", "        # From"),),
        ("make",),
        ("invariants",),
    ),
    # ---------------------------------------------------------------- castling
    Planted(
        "castle-through-attack",
        CASTLING,
        "Only the square the king arrives on is tested, not those it passes over.",
        "_core",
        (Edit("self.castle_routes[right] = route", "self.castle_routes[right] = ONE << king_to"),),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "castle-out-of-check",
        CASTLING,
        "The king's own square is not tested.",
        "_core",
        (
            Edit("if checkers == 0 and self.castling & 3 << 2 * us:", "if self.castling & 3 << 2 * us:"),
            Edit(" | ONE << (move >> 6 & 63)\n            while route", "\n            while route"),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "castle-into-check",
        CASTLING,
        "The squares passed over are tested, the one the king arrives on is left to a test that never comes.",
        "_core",
        (Edit("self.castle_routes[right] = route", "self.castle_routes[right] = BETWEEN[king * 64 + king_to]"),),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "castle-over-b-file",
        CASTLING,
        "Only the king's way has to be empty; a man on b1 does not stop the rook.",
        "_core",
        (
            Edit(
                "path = route | BETWEEN[home * 64 + rook_to] | ONE << rook_to | BETWEEN[king * 64 + home]",
                "path = route | ONE << rook_to",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "right-kept-after-rook-capture",
        CASTLING,
        "Rights are lost by the square moved from only, so that a rook captured at home keeps its right.",
        "_core",
        (
            Edit("self.castling &= self.keeps[source] & self.keeps[target]", "self.castling &= self.keeps[source]"),
            Edit("self.keeps[move >> 6 & 63] & self.keeps[move & 63]", "self.keeps[move >> 6 & 63]"),
        ),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "right-kept-after-promotion-capture",
        CASTLING,
        "Promotions are made by code of their own, which forgets that the captured rook had a right.",
        "_core",
        (
            Edit(
                "self.castling &= self.keeps[source] & self.keeps[target]",
                "self.castling &= self.keeps[source] & (15 if flag & 8 else self.keeps[target])",
            ),
        ),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "right-kept-after-king-move",
        CASTLING,
        "Only castling itself and rook moves lose rights; a king that walks keeps them.",
        "_core",
        (
            Edit(
                "self.castling &= self.keeps[source] & self.keeps[target]",
                "self.castling &= (15 if piece == us * 6 + KING and not flag & 2 else self.keeps[source]) "
                "& self.keeps[target]",
            ),
        ),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "right-kept-after-rook-move",
        CASTLING,
        "A rook that leaves home keeps its right.",
        "_core",
        (
            Edit(
                "self.castling &= self.keeps[source] & self.keeps[target]",
                "self.castling &= (15 if piece == us * 6 + ROOK else self.keeps[source]) & self.keeps[target]",
            ),
        ),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "right-regained",
        CASTLING,
        "Rights are read off the board: a rook that comes home to its king may castle again.",
        "_core",
        (
            Edit(
                "        self.castling &= self.keeps[source] & self.keeps[target]\n",
                "        self.castling &= self.keeps[source] & self.keeps[target]\n"
                "        for right in range(2 * us, 2 * us + 2):\n"
                "            at_home = not self.keeps[first(self.pieces[us * 6 + KING])] >> right & 1\n"
                "            if piece == us * 6 + ROOK and target == self.rook_homes[right] and at_home:\n"
                "                self.castling |= 1 << right\n",
            ),
        ),
        ("make",),
        ("moves", "fen"),
        path=True,
    ),
    Planted(
        "castle-leaves-rook",
        CASTLING,
        "The king castles and the rook stays where it was.",
        "_core",
        (
            Edit("            self._remove(us * 6 + ROOK, target)\n", ""),
            Edit("            self._place(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))\n", ""),
            Edit("            self._remove(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))\n", ""),
            Edit("            self._place(us * 6 + ROOK, target)\n", ""),
            Edit("rook = arrive ^ ONE << (us * 56 + (5 if flag == 2 else 3))", "rook = 0"),
        ),
        ("make",),
        ("moves", "check", "fen"),
        path=True,
    ),
    Planted(
        "chess960-rook-path",
        CASTLING,
        "The king's way and the squares between king and rook must be empty, the rook's way need not be.",
        "_core",
        (
            Edit(
                "path = route | BETWEEN[home * 64 + rook_to] | ONE << rook_to | BETWEEN[king * 64 + home]",
                "path = route | BETWEEN[king * 64 + home]",
            ),
        ),
        ("movegen",),
        ("moves",),
        chess960=True,
    ),
    Planted(
        "chess960-unmasked-attacker",
        CASTLING,
        "A rook that shields its king along the rank may castle away and leave the king in check.",
        "_core",
        (
            Edit(" or pinned >> self.rook_homes[2 * us] & 1", ""),
            Edit(" or pinned >> self.rook_homes[2 * us + 1] & 1", ""),
        ),
        ("movegen",),
        ("moves",),
        chess960=True,
    ),
    Planted(
        "chess960-king-lands-on-rook",
        CASTLING,
        "The king arrives before the rook has left, and is wiped out with it where they share a square.",
        "_core",
        (
            Edit(
                "            self._remove(us * 6 + ROOK, target)\n"
                "            self._place(us * 6 + KING, us * 56 + (6 if flag == 2 else 2))\n",
                "            self._place(us * 6 + KING, us * 56 + (6 if flag == 2 else 2))\n"
                "            self._remove(us * 6 + ROOK, target)\n",
            ),
        ),
        ("make",),
        ("invariants",),
        chess960=True,
    ),
    # ---------------------------------------------------------------- promotion
    Planted(
        "missing-underpromotion",
        PROMOTION,
        "Pawns promote to queen, rook and bishop; the knight is forgotten.",
        "_core",
        (
            Edit(
                "                out[n + 3] = (flag | 8) << 12 | base\n                n += 4\n",
                "                n += 3\n",
            ),
            Edit("                n += 3 * (\n", "                n += 2 * (\n"),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "promotion-capture-stays-pawn",
        PROMOTION,
        "Captures are generated apart from pushes, and on the last rank they do not promote.",
        "_core",
        (
            Edit(
                "            if BACK_RANKS >> target & 1:\n", "            if BACK_RANKS >> target & 1 and not flag:\n"
            ),
            Edit(
                "popcount(singles & BACK_RANKS) + popcount(lefts & BACK_RANKS) + popcount(rights & BACK_RANKS)",
                "popcount(singles & BACK_RANKS)",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "promotion-capture-only-queen",
        PROMOTION,
        "A capture on the last rank promotes to a queen only.",
        "_core",
        (
            Edit("                n += 4\n", "                n += 1 if flag else 4\n"),
            Edit(
                "popcount(singles & BACK_RANKS) + popcount(lefts & BACK_RANKS) + popcount(rights & BACK_RANKS)",
                "popcount(singles & BACK_RANKS)",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "promotion-always-queen",
        PROMOTION,
        "The list offers four promotions, and make turns each into a queen.",
        "_core",
        (
            Edit("self._place(us * 6 + KNIGHT + (flag & 3), target)", "self._place(us * 6 + QUEEN, target)"),
            Edit("self._remove(us * 6 + KNIGHT + (flag & 3), target)", "self._remove(us * 6 + QUEEN, target)"),
            Edit("pieces[us * 6 + KNIGHT + (flag & 3)] ^= arrive", "pieces[us * 6 + QUEEN] ^= arrive"),
        ),
        ("make",),
        ("moves", "check", "fen"),
        path=True,
    ),
    Planted(
        "promotion-not-undone",
        PROMOTION,
        "Taking a promotion back brings the promoted piece to the seventh rank instead of the pawn.",
        "_core",
        (Edit("self._place(us * 6 + PAWN, source)", "self._place(us * 6 + KNIGHT + (flag & 3), source)"),),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "promotion-capture-not-undone",
        PROMOTION,
        "Taking a capturing promotion back does not bring the captured man back.",
        "_core",
        (
            Edit(
                "            self._place(us * 6 + PAWN, source)\n"
                "            if flag & 4:\n                self._place(captured, target)\n",
                "            self._place(us * 6 + PAWN, source)\n",
            ),
        ),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "promotion-keyed-as-pawn",
        PROMOTION,
        "The key is updated as if the pawn itself had moved to the last rank.",
        "_core",
        (
            Edit(
                "            self._place(us * 6 + KNIGHT + (flag & 3), target)\n",
                "            self._place(us * 6 + KNIGHT + (flag & 3), target)\n"
                "            self.key ^= PIECE_KEYS[(us * 6 + KNIGHT + (flag & 3)) * 64 + target]\n"
                "            self.key ^= PIECE_KEYS[us * 6 * 64 + target]\n",
            ),
        ),
        ("hash",),
        ("key",),
    ),
    # ---------------------------------------------------------------- evasions
    Planted(
        "double-check-as-single",
        EVASIONS,
        "Two checkers are treated as one, and a man other than the king may take or block either.",
        "_core",
        (Edit("            if several(checkers):\n                return n\n", ""),),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "checker-cannot-be-taken",
        EVASIONS,
        "A check is answered by stepping between or by the king, never by taking the checker.",
        "_core",
        (
            Edit(
                "allowed &= BETWEEN[king * 64 + first(checkers)] | checkers",
                "allowed &= BETWEEN[king * 64 + first(checkers)]",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "check-cannot-be-blocked",
        EVASIONS,
        "A check is answered by taking the checker or by the king, never by stepping between.",
        "_core",
        (Edit("allowed &= BETWEEN[king * 64 + first(checkers)] | checkers", "allowed &= checkers"),),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "pinned-defender-answers-check",
        EVASIONS,
        "The evasions are generated without the pins: a pinned man may take the checker or step between.",
        "_core",
        (
            Edit(
                "            allowed &= BETWEEN[king * 64 + first(checkers)] | checkers\n",
                "            allowed &= BETWEEN[king * 64 + first(checkers)] | checkers\n            pinned = 0\n",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "pinned-man-frozen",
        EVASIONS,
        "A pinned slider may not move at all, not even along its pin.",
        "_core",
        (Edit("if pinned and checkers == 0:", "if pinned and checkers:"),),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "diagonal-pins-forgotten",
        EVASIONS,
        "Pins are looked for along ranks and files only.",
        "_core",
        (
            Edit(
                "                pinned |= blockers & own\n",
                "                pinned |= blockers & own & ROOK_RAYS[king]\n",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "pinned-pawn-pushes",
        EVASIONS,
        "Pins stop a pawn's captures and not its pushes.",
        "_core",
        (Edit("pushers = free | pawns & FILES[king]", "pushers = pawns"),),
        ("movegen",),
        ("moves",),
    ),
    # ---------------------------------------------------------------- make and unmake, a row of the mirror each
    Planted(
        "undo-stack-wraps-around",
        MAKE,
        "The undo stack is a ring of 32 entries, and a longer game overwrites its beginning.",
        "_core",
        (
            Edit(
                "        at = self.ply * UNDO_WORDS\n        word",
                "        at = self.ply % 32 * UNDO_WORDS\n        word",
            ),
            Edit("word = self.undo[self.ply * UNDO_WORDS + 1]", "word = self.undo[self.ply % 32 * UNDO_WORDS + 1]", 2),
            Edit("self.key = self.undo[self.ply * UNDO_WORDS]", "self.key = self.undo[self.ply % 32 * UNDO_WORDS]", 2),
        ),
        ("unmake",),
        ("restore",),
        path=True,
    ),
    Planted(
        "undo-field-too-narrow",
        MAKE,
        "The captured man is stored in three bits, and some of black's come back as other men.",
        "_core",
        (Edit("captured = word >> 16 & 15", "captured = word >> 16 & 7"),),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "right-lost-on-unmake",
        MAKE,
        "Taking a move back does not give back the castling rights that it cost.",
        "_core",
        (Edit("        self.castling = word >> 20 & 15\n", ""),),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "en-passant-lost-on-unmake",
        MAKE,
        "Taking a move back leaves the en passant square that the move left.",
        "_core",
        (
            Edit(
                "        self.castling = word >> 20 & 15\n        self.ep_keyed = word >> 24 & 1\n        self.ep = word >> 25 & 127\n",
                "        self.castling = word >> 20 & 15\n",
            ),
        ),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "clock-not-restored",
        MAKE,
        "Taking a move back counts the halfmove clock down by one, also where the move had reset it.",
        "_core",
        (
            Edit(
                "        self.halfmove = word >> 32\n        self.key = self.undo[self.ply * UNDO_WORDS]\n\n    def _make_null",
                "        self.halfmove = max(self.halfmove - 1, 0)\n"
                "        self.key = self.undo[self.ply * UNDO_WORDS]\n\n    def _make_null",
            ),
        ),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "move-number-not-restored",
        MAKE,
        "Taking black's move back leaves the fullmove number raised.",
        "_core",
        (Edit("        self.fullmove -= us\n        if flag == 0", "        if flag == 0"),),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "side-not-restored",
        MAKE,
        "Taking a move back does not give the turn back.",
        "_core",
        (
            Edit(
                "        self.side = us\n        self.fullmove -= us\n        if flag == 0",
                "        self.fullmove -= us\n        if flag == 0",
            ),
        ),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "key-not-restored",
        MAKE,
        "The key is undone piece by piece, without the turn, the rights and the en passant file.",
        "_core",
        (
            Edit(
                "        self.key = self.undo[self.ply * UNDO_WORDS]\n\n    def _make_null",
                "\n    def _make_null",
            ),
        ),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "capture-not-undone",
        MAKE,
        "Taking a capture back does not bring the captured man back.",
        "_core",
        (
            Edit(
                "            self._shift(self.board[target], target, source)\n            self._place(captured, target)\n",
                "            self._shift(self.board[target], target, source)\n",
            ),
        ),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "occupancy-not-restored",
        MAKE,
        "Taking a capture back puts the man into its own bitboard and not into the occupancy of both sides.",
        "_core",
        (
            Edit(
                "            self._shift(self.board[target], target, source)\n            self._place(captured, target)\n",
                "            self._shift(self.board[target], target, source)\n            self._place(captured, target)\n"
                "            self.occupied_squares ^= ONE << target\n",
            ),
        ),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "castling-rook-not-undone",
        MAKE,
        "Taking a castle back brings the king home and leaves the rook in the middle.",
        "_core",
        (
            Edit("            self._remove(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))\n", ""),
            Edit("            self._place(us * 6 + ROOK, target)\n", ""),
        ),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "en-passant-victim-misplaced",
        MAKE,
        "Taking an en passant capture back puts the victim on the square it was captured from, not where it stood.",
        "_core",
        (Edit("self._place(captured, target ^ 8)", "self._place(captured, target)"),),
        ("unmake",),
        ("restore",),
    ),
    Planted(
        "mailbox-keeps-man",
        MAKE,
        "A move leaves its man behind in the mailbox, where the bitboards no longer have it.",
        "_core",
        (
            Edit(
                "        self.board[source] = EMPTY\n        self.board[target] = piece\n",
                "        self.board[target] = piece\n",
            ),
        ),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "captured-man-keeps-bit",
        MAKE,
        "A captured man leaves the mailbox and both occupancies, but not its own bitboard.",
        "_core",
        (
            Edit(
                "        self.pieces[piece] ^= bit\n        self.colours[colour] ^= bit\n",
                "        self.colours[colour] ^= bit\n",
            ),
        ),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "occupancy-keeps-source",
        MAKE,
        "A move adds its target to the occupancy and does not take its source away.",
        "_core",
        (Edit("self.occupied_squares ^= bits\n", "self.occupied_squares |= bits\n"),),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "occupancy-of-captured-side",
        MAKE,
        "A capture clears the man's own bitboard and leaves its side's occupancy as it was.",
        "_core",
        (
            Edit(
                "        self.pieces[piece] ^= bit\n        self.colours[colour] ^= bit\n",
                "        self.pieces[piece] ^= bit\n",
            ),
        ),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "material-kept-after-capture",
        MAKE,
        "The captured man's material is never taken off the running total.",
        "_core",
        (Edit("        self.tallies[colour] -= TALLIES[piece * 64 + square]\n", ""),),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "scores-not-moved",
        MAKE,
        "A quiet move leaves the piece-square score at the square it came from.",
        "_core",
        (Edit("        self.tallies[colour] += TALLIES[piece * 64 + target] - TALLIES[piece * 64 + source]\n", ""),),
        ("make",),
        ("invariants",),
    ),
    Planted(
        "phase-not-raised-by-promotion",
        MAKE,
        "A promotion adds the piece's material and score, and leaves the game phase at the pawn's.",
        "_core",
        (
            Edit(
                "            self._place(us * 6 + KNIGHT + (flag & 3), target)\n",
                "            self._place(us * 6 + KNIGHT + (flag & 3), target)\n"
                "            self.tallies[us] -= scores.PHASES[KNIGHT + (flag & 3)] << scores.PHASE\n",
            ),
        ),
        ("make",),
        ("invariants",),
    ),
    # ---------------------------------------------------------------- null move
    Planted(
        "null-move-keeps-key",
        NULL,
        "Passing changes the turn and not the key.",
        "_core",
        (
            Edit(
                "        self._push(NO_MOVE, EMPTY)\n        self.key ^= BLACK_KEY\n",
                "        self._push(NO_MOVE, EMPTY)\n",
            ),
        ),
        ("hash",),
        ("null",),
    ),
    Planted(
        "null-move-keeps-en-passant",
        NULL,
        "Passing leaves the en passant square, which then lies on the wrong side's half.",
        "_core",
        (Edit("        self.ep = NO_SQUARE\n        self.halfmove += 1\n", "        self.halfmove += 1\n"),),
        ("make",),
        ("null",),
    ),
    Planted(
        "null-move-keeps-en-passant-key",
        NULL,
        "Passing clears the en passant square and leaves its file in the key.",
        "_core",
        (
            Edit(
                "            self.key ^= EN_PASSANT_KEYS[self.ep & 7]\n            self.ep_keyed = 0\n"
                "        self.ep = NO_SQUARE\n        self.halfmove += 1\n",
                "            self.ep_keyed = 0\n        self.ep = NO_SQUARE\n        self.halfmove += 1\n",
            ),
        ),
        ("hash",),
        ("null",),
    ),
    Planted(
        "null-move-turn-not-undone",
        NULL,
        "Taking a pass back does not give the turn back.",
        "_core",
        (
            Edit(
                "        self.side = us\n        self.fullmove -= us\n        self.ep_keyed",
                "        self.fullmove -= us\n        self.ep_keyed",
            ),
        ),
        ("unmake",),
        ("null",),
    ),
    Planted(
        "null-move-clock-not-undone",
        NULL,
        "Taking a pass back leaves the halfmove clock one too high.",
        "_core",
        (
            Edit(
                "        self.halfmove = word >> 32\n        self.key = self.undo[self.ply * UNDO_WORDS]\n\n    def _push",
                "        self.key = self.undo[self.ply * UNDO_WORDS]\n\n    def _push",
            ),
        ),
        ("unmake",),
        ("null",),
    ),
    Planted(
        "null-move-en-passant-not-undone",
        NULL,
        "Taking a pass back does not give the en passant square back.",
        "_core",
        (
            Edit(
                "        self.fullmove -= us\n        self.ep_keyed = word >> 24 & 1\n        self.ep = word >> 25 & 127\n",
                "        self.fullmove -= us\n",
            ),
        ),
        ("unmake",),
        ("null",),
    ),
    # ---------------------------------------------------------------- key
    Planted(
        "key-without-turn",
        KEY,
        "The side to move is not part of the key.",
        "zobrist",
        (Edit("BLACK_KEY: Final = next(_numbers)", "BLACK_KEY: Final = next(_numbers) & 0"),),
        ("hash",),
        ("key", "perft"),
        path=True,
    ),
    Planted(
        "key-without-rights",
        KEY,
        "The castling rights are not part of the key.",
        "zobrist",
        (
            Edit(
                "CASTLING_KEYS: Final = [next(_numbers) for _ in range(2 * 8)]",
                "CASTLING_KEYS: Final = [next(_numbers) & 0 for _ in range(2 * 8)]",
            ),
        ),
        ("hash",),
        ("key", "perft"),
        path=True,
    ),
    Planted(
        "key-shares-rights",
        KEY,
        "White's and black's rights on one wing share a number, and cancel when both are held.",
        "zobrist",
        (
            Edit(
                "CASTLING_KEYS: Final = [next(_numbers) for _ in range(2 * 8)]",
                "CASTLING_KEYS: Final = [next(_numbers) for _ in range(8)] * 2",
            ),
        ),
        ("hash",),
        ("key", "perft"),
        path=True,
    ),
    Planted(
        "key-without-en-passant",
        KEY,
        "The en passant file is not part of the key.",
        "zobrist",
        (
            Edit(
                "EN_PASSANT_KEYS: Final = [next(_numbers) for _ in range(8)]",
                "EN_PASSANT_KEYS: Final = [next(_numbers) & 0 for _ in range(8)]",
            ),
        ),
        ("hash",),
        ("key", "perft"),
        path=True,
    ),
    Planted(
        "key-shares-pieces",
        KEY,
        "Knights and bishops of a side have the same numbers, from a table indexed one kind off.",
        "zobrist",
        (
            Edit(
                "PIECE_KEYS: Final = [next(_numbers) for _ in range(12 * 64)]",
                "PIECE_KEYS: Final = [next(_numbers) for _ in range(12 * 64)]\n"
                "PIECE_KEYS[128:192], PIECE_KEYS[512:576] = PIECE_KEYS[64:128], PIECE_KEYS[448:512]",
            ),
        ),
        ("hash",),
        ("key", "perft"),
        path=True,
    ),
    Planted(
        "key-of-untakeable-en-passant",
        KEY,
        "Every double push puts its file into the key, whether or not a pawn can take there.",
        "_core",
        (
            Edit(
                "        if self.ep_keyed:\n            self.key ^= EN_PASSANT_KEYS[self.ep & 7]\n",
                "        if self.ep != NO_SQUARE:\n            self.key ^= EN_PASSANT_KEYS[self.ep & 7]\n",
                2,
            ),
            Edit(
                "        if flag == 1 and self._has_legal_en_passant(us ^ 1):\n            self.ep_keyed = 1\n",
                "        if flag == 1:\n            self.ep_keyed = self._has_legal_en_passant(us ^ 1)\n",
            ),
            Edit("if self.ep != NO_SQUARE and self._has_legal_en_passant(self.side):", "if self.ep != NO_SQUARE:"),
            Edit("        if takeable:\n", "        if self.ep != NO_SQUARE:\n"),
        ),
        ("hash",),
        ("key", "perft"),
        path=True,
    ),
    Planted(
        "key-forgets-turn-on-make",
        KEY,
        "A move changes the turn and not the key's part for it.",
        "_core",
        (
            Edit(
                "self.key ^= BLACK_KEY ^ self.castle_keys[self.castling]", "self.key ^= self.castle_keys[self.castling]"
            ),
        ),
        ("hash",),
        ("key",),
    ),
    Planted(
        "key-forgets-lost-right",
        KEY,
        "A move that loses a right leaves it in the key.",
        "_core",
        (
            Edit("self.key ^= BLACK_KEY ^ self.castle_keys[self.castling]", "self.key ^= BLACK_KEY"),
            Edit("        self.key ^= self.castle_keys[self.castling]\n        self.halfmove", "        self.halfmove"),
        ),
        ("hash",),
        ("key",),
    ),
    Planted(
        "key-forgets-castling-rook",
        KEY,
        "Castling moves the king in the key and leaves the rook at home there.",
        "_core",
        (
            Edit(
                "            self._place(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))\n",
                "            self._place(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))\n"
                "            self.key ^= PIECE_KEYS[(us * 6 + ROOK) * 64 + us * 56 + (5 if flag == 2 else 3)]\n"
                "            self.key ^= PIECE_KEYS[(us * 6 + ROOK) * 64 + target]\n",
            ),
        ),
        ("hash",),
        ("key",),
    ),
    Planted(
        "key-keeps-captured-man",
        KEY,
        "A captured man stays in the key.",
        "_core",
        (
            Edit(
                "        self.board[square] = EMPTY\n        self.key ^= PIECE_KEYS[piece * 64 + square]\n",
                "        self.board[square] = EMPTY\n",
            ),
        ),
        ("hash",),
        ("key",),
    ),
    Planted(
        "key-keeps-en-passant",
        KEY,
        "The move after a double push leaves the en passant file in the key.",
        "_core",
        (
            Edit(
                "            self.key ^= EN_PASSANT_KEYS[self.ep & 7]\n            self.ep_keyed = 0\n"
                "        self.ep = NO_SQUARE\n        # From",
                "            self.ep_keyed = 0\n        self.ep = NO_SQUARE\n        # From",
            ),
        ),
        ("hash",),
        ("key",),
    ),
    Planted(
        "key-doubles-en-passant",
        KEY,
        "A double push toggles its file once as pawn move and once as en passant square, which cancels.",
        "_core",
        (
            Edit(
                "            self.ep_keyed = 1\n            self.key ^= EN_PASSANT_KEYS[self.ep & 7]\n",
                "            self.ep_keyed = 1\n",
            ),
        ),
        ("hash",),
        ("key",),
    ),
    # ---------------------------------------------------------------- clocks
    Planted(
        "clock-runs-over-captures",
        CLOCKS,
        "Only pawn moves reset the halfmove clock.",
        "_core",
        (
            Edit(
                "            self._remove(captured, target)\n            self._shift(piece, source, target)\n"
                "            self.halfmove = 0\n",
                "            self._remove(captured, target)\n            self._shift(piece, source, target)\n"
                "            if piece == us * 6:\n                self.halfmove = 0\n",
            ),
        ),
        ("make",),
        ("fen",),
        path=True,
    ),
    Planted(
        "clock-runs-over-pawn-pushes",
        CLOCKS,
        "Only captures and double pushes reset the halfmove clock.",
        "_core",
        (Edit("            if piece == us * 6:\n                self.halfmove = 0\n", ""),),
        ("make",),
        ("fen",),
        path=True,
    ),
    Planted(
        "clock-runs-over-promotions",
        CLOCKS,
        "A promotion is made by code of its own, which forgets to reset the halfmove clock.",
        "_core",
        (
            Edit(
                "            self._place(us * 6 + KNIGHT + (flag & 3), target)\n            self.halfmove = 0\n",
                "            self._place(us * 6 + KNIGHT + (flag & 3), target)\n",
            ),
        ),
        ("make",),
        ("fen",),
        path=True,
    ),
    Planted(
        "castling-resets-clock",
        CLOCKS,
        "Castling is taken for an irreversible move and resets the halfmove clock.",
        "_core",
        (
            Edit(
                "            self._place(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))\n",
                "            self._place(us * 6 + ROOK, us * 56 + (5 if flag == 2 else 3))\n"
                "            self.halfmove = 0\n",
            ),
        ),
        ("make",),
        ("fen",),
        path=True,
    ),
    Planted(
        "move-number-after-white",
        CLOCKS,
        "The fullmove number is raised after white's move instead of black's.",
        "_core",
        (
            Edit("self.fullmove += us\n", "self.fullmove += us ^ 1\n", 2),
            Edit("self.fullmove -= us\n", "self.fullmove -= us ^ 1\n", 2),
        ),
        ("make",),
        ("fen",),
        path=True,
    ),
    # ---------------------------------------------------------------- move list
    Planted(
        "king-evasions-twice",
        MOVE_LIST,
        "In check the king's moves are listed with the evasions and again with the others.",
        "_core",
        (
            Edit(
                "            allowed &= BETWEEN[king * 64 + first(checkers)] | checkers\n",
                "            allowed &= BETWEEN[king * 64 + first(checkers)] | checkers\n"
                "            again = KING_ATTACKS[king] & ~own & ~danger if zone else 0\n"
                "            n = n + popcount(again) if counting else self._emit(out, n, king, again, enemy)\n",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "en-passant-taker-twice",
        MOVE_LIST,
        "Of two pawns that may take en passant the first is listed twice, so that the number is right.",
        "_core",
        (
            Edit(
                "            men = PAWN_ATTACKS[them * 64 + self.ep] & pawns\n            while men:\n"
                "                source = first(men)\n",
                "            men = PAWN_ATTACKS[them * 64 + self.ep] & pawns\n            source = first(men)\n"
                "            while men:\n",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    Planted(
        "move-list-overflow",
        MOVE_LIST,
        "The move list has room for 128 moves, and what comes after is dropped.",
        "_core",
        (
            Edit(
                "                    n += 1\n                men &= men - 1\n        return n\n",
                "                    n += 1\n                men &= men - 1\n        return min(n, 128)\n",
            ),
        ),
        ("movegen",),
        ("moves",),
    ),
    # ---------------------------------------------------------------- FEN, a field each
    Planted(
        "fen-reads-ranks-mirrored",
        FEN,
        "Each rank is read from the h file to the a file.",
        "fen",
        (Edit("mailbox += _read_rank(ranks[index])", "mailbox += _read_rank(ranks[index])[::-1]"),),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-drops-last-gap",
        FEN,
        "The empty squares at the end of a rank are not written.",
        "fen",
        (Edit('    return text + (str(run) if run else "")\n', "    return text\n"),),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-writes-white",
        FEN,
        "The side to move is written as white's, whoever's it is.",
        "fen",
        (Edit('side = "w" if position.turn == WHITE else "b"', 'side = "w"'),),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-reads-three-rights",
        FEN,
        "The reader stops after three castling letters and drops the fourth right.",
        "fen",
        (Edit("    for letter in text:\n        king, home", "    for letter in text[:3]:\n        king, home"),),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-writes-rights-of-one-side",
        FEN,
        "Black's rights are written only when white has none.",
        "fen",
        (
            Edit(
                '        text += letter.lower() if colour else letter\n    return text or "-"\n',
                "        if not (colour and text.isupper()):\n            text += letter.lower() if colour else letter\n"
                '    return text or "-"\n',
            ),
        ),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-ignores-en-passant",
        FEN,
        "The en passant square is read and then forgotten.",
        "fen",
        (Edit("        en_passant = _read_en_passant(", "        _read_en_passant("),),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-writes-victim-square",
        FEN,
        "The square of the pawn that moved two steps is written, not the one it passed over.",
        "fen",
        (Edit("passed = SQUARE_NAMES[target]", "passed = SQUARE_NAMES[target ^ 8]"),),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-writes-untakeable-en-passant",
        FEN,
        "The en passant square is written after every double push, where only a legal capture should show.",
        "fen",
        (
            Edit(
                'if target is None or (en_passant == "legal" and not position.has_legal_en_passant()):',
                "if target is None:",
            ),
        ),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-ignores-halfmove-clock",
        FEN,
        "The reader stops after the en passant field, and the halfmove clock starts at zero.",
        "fen",
        (
            Edit(
                "        halfmove = _read_clock(4, fields[4], 0)\n",
                "        halfmove = 0 * _read_clock(4, fields[4], 0)\n",
            ),
        ),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-ignores-move-number",
        FEN,
        "The reader takes every position for the first move of a game.",
        "fen",
        (
            Edit(
                "        fullmove = _read_clock(5, fields[5], 1)\n",
                "        fullmove = _read_clock(5, fields[5], 1) and 1\n",
            ),
        ),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-swaps-clocks",
        FEN,
        "The two clocks are written in the wrong order.",
        "fen",
        (Edit("{position.halfmove} {position.fullmove}", "{position.fullmove} {position.halfmove}"),),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-takes-inner-rook",
        FEN,
        "A right is given to the rook nearest to the king, where the outermost is meant.",
        "fen",
        (
            Edit("squares = range(first + 7, king, -1)", "squares = range(king + 1, first + 8)"),
            Edit("squares = range(first, king)", "squares = range(king - 1, first - 1, -1)"),
        ),
        ("fen",),
        ("fen",),
    ),
    Planted(
        "fen-writes-inner-rook-as-outer",
        FEN,
        "A Chess960 right is written K or Q even where another rook stands further out.",
        "fen",
        (Edit("if shredder or ROOK + 6 * colour in outside else", "if shredder else"),),
        ("fen",),
        ("fen",),
        chess960=True,
    ),
    # ---------------------------------------------------------------- outcome
    Planted(
        "stalemate-as-mate",
        OUTCOME,
        "A side without moves is called mated, in check or not.",
        "outcome",
        (Edit("return Outcome.CHECKMATE if position.is_check() else Outcome.STALEMATE", "return Outcome.CHECKMATE"),),
        ("movegen",),
        ("outcome",),
    ),
    Planted(
        "fifty-moves-end-game",
        OUTCOME,
        "The fifty-move rule, which must be claimed, ends the game by itself.",
        "outcome",
        (Edit("SEVENTYFIVE_MOVES_PLIES: Final = 150", "SEVENTYFIVE_MOVES_PLIES: Final = 100"),),
        ("make",),
        ("outcome",),
    ),
    Planted(
        "any-bishops-are-dead",
        OUTCOME,
        "Bishops alone are called insufficient, whichever colours they stand on.",
        "outcome",
        (Edit("return not bishops & _DARK_SQUARES or not bishops & ~_DARK_SQUARES", "return True"),),
        ("movegen",),
        ("outcome",),
    ),
    Planted(
        "minor-pieces-are-dead",
        OUTCOME,
        "Two minor pieces are called insufficient, although they can mate a king that helps.",
        "outcome",
        (Edit("return not bishops and knights & (knights - 1) == 0", "return (knights | bishops).bit_count() <= 2"),),
        ("movegen",),
        ("outcome",),
    ),
    Planted(
        "threefold-ends-game",
        OUTCOME,
        "Threefold repetition, which must be claimed, ends the game by itself.",
        "outcome",
        (Edit("if times >= 5:", "if times >= 3:"),),
        ("hash",),
        ("outcome",),
        path=True,
    ),
    Planted(
        "repetition-counted-short",
        OUTCOME,
        "The position on the board is not counted as one of its own repetitions.",
        "_core",
        (Edit("        times = 1\n        for back", "        times = 0\n        for back"),),
        ("hash",),
        ("outcome",),
        path=True,
    ),
)
