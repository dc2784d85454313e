"""From opinions to rulings."""

import pytest

from ci_judge.model.judging import Decision, Likelihood, Ruling, VotePolicy
from ci_judge.rules.rulings import rule_on

THRESHOLD = VotePolicy(mode="threshold", threshold=0.5)
SAMPLE = VotePolicy(mode="sample", repetitions=3)


def never(item: int) -> float:
    raise AssertionError(f"nothing is drawn here, yet item {item} was")


@pytest.mark.parametrize("policy", [THRESHOLD, SAMPLE])
def test_a_decision_stands_as_said(policy: VotePolicy) -> None:
    opinions = (Decision(passed=True, reason="names it"), Decision(passed=False, reason="rude"))
    assert rule_on(opinions, policy, never) == (
        Ruling(passed=True, reason="names it"),
        Ruling(passed=False, reason="rude"),
    )


@pytest.mark.parametrize(("p", "passed"), [(0.5, True), (0.4999, False), (1.0, True), (0.0, False)])
def test_the_threshold_itself_passes(p: float, *, passed: bool) -> None:
    (ruling,) = rule_on((Likelihood(probability=p),), THRESHOLD, never)
    assert ruling.passed is passed
    assert ruling.probability == p
    assert ruling.draw is None


@pytest.mark.parametrize(
    ("p", "u", "passed"),
    [(0.5, 0.4999, True), (0.5, 0.5, False), (0.0, 0.0, False), (1.0, 1 - 2**-53, True)],
)
def test_a_draw_passes_below_p(p: float, u: float, *, passed: bool) -> None:
    (ruling,) = rule_on((Likelihood(probability=p),), SAMPLE, lambda _item: u)
    assert (ruling.passed, ruling.probability, ruling.draw) == (passed, p, u)


def test_each_item_has_its_own_draw_counted_from_one() -> None:
    opinions = (
        Likelihood(probability=0.15),
        Decision(passed=True, reason=""),
        Likelihood(probability=0.2),
    )
    rulings = rule_on(opinions, SAMPLE, lambda item: item / 10)
    assert [ruling.draw for ruling in rulings] == [0.1, None, 0.3]
    assert [ruling.passed for ruling in rulings] == [True, True, False]


def test_a_likelihood_without_words_says_its_numbers() -> None:
    opinion = Likelihood(probability=0.4999)
    (ruling,) = rule_on((opinion,), THRESHOLD, never)
    assert ruling.reason == "likelihood 0.4999, threshold 0.50"
    (ruling,) = rule_on((opinion,), SAMPLE, lambda _item: 0.123)
    assert ruling.reason == "likelihood 0.50, drawn 0.12"


def test_a_judges_own_words_are_kept_with_the_figures_that_decided() -> None:
    opinion = Likelihood(probability=0.4, reason="states 14 days")
    (ruling,) = rule_on((opinion,), THRESHOLD, never)
    assert ruling.reason == "states 14 days (likelihood 0.40, threshold 0.50)"
    (ruling,) = rule_on((opinion,), SAMPLE, lambda _item: 0.123)
    assert ruling.reason == "states 14 days (likelihood 0.40, drawn 0.12)"
