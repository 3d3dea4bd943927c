"""The hunt as one JSON object, the same that `hunt --json` prints."""

from __future__ import annotations

import json

from refute.report.result import HuntResult


def render_json(result: HuntResult) -> str:
    """One object in ASCII, so that no engine's output can upset what reads it."""
    return json.dumps(result.to_json(), indent=2) + "\n"
