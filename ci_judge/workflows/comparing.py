"""Holds a finished report against its baseline, test by test."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Self

from ci_judge.document.merging import tests_of
from ci_judge.file_schema.values import exact_rate
from ci_judge.model.document import (
    BaselineEntry,
    ChangeEntry,
    ReportDocument,
    TestEntry,
)
from ci_judge.model.results import TestOutcome
from ci_judge.rules.changes import held_to
from ci_judge.rules.settling import FailOn, GotWorse, Settlement, settle_regressions
from ci_judge.workflows.baseline import FoundBaseline, NoBaseline
from ci_judge.workflows.comparability import Across
from ci_judge.workflows.comparison import Comparison, comparison_with
from ci_judge.workflows.recorded_settings import fail_on_of, run_setting

USUAL_ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparingRules:
    """What a comparison may let pass, and how often it may raise a false alarm (``alpha``).

    ``across`` is what differs between the two on purpose.
    """

    fail_on: FailOn = "error"
    allow_removed: bool = False
    allow_weaker: bool = False
    alpha: float = USUAL_ALPHA
    across: frozenset[Across] = frozenset()

    @classmethod
    def recorded(cls, settings: Mapping[str, Any]) -> Self:
        """Give those of a report's settings; what cannot be understood is the strictest."""
        return cls(
            fail_on=fail_on_of(settings),
            allow_removed=run_setting(settings, "allow_removed") is True,
            allow_weaker=run_setting(settings, "allow_weaker") is True,
            alpha=_alpha(run_setting(settings, "alpha")),
        )


def _alpha(found: Any) -> float:
    try:
        alpha = float(exact_rate(str(found)).value)
    except ValueError:
        return USUAL_ALPHA
    return alpha if 0 < alpha < 1 else USUAL_ALPHA


def compared(
    document: ReportDocument,
    found: FoundBaseline | None,
    *,
    rules: ComparingRules,
    whole_suite: bool = True,
) -> ReportDocument:
    """Give the report with everything that the comparison adds, its result included.

    Without a baseline that can be used ``fail_on`` regression is as good as error, and says so.
    Where the report is not of the ``whole_suite``, as a shard's, no test is called removed and the
    tests are not tested together.
    """
    if found is None and rules.fail_on != "regression":
        return document
    comparison = comparison_with(
        found or _NOT_ASKED,
        document,
        alpha=rules.alpha,
        across=rules.across,
        whole_suite=whole_suite,
    )
    worse = _got_worse(document, comparison, rules)
    changed: ReportDocument = {
        **document,
        "summary": {**document["summary"], "regressions": worse.regressions if worse else None},
        "baseline": _baseline_entry(document, comparison, alpha=rules.alpha),
        "groups": [
            {
                **group,
                "tests": [_changed(test, comparison, rules.fail_on) for test in group["tests"]],
            }
            for group in document["groups"]
        ],
    }
    return changed if rules.fail_on != "regression" else _settled(changed, comparison, worse)


_NOT_ASKED = NoBaseline(source="none", reason="no baseline is named")


def _got_worse(
    document: ReportDocument, comparison: Comparison, rules: ComparingRules
) -> GotWorse | None:
    """Count what got worse, None where nothing was compared."""
    if comparison.baseline is None:
        return None
    failed = [test for test in tests_of(document["groups"]) if test["result"] == "failed"]
    gating = [test["id"] for test in failed if not test["advisory"]]
    newly = {each for each in gating if comparison.changes[each].kind == "newly_failing"}
    return GotWorse(
        newly_failing=len(newly),
        by_more_than_chance=len(comparison.named - newly),
        suite=comparison.suite is not None and comparison.suite["significant"],
        removed=0 if rules.allow_removed else _missed(comparison),
        weaker=0 if rules.allow_weaker else len(comparison.weaker),
    )


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
        "difference": comparison.differences.get(test["id"]),
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


def _baseline_entry(
    document: ReportDocument, comparison: Comparison, *, alpha: float
) -> BaselineEntry:
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
        "weaker": list(comparison.weaker),
        "alpha": alpha,
        "suite": comparison.suite,
        "criteria": list(comparison.criteria),
    }


def _age(started: str, document: ReportDocument) -> float | None:
    """Give the seconds between the two starts; what is no time has no age."""
    try:
        times = [datetime.fromisoformat(text) for text in (document["run"]["started"], started)]
        return round((times[0] - times[1]).total_seconds(), 3)
    except (ValueError, TypeError):
        return None


def _settled(
    document: ReportDocument, comparison: Comparison, worse: GotWorse | None
) -> ReportDocument:
    """Decide by what got worse, unless an interruption has decided already."""
    if document["run"]["interrupted"]:
        return document
    if worse is None:
        said = f"fail_on regression counts as error: no baseline, {comparison.problem}"
        return {
            **document,
            "headline": f"{document['headline']} ({said})",
            "warnings": [said, *document["warnings"]],
        }
    settlement = _settlement(document, comparison, worse)
    return {
        **document,
        "status": settlement.status,
        "exit_code": int(settlement.exit_code),
        "headline": settlement.headline,
    }


def _settlement(document: ReportDocument, comparison: Comparison, worse: GotWorse) -> Settlement:
    gating = [test for test in tests_of(document["groups"]) if not test["advisory"]]
    outcomes: list[TestOutcome] = [
        held_to(test["result"], comparison.changes[test["id"]]) for test in gating
    ]
    return settle_regressions(outcomes, worse, headline=document["headline"])
