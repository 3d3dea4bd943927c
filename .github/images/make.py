"""Make the README's pictures: hunt a planted fault, and photograph the page it reports.

    python .github/images/make.py                        hunt, then write report.png and report-dark.png
    python .github/images/make.py --engine fault:NAME…   the same for other faults
    python .github/images/make.py --page FILE.html       photograph a page that is there already

Wants Chromium (`apt-get install chromium`) and an installed refute.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CHROMIUM = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
REFUTED = 1


def hunt(engine: str, seed: int, page: Path) -> None:
    """Let refute find the planted fault; anything but a refutation is a failure of this script."""
    command = [sys.executable, "-m", "refute", "hunt", "--engine", engine, "--seed", str(seed)]
    done = subprocess.run([*command, "--report", f"html:{page}"], cwd=page.parent, timeout=600)
    # A Python that cannot import refute exits with 1 as well.
    if done.returncode != REFUTED or not page.exists():
        wanted = f"expected {REFUTED} and a report: is refute installed in {sys.executable}?"
        sys.exit(f"{' '.join(command)} ended with {done.returncode}, {wanted}")


def photograph(page: Path, picture: Path, *, theme: str, size: str, scale: float) -> None:
    """Write one PNG of the page in the theme given."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed: apt-get install chromium")
    # Its sandbox refuses to run as root, as in most containers.
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        themed = Path(folder) / "page.html"
        text = page.read_text(encoding="utf-8")
        themed.write_text(
            text.replace('<html lang="en">', f'<html lang="en" data-theme="{theme}">', 1), encoding="utf-8"
        )
        made = Path(folder) / "made.png"
        flags = [*CHROMIUM, *root, f"--user-data-dir={folder}/profile", f"--window-size={size}"]
        flags += [f"--force-device-scale-factor={scale}", f"--screenshot={made}"]
        subprocess.run([chromium, *flags, themed.as_uri()], check=True, timeout=120, capture_output=True)
        shutil.copyfile(made, picture)
    print(picture)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--engine", default="fault:en-passant-rank-pin", help="the subject to hunt")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--page", type=Path, help="an HTML report to photograph instead of hunting")
    options.add_argument("--folder", type=Path, default=HERE, help="where the pictures go")
    options.add_argument("--size", default="1280,1180", help="the window, in pixels of the page")
    options.add_argument("--scale", type=float, default=1.5)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = given.page
        if page is None:
            page = Path(folder) / "report.html"
            hunt(given.engine, given.seed, page)
        for theme, name in (("light", "report.png"), ("dark", "report-dark.png")):
            photograph(page, given.folder / name, theme=theme, size=given.size, scale=given.scale)


if __name__ == "__main__":
    main()
