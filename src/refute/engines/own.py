"""Our own board as an engine: compiled, interpreted, or an edited copy, and always examined from inside.

position ──▶ moves, FEN, check, outcome, key      compared with the witnesses
         └─▶ _examine: audit, FEN twin, mirror    complaints, which need no witness
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Final, Self

import refute.board.fen
import refute.board.outcome
from refute import __version__
from refute.board.changes import SETS, sort_of_change, tell_changes
from refute.board.constants import EMPTY, KING, NO_SQUARE, QUEEN
from refute.board.copies import interpreted_copy
from refute.board.zobrist import name_difference
from refute.engines.protocol import Ability, Answer, Complaint, Fault, Question, Trouble
from refute.errors import BrokenInvariant, FenError, InputError, RefuteError
from refute.walk import Walk

# The invariants that speak of the key alone: the position is right and its hash is not.
KEY_INVARIANTS: Final = frozenset({12, 16})

KINDS: Final = ("en passant", "castle", "promotion", "double push", "capture", "quiet move")  # most telling first

# What a board calls its fields, and what the field of a FEN is called.
FEN_FIELDS: Final = {
    "turn": "side to move",
    "castling": "castling rights",
    "en passant": "en passant square",
    "halfmove clock": "halfmove clock",
    "fullmove number": "move number",
}

UNTELLING: Final = KINDS[-2:]  # where there is no other move, these say nothing

# The fields that moves are generated from.
GENERATED_FROM: Final = ("board", "bitboards", *SETS, "turn", "castling", "rook homes", "en passant")

_STAGES: Final = {
    "make": ("invariants", "make"),
    "unmake": ("restore", "unmake"),
    "null": ("null", "make"),
    "unmake null": ("null", "unmake"),
    "generate": ("moves", "movegen"),
}


class OwnEngine:
    """The board of this package, or of an interpreted copy of it."""

    def __init__(self, *, pure: bool = False, board: ModuleType | None = None, name: str | None = None) -> None:
        if board is None:
            board = interpreted_copy("refute_interpreted_board") if pure else refute.board
        # Any: a copy's Position is another class than ours, with the same methods.
        self._board: Any = board
        self._name = name or ("own:pure" if pure else "own")

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> str:
        mode = "compiled" if self._board._core.is_compiled() else "interpreted"
        return f"refute {__version__} ({mode})"

    @property
    def abilities(self) -> frozenset[Ability]:
        return frozenset(Ability)

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        """Answer at every position of the walk, made move by move on one board."""
        answers: list[Answer | Fault] = []
        try:
            position = self._board.fen.parse(walk.fen, chess960=walk.chess960)
            prints = []
            for text in walk.moves:
                answers.append(self._answer(position, question, last=False))
                prints.append(position.fingerprint())
                position.make_uci(text)
            last = self._answer(position, question, last=True)
            if Ability.STATE in question.asks and last.complaint is None:
                last.complaint = _take_all_back(position, prints)
            answers.append(last)
        except InputError as error:
            answers.append(Fault(Trouble.ASTRAY, str(error)))  # it refuses a FEN or a move that is right
        except Exception as error:  # an edited copy may raise anything, and that is a finding
            answers.append(_fault(error))
        return answers

    def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        """Answer at the end of each walk, each on a fresh board."""
        return [self._answer_at(walk, question) for walk in walks]

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _answer_at(self, walk: Walk, question: Question) -> Answer | Fault:
        try:
            position = self._board.fen.parse(walk.fen, chess960=walk.chess960)
            for text in walk.moves:
                position.make_uci(text)
            return self._answer(position, question, last=True)
        except InputError as error:
            return Fault(Trouble.ASTRAY, str(error))
        except Exception as error:  # as in `along`
            return _fault(error)

    def _answer(self, position: Any, question: Question, *, last: bool) -> Answer:
        asks = question.asks
        answer = Answer()
        if Ability.MOVES in asks:
            answer.moves = position.codes()
        if Ability.CHECK in asks:
            answer.check = position.is_check()
        if Ability.FEN in asks:
            answer.fen = self._board.fen.write(position)
        if Ability.NUMBERS in asks:
            answer.numbers = position.numbers()
        if Ability.OUTCOME in asks:
            answer.outcome = self._board.outcome.outcome(position) or ""
        if Ability.KEY in asks:
            answer.key = position.key
        if Ability.STATE in asks and not question.only_taken_back:
            answer.complaint = self._examine(position, last=last)
        # A board that is not restored after every move may count anything, or crash: its complaint says more.
        if Ability.PERFT in asks and question.depth > 0 and answer.complaint is None:
            answer.divide = {position.code(move): nodes for move, nodes in position.divide(question.depth).items()}
        return answer

    def _examine(self, position: Any, *, last: bool) -> Complaint | None:
        """Everything that can be known to be wrong without asking anyone else."""
        try:
            position.audit()
        except BrokenInvariant as failure:
            # Generators are compared by playing moves: what is not restored makes them seem to differ.
            unrestored = _unrestored(position) if failure.stage == "generate" else None
            return unrestored or _complaint(position, failure)
        except Exception:  # an edited copy may raise anything, and most of all on a board that was not restored
            complaint = _unrestored(position) or _unplayable_mirror(position)
            if complaint is None:
                raise
            return complaint
        complaint = self._check_twin(position)
        # Told by its FEN alone a position is always checked, so that what is found so shrinks to that.
        if complaint is None and last and (position.ply == 0 or position.key % 4 == 0):
            complaint = self._check_siblings(position)
        # Counting three plies costs as much as all the rest, so one walk in eight is enough.
        if complaint is None and last and position.key % 8 == 0:
            complaint = self._check_table(position)
        return complaint

    def _check_twin(self, position: Any) -> Complaint | None:
        """A fresh board read from the position's FEN is the same position, key included."""
        text = self._board.fen.write(position, en_passant="always")
        try:
            twin = self._board.fen.parse(text, chess960=position.chess960)
        except RefuteError as error:
            field = FEN_FIELDS.get(error.field) if isinstance(error, FenError) else None
            return Complaint("fen", "fen", None, f"its own FEN {text!r} is refused: {error}", field)
        if position == twin:
            return self._check_policy(position, text)
        ours, theirs = position.fields(), twin.fields()
        shown = tell_changes(ours, theirs)
        if [name for name in ours if ours[name] != theirs[name]] == ["key"]:
            return Complaint("key", "hash", None, f"a fresh board read from {text!r} has another key: {shown}")
        told = f"a fresh board read from {text!r} is another position: {shown}"
        return Complaint("fen", "fen", None, told, _misread(ours, theirs))

    def _check_policy(self, position: Any, always: str) -> Complaint | None:
        """Under the policy "legal" a square that nothing can take on is left out, and nothing else."""
        fields = always.split(" ")
        if fields[3] == "-":
            return None
        if not position.has_legal_en_passant():
            fields[3] = "-"
        text, wanted = self._board.fen.write(position), " ".join(fields)
        return None if text == wanted else Complaint("fen", "fen", None, f"written {text!r}, expected {wanted!r}")

    def _check_siblings(self, position: Any) -> Complaint | None:
        """Positions that differ in one thing alone have different keys: side, right, en passant, one man."""
        men, turn, rights = position.mailbox(), position.turn, position.castling
        homes = [home if home is not None else NO_SQUARE for home in map(position.rook_home, range(4))]
        passed = position.en_passant if position.has_legal_en_passant() else None
        changes: list[tuple[str, list[int], int, int, int | None]] = [("side to move", men, 1 - turn, rights, None)]
        changes += [("castling rights", men, turn, rights & ~(1 << right), passed) for right in range(4)]
        changes.append(("en passant square", men, turn, rights, None))
        for square in [square for square in range(64) if men[square] % 6 < KING and men[square] != EMPTY][:2]:
            other = [*men]
            # The next piece in the order of pieces, and of the other colour: a queen for a rook, a pawn for a queen.
            other[square] = (men[square] + 7) % 12 if men[square] % 6 < QUEEN else (men[square] + 2) % 12
            changes.append(("man", other, turn, rights, passed))
        # An en passant square that nobody can take on is no part of what the position is.
        is_passed = position.en_passant is not None and passed is None
        if is_passed and self._sibling_key(position, men, turn, rights, homes, None) != position.key:
            return Complaint("key", "hash", None, "an en passant square that nobody can take on changes its key")
        keys: dict[int, str] = {}
        for name, mailbox, side, castling, target in changes:
            if (mailbox, side, castling, target) == (men, turn, rights, passed):
                continue
            key = self._sibling_key(position, mailbox, side, castling, homes, target)
            if key == position.key or key in keys:
                text = f"the key {key:016x} is shared by positions that differ in the {name} alone"
                return Complaint("key", "hash", None, text)
            keys[key] = name
        return None

    def _sibling_key(
        self, position: Any, men: list[int], side: int, rights: int, homes: list[int], passed: int | None
    ) -> int:
        sibling = position.copy()  # cheaper than a new one
        sibling.set_up(
            men, side, rights, homes, NO_SQUARE if passed is None else passed, 0, 1, chess960=position.chess960
        )
        key: int = sibling.key
        return key

    def _check_table(self, position: Any) -> Complaint | None:
        """A table of counts changes no count; three plies are where transpositions begin."""
        try:
            hashed, plain = position.perft_hashed(3, megabytes=1), position.perft(3)
            if hashed == plain:
                return None
            position.perft_checked(3)
        except Exception:  # something else is wrong further down, and shows itself on a walk that goes there
            return None
        return Complaint("perft", "hash", None, f"perft 3 is {plain}, and {hashed} with a hash table")


