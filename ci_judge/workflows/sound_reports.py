"""Whether a report that was read back agrees with itself: it may come from elsewhere."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ci_judge.document.attempts import number_of
from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.model.document import TestEntry
from ci_judge.model.judging import ERROR_OUTCOMES
from ci_judge.rules.gates import decide
from ci_judge.workflows.recorded_gates import recorded_rule, recorded_tally
from ci_judge.workflows.render import RecordedReport, read_report
from ci_judge.workflows.sound_calibrations import wrong_calibration, wrong_certain_fails
from ci_judge.workflows.sound_histories import wrong_history, wrong_history_of
from ci_judge.workflows.sound_samples import wrong_prefix

MOST_RUNS = 10_000
"""Runs of one test, at most (``run.runs``)."""

_HINT = "give the report.json as ci-judge run has written it"


def read_sound_report(path: Path) -> RecordedReport:
    """Read a report whose counts are those of its runs. Raises InvalidInput."""
    report = read_report(path)
    refuse_contradictions(report, path)
    return report


def refuse_contradictions(report: RecordedReport, path: Path) -> None:
    """Raise InvalidInput for a report that does not agree with itself."""
    problems = [
        Problem(message=f'"{test["id"]}" {wrong}', hint=_HINT, place=Place(file=str(path)))
        for group in report.document["groups"]
        for test in group["tests"]
        for wrong in _contradictions(test, report)
    ]
    problems += [
        Problem(message=wrong, hint=_HINT, place=Place(file=str(path)))
        for wrong in (*wrong_history(report.document), *wrong_calibration(report.document))
    ]
    if problems:
        raise InvalidInput(*problems)


def _contradictions(test: TestEntry, report: RecordedReport) -> Iterator[str]:
    numbers: set[int] = set()
    outcomes: Counter[str] = Counter()
    certain = 0
    for run in report.runs.runs(test["id"]):
        outcomes[run["outcome"]] += 1
        certain += run["outcome"] == "fail" and run["certain"]
        if run["test"] != test["id"]:
            yield f'holds a run of "{run["test"]}"'
        if run["number"] in numbers:
            yield f"holds its run {run['number']} twice"
        numbers.add(run["number"])
    wrong = [*_wrong_counts(test, outcomes), *wrong_certain_fails(test, held=certain)]
    yield from wrong
    if not wrong:
        yield from _wrong_result(test)
    if numbers and not 1 <= min(numbers) <= max(numbers) <= test["planned"]:
        yield f"holds a run that is none of its {test['planned']} planned ones"
    yield from wrong_prefix(test, report.runs)
    yield from wrong_history_of(test, before=number_of(report.document))


def _wrong_counts(test: TestEntry, outcomes: Counter[str]) -> Iterator[str]:
    """Compare with the runs; of a test that stopped early later runs are not counted."""
    if not 0 <= test["planned"] <= MOST_RUNS:
        yield f"plans {test['planned']} runs, which are not 0 to {MOST_RUNS:,}"
    counts = (test["passes"], test["fails"], test["errors"])
    held = (
        outcomes["pass"],
        outcomes["fail"],
        sum(outcomes[outcome] for outcome in ERROR_OUTCOMES),
    )
    whole = sum(counts) + test["not_run"] == test["planned"]
    beyond = any(count < 0 or count > have for count, have in zip(counts, held, strict=True))
    if beyond or (whole and counts != held):
        yield "counts other runs than it holds"


def _wrong_result(test: TestEntry) -> Iterator[str]:
    """Ask whether a test that does not fail the step is let off by its own gate and counts."""
    result = test["result"]
    try:
        decided = decide(recorded_rule(test), recorded_tally(test)).outcome
    except (ValueError, ZeroDivisionError) as error:
        yield f"cannot be what its gate is: {error}"
        return
    sound = {
        "skipped": test["skip_reason"] is not None,
        "passed": decided == "passed",
        "waived": decided == "failed" and test["waiver"] is not None,
    }
    if not sound.get(result, True):
        yield f'cannot have the result "{result}": its runs do not come to that'
