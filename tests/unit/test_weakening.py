"""Which rules of a test ask for less than they did."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.weakening import TestRules as Rules
from ci_judge.rules.weakening import same_but_for_what_was_dropped, weaker_rules


def a_gate(kind: GateKind = GateKind.EXACT, **changes: Any) -> GateRule:
    rule = GateRule(kind=kind, runs=20, threshold=Fraction("0.8"))
    if kind is GateKind.ADAPTIVE:
        rule = replace(rule, runs=100, min_runs=20)
    return replace(rule, **changes)


RULES = Rules(
    gate=a_gate(),
    asked="I want my money back",
    expected=('Names "14 days".', "Is polite."),
    phrases=(("14 days",), ()),
    checks=("max_chars 300", 'not_contains "30"'),
)


def found(now: Rules, was: Rules = RULES) -> list[tuple[str, str, str]]:
    return [(weaker.kind, weaker.was, weaker.now) for weaker in weaker_rules(was, now)]


def with_gate(**changes: Any) -> Rules:
    return replace(RULES, gate=replace(a_gate(), **changes))


def test_the_same_rules_are_no_weaker() -> None:
    assert found(RULES) == []


@pytest.mark.parametrize(
    ("now", "weaker"),
    [
        (with_gate(threshold=Fraction("0.7")), [("threshold", "0.8", "0.7")]),
        (with_gate(runs=18), [("runs", "20 runs", "18 runs")]),
        (
            with_gate(runs=10, threshold=Fraction("0.7")),
            [("threshold", "0.8", "0.7"), ("runs", "20 runs", "10 runs")],
        ),
        (
            with_gate(kind=GateKind.RATE),
            [
                (
                    "gate",
                    "exact at 0.8 (confidence 95 %), at least 20 of 20",
                    "rate at 0.8 (confidence 95 %), at least 16 of 20",
                )
            ],
        ),
        (
            with_gate(confidence=Fraction("0.9")),
            [
                (
                    "gate",
                    "exact at 0.8 (confidence 95 %), at least 20 of 20",
                    "exact at 0.8 (confidence 90 %), at least 19 of 20",
                )
            ],
        ),
        (replace(RULES, waived=True), [("waiver", "not waived", "waived")]),
        (replace(RULES, advisory=True), [("advisory", "may fail the step", "advisory")]),
        (replace(RULES, skipped=True), [("skipped", "run", "skipped")]),
        (replace(RULES, checks=("max_chars 300",)), [("check", 'not_contains "30"', "")]),
        (
            replace(RULES, checks=("max_chars 900", 'not_contains "30"')),
            [("check", "max_chars 300", "")],
        ),
        (
            replace(RULES, expected=('Names "14 days".',), phrases=(("14 days",),)),
            [("expectation", "Is polite.", "")],
        ),
        (
            replace(RULES, expected=("Is polite.",), phrases=((),)),
            [("expectation", 'Names "14 days".', "")],  # its phrase went with it
        ),
        (
            replace(RULES, expected=("Is kind and names 14 days.",), phrases=((),)),
            [("expectation", "2 expectations", "1 expectation")],
        ),
        (
            replace(RULES, expected=("Names 14 days.", "Is polite."), phrases=((), ())),
            [("phrase", "14 days", "")],
        ),
    ],
)
def test_what_asks_for_less_is_named(now: Rules, weaker: list[tuple[str, str, str]]) -> None:
    if ("expectation", "2 expectations", "1 expectation") in weaker:
        weaker = [*weaker, ("phrase", "14 days", "")]
    assert found(now) == weaker


@pytest.mark.parametrize(
    "now",
    [
        with_gate(threshold=Fraction("0.9")),
        with_gate(runs=30),
        with_gate(confidence=Fraction("0.99")),
        with_gate(kind=GateKind.LOWER_BOUND),
        with_gate(kind=GateKind.ADAPTIVE, runs=100, min_runs=20),
        with_gate(early_stop=True),
        replace(RULES, checks=(*RULES.checks, "max_latency 3")),
        replace(RULES, checks=tuple(reversed(RULES.checks))),
        replace(RULES, expected=(*RULES.expected, "Is short."), phrases=(("14 days",), (), ())),
        replace(RULES, expected=('Names "14 days" now.', "Is kind.")),
        replace(RULES, asked="Something else", expected=(), phrases=(), checks=()),
        replace(RULES, gate=None),
    ],
)
def test_what_asks_for_more_or_for_something_else_is_not(now: Rules) -> None:
    assert found(now) == []


def test_another_gate_is_looser_where_fewer_passes_will_do() -> None:
    was = replace(RULES, gate=a_gate(GateKind.LOWER_BOUND, threshold=Fraction("0.7")))
    now = replace(RULES, gate=a_gate(GateKind.EXACT, threshold=Fraction("0.7")))
    assert [kind for kind, _, _ in found(now, was)] == ["gate"]  # 18 of 20, it was 19
    assert found(was, now) == []


@pytest.mark.parametrize(
    ("was", "now", "kinds"),
    [
        (a_gate(GateKind.MISSES, misses=1), a_gate(GateKind.MISSES, misses=2), ["gate"]),
        (a_gate(GateKind.MISSES, misses=2), a_gate(GateKind.MISSES, misses=1), []),
        (a_gate(GateKind.EXACT), a_gate(GateKind.MISSES, misses=0), ["gate"]),
        (a_gate(GateKind.RATE), a_gate(GateKind.MISSES, misses=5), ["gate"]),
        (a_gate(GateKind.ADAPTIVE), a_gate(GateKind.ADAPTIVE, min_runs=10), ["runs"]),
        (a_gate(GateKind.ADAPTIVE), a_gate(GateKind.ADAPTIVE, runs=50), []),
        (a_gate(GateKind.ADAPTIVE), a_gate(GateKind.ADAPTIVE, runs=200, topped_up=100), []),
        (a_gate(GateKind.ADAPTIVE), a_gate(GateKind.EXACT, runs=15), ["runs"]),
        (a_gate(GateKind.ADAPTIVE), a_gate(GateKind.EXACT, runs=30), []),
    ],
)
def test_gates_of_every_kind(was: GateRule, now: GateRule, kinds: list[str]) -> None:
    weaker = weaker_rules(replace(RULES, gate=was), replace(RULES, gate=now))
    assert [each.kind for each in weaker] == kinds


@pytest.mark.parametrize("was", [replace(RULES, advisory=True), replace(RULES, skipped=True)])
def test_a_test_that_could_fail_nothing_cannot_be_weakened(was: Rules) -> None:
    assert found(with_gate(threshold=Fraction("0.1")), was) == []


@pytest.mark.parametrize(
    ("now", "alike"),
    [
        (RULES, True),
        (replace(RULES, checks=()), True),
        (replace(RULES, expected=("Names 14 days.", "Is polite."), phrases=((), ())), True),
        (replace(RULES, expected=("Is polite.",), phrases=((),)), True),
        (replace(RULES, checks=("max_chars 100",)), False),
        (replace(RULES, expected=("Is kind.",), phrases=((),)), False),
        (replace(RULES, phrases=(("14 days",), ("polite",))), False),
        (replace(RULES, asked="Something else"), False),
    ],
)
def test_rates_are_compared_where_no_more_is_asked(now: Rules, *, alike: bool) -> None:
    assert same_but_for_what_was_dropped(RULES, now) is alike


@pytest.mark.parametrize(
    ("was", "now", "kinds"),
    [
        ((GateKind.RATE, 10), (GateKind.MISSES, 20, 15), ["gate"]),
        ((GateKind.RATE, 10), (GateKind.MISSES, 20, 4), []),
        ((GateKind.MISSES, 10, 0), (GateKind.RATE, 20), ["gate"]),
        ((GateKind.MISSES, 10, 2), (GateKind.RATE, 20), []),
        ((GateKind.RATE, 10), (GateKind.RATE, 15), []),
    ],
)
def test_between_rate_and_misses_the_share_counts_where_runs_differ(
    was: tuple[Any, ...], now: tuple[Any, ...], kinds: list[str]
) -> None:
    gates = [
        a_gate(kind, runs=runs, misses=next(iter(misses), 0)) for kind, runs, *misses in (was, now)
    ]
    weaker = weaker_rules(replace(RULES, gate=gates[0]), replace(RULES, gate=gates[1]))
    assert [each.kind for each in weaker] == kinds


@pytest.mark.parametrize(
    ("was", "now", "weaker"),
    [
        ("max_chars: 300", "max_chars: 200", []),
        ("max_latency: 3.0", "max_latency: 2.5", []),
        ("max_cost: 0.01", "max_cost: 1e-05", []),
        ("max_chars: 300", "max_chars: 301", ["max_chars: 300"]),
        ("max_chars: 300", "max_latency: 2.0", ["max_chars: 300"]),
        ("contains: '3'", "contains: '2'", ["contains: '3'"]),
    ],
)
def test_a_lower_limit_is_no_dropped_check(was: str, now: str, weaker: list[str]) -> None:
    rules = [replace(RULES, checks=(check,)) for check in (was, now)]
    assert [each.was for each in weaker_rules(rules[0], rules[1])] == weaker


def test_one_lower_limit_stands_for_one_check_alone() -> None:
    was = replace(RULES, checks=("max_chars: 300", "max_chars: 400"))
    now = replace(RULES, checks=("max_chars: 200",))
    assert found(now, was) == []  # the one limit keeps what both ask for
