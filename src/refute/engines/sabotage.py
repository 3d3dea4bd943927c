"""What an interpreted copy of the board says of itself once its fields or methods are spoilt on purpose.

    position ──spoil a field──▶ validate, fingerprint, ==      a check that looks away is found out
    Position ──spoil a method─▶ audit, perft_checked           so is one that names the wrong move

The compiled board hides its fields; its source is the same, and only interpreted copies are asked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Final

from refute.board.constants import EMPTY
from refute.engines.battery import Board, Case, attempt, replaced

CASTLING: Final = "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1"
PASSED: Final = "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2"
PASSED_BLACK: Final = "4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 7"
MIDDLE: Final = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1"
PROMOTING: Final = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1"
CHECKED: Final = "4k3/8/8/8/4r3/8/3P4/R3K3 w Q - 0 1"
TEXTS: Final = (CASTLING, PASSED, PASSED_BLACK, MIDDLE, PROMOTING, CHECKED)

ARRAYS: Final = {"pieces": 12, "colours": 2, "tallies": 2, "board": 64, "rook_homes": 4}
NUMBERS: Final = ("occupied_squares", "key", "castling", "ep_keyed", "halfmove", "fullmove", "is_chess960", "ply")
BITS: Final = (1, 1 << 8, 1 << 28, 1 << 36, 1 << 51, 1 << 63)


def sabotage() -> list[Case]:
    """Every case, those that cost little first."""
    cases = [Case(f"spoilt fields of {text}", _spoilt_fields(text)) for text in TEXTS]
    cases += [Case(f"men put elsewhere in {text}", _spoilt_men(text)) for text in TEXTS]
    cases += [Case(f"impossible en passant and turns of {text}", _spoilt_state(text)) for text in TEXTS]
    cases += [
        Case(f"{name} spoilt in {text}", _spoilt_method(text, method, spoil))
        for name, (method, spoil) in METHODS.items()
        for text in TEXTS
    ]
    cases += [Case(f"safety and illegal moves spoilt in {text}", _spoilt_twice(text)) for text in TEXTS]
    cases += [Case(f"interrupted counts of {text}", _interrupted(text)) for text in TEXTS]
    return cases


# -------------------------------------------------------------------- fields


def _verdicts(position: Any, twin: Any) -> object:
    said = [attempt(position.validate), attempt(position.fingerprint), position == twin, twin == position]
    return said, attempt(position.audit)


def _spoilt_fields(text: str) -> Callable[[Board], object]:
    """One field at a time, changed by a bit, by a little, and to what another of its kind holds."""

    def ask(board: Board) -> Iterator[object]:
        position, twin = board.fen.parse(text), board.fen.parse(text)
        for name, length in ARRAYS.items():
            array = getattr(position, name)
            for at in range(length):
                kept = array[at]
                for value in _other_numbers(name, kept):
                    array[at] = value
                    yield name, at, value, _verdicts(position, twin)
                array[at] = kept
        moves = sorted(position.legal_moves())
        for name in NUMBERS:
            kept = getattr(position, name)
            for value in (kept + 1, kept - 1, kept ^ 2, kept ^ 8, 0, 1):
                if name == "castling" and not 0 <= value < 16:
                    continue  # there are keys for sixteen sets of rights, and compiled nothing checks
                setattr(position, name, value)
                yield name, value, attempt(position.validate), attempt(position.fingerprint), position == twin
                if name != "ply":
                    yield attempt(position.perft_checked, 1), [attempt(position.audit_move, move) for move in moves]
            setattr(position, name, kept)
        yield _verdicts(position, twin)

    return ask


def _other_numbers(name: str, kept: int) -> list[int]:
    if name == "board":
        return [number for number in (0, 5, 6, 9, 11, 12) if number != kept]
    if name == "rook_homes":
        return [number for number in (0, 7, 15, 56, 63, 64) if number != kept]
    if name == "tallies":
        return [kept + 1, kept - 1]
    return [kept ^ bit for bit in BITS]


def _spoilt_men(text: str) -> Callable[[Board], object]:
    """Men that appear, vanish, move or turn into others, in all places or in some."""

    def ask(board: Board) -> Iterator[object]:
        random = Random(f"refute men {text}")  # the same on every run and every Python
        for _ in range(40 if text == MIDDLE else 150):
            position, twin = board.fen.parse(text), board.fen.parse(text)
            for _ in range(random.choice((1, 1, 2, 3))):
                square = random.randrange(64)
                there = position.board[square]
                if random.random() < 0.5 and there < 12:
                    position._remove(there, square)
                elif there == 12:
                    position._place(random.choice((0, 1, 3, 5, 6, 9, 11)), square)
                else:
                    _displace(random, position, square, there)
            if random.random() < 0.5:
                # Where the key and the tallies follow, what is wrong is wrong for another reason.
                position.ep_keyed = position._has_legal_en_passant(position.side)
                position.key = position._scratch_key()
            yield _verdicts(position, twin)

    return ask


def _displace(random: Random, position: Any, square: int, there: int) -> None:
    """Make a man's records disagree with one another."""
    bit, colour = 1 << square, there // 6
    other = random.randrange(12)
    which = random.randrange(7)
    if which == 0:
        position.pieces[there] ^= bit
        position.pieces[other] ^= bit
    elif which == 1:
        position.board[square] = other
    elif which == 2:
        position.colours[colour] ^= bit
        position.colours[colour ^ 1] ^= bit
    elif which == 3:
        position.pieces[other] |= bit
    elif which == 4:
        position.colours[colour] ^= bit
        position.occupied_squares ^= bit
    elif which == 5:
        # As many bits as men, and as many men as before.
        position.pieces[other] |= bit
        position.board[random.choice([at for at in range(64) if position.board[at] == EMPTY])] = other
    else:
        target = random.randrange(64)
        position.board[square], position.board[target] = position.board[target], position.board[square]


