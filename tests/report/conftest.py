"""Results to report: realistic findings, an empty hunt, and one in which every text is hostile."""

from __future__ import annotations

import dataclasses

import chess
import pytest

from refute.compare import Skip
from refute.divergence import Divergence, Facet, Quarantine, Verdict
from refute.explain import explain
from refute.report.result import HuntResult
from refute.walk import START_FEN, Walk

HOSTILE = (
    "<script>window.pwned=1</script>\x1b[31m\x00\x07\r\n]]>&\"'`|\u202e\ud800{{7*7}}<img src=x onerror=window.pwned=1>"
)
VERSIONS = (("own", "0.1.0"), ("python-chess", "1.11.2"), ("stockfish", "15.1"))


def legal(fen: str, *moves: str) -> tuple[str, ...]:
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)
    return tuple(sorted(move.uci() for move in board.legal_moves))


def wrong_moves(fen: str, kind: str, *, missing: tuple[str, ...] = (), extra: tuple[str, ...] = ()) -> Divergence:
    right = legal(fen)
    found = Divergence(
        walk=Walk(fen),
        facet=Facet.MOVES,
        verdict=Verdict.MOVEGEN,
        kind=kind,
        subject="own",
        witness="python-chess",
        expected=f"{len(right)} moves",
        actual=f"{len(right) - len(missing) + len(extra)} moves",
        missing=missing,
        extra=extra,
        move=(missing + extra)[0],
        expected_moves=right,
        actual_moves=tuple(sorted(set(right) - set(missing))) + extra,
        versions=VERSIONS,
        seed=20240,
        original=Walk(START_FEN, ("e2e4", "e7e5", "g1f3", "b8c6")),
    )
    return dataclasses.replace(found, explanation=explain(found))


def realistic_divergences() -> tuple[Divergence, ...]:
    pinned = wrong_moves("8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1", "en passant", extra=("e5d6",))
    castle = wrong_moves("5rk1/8/8/8/8/8/8/4K2R w K - 0 1", "king-side castle", missing=(), extra=("e1g1",))
    promotion = wrong_moves("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "capturing promotion to n", missing=("e7d8n",))
    path = Divergence(
        walk=Walk("4k2r/6P1/8/8/8/8/8/4K3 b k - 0 1", ("h8h2", "e1d1", "h2h8")),
        facet=Facet.KEY,
        verdict=Verdict.HASH,
        kind="rook move",
        subject="own",
        witness="python-chess",
        expected="0x5c39bd3a07a3ce1f",
        actual="0x1d4471c9be9a1f00",
        move="h2h8",
        path_dependent=True,
        versions=VERSIONS,
        seed=20240,
    )
    crash = Divergence(
        walk=Walk(START_FEN, ("f2f3", "e7e5", "g2g4", "d8h4")),
        facet=Facet.CRASH,
        verdict=Verdict.CRASH,
        kind="queen move",
        subject="uci:./mine",
        witness="python-chess",
        expected="0 moves",
        actual="exited with code -11 (SIGSEGV)",
        move="d8h4",
        transcript=("> position startpos moves f2f3 e7e5 g2g4 d8h4", "> go perft 1", "< Segmentation fault"),
        versions=(("uci:./mine", "mine 0.3"), ("python-chess", "1.11.2")),
        seed=20240,
    )
    counted = dataclasses.replace(pinned, count=217)
    return counted, dataclasses.replace(castle, count=41), promotion, path, crash


FEATURES = {
    "double push": 48211,
    "capture": 90417,
    "check": 20873,
    "king-side castle": 3120,
    "queen-side castle": 1987,
    "en passant": 1544,
    "en passant, pinned on its rank": 37,
    "double check": 412,
    "promotion to q": 2931,
    "promotion to n": 1702,
    "capturing promotion": 1288,
    "pinned man moves along its pin": 5120,
    "castling right lost by capture": 655,
    "stalemate": 19,
    "checkmate": 203,
    "castle through an attacked square": 0,
}


def realistic() -> HuntResult:
    return HuntResult(
        subject="own",
        witnesses=("python-chess", "stockfish"),
        seed=20240,
        walks=4096,
        positions=231457,
        nodes=7_104_882,
        seconds=58.31,
        features=FEATURES,
        skipped=(
            Skip("key against stockfish", "stockfish does not print a key that equal positions share"),
            Skip("outcome against stockfish", "the UCI protocol has no way to ask for it"),
        ),
        quarantined=(
            Quarantine(
                Walk("8/8/8/8/8/5k2/6q1/7K w - - 99 90"),
                Facet.OUTCOME,
                (("python-chess", "checkmate"), ("mine", "fifty moves")),
            ),
        ),
        divergences=realistic_divergences(),
        versions=VERSIONS,
    )


def empty() -> HuntResult:
    return HuntResult("own", ("python-chess",), 1, 10, 200, 4000, 1.5, features={"capture": 3})


def hostile_divergence(**fields: object) -> Divergence:
    found = Divergence(
        walk=Walk("8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1"),
        facet=Facet.MOVES,
        verdict=Verdict.MOVEGEN,
        kind=HOSTILE,
        subject=HOSTILE,
        witness=HOSTILE,
        expected=HOSTILE,
        actual=HOSTILE,
        missing=(HOSTILE,),
        extra=(HOSTILE, "e5d6"),
        move=HOSTILE,
        expected_moves=(HOSTILE,),
        actual_moves=(HOSTILE, HOSTILE),
        transcript=(HOSTILE, HOSTILE),
        versions=((HOSTILE, HOSTILE),),
        explanation=HOSTILE,
        notes={HOSTILE: HOSTILE},
    )
    return dataclasses.replace(found, **fields)  # type: ignore[arg-type]  # test shorthand


def hostile() -> HuntResult:
    markup = "<script>window.pwned=1</script>"
    return HuntResult(
        subject=HOSTILE,
        witnesses=(HOSTILE, HOSTILE),
        seed=1,
        walks=1,
        positions=1,
        nodes=1,
        seconds=0.5,
        features={HOSTILE: 3, "never " + HOSTILE: 0},
        skipped=(Skip(HOSTILE, HOSTILE),),
        quarantined=(Quarantine(Walk(markup), Facet.MOVES, ((HOSTILE, HOSTILE),)),),
        divergences=(
            hostile_divergence(),
            # A FEN that no board can be drawn from, and an explanation made by us.
            hostile_divergence(walk=Walk(markup, ("e2e4",)), explanation="", facet=Facet.CRASH),
            hostile_divergence(notes={"path": HOSTILE}, explanation="", verdict=Verdict.MAKE),
        ),
        versions=((HOSTILE, HOSTILE),),
    )


@pytest.fixture
def realistic_result() -> HuntResult:
    return realistic()


@pytest.fixture
def empty_result() -> HuntResult:
    return empty()


@pytest.fixture
def hostile_result() -> HuntResult:
    return hostile()


@pytest.fixture
def hostile_text() -> str:
    return HOSTILE
