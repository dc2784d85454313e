"""The forest plot: where each mark of a test's row stands, as shares of the plot's width."""

from collections.abc import Iterator
from dataclasses import dataclass

from ci_judge.model.document import ReportDocument, TestEntry
from ci_judge.renderers.stopped_tests import passes_of, stop_words
from ci_judge.renderers.wording import (
    WORDS,
    Standing,
    all_in_order,
    interval,
    mostly_open,
    percent,
    rate_percent,
    standing,
    without_verdict,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotRow:
    """One test. Positions are percentages of the width as text ("49.02%"), 0 % at the left.

    ``rate`` is None where most runs gave no verdict, and where a test may stop early. ``words``
    says in text what the picture shows.
    """

    anchor: str
    name: str
    group: str
    standing: Standing
    counts: str
    percent: str
    low: str
    width: str
    rate: str | None
    may_stop: bool
    threshold: str
    words: str
    sentence: str


def plot_rows(document: ReportDocument) -> Iterator[PlotRow]:
    """Yield a row for each test that was not skipped, what failed first."""
    titles = {test["id"]: group["title"] for group in document["groups"] for test in group["tests"]}
    for test in all_in_order(document):
        if test["result"] != "skipped":
            yield plot_row(test, group=titles[test["id"]])


def plot_row(test: TestEntry, *, group: str) -> PlotRow:
    told = test["judged"] > 0 and not mostly_open(test)
    low, high = test["interval"] if told else (0.0, 1.0)
    return PlotRow(
        anchor=test["anchor"],
        name=test["name"],
        group=group,
        standing=standing(test),
        counts=_counts(test, told=told),
        percent=rate_percent(test) if told else percent(None),
        low=_share(low),
        width=_share(high - low),
        rate=_share(test["rate"]) if told and test["rate"] is not None else None,
        may_stop=test["gate"]["anytime"],
        threshold=_share(test["gate"]["threshold"]),
        words=_words(test),
        sentence=test["gate"]["sentence"],
    )


def _counts(test: TestEntry, *, told: bool) -> str:
    if test["stopped_after"] is not None:
        return passes_of(test)
    if told and test["judged"] < test["planned"]:
        return f"{test['passes']} of {test['judged']} judged"
    return f"{test['passes']} of {test['planned']}"


def _share(value: float) -> str:
    return f"{100 * min(1.0, max(0.0, value)):.4g}%"


def _words(test: TestEntry) -> str:
    threshold = percent(test["gate"]["threshold"])
    if not test["judged"]:
        return f"{WORDS[standing(test)]}: no run was judged, threshold {threshold}"
    if mostly_open(test):
        return f"{WORDS[standing(test)]}: {without_verdict(test)}, threshold {threshold}"
    if test["rate"] is None:
        stopped = f"{stop_words(test)}, " if test["stopped"] else ""
        return f"{WORDS[standing(test)]}: {stopped}interval {interval(test)}, threshold {threshold}"
    return (
        f"{WORDS[standing(test)]}: rate {rate_percent(test)}, interval {interval(test)}, "
        f"threshold {threshold}"
    )