def _spoilt_state(text: str) -> Callable[[Board], object]:
    """Every en passant square for either side and none, with the key made to match or not."""

    def ask(board: Board) -> Iterator[object]:
        twin = board.fen.parse(text)
        for side in (0, 1, 2, -1):
            for square in (*range(16, 24), *range(40, 48), 0, 28, 63, 64):
                for honest in (True, False):
                    position = board.fen.parse(text)
                    position.side, position.ep = side, square
                    if honest and side in (0, 1):
                        position.ep_keyed = position._has_legal_en_passant(side)
                        position.key = position._scratch_key()
                    # For a side that is none the key would be read from beside the arrays.
                    key = attempt(position.compute_key) if side in (0, 1) else None
                    yield attempt(position.validate), key, position.ep_keyed
                    yield position == twin, twin == position, attempt(position.fingerprint)
        for rights in range(16):
            for honest in (True, False):
                position = board.fen.parse(text)
                position.castling = rights
                if honest:
                    position.key = position._scratch_key()
                yield attempt(position.validate), attempt(position.compute_key), attempt(position.fields)

    return ask


# -------------------------------------------------------------------- methods

Spoil = Callable[[Any, Any, tuple[Any, ...]], Any]  # the position, what was returned, the arguments


def _change(name: str, change: Callable[[int], int], *, flag: int | None = None) -> Spoil:
    """Change a field after the method; with a flag, only after moves of that kind."""

    def spoil(position: Any, returned: Any, arguments: tuple[Any, ...]) -> Any:
        if flag is None or arguments[0] >> 12 == flag:
            setattr(position, name, change(getattr(position, name)))
        return returned

    return spoil


def _change_item(name: str, at: int, change: Callable[[int], int]) -> Spoil:
    def spoil(position: Any, returned: Any, arguments: tuple[Any, ...]) -> Any:
        array = getattr(position, name)
        array[at] = change(array[at])
        return returned

    return spoil