def _misread(ours: dict[str, object], theirs: dict[str, object]) -> str | None:
    """The field of the FEN that was read wrong, where it is one alone; what follows from it is not counted."""
    wrong = [field for name, field in FEN_FIELDS.items() if ours[name] != theirs[name]]
    return wrong[0] if len(wrong) == 1 and ours["board"] == theirs["board"] else None


def _unrestored(position: Any) -> Complaint | None:
    """The first move, safe for the king or not, that leaves the board changed when tried and taken back.

    Each has a board of its own, so that none suffers from what another left behind.
    """
    for move in sorted(position.pseudo_legal_moves(), key=lambda move: (KINDS.index(_kind(move)), move)):
        trial = position.copy()
        before = trial.fields()
        try:
            trial.is_safe(move)
        except Exception:  # it is not taken back at all
            continue
        after = trial.fields()
        # What no generator looks at, such as the key, makes none of them seem wrong.
        if any(before[name] != after[name] for name in GENERATED_FROM):
            told = tell_changes(before, after)
            return Complaint("restore", "unmake", position.uci(move), f"after unmake: {told}", _kind(move))
    return None


def _unplayable_mirror(position: Any) -> Complaint | None:
    """A position that can be played can be played with colours exchanged."""
    broken = position.mirrored().validate()
    if broken is None or position.validate() is not None:
        return None
    return Complaint("moves", "movegen", None, f"the colour-mirrored position cannot be played: {broken}")


