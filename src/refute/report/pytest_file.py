"""Findings as a pytest file that runs as it is, and fails until the bug is fixed."""

from __future__ import annotations

from refute.divergence import Divergence
from refute.report.result import HuntResult
from refute.report.text import depth_of, sentence_for, slug, unique, witnesses_of

HEAD = '''"""Regressions found by `refute hunt`: each test fails until its bug is fixed."""

from refute.regression import assert_agrees
'''


def render_pytest(result: HuntResult) -> str:
    """Python source in ASCII; nothing an engine printed can leave its string literal."""
    names = unique(f"test_{slug(str(divergence.signature))}" for divergence in result.divergences)
    tests = [_test(name, found) for name, found in zip(names, result.divergences, strict=True)]
    return "\n\n".join([HEAD, *tests])


def _test(name: str, divergence: Divergence) -> str:
    lines = [
        f"def {name}():",
        f"    {sentence_for(divergence)!a}",
        "    assert_agrees(",
        f"        {str(divergence.walk)!a},",
        f"        engine={divergence.subject!a},",
        f"        against=[{', '.join(f'{witness!a}' for witness in witnesses_of(divergence))}],",
        f"        facet={str(divergence.facet)!a},",
    ]
    depth = depth_of(divergence)
    if depth is not None:
        lines.append(f"        depth={depth},")
    if divergence.walk.chess960:
        lines.append("        chess960=True,")
    return "\n".join([*lines, "    )", ""])
