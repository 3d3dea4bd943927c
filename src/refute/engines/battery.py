"""Everything an interpreted copy of the board says through its public methods, as values to be compared.

    board ──Case.ask──▶ plain numbers, texts, and errors as values     equal for two boards that are alike

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


# (FEN, chess960): every rule of the board at work at least once, for both sides where it has sides.
POSITIONS: Final = (
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", False),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", False),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1", False),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", False),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", False),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", False),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", False),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1", False),
    ("r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 3 9", False),
    ("r3k2r/p6p/8/8/8/8/P6P/R3K2R b Qk - 98 120", False),
    ("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 2", False),
    ("4k3/8/8/8/2pPp3/8/8/4K3 b - d3 0 1", False),
    ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 2", False),  # the rank opens when both pawns leave it
    ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", False),  # taking en passant answers the check
    ("7k/1b6/8/3pP3/8/8/8/4K2B w - d6 0 2", False),
    ("4k3/8/8/b7/3pP3/2p5/8/4K3 b - e3 0 1", False),
    ("3rk3/8/8/8/1b5q/2N2P2/3PP3/r2QKB1r w - - 5 30", False),  # pinned every way
    ("3RK3/3pp3/2n2p2/1B5Q/8/8/8/R2qkb1R b - - 5 30", False),
    ("4k3/8/8/8/4r3/3n4/8/4K3 w - - 0 1", False),  # double check
    ("4k3/8/3N4/8/8/8/8/4RK2 b - - 0 1", False),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", False),  # stalemate
    ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", False),  # mate
    ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", False),  # 218 moves
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", True),
    ("4k3/8/8/8/8/8/8/qRK4R w HB - 0 1", True),  # the castling rook shields its king
    ("qrk4r/8/8/8/8/8/8/4K3 b hb - 0 1", True),
    ("1rk1r3/8/8/8/8/8/8/RK3R2 w FAeb - 0 1", True),
    ("r4k1r/8/8/8/8/8/8/R4K1R b HAha - 12 40", True),
    ("4r3/8/8/8/8/8/8/Q1RK3k w C - 0 1", True),  # king and rook change places, and the rook gives check
    ("K4krq/8/8/8/8/8/8/3R4 b g - 0 1", True),
    ("r3k2r/8/2K5/8/8/8/8/8 b kq - 0 1", False),  # a king that castled keeps the other at a distance
    ("8/8/8/8/8/2k5/8/R3K2R w KQ - 0 1", False),
    ("4k3/8/8/8/8/8/p7/1R2K3 w B - 0 1", True),  # a pawn beside the castling rook
    ("6kr/6P1/8/8/8/8/8/4K3 b h - 0 1", True),
    ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", True),  # the rook castles on the spot
    ("3rk3/8/8/8/8/8/8/4K3 b d - 0 1", True),
)

# Games from the first position, FEN and moves: castles, promotions, repetitions, more than one stack of undo.
GAMES: Final = (
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "e2e4 a7a6 e4e5 d7d5 e5d6 g8f6 g1f3 g7g6 f1e2 f8g7 e1g1 e8g8 d6c7 b8d7 c7d8q f8d8 d2d4 b7b5 d4d5 e7e5 d5e6",
    ),
    (
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "e1c1 e8g8 c1b1 a8a1 b1a1 f8f1 h1f1 g8h8 d1d8",
    ),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1a7 e8c8 e1g1 d8d1 a7a8 c8d7 f1d1 d7e7 d1d8"),
    ("4k3/P7/8/8/8/8/p7/4K3 w - - 0 1", "a7a8n a2a1r e1d2 a1a8 d2e3 a8a3 e3d4 a3d3 d4d3"),
    ("4k2r/6P1/8/8/8/8/6p1/4K2R w Kk - 0 1", "g7h8b g2h1q e1d2 h1h8"),
    ("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", " ".join(["e1e2 e8e7 e2e1 e7e8"] * 17)),
    ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1b1 e8e7 b1a1 e7e8 a1b1 e8e7 b1a1 e7e8"),
    ("4k3/8/8/8/8/8/8/4K3 b - - 7 9", "e8e7 e1e2 e7e8 e2e1 e8e7 e1e2 e7e8 e2e1"),
    # A triangle and a null move bring the position back; what came before a null move does not count.
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e2 e8e7 e2d1 e7e8 d1e1 0000 e1e2 e8e7 e2d1 e7e8 d1e1 0000 e1e2 e8d8 e2e1"),
    ("4k3/2p5/8/1P6/6p1/8/7P/4K3 b - - 4 7", "c7c5 b5c6 e8d8 h2h4 g4h3 c6c7 d8c8 e1f2 h3h2 f2g2 h2h1b"),
)

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


def _deeper_counts(board: Board) -> object:
    """Three plies and more, where few moves make that quick; and a table that spares its share of the work."""
    said: list[object] = []
    sizes: list[int] = []

    def allocate(words: int) -> StrictTable:
        sizes.append(words)
        return StrictTable(words)

    for text in ("7k/8/8/8/8/p7/P7/K7 w - - 0 1", "4k3/2p5/8/1P6/8/8/8/4K3 b - - 0 1"):
        position = board.fen.parse(text)
        for name in ("perft", "perft_checked", "perft_detailed", "divide"):
            said.append(attempt(getattr(position, name), 3))
        for name, options in (("perft", {}), ("perft", {"bulk": False}), ("perft_hashed", {"megabytes": 1})):
            with counting(board._core.Position, "_make") as calls:
                said.append((attempt(getattr(position, name), 4, **options), calls[0]))
        # In a table of seven places nearly every position finds another one's; in larger ones its neighbour's.
        said += [attempt(position._perft_hashed, 5, StrictTable(2 * slots), slots) for slots in (7, 97, 1009)]
        said.append(_keys_apart(position.copy()))
        with replaced(board._core, "allocate_table", allocate):
            said.append(attempt(position.perft_hashed, 4, megabytes=3))
    return said, sizes


def _keys_apart(position: Any) -> list[object]:
    """In a table that has an answer for one key, another key must not find it, whichever bit they differ in."""
    table = StrictTable(14)
    said: list[object] = []
    for bit in range(64):
        for key, depth in ((0, 2), (1 << bit, 2), (1 << bit, 3)):
            position.key = key
            with counting(type(position), "_list") as calls:
                said.append((attempt(position._perft_hashed, depth, table, 7), calls[0]))
    return said


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
