"""Files that others wrote: read whole, and never more than was asked for."""

from __future__ import annotations

import os
from pathlib import Path

from refute.errors import InputError


def read_bytes(path: str | os.PathLike[str], *, most: int, error: type[InputError] = InputError) -> bytes:
    """What a file holds; an error of that kind names the file where it is none, cannot be read or is too large."""
    name = ascii(os.fspath(path))
    try:
        # A pipe or a device may never end, and a pipe may never open.
        if Path(path).exists() and not Path(path).is_file():
            raise error(f"{name} is not a file")
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except error:
        raise
    except (OSError, ValueError) as fault:  # ValueError: the name has a NUL in it
        raise error(f"{name} cannot be read: {getattr(fault, 'strerror', fault)}") from None
    if len(data) > most:
        raise error(f"{name} is larger than {most} bytes")
    return data
