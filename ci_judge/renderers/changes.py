"""How the comparison with the baseline reads: counts side by side, and what of it may be chance."""

from collections import Counter
from typing import Final

from ci_judge.model.document import BaselineEntry, ChangeKind, ReportDocument, TestEntry
from ci_judge.renderers.chance import by_rate_alone, sample_words
from ci_judge.renderers.wording import counted, short_sha

_WORDS: Final[dict[ChangeKind, str]] = {
    "newly_failing": "newly failing",
    "newly_undecided": "newly undecided",
    "newly_passing": "newly passing",
    "significantly_worse": "worse by more than chance",
    "worse_within_noise": "lower, within noise",
    "higher": "with more passes",
    "added": "added",
    "not_comparable": "not comparable",
    "only_by_gate": "compared by the gate alone",
}
_ALONE: Final = frozenset(
    {
        *("newly_failing", "newly_undecided", "newly_passing"),
        *("significantly_worse", "worse_within_noise"),
    }
)
_BY_NAME: Final[tuple[ChangeKind, ...]] = (
    "newly_failing",
    "newly_undecided",
    "significantly_worse",
    "newly_passing",
    "added",
)
_WAIVERS: Final = {
    "new": "weaker rule, newly waived",
    "changed": "weaker rule, waiver renewed or changed",
    "gone": "no longer waived",
}
BY_RATE_ALONE: Final = "compared by the rate alone"
MOST_NAMED: Final = 20
"""Tests that are named of each kind; the others are counted."""

_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def was(test: TestEntry) -> str:
    """``was 10 of 10``, where the test is in the baseline and its counts were others; or empty."""
    change = test["change"]
    if change is None or change["passes"] is None or change["judged"] is None:
        return ""
    if (change["passes"], change["judged"]) == (test["passes"], test["judged"]):
        return ""
    return f"was {change['passes']:,} of {change['judged']:,}"


def change_words(test: TestEntry) -> str:
    """Say what became of the test since the baseline; empty where there is nothing to say."""
    change = test["change"]
    if change is None or change["kind"] in {"unchanged", "only_by_gate"}:
        return ""
    if change["kind"] == "added":
        return "not in the baseline"
    if change["kind"] == "not_comparable":
        what = BY_RATE_ALONE if by_rate_alone(test) else "not comparable with the baseline"
        told = f"{what}: {'; '.join(change['reasons'])}"
    else:
        told = _WORDS[change["kind"]] if change["kind"] in _ALONE else ""
    return ", ".join(part for part in (told, sample_words(test) or was(test)) if part)


def change_counts(document: ReportDocument) -> str:
    """``1 newly failing, 2 added, 1 removed``; ``nothing changed`` where that is so."""
    tests = [test for group in document["groups"] for test in group["tests"]]
    by_rate = sum(map(by_rate_alone, tests))
    kinds = Counter(test["change"]["kind"] for test in tests if test["change"] is not None)
    kinds["not_comparable"] -= by_rate
    baseline = document["baseline"]
    removed = len(baseline["removed"]) if baseline else 0
    parts = [f"{kinds[kind]:,} {word}" for kind, word in _WORDS.items() if kinds[kind]]
    parts += [f"{by_rate:,} {BY_RATE_ALONE}"] if by_rate else []
    return ", ".join([*parts, *([f"{removed:,} removed"] if removed else [])]) or "nothing changed"


def named_changes(document: ReportDocument) -> list[tuple[str, list[TestEntry]]]:
    """Give the tests that people want to see by name, by what became of them."""
    tests = [test for group in document["groups"] for test in group["tests"]]
    found = {
        kind: [test for test in tests if test["change"] and test["change"]["kind"] == kind]
        for kind in _BY_NAME
    }
    weaker = {
        words: [test for test in tests if test["change"] and test["change"]["waiver"] == became]
        for became, words in _WAIVERS.items()
    }
    named = {_WORDS[kind]: found[kind] for kind in _BY_NAME} | weaker
    return [(words, named[words]) for words in named if named[words]]


def baseline_name(baseline: BaselineEntry) -> str:
    """Name the baseline by its commit, or else by when it began."""
    commit = short_sha(baseline["commit"])
    return f"commit {commit}" if commit else f"the report of {(baseline['started'] or '')[:10]}"


def baseline_age(baseline: BaselineEntry) -> str:
    """``3 days older``, and ``newer`` where the baseline began later."""
    seconds = baseline["age_seconds"]
    if seconds is None:
        return "of unknown age"
    word = "older" if seconds >= 0 else "newer"
    for size, unit in _UNITS:
        if abs(seconds) >= size:
            return f"{counted(int(abs(seconds) // size), unit)} {word}"
    return "of the same minute"


def baseline_line(document: ReportDocument) -> str:
    """Say in a line what this was compared with and what came of it; empty without a baseline."""
    baseline = document["baseline"]
    if baseline is None:
        return ""
    if baseline["problem"] is not None:
        return f"Not compared with a baseline: {baseline['problem']}"
    note = f" ({baseline['note']})" if baseline["note"] else ""
    name = f"{baseline_name(baseline)}, {baseline_age(baseline)}"
    return f"Compared with {name}: {change_counts(document)}{note}"
