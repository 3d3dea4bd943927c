"""Corpora: perft suites, positions and found walks on disk, each file with its provenance.

    corpora/perft/*.epd        FEN ;D1 20 ;D2 400        ──verify──▶ every count again, by us and by witnesses
    corpora/positions/*.fen    one FEN a line            ──verify──▶ legal, written as we write it, no two alike
    corpora/found/*.walk       a finding each            ──verify──▶ readable, its moves legal

`build` makes the first two from a seed. The same seed gives the same bytes: provenance says what made a
file and who confirmed it, and never when.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

import refute
from refute.board import epd, fen
from refute.engines.protocol import Ability, Engine, Fault, Question
from refute.errors import EngineError, InputError, quote
from refute.finding import read_finding, write_atomically
from refute.placements import THEMES, compose
from refute.reading import read_bytes
from refute.walk import Walk
from refute.walking import KNOWN_FENS

PROVENANCE: Final = "# provenance: "
LARGEST_FILE: Final = 16 * 1024 * 1024  # bytes
PATTERNS: Final = ("perft/*.epd", "positions/*.fen", "found/*.walk")
MOST_FILES: Final = 10_000
MOST_POSITIONS: Final = 100_000
ENOUGH_NODES: Final = 500_000
DEEPEST: Final = 6
CHESS960_STARTS: Final = 12
CHESS960_PLACEMENTS: Final = 24


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a corpus file; line 0 speaks of the whole file."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        where = f"{self.path}, line {self.line}" if self.line else str(self.path)
        return f"{where}: {self.text}"


# ---------------------------------------------------------------- building


def build(
    folder: str | os.PathLike[str],
    *,
    seed: int = 1,
    positions: int = 200,
    nodes: int = ENOUGH_NODES,
    witness: Engine | None = None,
) -> list[Path]:
    """Write the perft suites and the synthesised positions; the same arguments give the same bytes.

    Each perft position is counted to the first depth with at least `nodes`. A witness confirms every count
    before anything is written, and is named in the provenance. One that disagrees, or fails to answer,
    raises EngineError.
    """
    if not 1 <= positions <= MOST_POSITIONS:
        raise InputError(f"{positions} positions: expected 1 to {MOST_POSITIONS}")
    command = f"refute corpus build --seed {seed} --positions {positions} --nodes {nodes}"
    if witness is not None:
        command += f" --against {witness.name}"
    standard = [_counted(text, nodes) for text in (fen.START, *KNOWN_FENS)]
    chess960 = [_counted(text, nodes) for text in _chess960_fens(seed)]
    composed = synthesise(seed, positions)
    verified = _confirm([*standard, *chess960], composed, witness)
    root = Path(folder)
    files = {
        root / "perft" / "standard.epd": _text(
            ("the starting position and those perft results are usually published for", command, verified),
            map(epd.write_line, standard),
        ),
        root / "perft" / "chess960.epd": _text(
            ("Chess960 starts and composed castling positions, rights as files", command, verified),
            map(epd.write_line, chess960),
        ),
        root / "positions" / "synthesised.fen": _text(
            ("composed positions, every theme in turn", command, verified), composed
        ),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    return list(files)


def synthesise(seed: int, count: int) -> list[str]:
    """Composed positions as FENs, the themes in turn, no two alike."""
    texts: dict[str, None] = {}
    themes = tuple(THEMES)
    index = 0
    while len(texts) < count:
        random = Random(f"refute corpus {seed}:{index}")
        position = compose(random, themes[index % len(themes)])
        texts[fen.write(position, en_passant="always")] = None
        index += 1
    return list(texts)


def _chess960_fens(seed: int) -> list[str]:
    random = Random(f"refute corpus chess960 {seed}")
    numbers = sorted({518, *(int(random.random() * 960) for _ in range(CHESS960_STARTS))})
    positions = [fen.chess960_start(number) for number in numbers]
    while len(positions) < CHESS960_STARTS + CHESS960_PLACEMENTS:
        position = compose(random, ("castling", "rooks at home")[len(positions) % 2], chess960=True)
        # Positions without a castle to speak of belong in the other suite.
        if position.castling and any(move >> 13 == 1 for move in position.legal_moves()):
            positions.append(position)
    # Rights as file letters say by themselves that this is Chess960.
    return [fen.write(position, en_passant="always", shredder=True) for position in positions]


def _counted(text: str, enough: int) -> epd.PerftCase:
    position = fen.parse(text)
    counts: dict[int, int] = {}
    for depth in range(1, DEEPEST + 1):
        counts[depth] = position.perft(depth)
        if not 0 < counts[depth] < enough:
            break
    return epd.PerftCase(text, counts, position.chess960)


def _confirm(cases: Sequence[epd.PerftCase], composed: Sequence[str], witness: Engine | None) -> str:
    """Who confirmed the counts and moves, as the provenance says it."""
    if witness is None:
        return "counts by our own board alone"
    for case in cases:
        for depth, nodes in case.counts.items():
            answer = _perft(witness, case.fen, depth, chess960=case.chess960)
            if answer != nodes:
                raise EngineError(f"{witness.name} counts {answer} at depth {depth} of {case.fen}, we {nodes}")
    for text in composed:
        nodes = fen.parse(text).perft(2)
        answer = _perft(witness, text, 2, chess960=False)
        if answer != nodes:
            raise EngineError(f"{witness.name} counts {answer} at depth 2 of {text}, we {nodes}")
    return f"counts by our own board, confirmed by {witness.version}"


def _perft(engine: Engine, text: str, depth: int, *, chess960: bool) -> int:
    question = Question(frozenset({Ability.PERFT}), depth)
    answer = engine.at([Walk(text, (), chess960)], question)[0]
    if isinstance(answer, Fault):
        raise EngineError(f"{engine.name} gave no count at depth {depth} of {text}: {answer.text}")
    if answer.divide is None:
        raise EngineError(f"{engine.name} cannot count")
    return sum(answer.divide.values())


def _text(provenance: Iterable[str], lines: Iterable[str]) -> str:
    headers = [f"{PROVENANCE}refute {refute.__version__}", *(PROVENANCE + line for line in provenance)]
    return "\n".join([*headers, *lines, ""])


# ---------------------------------------------------------------- reading


def read_provenance(path: str | os.PathLike[str]) -> list[str]:
    """What a corpus file says of where it comes from, line by line; empty when it says nothing."""
    lines = []
    for line in _read(Path(path)).split("\n"):
        if not line.startswith(PROVENANCE):
            break
        lines.append(line.removeprefix(PROVENANCE))
    return lines


def read_positions(path: str | os.PathLike[str]) -> list[str]:
    """The FENs of a positions file; InputError names the file and line of the first that is none."""
    texts = []
    for number, text in _lines(Path(path)):
        try:
            fen.parse(text)
        except InputError as error:
            raise InputError(f"{quote(str(path))}, line {number}: {error}") from None
        texts.append(text)
    return texts


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_read(path).split("\n"), start=1):
        if line and not line.startswith("#"):
            yield number, line


def _read(path: Path) -> str:
    data = read_bytes(path, most=LARGEST_FILE)
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        raise InputError(f"{quote(str(path))} is not plain ASCII text") from None


# ---------------------------------------------------------------- verifying


def corpus_files(folder: str | os.PathLike[str]) -> list[Path]:
    """The files of the corpora, in the order they are verified; InputError when there is no such folder."""
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{quote(str(root))} is not a folder")
    paths = [path for pattern in PATTERNS for path in sorted(root.glob(pattern))]
    if len(paths) > MOST_FILES:
        raise InputError(f"{quote(str(root))} has {len(paths)} files, more than {MOST_FILES}")
    return paths


def verify(
    folder: str | os.PathLike[str], *, witnesses: Sequence[Engine] = (), most_nodes: int | None = None
) -> list[Problem]:
    """Check every file of the corpora again, and name all that is wrong.

    Counts above `most_nodes` are taken on trust. Witnesses count too, and a count they differ on is a
    problem of the corpus as much as one that we differ on.
    """
    paths = corpus_files(folder)
    problems: list[Problem] = []
    if not paths:
        problems.append(Problem(Path(folder), 0, f"has no {', '.join(PATTERNS)}"))
    for path in paths:
        try:
            if path.suffix == ".walk":
                read_finding(path)
                continue
            if not read_provenance(path):
                problems.append(Problem(path, 1, f"has no provenance, expected {PROVENANCE.strip()!r} first"))
            check = _verify_suite if path.suffix == ".epd" else _verify_positions
            problems += check(path, witnesses, most_nodes)
        except InputError as error:
            problems.append(Problem(path, 0, str(error)))
    return problems


def _verify_suite(path: Path, witnesses: Sequence[Engine], most_nodes: int | None) -> Iterator[Problem]:
    for number, line in _lines(path):
        try:
            case = epd.parse_line(line)
        except InputError as error:
            yield Problem(path, number, str(error))
            continue
        position = fen.parse(case.fen, chess960=case.chess960)
        for depth, nodes in sorted(case.counts.items()):
            if most_nodes is not None and nodes > most_nodes:
                continue
            found = position.perft(depth)
            if found != nodes:
                yield Problem(path, number, f"depth {depth} says {nodes}, our own board counts {found}")
            for witness in witnesses:
                found = _perft(witness, case.fen, depth, chess960=case.chess960)
                if found != nodes:
                    yield Problem(path, number, f"depth {depth} says {nodes}, {witness.name} counts {found}")


def _verify_positions(path: Path, witnesses: Sequence[Engine], most_nodes: int | None) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, text in _lines(path):
        if text in first:
            yield Problem(path, number, f"repeats line {first[text]}")
            continue
        first[text] = number
        try:
            position = fen.parse(text)
        except InputError as error:
            yield Problem(path, number, str(error))
            continue
        written = fen.write(position, en_passant="always")
        if written != text:
            yield Problem(path, number, f"is not how we write it: {written}")
        broken = position.validate()
        if broken is not None:
            yield Problem(path, number, broken)
        if most_nodes is None or most_nodes >= 1000:
            nodes = position.perft(2)
            for witness in witnesses:
                found = _perft(witness, text, 2, chess960=position.chess960)
                if found != nodes:
                    yield Problem(path, number, f"{witness.name} counts {found} at depth 2, our own board {nodes}")
