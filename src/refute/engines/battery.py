"""Everything an interpreted copy of the board says through its public methods, as values to be compared.

    board ──Case.ask──▶ plain numbers, texts, and errors as values, all at once or one after the other
                        equal for two boards that are alike

A copy may be broken in any way at all, so whatever it raises is an answer too. What a board says when
its own fields or methods are spoilt on purpose is asked in `refute.engines.sabotage`, and what it
makes of numbers that no FEN would give it in `refute.engines.setups`.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from refute.board.constants import ALL
from refute.engines.positions import GAMES, POSITIONS, SMALL
from refute.errors import BrokenInvariant

Board = Any  # a copy's Position is another class than ours, with the same methods


@dataclass(frozen=True, slots=True)
class Case:
    """One group of questions to a board, and the name it is known by."""

    name: str
    ask: Callable[[Board], object]


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception as an answer."""

    kind: str
    text: str


def attempt(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What the call returns, or what it raises, as a value."""
    try:
        return function(*arguments, **options)
    except BrokenInvariant as failure:
        return "broken", failure.stage, failure.message, failure.path, failure.number
    except Exception as error:  # an edited copy may raise anything, and that is an answer
        return Raised(type(error).__name__, str(error)[:200])


def answers(ask: Callable[[Board], object], board: Board) -> Iterator[object]:
    """One answer after the other, where a case yields them, so that the first wrong one is enough.

    A Raised that stands alone is the case itself failing, not something it asked about.
    """
    said = attempt(ask, board)
    if not isinstance(said, Iterator):
        yield said
        return
    nothing = object()
    while (answer := attempt(next, said, nothing)) is not nothing:
        yield answer


NO_CASTLES: Final = (0x2000 | 4 << 6 | 63, 0x3000 | 60 << 6 | 0, 0x2000 | 27 << 6 | 12)  # rook and king ranks apart
SQUARES: Final = range(-1, 65)
COLOURS: Final = (-1, 0, 1, 2, 0.5)


def battery() -> list[Case]:
    """Every case about the fixed positions and games, those that cost little first."""
    cases = [Case("module", _ask_module), Case("empty board", lambda board: _facts(board._core.Position()))]
    cases += _cases(POSITIONS, {"facts": _facts})
    cases += [Case(f"game {number}", _game(start, moves.split())) for number, (start, moves) in enumerate(GAMES)]
    cases.append(Case("refusals", _refusals))
    cases += _cases(POSITIONS, {"texts": _texts, "copies": _copies, "null move": _null_move})
    cases += _cases(POSITIONS, {"moves made": _moves_made, "counts": _counts})
    cases.append(Case("deeper counts", _deeper_counts))
    return cases


def more_facts(positions: Sequence[tuple[str, bool]]) -> list[Case]:
    """The cases that any position will do for."""
    return _cases(positions, {"facts": _facts, "counts": _counts, "moves made": _moves_made})


def _cases(positions: Sequence[tuple[str, bool]], asks: dict[str, Callable[[Any], object]]) -> list[Case]:
    return [
        Case(f"{name} of {text}", _on(text, chess960, ask))
        for name, ask in asks.items()
        for text, chess960 in positions
    ]


def _on(text: str, chess960: bool, ask: Callable[[Any], object]) -> Callable[[Board], object]:
    return lambda board: ask(board.fen.parse(text, chess960=chess960))


# -------------------------------------------------------------------- what is asked


def _ask_module(board: Board) -> object:
    core = board._core
    looks = [
        attempt(core.slider_lookup, square, occupied, diagonal)
        for square in (-1, 0, 27, 63, 64, 1.5)
        for occupied in (0, 0x00FF_0000_1234_0081, (1 << 64) - 1)
        for diagonal in (True, False)
    ]
    return core.is_compiled(), looks, attempt(hash, core.Position())


def _facts(position: Any) -> object:
    """Every answer about the position as it stands, wrong arguments included."""
    ask = attempt
    return [
        (position.turn, position.castling, position.en_passant, position.halfmove, position.fullmove),
        (position.chess960, position.key, position.ply, position.has_legal_en_passant()),
        [ask(position.rook_home, right) for right in range(-1, 5)],
        [ask(position.piece_at, square) for square in (*SQUARES, 1.5)],
        [ask(position.bitboard, piece) for piece in range(-1, 13)],
        [ask(getattr(position, name), colour) for name in ("occupied", "king", "material") for colour in COLOURS],
        [ask(position.attackers, square, colour) for colour in (-1, 0, 1, 2) for square in SQUARES],
        [ask(position.is_attacked, square, colour) for colour in (0, 1) for square in SQUARES],
        [
            ask(getattr(position, name))
            for name in ("mailbox", "numbers", "occupancy", "checkers", "is_check", "pinned")
        ],
        [ask(getattr(position, name)) for name in ("score", "phase", "fields", "fingerprint", "compute_key")],
        [ask(getattr(position, name)) for name in ("repetitions", "moves_made", "key_history", "validate")],
        [in_order(ask(getattr(position, name))) for name in ("legal_moves", "pseudo_legal_moves", "filtered_moves")],
        [ask(getattr(position, name)) for name in ("codes", "count_moves")],
        ask(lambda: position.mirrored().fields()),
        ask(lambda: sorted(position.mirrored().legal_moves())),
        ask(lambda: position.mirrored().fingerprint()),
    ]


def in_order(moves: object) -> object:
    """In which order moves are listed is nobody's promise."""
    return sorted(moves) if isinstance(moves, list) else moves


def _texts(position: Any) -> object:
    """Moves to text and back, and what is no move at all."""
    legal = sorted(position.legal_moves())
    texts = [position.uci(move) for move in legal]
    pseudo = position.pseudo_legal_moves()
    return [
        texts,
        [position.code(move) for move in legal],
        [(position.code(castle), position.uci(castle)) for castle in NO_CASTLES],
        [attempt(position.parse_uci, text) for text in texts],
        [attempt(position.parse_uci, text) for text in ("e2e5", "a1a1", "e7e8k", "0000", "e1g1", "e1h1", "e8c8", "")],
        [(move, attempt(position.is_safe, move)) for move in sorted(pseudo)],
        [attempt(position.is_safe, move) for move in (0, 1, -1, 0xFFFF, 1.5)],
        [position.is_legal(move) for move in legal] + [position.is_legal(move) for move in (0, -1, 0xFFFF, 1 << 16)],
        [attempt(position.make, move) for move in (0, -1, 0xFFFF, 1 << 16, 1.5, None)],
        [attempt(position.audit_move, move) for move in (*legal[:20], 0, -1, 0xFFFF, 1.5)],
        attempt(position.make_uci, "a1a1"),
        position.fields(),
    ]


def _copies(position: Any) -> object:
    """A copy is equal, and playing on it leaves the first as it was; a pickle remembers the moves."""
    said: list[object] = []
    for make_copy in (type(position).copy, copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))):
        twin = attempt(make_copy, position)
        said.append(attempt(lambda: (twin == position, position == twin, twin.fields(), twin.moves_made())))  # noqa: B023 # called at once
        said.append(attempt(_play_on, twin))
        said.append((position.fields(), attempt(lambda: twin == position)))  # noqa: B023 # called at once
    return said, position == 1, position != position.copy()


