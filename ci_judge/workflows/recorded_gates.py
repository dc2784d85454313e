"""Gates and counts as a report tells of them, as values again."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ci_judge.document.corrections import labels_in
from ci_judge.file_schema.values import exact_rate
from ci_judge.model.document import GateEntry, TestEntry
from ci_judge.model.evidence import FailureCode
from ci_judge.model.reasons import NotRunCode, ReasonCount
from ci_judge.model.results import Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.workflows.recorded_settings import run_setting


def recorded_rule(test: TestEntry) -> GateRule:
    """Give the gate that an entry tells of. Raises ValueError for what none can be."""
    gate = test["gate"]
    confidence = _confidence(gate)
    if not 0 < confidence < 1:
        raise ValueError(f"no confidence is {gate['confidence']}")
    threshold = exact_rate(gate["threshold_text"]).value
    if not 0 <= threshold <= 1:
        raise ValueError(f"no threshold is {gate['threshold_text']}")
    return GateRule(
        kind=GateKind(gate["kind"]),
        runs=test["planned"],
        threshold=threshold,
        confidence=confidence,
        misses=gate["misses"] or 0,
        min_runs=gate["min_runs"],
        early_stop=gate["early_stop"],
        topped_up=_topped_up(test),
        labels=None if gate["labels"] is None else labels_in(gate["labels"]),
    )


def _topped_up(test: TestEntry) -> int:
    most = test["gate"]["max_runs"]
    return 0 if most is None else max(0, test["planned"] - most)


def recorded_tally(test: TestEntry) -> Tally:
    """Give the counts that an entry tells of."""
    return Tally(
        planned=test["planned"],
        passes=test["passes"],
        fails=test["fails"],
        errors=test["errors"],
        not_run=test["not_run"],
        not_needed=test["not_needed"],
        uncounted=test["uncounted"],
        certain=test["certain_fails"],
    )


def recorded_reasons(test: TestEntry) -> list[ReasonCount]:
    """Give why runs have no verdict."""
    not_run = frozenset(NotRunCode)
    return [
        ReasonCount(
            code=NotRunCode(each["code"]) if each["code"] in not_run else FailureCode(each["code"]),
            runs=each["runs"],
        )
        for each in test["reasons"]
    ]


def _confidence(gate: GateEntry) -> Fraction:
    """Take the decimal number that was meant; a confidence such as 2/3 is as near as a float is."""
    return Fraction(repr(gate["confidence"])).limit_denominator(10**9)


def recorded_defaults(settings: Mapping[str, Any]) -> GateRule | None:
    """Give the gate of the section ``run``, over one run, None where the report does not tell."""
    found = {key: run_setting(settings, key) for key in ("gate", "threshold", "confidence")}
    misses = run_setting(settings, "misses")
    try:
        return GateRule(
            kind=GateKind(found["gate"]),
            runs=1,
            threshold=exact_rate(str(found["threshold"])).value,
            confidence=exact_rate(str(found["confidence"])).value,
            misses=misses if isinstance(misses, int) else 0,
        )
    except ValueError:
        return None
