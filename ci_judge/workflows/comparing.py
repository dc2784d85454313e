"""Holds a finished report against its baseline, test by test."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ci_judge.model.document import (
    BaselineEntry,
    ChangeEntry,
    JudgeEntry,
    ReportDocument,
    TestEntry,
)
from ci_judge.model.results import TestOutcome
from ci_judge.rules.changes import Change, Standing, change, held_to
from ci_judge.rules.settling import FailOn, Settlement, settle_regressions
from ci_judge.workflows.baseline import Baseline, FoundBaseline, NoBaseline, judge_changes

_TARGET_IDENTITY = ("url", "command", "response_path")
_JUDGE_TERMS = ("mode", "threshold", "repetitions", "minimum_pass_rate", "temperature")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What comparing came to: by test id, and what of the baseline is gone.

    ``problem`` says why nothing was compared.
    """

    baseline: Baseline | None
    source: str
    problem: str | None
    changes: Mapping[str, Change]
    removed: tuple[TestEntry, ...] = ()
    note: str | None = None


def compared(
    document: ReportDocument,
    found: FoundBaseline | None,
    *,
    fail_on: FailOn,
    allow_removed: bool,
    whole_suite: bool = True,
) -> ReportDocument:
    """Give the report with everything that the comparison adds, its result included.

    Without a baseline that can be used ``fail_on`` regression is as good as error, and says so.
    Where the report is not of the ``whole_suite``, as a shard's, no test is called removed.
    """
    if found is None and fail_on != "regression":
        return document
    comparison = _comparison(document, found or _NOT_ASKED, whole_suite=whole_suite)
    regressions = _regressions(document, comparison, allow_removed=allow_removed)
    changed: ReportDocument = {
        **document,
        "summary": {**document["summary"], "regressions": regressions},
        "baseline": _baseline_entry(document, comparison),
        "groups": [
            {**group, "tests": [_changed(test, comparison, fail_on) for test in group["tests"]]}
            for group in document["groups"]
        ],
    }
    if fail_on != "regression":
        return changed
    return _settled(changed, comparison, removed=0 if allow_removed else _missed(comparison))


_NOT_ASKED = NoBaseline(source="none", reason="no baseline is named")


