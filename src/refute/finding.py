"""A finding on disk: `# key: value` headers, then one line, the UCI `position` command.

    Divergence  ──write_finding──▶  # format: refute-walk 1
                                    # facet: moves
                                    # missing: e5d6
                                    …
                                    position fen 8/8/3k4/… w - d6 0 1
                ◀──read_finding───

A value is written as it is when it is one printable line, and as a JSON string, list or object
otherwise; so any text an engine printed survives, and none of it can start another line.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import chess

from refute.divergence import Divergence, Facet, Verdict
from refute.errors import WalkError, quote
from refute.reading import read_bytes
from refute.walk import Walk

FORMAT: Final = "refute-walk 1"
LARGEST_FILE: Final = 64 * 1024
LONGEST_TEXT: Final = 2000  # of one header as written; longer answers are cut, and say so
CUT: Final = " … (cut)"
NOT_KEPT: Final = "path"  # where a finding lies is known from where it was read

REQUIRED: Final = ("facet", "verdict", "kind", "subject", "witness", "expected", "actual")
TEXTS: Final = ("kind", "subject", "witness", "expected", "actual", "explanation")
LISTS: Final = ("missing", "extra", "expected_moves", "actual_moves", "transcript")
OTHERS: Final = ("format", "facet", "verdict", "move", "path_dependent", "chess960", "count", "seed")
JSONS: Final = ("versions", "original", "notes")
KEYS: Final = frozenset((*TEXTS, *LISTS, *OTHERS, *JSONS))

# What makes a start position unplayable for any engine. python-chess knows finer objections (an
# impossible check, say), but a walk may well start where no game could have led.
UNPLAYABLE: Final = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_OPPOSITE_CHECK
)


def finding_path(folder: str | os.PathLike[str], divergence: Divergence) -> Path:
    """Name the file of a finding while it is worked on: the same name before and after it was shrunk."""
    found = divergence.original or divergence.walk
    identity = "\n".join((divergence.subject, str(found.chess960), str(found)))
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Path(folder) / f"{slug_of(divergence)}-{digest}.walk"


def slug_of(divergence: Divergence) -> str:
    """The signature as the beginning of a file's name."""
    signature = f"{divergence.facet}-{divergence.verdict}-{divergence.kind}"
    return re.sub(r"[^a-z0-9]+", "-", signature.lower()).strip("-")[:60]


def write_finding(path: str | os.PathLike[str], divergence: Divergence) -> None:
    """Write a finding so that a reader sees the old file or the whole new one, never a part."""
    text = format_finding(divergence)
    if len(text.encode()) > LARGEST_FILE:
        # Only a walk of thousands of moves comes here; the walk itself is what must be kept.
        text = format_finding(divergence, brief=True)
    write_atomically(path, text)


def write_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Replace a file at once: whoever reads it never sees half of the text."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:80]}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp keeps its files to their owner; a report is as public as any file of the folder.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def format_finding(divergence: Divergence, *, brief: bool = False) -> str:
    """The text of a `.walk` file; brief leaves out what only helps to understand."""
    headers: dict[str, str] = {"format": FORMAT, "facet": divergence.facet, "verdict": divergence.verdict}
    for key in TEXTS:
        value = getattr(divergence, key)
        if value or key in REQUIRED:
            headers[key] = _write_text(value)
    if divergence.move is not None:
        headers["move"] = _write_text(divergence.move)
    for key in ("missing", "extra", "expected_moves", "actual_moves"):
        if getattr(divergence, key):
            headers[key] = _write_list(getattr(divergence, key))
    headers["path_dependent"] = _write_flag(divergence.path_dependent)
    headers["chess960"] = _write_flag(divergence.walk.chess960)
    headers["count"] = str(divergence.count)
    if divergence.seed is not None:
        headers["seed"] = str(divergence.seed)
    if not brief:
        headers |= _write_help(divergence)
    lines = [f"# {key}: {value}" for key, value in headers.items()]
    return "\n".join([*lines, str(divergence.walk), ""])


def format_subject(divergence: Divergence) -> str:
    """The subject as a file names it."""
    return _write_text(divergence.subject)


