"""Samples that stop: how long they last, their interval, and what a gate says of them."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln
from scipy.stats import nbinom

from ci_judge.model.results import Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.gates import decide
from ci_judge.rules.intervals import anytime, wilson
from ci_judge.rules.stopped_samples import expected_runs

PLANS = [
    (20, 19, [2, 4.0, 9.6, 14.7, 17.7, 19]),
    (50, 46, [5, 10, 24.9, 41.2, 47.2, 46]),
    (10, 10, [1, 2, 4.5, 6.5, 8.0, 10]),
]
RATES = [0.0, 0.5, 0.8, 0.9, 0.95, 1.0]
counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def stopping_rule(runs: int, **changes: object) -> GateRule:
    rule = GateRule(
        kind=GateKind.LOWER_BOUND, runs=runs, threshold=Fraction("0.7"), early_stop=True
    )
    return GateRule(**{**{name: getattr(rule, name) for name in rule.__slots__}, **changes})


# --- how long they last ----------------------------------------------------------------


@pytest.mark.parametrize(("runs", "needed", "means"), PLANS)
def test_published_mean_runs(runs: int, needed: int, means: list[float]) -> None:
    ours = [expected_runs(runs, needed, rate) for rate in RATES]
    assert ours == pytest.approx(means, abs=0.06)


@given(
    st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))), st.floats(0, 1)
)
def test_the_mean_is_that_over_all_outcomes(plan: tuple[int, int], rate: float) -> None:
    runs, needed = plan
    mean = 0.0
    for outcomes in product([True, False], repeat=runs):
        chance = math.prod(rate if passed else 1 - rate for passed in outcomes)
        mean += chance * _stop_at(outcomes, needed)
    assert expected_runs(runs, needed, rate) == pytest.approx(mean, abs=1e-9)


def _stop_at(outcomes: tuple[bool, ...], needed: int) -> int:
    for made in range(1, len(outcomes) + 1):
        passes = sum(outcomes[:made])
        if passes >= needed or made - passes > len(outcomes) - needed:
            return made
    raise AssertionError


@pytest.mark.parametrize(("runs", "needed"), [(10, 0), (10, 11)])
def test_what_cannot_be_stopped_at_is_refused(runs: int, needed: int) -> None:
    with pytest.raises(ValueError, match="nothing that a sample can stop at"):
        expected_runs(runs, needed, 0.5)


def test_a_large_plan_loses_no_digits() -> None:
    runs, needed, rate = 10_000, 8_000, 0.85
    time_to_pass = range(needed, runs + 1)
    theirs = sum(n * nbinom.pmf(n - needed, needed, rate) for n in time_to_pass)
    assert expected_runs(runs, needed, rate) == pytest.approx(theirs, rel=1e-9)


# --- the interval --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passes", "judged", "low", "high"),
    [(10, 10, 0.5831, 1), (3, 4, 0.1429, 0.9975), (0, 3, 0, 0.7679), (18, 20, 0.5897, 0.9963)],
)
def test_published_ends(passes: int, judged: int, low: float, high: float) -> None:
    ours = anytime(passes, judged, confidence=Fraction(95, 100))
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=5e-5)


def test_nothing_judged_says_nothing() -> None:
    assert (anytime(0, 0).low, anytime(0, 0).high) == (0.0, 1.0)


@given(counts, st.fractions(Fraction(1, 2), Fraction(999, 1000), max_denominator=1000))
def test_the_ends_are_where_the_evidence_is_one_over_alpha(
    count: tuple[int, int], confidence: Fraction
) -> None:
    passes, judged = count
    ours = anytime(passes, judged, confidence=confidence)
    assert ours.low <= passes / judged <= ours.high
    assert (ours.low == 0) == (passes == 0)
    assert (ours.high == 1) == (passes == judged)
    for end in (ours.low, ours.high):
        if 1e-9 < end < 1 - 1e-9:
            likelihood = passes * math.log(end) + (judged - passes) * math.log1p(-end)
            evidence = betaln(passes + 1, judged - passes + 1) - likelihood
            assert evidence == pytest.approx(-math.log(1 - confidence), abs=1e-6)


@pytest.mark.parametrize(("runs", "needed"), [(20, 18), (10, 10), (50, 46)])
def test_it_covers_the_true_rate_wherever_the_sample_stops(runs: int, needed: int) -> None:
    """It is conservative: at the rates that people ask about it covers 99 %."""
    fatal = runs - needed + 1
    ends = [(needed + fails, needed) for fails in range(fatal)] + [
        (passes + fatal, passes) for passes in range(needed)
    ]
    shown = {(made, passes): anytime(passes, made) for made, passes in ends}
    for step in range(1, 200):
        rate = step / 200
        covered = sum(
            _chance(made, passes, rate=rate, won=passes == needed)
            for (made, passes), interval in shown.items()
            if interval.low <= rate <= interval.high
        )
        assert covered >= (0.99 if rate in {0.5, 0.8, 0.9, 0.95} else 0.95)


def _chance(made: int, passes: int, *, rate: float, won: bool) -> float:
    """The last run is the one that decides it."""
    last = passes - 1 if won else passes
    return math.comb(made - 1, last) * rate**passes * (1 - rate) ** (made - passes)


# --- what a gate says ------------------------------------------------------------------


def test_a_test_that_stopped_says_where_and_shows_no_rate() -> None:
    tally = Tally(planned=10, passes=3, fails=1, not_needed=5, uncounted=1)
    decided = decide(stopping_rule(10), tally)
    assert decided.outcome == "failed"
    assert decided.rate is None
    assert decided.interval == anytime(3, 4, confidence=Fraction(95, 100))
    assert decided.anytime
    assert decided.more_runs is None
    assert decided.sentence == (
        "stopped after 4 of 10: lost, with 3 passed and 1 failed; the gate needs the lower bound "
        "at 70 %, that is 10 of 10, which is out of reach. A rate below 70 % is not "
        "proven either: the true rate is within 14.3 to 99.7 % (95 % sure, wherever a test stops). "
        "1 later run was under way by then: kept, not counted."
    )


def test_a_won_gate_may_hold_its_threshold_and_says_so() -> None:
    rule = stopping_rule(20, threshold=Fraction("0.6"), kind=GateKind.RATE)
    decided = decide(rule, Tally(planned=20, passes=12, fails=3, not_needed=5))
    assert decided.outcome == "passed"
    assert decided.interval.low < 0.6
    assert decided.sentence.startswith("stopped after 15 of 20: won, with 12 passed and 3 failed;")
    assert decided.sentence.endswith(
        "; it does not decide: a test may pass with the threshold inside it."
    )


def test_the_interval_is_the_same_kind_where_all_runs_were_needed() -> None:
    decided = decide(stopping_rule(20), Tally(planned=20, passes=19, fails=1))
    assert decided.interval == anytime(19, 20, confidence=Fraction(95, 100))
    assert decided.rate is None
    assert decided.sentence.startswith("20 of 20 runs: won, with 19 passed and 1 failed;")


def test_an_interval_above_the_threshold_needs_no_word_of_caution() -> None:
    decided = decide(
        stopping_rule(30, threshold=Fraction("0.5")), Tally(planned=30, passes=29, fails=1)
    )
    assert decided.interval.low >= 0.5
    assert "it does not decide" not in decided.sentence


@pytest.mark.parametrize(
    "rule",
    [
        stopping_rule(10, early_stop=False),
        stopping_rule(10, threshold=Fraction(0), kind=GateKind.RATE),  # cannot fail
        stopping_rule(5, threshold=Fraction("0.9")),  # cannot pass
        stopping_rule(1, threshold=Fraction(1), kind=GateKind.RATE),
    ],
)
def test_a_gate_that_does_not_stop_keeps_rate_and_interval(rule: GateRule) -> None:
    decided = decide(rule, Tally(planned=rule.runs, passes=rule.runs))
    assert decided.rate == 1.0
    assert decided.interval == wilson(rule.runs, rule.runs, confidence=rule.confidence)
    assert not decided.anytime


def test_a_stopped_test_whose_errors_matter_is_undecided() -> None:
    decided = decide(stopping_rule(10), Tally(planned=10, passes=7, errors=3))
    assert decided.outcome == "error"
    assert "10 of 10 runs: not decided, with 7 passed, none failed and 3 ended in errors;" in (
        decided.sentence
    )
    assert "could turn it either way" in decided.sentence
