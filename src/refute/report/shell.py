"""What our pages share: a template that escapes everything, one style, one script, and a policy against all else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from refute import __version__
from refute.report.text import printable


def render_shell(template: str, *, styles: Sequence[str], filters: dict[str, Callable[..., str]], **values: Any) -> str:
    """A whole page from the files of this package; the template places `style`, `script` and `policy` itself."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(filters, printable=printable)
    style, script = "".join(map(_read, styles)), _read("page.js")
    return environment.from_string(_read(template)).render(
        **values, style=Markup(style), script=Markup(script), policy=_policy(style, script), version=__version__
    )


def _read(name: str) -> str:
    return files("refute.report").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    """Allow this page's own style and script by their digests, and nothing else at all."""

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