def _play_on(position: Any) -> object:
    """Play the first of the sorted moves a few times, and all the way back."""
    said: list[object] = []
    for _ in range(4):
        moves = sorted(position.legal_moves(), reverse=True)
        if not moves:
            break
        position.make(moves[0])
        said.append((position.key, position.fields(), position.validate()))
    while position.ply:
        position.unmake()
    return said, position.fields()


def _null_move(position: Any) -> object:
    before = position.fields()
    said = attempt(position.make_null)
    between = (position.fields(), position.moves_made(), position.repetitions(), position.validate(), position.ply)
    moves = attempt(lambda: sorted(position.legal_moves()))
    return said, between, moves, attempt(position.unmake), position.fields() == before, position.validate()


def _moves_made(position: Any) -> object:
    """Each legal move played and taken back: what stands between and after."""
    said: list[object] = []
    before = position.fields()
    for move in sorted(position.legal_moves())[:48]:
        position.make(move)
        said.append((move, position.fields(), position.is_check(), position.count_moves(), position.validate()))
        position.unmake()
        if position.fields() != before or position.ply:
            said.append(("not taken back", move, position.fields()))
            break
    return said


def _counts(position: Any) -> object:
    """The leaves, counted in every way there is."""
    small = position.count_moves() < 100
    said: list[object] = [attempt(position.audit)]
    for depth in (0, 1, 2) if small else (0, 1):
        said.append(attempt(position.perft, depth))
        said.append(attempt(position.perft, depth, bulk=False))
        said.append(attempt(position.perft_hashed, depth, megabytes=1))
        said.append(attempt(position.perft_detailed, depth))
        said.append(attempt(position.perft_checked, depth) if depth < 2 else None)
        said.append(attempt(position.divide, depth))
    if position.count_moves() < 12:
        said.append(attempt(position.perft, 3))
        said.append(attempt(position.perft_hashed, 4, megabytes=1))
        said.append(attempt(position.perft_detailed, 3))
        said.append(attempt(position.perft_checked, 2))
    return said, position.fields(), position.ply


