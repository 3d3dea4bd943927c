"""What every test may ask for, and which worker runs it."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from refute.engines.spec import find_stockfish
from refute.errors import EngineError


def pytest_configure(config: pytest.Config) -> None:
    """Under `-n` each file stays with one worker, because what one of its tests works out serves the others."""
    if config.getoption("dist", "no") == "load":
        config.option.dist = "loadfile"
        # As they were collected: sorted by their number of tests, files of few and long ones would come last.
        config.option.loadscopereorder = False


@pytest.fixture(scope="session")
def stockfish() -> str:
    """The path of Stockfish; without one the test is skipped at home and fails in CI."""
    try:
        return find_stockfish()
    except EngineError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI needs Stockfish: {error}")
        pytest.skip(str(error))


@pytest.fixture
def scripted_command(tmp_path: Path) -> Callable[[str], list[str]]:
    """The command of a UCI engine that is right in everything but a twist (see scripted_engine.py)."""
    script = Path(__file__).with_name("scripted_engine.py")
    written = 0

    def write(twist: str = "") -> list[str]:
        nonlocal written
        written += 1
        path = tmp_path / f"twist{written}.py"
        path.write_text(dedent(twist), encoding="utf-8")
        return [sys.executable, str(script), str(path)]

    return write


@pytest.fixture
def scripted(scripted_command: Callable[[str], list[str]]) -> Callable[[str], str]:
    """The SPEC of such an engine."""

    def write(twist: str = "") -> str:
        return f"uci:{shlex.join(scripted_command(twist))}"

    return write


FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
    # A smooth scroll is still under way when the click comes.
    "--force-prefers-reduced-motion",
)


def no_browser(what: str) -> None:
    """Skip on a user's machine; on CI, where it is installed, its absence is a fault."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing, and CI must drive the page")
    pytest.skip(f"{what} is not installed: apt-get install chromium chromium-driver; pip install selenium")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        no_browser("Chromium or its driver")
    try:
        from selenium import webdriver
    except ImportError:
        no_browser("selenium")
    options = webdriver.ChromeOptions()
    options.binary_location = str(chromium)
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=driver)
    chrome = webdriver.Chrome(options=options, service=service)
    try:
        chrome.set_page_load_timeout(60)
        yield chrome
    finally:
        chrome.quit()