def _comparison(document: ReportDocument, found: FoundBaseline, *, whole_suite: bool) -> Comparison:
    problem = found.reason if isinstance(found, NoBaseline) else _unusable(found)
    if problem is not None or isinstance(found, NoBaseline):
        return Comparison(baseline=None, source=found.source, problem=problem, changes={})
    tests = {test["id"]: test for test in _tests(document)}
    everywhere = tuple(_judge_differences(found, document["judge"]))
    of_targets = tuple(_target_differences(found, document))
    changes = {
        test["id"]: change(
            _standing(test),
            _counterpart(found.tests.get(test["id"])),
            differences=everywhere if test["kind"] == "case" else everywhere + of_targets,
        )
        for test in tests.values()
    }
    gone = tuple(test for test_id, test in found.tests.items() if test_id not in tests)
    whole = whole_suite and document["run"]["complete"]
    partial = _partial(found, whole=whole)
    return Comparison(
        baseline=found,
        source=found.source,
        problem=None,
        changes=changes,
        removed=() if partial else gone,
        note=partial,
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


def _tests(document: ReportDocument) -> list[TestEntry]:
    return [test for group in document["groups"] for test in group["tests"]]


def _counterpart(test: TestEntry | None) -> Standing | None:
    return None if test is None else _standing(test)


def _standing(test: TestEntry) -> Standing:
    gate = test["gate"]
    asked = (test["turns"], test["history"], test["expected"], test["checks"])
    rule = [gate["kind"], gate["threshold_text"], gate["confidence"], gate["misses"]]
    return Standing(
        outcome=test["result"],
        passes=test["passes"],
        judged=test["judged"],
        curtailed=gate["anytime"],  # counts that may stop are a biased sample, even where none did
        terms={
            "question or its expectation": [*asked, test["requirement"]],
            "gate": [*rule, test["planned"], gate["min_runs"]],
            "advisory mark": test["advisory"],
        },
    )


def _judge_differences(baseline: Baseline, judge: JudgeEntry | None) -> Iterator[str]:
    if (baseline.judge is None) != (judge is None):
        yield "one of the two has no judge"
    elif any(judge_changes(baseline, judge)):
        yield "another judge, model or prompt"
    elif baseline.judge is not None and judge is not None and _terms_differ(baseline.judge, judge):
        yield "the judge judges by other rules"


def _terms_differ(old: JudgeEntry, new: JudgeEntry) -> bool:
    pairs = [(old, new), *zip(old["panel"], new["panel"], strict=False)]
    return old["panel_rule"] != new["panel_rule"] or any(
        was.get(term) != now.get(term) for was, now in pairs for term in _JUDGE_TERMS
    )


def _target_differences(baseline: Baseline, document: ReportDocument) -> Iterator[str]:
    if _targets(baseline.settings) != _targets(document["settings"]):
        yield "another target"


def _targets(settings: Mapping[str, Any]) -> list[tuple[str, list[Any]]]:
    """Give what makes each target the one that it is; how it is asked may change."""
    named = settings.get("targets")
    sections = {"": settings.get("target"), **(named if isinstance(named, dict) else {})}
    return [
        (name, [section.get(key) for key in _TARGET_IDENTITY])
        for name, section in sorted(sections.items())
        if isinstance(section, dict)
    ]


def _regressions(
    document: ReportDocument, comparison: Comparison, *, allow_removed: bool
) -> int | None:
    if comparison.baseline is None:
        return None
    failed = [test for test in _tests(document) if test["result"] == "failed"]
    gating = [test["id"] for test in failed if not test["advisory"]]
    newly = sum(comparison.changes[test_id].kind == "newly_failing" for test_id in gating)
    return newly + (0 if allow_removed else _missed(comparison))


def _missed(comparison: Comparison) -> int:
    """Count the removed tests that could have failed the step."""
    return sum(not test["advisory"] and test["result"] != "skipped" for test in comparison.removed)


def _changed(test: TestEntry, comparison: Comparison, fail_on: FailOn) -> TestEntry:
    found = comparison.changes.get(test["id"])
    if found is None or comparison.baseline is None:
        return test
    was = comparison.baseline.tests.get(test["id"])
    entry: ChangeEntry = {
        "kind": found.kind,
        "let_off": fail_on == "regression" and held_to(test["result"], found) != test["result"],
        "result": was["result"] if was else None,
        "passes": was["passes"] if was else None,
        "judged": was["judged"] if was else None,
        "reasons": list(found.reasons),
        "waiver": _waiver_change(test, was),
    }
    return {**test, "change": entry}


def _waiver_change(
    now: TestEntry, was: TestEntry | None
) -> Literal["new", "changed", "gone"] | None:
    """Say what became of a waiver; a test that is not in the baseline had none there."""
    before, after = was and was["waiver"], now["waiver"]
    if after is None:
        return "gone" if before else None
    if before is None:
        return "new"
    moved = {"file": after["file"], "line": after["line"]}
    return None if {**before, **moved} == after else "changed"


def _baseline_entry(document: ReportDocument, comparison: Comparison) -> BaselineEntry:
    baseline = comparison.baseline
    return {
        "source": comparison.source,
        "problem": comparison.problem,
        "commit": baseline.commit if baseline else None,
        "url": baseline.url if baseline else None,
        "started": baseline.started if baseline else None,
        "age_seconds": _age(baseline.started, document) if baseline else None,
        "note": comparison.note,
        "removed": [
            {"id": test["id"], "name": test["name"], "result": test["result"]}
            for test in comparison.removed
        ],
    }


def _age(started: str, document: ReportDocument) -> float | None:
    """Give the seconds between the two starts; what is no time has no age."""
    try:
        times = [datetime.fromisoformat(text) for text in (document["run"]["started"], started)]
        return round((times[0] - times[1]).total_seconds(), 3)
    except (ValueError, TypeError):
        return None


def _settled(document: ReportDocument, comparison: Comparison, *, removed: int) -> ReportDocument:
    """Decide by what got worse, unless an interruption has decided already."""
    if document["run"]["interrupted"]:
        return document
    if comparison.baseline is None:
        said = f"fail_on regression counts as error: no baseline, {comparison.problem}"
        return {
            **document,
            "headline": f"{document['headline']} ({said})",
            "warnings": [said, *document["warnings"]],
        }
    settlement = _settlement(document, comparison, removed=removed)
    return {
        **document,
        "status": settlement.status,
        "exit_code": int(settlement.exit_code),
        "headline": settlement.headline,
    }


def _settlement(document: ReportDocument, comparison: Comparison, *, removed: int) -> Settlement:
    gating = [test for test in _tests(document) if not test["advisory"]]
    outcomes: list[TestOutcome] = [
        held_to(test["result"], comparison.changes[test["id"]]) for test in gating
    ]
    return settle_regressions(outcomes, removed=removed, headline=document["headline"])
