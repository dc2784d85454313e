"""The adaptive gate against published figures, scipy and brute force."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln
from scipy.stats import beta, binom

from ci_judge.model.results import DecisionKind, Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.adaptive import (
    adaptive_forecast,
    adaptive_reach,
    log_evidence,
    needed_runs,
    perfect_adaptive_runs,
)
from ci_judge.rules.gates import (
    boundary,
    cannot_fail,
    decide,
    needed_passes,
    needs,
    perfect_runs,
    reachability,
)
from ci_judge.rules.power import pass_probability


def rule(
    threshold: str = "0.8", *, least: int = 1, most: int = 100, sure: str = "0.95"
) -> GateRule:
    return GateRule(
        kind=GateKind.ADAPTIVE,
        runs=most,
        min_runs=least,
        threshold=Fraction(threshold),
        confidence=Fraction(sure),
    )


# --- the evidence --------------------------------------------------------------------


@given(st.integers(0, 400), st.integers(0, 400), st.floats(0.01, 0.99))
def test_the_evidence_agrees_with_scipy(passes: int, fails: int, threshold: float) -> None:
    theirs = (
        betaln(passes + 1, fails + 1)
        + beta.logsf(threshold, passes + 1, fails + 1)
        - math.log1p(-threshold)
        - passes * math.log(threshold)
        - fails * math.log1p(-threshold)
    )
    if math.isfinite(theirs):  # scipy's tail underflows before ours
        assert log_evidence(passes, fails, threshold) == pytest.approx(theirs, abs=1e-6, rel=1e-7)


def test_a_tail_that_would_cancel_to_nothing_keeps_its_digits() -> None:
    assert 1 - beta.cdf(0.8, 6, 31) == 0.0
    assert log_evidence(5, 30, 0.8) == pytest.approx(
        betaln(6, 31) + beta.logsf(0.8, 6, 31) - 31 * math.log(0.2) - 5 * math.log(0.8), rel=1e-9
    )


def test_hundreds_of_fails_are_finite() -> None:
    assert math.isfinite(log_evidence(0, 10_000, 0.99))


@given(st.integers(0, 60), st.integers(0, 60), st.floats(0.05, 0.95))
def test_a_pass_never_weakens_the_evidence_and_a_fail_never_strengthens_it(
    passes: int, fails: int, threshold: float
) -> None:
    here = log_evidence(passes, fails, threshold)
    assert log_evidence(passes + 1, fails, threshold) >= here - 1e-9
    assert log_evidence(passes, fails + 1, threshold) <= here + 1e-9


# --- how many runs it takes ----------------------------------------------------------


@pytest.mark.parametrize(
    ("threshold", "sure", "perfect", "one_miss"),
    [
        ("0.7", "0.95", 13, 20),
        ("0.8", "0.95", 20, 31),
        ("0.8", "0.975", 24, 36),
        ("0.9", "0.95", 43, 66),
    ],
)
def test_published_runs(threshold: str, sure: str, perfect: int, one_miss: int) -> None:
    gate = rule(threshold, sure=sure)
    assert needed_runs(gate)[:2] == (perfect, one_miss)
    assert perfect_adaptive_runs(gate) == perfect_runs(gate) == perfect


@given(st.integers(1, 120), st.integers(1, 19), st.sampled_from(["0.5", "0.9", "0.95"]))
def test_each_number_of_misses_passes_from_its_runs_on_and_not_before(
    most: int, twentieths: int, sure: str
) -> None:
    gate = rule(f"{twentieths}/20", most=most, sure=sure)
    enough, threshold = -math.log(1 - Fraction(sure)), twentieths / 20
    needed = needed_runs(gate)
    for runs in range(1, most + 1):
        for misses in range(runs + 1):
            met = log_evidence(runs - misses, misses, threshold) >= enough
            assert met == (misses < len(needed) and runs >= needed[misses])


def test_the_least_runs_hold_back_a_pass_and_let_misses_in() -> None:
    gate = rule(least=35)
    assert needed_passes(gate) == 34  # 1 miss needs 31 runs, which are made anyway
    assert not boundary(gate).met(34, misses=0)
    assert boundary(gate).met(35, misses=1)


# --- what it promises ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("true_rate", "percent", "mean"),
    [(0.98, 100.0, 25.3), (0.95, 98.6, 37.8), (0.80, 2.7, 48.9), (0.5, 0.0, 20.0)],
)
def test_published_forecasts(true_rate: float, percent: float, mean: float) -> None:
    forecast = adaptive_forecast(rule(), true_rate)
    assert 100 * forecast.pass_probability == pytest.approx(percent, abs=0.05)
    assert forecast.expected_runs == pytest.approx(mean, abs=0.05)
    assert pass_probability(rule(), true_rate) == forecast.pass_probability


def test_a_longer_test_is_still_wrong_less_often_than_it_may_be() -> None:
    assert adaptive_forecast(rule(most=1_000), 0.8).pass_probability == pytest.approx(
        0.041, abs=5e-4
    )


@given(st.integers(1, 9), st.integers(1, 9), st.floats(0, 1))
def test_the_forecast_is_that_over_all_outcomes(least: int, more: int, true_rate: float) -> None:
    most = min(9, least + more)
    gate = rule("1/2", least=min(least, most), most=most, sure="0.6")
    passed = mean = 0.0
    for outcomes in product([True, False], repeat=most):
        chance = math.prod(true_rate if each else 1 - true_rate for each in outcomes)
        won, made = _played(gate, outcomes)
        passed, mean = passed + chance * won, mean + chance * made
    forecast = adaptive_forecast(gate, true_rate)
    assert forecast.pass_probability == pytest.approx(passed, abs=1e-9)
    assert forecast.expected_runs == pytest.approx(mean, abs=1e-9)


def _played(gate: GateRule, outcomes: tuple[bool, ...]) -> tuple[bool, int]:
    """Play a course by the definition: look after each run from the least on."""
    enough, threshold = -math.log(1 - gate.confidence), float(gate.threshold)
    for made in range(gate.min_runs or 1, gate.runs + 1):
        passes = sum(outcomes[:made])
        if log_evidence(passes, made - passes, threshold) >= enough:
            return True, made
        if log_evidence(passes + gate.runs - made, made - passes, threshold) < enough:
            return False, made
    return False, gate.runs


# --- what it decides -----------------------------------------------------------------


def test_an_error_counts_as_a_miss_where_it_is_to_pass() -> None:
    passed = Tally(planned=100, passes=30, errors=1, not_needed=69)
    assert decide(rule(), passed).outcome == "passed"
    assert decide(rule(most=30), Tally(planned=30, passes=29, errors=1)).outcome == "error"


def test_what_errors_could_have_won_on_the_way_is_not_lost() -> None:
    lost = Tally(planned=20, passes=8, fails=12)
    assert decide(rule(most=20), lost).outcome == "failed"
    maybe = Tally(planned=30, passes=19, errors=1, fails=10, passable=True)
    assert decide(rule(most=30), maybe).outcome == "error"


def test_a_test_that_was_cut_short_does_not_pass() -> None:
    assert decide(rule(), Tally(planned=100, passes=25, not_run=75)).outcome == "error"


def test_the_sentence_says_where_it_stopped_and_what_that_took() -> None:
    won = decide(rule(least=20), Tally(planned=100, passes=20, not_needed=80))
    assert won.sentence.startswith(
        "stopped after 20 of up to 100: won, with 20 passed and none failed; it takes 20 runs "
        "with no failure to prove a rate above 80 % (95 % sure). The true rate is within "
    )
    lost = decide(rule(least=20), Tally(planned=100, passes=10, fails=10, not_needed=80))
    assert "stopped after 20 of up to 100: lost" in lost.sentence
    assert (
        "; at most 9 of 100 runs may fail, or they do not prove a rate above 80 % (95 % sure). "
    ) in lost.sentence
    last = decide(rule(least=20), Tally(planned=100, passes=87, fails=9, not_needed=4))
    assert "; it takes 96 runs with 9 failures to prove a rate above" in last.sentence
    all_must = decide(rule(most=20), Tally(planned=20, passes=19, fails=1))
    assert "; none of 20 runs may fail, or they" in all_must.sentence
    bad = decide(rule(least=20), Tally(planned=100, passes=2, fails=18, not_needed=80))
    assert "(95 % sure). The failures are hardly bad luck: the true rate is" in bad.sentence
    near = decide(rule(least=20), Tally(planned=100, passes=48, fails=10, not_needed=42))
    assert "(95 % sure). A rate below 80 % is not proven either: the true" in near.sentence
    assert lost.rate is None
    open_ = decide(rule(least=20), Tally(planned=100, passes=90, fails=8, errors=2))
    assert "(95 % sure). What ended in errors could turn it" in open_.sentence
    few = decide(rule(least=20), Tally(planned=100, passes=30, errors=1, not_needed=69))
    assert "; it takes 31 runs with 1 that did not pass to prove a rate above" in few.sentence
    assert lost.kind is DecisionKind.BELOW or lost.kind is DecisionKind.NOT_PROVEN


def test_the_rule_in_short_names_its_least_and_its_largest_score() -> None:
    assert needs(rule(least=20)) == "20 of 20, or more runs if some fail (up to 87 of 96)"
    assert needs(rule(most=20)) == "20 of 20"
    assert needs(rule(least=40)) == "39 of 40, or more runs if more fail (up to 87 of 96)"
    assert needs(replace(rule(most=60), min_runs=None)) == "at least 56 of 60"
    assert needs(rule(most=10)) == "at least 20 runs"


def test_a_gate_out_of_reach_names_the_runs_and_the_threshold_that_would_do() -> None:
    problem = reachability(rule(most=10))
    assert problem is not None
    assert "10 runs cannot prove a pass rate of 0.8" in problem.message
    assert problem.hint == "use at least 20 runs or a threshold of at most 0.64"
    assert reachability(rule(most=20)) is None
    assert decide(rule(most=10), Tally(planned=10, passes=10)).more_runs == 10
    assert decide(rule(most=10), Tally(planned=10, passes=9, fails=1)).more_runs is None
    reach = adaptive_reach(rule(most=10))
    assert log_evidence(10, 0, reach) >= -math.log(0.05) > log_evidence(10, 0, reach + 2e-6)


def test_a_fixed_number_of_runs_is_looked_at_once() -> None:
    fixed = replace(rule(most=40), min_runs=None)
    assert needed_passes(fixed) == 39
    assert decide(fixed, Tally(planned=40, passes=39, fails=1)).outcome == "passed"
    forecast = adaptive_forecast(fixed, 0.95)
    assert forecast.expected_runs == 40
    assert forecast.pass_probability == pytest.approx(binom.sf(38, 40, 0.95))


def test_the_ends_of_the_scale() -> None:
    assert cannot_fail(rule("0"))
    assert perfect_runs(rule("1")) is None
    assert needed_passes(rule("1")) is None
    assert reachability(rule("1")) is not None
