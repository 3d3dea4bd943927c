"""The mutator makes the mistakes it should and no others; a trial tells each kind of mistake from the truth."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from refute.board.copies import source_of
from refute.cli import main
from refute.engines.battery import Case, Raised, attempt, battery, first_difference
from refute.engines.sabotage import METHODS, sabotage
from refute.engines.setups import setups
from refute.errors import InputError, RefuteError
from refute.mutants import Options, Report, choose, prepare, read_equivalents, run_mutants, shuffled
from refute.mutating import COMPILED_ONLY, Mutant, find_mutants, mutated_source, show_diff
from refute.trial import Check, Kill, Trial

CORE = source_of("_core")
MUTANTS = find_mutants(CORE)

SMALL = '''
"""A module that says 1 + 1 in its docstring."""
import cython
DEEPEST = 99

def _slide(square):
    return square + 1

def play(self, source: int, target: int = 1, *, bulk: bool = True) -> int:
    """Add 1 to 2."""
    if not cython.compiled:
        out = [0] * 4
    if cython.compiled:
        return 17
    if depth > 5:
        check_signals()
    if source < 0:
        raise ValueError(f"{source + 1} is not one of {3 + 4}")
    fresh = source | target  # a comment with | in it
    fresh = ~fresh
    while fresh and not self.done:
        fresh &= fresh - 1
        if fresh == 0xFFFF:
            break
    self.ep = 7 if bulk else WHITE
    self.shift(source, target)
    return fresh
'''


def changes(source: str) -> set[str]:
    """What is mutated: «old» → new, without the code around it."""
    return {f"{mutant.name.partition('«')[2].partition('»')[0]} → {mutant.new}" for mutant in find_mutants(source)}


def test_the_mutator_makes_every_kind_of_mistake() -> None:
    assert changes(SMALL) == {
        "99 → 98", "99 → 100",
        "0 → 1", "* → +", "4 → 3", "4 → 5",
        "1 → 0", "1 → 2", "True → False",
        "source < 0 → True", "source < 0 → False", "< → <=",
        "| → &", "source → target", "target → source",
        "fresh = ~fresh → pass", "~ → ",
        "fresh and not self.done → False", "and → or", "fresh → True", "not self.done → True", "not  → ",
        "fresh &= fresh - 1 → pass", "&= → |=", "- → +",
        "fresh == 0xFFFF → True", "fresh == 0xFFFF → False", "== → !=", "0xFFFF → 0xfffe", "0xFFFF → 0x7fff",
        "break → continue",
        "self.ep = 7 if bulk else WHITE → pass", "7 → 6", "7 → 8", "bulk → True", "bulk → False", "WHITE → BLACK",
        "self.shift(source, target) → pass", "source, target → target, source",
        "fresh → 0",
    }  # fmt: skip


def test_what_only_speaks_or_only_runs_compiled_is_left_alone() -> None:
    for mutant in find_mutants(SMALL):
        assert mutant.function in ("play", "module")
        line = SMALL.splitlines()[mutant.line - 1]
        assert "check_signals" not in line
        assert "ValueError" not in line
        assert "17" not in line
        assert '"""' not in line
    assert not {mutant.function.rpartition(".")[2] for mutant in MUTANTS} & COMPILED_ONLY


def test_every_mutant_of_the_board_compiles_and_is_named_once() -> None:
    assert len(MUTANTS) > 3000
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert {mutant.rule for mutant in MUTANTS} == {
        "operator", "constant", "condition", "dropped statement", "name", "arguments", "return value",
    }  # fmt: skip
    for mutant in MUTANTS[::29]:  # all of them take a minute
        source = mutated_source(CORE, mutant)
        compile(source, mutant.name, "exec")
        assert source != CORE


