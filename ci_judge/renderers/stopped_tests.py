"""What reports say of tests that may be decided before all their planned runs were made."""

from typing import Final

from ci_judge.model.document import RunEntry, SummaryEntry, TestEntry
from ci_judge.renderers.wording import counted

NO_RATE: Final = "A test that may stop early is shown without a rate, which would mislead."

_ENDS: Final = {"met": "won", "undecided": "not decided"}


def passes_of(test: TestEntry) -> str:
    """``7 of 10``; of a test that stopped, of the runs that decided it."""
    stopped = test["stopped_after"]
    return f"{test['passes']} of {test['planned'] if stopped is None else stopped}"


def stop_words(test: TestEntry) -> str:
    """Say ``stopped after 4 of 10: lost``; nothing where all planned runs were looked at."""
    if test["stopped_after"] is None:
        return ""
    at_most = "" if test["gate"]["min_runs"] is None else "up to "
    end = _ENDS.get(test["gate"]["decision"], "lost")
    return f"stopped after {test['stopped_after']} of {at_most}{test['planned']}: {end}"


def is_counted(test: TestEntry, run: RunEntry) -> bool:
    """Tell whether the gate looked at a run, or was decided by those before it."""
    stopped = test["stopped_after"]
    return stopped is None or run["number"] <= stopped


def saved_words(summary: SummaryEntry) -> str:
    """``126 runs not needed``, empty where every planned run was."""
    saved = summary["saved_by_early_stop"]
    return f"{counted(saved, 'run')} not needed" if saved else ""
