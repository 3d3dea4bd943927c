"""What is wrong about a move that is missing or extra, as a name that does not depend on where it was seen.

board, "d5c6", extra  ──▶  "extra: pinned on a diagonal"; explained by "extra: king attacked by a bishop"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Self

import chess

from refute.divergence import Divergence
from refute.explain import board_after
from refute.places import ONLY_ON, SLIDERS
from refute.reasons import kind_on, pinner_of, why_illegal, wrapped
from refute.remarks import remarks
from refute.walk import Walk

PIECES: Final = "pawn|knight|bishop|rook|queen|king"
NO_MOVES: Final = ("not a move", "null move", "no such piece", "opponent's piece")
GOES_ASTRAY: Final = "the king goes where it is attacked"
IN_THE_WAY: Final = "a man stands in the way"
ANY_RULE: Final = "whatever attacks"
ATTACK: Final = re.compile("out of check|attacked")
SLIDER: Final = re.compile("bishop|rook|queen")
NO_CAPTURE: Final = "missing: a slider's capture"
WRAPS: Final = "it wraps around the edge of the board"


def plain(text: str) -> str:
    """A clause without what it says of one place only: which man, which square, which side, what number.

    >>> plain("the rook on h5 is pinned along rank 5 by the queen on a5 and the king on b2")
    'a man is pinned along a line by a man'
    """
    text = re.sub(r"(?<!\w)'[^']*'", "…", text)
    text = re.sub(rf"\bthe (?:{PIECES}) on [a-h][1-8]\b", "a man", text)
    text = re.sub(rf"\ba (?:white|black) (?:{PIECES}) on [a-h][1-8]\b", "a man", text)
    text = re.sub(r"\ba man(?:(?:,| and) a man)+", "a man", text)
    text = re.sub(r"\b(?:rank [1-8]|(?:the )?[a-h]-file|the diagonal)", "a line", text)
    text = re.sub(r"\b[a-h][1-8]\b", "a square", text)
    text = re.sub(r"\b(?:white|black)(?:'s)?\b", "a side", text)
    return re.sub(r"\b-?[0-9]+\b", "a number", text)


def attacked_by(board: chess.Board, square: int) -> str:
    """The name of an attack that is not seen."""
    return f"{GOES_ASTRAY} by a {_name(board, square)}"


def misjudged_checks(walk: Walk, *, of_mover: bool) -> Iterator[str]:
    """What would explain that a check is not seen, or one seen that is none."""
    board = board_after(walk)
    if board is not None:
        yield from _misjudged(board, board.turn if of_mover else not board.turn)


def contradictions(walk: Walk) -> Iterator[str]:
    """What would explain that a generator contradicts itself, here or where colours are exchanged."""
    board = board_after(walk)
    if board is not None:
        mirrored = board.mirror()
        for one in (board, mirrored):
            for side in chess.COLORS:
                yield from _bound_to(one, one.pieces(chess.KING, side), side)
            for slider in chess.SquareSet(one.bishops | one.rooks | one.queens):
                for target in _alone(one, slider).attacks(slider):
                    yield _only_on(slider, _direction(slider, target))
        # A check that is none makes it a position that cannot be played.
        yield from _misjudged(mirrored, not mirrored.turn)


def _misjudged(board: chess.Board, side: chess.Color) -> Iterator[str]:
    king = board.king(side)
    if king is not None:
        for man in board.attackers(not side, king):
            yield f"extra: {attacked_by(board, man)}"
            if board.piece_type_at(man) in SLIDERS:
                yield NO_CAPTURE
        yield from _feigned_attacks(board, king, not side)
        yield from _bound_to(board, [king], side)


def _bound_to(board: chess.Board, kings: Iterable[int], side: chess.Color) -> Iterator[str]:
    """The one wrong entry that would explain that a king of that side seems safe on a square, or attacked there.

    It is that of a slider on a line with it, or of the square: attackers are looked up as if the king slid.
    """
    sliders = chess.SquareSet(board.occupied_co[not side] & (board.bishops | board.rooks | board.queens))
    for king in dict.fromkeys(kings):
        # Whatever stands between: that it is not noticed may be what is wrong.
        for slider in sliders:
            if king in _alone(board, slider).attacks(slider):
                yield from (_only_on(square, _direction(slider, king)) for square in (slider, king))


def _only_on(square: int, line: str) -> str:
    return f"only on {chess.square_name(square)}: {line}"


def _alone(board: chess.Board, square: int) -> chess.BaseBoard:
    """The man on a square, with nothing in its way."""
    alone = chess.BaseBoard.empty()
    alone.set_piece_at(square, board.piece_at(square))
    return alone


def _feigned_attacks(board: chess.Board, target: int, side: chess.Color) -> Iterator[str]:
    """What would explain that a square seems attacked by a side, though nothing does: men that jump or wrap around."""
    for square in chess.SquareSet(board.occupied_co[side]):
        if target in _alone(board, square).attacks(square):
            yield f"extra: jumps over a man on a {_direction(square, target)}"
        elif _wraps(board, square, target):
            yield f"extra: {_name(board, square)}, {WRAPS}"


def _name(board: chess.Board, square: int) -> str:
    return chess.piece_name(board.piece_type_at(square) or chess.KING)


def _direction(source: int, target: int) -> str:
    return "straight line" if source & 7 == target & 7 or source >> 3 == target >> 3 else "diagonal"


def _wraps(board: chess.Board, source: int, target: int) -> bool:
    """Whether a man would come there by adding numbers without minding the edge of the board."""
    piece = board.piece_at(source)
    if piece is None or piece.piece_type != chess.PAWN:
        return target in wrapped(source, board.piece_type_at(source))
    step = 8 if piece.color else -8
    return target - source in (step - 1, step + 1) and chess.square_distance(source, target) > 1


@dataclass(frozen=True, slots=True)
class WrongMove:
    """A move that is missing, extra, or listed twice, on the board where it is."""

    board: chess.Board
    uci: str
    move: chess.Move
    kind: str
    is_twice: bool
    letters: frozenset[str]  # of all promotions between the same squares that are wrong
    missing: tuple[chess.Move, ...]  # with it, and it among them where it is missing itself
    only_on: str = ""  # the one square where it is wrong, where that is known

    @classmethod
    def of(cls, found: Divergence) -> Self | None:
        """The divergent move of a finding; None where it has none, or no board it could be made on."""
        board, uci = board_after(found.walk), found.move
        if board is None or uci is None or kind_on(board, uci) in NO_MOVES:
            return None
        listed = (*found.missing, *found.extra)
        letters = frozenset(text[4:] for text in listed if text[:4] == uci[:4])
        move = chess.Move.from_uci(uci)
        missing = tuple(legal for legal in board.legal_moves if legal.uci() in found.missing)
        is_twice = move in board.legal_moves and uci in found.extra
        only_on = found.notes.get(ONLY_ON)
        bound = only_on if isinstance(only_on, str) and only_on in chess.SQUARE_NAMES else ""
        return cls(board, uci, move, kind_on(board, uci), is_twice, letters, missing, bound)

    @property
    def is_legal(self) -> bool:
        return self.move in self.board.legal_moves

    def names(self) -> Iterator[str]:
        """By the rule that makes it illegal, or that it obeys; else by the man and the way it goes."""
        if self.only_on:
            yield _only_on(chess.parse_square(self.only_on), _direction(self.move.from_square, self.move.to_square))
        if self.is_twice:
            yield f"duplicate: {self._way()}"
            if any(kind_on(self.board, other.uci()) == self.kind for other in self.missing):
                # One is listed in the place of the other.
                yield f"missing: {self._way()}"
        elif self.is_legal:
            yield f"missing: {self._obeys() or self._way()}"
            if self._stops_short():
                yield NO_CAPTURE
        else:
            yield f"extra: {self._breaks()}"
            if self._is_pinned_pawn():
                yield "extra: a pinned pawn's move"

    def rule(self) -> str:
        """The rule that is broken, of those moves for which there are several that one fault seldom breaks at once."""
        if self.is_legal or self.is_twice:
            return ""
        broken = self._breaks()
        if self._is_castle():
            return broken
        return SLIDER.sub("slider", broken) if broken.startswith(GOES_ASTRAY) else ""

    def any_rule(self) -> Iterator[str]:
        """What would be broken if all of these were."""
        broken = self.rule()
        if broken.startswith("castle") and ATTACK.search(broken):
            yield f"extra: castle, {ANY_RULE}"
        elif broken and not broken.startswith("castle"):
            yield f"extra: {GOES_ASTRAY}, {ANY_RULE}"

    def under(self) -> Iterator[str]:
        """What would explain it, if it was found too."""
        board, move = self.board, self.move
        king, pinner = board.king(board.turn), pinner_of(board, move.from_square)
        if self.is_twice or king is None:
            return
        yield from self.any_rule()
        if board.piece_type_at(move.from_square) in SLIDERS:
            yield _only_on(move.from_square, _direction(move.from_square, move.to_square))
        if self._is_about_the_king():
            way = chess.SquareSet.between(king, move.to_square) if self._is_castle() else ()
            yield from _bound_to(board, (king, *way, *([move.to_square] * (king == move.from_square))), board.turn)
        if self.is_legal:
            if self.kind == "double push":
                yield "extra: only a pawn on its first square may move two ranks"
            if self.kind.startswith("capturing") and not self.letters:
                yield "missing: pawn capture"
            # It may seem to walk into an attack, or to leave a check as it is.
            yield from _feigned_attacks(board, move.to_square if king == move.from_square else king, not board.turn)
        elif pinner is not None:
            yield f"extra: {attacked_by(board, pinner)}"
        elif self.kind == "en passant":
            # Whatever it uncovers does not see the king, if it sees nothing that it could take.
            yield NO_CAPTURE
        elif self.kind.endswith("castle") and not board.is_check():
            way = chess.SquareSet.between(king, move.to_square)
            for square in (*way, move.to_square):
                yield from (f"extra: {attacked_by(board, man)}" for man in board.attackers(not board.turn, square))
        elif king == move.from_square:
            for square in self._attackers():
                yield f"missing: {self._attack(square)}"
                yield f"extra: {attacked_by(board, square)}"

    def _is_about_the_king(self) -> bool:
        """Whether it is right or wrong by what attacks its king, and not by how the man goes."""
        board, move = self.board, self.move
        if move.from_square == board.king(board.turn) or not self.is_legal:
            return self._is_castle() or board.is_pseudo_legal(move)
        return board.is_check() or board.is_pinned(board.turn, move.from_square)

    def _stops_short(self) -> bool:
        """Whether a slider goes wherever it may, but does not take what stands at the end."""
        board, move = self.board, self.move
        if board.piece_type_at(move.from_square) not in SLIDERS or self._obeys():
            return False
        own = [other for other in self.missing if other.from_square == move.from_square]
        return all(board.piece_at(other.to_square) is not None for other in own)

    def _obeys(self) -> str:
        """The rule that lets a legal move be played, where one that binds is about; "" otherwise."""
        if self.kind.endswith("castle"):
            return "castle"
        if self.board.is_check():
            return plain(next(iter(remarks(self.board, self.move)), ""))
        return "a pinned man's move" if self.board.is_pinned(self.board.turn, self.move.from_square) else ""

    def _breaks(self) -> str:
        board, move = self.board, self.move
        name = _name(board, move.from_square)
        why = why_illegal(self._with_any_victim(), self.uci) or why_illegal(board, self.uci)
        if self._is_castle():
            # One that ends on a man of its own side is told as a capture of it; and several men are no other rule.
            is_barred = not self.kind.endswith("castle") or why.endswith("in the way")
            return f"castle, {IN_THE_WAY if is_barred else plain(why)}"
        pinner = pinner_of(board, move.from_square)
        if pinner is not None and "is pinned along" in why:
            return f"pinned on a {_direction(move.from_square, pinner)}"
        if name == "pawn" and _wraps(board, move.from_square, move.to_square):
            return f"{name}, {WRAPS}"
        if why.startswith("it jumps over") and name != "pawn":
            return f"jumps over a man on a {_direction(move.from_square, move.to_square)}"
        if name == "king" and self._attackers():
            return self._king_unsafe()
        # A man that goes where none of its kind can is told by its kind; one that may not, by the rule alone.
        goes = "wraps" in why or "does not move" in why or self.kind == "en passant"
        return f"{name}, {plain(why)}" if goes else plain(why) or self._way()

    def _with_any_victim(self) -> chess.Board:
        """The board, with a knight in place of a king that is taken: how it came there tells more than that it does."""
        board, target = self.board, self.move.to_square
        if board.piece_type_at(target) != chess.KING or board.color_at(target) == board.turn:
            return board
        other = board.copy(stack=False)
        other.set_piece_at(target, chess.Piece(chess.KNIGHT, not board.turn))
        return other

    def _is_castle(self) -> bool:
        source, target = self.move.from_square, self.move.to_square
        goes_two = source >> 3 == target >> 3 and abs(source - target) == 2
        return self.kind.endswith("castle") or (self.kind == "king captures own piece" and goes_two)

    def _is_pinned_pawn(self) -> bool:
        is_pawn = self.board.piece_type_at(self.move.from_square) == chess.PAWN
        return is_pawn and pinner_of(self.board, self.move.from_square) is not None

    def _attackers(self) -> chess.SquareSet:
        """Who attacks the king once it has moved."""
        after = self.board.copy(stack=False)
        after.push(self.move)
        return after.attackers(not self.board.turn, self.move.to_square)

    def _king_unsafe(self) -> str:
        attackers = self._attackers()
        seen = attackers & self.board.attackers(not self.board.turn, self.move.to_square)
        if not seen:
            return "the king stays on the line of its checker"
        if self.board.piece_at(self.move.to_square) is not None:
            return "the king takes a man that is defended"
        return attacked_by(self.board, min(seen, key=lambda square: self.board.piece_type_at(square) or 0))

    def _attack(self, square: int) -> str:
        """How the man on a square would take the king that has moved, in the words of `_way`."""
        if self.board.piece_type_at(square) in SLIDERS:
            return f"a slide on a {_direction(square, self.move.to_square)}"
        name = _name(self.board, square)
        return "pawn capture" if name == "pawn" else name

    def _way(self) -> str:
        """The man and how it goes, whether or not it takes something there."""
        piece = self.board.piece_type_at(self.move.from_square)
        if piece in SLIDERS:
            return f"a slide on a {_direction(self.move.from_square, self.move.to_square)}"
        if piece != chess.PAWN:
            return chess.piece_name(piece or chess.KING)
        if self.move.promotion is None:
            return self.kind
        # All four at once have nothing to do with what the pawn becomes.
        if self.letters == set("nbrq"):
            return "pawn capture" if self.kind.startswith("capturing") else "pawn push"
        return self.kind.removeprefix("capturing ")