def _one_more_counted(position: Any, returned: int, arguments: tuple[Any, ...]) -> int:
    return returned + 1 if arguments[1] else returned


def _one_less_listed(position: Any, returned: int, arguments: tuple[Any, ...]) -> int:
    return returned - 1 if returned and not arguments[1] else returned


def _one_less_for_white(position: Any, returned: int, arguments: tuple[Any, ...]) -> int:
    return returned - 1 if returned and arguments[0] == 0 else returned


def _one_less(position: Any, returned: int, arguments: tuple[Any, ...]) -> int:
    return returned - 1 if returned else returned


def _one_twice(position: Any, returned: int, arguments: tuple[Any, ...]) -> int:
    out = arguments[-1]
    if returned > 1 and out:
        out[returned - 1] = out[0]
    return returned


def _targets_shifted(position: Any, returned: int, arguments: tuple[Any, ...]) -> int:
    """Two moves that go elsewhere, with the sum of all moves as it was."""
    out = arguments[-1]
    if returned > 1 and out and out[0] & 63 < 63 and out[1] & 63:
        out[0] += 1
        out[1] -= 1
    return returned


def _without_a1b1(position: Any, returned: int, arguments: tuple[Any, ...]) -> int:
    """The move whose number is 1 is neither listed nor counted."""
    us, counting, out = arguments
    if us or position.board[:2] != [3, EMPTY] or position._checkers():
        return returned
    if not counting:
        listed = [move for move in out[:returned] if move != 1]
        out[: len(listed)] = listed
    return returned - 1


def _spoil_what_is_illegal(position: Any, returned: None, arguments: tuple[Any, ...]) -> None:
    """Make goes wrong where only a generator that is wrong itself would ever send it."""
    if position._attackers(position.king(arguments[1]), position.side, position.occupied_squares):
        position.halfmove = -1


def _counted_deeper(position: Any, returned: int, arguments: tuple[Any, ...]) -> int:
    """Wrong only below the root, where the audit counts the replies; roots are at plies 0 and 2."""
    return returned + 1 if arguments[1] and position.ply & 1 else returned


def _yes(position: Any, returned: int, arguments: tuple[Any, ...]) -> int:
    return 1


METHODS: Final[dict[str, tuple[str, Spoil]]] = {
    "key after make": ("_make", _change("key", lambda key: key ^ 1)),
    "key after a double push": ("_make", _change("key", lambda key: key ^ 1, flag=1)),
    "key after a castle": ("_make", _change("key", lambda key: key ^ 1, flag=2)),
    "key after a capture": ("_make", _change("key", lambda key: key ^ 1, flag=4)),
    "key after a promotion": ("_make", _change("key", lambda key: key ^ 1, flag=11)),
    "rights after make": ("_make", _change("castling", lambda castling: 15)),
    "bitboard after make": ("_make", _change_item("pieces", 0, lambda men: men ^ 1 << 36)),
    "tally after make": ("_make", _change_item("tallies", 1, lambda tally: tally + 1)),
    "clock after make": ("_make", _change("halfmove", lambda clock: -1, flag=0)),
    "key after unmake": ("_unmake", _change("key", lambda key: key ^ 1)),
    "clock after unmake": ("_unmake", _change("halfmove", lambda clock: clock + 1)),
    "move number after unmake": ("_unmake", _change("fullmove", lambda number: number + 1)),
    "rook home after unmake": ("_unmake", _change_item("rook_homes", 3, lambda home: home ^ 1)),
    "bitboard after unmake": ("_unmake", _change_item("pieces", 6, lambda men: men ^ 1 << 36)),
    "key after null": ("_make_null", _change("key", lambda key: key ^ 1)),
    "clock after null": ("_make_null", _change("fullmove", lambda number: 0)),
    "key after null taken back": ("_unmake_null", _change("key", lambda key: key ^ 1)),
    "clock after null taken back": ("_unmake_null", _change("halfmove", lambda clock: clock + 1)),
    "king's home after null taken back": ("_unmake_null", _change_item("keeps", 4, lambda rights: 15)),
    "count": ("_generate", _one_more_counted),
    "count below the root": ("_generate", _counted_deeper),
    "list": ("_generate", _one_less_listed),
    "list and count": ("_generate", _one_less),
    "white's list and count": ("_generate", _one_less_for_white),
    "a1b1": ("_generate", _without_a1b1),
    "a move twice": ("_generate", _one_twice),
    "pseudo-legal list": ("_generate_pseudo", _one_less),
    "a pseudo-legal move twice": ("_generate_pseudo", _one_twice),
    "targets": ("_generate", _targets_shifted),
    "pseudo-legal targets": ("_generate_pseudo", _targets_shifted),
    "safety": ("_is_safe", _yes),
    "bulk count": ("_count_replies", lambda position, returned, arguments: returned + 1),
    "mirror": ("mirrored", lambda position, returned, arguments: position.copy()),
}


