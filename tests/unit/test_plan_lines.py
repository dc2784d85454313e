import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ci_judge.cli.plan_lines import Requests, judge_requests, plan_lines, target_requests
from ci_judge.model.suite import (
    Check,
    CheckKind,
    Expectation,
    GateKind,
    GateRule,
    Scenario,
    Suite,
)
from ci_judge.settings import Settings, load_settings
from ci_judge.workflows.planning import Plan
from tests.model_builders import a_scenario

LOWER = GateRule(kind=GateKind.LOWER_BOUND, runs=10, threshold=Fraction(7, 10))
ANY = (Expectation(text="Is polite."),)


def settings(folder: Path, **sections: Any) -> Settings:
    (folder / "ci-judge.yaml").write_text(json.dumps({"suite": {}} | sections))
    return load_settings(config=None, cwd=folder, environment={}, overrides={})


def lines(folder: Path, *scenarios: Scenario, **sections: Any) -> list[str]:
    suite = Suite(scenarios=scenarios)
    return list(
        plan_lines(settings(folder, **sections), Plan(suite=suite, warnings=(), left_out=0))
    )


def test_a_gate_is_told_once_with_how_often_it_errs(tmp_path: Path) -> None:
    shown = lines(
        tmp_path,
        a_scenario("a", gate=LOWER),
        a_scenario("b", gate=LOWER),
        judge={"provider": "stub"},
    )
    assert shown[2:4] == [
        "gate lower_bound, 70 % in 10 runs (2 tests):",
        "    a feature right only 70 % of the time would pass in 3 % of CI runs",
    ]
    assert shown[4] == (
        "    a feature right 95 % of the time would pass in 60 % of CI runs, "
        "so two of them disagree 48 % of the time (if the judge never errs)"
    )


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            GateRule(kind=GateKind.LOWER_BOUND, runs=2, threshold=Fraction(7, 10)),
            "cannot be passed, not even by a perfect score",
        ),
        (GateRule(kind=GateKind.RATE, runs=2, threshold=Fraction(0)), "cannot fail"),
    ],
)
def test_a_gate_that_decides_nothing_says_so_without_figures(
    tmp_path: Path, rule: GateRule, said: str
) -> None:
    shown = lines(tmp_path, a_scenario("a", gate=rule))
    assert shown[2] == f"    {said}"
    assert "None" not in "".join(shown)
    assert not any("CI runs" in line for line in shown)


def test_the_misses_gate_knows_no_threshold(tmp_path: Path) -> None:
    rule = GateRule(kind=GateKind.MISSES, runs=10, threshold=Fraction(7, 10), misses=1)
    shown = lines(tmp_path, a_scenario("a", gate=rule))
    assert shown[1] == "gate misses, at most 1 of 10 runs (1 test):"
    assert "70 %" not in "".join(shown)
    assert "would pass in 91 % of CI runs" in shown[2]  # 0.95^10 + 10 x 0.05 x 0.95^9


def test_a_test_of_one_run_and_a_skipped_one_promise_nothing(tmp_path: Path) -> None:
    one = GateRule(kind=GateKind.RATE, runs=1, threshold=Fraction(1))
    shown = lines(tmp_path, a_scenario("a", gate=one), a_scenario("b", gate=LOWER, skip="later"))
    assert not any(line.startswith("gate ") for line in shown)
    assert "  refunds/b  skipped: later" in shown


