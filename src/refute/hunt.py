"""The hunt: in this process, or in several."""

from __future__ import annotations

from contextlib import closing

from refute.hunter import Found, Hunter, Listener, Options, Tally, budget, default_witnesses, end_of
from refute.refining import group_findings, is_time_to_refine, keep_findings, refine_findings
from refute.report.result import HuntResult
from refute.workers import hunt_in_processes, runs_foreign_code

__all__ = ["HuntResult", "Hunter", "Listener", "Options", "Tally", "default_witnesses", "hunt"]


def hunt(options: Options, listen: Listener | None = None) -> HuntResult:
    """Hunt until the budget is spent, the first finding (unless told to keep going), or Ctrl-C.

    `listen` is called a few times a second with the tally so far. The same seed and number of walks
    give the same findings, whatever the number of jobs.
    """
    if options.jobs > 1 or runs_foreign_code(options):
        return hunt_in_processes(options, listen)
    tally = Tally(options)
    interrupted = False
    hunter = Hunter(options)
    try:
        try:
            with closing(hunter.run(budget(options, tally.started), until=end_of(options, tally.started))) as events:
                for event in events:
                    tally.take(0, event)
                    if listen is not None:
                        listen(tally)
                    if (isinstance(event, Found) and not options.keep_going) or is_time_to_refine(tally):
                        tally.take(0, hunter.tick())
                        break
        except KeyboardInterrupt:
            tally.take(0, hunter.tick())
            interrupted = True
        hunter.is_interrupted = interrupted
        interrupted |= refine_findings(tally, hunter)
        group_findings(tally)
        keep_findings(tally)
        return tally.result(hunter, interrupted=interrupted)
    finally:
        hunter.close()