def test_names_do_not_depend_on_lines() -> None:
    moved = CORE.replace("\n\n\n", "\n\n\n# A line more.\n\n\n").replace(
        "class Position:", "def _new(a: int) -> int:\n    return a + 1\n\n\nclass Position:"
    )
    names = {mutant.name for mutant in find_mutants(moved)}
    assert {mutant.name for mutant in MUTANTS} < names


def test_a_diff_shows_the_changed_line_and_the_function() -> None:
    mutant = next(m for m in MUTANTS if m.name == "Position._make: self.halfmove += «1» → 2")
    lines = show_diff(CORE, mutant).splitlines()
    assert lines[0] == f"@@ Position._make, line {mutant.line} @@"
    assert [line for line in lines if line[0] == "-"] == ["-        self.halfmove += 1"]
    assert [line for line in lines if line[0] == "+"] == ["+        self.halfmove += 2"]


# -------------------------------------------------------------------- choosing


def test_a_function_a_pattern_or_a_whole_name_chooses() -> None:
    make = choose(MUTANTS, Options(names=("_make",)))
    assert {mutant.function for mutant in make} == {"Position._make"}
    assert choose(MUTANTS, Options(names=("Position._make",))) == make
    assert choose(MUTANTS, Options(names=(make[3].name,))) == [make[3]]
    assert {mutant.function for mutant in choose(MUTANTS, Options(names=("Position._un*",)))} == {
        "Position._unmake",
        "Position._unmake_null",
    }


def test_a_name_that_nothing_has_is_an_error_with_a_hint() -> None:
    with pytest.raises(InputError, match="did you mean _unmake"):
        choose(MUTANTS, Options(names=("_unmak",)))


def test_a_sample_is_the_same_every_time_and_other_edits_do_not_change_it() -> None:
    sample = choose(MUTANTS, Options(sample=40))
    assert len(sample) == 40
    assert sample == choose(MUTANTS, Options(sample=40))
    assert sample != choose(MUTANTS, Options(sample=40, seed=1))
    kept = {mutant.name for mutant in sample}
    others = [mutant for number, mutant in enumerate(MUTANTS) if number % 3 or mutant.name in kept]
    assert choose(others, Options(sample=40)) == sample


# -------------------------------------------------------------------- equivalents


def test_every_recorded_equivalent_is_a_mutant_of_the_board_as_it_is() -> None:
    assert prepare(Options()).stale == []
    assert all(len(reason) > 20 for reason in read_equivalents().values())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[[equivalent]]\nreason = "a"\nmutants = ["x", "x"]', "twice"),
        ('[[equivalent]]\nreason = " "\nmutants = ["x"]', "no reason"),
        ("[[equivalent]", "equivalents.toml"),
    ],
    ids=["a name twice", "no reason", "not TOML"],
)
def test_a_careless_list_of_equivalents_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_equivalents(text)


# -------------------------------------------------------------------- trials


@pytest.fixture(scope="module")
def trial() -> Trial:
    return Trial(CORE, seed=0, walks=16)


def mutant_named(name: str) -> Mutant:
    return next(mutant for mutant in MUTANTS if mutant.name == name)


def edited(old: str, new: str, function: str) -> Mutant:
    """A mistake of our own making, in the one place where the text stands."""
    assert CORE.count(old) == 1, old
    start = CORE.encode().index(old.encode())
    line = CORE.encode().count(b"\n", 0, start) + 1
    return Mutant(f"{function}: {new}", function, line, "edit", start, start + len(old.encode()), new)


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("Position._generate: doubles = (singles & «RANK_3») << 8 & ~occupied & allowed → RANK_6", "perft"),
        ("Position._make: self.fullmove «+=» us → -=", "hunt"),
        ("Position.perft_checked: return «trial._perft_checked(depth, trial.ply)» → 0", "battery"),
        ("Position._danger: «men &= men - 1» → pass", "timeout"),
        ("Position.__init__: «self._allocate()» → pass", "crash"),
    ],
)
def test_each_kind_of_check_kills_what_it_is_for(trial: Trial, name: str, by: str) -> None:
    mutant = mutant_named(name)
    kill = trial.run(mutant)
    assert kill is not None
    assert kill.by == by
    assert kill.check
    assert kill.detail