def test_requests_are_turns_and_repetitions_and_at_worst_every_retry(tmp_path: Path) -> None:
    made = settings(
        tmp_path,
        target={"url": "http://127.0.0.1:9/", "retries": 2},
        targets={"other": {"url": "http://127.0.0.1:9/", "retries": 0}},
        judge={"provider": "openai", "model": "m", "repetitions": 3, "retries": 1},
    )
    tests = [
        a_scenario("a", gate=LOWER, turns=("one", "two"), expectations=ANY),
        a_scenario("b", gate=LOWER, target="other", expectations=ANY),
        a_scenario(
            "c", gate=LOWER, expectations=(), checks=(Check(kind=CheckKind.MAX_CHARS, operand=9),)
        ),
    ]
    assert target_requests(made, tests) == Requests(expected=40, with_retries=100)
    assert judge_requests(made, tests) == Requests(expected=60, with_retries=120)
    plan = Plan(suite=Suite(scenarios=tuple(tests)), warnings=("look",), left_out=0)
    assert list(plan_lines(made, plan))[-6:] == [
        "warning: look",
        "requests to the target: 40 expected, 100 with every retry",
        "requests to the judge: 60 expected, 120 with every retry",
        (
            "cost of all runs: judge unknown, there is no price of m (judge.price sets one); target"
            " unknown (target.usage says what it takes); targets.other unknown"
            " (targets.other.usage says what it takes)"
        ),
        "time: unknown, for nobody has been asked yet (a report says how long each test took)",
        "3 tests, 30 runs, judge: openai. Nothing was sent.",
    ]


def test_the_stub_is_sent_nothing(tmp_path: Path) -> None:
    made = settings(tmp_path, judge={"provider": "stub", "repetitions": 3})
    tests = [a_scenario("a", gate=LOWER, expectations=ANY)]
    assert judge_requests(made, tests) == Requests(expected=0, with_retries=0)


def test_without_retries_there_is_one_number() -> None:
    assert str(Requests(expected=12_000, with_retries=12_000)) == "12,000"


# --- gates that may stop -----------------------------------------------------------------


def test_a_gate_that_stops_early_says_how_many_runs_to_expect(tmp_path: Path) -> None:
    rule = replace(LOWER, runs=20, early_stop=True)
    shown = lines(tmp_path, a_scenario("a", gate=rule), a_scenario("b", gate=rule))
    assert shown[0] == "  refunds/a  lower_bound, needs at least 19 of 20"
    assert (
        "    it stops after 18 of 20 runs on average where a feature is right 95 % of the time, "
        "after 4 where it is right 50 %"
    ) in shown
    assert (
        "early stops: about 35 of 40 runs where every feature is right 95 % of the time, 8 where "
        "each is right 50 %; runs under way when a gate is decided come on top"
    ) in shown
    assert shown[-1].startswith("2 tests, up to 40 runs, ")


def test_an_adaptive_gate_tells_its_exact_figures(tmp_path: Path) -> None:
    rule = GateRule(kind=GateKind.ADAPTIVE, runs=100, min_runs=20, threshold=Fraction(8, 10))
    shown = lines(tmp_path, a_scenario("a", gate=rule))
    assert (
        shown[0]
        == "  refunds/a  adaptive, needs 20 of 20, or more runs if some fail (up to 87 of 96)"
    )
    assert shown[1:5] == [
        "gate adaptive, 80 % in 20 to 100 runs (1 test):",
        "    a feature right only 80 % of the time would pass in 3 % of CI runs",
        (
            "    a feature right 95 % of the time would pass in 99 % of CI runs, "
            "so two of them disagree 3 % of the time (if the judge never errs)"
        ),
        (
            "    it stops after 38 of 100 runs on average where a feature is right 95 % of the "
            "time, after 22 where it is right 50 %"
        ),
    ]


def test_figures_that_would_take_minutes_are_said_to_be_missing(tmp_path: Path) -> None:
    rule = GateRule(kind=GateKind.ADAPTIVE, runs=9_000, min_runs=20, threshold=Fraction(8, 10))
    shown = lines(tmp_path, a_scenario("a", gate=rule))
    assert "    its figures are not computed for so many runs" in shown
    assert not any("early stops" in line for line in shown)


def test_a_gate_with_a_fixed_number_of_runs_stops_nowhere(tmp_path: Path) -> None:
    rule = GateRule(kind=GateKind.ADAPTIVE, runs=40, threshold=Fraction(8, 10))
    shown = lines(tmp_path, a_scenario("a", gate=rule))
    assert "stops" not in "".join(shown)
    assert "40 runs" in shown[-1]
    assert "up to" not in shown[-1]
