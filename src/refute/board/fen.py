"""FEN text to a Position and back; every fault is named by its field.

text ──parse──▶ Position ──write──▶ text
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

from refute.board._core import Position
from refute.board.constants import BLACK, EMPTY, KING, NO_SQUARE, PAWN, PIECE_LETTERS, ROOK, WHITE
from refute.board.move import SQUARE_NAMES, SQUARE_NUMBERS
from refute.errors import FenError, InputError, quote

START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LONGEST_FEN: Final = 120
LARGEST_CLOCK: Final = 9999

EnPassantPolicy = Literal["legal", "always"]

FIELDS: Final = ("placement", "side to move", "castling", "en passant", "halfmove clock", "fullmove number")
COLOURS: Final = ("white", "black")

_PIECES: Final = {letter: piece for piece, letter in enumerate(PIECE_LETTERS)}

# A FEN is six fields with one space between them:
#
#     rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2
#     placement                                       side castling e.p. halfmove fullmove
#
# placement        rank 8 first, each rank from the a file: a letter is a man (white upper case), a digit a
#                  run of empty squares.
# side to move     w or b.
# castling         - or, white before black and king side before queen side, one letter for each right:
#                  K Q k q name the outermost rook on that side of the king (FEN and X-FEN), A to H and
#                  a to h the rook's file (Shredder-FEN, and X-FEN for a rook that is not the outermost).
# en passant       - or the square a pawn has just passed over, whether or not anything can take there.
# halfmove clock   plies since the last capture or pawn move, 0 to 9999.
# fullmove number  1 to 9999, raised after each black move.
#
# EPD lines have the first four fields only; then the clocks are 0 and 1.


_BLANK: Final = Position()  # copying it costs a fiftieth of making another


def parse(text: str, *, chess960: bool = False) -> Position:
    """Read a FEN of six fields, or of four with clocks 0 1; anything else raises FenError naming the field.

    Chess960 is switched on by `chess960`, by rights given as file letters, and by rights that only
    Chess960 explains: a king off the e file, or a rook off the a and h files.
    """
    if len(text) > LONGEST_FEN:
        raise FenError("position", f"{quote(text)} is longer than {LONGEST_FEN} characters")
    fields = text.split(" ")
    if len(fields) == 4:
        halfmove, fullmove = 0, 1
    elif len(fields) == 6:
        halfmove = _read_clock(4, fields[4], 0)
        fullmove = _read_clock(5, fields[5], 1)
    else:
        raise _wrong_field_count(text, fields)
    mailbox = _read_placement(fields[0])
    if fields[1] not in ("w", "b"):
        raise FenError("side to move", f"{quote(fields[1])} is neither 'w' nor 'b'")
    turn = WHITE if fields[1] == "w" else BLACK
    castling, rook_homes, needs_chess960 = _read_castling(fields[2], mailbox)
    position = _BLANK.copy()
    en_passant = NO_SQUARE
    if fields[3] != "-":
        en_passant = _read_en_passant(fields[3], mailbox, turn, position)
        if halfmove:
            raise FenError("halfmove clock", f"{quote(fields[4])}, expected 0: a pawn just passed {fields[3]}")
    position.set_up(
        mailbox,
        turn,
        castling,
        rook_homes,
        en_passant,
        halfmove,
        fullmove,
        chess960=chess960 or needs_chess960,
    )
    if position.is_attacked(position.king(1 - turn), turn):
        checked, mover = COLOURS[1 - turn], COLOURS[turn]
        raise FenError("position", f"{quote(text)} has {checked} in check with {mover} to move")
    return position


def write(position: Position, *, en_passant: EnPassantPolicy = "legal", shredder: bool = False) -> str:
    """Write six fields that `parse`, given the same `chess960`, reads as the same position.

    The en passant square is written when a legal capture exists ("legal") or after every double push
    ("always"); under "legal" a square that nothing can take on is not read back. Rights are X-FEN, which
    is plain FEN in standard chess, or all file letters with `shredder`, which reads as Chess960.
    """
    if en_passant not in ("legal", "always"):
        raise ValueError(f"en passant policy {en_passant!r} is neither 'legal' nor 'always'")
    men = tuple(position.mailbox())
    placement = "/".join([_rank_text(men[start : start + 8]) for start in range(56, -8, -8)])
    side = "w" if position.turn == WHITE else "b"
    target = position.en_passant
    if target is None or (en_passant == "legal" and not position.has_legal_en_passant()):
        passed = "-"
    else:
        passed = SQUARE_NAMES[target]
    rights = _castling_text(position, men, shredder)
    return f"{placement} {side} {rights} {passed} {position.halfmove} {position.fullmove}"


def start_position() -> Position:
    """The standard starting position."""
    return parse(START)


def chess960_start(number: int) -> Position:
    """The Chess960 start with this Scharnagl number, 0 to 959; 518 is the standard array.

    The number is a mixed-radix numeral: light bishop (4), dark bishop (4), queen (6), knights (10).
    """
    if not 0 <= number <= 959:
        raise InputError(f"{number} is not a Chess960 start: expected 0 to 959")
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    array = [""] * 8
    array[2 * light + 1] = "b"
    array[2 * dark] = "b"
    array[[file for file in range(8) if not array[file]][queen]] = "q"
    pairs = [(low, high) for low in range(5) for high in range(low + 1, 5)]
    free = [file for file in range(8) if not array[file]]
    for index in pairs[knights]:
        array[free[index]] = "n"
    for letter, file in zip("rkr", [file for file in range(8) if not array[file]], strict=True):
        array[file] = letter
    rank = "".join(array)
    return parse(f"{rank}/pppppppp/8/8/8/8/PPPPPPPP/{rank.upper()} w KQkq - 0 1", chess960=True)


def _wrong_field_count(text: str, fields: list[str]) -> FenError:
    if "" in fields:
        empty = min(fields.index(""), 5)
        return FenError(FIELDS[empty], f"empty in {quote(text)}: one space goes between fields")
    if len(fields) > 6:
        return FenError(FIELDS[5], f"{quote(fields[6])} follows it in {quote(text)}: expected 6 fields")
    return FenError(FIELDS[len(fields)], f"missing from {quote(text)}: expected 6 fields, or the first 4")


def _read_clock(index: int, text: str, least: int) -> int:
    # isdigit alone would let other scripts' digits through, and superscripts, which int refuses.
    if not (text.isascii() and text.isdigit()) or (text[0] == "0" and text != "0"):
        raise FenError(FIELDS[index], f"{quote(text)} is not a plain decimal number")
    if len(text) > 4 or int(text) < least:
        raise FenError(FIELDS[index], f"{quote(text)} is out of range, expected {least} to {LARGEST_CLOCK}")
    return int(text)


# Positions of one game share most of their ranks, so a FEN is mostly eight look-ups in this cache.
@lru_cache(maxsize=8192)
def _read_rank(text: str) -> tuple[int, ...]:
    """The eight men of one rank; raises ValueError with the fault in words."""
    men: list[int] = []
    after_digit = False
    for letter in text:
        piece = _PIECES.get(letter)
        if piece is not None:
            men.append(piece)
            after_digit = False
        elif letter in "12345678":
            if after_digit:
                raise ValueError(f"has two digits in a row, the second {quote(letter)}")
            men += [EMPTY] * int(letter)
            after_digit = True
        else:
            raise ValueError(f"has {quote(letter)}, expected a letter of {PIECE_LETTERS} or a digit 1 to 8")
    if len(men) != 8:
        raise ValueError(f"adds up to {len(men)} squares, expected 8")
    return tuple(men)


def _read_placement(text: str) -> list[int]:
    ranks = text.split("/")
    if len(ranks) != 8:
        raise FenError("placement", f"{quote(text)} has {len(ranks)} ranks, expected 8")
    mailbox: list[int] = []
    for index in range(7, -1, -1):
        try:
            mailbox += _read_rank(ranks[index])
        except ValueError as fault:
            raise FenError("placement", f"rank {8 - index}, {quote(ranks[index])}, {fault}") from None
    for letter, colour in (("K", "white"), ("k", "black")):
        if text.count(letter) != 1:
            raise FenError("placement", f"{quote(text)} has {text.count(letter)} {colour} kings, expected 1")
    for index in (0, 7):
        if "P" in ranks[index] or "p" in ranks[index]:
            raise FenError("placement", f"rank {8 - index}, {quote(ranks[index])}, has a pawn on a back rank")
    return mailbox


def _read_castling(text: str, mailbox: list[int]) -> tuple[int, list[int], bool]:
    """The rights as bits, the four rook homes, and whether only Chess960 explains them."""
    rook_homes = [NO_SQUARE] * 4
    if text == "-":
        return 0, rook_homes, False
    if not text:
        raise FenError("castling", f"{quote(text)} is empty, expected '-' when there are no rights")
    castling = 0
    needs_chess960 = False
    for letter in text:
        king, home = _king_and_rook(text, letter, mailbox)
        right = 2 * (king >= 56) + (home < king)
        # Bits below `right` are the rights that come before it; none at or above may be there already.
        if castling >> right & 1:
            raise FenError("castling", f"{quote(text)} gives the right {quote(letter)} twice")
        if castling >> right:
            raise FenError("castling", f"{quote(text)} is not in KQkq order at {quote(letter)}")
        castling |= 1 << right
        rook_homes[right] = home
        if letter not in "KQkq" or king & 7 != 4 or home & 7 not in (0, 7):
            needs_chess960 = True
    return castling, rook_homes, needs_chess960


def _king_and_rook(text: str, letter: str, mailbox: list[int]) -> tuple[int, int]:
    """The squares of the king and the rook that one castling letter speaks of."""
    if letter not in "KQABCDEFGHkqabcdefgh":
        raise FenError("castling", f"{quote(text)} has {quote(letter)}, expected one of KQkq or a file")
    colour = BLACK if letter.islower() else WHITE
    first = 56 * colour
    rook = ROOK + 6 * colour
    king = mailbox.index(KING + 6 * colour)
    if not first <= king < first + 8:
        lacks = f"{COLOURS[colour]} king on rank {1 + 7 * colour}"
        raise FenError("castling", f"{quote(letter)} in {quote(text)} has no {lacks}")
    if letter in "Kk":
        squares = range(first + 7, king, -1)
    elif letter in "Qq":
        squares = range(first, king)
    else:
        home = first + ord(letter.upper()) - ord("A")
        squares = range(home, home + 1)
    for square in squares:
        if mailbox[square] == rook:
            return king, square
    lacks = f"{COLOURS[colour]} rook to castle with"
    raise FenError("castling", f"{quote(letter)} in {quote(text)} has no {lacks}")


def _read_en_passant(text: str, mailbox: list[int], turn: int, scratch: Position) -> int:
    target = SQUARE_NUMBERS.get(text)
    if target is None:
        raise FenError("en passant", f"{quote(text)} is neither '-' nor a square")
    rank, forward = (6, 8) if turn == WHITE else (3, -8)
    if (target >> 3) + 1 != rank:
        fault = f"is on rank {text[1]}, expected {rank} with {COLOURS[turn]} to move"
        raise FenError("en passant", f"square {quote(text)} {fault}")
    origin, landing = target + forward, target - forward
    pawn = PAWN + 6 * (1 - turn)
    if mailbox[landing] != pawn:
        lacks = f"{COLOURS[1 - turn]} pawn on {SQUARE_NAMES[landing]}"
        raise FenError("en passant", f"{quote(text)} has no {lacks}")
    for square in (target, origin):
        if mailbox[square] != EMPTY:
            name = SQUARE_NAMES[square]
            raise FenError("en passant", f"{quote(text)} needs {name} empty: the pawn came over it")
    # With the pawn back on its origin it is the pusher's move, so our king cannot have been in check:
    # whatever checks it now must be the pawn itself or a line that the push opened.
    before = mailbox.copy()
    before[landing], before[origin] = EMPTY, pawn
    scratch.set_up(before, 1 - turn, 0, [NO_SQUARE] * 4, NO_SQUARE, 0, 1, chess960=False)
    if scratch.is_attacked(scratch.king(turn), 1 - turn):
        fault = f"before the push {COLOURS[turn]} was in check, and not to move"
        raise FenError("en passant", f"{quote(text)} is impossible: {fault}")
    return target


@lru_cache(maxsize=8192)
def _rank_text(men: tuple[int, ...]) -> str:
    text = ""
    run = 0
    for piece in men:
        if piece == EMPTY:
            run += 1
        else:
            text += (str(run) if run else "") + PIECE_LETTERS[piece]
            run = 0
    return text + (str(run) if run else "")


def _castling_text(position: Position, men: tuple[int, ...], shredder: bool) -> str:
    text = ""
    for right in range(4):
        home = position.rook_home(right)
        if home is None:
            continue
        colour, queen_side = divmod(right, 2)
        # X-FEN's K and Q mean the outermost rook; one standing further out takes that name away.
        outside = men[home & 56 : home] if queen_side else men[home + 1 : (home | 7) + 1]
        letter = "ABCDEFGH"[home & 7] if shredder or ROOK + 6 * colour in outside else "KQ"[queen_side]
        text += letter.lower() if colour else letter
    return text or "-"
