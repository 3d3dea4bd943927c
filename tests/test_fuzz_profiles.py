"""The nightly profile spends its time, keeps what fails as `.walk`, and replays it first the next time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from refute.finding import read_finding

CONFTEST = Path(__file__).parents[1] / "fuzz" / "conftest.py"
SOURCE = Path(__file__).parents[1] / "src"

PROPERTY = '''
"""Claim: a walk has fewer than {plies} moves."""
from hypothesis import given
from refute.divergence import Facet, Verdict
from refute.strategies import walks

FACET, VERDICT = Facet.RESTORE, Verdict.UNMAKE

@given(walks())
def test_walks_are_short(walk):
    with open("asked.txt", "a") as file:
        print(walk, file=file)
    assert len(walk) < {plies}
'''


class House:
    """A folder like the repository: fuzz/ with our conftest and one property."""

    def __init__(self, root: Path, plies: int) -> None:
        self.root = root
        self.database = root / ".hypothesis" / "examples"
        (root / "fuzz").mkdir()
        shutil.copy(CONFTEST, root / "fuzz")
        (root / "fuzz" / "test_walks_are_short.py").write_text(PROPERTY.format(plies=plies))

    def fuzz(self, profile: str | None = "nightly", **more: str) -> tuple[int, str, list[str]]:
        """Exit code, output, and the walks that were asked for, in order."""
        (self.root / "asked.txt").unlink(missing_ok=True)
        environment = {name: value for name, value in os.environ.items() if name not in ("CI", "HYPOTHESIS_PROFILE")}
        # Whether installed or not, what is tested is this tree.
        environment |= {"PYTHONPATH": str(SOURCE), "REFUTE_FUZZ_SECONDS": "1", **more}
        chosen = [f"--hypothesis-profile={profile}"] if profile else []
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "fuzz", "-q", "-p", "no:cacheprovider", *chosen],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, (self.root / "asked.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A night on which the property failed: its folder, its output, and the smallest walk it failed on."""
    root = tmp_path_factory.mktemp("house")
    code, output, asked = House(root, plies=3).fuzz(REFUTE_FUZZ_FOUND=str(root / "found"))
    assert code == 1
    return root, output, asked[-1]


def test_a_property_that_holds_is_tried_again_until_the_time_is_over(tmp_path: Path) -> None:
    code, _, asked = House(tmp_path, plies=999).fuzz()
    assert code == 0
    assert len(set(asked)) > 20  # one round is of ten


def test_what_fails_is_kept_as_a_walk_with_its_blob(failed: tuple[Path, str, str]) -> None:
    root, output, smallest = failed
    assert "reproduce_failure" in output
    (path,) = (root / "found").glob("*.walk")
    found = read_finding(path)
    assert str(found.walk) == smallest
    assert len(found.walk) == 3
    assert str(found.signature) == "restore/unmake/walks are short"
    assert found.expected == "a walk has fewer than 3 moves."


def test_what_failed_is_asked_first_the_next_time(failed: tuple[Path, str, str], tmp_path: Path) -> None:
    root, _, smallest = failed
    house = House(tmp_path, plies=3)
    shutil.copytree(root / ".hypothesis" / "examples", house.database)
    code, _, asked = house.fuzz("dev")
    assert code == 1
    assert asked[0] == smallest


def test_last_nights_database_is_replayed_from_what_the_workflow_uploads(
    failed: tuple[Path, str, str], tmp_path: Path
) -> None:
    root, _, smallest = failed
    house = House(tmp_path, plies=3)
    # What upload-artifact makes of the folder, where a download would have put it a moment ago.
    folder = tmp_path / ".hypothesis" / "github-artifacts" / "hypothesis-database"
    folder.mkdir(parents=True)
    stamp = datetime.now(UTC).isoformat().replace(":", "_")
    database = root / ".hypothesis" / "examples"
    with zipfile.ZipFile(folder / f"{stamp}.zip", "w") as artifact:
        for path in database.rglob("*"):
            if path.is_file():
                artifact.write(path, path.relative_to(database))
    code, _, asked = house.fuzz("dev", REFUTE_FUZZ_REPOSITORY="owner/name")
    assert code == 1
    assert asked[0] == smallest


def test_ci_chooses_its_profile_by_itself_with_the_same_examples_every_time_and_fewer_dear_ones(tmp_path: Path) -> None:
    house = House(tmp_path, plies=999)
    _, _, asked = house.fuzz(None, CI="true")
    assert asked == house.fuzz("ci")[2]
    assert not house.database.exists()
    # Where one example costs as much as ten of the others, there are a tenth of them.
    with (tmp_path / "fuzz" / "test_walks_are_short.py").open("a") as file:
        file.write("COST = 10\n")
    assert 0 < len(house.fuzz("ci")[2]) <= len(asked) // 10
