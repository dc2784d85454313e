"""How numbers and results read, the same in every format."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from ci_judge.model.document import ReportDocument, SummaryEntry, TestEntry
from ci_judge.model.judging import Outcome

Standing: TypeAlias = Literal["failed", "error", "waived", "advisory", "passed", "skipped"]

STANDINGS: Final[tuple[Standing, ...]] = (
    *("failed", "error", "waived", "advisory", "passed", "skipped"),
)
"""In the order in which people want to read them."""

MARKS: Final[dict[Standing, str]] = {
    "failed": "✗",
    "error": "?",
    "waived": "~",
    "advisory": "!",
    "passed": "✓",
    "skipped": "-",
}
WORDS: Final[dict[Standing, str]] = {
    "failed": "failed",
    "error": "undecided",
    "waived": "waived",
    "advisory": "advisory",
    "passed": "passed",
    "skipped": "skipped",
}
RUN_WORDS: Final[dict[Outcome, str]] = {
    "pass": "passed",
    "fail": "failed",
    "target_error": "target error",
    "case_error": "case error",
    "judge_error": "judge error",
    "not_run": "not run",
}
_WEB_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[A-Za-z0-9._~/=?&%+-]*)?")
_SHA = re.compile(r"[0-9a-f]{7,64}")
BAR_CELLS: Final = 21
_MINUTE_SECONDS = 60
_RECORDED_DIGITS: Final = 6
_MOST_DIGITS: Final = _RECORDED_DIGITS - 2
_SMALL_USD = 0.01


def standing(test: TestEntry) -> Standing:
    """Say where a test stands: its result, or "advisory" where a bad result does not gate."""
    if test["advisory"] and test["result"] in {"failed", "error", "waived"}:
        return "advisory"
    return test["result"]


def all_in_order(document: ReportDocument) -> list[TestEntry]:
    """Put all tests in reading order."""
    return in_order(test for group in document["groups"] for test in group["tests"])


def in_order(tests: Iterable[TestEntry]) -> list[TestEntry]:
    """Put what failed first, and keep the given order otherwise."""
    return sorted(tests, key=lambda test: STANDINGS.index(standing(test)))


def shown_names(document: ReportDocument) -> dict[str, str]:
    """Map each test's id to its name, or to the id itself where several tests share the name."""
    tests = [test for group in document["groups"] for test in group["tests"]]
    counts = Counter(test["name"].casefold() for test in tests)
    return {
        test["id"]: test["name"] if counts[test["name"].casefold()] == 1 else test["id"]
        for test in tests
    }


def verdict(document: ReportDocument) -> str:
    """Say the result in counts alone, so that it holds no text of anybody else."""
    return f"{part_words(document)}{_verdict(document)}{_lost_words(document)}"


def part_words(document: ReportDocument) -> str:
    """Say which part of the tests the report is of; nothing for all of them."""
    shard = document["run"]["shard"]
    return f"Shard {shard['index']} of {shard['count']}: " if shard else ""


def _lost_words(document: ReportDocument) -> str:
    lost = document["run"]["missing_shards"]
    if not lost:
        return ""
    numbers = ", ".join(map(str, lost))
    return f"; shard {numbers} is missing" if len(lost) == 1 else f"; shards {numbers} are missing"


def _verdict(document: ReportDocument) -> str:
    summary = document["summary"]
    if document["run"]["shard"] and not summary["tests"]:
        return "no test is in this part, nothing was judged"
    match document["status"]:
        case "interrupted":
            made, planned = summary["runs_made"], counted(summary["runs_planned"], "run")
            return f"Interrupted after {made:,} of {planned}"
        case "skipped":
            return _skipped(summary["skipped"])
        case "invalid":
            return "Nothing was judged"
        case _:
            return _result(document)


