"""The gate corrected: a count, like the others, that labels of the judge make stricter."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.engine.course import Course
from ci_judge.model.calibration import LabelCounts
from ci_judge.model.judging import Outcome
from ci_judge.model.results import DecisionKind, Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.gates import boundary, decide, may_stop, needed_passes, needs, reachability
from ci_judge.rules.judge_error import corrected_rate, lenient_count, refusal
from ci_judge.rules.power import false_pass_rate, pass_probability
from ci_judge.rules.steadiness import calmer_gates

LABELS = LabelCounts(human_passes=50, agreed_passes=48, human_fails=50, agreed_fails=45)
LAX = LabelCounts(human_passes=40, agreed_passes=40, human_fails=40, agreed_fails=24)


def a_rule(
    runs: int = 30, *, percent: int = 70, labels: LabelCounts | None = LABELS, stops: bool = False
) -> GateRule:
    return GateRule(
        kind=GateKind.CORRECTED,
        runs=runs,
        threshold=Fraction(percent, 100),
        labels=labels,
        early_stop=stops,
    )


def a_tally(passes: int, fails: int, *, errors: int = 0, certain: int = 0) -> Tally:
    planned = passes + fails + errors
    return Tally(planned=planned, passes=passes, fails=fails, errors=errors, certain=certain)


def test_it_passes_where_the_corrected_lower_bound_reaches_the_threshold() -> None:
    rule = a_rule()
    needed = needed_passes(rule)
    assert needed is not None
    for passes in (needed - 1, needed):
        found = corrected_rate(passes, 30, LABELS)
        assert found is not None
        assert (found.low >= 0.7) == (passes == needed)
        outcome = decide(rule, a_tally(passes, 30 - passes)).outcome
        assert outcome == ("passed" if passes == needed else "failed")


def test_a_lax_judge_makes_it_stricter_than_the_plain_bound() -> None:
    plain = replace(a_rule(), kind=GateKind.LOWER_BOUND, labels=None)
    strict, usual = needed_passes(a_rule(labels=LAX)), needed_passes(plain)
    assert strict is not None
    assert usual is not None
    assert strict > usual


def test_its_sentence_tells_of_both_rates_and_of_what_it_needs() -> None:
    result = decide(a_rule(), a_tally(30, 0))
    assert result.sentence == (
        "30 of 30 passed (100 %, 95 % interval 89 to 100 %); without the judge's own error about"
        " 100 % (89 to 100 %, approximate); the gate needs the corrected lower bound at 70 %, that"
        " is at least 27 of 30."
    )
    assert needs(a_rule()) == "at least 27 of 30"


def test_it_says_which_kind_of_failure_it_is() -> None:
    assert decide(a_rule(), a_tally(24, 6)).kind is DecisionKind.NOT_PROVEN
    lost = decide(a_rule(), a_tally(5, 25))
    assert lost.kind is DecisionKind.BELOW
    assert "even the upper end of the corrected interval is below 70 %" in lost.sentence


def test_fails_that_checks_found_can_make_the_count_smaller() -> None:
    """Nobody can be wrong about them, so they say nothing about the judge's other verdicts."""
    rule = a_rule(100, percent=75, labels=LAX)
    needed = needed_passes(rule)
    assert needed is not None
    tally = a_tally(needed - 1, 101 - needed)
    assert decide(rule, tally).outcome == "failed"
    certain = replace(tally, certain=tally.fails)
    found = corrected_rate(needed - 1, 100, LAX, certain=tally.fails)
    assert found is not None
    assert decide(rule, certain).outcome == ("passed" if found.low >= 0.75 else "failed")


usable = st.builds(
    lambda m, r, a, b: LabelCounts(
        human_passes=m, agreed_passes=m - min(m, a), human_fails=r, agreed_fails=r - min(r, b)
    ),
    st.integers(10, 60),
    st.integers(10, 60),
    st.integers(0, 9),
    st.integers(0, 9),
).filter(lambda labels: refusal(labels) is None)
runs_of = st.lists(st.sampled_from(["pass", "fail", "certain", "judge_error"]), max_size=30)
RUNS: dict[str, Outcome] = {
    "pass": "pass",
    "fail": "fail",
    "certain": "fail",
    "judge_error": "judge_error",
}


@given(usable, runs_of.filter(bool), st.integers(30, 95))
def test_a_result_stands_whatever_the_errors_had_been(
    labels: LabelCounts, runs: list[str], percent: int
) -> None:
    rule = a_rule(len(runs), percent=percent, labels=labels)
    outcome = decide(rule, tally_of(rule, runs)).outcome
    if outcome == "error":
        return
    for other in ("pass", "fail", "certain"):
        instead = [other if run == "judge_error" else run for run in runs]
        assert decide(rule, tally_of(rule, instead)).outcome == outcome


@given(usable, runs_of.filter(bool), st.integers(30, 95))
def test_an_early_stop_changes_no_result(
    labels: LabelCounts, runs: list[str], percent: int
) -> None:
    whole = a_rule(len(runs), percent=percent, labels=labels)
    stops = replace(whole, early_stop=True)
    early = decide(stops, tally_of(stops, runs)).outcome
    late = decide(whole, tally_of(whole, runs)).outcome
    assert early == late


def tally_of(rule: GateRule, runs: list[str]) -> Tally:
    """Let the runs end in the order of their numbers, as far as the gate wants them."""
    course = Course(boundary(rule))
    for run in runs:
        if course.complete:
            break
        course.add(course.launch(), RUNS[run], certain=run == "certain")
    return course.tally


def test_it_stops_early_only_where_it_does_not_matter_who_found_the_fails() -> None:
    seen = set()
    for runs in range(5, 120):
        rule = a_rule(runs, percent=75, labels=LAX, stops=True)
        needed = needed_passes(rule)
        if needed is None:
            continue
        lenient = lenient_count(runs, rule.threshold, LAX, confidence=rule.confidence)
        assert may_stop(rule) == (lenient == needed)
        seen.add(may_stop(rule))
    assert seen == {True, False}


def test_what_too_few_runs_cannot_show_says_how_many_can() -> None:
    problem = reachability(a_rule(5))
    assert problem is not None
    assert "even 5 of 5 has a corrected lower bound of" in problem.message
    assert "at least 11 runs" in (problem.hint or "")


def test_what_no_number_of_runs_can_show_asks_for_labels() -> None:
    few = LabelCounts(human_passes=10, agreed_passes=10, human_fails=10, agreed_fails=8)
    problem = reachability(a_rule(percent=95, labels=few))
    assert problem is not None
    assert "no number of runs can prove a corrected pass rate of 0.95" in problem.message
    assert "more labels" in (problem.hint or "")


def test_its_false_passes_are_those_of_what_the_judge_shows() -> None:
    """q = .7 * .96 + .3 * .1 = .702, a little more than .7."""
    rule = a_rule()
    assert needed_passes(rule) == 27
    plain = replace(rule, kind=GateKind.RATE, threshold=Fraction(27, 30), labels=None)
    assert false_pass_rate(rule) == pytest.approx(pass_probability(plain, 0.702))
    assert pass_probability(replace(plain, labels=LABELS), 0.7) == pytest.approx(
        pass_probability(plain, 0.702)
    )


def test_no_other_gate_is_offered_in_its_place() -> None:
    assert calmer_gates(a_rule()) == ()
