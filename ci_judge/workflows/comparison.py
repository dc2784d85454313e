"""What became of every test of a report since its baseline, and which of it is more than chance."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ci_judge.document.merging import tests_of
from ci_judge.model.document import (
    DifferenceEntry,
    ReportDocument,
    TestEntry,
    TogetherEntry,
    WeakerEntry,
)
from ci_judge.rules.changes import Change, Standing, change, more_than_chance
from ci_judge.rules.gatekeeping import findings
from ci_judge.rules.weakening import same_but_for_what_was_dropped
from ci_judge.workflows.baseline import Baseline, FoundBaseline, NoBaseline
from ci_judge.workflows.comparability import (
    Across,
    criteria_of,
    judge_differences,
    target_differences,
)
from ci_judge.workflows.samples import (
    compared_tests,
    difference_entry,
    sample_of,
    together_entry,
)
from ci_judge.workflows.weakening import rules_of, weaker_entries

_OTHER_CRITERION = "its criterion or the judge's instructions for it changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What comparing came to: by test id, and what of the baseline is gone.

    ``problem`` says why nothing was compared. ``suite`` is None where nothing could be tested, or
    this is not the whole; ``named`` are the tests that got worse by more than chance and may fail
    the step.
    """

    baseline: Baseline | None
    source: str
    problem: str | None
    changes: Mapping[str, Change]
    removed: tuple[TestEntry, ...] = ()
    note: str | None = None
    weaker: tuple[WeakerEntry, ...] = ()
    suite: TogetherEntry | None = None
    criteria: tuple[TogetherEntry, ...] = ()
    differences: Mapping[str, DifferenceEntry] = field(default_factory=dict)
    named: frozenset[str] = frozenset()


def comparison_with(
    found: FoundBaseline,
    document: ReportDocument,
    *,
    alpha: float,
    across: frozenset[Across],
    whole_suite: bool,
) -> Comparison:
    """Compare a report with what was found for a baseline.

    ``alpha`` is how often a false alarm may be, ``across`` what differs on purpose. Where the
    report is not of the ``whole_suite`` nothing is called removed, or tested together.
    """
    problem = found.reason if isinstance(found, NoBaseline) else _unusable(found)
    if problem is not None or isinstance(found, NoBaseline):
        return Comparison(baseline=None, source=found.source, problem=problem, changes={})
    tests = {test["id"]: test for test in tests_of(document["groups"])}
    gone = tuple(test for test_id, test in found.tests.items() if test_id not in tests)
    partial = _partial(found, whole=whole_suite and document["run"]["complete"])
    judges = (None, None) if "judge" in across else (found.judge, document["judge"])
    plain = Comparison(
        baseline=found,
        source=found.source,
        problem=None,
        changes=_changes(document, found, across),
        removed=() if partial else gone,
        note=partial,
        weaker=tuple(weaker_entries(list(tests.values()), found.tests, judges=judges)),
    )
    return _tested(document, plain, found, alpha=alpha, whole_suite=whole_suite)


def _changes(
    document: ReportDocument, baseline: Baseline, across: frozenset[Across]
) -> dict[str, Change]:
    everywhere = tuple(judge_differences(baseline, document, across=across))
    of_targets = tuple(target_differences(baseline, document, across=across))
    told = criteria_of(baseline.groups, baseline.settings, across=across)
    tells = criteria_of(document["groups"], document["settings"], across=across)
    found = {}
    for test in tests_of(document["groups"]):
        was = baseline.tests.get(test["id"])
        differences = everywhere if test["kind"] == "case" else everywhere + of_targets
        pair = (told.get(test["id"]), tells.get(test["id"]))
        if None not in pair and pair[0] != pair[1]:
            differences += (_OTHER_CRITERION,)
        found[test["id"]] = change(
            _standing(test),
            None if was is None else _standing(was),
            differences=differences,
            weakened=was is not None
            and same_but_for_what_was_dropped(rules_of(was), rules_of(test)),
        )
    return found


def _tested(
    document: ReportDocument,
    plain: Comparison,
    baseline: Baseline,
    *,
    alpha: float,
    whole_suite: bool,
) -> Comparison:
    """Ask which of the differences are more than chance."""
    comparable = frozenset(test_id for test_id, each in plain.changes.items() if each.rates)
    tests = compared_tests(document["groups"], baseline.tests, comparable=comparable)
    found = findings(tests, alpha=alpha, whole=whole_suite)
    named = frozenset(
        test_id
        for test_id, each in found.tests.items()
        if each.blocking_p is not None and each.blocking_p <= alpha
    )
    worse = named | {test_id for test_id, each in found.tests.items() if each.adjusted_p <= alpha}
    return replace(
        plain,
        changes={
            test_id: more_than_chance(each, blocks=test_id in named) if test_id in worse else each
            for test_id, each in plain.changes.items()
        },
        suite=None if found.suite is None else together_entry(found.suite, alpha=alpha),
        criteria=tuple(together_entry(each, alpha=alpha) for each in found.criteria),
        differences={
            test_id: difference_entry(tests[test_id], each) for test_id, each in found.tests.items()
        },
        named=named,
    )


def _unusable(baseline: Baseline) -> str | None:
    return "it is the report of a run that was interrupted" if baseline.interrupted else None


def _partial(baseline: Baseline, *, whole: bool) -> str | None:
    """Say why a test that is missing says nothing, None where the suites are whole."""
    if not whole:
        return "only a part of the suite ran, so removed tests cannot be told"
    if not baseline.complete:
        return "the baseline is of a part of the suite, so added and removed tests cannot be told"
    return None


def _standing(test: TestEntry) -> Standing:
    gate = test["gate"]
    asked = (test["turns"], test["history"], test["expected"], sorted(test["checks"]))
    rule = [gate["kind"], gate["threshold_text"], gate["confidence"], gate["misses"]]
    sample = sample_of(test)  # counts that may stop are a biased one, even where none did
    return Standing(
        outcome=test["result"],
        passes=test["passes"] if sample is None else sample.passes,
        judged=test["judged"] if sample is None else sample.judged,
        curtailed=sample is None,
        terms={"question or its expectation": [*asked, test["requirement"]]},
        rules={
            "gate": [*rule, gate["max_runs"] or test["planned"], gate["min_runs"]],
            "advisory mark": test["advisory"],
        },
    )