def _result(document: ReportDocument) -> str:
    summary, gating = document["summary"], _gating(document)
    gates = f"{_gates(summary, gating)}{_waived(summary)}"
    if forgiven(document):
        return f"{gates}; this does not fail the step"
    advisory = sum(standing(test) == "advisory" for test in all_in_order(document))
    if document["status"] == "failed" and not summary["failed"]:
        return f"{_got_worse(document)}; {gates}"
    if document["status"] == "passed" and gating and advisory:
        did_not = f"{counted(advisory, 'advisory test')} did not"
        passed = counted(gating - summary["waived"], "test")
        return f"{passed} passed{_waived(summary)}, {did_not}"
    return gates


def _got_worse(document: ReportDocument) -> str:
    """Say why the step fails where no gate did: what the lines below it name."""
    number, baseline = document["summary"]["regressions"] or 0, document["baseline"]
    suite = baseline and baseline["suite"]
    if baseline and (baseline["weaker"] or (suite and suite["significant"])):
        return f"{counted(number, 'regression')} since the baseline"
    return f"{counted(number, 'test')} of the baseline gone"


def _waived(summary: SummaryEntry) -> str:
    return f", {summary['waived']} waived" if summary["waived"] else ""


def _skipped(tests: int) -> str:
    return (
        f"All {counted(tests, 'test')} were skipped" if tests > 1 else "The only test was skipped"
    )


def forgiven(document: ReportDocument) -> bool:
    """Tell whether gates that did not pass were told not to fail the step (``run.fail_on``)."""
    summary = document["summary"]
    return document["status"] == "passed" and bool(summary["failed"] or summary["errors"])


def _gating(document: ReportDocument) -> int:
    summary = document["summary"]
    return summary["passed"] + summary["failed"] + summary["errors"] + summary["waived"]


def _gates(summary: SummaryEntry, gating: int) -> str:
    failed, errors = summary["failed"], summary["errors"]
    if failed and errors:
        return f"{failed} of {counted(gating, 'test')} failed, {errors} undecided"
    if failed:
        return f"{failed} of {counted(gating, 'test')} failed"
    if errors:
        return f"{errors} of {counted(gating, 'test')} could not be decided"
    if summary["waived"]:
        return f"{summary['passed']} of {counted(gating, 'test')} passed"
    return f"All {counted(gating, 'test')} passed" if gating > 1 else _few(gating)


def _few(gating: int) -> str:
    return "The only test passed" if gating else "No test had a gate to pass"


