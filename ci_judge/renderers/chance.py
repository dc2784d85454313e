"""How it reads what more than chance has changed since the baseline, and which rules are weaker."""

from collections.abc import Iterator
from typing import Final

from ci_judge.model.document import (
    DifferenceEntry,
    ReportDocument,
    TestEntry,
    TogetherEntry,
    WeakerEntry,
    WeakerKind,
)
from ci_judge.renderers.wording import counted

_WEAKER: Final[dict[WeakerKind, str]] = {
    "threshold": "threshold",
    "runs": "fewer runs",
    "gate": "looser gate",
    "check": "dropped check",
    "phrase": "dropped phrase",
    "expectation": "dropped expectation",
    "waiver": "new waiver",
    "advisory": "made advisory",
    "skipped": "newly skipped",
    "judge": "judge",
}
_SAID_BY_KIND: Final = frozenset({"waiver", "advisory", "skipped"})
_LEAST_P: Final = 0.001
_MOST_TESTS: Final = 3


def p_words(p: float) -> str:
    """``p = 0.024``, ``p < 0.001``."""
    return f"p < {_LEAST_P}" if p < _LEAST_P else f"p = {p:.3f}"


def points(share: float) -> str:
    """``25 points``: what a rate changed by; a smaller change has a digit more."""
    shown = 100 * abs(share)
    text = f"{shown:.0f}" if shown >= 1 or not shown else f"{shown:.1f}"
    return counted(1, "point") if text == "1" else f"{text} points"


def sample_words(test: TestEntry) -> str:
    """Say which counts were compared where they are not all that the report shows; or nothing."""
    difference = test["change"] and test["change"]["difference"]
    if not difference or test["change"] is None:
        return ""
    shown = (test["change"]["passes"], test["change"]["judged"], test["passes"], test["judged"])
    if shown == _counts(difference):
        return ""
    was_passes, was_judged, passes, judged = _counts(difference)
    return f"first {judged:,} runs: {passes:,} passed, was {was_passes:,} of {was_judged:,}"


def by_rate_alone(test: TestEntry) -> bool:
    """Tell whether gates cannot be compared and rates were: the gate changed, say."""
    change = test["change"]
    return bool(change and change["kind"] == "not_comparable" and change["difference"])


def difference_words(difference: DifferenceEntry) -> str:
    """``20 of 20 → 15 of 20, a drop of 25 points (4 to 47), p = 0.011``; p is of a drop alone."""
    was_passes, was_judged, passes, judged = _counts(difference)
    counts = f"{was_passes:,} of {was_judged:,} → {passes:,} of {judged:,}"
    if difference["drop"] == 0:
        return counts
    what = "drop" if difference["drop"] > 0 else "rise"
    ends = sorted(difference["drop_interval"], reverse=what == "rise")
    low, high = (100 * end if what == "drop" else -100 * end for end in ends)
    told = f"{counts}, a {what} of {points(difference['drop'])} ({round(low)} to {round(high)})"
    return f"{told}, {p_words(difference['p'])}" if what == "drop" else told


def worse_words(test: TestEntry) -> str:
    """``20 of 20 → 15 of 20`` of a test that got worse by more than chance; else empty."""
    change = test["change"]
    if change is None or change["kind"] != "significantly_worse" or change["difference"] is None:
        return ""
    was_passes, was_judged, passes, judged = _counts(change["difference"])
    return f"{was_passes:,} of {was_judged:,} → {passes:,} of {judged:,}"


def _counts(difference: DifferenceEntry) -> tuple[int, int, int, int]:
    return (
        difference["was_passes"],
        difference["was_judged"],
        difference["passes"],
        difference["judged"],
    )


def weaker_words(weaker: WeakerEntry) -> tuple[str, str, str]:
    """Give what is weaker, as it was, and as it is; the last two are untrusted, and may be empty.

    ``("threshold", "0.8", "0.7")``, ``("dropped check", "max_chars 300", "")``.
    """
    kind = weaker["kind"]
    told = ("", "") if kind in _SAID_BY_KIND else (weaker["was"], weaker["now"])
    return (_WEAKER[kind], *told)


def weaker_tests(weaker: WeakerEntry) -> tuple[list[str], int]:
    """Give the first tests (ids, untrusted) that a rule is weaker for, and how many more."""
    return weaker["tests"][:_MOST_TESTS], max(0, len(weaker["tests"]) - _MOST_TESTS)


def weaker_line(weaker: WeakerEntry) -> str:
    """``weaker rule: threshold 0.8 → 0.7 (a/b, a/c and 7 more)``; untrusted."""
    what, was, now = weaker_words(weaker)
    named, more = weaker_tests(weaker)
    tests = ", ".join(named) + (f" and {more:,} more" if more else "")
    told = " ".join(filter(None, [what, " → ".join(filter(None, [was, now]))]))
    return f"weaker rule: {told}{f' ({tests})' if tests else ''}"


def together_words(together: TogetherEntry, *, figures: bool = True) -> str:
    """Say what all tests together came to, and what could have been seen."""
    told = f" ({_figures(together)})" if figures else ""
    counts = (
        f"{together['passes']:,} of {together['judged']:,} passed, "
        f"was {together['was_passes']:,} of {together['was_judged']:,}"
    )
    if together["significant"]:
        return f"{counts}: worse by more than chance{told}"
    seen = together["detectable_drop"]
    if not together["was_passes"]:
        seeable = "none passed before, so none can fall"
    elif seen is None:
        seeable = "so few runs would hardly show any drop"
    else:
        seeable = f"a drop of {points(seen)} in all of them would probably have been seen"
    lower = (
        together["passes"] * together["was_judged"] < together["was_passes"] * together["judged"]
    )
    judged = "lower, within noise" if lower else "not worse"
    return f"{counts}: {judged}{told}; {seeable}"


def _figures(together: TogetherEntry) -> str:
    return f"{p_words(together['p'])}, mid-p {together['mid_p']:.3f}"


def together_lines(
    document: ReportDocument, *, figures: bool = True
) -> Iterator[tuple[str | None, str]]:
    """Yield what the suite came to (of None), then the criteria (untrusted) that got worse."""
    baseline = document["baseline"]
    if baseline is None or baseline["suite"] is None:
        return
    suite = baseline["suite"]
    several = f"the {suite['tests']:,} compared tests together"
    tests = "the compared test" if suite["tests"] == 1 else several
    if any(sample_words(test) for group in document["groups"] for test in group["tests"]):
        whose = "its" if suite["tests"] == 1 else "of some"
        tests = f"{tests}, {whose} first runs alone"
    told = together_words(suite, figures=figures)
    unnamed = suite["significant"] and suite["tests"] > 1 and not _names_one(document)
    yield None, f"{tests}: {told}{'; it cannot be told which of them' if unnamed else ''}"
    if len(baseline["criteria"]) > 1:
        for criterion in baseline["criteria"]:
            if criterion["significant"] and criterion["criterion"] is not None:
                yield criterion["criterion"], together_words(criterion, figures=figures)


def _names_one(document: ReportDocument) -> bool:
    kinds = {
        test["change"]["kind"]
        for group in document["groups"]
        for test in group["tests"]
        if test["change"]
    }
    return not kinds.isdisjoint({"newly_failing", "significantly_worse"})


def comparison_lines(document: ReportDocument) -> Iterator[str]:
    """Yield in plain lines (untrusted) what is weaker, and what the tests together came to."""
    baseline = document["baseline"]
    if baseline is None:
        return
    yield from map(weaker_line, baseline["weaker"])
    for criterion, told in together_lines(document):
        yield told if criterion is None else f"criterion {criterion}: {told}"
