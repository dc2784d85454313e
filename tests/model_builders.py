"""Domain values for tests: say what matters, get everything else filled in."""

from fractions import Fraction
from typing import Any

from ci_judge.errors import Place
from ci_judge.model.results import DecisionKind, GateResult, Interval, Tally, TestResult
from ci_judge.model.suite import (
    Case,
    Criterion,
    Expectation,
    GateKind,
    GateRule,
    Scenario,
)


def a_rule(**changes: Any) -> GateRule:
    values: dict[str, Any] = {
        "kind": GateKind.LOWER_BOUND,
        "runs": 10,
        "threshold": Fraction(7, 10),
    } | changes
    return GateRule(**values)


def a_criterion(id: str = "refunds", **changes: Any) -> Criterion:  # noqa: A002 - the model's own name
    values: dict[str, Any] = {
        "title": id.capitalize(),
        "description": "Says it all.",
        "place": Place(file="acceptance.md", line=3),
    } | changes
    return Criterion(id=id, **values)


def a_scenario(name: str = "asks", **changes: Any) -> Scenario:
    criterion = changes.pop("criterion", a_criterion())
    values: dict[str, Any] = {
        "id": f"{criterion.id}/{name}",
        "name": name,
        "criterion": criterion,
        "place": Place(file="scenarios/refunds.yaml", line=4),
        "gate": a_rule(),
        "turns": ("Can I have my money back?",),
        "expectations": (Expectation(text='Says "14 days".', phrases=("14 days",)),),
    } | changes
    return Scenario(**values)


def a_case_test(function: str = "test_price", **changes: Any) -> Case:
    values: dict[str, Any] = {
        "id": f"cases/case_price.py::{function}",
        "function": function,
        "requirement": "The price is 80.",
        "file": "cases/case_price.py",
        "place": Place(file="cases/case_price.py", line=5),
        "gate": GateRule(kind=GateKind.RATE, runs=1, threshold=Fraction(1)),
    } | changes
    return Case(**values)


def a_test_result(outcome: Any, **scenario: Any) -> TestResult:
    """Give a scenario's result: 7 of its 10 runs passed, whatever came of that."""
    return TestResult(
        test=a_scenario(**scenario),
        tally=Tally(planned=10, passes=7, fails=3),
        gate=GateResult(
            outcome=outcome,
            kind=DecisionKind.NOT_PROVEN,
            needed=10,
            rate=0.7,
            interval=Interval(low=0.4, high=0.9),
            needs="at least 10 of 10",
            sentence="7 of 10 passed.",
        ),
        latency=None,
        duration_seconds=1.0,
    )