def _deeper_counts(board: Board) -> Iterator[object]:
    """Three plies and more, where few moves make that quick; and a table that spares its share of the work."""
    sizes: list[int] = []

    def allocate(words: int) -> StrictTable:
        sizes.append(words)
        return StrictTable(words)

    positions = [board.fen.parse(text) for text in SMALL]
    for position in positions:
        yield [attempt(getattr(position, name), 3) for name in ("perft", "perft_checked", "perft_detailed", "divide")]
        played = _count_and_makes(position, "perft", 3, bulk=False)
        hashed = _count_and_makes(position, "perft_hashed", 4, megabytes=1)
        # The last ply is not played. How much a table spares of the others depends on how it is laid out;
        # that it spares something does not.
        yield _count_and_makes(position, "perft", 4), played, hashed[0], hashed[1] < played[1]
        # In a table of seven places nearly every position finds another one's; in larger ones its neighbour's.
        yield [attempt(position._perft_hashed, 5, StrictTable(2 * slots), slots) for slots in (7, 97, 1009)]
        with replaced(board._core, "allocate_table", allocate):
            yield attempt(position.perft_hashed, 4, megabytes=3), attempt(position.perft_hashed, 2), sizes[-2:]
    yield from _keys_apart(*positions)
    # A place that nobody wrote to is no answer, even to a key whose tag is as empty as the place.
    for depth in (2, 3):
        positions[0].key = depth * board._core.MIXERS[0] & ALL
        yield [attempt(positions[0]._perft_hashed, depth, StrictTable(14), 7)]


def _count_and_makes(position: Any, name: str, depth: int, **options: Any) -> tuple[object, int]:
    """What a count comes to, and how many moves it played for that."""
    with counting(type(position), "_make") as calls:
        return attempt(getattr(position, name), depth, **options), calls[0]


def _keys_apart(one: Any, other: Any) -> Iterator[object]:
    """In one table, a position never finds what belongs to another one, to another depth, or to its neighbour in it."""
    for bit in range(0, 63, 3):
        for keys in ((0, 1 << bit), (1 << bit, 2 << bit)):
            for depths in ((2, 2), (2, 3), (3, 2)):
                table = StrictTable(14)
                one.key, other.key = keys
                asks = [(one, depths[0]), (other, depths[1])] * 2
                yield [attempt(position._perft_hashed, depth, table, 7) for position, depth in asks]


class StrictTable(dict[int, int]):
    """A table of so many zeros, and none beyond, as memory is when compiled."""

    def __init__(self, words: int) -> None:
        self.words = words

    def __getitem__(self, at: int) -> int:
        return self.get(self._within(at), 0)

    def __setitem__(self, at: int, word: int) -> None:
        super().__setitem__(self._within(at), word)

    def _within(self, at: int) -> int:
        if not 0 <= at < self.words:
            raise IndexError(f"word {at} of a table of {self.words}")
        return at


@contextmanager
def replaced(owner: Any, name: str, value: object) -> Iterator[None]:
    """Another value for a while."""
    sound = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, sound)


@contextmanager
def counting(kind: Any, method: str) -> Iterator[list[int]]:
    """Counts the calls of a method."""
    sound = getattr(kind, method)
    calls = [0]

    def counted(position: Any, *arguments: Any) -> Any:
        calls[0] += 1
        return sound(position, *arguments)

    with replaced(kind, method, counted):
        yield calls


def _refusals(board: Board) -> object:
    """Depths, sizes and take-backs that there are not."""
    position = board.fen.start_position()
    counts = ("perft", "perft_hashed", "perft_detailed", "perft_checked", "divide")
    stuck = board.fen.parse("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")  # no moves, so that any depth is counted at once
    return [
        [attempt(getattr(position, name), depth) for name in counts for depth in (-1, 0, 1.5, 100, None)],
        [attempt(getattr(stuck, name), depth) for name in counts for depth in (98, 99, 100)],
        [attempt(position.perft_hashed, 1, megabytes=size) for size in (-1, 0, 1, 2, 65536, 65537, 1.5)],
        attempt(position.perft_hashed, 2),
        attempt(position.unmake),
        position.fields(),
    ]


def _game(start: str, moves: Sequence[str]) -> Callable[[Board], object]:
    def play(board: Board) -> object:
        position = board.fen.parse(start)
        said: list[object] = []
        for text in moves:
            said.append(attempt(position.make_null) if text == "0000" else attempt(position.make_uci, text))
            said.append((position.key, position.ply, position.repetitions(), position.fields(), position.validate()))
        # A null move is where repetitions end, and a copy carries all that was played.
        said.append(attempt(position.make_null))
        said.append((position.repetitions(), position.moves_made(), position.key_history(), position.fingerprint()))
        said.append(attempt(position.perft, 1))
        said.append(_copies(position))
        twin = position.copy()
        while twin.ply:
            said.append(attempt(twin.unmake))
            said.append((twin.fields(), twin.repetitions(), twin.key_history()[-1:]))
        return said

    return play


def first_difference(left: object, right: object) -> str:
    """Where two answers part, as a short text."""
    if isinstance(left, list | tuple) and isinstance(right, list | tuple) and len(left) == len(right):
        for one, other in zip(left, right, strict=True):
            if one != other:
                return first_difference(one, other)
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        for name in left:
            if left[name] != right[name]:
                return f"{name}: {first_difference(left[name], right[name])}"
    return f"{_short(left)}, expected {_short(right)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