def test_a_source_that_does_not_even_import_is_killed(trial: Trial) -> None:
    kill = trial.run(edited("DEEPEST = 99", "DEEPEST = 1 // 0", "module"))
    assert kill is not None
    assert (kill.by, kill.check) == ("crash", "import")


def test_a_true_board_that_fails_a_check_stops_everything() -> None:
    mutant = mutant_named("Position._make: self.fullmove «+=» us → -=")
    broken = Trial(mutated_source(CORE, mutant), seed=0, walks=16)
    with pytest.raises(RefuteError, match="the true board itself fails"):
        broken.run(mutant)


def test_every_sabotage_is_noticed_by_the_true_board_somewhere(trial: Trial) -> None:
    for name in METHODS:
        answers = [
            attempt(case.ask, trial.boards.true) for case in sabotage() if case.name.startswith(f"{name} spoilt in")
        ]
        assert answers
        assert not any(isinstance(answer, Raised) for answer in answers)
        assert any("'broken', " in repr(answer[0]) for answer in answers), name


def test_a_mistake_is_tried_first_on_what_killed_the_last_one_in_its_function(trial: Trial) -> None:
    battery_kills = mutant_named("Position._fail: «path.append(last)» → pass")
    assert (kill := trial.run(battery_kills)) is not None
    (first, *_) = trial.killers["Position._fail"]
    assert first.case.name == kill.check
    asked: list[str] = []
    for check in trial.checks:
        check.case = Case(check.case.name, _noting(asked, check.case))
    assert trial.run(battery_kills) == kill
    assert asked == [kill.check]


def _noting(asked: list[str], case: Case) -> Callable[[Any], object]:
    def ask(board: Any) -> object:
        asked.append(case.name)
        return case.ask(board)

    return ask


def test_a_case_that_yields_is_asked_no_further_than_its_first_wrong_answer() -> None:
    given: list[int] = []

    def ask(board: Any) -> Iterator[int]:
        for number in range(5):
            given.append(number)
            yield number if number < 2 else board

    check = Check("battery", Case("numbers", ask))
    check.expected = [0, 1, 2, 3, 4]
    assert check.differs(7) == Kill("battery", "numbers", "7, expected 2")
    assert given == [0, 1, 2]


@pytest.mark.parametrize(
    ("said", "detail"), [([], "no more answers, expected 1"), ([1, 2], "2, expected no more answers")]
)
def test_an_answer_too_few_or_too_many_kills(said: list[int], detail: str) -> None:
    check = Check("battery", Case("numbers", lambda board: iter(said)))
    check.expected = [1]
    kill = check.differs(None)
    assert kill is not None
    assert kill.detail.replace("'", "") == detail


def test_no_case_of_the_battery_is_asked_twice() -> None:
    names = [case.name for case in (*battery(), *setups(), *sabotage())]
    assert len(set(names)) == len(names)


def test_the_first_difference_is_told() -> None:
    assert first_difference([1, {"a": (2, 3)}], [1, {"a": (2, 4)}]) == "a: 3, expected 4"
    assert first_difference([1], [1, 2]) == "[1], expected [1, 2]"


# -------------------------------------------------------------------- runs


def run(chosen: Sequence[Mutant], *, limit: float = 60, equivalent: dict[str, str] | None = None) -> Report:
    report = prepare(Options(walks=1, limit=limit, equivalents=True), CORE, equivalent or {})
    report.chosen = list(chosen)
    return run_mutants(report)