def _complaint(position: Any, failure: BrokenInvariant) -> Complaint:
    facet, verdict = _STAGES[failure.stage]
    if failure.number in KEY_INVARIANTS and failure.stage in ("make", "null"):
        facet, verdict = ("key" if failure.stage == "make" else "null"), "hash"
    if not failure.path or not failure.path[-1]:
        return Complaint(facet, verdict, None, str(failure))
    move, text, kind = failure.path[-1], str(failure), None
    if failure.stage in ("make", "unmake"):
        move, text, kind = _most_particular(position, failure)
        if facet == "key" and (wrong := _wrong_in_key(position, move)):
            text += f", by {wrong}"
    return Complaint(facet, verdict, position.uci(move), text, kind)


def _most_particular(position: Any, failure: BrokenInvariant) -> tuple[int, str, str | None]:
    """Of the moves that fail alike, the one that tells most, and the one kind they are all of.

    The first in the order of the generator would tell nothing, and would give one fault many names. A
    fault that spares no move, or strikes three kinds and more, is one of "any move"; of two kinds the more
    telling one names it, because each of them may be struck by a fault of its own.
    """
    legal = position.legal_moves()
    failed = {}
    for move in legal:
        try:
            position.audit_move(move)
        except BrokenInvariant as other:
            if (other.stage, other.number) == (failure.stage, failure.number):
                failed[move] = other
    # What one move leaves behind and what another does may be two faults, of which the rarer shows in few places.
    broken = {move: _broken(position, move, other) for move, other in failed.items()}
    counts = Counter(broken.values())
    rarest = min(counts, key=lambda sort: (counts[sort], sort), default="")
    alike = {move: other for move, other in failed.items() if broken[move] == rarest}
    if not alike:
        return failure.path[-1], str(failure), None
    kinds = sorted({_kind(move) for move in alike}, key=KINDS.index)
    move = min(alike, key=lambda move: (KINDS.index(_kind(move)), move))
    text = str(failure) if move == failure.path[-1] else _tell(position, move, alike[move])
    spares_none = len(alike) == len(legal) and (len(kinds) > 1 or kinds[0] in UNTELLING)
    return move, text, "any move" if spares_none or len(kinds) > 2 else kinds[0]


def _broken(position: Any, move: int, failure: BrokenInvariant) -> str:
    """What a move leaves changed when it is taken back, or what is wrong in the key, without the place."""
    if failure.stage == "unmake":
        return sort_of_change(_tell(position, move, failure))
    return "" if failure.number not in KEY_INVARIANTS else sort_of_change(_wrong_in_key(position, move))


def _wrong_in_key(position: Any, move: int) -> str:
    """What the key has too much or too little of after a legal move; empty where that cannot be told."""
    if not position.is_legal(move):
        return ""
    trial = position.copy()
    trial.make(move)
    return name_difference(trial.key, trial.compute_key())


def _tell(position: Any, move: int, failure: BrokenInvariant) -> str:
    """What is wrong after one move: for one taken back, what it left changed, as `audit` tells it."""
    if failure.stage != "unmake":
        return str(failure)
    trial = position.copy()
    before = trial.fields()
    trial.make(move)
    trial.unmake()
    told = tell_changes(before, trial.fields())
    return str(BrokenInvariant("unmake", told or failure.message, failure.path, number=failure.number))


def _kind(move: int) -> str:
    flag = move >> 12
    if flag & 8:
        return "promotion"
    return ("quiet move", "double push", "castle", "castle", "capture", "en passant")[flag]


def _take_all_back(position: Any, prints: list[int]) -> Complaint | None:
    """Every position of the walk comes back, the whole way: the undo stack holds as much as was made."""
    for ply in range(len(prints) - 1, -1, -1):
        position.unmake()
        if position.fingerprint() != prints[ply]:
            text = f"taking back {len(prints) - ply} moves from here does not lead where the walk was"
            return Complaint("restore", "unmake", None, text)
    return None


def _fault(error: Exception) -> Fault:
    lines = traceback.format_exception(error)
    transcript = tuple(line for block in lines for line in block.rstrip().splitlines())[-20:]
    return Fault(Trouble.CRASH, f"{type(error).__name__}: {error}", transcript)