@contextmanager
def _spoilt(kind: Any, method: str, spoil: Spoil) -> Iterator[None]:
    """The class with one method that does a little more than it should."""
    sound = getattr(kind, method)

    def spoilt(position: Any, *arguments: Any) -> Any:
        return spoil(position, sound(position, *arguments), arguments)

    with replaced(kind, method, spoilt):
        yield


def _spoilt_method(text: str, method: str, spoil: Spoil) -> Callable[[Board], object]:
    def ask(board: Board) -> object:
        position = board.fen.parse(text)
        # A failure deep in the tree, and far from the bottom of the undo stack, must still name its path.
        deeper = board.fen.parse(text)
        for _ in range(2):
            deeper.make(sorted(deeper.legal_moves())[0])
        moves = sorted(deeper.legal_moves())[:2]
        depth = 1 if text == MIDDLE else 2
        with _spoilt(board._core.Position, method, spoil):
            said = [attempt(position.audit), attempt(position.perft_checked, depth), attempt(deeper.audit)]
            said.append(attempt(deeper.perft_checked, 1))
            said += [attempt(deeper.audit_move, move) for move in moves]
        return said, position.fields(), deeper.fields(), deeper.ply, attempt(position.audit)

    return ask


def _spoilt_twice(text: str) -> Callable[[Board], object]:
    """The filter lets every move through, and those that are illegal are made wrongly too."""

    def ask(board: Board) -> object:
        kind = board._core.Position
        position, deeper = board.fen.parse(text), board.fen.parse(text)
        for _ in range(2):
            deeper.make(sorted(deeper.legal_moves())[0])
        with _spoilt(kind, "_make", _spoil_what_is_illegal), _spoilt(kind, "_is_safe", _yes):
            return attempt(position.audit), attempt(deeper.audit)

    return ask


class _Stop(BaseException):
    """Stands for Ctrl-C in the middle of a count."""


def _interrupted(text: str) -> Callable[[Board], object]:
    """A count that is broken off leaves the position where it was."""

    def ask(board: Board) -> Iterator[object]:
        for name, depth in (("perft", 3), ("perft_hashed", 3), ("perft_detailed", 2), ("divide", 3), ("audit", None)):
            for patience in (1, 2, 5):
                position = board.fen.parse(text)
                position.make(sorted(position.legal_moves())[0])
                left = [patience]

                def stop(position: Any, returned: Any, arguments: tuple[Any, ...], left: list[int] = left) -> Any:
                    left[0] -= 1
                    if left[0] == 0:
                        raise _Stop
                    return returned

                with _spoilt(board._core.Position, "_make", stop):
                    try:
                        count = attempt(getattr(position, name), *([] if depth is None else [depth]))
                    except _Stop:
                        count = "stopped"
                yield count, position.ply, position.fields(), attempt(position.unmake), attempt(position.fields)

    return ask
