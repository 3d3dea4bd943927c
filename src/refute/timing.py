"""Times as people write them."""

from __future__ import annotations

import re
from typing import Final

from refute.errors import InputError, quote

UNITS: Final = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def read_seconds(text: str) -> float:
    """A time as 90, 90s, 1.5m or 2h; anything else is quoted back."""
    match = re.fullmatch(r"([0-9]{1,7}(?:\.[0-9]{1,3})?)([smh]?)", text)
    if match is None or float(match[1]) == 0:
        raise InputError(f"{quote(text)} is not a time: expected something like 60s, 5m or 1h")
    return float(match[1]) * UNITS[match[2]]
