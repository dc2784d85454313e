"""What a further attempt may add: nothing to a fixed gate, more evidence to an adaptive one."""

from fractions import Fraction

import pytest

from ci_judge.model.results import TestOutcome
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.boundaries import Seen
from ci_judge.rules.continuing import Precedent, rerun_sentence, topped_up
from ci_judge.rules.gates import boundary

STARTER = GateRule(kind=GateKind.ADAPTIVE, runs=100, min_runs=20, threshold=Fraction(8, 10))


def before(outcome: TestOutcome, planned: int = 100) -> Precedent:
    return Precedent(outcome=outcome, planned=planned)


@pytest.mark.parametrize("kind", [kind for kind in GateKind if kind is not GateKind.ADAPTIVE])
@pytest.mark.parametrize("outcome", ["passed", "failed", "error"])
def test_a_fixed_gate_stays_as_it_is(kind: GateKind, outcome: TestOutcome) -> None:
    rule = GateRule(kind=kind, runs=10, threshold=Fraction(7, 10))
    assert topped_up(rule, before(outcome, planned=10), most=1000) == rule


@pytest.mark.parametrize("outcome", ["passed", "error", "skipped"])
def test_an_adaptive_test_that_has_not_failed_gets_no_more_runs(outcome: TestOutcome) -> None:
    assert topped_up(STARTER, before(outcome), most=1000) == STARTER
    kept = topped_up(STARTER, before(outcome, planned=200), most=1000)
    assert (kept.runs, kept.topped_up) == (200, 100)


def test_one_that_failed_gets_as_many_again_in_each_attempt() -> None:
    rule = STARTER
    for attempt in (2, 3, 4):
        rule = topped_up(STARTER, before("failed", planned=rule.runs), most=1000)
        assert (rule.runs, rule.configured_runs, rule.min_runs) == (attempt * 100, 100, 20)


@pytest.mark.parametrize("planned", [950, 1000, 10**6])
def test_there_is_an_end_to_it(planned: int) -> None:
    assert topped_up(STARTER, before("failed", planned=planned), most=1000).runs == 1000


def test_a_report_that_planned_less_takes_no_runs_away() -> None:
    assert topped_up(STARTER, before("error", planned=1), most=1000) == STARTER


def chance_of_passing(rule: GateRule, rate: float) -> float:
    """Return exactly how likely a test is passed, wherever it may stop: a walk over its misses."""
    rows, passed = boundary(rule), 0.0
    walking = {0: 1.0}
    for runs in range(1, rule.runs + 1):
        stepped: dict[int, float] = {}
        for misses, chance in walking.items():
            stepped[misses] = stepped.get(misses, 0.0) + chance * rate
            stepped[misses + 1] = stepped.get(misses + 1, 0.0) + chance * (1 - rate)
        walking = {}
        for misses, chance in stepped.items():
            if rows.met(runs, misses=misses):
                passed += chance
            elif not rows.is_decided(Seen(passes=runs - misses, fails=misses)):
                walking[misses] = chance
    return passed


def test_going_on_keeps_the_promise_that_drawing_again_breaks() -> None:
    """Three attempts at the threshold itself: 2.7 % once, 8.0 % if each is drawn anew."""
    once = chance_of_passing(STARTER, 0.8)
    drawn_again = 1 - (1 - once) ** 3
    third = topped_up(STARTER, before("failed", planned=200), most=1000)
    gone_on = chance_of_passing(third, 0.8)
    assert once == pytest.approx(0.027, abs=0.0005)
    assert drawn_again == pytest.approx(0.080, abs=0.0005)
    assert once < gone_on <= float(1 - STARTER.confidence)
    assert gone_on == pytest.approx(0.0352, abs=0.00005)


def test_the_sentence_says_what_was_kept_and_what_was_made() -> None:
    assert rerun_sentence(since=1, carried=12, made=0, anew=None).startswith(
        "All 12 runs were kept"
    )
    told = rerun_sentence(since=2, carried=1180, made=20, anew="1 test is not as in attempt 2")
    assert told.startswith("1,180 runs with a verdict were kept from attempt 2; 20 were made now")
    assert told.endswith("Judged anew: 1 test is not as in attempt 2.")
    assert rerun_sentence(since=None, carried=0, made=9, anew="x") == "Judged anew: x."


@pytest.mark.parametrize(
    ("carried", "made", "told"),
    [
        (1, 0, "The only run was kept from attempt 1 and none was made now: "),
        (1, 1, "1 run with a verdict was kept from attempt 1; 1 was made now: "),
    ],
)
def test_the_sentence_can_count_to_one(carried: int, made: int, told: str) -> None:
    assert rerun_sentence(since=1, carried=carried, made=made, anew=None).startswith(told)


def test_a_good_feature_gains_more_by_going_on_than_by_drawing_again() -> None:
    """A feature that is right 90 % of the time: 61 %, after three attempts 94 or 98.7 %."""
    once = chance_of_passing(STARTER, 0.9)
    third = topped_up(STARTER, before("failed", planned=200), most=1000)
    figures = (once, 1 - (1 - once) ** 3, chance_of_passing(third, 0.9))
    assert figures == pytest.approx((0.613, 0.942, 0.987), abs=0.0005)