def counted(number: int, noun: str) -> str:
    """``1 run``, ``2 runs``, ``12,000 runs``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def from_the_cache(document: ReportDocument) -> str:
    """``3 judgements from the cache``, empty where every judgement was made anew."""
    cached = document["summary"]["judge_cached"]
    return f"{counted(cached, 'judgement')} from the cache" if cached else ""


def mostly_open(test: TestEntry) -> bool:
    """Tell whether most planned runs gave no verdict: the rate of the others says little."""
    return test["judged"] < _open_runs(test)


def without_verdict(test: TestEntry) -> str:
    """``11 runs without a verdict``, to be said instead of a rate."""
    return f"{counted(_open_runs(test), 'run')} without a verdict"


def _open_runs(test: TestEntry) -> int:
    """Count the runs that were needed and gave no verdict."""
    return test["planned"] - test["judged"] - test["not_needed"] - test["uncounted"]


def percent(rate: float | None) -> str:
    """``80 %``; only what is whole prints as ``0 %`` or ``100 %``; ``n/a`` without a rate."""
    if rate is None:
        return "n/a"
    return f"{_apart((rate,), (0.0, 1.0))[0]} %"


def rate_percent(test: TestEntry) -> str:
    """``69.99 %`` beside a threshold of 70 %: the test's rate as its gate's sentence shows it."""
    return "n/a" if test["rate"] is None else beside_threshold(test["rate"], test)


def beside_threshold(rate: float, test: TestEntry) -> str:
    """Show a rate, with as many digits as keep it apart from the threshold of the test."""
    return f"{_apart((rate,), (0.0, test['gate']['threshold'], 1.0))[0]} %"


def rate_words(test: TestEntry) -> str:
    """``80 %``, and ``100 % of 8 judged`` where other runs gave no verdict."""
    judged = "" if test["judged"] == test["planned"] else f" of {test['judged']:,} judged"
    return f"{rate_percent(test)}{judged}"


def interval(test: TestEntry) -> str:
    """``49 to 94 %``, with as many digits as keep both ends apart from rate and threshold."""
    return interval_beside(
        test["interval"], (test["gate"]["threshold"], *([test["rate"]] if test["rate"] else []))
    )


def interval_beside(ends: Sequence[float], marks: Iterable[float]) -> str:
    """Show an interval, with as many digits as keep its ends apart from the marks."""
    low, high = _apart(ends, (0.0, 1.0, *marks, *ends))
    return f"{low} to {high} %"


def _apart(rates: Sequence[float], marks: Sequence[float]) -> list[str]:
    """Print as percentages with the fewest digits that keep each on its side of the marks."""
    values, beside = list(map(_hundredths, rates)), list(map(_hundredths, marks))
    texts: list[str] = []
    for digits in range(_MOST_DIGITS + 1):
        texts = [f"{value:.{digits}f}" for value in values]
        pairs = [
            (text, value, mark)
            for text, value in zip(texts, values, strict=True)
            for mark in beside
        ]
        if all(
            mark == value or _side(Decimal(text), mark) == _side(value, mark)
            for text, value, mark in pairs
        ):
            break
    return texts


def _hundredths(rate: float) -> Decimal:
    """Give the percentage as it was written down: a float times 100 is a little beside it."""
    return 100 * Decimal(str(round(rate, _RECORDED_DIGITS)))


def _side(value: Decimal, mark: Decimal) -> int:
    return (value > mark) - (value < mark)


def text_bar(test: TestEntry) -> str:
    """Draw rate, interval and threshold on a line of ``BAR_CELLS`` characters, 0 to 100 %.

    What is not the threshold stands beside it, however close it is.
    """
    threshold = test["gate"]["threshold"]
    low, high = (_cell(end, beside=threshold) for end in test["interval"])
    cells = ["─" if low <= cell <= high else "·" for cell in range(BAR_CELLS)]
    cells[low], cells[high] = "├", "┤"
    cells[_cell(threshold, beside=threshold)] = "┃"
    if test["rate"] is not None:
        cells[_cell(test["rate"], beside=threshold)] = "●"
    return "".join(cells)


def _cell(rate: float, *, beside: float) -> int:
    cell = round(rate * (BAR_CELLS - 1))
    if cell == round(beside * (BAR_CELLS - 1)):
        cell += (rate > beside) - (rate < beside)
    return min(BAR_CELLS - 1, max(0, cell))


def duration(seconds: float) -> str:
    """``0.21 s``, ``12.4 s``, ``2 min 5 s``."""
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < _MINUTE_SECONDS:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), _MINUTE_SECONDS)
    return f"{minutes} min {rest} s"


def cost(usd: float | None, *, known: float = 0.0) -> str:
    """Say an amount; where it is unknown, what is ``known`` of it."""
    if usd is not None:
        return _usd(usd)
    return f"at least {_usd(known)}, the rest is unknown" if known else "unknown"


def summary_cost(summary: SummaryEntry) -> str:
    """Say what a run cost and whose cost that is; empty where nobody was asked for money."""
    asked = summary["judge_requests"] or summary["target_cost_usd"] is not None
    if not asked:
        return ""
    said = cost(summary["cost_usd"], known=summary["known_cost_usd"])
    if summary["target_cost_usd"] is None:
        return f"{said} (judge)"
    return f"{said} (target {_usd(summary['target_cost_usd'])})"


def _usd(usd: float) -> str:
    """Four digits, or as many as a small amount needs to be seen."""
    if usd >= _SMALL_USD or not usd:
        return f"{usd:.4f} USD"
    return f"{usd:.{1 - math.floor(math.log10(usd))}f} USD"


def web_address(text: str | None) -> str | None:
    """Give the address when it is one that can be linked without a second thought, else None."""
    return text if text and _WEB_ADDRESS.fullmatch(text) else None


def short_sha(text: str | None) -> str | None:
    """Give the first ten digits of a commit, None when it is none."""
    return text[:10] if text and _SHA.fullmatch(text) else None
