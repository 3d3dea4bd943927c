"""Open a GitHub issue for each signature of a night that has none yet: `python3 .github/open_issues.py DIR`.

DIR/summary.json ──▶ a title for each (subject, signature) ──gh: an issue of it, open or closed?──▶ gh: open one

Needs only Python and `gh`; what engines printed reaches `gh` as single arguments and on its standard input.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

LARGEST_SUMMARY = 16 * 1024 * 1024
MOST_ISSUES = 10  # a night; a board that is broken everywhere need not say so a hundred times
LONGEST_TITLE = 180
LONGEST_DIFF = 40  # lines


def identity(finding: dict[str, Any]) -> str:
    """A word that no other signature of any subject has, to be searched for; our board is one subject in both modes."""
    subject = "own" if finding["subject"] == "own:pure" else finding["subject"]
    text = f"{subject}\n{finding['signature']}"
    return "refute-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def title(finding: dict[str, Any]) -> str:
    told = printable(f"{finding['subject']}: {finding['signature']}")[:LONGEST_TITLE]
    return f"{told} ({identity(finding)})"


def body(finding: dict[str, Any]) -> str:
    """Markdown whose foreign parts are all indented code, one line each."""
    lines = ["A nightly run found:", ""]
    lines += [f"    {printable(finding[key])}" for key in ("sentence", "walk", "command") if finding.get(key)]
    diff = str(finding.get("diff") or "").splitlines()[:LONGEST_DIFF]
    lines += ["", *(f"    {printable(line)}" for line in diff)] if diff else []
    server, repository, run = (os.environ.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
    if run:
        lines += ["", f"The report is with [the run]({server}/{repository}/actions/runs/{run})."]
    lines += ["", "No other issue is opened for this signature, whether this one is open or closed."]
    return "\n".join(lines) + "\n"


def printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in str(text)[:2000])


def gh(*arguments: str, text: str = "") -> str:
    """What `gh` printed; raises CalledProcessError when it could not."""
    done = subprocess.run(["gh", *arguments], input=text, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout


def is_known(finding: dict[str, Any]) -> bool:
    search = f"{identity(finding)} in:title"
    issues = json.loads(gh("issue", "list", "--state=all", f"--search={search}", "--json=title", "--limit=20"))
    return any(identity(finding) in issue["title"] for issue in issues)


def main(folder: Path) -> int:
    data = (folder / "summary.json").read_bytes()
    if len(data) > LARGEST_SUMMARY:
        print(f"{folder}/summary.json is larger than {LARGEST_SUMMARY} bytes", file=sys.stderr)
        return 2
    distinct = {identity(finding): finding for finding in json.loads(data)["findings"]}
    opened = failed = 0
    for finding in distinct.values():
        try:
            if is_known(finding):
                print(f"known: {title(finding)}")
            elif opened == MOST_ISSUES:
                print(f"not opened, {MOST_ISSUES} a night are enough: {title(finding)}")
            else:
                gh("issue", "create", f"--title={title(finding)}", "--body-file=-", text=body(finding))
                opened += 1
                print(f"opened: {title(finding)}")
        except (subprocess.SubprocessError, OSError, ValueError) as error:
            failed += 1
            told = getattr(error, "stderr", None) or error
            print(f"gh failed for {title(finding)}: {told}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
