"""The full samples that a report holds, and what testing them against a baseline's came to."""

from collections.abc import Iterable, Mapping

from ci_judge.model.document import (
    DifferenceEntry,
    GroupEntry,
    TestEntry,
    TogetherEntry,
)
from ci_judge.rules.differences import Counts, drop
from ci_judge.rules.gatekeeping import ComparedTest, TestFinding, TogetherFinding
from ci_judge.workflows.sound_reports import MOST_RUNS

_DIGITS = 6


def sample_of(test: TestEntry) -> Counts | None:
    """Give the counts whose number did not depend on how they came out, None where there are none.

    All judged runs of a test that may not stop early, and the first ones of an adaptive test, which
    it makes in any case. Counts that cannot be, in a report from elsewhere, are none.
    """
    prefix = test["prefix"]
    if prefix is not None:
        return _sane(passes=prefix["passes"], judged=prefix["judged"])
    if test["gate"]["anytime"] or test["stopped"] or test["not_run"]:
        return None
    return _sane(passes=test["passes"], judged=test["judged"])


def _sane(*, passes: int, judged: int) -> Counts | None:
    return Counts(passes=passes, judged=judged) if 0 <= passes <= judged <= MOST_RUNS else None


def compared_tests(
    groups: Iterable[GroupEntry], before: Mapping[str, TestEntry], *, comparable: frozenset[str]
) -> dict[str, ComparedTest]:
    """Give the two samples of each ``comparable`` test; what may fail a step is told from the rest.

    An advisory test may not, and neither may one that is waived.
    """
    found = {}
    for group in groups:
        for test in group["tests"]:
            was = before.get(test["id"])
            samples = (None if was is None else sample_of(was), sample_of(test))
            if test["id"] in comparable and samples[0] is not None and samples[1] is not None:
                found[test["id"]] = ComparedTest(
                    criterion=group["id"],
                    was=samples[0],
                    now=samples[1],
                    gating=not test["advisory"] and test["waiver"] is None,
                )
    return found


def difference_entry(compared: ComparedTest, found: TestFinding) -> DifferenceEntry:
    """Make an entry of two samples and of what testing them came to."""
    seen = drop(compared.was, compared.now)
    return {
        "was_passes": compared.was.passes,
        "was_judged": compared.was.judged,
        "passes": compared.now.passes,
        "judged": compared.now.judged,
        "drop": round(seen.observed, _DIGITS),
        "drop_interval": [round(seen.low, _DIGITS), round(seen.high, _DIGITS)],
        "p": round(found.p, _DIGITS),
        "adjusted_p": round(found.adjusted_p, _DIGITS),
        "blocking_p": None if found.blocking_p is None else round(found.blocking_p, _DIGITS),
    }


def together_entry(found: TogetherFinding, *, alpha: float) -> TogetherEntry:
    """Make an entry of what testing several tests together came to."""
    seen = found.detectable
    return {
        "criterion": found.criterion,
        "tests": found.tests,
        "was_passes": found.was.passes,
        "was_judged": found.was.judged,
        "passes": found.now.passes,
        "judged": found.now.judged,
        "p": round(found.p, _DIGITS),
        "mid_p": round(found.mid_p, _DIGITS),
        "blocking_p": round(found.blocking_p, _DIGITS),
        "significant": found.blocking_p <= alpha,
        "detectable_drop": None if seen is None else round(seen, _DIGITS),
    }
