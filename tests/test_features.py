"""Each feature is counted where its rule bites, and not where it nearly does."""

from __future__ import annotations

import pytest

from refute.board import fen
from refute.features import (
    CHESS960_FEATURES,
    FEATURES,
    STANDARD_FEATURES,
    FeatureCounter,
    applicable_features,
    castle_squares,
)
from refute.walk import Walk

# feature: (a position that shows it, the moves that lead on to it), then the same for a near miss
EXAMPLES: dict[str, tuple[str, str]] = {
    "white castles king-side": (
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
    ),
    "white castles queen-side": (
        "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1",
    ),
    "black castles king-side": (
        "4k2r/8/8/8/8/8/8/4K3 b k - 0 1",
        "4k2r/8/8/8/8/8/8/4K3 w k - 0 1",
    ),
    "black castles queen-side": (
        "r3k3/8/8/8/8/8/8/4K3 b q - 0 1",
        "r3k3/8/8/8/8/8/8/3RK3 b q - 0 1",
    ),
    "castling barred: king in check": (
        "4k3/4r3/8/8/8/8/8/4K2R w K - 0 1",
        "4k3/3r4/8/8/8/8/8/4K2R w K - 0 1",
    ),
    "castling barred: the king would pass an attacked square": (
        "4k3/5r2/8/8/8/8/8/4K2R w K - 0 1",
        "4k3/6r1/8/8/8/8/8/4K2R w K - 0 1",
    ),
    "castling barred: the king would land on an attacked square": (
        "4k3/6r1/8/8/8/8/8/4K2R w K - 0 1",
        "4k3/7r/8/8/8/8/8/4K2R w K - 0 1",
    ),
    "castling barred: a man in the way": (
        "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1",
        "4k3/4r3/8/8/8/8/8/RN2K3 w Q - 0 1",
    ),
    "castling although the rook is attacked": (
        "4k3/7r/8/8/8/8/8/4K2R w K - 0 1",
        "4k3/7r/8/8/8/8/7P/4K2R w K - 0 1",
    ),
    "castling although the rook passes an attacked square": (
        "4k3/1r6/8/8/8/8/8/R3K3 w Q - 0 1",
        "4k3/2r5/8/8/8/8/8/R3K3 w Q - 0 1",
    ),
    "right lost by a king move": (
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "3rkr2/4r3/8/8/8/4P3/3PPP2/4K2R b K - 0 1",
    ),
    "right lost by a rook move": (
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "4k3/8/8/8/8/8/7P/4K1NR w K - 0 1",
    ),
    "right lost by a rook's capture": (
        "4k2r/8/8/8/8/8/1B6/4K3 w k - 0 1",
        "4k2r/8/8/8/8/8/1B6/4K3 w - - 0 1",
    ),
    "right lost by a rook's capture by promotion": (
        "4k2r/6P1/8/8/8/8/8/4K3 w k - 0 1",
        "4k2r/6P1/8/8/8/8/8/4K3 w - - 0 1",
    ),
    "rook takes rook and both sides lose a right": (
        "4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1",
        "4k2r/8/8/8/8/8/8/4K2R w k - 0 1",
    ),
    "double step beside an enemy pawn": (
        "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/p7/7P/8/4K3 w - - 0 1",
    ),
    "double step barred by a man on its second square": (
        "4k3/8/8/8/4p3/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1",
    ),
    "en passant": (
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
    ),
    "en passant by either of two pawns": (
        "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
        "4k3/8/2P5/3pP3/8/8/8/4K3 w - d6 0 1",
    ),
    "en passant as evasion": (
        "4k3/8/8/3pP3/2K5/8/8/8 w - d6 0 1",
        "4k3/8/8/3pP3/1K6/8/8/8 w - d6 0 1",
    ),
    "en passant refused: another man gives check": (
        "1k6/r6K/8/3pP3/8/8/8/8 w - d6 0 1",
        "1k6/r7/7K/3pP3/8/8/8/8 w - d6 0 1",
    ),
    "en passant refused: rank pin": (
        "4k3/8/8/r2pP2K/8/8/8/8 w - d6 0 1",
        "4k3/8/8/r1NpP2K/8/8/8/8 w - d6 0 1",
    ),
    "en passant refused: diagonal pin": (
        "4k3/8/5b2/3pP3/8/2K5/8/8 w - d6 0 1",
        "4k3/2b5/8/3pP3/8/6K1/8/8 w - d6 0 1",
    ),
    "en passant refused: file pin": (
        "k3r3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "k3r3/8/4n3/3pP3/8/8/8/4K3 w - d6 0 1",
    ),
    "en passant along a pin": (
        "4k3/2b5/8/3pP3/8/6K1/8/8 w - d6 0 1",
        "4k3/8/5b2/3pP3/8/2K5/8/8 w - d6 0 1",
    ),
    "en passant square nobody can take on": (
        "4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
    ),
    "promotion to a knight": (
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "r3k3/P7/8/8/8/8/8/4K3 w - - 0 1",
    ),
    "promotion to a bishop": (
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "rr2k3/P7/8/8/8/8/8/4K3 w - - 0 1",
    ),
    "promotion to a rook": (
        "4k3/8/8/8/8/8/p7/4K3 b - - 0 1",
        "4k3/8/8/8/8/8/p7/4K3 w - - 0 1",
    ),
    "promotion to a queen": (
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/P7/8/8/8/8/4K3 w - - 0 1",
    ),
    "capture and promotion to a knight": (
        "rr2k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "r3k3/P7/8/8/8/8/8/4K3 w - - 0 1",
    ),
    "capture and promotion to a bishop": (
        "rr2k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/P7/1r6/8/8/8/8/4K3 w - - 0 1",
    ),
    "capture and promotion to a rook": (
        "4k3/8/8/8/8/8/p7/RR2K3 b - - 0 1",
        "4k3/8/8/8/8/8/p7/RR2K3 w - - 0 1",
    ),
    "capture and promotion to a queen": (
        "rr2k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "rN2k3/P7/8/8/8/8/8/4K3 w - - 0 1",
    ),
    "check by a pawn": (
        "4k3/8/8/8/8/8/3p4/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/4p3/4K3 w - - 0 1",
    ),
    "check by a knight": (
        "4k3/8/8/8/8/3n4/8/4K3 w - - 0 1",
        "4k3/8/8/8/3n4/8/8/4K3 w - - 0 1",
    ),
    "check by a bishop": (
        "4k3/8/8/8/1b6/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/1b6/8/3P4/4K3 w - - 0 1",
    ),
    "check by a rook": (
        "k3r3/8/8/8/8/8/8/4K3 w - - 0 1",
        "k3r3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    ),
    "check by a queen": (
        "k3q3/8/8/8/8/8/8/4K3 w - - 0 1",
        "k3r3/8/8/8/8/8/8/4K3 w - - 0 1",
    ),
    "double check": (
        "k3r3/8/8/8/1b6/8/8/4K3 w - - 0 1",
        "k3r3/8/8/8/1b6/8/3P4/4K3 w - - 0 1",
    ),
    "discovered check": (
        "k3r3/8/8/8/4b3/8/8/4K3 b - - 0 1 e4c6",
        "k2r4/8/8/8/8/8/8/4K3 b - - 0 1 d8e8",
    ),
    "check by castling": (
        "5k2/8/8/8/8/8/8/4K2R w K - 0 1 e1g1",
        "6k1/8/8/8/8/8/8/4K2R w K - 0 1 e1g1",
    ),
    "check by promotion": (
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1 a7a8q",
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1 a7a8b",
    ),
    "check by en passant": (
        "8/2k5/8/3pP3/8/8/8/4K3 w - d6 0 1 e5d6",
        "8/1k6/8/3pP3/8/8/8/4K3 w - d6 0 1 e5d6",
    ),
    "check met by stepping between": (
        "k3r3/8/8/8/8/8/8/1B2K3 w - - 0 1",
        "k7/4r3/8/8/8/8/8/1N2K3 w - - 0 1",
    ),
    "check met by taking the checker": (
        "k3r3/8/8/8/B7/8/8/4K3 w - - 0 1",
        "k3r3/8/8/8/8/B7/8/4K3 w - - 0 1",
    ),
    "king takes the checker": (
        "k7/8/8/8/8/8/3q4/4K3 w - - 0 1",
        "k7/8/8/8/8/2b5/3q4/4K3 w - - 0 1",
    ),
    "king may not flee along the checker's line": (
        "k7/8/4r3/8/8/8/4K3/8 w - - 0 1",
        "k7/8/4r3/8/8/8/4K3/4N3 w - - 0 1",
    ),
    "pinned man may not meet the check": (
        "k3r3/8/8/8/7b/8/5R2/4K3 w - - 0 1",
        "k3r3/8/8/8/7b/8/5P2/4K3 w - - 0 1",
    ),
    "king may not take a protected man": (
        "k7/8/8/8/8/1b6/8/3rK3 w - - 0 1",
        "k7/8/8/8/8/8/8/3rK3 w - - 0 1",
    ),
    "kings keep each other at a distance": (
        "8/8/8/8/8/4k3/8/4K3 w - - 0 1",
        "8/8/8/8/4k3/8/8/4K3 w - - 0 1",
    ),
    "pin on a rank": (
        "k7/8/8/8/8/8/8/q2NK3 w - - 0 1",
        "k7/8/8/8/8/8/8/b2NK3 w - - 0 1",
    ),
    "pin on a file": (
        "k3r3/8/8/8/8/8/4N3/4K3 w - - 0 1",
        "k3r3/8/8/8/8/4N3/4N3/4K3 w - - 0 1",
    ),
    "pin on a diagonal": (
        "k7/8/8/8/7b/8/5N2/4K3 w - - 0 1",
        "k7/8/8/8/7r/8/5N2/4K3 w - - 0 1",
    ),
    "pinned knight": (
        "k7/8/8/8/7b/8/5N2/4K3 w - - 0 1",
        "k7/8/8/8/7b/8/5B2/4K3 w - - 0 1",
    ),
    "pinned pawn pushes along its pin": (
        "k3r3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "k7/8/8/8/7b/8/5P2/4K3 w - - 0 1",
    ),
    "pinned pawn takes along its pin": (
        "k7/8/8/8/8/6b1/5P2/4K3 w - - 0 1",
        "k7/8/8/8/7b/8/5P2/4K3 w - - 0 1",
    ),
    "pinned piece moves along its pin": (
        "k3r3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "k3r3/8/8/8/8/8/4B3/4K3 w - - 0 1",
    ),
    "pinned piece takes the pinner": (
        "k3r3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "k7/8/8/8/7q/8/5R2/4K3 w - - 0 1",
    ),
    "checkmate": (
        "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1",
        "R5k1/5pp1/8/8/8/8/8/4K3 b - - 0 1",
    ),
    "stalemate": (
        "k7/2Q5/8/8/8/8/8/4K3 b - - 0 1",
        "k7/2Q4p/8/8/8/8/8/4K3 b - - 0 1",
    ),
    "only one legal move": (
        "k7/2Q4p/8/7P/8/8/8/4K3 b - - 0 1",
        "k7/2Q4p/8/8/8/8/8/4K3 b - - 0 1",
    ),
    "100 legal moves or more": (
        "b3Q3/1Q4Q1/3Q4/Q4Q2/2Q5/8/pR6/kN4K1 w - - 0 1",
        "b3Q3/1Q6/3Q4/8/8/8/pR6/kN4K1 w - - 0 1",
    ),
    "200 legal moves or more": (
        "b3Q3/1Q4Q1/3Q4/Q4Q2/2Q4R/4Q3/pR4Q1/kNNBB1K1 w - - 0 1",
        "b3Q3/1Q4Q1/3Q4/Q4Q2/2Q5/8/pR6/kN4K1 w - - 0 1",
    ),
    "three queens or more": (
        "4k3/8/8/8/8/Q7/Q7/Q3K3 b - - 0 1",
        "4k2q/8/8/8/8/Q7/Q7/4K3 b - - 0 1",
    ),
    "insufficient material": (
        "4k3/8/8/8/8/8/8/3NK3 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    ),
    "fifty moves without progress": (
        "4k3/8/8/8/8/8/8/3QK3 w - - 100 80",
        "4k3/8/8/8/8/8/8/3QK3 w - - 99 80",
    ),
    "seventy-five moves without progress": (
        "4k3/8/8/8/8/8/8/3QK3 w - - 150 90",
        "4k3/8/8/8/8/8/8/3QK3 w - - 149 90",
    ),
    "threefold repetition": (
        "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1" + " e1d1 e8d8 d1e1 d8e8" * 2,
        "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1" + " e1d1 e8d8 d1e1 d8e8" * 1,
    ),
    "fivefold repetition": (
        "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1" + " e1d1 e8d8 d1e1 d8e8" * 4,
        "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1" + " e1d1 e8d8 d1e1 d8e8" * 3,
    ),
    "castling: the king stays": (
        "4k3/8/8/8/8/8/8/R1K5 w Q - 0 1",
        "4k3/8/8/8/8/8/8/R2K4 w Q - 0 1",
    ),
    "castling: the rook stays": (
        "4k3/8/8/8/8/8/8/4KR2 w K - 0 1",
        "4k3/8/8/8/8/8/8/5KR1 w K - 0 1",
    ),
    "castling: king and rook change places": (
        "4k3/8/8/8/8/8/8/5KR1 w K - 0 1",
        "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1",
    ),
    "castling: the king lands on the rook's square": (
        "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1",
        "4k3/8/8/8/8/8/8/5KR1 w K - 0 1",
    ),
    "castling: the rook lands on the king's square": (
        "4k3/8/8/8/8/8/8/5K1R w K - 0 1",
        "4k3/8/8/8/8/8/8/5KR1 w K - 0 1",
    ),
    "castling barred: the rook shields its king": (
        "4k3/8/8/8/8/8/8/rRK5 w B - 0 1",
        "r3k3/8/8/8/8/8/8/1RK5 w B - 0 1",
    ),
}


def counter_at(text: str, *, chess960: bool) -> FeatureCounter:
    """What the last position of a FEN followed by moves shows, and nothing of those before it."""
    words = text.split()
    position = fen.parse(" ".join(words[:6]), chess960=chess960)
    played = None
    for word in words[6:]:
        played = position.parse_uci(word)
        position.make(played)
    counter = FeatureCounter(chess960=chess960)
    counter.see(position, position.legal_moves(), played=played)
    return counter


def test_every_feature_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(FEATURES)


@pytest.mark.parametrize("feature", EXAMPLES)
def test_feature_is_counted_where_its_rule_bites(feature: str) -> None:
    shows, _ = EXAMPLES[feature]
    assert counter_at(shows, chess960=feature in CHESS960_FEATURES).counts[feature] == 1


@pytest.mark.parametrize("feature", EXAMPLES)
def test_feature_is_not_counted_where_it_nearly_bites(feature: str) -> None:
    _, misses = EXAMPLES[feature]
    assert counter_at(misses, chess960=feature in CHESS960_FEATURES).counts[feature] == 0


@pytest.mark.parametrize("feature", [name for name in EXAMPLES if name not in CHESS960_FEATURES])
def test_feature_is_counted_for_the_other_colour_too(feature: str) -> None:
    shows, _ = EXAMPLES[feature]
    words = shows.split()
    words[0] = "/".join(words[0].swapcase().split("/")[::-1])
    words[1] = "b" if words[1] == "w" else "w"
    words[2] = "".join(sorted(words[2].swapcase()))
    ranks = str.maketrans("12345678", "87654321")
    words[3] = words[3].translate(ranks)
    words[6:] = [word.translate(ranks) for word in words[6:]]
    mirrored = {"white": "black", "black": "white"}
    first, _, rest = feature.partition(" ")
    feature = f"{mirrored.get(first, first)} {rest}".strip()
    assert counter_at(" ".join(words), chess960=False).counts[feature] == 1


def test_standard_hunts_are_not_told_of_castles_only_chess960_has() -> None:
    assert applicable_features(False) == STANDARD_FEATURES
    assert applicable_features(True) == FEATURES
    assert not set(FeatureCounter().counts) & set(CHESS960_FEATURES)
    assert len(STANDARD_FEATURES) >= 35


def test_what_was_never_seen_is_shown_as_never_seen() -> None:
    counter = FeatureCounter()
    assert counter.never_seen() == list(STANDARD_FEATURES)
    counter.see_walk(Walk("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"))
    assert "en passant" not in counter.never_seen()
    assert "checkmate" in counter.never_seen()
    assert counter.counts[counter.rarest()] == 0


def test_a_walk_counts_each_of_its_positions() -> None:
    counter = FeatureCounter()
    counter.see_walk(Walk("4k3/8/8/8/8/8/8/4K2R w K - 0 1", ("h1h2", "e8d8", "h2h1")))
    assert counter.counts["white castles king-side"] == 1
    assert counter.counts["right lost by a rook move"] == 1


def test_counts_of_two_counters_add_up() -> None:
    one, two = FeatureCounter(), FeatureCounter()
    walk = Walk("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", ("a7a8q",))
    one.see_walk(walk)
    two.see_walk(walk)
    one.add(two.counts)
    assert one.counts["promotion to a queen"] == 2
    assert one.counts["check by promotion"] == 2


def test_castle_squares_of_the_standard_queen_side() -> None:
    path, passes, lands, rook_passes, rook_lands = castle_squares(4, 0, 1)
    assert path == 0b1110
    assert (passes, lands) == ((3,), 2)
    assert (rook_passes, rook_lands) == ((1,), 3)
