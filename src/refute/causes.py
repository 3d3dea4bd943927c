"""Which findings have one cause: one bug shows itself in many places, and is to be told once.

    finding ──causes_of──▶ Names, such as "extra: pinned on a diagonal" ──┐
    finding ──causes_of──▶ Names ─────────────────────────────────────────┴─ a name in common: one cause

A finding is named by its signature, and beside that by what it broke: the rule that an extra move breaks or a
missing one obeys, the kind of move whose make is convicted, the invariant that does not hold. And there are names
that would explain it: a castle into an attack that nobody sees is no cause of its own where a king may walk there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import chess

from refute.board.changes import sort_of_change
from refute.divergence import Divergence, Facet, Signature, Verdict
from refute.explain import board_after
from refute.judge import FEN_FIELDS
from refute.kinds import NO_KIND
from refute.walk import Walk
from refute.wrong_moves import ANY_RULE, WrongMove, contradictions, misjudged_checks, plain

ANY_MOVE: Final = "any move"  # the kind of a complaint that spares none, or strikes several kinds
KINDS: Final = ("en passant", "castle", "promotion", "double push", "capture", "quiet move")  # of such complaints
ENOUGH_KINDS: Final = 3  # broken alike, to have one cause: what all of them do
STATE: Final = (Facet.INVARIANTS, Facet.KEY, Facet.RESTORE)
UNMAKE: Final = "unmake"  # a board that is not restored
# A man is recorded twice, and whichever check comes first tells that the records disagree.
RECORDS: Final = ("bitboards overlap", "mailbox disagrees with a bitboard", "mailbox holds a man that no bitboard has")
DISAGREE: Final = "the mailbox and the bitboards disagree"
SPECIAL: Final = ("castle", "en passant")  # moves that make has code of its own for
SQUARES: Final = re.compile("[a-h][1-8][a-h][1-8][nbrq]?$")
FRAME: Final = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')


@dataclass(frozen=True, slots=True)
class Names:
    """What a finding is called after, what it would explain, and what would explain it."""

    names: frozenset[str]
    explains: frozenset[str]
    under: frozenset[str] = frozenset()

    def is_one_with(self, other: Names) -> bool:
        return bool(self.names & other.names)

    def is_under(self, other: Names) -> bool:
        return bool(self.under & (other.names | other.explains))


def causes_of(found: Divergence) -> Names:
    """What a finding may be called after; two that share a name have one cause."""
    names, explains, under = {str(key_of(found))}, set[str](), set[str]()
    if found.facet is Facet.MOVES and found.verdict is Verdict.MOVEGEN:
        wrong = WrongMove.of(found)
        if wrong is not None:
            names.update(wrong.names())
            under.update(wrong.under())
        elif not found.missing and not found.extra:
            under.update(contradictions(found.walk))
    elif found.facet is Facet.CHECK:
        under.update(misjudged_checks(found.walk, of_mover=True))
    elif found.facet is Facet.FEN and found.verdict is Verdict.FEN and found.kind == NO_KIND:
        # A right position is refused where the other side seems to be in check.
        under.update(misjudged_checks(found.walk, of_mover=False))
    elif found.facet in STATE:
        names.update(_of_state(found))
        if found.verdict is Verdict.MOVEGEN and found.move is not None:
            # The move is right, and so is its make: a king that it leaves behind seems to be attacked.
            under.update(misjudged_checks(found.walk.then(found.move), of_mover=False))
        if found.verdict is Verdict.UNMAKE:
            explains.add(UNMAKE)
        if found.kind != ANY_MOVE:
            under.add(_state_name(found, ANY_MOVE))
        if found.kind not in (ANY_MOVE, NO_KIND, *KINDS):
            # A move that goes wrong only after others were tried suffers from what they left behind.
            under.add(UNMAKE)
    elif found.facet is Facet.OUTCOME:
        # Whatever was moved last: a repetition is one of positions.
        names.add(f"outcome: {found.verdict}, {found.actual} for {found.expected}")
    elif found.facet is Facet.PERFT and found.verdict is Verdict.MAKE:
        # What it is counted below is innocent: something was not taken back before, or is not made as it should be.
        names.add("perft: a wrong count over right lists")
    elif found.facet is Facet.CRASH:
        frames = [frame.groups() for frame in map(FRAME.search, found.transcript) if frame is not None]
        if frames:
            names.add(f"crash: {' '.join(frames[-1])}")
    if found.verdict is Verdict.MAKE:
        names.update(_of_make(found))
    return Names(frozenset(names), frozenset(explains), frozenset(under))


def key_of(found: Divergence) -> Signature:
    """The signature, with what is broken where that tells causes apart: two faults may strike one kind of move."""
    more = ""
    if found.facet in STATE and found.kind != NO_KIND:
        more = _broken(found)
    elif found.facet is Facet.MOVES and found.verdict is Verdict.MOVEGEN:
        wrong = WrongMove.of(found)
        more = wrong.rule() if wrong is not None else ""
    return Signature(found.facet, found.verdict, f"{found.kind}: {more}") if more else found.signature


def rule_of(found: Divergence) -> str:
    """The one name that tells most: what was broken, or the signature where nothing more is known."""
    names = causes_of(found).names
    return min(names - {str(key_of(found))}, default=str(key_of(found)))


def group(named: Sequence[Names]) -> list[list[int]]:
    """Findings by their causes, as lists of their numbers; each list, and the list of lists, in their order."""
    groups: list[list[int]] = []
    for number, names in enumerate(named):
        same = [one for one in groups if any(names.is_one_with(named[other]) for other in one)]
        groups = [one for one in groups if one not in same]
        groups.append(sorted([number, *(other for one in same for other in one)]))
    groups.sort()
    for name, count in Counter(name for names in named for name in names.under).items():
        # What strikes enough kinds alike strikes them all, even if no finding says so.
        if name.endswith(ANY_MOVE) and count >= ENOUGH_KINDS:
            struck = [one for one in groups if any(name in named[number].under for number in one)]
            groups = [[number for one in struck for number in one], *(one for one in groups if one not in struck)]
        elif name.endswith(ANY_RULE):
            # And what breaks enough rules alike breaks them all.
            struck = [one for one in groups if any(name in named[number].under for number in one)]
            if len(struck) >= ENOUGH_KINDS:
                groups = [[n for one in struck for n in one], *(one for one in groups if one not in struck)]
    groups.sort()
    return _put_below(groups, named)


def _put_below(groups: list[list[int]], named: Sequence[Names]) -> list[list[int]]:
    """Let each group that another explains join it.

    It joins one alone: two that explain the same thing need have nothing else in common.
    """
    above = list(range(len(groups)))
    for number, one in enumerate(groups):
        for other, many in enumerate(groups):
            explains = any(named[low].is_under(named[high]) for low in one for high in many)
            if other != number and explains and _top(other, above) != number:
                above[number] = other
                break
    joined: dict[int, list[int]] = {}
    for number, one in enumerate(groups):
        joined.setdefault(_top(number, above), []).extend(one)
    return sorted(sorted(one) for one in joined.values())


def _top(number: int, above: list[int]) -> int:
    while above[number] != number:
        number = above[number]
    return number


def related(names: Names, others: Sequence[Names]) -> list[int]:
    """Which of the others have the cause of this one: all that share a name or that it explains, else one above it."""
    same = [number for number, other in enumerate(others) if names.is_one_with(other) or other.is_under(names)]
    if not any(names.is_one_with(others[number]) for number in same):
        same += [number for number, other in enumerate(others) if number not in same and names.is_under(other)][:1]
    return same


# ------------------------------------------------------------------------------ make, unmake, key


def _of_make(found: Divergence) -> Iterator[str]:
    """Whatever facet shows it, the move whose make is convicted; a wrong field of the FEN has its own name."""
    if found.facet in (Facet.MOVES, Facet.CHECK, Facet.FEN) and found.kind not in FEN_FIELDS and found.walk.moves:
        before = Walk(found.walk.fen, found.walk.moves[:-1], found.walk.chess960)
        made = sorted(_attributes(before, found.walk.moves[-1]))
        yield f"make: {made[0] if made else '-'}"
    elif found.facet is Facet.INVARIANTS and found.kind in SPECIAL:
        yield f"make: {found.kind}"


def _of_state(found: Divergence) -> Iterator[str]:
    if found.kind == ANY_MOVE:
        yield _state_name(found, ANY_MOVE)
    elif found.move is not None and found.kind in KINDS:
        yield from (_state_name(found, word) for word in _attributes(found.walk, found.move))


def _state_name(found: Divergence, word: str) -> str:
    return f"{found.facet}, {found.verdict}: {_broken(found)}, {word}"


def _broken(found: Divergence) -> str:
    """What is wrong with the board, without the squares and numbers of the one place where it was seen."""
    broken = plain(sort_of_change(found.actual))
    return DISAGREE if any(text in broken for text in RECORDS) else broken


def _attributes(walk: Walk, uci: str) -> set[str]:
    """What a move is: the words by which moves that fail alike may be of one kind."""
    board = board_after(walk)
    if board is None:
        return set()
    try:
        move = board.parse_uci(uci)
    except ValueError:
        if not SQUARES.match(uci) or uci[:2] == uci[2:4]:
            return set()
        move = chess.Move.from_uci(uci)
        if not board.is_pseudo_legal(move):
            return set()
    if board.is_castling(move):
        return {"castle"}
    if board.is_en_passant(move):
        return {"en passant"}
    words = set()
    if move.promotion is not None:
        words.add("a promotion")
    elif board.is_capture(move):
        words.add("capture")
    elif board.piece_type_at(move.from_square) == chess.PAWN and abs(move.to_square - move.from_square) == 16:
        words.add("double push")
    else:
        words.add("quiet move")
    after = board.copy(stack=False)
    after.push(move)
    if board.clean_castling_rights() != after.clean_castling_rights():
        words.add("move that ends a castling right")
    return words
