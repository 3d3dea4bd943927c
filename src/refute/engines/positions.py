"""Positions and games in which every rule of the board is at work, for asking a copy of it."""

from __future__ import annotations

from typing import Final

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
    ("4k3/8/8/8/8/p6p/8/5K2 w - - 0 1", False),  # what pawns at the edges attack, and do not attack around them
    ("5k2/8/P6P/8/8/8/8/4K3 b - - 0 1", False),
    ("k3r3/8/8/2PpP3/8/8/8/4K3 w - d6 0 2", False),  # of two that might take en passant one is pinned
    ("4k3/8/8/8/2pPp3/8/8/K3R3 b - d3 0 1", False),
    ("r3k2r/8/8/8/8/2B5/6B1/4K3 w kq - 0 1", False),  # bishops that take castling rooks, and attack no castle
    ("4k3/6b1/2b5/8/8/8/8/R3K2R b KQ - 0 1", False),
    ("rN2k3/8/8/8/8/8/8/4K3 w q - 0 1", False),  # the knight clears the castle's path, beside the rook
    ("4k3/8/8/8/8/8/r7/Rn2K2R b KQ - 0 1", False),
    ("4k3/8/4N3/8/8/8/8/4RK2 w - - 0 1", False),  # double checks to be given
    ("4rk2/8/8/8/8/4n3/8/4K3 b - - 0 1", False),
    ("4k3/8/8/8/7b/8/5N2/4K3 w - - 0 1", False),  # pinned by a bishop alone
    ("4k3/5n2/8/7B/8/8/8/4K3 b - - 0 1", False),
    ("r3k3/8/8/8/8/8/N7/K6R w H - 0 1", True),  # the square after the rook's is on the next rank, and a pinned man's
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

# So few moves that many plies are counted at once, and not as many in the one as in the other.
SMALL: Final = ("7k/8/8/8/8/p7/P7/K7 w - - 0 1", "4k3/2p5/8/1P6/8/8/8/4K3 b - - 0 1")
