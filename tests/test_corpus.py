"""Corpora are built the same from the same seed, and verifying them finds what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest

from refute.board import epd, fen, is_compiled
from refute.corpus import Problem, build, read_positions, read_provenance, synthesise, verify
from refute.engines.protocol import Ability, Answer, Engine, Fault, Question, Trouble
from refute.errors import EngineError, InputError
from refute.walk import Walk

CORPORA = Path(__file__).parent.parent / "corpora"


class Counter:
    """A witness that counts rightly, or `off` too many, or not at all."""

    name = "counter"
    version = "Counter 1"
    abilities = frozenset({Ability.PERFT})

    def __init__(self, *, off: int = 0, silent: bool = False) -> None:
        self.off = off
        self.silent = silent

    def at(self, walks: Sequence[Walk], question: Question) -> list[Answer | Fault]:
        if self.silent:
            return [Fault(Trouble.TIMEOUT, "no answer in time") for _ in walks]
        return [Answer(divide={0: self.count(walk, question.depth) + self.off}) for walk in walks]

    def count(self, walk: Walk, depth: int) -> int:
        return fen.parse(walk.fen, chess960=walk.chess960).perft(depth)

    def along(self, walk: Walk, question: Question) -> list[Answer | Fault]:
        raise AssertionError("a corpus asks for counts alone, never along a walk")

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None: ...


def build_small(folder: Path, *, seed: int = 5, witness: Engine | None = None) -> list[Path]:
    return build(folder, seed=seed, witness=witness, positions=15, nodes=300)


def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    first = [path.read_bytes() for path in build_small(tmp_path / "one")]
    again = [path.read_bytes() for path in build_small(tmp_path / "two")]
    assert first == again
    other = [path.read_bytes() for path in build_small(tmp_path / "three", seed=6)]
    assert other[1:] != first[1:]


def test_what_is_built_verifies(tmp_path: Path) -> None:
    paths = build_small(tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "perft/standard.epd",
        "perft/chess960.epd",
        "positions/synthesised.fen",
    ]
    assert verify(tmp_path) == []


def test_provenance_tells_the_command_and_who_confirmed_it(tmp_path: Path) -> None:
    for path in build_small(tmp_path, witness=Counter()):
        provenance = read_provenance(path)
        assert any("corpus build --seed 5 --positions 15 --nodes 300 --against counter" in line for line in provenance)
        assert any("confirmed by Counter 1" in line for line in provenance)


def test_a_witness_that_disagrees_keeps_anything_from_being_written(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="counter counts 21 at depth 1"):
        build_small(tmp_path, witness=Counter(off=1))
    with pytest.raises(EngineError, match="no answer in time"):
        build_small(tmp_path, witness=Counter(silent=True))
    assert not list(tmp_path.iterdir())


def test_the_corpora_kept_here_verify() -> None:
    assert verify(CORPORA, most_nodes=20_000_000 if is_compiled() else 3000) == []


@pytest.mark.skipif(not is_compiled(), reason="counting the suites takes minutes interpreted")
def test_the_corpora_kept_here_are_what_their_command_makes(tmp_path: Path) -> None:
    for built in build(tmp_path, seed=1):
        kept = CORPORA / built.relative_to(tmp_path)
        # The witness is named in the provenance only; this test does without one.
        assert lines_of(built) == lines_of(kept)


def lines_of(path: Path) -> list[str]:
    return [line for line in path.read_text().split("\n") if not line.startswith("#")]


@pytest.mark.slow
@pytest.mark.skipif(not is_compiled(), reason="counting the suites takes minutes interpreted")
def test_stockfish_confirms_the_corpora_kept_here(stockfish: str) -> None:
    from refute.engines import open_engine

    with open_engine(f"uci:{stockfish}") as witness:
        assert verify(CORPORA, witnesses=[witness], most_nodes=300_000) == []


def test_the_corpora_kept_here_are_small() -> None:
    kept = [path for path in CORPORA.rglob("*") if path.is_file()]
    assert kept
    assert sum(path.stat().st_size for path in kept) < 100_000


def test_published_counts_are_in_the_standard_suite() -> None:
    cases = {case.fen: case.counts for case in epd.read_suite(CORPORA / "perft" / "standard.epd")}
    assert len(cases) == 6
    assert cases[fen.START] == {1: 20, 2: 400, 3: 8902, 4: 197281, 5: 4865609}


def test_the_chess960_suite_says_by_itself_that_it_is_chess960() -> None:
    cases = epd.read_suite(CORPORA / "perft" / "chess960.epd")
    assert len(cases) == 36
    assert all(case.chess960 for case in cases)


def test_synthesised_positions_are_all_different() -> None:
    texts = synthesise(3, 60)
    assert len(set(texts)) == 60
    assert read_positions(CORPORA / "positions" / "synthesised.fen") == synthesise(1, 200)


GOOD = "# provenance: by hand\n"
FEN = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("name", "text", "line", "says"),
    [
        pytest.param("perft/a.epd", f"{GOOD}{FEN} ;D1 6\n", 2, "says 6, our own board counts 5", id="wrong count"),
        pytest.param("perft/a.epd", f"{GOOD}{FEN} ;D1\n", 2, "not a depth", id="no count"),
        pytest.param("perft/a.epd", f"{FEN} ;D1 5\n", 1, "no provenance", id="suite of unknown origin"),
        pytest.param("positions/a.fen", f"{FEN}\n", 1, "no provenance", id="positions of unknown origin"),
        pytest.param("positions/a.fen", f"{GOOD}{FEN}\n{FEN}\n", 3, "repeats line 2", id="the same twice"),
        pytest.param("positions/a.fen", f"{GOOD}4k3/8 w - - 0 1\n", 2, "ranks", id="no FEN"),
        pytest.param("positions/a.fen", f"{GOOD}{FEN[:-4]}\n", 2, "not how we write it", id="clocks left out"),
        pytest.param("positions/a.fen", f"{GOOD}{FEN}\r\n", 2, "FEN", id="a carriage return"),
        pytest.param("positions/a.fen", f"{GOOD}é\n", 0, "ASCII", id="not ASCII"),
        pytest.param("found/a.walk", "position startpos moves e2e5\n", 0, "", id="no finding"),
    ],
)
def test_verify_names_what_is_wrong_and_where(tmp_path: Path, name: str, text: str, line: int, says: str) -> None:
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8", newline="")
    problems = verify(tmp_path)
    assert [(problem.path, problem.line) for problem in problems] == [(path, line)]
    assert says in problems[0].text
    assert str(path) in str(problems[0])


def test_verify_asks_the_witnesses_too(tmp_path: Path) -> None:
    build_small(tmp_path)
    assert verify(tmp_path, witnesses=[Counter()]) == []
    problems = verify(tmp_path, witnesses=[Counter(off=1)])
    assert {problem.path.suffix for problem in problems} == {".epd", ".fen"}
    assert all("counter counts" in problem.text for problem in problems)


def test_counts_above_the_limit_are_taken_on_trust(tmp_path: Path) -> None:
    (tmp_path / "perft").mkdir()
    (tmp_path / "perft" / "a.epd").write_text(f"{GOOD}{fen.START} ;D1 20 ;D9 1\n;D2 400\n".replace("\n;", " ;"))
    assert verify(tmp_path, most_nodes=0) == []


def test_an_empty_or_missing_folder_is_told(tmp_path: Path) -> None:
    assert [problem.path for problem in verify(tmp_path)] == [tmp_path]
    with pytest.raises(InputError, match="not a folder"):
        verify(tmp_path / "nowhere")


def test_a_positions_file_with_a_bad_line_names_it(tmp_path: Path) -> None:
    path = tmp_path / "a.fen"
    path.write_text(f"{GOOD}{FEN}\nnonsense\n")
    with pytest.raises(InputError, match="line 3"):
        read_positions(path)
    with pytest.raises(InputError, match="not a file"):
        read_positions(tmp_path)


def test_building_no_positions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="0 positions"):
        build(tmp_path, positions=0)


def test_a_problem_of_a_whole_file_has_no_line() -> None:
    assert str(Problem(Path("a.fen"), 0, "is odd")) == "a.fen: is odd"
