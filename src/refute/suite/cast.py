"""The subject and the witnesses of one pytest process, each opened when it is first asked for, and once."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property

from refute.compare import Comparer, counts_quickly
from refute.engines.protocol import Engine
from refute.engines.spec import open_engine
from refute.hunter import Options, default_witnesses


class Cast:
    """Engines that tests share; none of them is the hunt's, which has its own."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._stack = ExitStack()

    def _open(self, spec: str) -> Engine:
        return self._stack.enter_context(open_engine(spec, timeout=self.options.timeout))

    @cached_property
    def subject(self) -> Engine:
        return self._open(self.options.engine)

    @cached_property
    def witnesses(self) -> tuple[Engine, ...]:
        specs = self.options.against or default_witnesses(self.options.engine)[0]
        return tuple(self._open(spec) for spec in specs)

    @cached_property
    def comparer(self) -> Comparer:
        depth = 2 if any(map(counts_quickly, self.witnesses)) else 0
        return Comparer(self.subject, self.witnesses, depth=depth)

    def close(self) -> None:
        self._stack.close()
