"""Goes on with an interrupted command: what its ledger holds is not sent again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from ci_judge.document.recorded_runs import recorded_run
from ci_judge.document.run_entries import iso_seconds, iso_time
from ci_judge.engine.ledger import LEDGER_VERSION, Ledger
from ci_judge.errors import CiJudgeError, InvalidInput
from ci_judge.model.document import LedgerHeading, RunEntry
from ci_judge.model.judging import VERDICTS, Run
from ci_judge.renderers.report_schema import is_run_entry
from ci_judge.rules.draws import SEED_LIMIT
from ci_judge.settings import Settings
from ci_judge.sinks.files import shown_path
from ci_judge.workflows.strange_numbers import strange_numbers

GOES_ON: Final = "goes on: "
"""Begins the fingerprint of a run that takes over an earlier attempt's runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The ledger of this command, and what it holds already: ``left`` is None for a new run."""

    ledger: Ledger
    fingerprint: str
    left: LedgerHeading | None = None

    def seed(self, fresh: int) -> int:
        """Give the seed of the draws: that of the run which goes on, or the fresh one."""
        return fresh if self.left is None else self.left["seed"]

    def started(self, now: float) -> float:
        """Give when the run began, in seconds since the epoch."""
        return now if self.left is None else iso_seconds(self.left["started"])

    def begin(self, *, seed: int, started: float) -> None:
        """Head the ledger of a new run. Raises InvalidInput where there is no room for it."""
        if self.left is not None:
            return
        try:
            self.ledger.begin(
                {
                    "ledger": LEDGER_VERSION,
                    "fingerprint": self.fingerprint,
                    "seed": seed,
                    "started": iso_time(started),
                }
            )
        except OSError as error:
            raise no_room(error) from error


def no_room(error: OSError) -> CiJudgeError:
    """Say that runs cannot be written down, before any is made."""
    return InvalidInput.of(
        f"the runs cannot be written down: {error.strerror}",
        hint="make room, or name another folder: --report-dir",
    )


def resumed(records: Records, settings: Settings) -> Records:
    """Go on with what the ledger holds. Raises InvalidInput where it is not this suite's."""
    folder = shown_path(settings.report_dir)
    left = records.ledger.heading()
    if left is None or not _is_ours(left):
        raise InvalidInput.of(
            f'there is no run in "{folder}" that could be resumed',
            hint="run without --resume, or name its folder: --report-dir",
        )
    if left["fingerprint"].startswith(GOES_ON):
        raise InvalidInput.of(
            f'the run in "{folder}" cannot be resumed: it went on from an earlier attempt, which'
            " its report has to tell of",
            hint="name a report to go on from instead: --continue-from",
        )
    if left["fingerprint"] != records.fingerprint:
        raise InvalidInput.of(
            f'the run in "{folder}" cannot be resumed: tests, target, judge or selection are'
            " others now",
            hint="run without --resume, which starts anew",
        )
    return replace(records, left=left)


def _is_ours(heading: LedgerHeading) -> bool:
    """Tell whether draws can be made of its seed, and its time can be read."""
    try:
        iso_seconds(heading["started"])
    except ValueError:
        return False
    return 0 <= heading["seed"] < SEED_LIMIT


def restore(ledger: Ledger, *, spent: Callable[[Run], None], count: Callable[[Run], bool]) -> int:
    """Bring back the runs of the ledger, and say how many were taken.

    ``spent`` is told of each, for it was paid for; ``count`` of those that reached a verdict, and
    says whether it takes them: error runs, and what was not run, are to be made again.
    """
    taken = 0

    def keeps(entry: RunEntry) -> bool:
        nonlocal taken
        run = sound_run(entry)
        if run is None:
            return False
        spent(run)
        kept = run.outcome in VERDICTS and count(run)
        taken += kept
        return kept

    ledger.go_on(keeps=keeps)
    return taken


def sound_run(entry: RunEntry) -> Run | None:
    """Read an entry; one that somebody damaged is as if it had not been made."""
    if not is_run_entry(entry) or any(strange_numbers(entry, "$")):
        return None
    try:
        run = recorded_run(entry)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return run if _agrees_with_itself(run) else None


def _agrees_with_itself(run: Run) -> bool:
    """Tell whether a verdict is that of the run's own checks and votes."""
    if run.outcome not in VERDICTS:
        return True
    each = [*(check.passed for check in run.checks), *(vote.passed for vote in run.votes)]
    return bool(each) and (run.outcome == "pass") == all(each)