def test_a_mutant_that_ends_its_process_costs_only_that_worker() -> None:
    dies = edited("return self._scratch_key()", "return __import__('os')._exit(3)", "Position.compute_key")
    wrong = mutant_named("Position._make: self.fullmove «+=» us → -=")
    report = run([dies, wrong])
    kills = {outcome.mutant.name: outcome.kill for outcome in report.outcomes}
    assert (death := kills[dies.name]) is not None
    assert (death.by, death.check, death.detail) == ("crash", "the worker", "died with exit code 3")
    assert kills[wrong.name] is not None
    assert report.score == 1.0


def test_a_mutant_that_sleeps_is_ended_when_its_time_is_up() -> None:
    # It spends no processor time, so nothing within its own process would ever notice.
    sleeps = edited("return self._mix()", "return __import__('time').sleep(1000)", "Position.fingerprint")
    report = run([sleeps], limit=1)
    assert (kill := report.outcomes[0].kill) is not None
    assert (kill.by, kill.check, kill.detail) == ("timeout", "the worker", "silent for 1 s")


def test_a_mutant_that_eats_memory_is_told_apart_and_harms_nobody(trial: Trial) -> None:
    hungry = edited("return self._mix()", "return len([0] * 10**12)", "Position.fingerprint")
    kill = trial.run(hungry)
    assert kill is not None
    assert kill.by in ("hunt", "battery")


def test_equivalents_that_die_are_named() -> None:
    wrong = mutant_named("Position._make: self.fullmove «+=» us → -=")
    report = run([wrong], equivalent={wrong.name: "Nobody looks at move numbers, or so we thought."})
    assert report.survivors == []
    assert [outcome.mutant for outcome in report.misjudged] == [wrong]
    assert not report.is_clean
    assert report.to_json()["misjudged"][0]["name"] == wrong.name


def test_an_interrupted_run_reports_what_was_done() -> None:
    report = prepare(Options(names=("_emit",), walks=1), CORE, {})

    def interrupt(report: Report) -> None:
        if report.outcomes:
            raise KeyboardInterrupt

    run_mutants(report, interrupt)
    assert report.interrupted
    assert 0 < len(report.outcomes) < len(report.chosen)


def test_runs_that_are_ended_early_try_others_with_another_seed() -> None:
    def first_tried(seed: int) -> Mutant:
        report = prepare(Options(names=("_emit",), walks=1, seed=seed), CORE, {})

        def interrupt(report: Report) -> None:
            if report.outcomes:
                raise KeyboardInterrupt

        return run_mutants(report, interrupt).outcomes[0].mutant

    assert first_tried(1) == first_tried(1) == shuffled(choose(MUTANTS, Options(names=("_emit",))), 1)[0]
    assert first_tried(2) != first_tried(1)


def test_recorded_equivalents_are_not_tried_unless_asked_for() -> None:
    name = "Position._emit: n += «1» → 2"
    report = prepare(Options(names=(name,)), CORE, {name: "Not true, and never found out, because it is not tried."})
    run_mutants(report)
    assert report.outcomes == []
    assert [mutant.name for mutant in report.chosen] == [name]
    assert report.planned == []
    assert report.is_clean


# -------------------------------------------------------------------- the command


def test_list_names_mutants_and_tries_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "--list", "_emit", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["mutants"]
    assert {row["function"] for row in rows} == {"Position._emit"}
    assert main(["mutants", "--list", "_emit"]) == 0
    assert capsys.readouterr().out.count("\n") == len(rows)


def test_json_tells_who_killed_what(capsys: pytest.CaptureFixture[str]) -> None:
    name = "Position._emit: n += «1» → 2"
    assert main(["mutants", name, "--walks", "1", "--jobs", "1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["killed"], said["survived"], said["score"]) == (1, 0, 1.0)
    assert said["outcomes"][0]["name"] == name
    assert said["outcomes"][0]["by"] in ("perft", "crash")


def test_an_unknown_name_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "nothing-is-called-this"]) == 2
    assert "no mutant and no function" in capsys.readouterr().err
