"""Whether what a report says of earlier attempts can be: it is told on, and counted with."""

from collections.abc import Iterator, Sequence
from typing import Any

from ci_judge.document.attempts import number_of
from ci_judge.model.document import ReportDocument, TestEntry
from ci_judge.rules.draws import SEED_LIMIT


def wrong_history(document: ReportDocument) -> Iterator[str]:
    """Say what cannot be of a report's attempts, their runs and the seed that goes on."""
    run, made = document["run"], document["summary"]["runs_made"]
    if not 0 <= run["seed"] < SEED_LIMIT:
        yield f"run.seed is {run['seed']}, with which nothing can be drawn"
    if run["rerun"] is None:
        return
    yield from _wrong_order(run["rerun"]["earlier"], before=number_of(document))
    if run["rerun"]["carried_runs"] > made:
        yield _kept_too_many(run["rerun"]["carried_runs"], made)


def wrong_history_of(test: TestEntry, *, before: int) -> Iterator[str]:
    """Say what cannot be of one test's results in the attempts ``before`` this one."""
    yield from _wrong_order(test["earlier"], before=before)
    if test["carried_runs"] > test["made"]:
        yield _kept_too_many(test["carried_runs"], test["made"])
    for earlier in test["earlier"]:
        if earlier["passes"] > earlier["judged"]:
            yield f"passed more runs than were judged in attempt {earlier['attempt']}"


def _wrong_order(attempts: Sequence[Any], *, before: int) -> Iterator[str]:
    """Look for the first attempt that is none, or does not come after the one before it."""
    last = 0
    for number in (each["attempt"] for each in attempts):
        if number < 1:
            yield f"tells of attempt {number}, and the first one is 1"
            return
        if number <= last:
            yield f"tells of attempt {number} after attempt {last}"
            return
        if number >= before:
            yield f"tells of attempt {number}, and is of attempt {before}"
            return
        last = number


def _kept_too_many(carried: int, made: int) -> str:
    return f"keeps {carried} runs of the {made} that were made"
