"""What an interpreted copy of the board makes of positions set up from numbers, sound and impossible.

numbers ──set_up──▶ refused, named as unsound and not to be played, or a position like any other
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from refute.board.constants import EMPTY
from refute.engines.battery import Board, Case, attempt, in_order


def setups() -> list[Case]:
    """Every case."""
    return [Case("set-ups", _set_ups), Case("castling everywhere", _castling_everywhere)]


def _castling_everywhere(board: Board) -> Iterator[object]:
    """Kings and rooks on every pair of files, with a few men beside them and a few that attack."""
    random = Random("refute castling")  # the same on every run and every Python
    position = board._core.Position()
    for king in range(8):
        for rook in [file for file in range(8) if file != king] * 5:
            mailbox = [EMPTY] * 64
            right = 0 if rook > king else 1
            turn = random.randrange(2)
            for piece in random.sample((1, 2, 8, 7, 4, 10, 9), 2):
                mailbox[random.randrange(16, 48)] = piece
            for file in random.sample(range(8), random.randrange(4)):
                mailbox[56 * turn + file] = random.choice((1, 2, 7, 8)) if random.random() < 0.8 else 10 - 6 * turn
            mailbox[56 * turn + king], mailbox[56 * turn + rook] = 5 + 6 * turn, 3 + 6 * turn
            mailbox[56 * (1 - turn) + random.randrange(8)] = 11 - 6 * turn
            homes = [64] * 4
            homes[2 * turn + right] = 56 * turn + rook
            position.set_up(mailbox, turn, 1 << 2 * turn + right, homes, 64, 0, 1, chess960=True)
            names = ("validate", "legal_moves", "pseudo_legal_moves", "filtered_moves")
            yield [in_order(attempt(getattr(position, name))) for name in names]
            yield attempt(position.perft, 2), attempt(position.audit), position.fields()


def _set_ups(board: Board) -> Iterator[object]:
    """Numbers of every kind, in range and out of it, sound positions and impossible ones."""
    random = Random("refute set-ups")  # the same on every run and every Python
    position = board._core.Position()
    for numbers in (*_out_of_range(), *_oddities()):
        yield _set_up(position, **numbers)
    for _ in range(1500):
        yield _set_up(position, **_random_numbers(random))


def _set_up(position: Any, **numbers: Any) -> object:
    error = attempt(position.set_up, **numbers)
    said = [error, position.fields(), position.validate(), position.fingerprint()]
    for name in ("count_moves", "is_check", "codes"):
        said.append(attempt(getattr(position, name)))
    if position.unsound:
        # Nothing below checks bounds when compiled, so nothing may be played or counted.
        said += [in_order(attempt(getattr(position, name), *arguments)) for name, *arguments in PLAYS]
        said.append(attempt(position.copy().legal_moves))
    return said


PLAYS: Final[tuple[tuple[Any, ...], ...]] = (
    ("legal_moves",), ("pseudo_legal_moves",), ("filtered_moves",), ("checkers",), ("pinned",), ("make_null",),
    ("audit",), ("make", 0), ("is_legal", 0), ("is_safe", 0), ("audit_move", 0), ("parse_uci", "e1e2"),
    ("make_uci", "e1e2"), ("perft", 1), ("perft_hashed", 1), ("perft_checked", 1), ("perft_detailed", 1), ("divide", 1),
)  # fmt: skip


PLAIN: Final = {"turn": 0, "castling": 0, "en_passant": 64, "halfmove": 0, "fullmove": 1, "chess960": False}


def _out_of_range() -> list[dict[str, Any]]:
    kings = [12] * 64
    kings[4], kings[60] = 5, 11
    plain = {**PLAIN, "mailbox": kings, "rook_homes": [64] * 4}
    edges: dict[str, tuple[Any, ...]] = {
        "mailbox": ([12] * 63, [12] * 65, [13] * 64, [-1] * 64, [1.0] * 64, tuple(kings), [0] * 64, [11] * 64),
        "turn": (-1, 1, 2, 0.5),
        "castling": (-1, 15, 16, 1.5),
        "rook_homes": ([64] * 3, [64] * 5, [65] * 4, [-1] * 4, [0] * 4, [1.5] * 4, (64,) * 4, iter([64] * 4)),
        "en_passant": (-1, 0, 40, 65, 1.5),
        "halfmove": (-1, 1, 99_999, 100_000, 100_001, 1.5),
        "fullmove": (-1, 0, 99_999, 100_000, 100_001, 1.5),
        "chess960": (True,),
    }
    return [{**plain, name: value} for name, values in edges.items() for value in values]


def _oddities() -> list[dict[str, Any]]:
    """In range, and where no game leads."""
    kings = {4: 5, 60: 11}
    return [
        # A pawn on a1 that would take en passant, and no king to be left in check.
        _numbers({0: 0, 60: 11}, en_passant=9),
        # The square passed over is e2, which 12 is, and a black pawn stands ready.
        _numbers({0: 5, 19: 6, 60: 11}, turn=1, en_passant=12),
        # The home of a rook whose right is not held is where a pinned knight stands, and bars nobody's castle.
        _numbers({**kings, 7: 3, 11: 1, 25: 8}, castling=1, rook_homes=[7, 64, 11, 64]),
        _numbers({**kings, 63: 9, 51: 7, 33: 2}, turn=1, castling=4, rook_homes=[51, 51, 63, 64]),
    ]


def _numbers(men: dict[int, int], **more: Any) -> dict[str, Any]:
    return {**PLAIN, "mailbox": [men.get(square, EMPTY) for square in range(64)], "rook_homes": [64] * 4, **more}


def _random_numbers(random: Random) -> dict[str, Any]:
    """Mostly sound positions around castling and en passant, each with a good chance of one flaw."""
    mailbox = [12] * 64
    kings = [random.choice((4, 4, 4, *range(8))), 56 + random.choice((4, 4, 4, *range(8)))]
    if random.random() < 0.1:
        kings = [random.randrange(32), random.randrange(40, 64)]
    homes = [7, 0, 63, 56] if random.random() < 0.6 else [random.randrange(65) for _ in range(4)]
    if random.random() < 0.3:
        homes = [random.randrange(8), random.randrange(8), 56 + random.randrange(8), 56 + random.randrange(8)]
    for right, home in enumerate(homes):
        if home < 64 and random.random() < 0.9:
            mailbox[home] = 3 + right // 2 * 6
    for _ in range(random.randrange(6)):
        mailbox[random.randrange(8, 56)] = random.choice((0, 0, 6, 6, 1, 2, 4, 7, 8, 10, 12))
    turn = random.randrange(2)
    en_passant = 64
    if random.random() < 0.6:
        en_passant = random.randrange(8) + (16 if turn else 40)
        victim = en_passant ^ 8
        mailbox[victim] = 0 if turn else 6
        mailbox[en_passant] = mailbox[en_passant ^ 24] = 12
        mailbox[max(victim - 1, 24)] = 6 if turn else 0
    for colour, king in enumerate(kings):
        mailbox[king] = 5 + colour * 6
    if random.random() < 0.2:
        mailbox[random.randrange(64)] = random.randrange(13)
    if random.random() < 0.1:
        en_passant = random.randrange(65)
    if random.random() < 0.1:
        mailbox[random.choice(kings)] = 12
    return {
        "mailbox": mailbox,
        "turn": turn,
        "castling": random.choice((0, 0, 1, 2, 4, 8, random.randrange(16))),
        "rook_homes": homes,
        "en_passant": en_passant,
        "halfmove": random.choice((0, 0, 1, 49, 150)),
        "fullmove": random.choice((0, 1, 1, 2, 90)),
        "chess960": random.random() < 0.3,
    }
