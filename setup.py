"""Compiles the board where a C compiler is found; everything else is in pyproject.toml.

REFUTE_PURE=1      build nothing: the board runs interpreted
REFUTE_PORTABLE=1  build for any CPU of this kind, as a wheel must; otherwise tune for this machine
REFUTE_SANITIZE=1  build with the address and undefined-behaviour sanitizers, for the tests
"""

from __future__ import annotations

import os
import sys

from setuptools import Extension, setup


def is_set(name: str) -> bool:
    return os.environ.get(name, "") not in ("", "0")


def extensions() -> list[Extension]:
    if is_set("REFUTE_PURE") or sys.implementation.name != "cpython":
        return []
    from Cython.Build import cythonize

    flags = ["-O3", "-Wno-unreachable-code-fallthrough"]
    links: list[str] = []
    if sys.platform != "win32":
        # Cython's own hint is too weak for helpers this large: without force, colour stays a variable.
        flags += ["-DCYTHON_INLINE=inline __attribute__((always_inline))", "-fno-semantic-interposition"]
    if not is_set("REFUTE_PORTABLE"):
        flags.append("-march=native")
    if is_set("REFUTE_SANITIZE"):
        sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        flags += [*sanitize, "-O1", "-g", "-fno-omit-frame-pointer"]
        links += sanitize
    core = Extension(
        "refute.board._core",
        ["src/refute/board/_core.py"],
        extra_compile_args=flags,
        extra_link_args=links,
        # Without a compiler the same file runs interpreted; `refute.board.is_compiled()` tells.
        optional=not is_set("CI") and not is_set("REFUTE_SANITIZE"),
    )
    built: list[Extension] = cythonize(
        [core],
        compiler_directives={
            "language_level": 3,
            "infer_types": True,
            "annotation_typing": False,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    )
    return built


setup(ext_modules=extensions())