def _write_help(divergence: Divergence) -> dict[str, str]:
    headers: dict[str, str] = {}
    if divergence.versions:
        pairs = (f"{json.dumps(name)}: {json.dumps(version)}" for name, version in divergence.versions)
        headers["versions"] = f"{{{', '.join(pairs)}}}"
    if divergence.original is not None:
        headers["original"] = str(divergence.original)
    if divergence.transcript:
        headers["transcript"] = _write_list(divergence.transcript, first=False)
    notes = {key: value for key, value in divergence.notes.items() if key != NOT_KEPT}
    with contextlib.suppress(TypeError, ValueError):
        # Notes are for people; what JSON cannot say is not worth losing a finding for.
        headers["notes"] = json.dumps(notes)
    return {
        key: value
        for key, value in headers.items()
        if value != "{}" and (key == "original" or len(value) <= 2 * LONGEST_TEXT)
    }


def _write_flag(value: bool) -> str:
    return "yes" if value else "no"


def _write_text(value: str) -> str:
    plain = value.isprintable() and value == value.strip() and not value.startswith('"')
    written = value if plain else json.dumps(value)
    if len(written) <= LONGEST_TEXT:
        return written
    # One character may take twelve once escaped (a surrogate pair).
    shorter = value[: LONGEST_TEXT - len(CUT)] if plain else value[: (LONGEST_TEXT - 40) // 12]
    return _write_text(shorter.rstrip() + CUT)


def _write_list(values: Sequence[str], *, first: bool = True) -> str:
    """Words when all are words, a JSON list otherwise; bounded, keeping the first or the last."""
    if all(re.fullmatch(r"[a-z0-9]+", value) for value in values):
        written = " ".join(values)
    else:
        written = json.dumps(list(values))
    if len(written) <= LONGEST_TEXT or not values:
        return written
    half = len(values) // 2
    return _write_list(values[:half] if first else values[len(values) - half :], first=first)


def read_finding(path: str | os.PathLike[str]) -> Divergence:
    """Read a `.walk` file; raises WalkError naming the file and the fault."""
    data = read_bytes(path, most=LARGEST_FILE, error=WalkError)
    try:
        return parse_finding(data)
    except WalkError as error:
        raise WalkError(f"{os.fspath(path)!a}: {error}") from None


def parse_finding(data: bytes) -> Divergence:
    """Read the bytes of a `.walk` file, strictly: every fault is named."""
    if len(data) > LARGEST_FILE:
        raise WalkError(f"the file is larger than {LARGEST_FILE} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WalkError(f"byte {error.start} is not UTF-8") from None
    if not text:
        raise WalkError("the file is empty")
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.isprintable():
            raise WalkError(f"line {number} holds control characters: {quote(line)}")
    if lines.pop() != "":
        raise WalkError("the file is truncated: its last line does not end")
    headers = _read_headers([line for line in lines if line.startswith("#")])
    rest = [line for line in lines if not line.startswith("#")]
    if len(rest) != 1 or lines[-1] != rest[0]:
        if not rest:
            raise WalkError("the file is truncated: the position command is missing")
        raise WalkError(f"expected headers and one position command, found {quote(rest[-1])} as well")
    return _build(headers, rest[0])


def _read_headers(lines: Sequence[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        match = re.fullmatch(r"# ([a-z0-9_]+): ?(.*)", line)
        if match is None:
            raise WalkError(f"{quote(line)} is not a header: expected '# key: value'")
        key, value = match.groups()
        if not headers and (key, value) != ("format", FORMAT):
            was = f"{key}: {value}"
            raise WalkError(f"the file begins with {quote(was)}, this refute reads 'format: {FORMAT}'")
        if key in headers:
            raise WalkError(f"header {quote(key)} is given twice")
        if key not in KEYS:
            raise WalkError(f"header {quote(key)} is unknown to format {quote(FORMAT)}")
        headers[key] = value
    if not headers:
        raise WalkError(f"the file has no headers: expected '# format: {FORMAT}' first")
    missing = [key for key in REQUIRED if key not in headers]
    if missing:
        raise WalkError(f"the file is truncated: header {quote(missing[0])} is missing")
    return headers


def _build(headers: dict[str, str], command: str) -> Divergence:
    chess960 = _read_flag(headers, "chess960")
    walk = read_walk(command, chess960=chess960)
    path_dependent = _read_flag(headers, "path_dependent")
    if path_dependent and not walk.moves:
        raise WalkError("the file is truncated: it shows along a path only, and its moves are missing")
    original = None
    if "original" in headers:
        original = read_walk(headers["original"], chess960=chess960)
    texts = {key: _read_text(headers, key) for key in TEXTS if key in headers}
    lists = {key: _read_list(headers, key) for key in LISTS if key in headers}
    try:
        facet, verdict = Facet(headers["facet"]), Verdict(headers["verdict"])
    except ValueError as error:
        raise WalkError(f"header facet or verdict: {error}") from None
    return Divergence(
        walk=walk,
        facet=facet,
        verdict=verdict,
        **texts,  # type: ignore[arg-type]  # mypy cannot match the keys of TEXTS with the fields
        **lists,  # type: ignore[arg-type]  # nor those of LISTS
        move=_read_text(headers, "move") if "move" in headers else None,
        path_dependent=path_dependent,
        count=_read_number(headers, "count", 1),
        seed=_read_number(headers, "seed", 0) if "seed" in headers else None,
        versions=_read_versions(headers),
        original=original,
        notes=_read_notes(headers),
    )


def read_walk(command: str, *, chess960: bool = False) -> Walk:
    """Read a `position` command whose moves are legal, every one; WalkError names the first that is not."""
    walk = Walk.parse(command, chess960=chess960)
    try:
        board = chess.Board(walk.fen, chess960=chess960)
    except ValueError as error:
        raise WalkError(f"{quote(walk.fen)} is not a position: {error}") from None
    unplayable = board.status() & UNPLAYABLE
    if unplayable:
        raise WalkError(f"{quote(walk.fen)} is not playable: {chess.Status(unplayable).name}")
    for ply, move in enumerate(walk.moves, 1):
        try:
            board.push(board.parse_uci(move))
        except ValueError:
            raise WalkError(f"move {ply}, {quote(move)}, is illegal in {quote(board.fen())}") from None
    return walk


def _read_json(headers: dict[str, str], key: str, **options: Any) -> Any:
    try:
        return json.loads(headers[key], **options)
    except (ValueError, RecursionError):
        raise WalkError(f"header {quote(key)} is malformed: {quote(headers[key])}") from None


def _read_text(headers: dict[str, str], key: str) -> str:
    if not headers[key].startswith('"'):
        return headers[key]
    value = _read_json(headers, key)
    if not isinstance(value, str):
        raise WalkError(f"header {quote(key)} is not a text: {quote(headers[key])}")
    return value


def _read_list(headers: dict[str, str], key: str) -> tuple[str, ...]:
    if not headers[key].startswith("["):
        return tuple(headers[key].split())
    values = _read_json(headers, key)
    if not all(isinstance(value, str) for value in values):
        raise WalkError(f"header {quote(key)} is not a list of texts: {quote(headers[key])}")
    return tuple(values)


def _read_flag(headers: dict[str, str], key: str) -> bool:
    value = headers.get(key, "no")
    if value not in ("yes", "no"):
        raise WalkError(f"header {quote(key)} is {quote(value)}, expected yes or no")
    return value == "yes"


def _read_number(headers: dict[str, str], key: str, default: int) -> int:
    value = headers.get(key, str(default))
    if re.fullmatch(r"-?[0-9]{1,40}", value) is None:
        raise WalkError(f"header {quote(key)} is {quote(value)}, expected a number")
    return int(value)


def _read_versions(headers: dict[str, str]) -> tuple[tuple[str, str], ...]:
    if "versions" not in headers:
        return ()
    pairs = _read_json(headers, "versions", object_pairs_hook=tuple)
    is_object = headers["versions"].startswith("{")
    if not is_object or not all(isinstance(version, str) for _, version in pairs):
        raise WalkError(f"header 'versions' is not an object of texts: {quote(headers['versions'])}")
    return tuple((name, version) for name, version in pairs)


def _read_notes(headers: dict[str, str]) -> dict[str, Any]:
    notes = _read_json(headers, "notes") if "notes" in headers else {}
    if not isinstance(notes, dict):
        raise WalkError(f"header 'notes' is not an object: {quote(headers['notes'])}")
    return notes
