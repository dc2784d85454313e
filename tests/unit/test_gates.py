"""Gates: needed counts, reachability, and results that no missing verdict could change."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.model.results import DecisionKind, GateResult, Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.gates import (
    cannot_fail,
    decide,
    highest_threshold,
    needed_passes,
    perfect_runs,
    reachability,
)
from ci_judge.rules.intervals import wilson

LOWER, EXACT, _, RATE, MISSES, _ = GateKind
FIXED = [LOWER, EXACT, RATE, MISSES]


def rule(kind: GateKind, runs: int, threshold: str = "0.7", misses: int = 0) -> GateRule:
    return GateRule(kind=kind, runs=runs, threshold=Fraction(threshold), misses=misses)


def result(gate: GateRule, passes: int, *, errors: int = 0, not_run: int = 0) -> GateResult:
    fails = gate.runs - passes - errors - not_run
    tally = Tally(planned=gate.runs, passes=passes, fails=fails, errors=errors, not_run=not_run)
    return decide(gate, tally)


rules = st.builds(
    GateRule,
    kind=st.sampled_from(FIXED),
    runs=st.integers(1, 25),
    threshold=st.fractions(0, 1, max_denominator=20),
    confidence=st.sampled_from([Fraction(1, 2), Fraction(9, 10), Fraction(95, 100)]),
    misses=st.integers(0, 30),
)


@st.composite
def tallies(draw: st.DrawFn, runs: int) -> Tally:
    passes = draw(st.integers(0, runs))
    fails = draw(st.integers(0, runs - passes))
    errors = draw(st.integers(0, runs - passes - fails))
    not_run = runs - passes - fails - errors
    return Tally(planned=runs, passes=passes, fails=fails, errors=errors, not_run=not_run)


# --- needed counts -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("runs", "threshold", "lower_bound", "exact"),
    [
        (10, "0.7", 10, 10),
        (20, "0.7", 19, 18),
        (20, "0.8", 20, 20),
        (30, "0.8", 29, 28),
        (50, "0.8", 46, 45),
        (100, "0.9", 96, 96),
    ],
)
def test_needed_by_the_table(runs: int, threshold: str, lower_bound: int, exact: int) -> None:
    assert needed_passes(rule(LOWER, runs, threshold)) == lower_bound
    assert needed_passes(rule(EXACT, runs, threshold)) == exact


@pytest.mark.parametrize(
    ("threshold", "lower_bound", "exact"),
    [
        ("0.5", 4, 5),
        ("0.6", 6, 6),
        ("0.7", 9, 9),
        ("0.75", 12, 11),
        ("0.8", 16, 14),
        ("0.85", 22, 19),
        ("0.9", 35, 29),
        ("0.95", 73, 59),
        ("0.97", 125, 99),
        ("0.98", 189, 149),
        ("0.99", 381, 299),
        ("1", None, None),
        ("0", 1, 1),
    ],
)
def test_runs_for_a_perfect_score(
    threshold: str, lower_bound: int | None, exact: int | None
) -> None:
    assert perfect_runs(rule(LOWER, 10, threshold)) == lower_bound
    assert perfect_runs(rule(EXACT, 10, threshold)) == exact


def test_a_perfect_score_exactly_as_likely_as_the_level_is_enough() -> None:
    gate = GateRule(kind=EXACT, runs=3, threshold=Fraction(1, 2), confidence=Fraction(15, 16))
    assert perfect_runs(gate) == 4


def test_a_threshold_close_to_one_needs_millions_and_says_so_at_once() -> None:
    assert perfect_runs(rule(EXACT, 10, "0.999999")) == 2_995_731
    assert perfect_runs(rule(LOWER, 10, "0.999999")) == 3_841_455


@given(rules.filter(lambda gate: 0 < gate.threshold < 1 and gate.kind in (LOWER, EXACT)))
def test_a_perfect_score_passes_from_there_on_and_not_before(gate: GateRule) -> None:
    least = perfect_runs(gate)
    assert least is not None
    at_least = GateRule(
        kind=gate.kind, runs=least, threshold=gate.threshold, confidence=gate.confidence
    )
    assert needed_passes(at_least) == least
    if least > 1:
        fewer = GateRule(
            kind=gate.kind, runs=least - 1, threshold=gate.threshold, confidence=gate.confidence
        )
        assert needed_passes(fewer) is None


@pytest.mark.parametrize(
    ("gate", "needed"),
    [
        (rule(RATE, 10), 7),
        (rule(RATE, 3, "2/3"), 2),
        (rule(RATE, 3, "0.6667"), 3),
        (rule(RATE, 3, "1"), 3),
        (rule(RATE, 3, "0"), 0),
        (rule(MISSES, 10), 10),
        (rule(MISSES, 10, misses=3), 7),
        (rule(MISSES, 10, misses=10), 0),
        (rule(MISSES, 10, misses=11), 0),
        (rule(LOWER, 10, "0.7224"), 10),
        (rule(LOWER, 10, "0.7225"), None),
        (rule(LOWER, 20, "0.7638"), 19),
        (rule(LOWER, 20, "0.7639"), 20),
        (rule(LOWER, 1, "0"), 0),
        (rule(EXACT, 3, "0"), 1),
        (rule(EXACT, 3, "1"), None),
        (rule(LOWER, 1000, "1"), None),
    ],
)
def test_needed_at_the_edges(gate: GateRule, needed: int | None) -> None:
    assert needed_passes(gate) == needed


def test_the_confidence_counts() -> None:
    strict = GateRule(kind=LOWER, runs=20, threshold=Fraction(7, 10), confidence=Fraction(99, 100))
    assert needed_passes(strict) == 20


@given(rules.filter(lambda gate: gate.kind is LOWER))
def test_needed_is_where_the_unrounded_bound_reaches_the_threshold(gate: GateRule) -> None:
    reaching = [
        passes
        for passes in range(gate.runs + 1)
        if wilson(passes, gate.runs, confidence=gate.confidence).low >= gate.threshold
    ]
    assert needed_passes(gate) == min(reaching, default=None)


# --- reachability --------------------------------------------------------------------


def test_an_unreachable_lower_bound_names_runs_and_threshold() -> None:
    assert str(reachability(rule(LOWER, 10, "0.8"))) == (
        "10 runs cannot prove a pass rate of 0.8: even 10 of 10 has a lower bound of 0.72 "
        "(use at least 16 runs or a threshold of at most 0.72)"
    )


def test_an_unreachable_exact_gate_names_runs_and_threshold() -> None:
    assert str(reachability(rule(EXACT, 10, "0.8"))) == (
        "10 runs cannot prove a pass rate of 0.8: at exactly that rate 10 of 10 would still happen "
        "by luck 11 % of the time, and the gate allows 5 % "
        "(use at least 14 runs or a threshold of at most 0.74)"
    )


def test_a_threshold_of_one_cannot_be_proven_by_any_number() -> None:
    assert str(reachability(rule(LOWER, 20, "1"))) == (
        "no number of runs can prove a pass rate of 1: even 20 of 20 has a lower bound of 0.83 "
        "(use gate: misses with misses: 0 when every run must pass, "
        "or a threshold of at most 0.83)"
    )


def test_one_run_is_one_run() -> None:
    assert "1 run cannot prove" in str(reachability(rule(LOWER, 1, "0.5")))


@given(rules)
def test_what_is_named_would_make_it_passable(gate: GateRule) -> None:
    problem = reachability(gate)
    assert (problem is None) == (needed_passes(gate) is not None)
    if problem is None:
        return
    lowered = GateRule(
        kind=gate.kind,
        runs=gate.runs,
        threshold=highest_threshold(gate),
        confidence=gate.confidence,
    )
    assert needed_passes(lowered) is not None
    assert lowered.threshold > 0
    assert lowered.threshold < gate.threshold


def test_gates_that_cannot_fail_are_known() -> None:
    assert cannot_fail(rule(RATE, 1, "0"))
    assert cannot_fail(rule(MISSES, 3, misses=3))
    assert not cannot_fail(rule(MISSES, 3, misses=2))
    assert not cannot_fail(rule(LOWER, 1, "1"))


# --- decisions -----------------------------------------------------------------------


@given(rules, st.data())
def test_a_result_stands_only_if_every_completion_agrees(
    gate: GateRule, data: st.DataObject
) -> None:
    tally = data.draw(tallies(gate.runs))
    open_runs = tally.errors + tally.not_run
    needed = needed_passes(gate)
    completions = {
        needed is not None and tally.passes + more >= needed for more in range(open_runs + 1)
    }
    outcome = decide(gate, tally).outcome
    if tally.judged == 0 or len(completions) > 1:
        assert outcome == "error"
    else:
        assert outcome == ("passed" if completions.pop() else "failed")


@pytest.mark.parametrize("kind", GateKind)
@pytest.mark.parametrize("threshold", ["0", "0.7", "1"])
@pytest.mark.parametrize(("errors", "not_run"), [(5, 0), (0, 5), (2, 3)])
def test_nothing_judged_is_never_passed_and_never_failed(
    kind: GateKind, threshold: str, errors: int, not_run: int
) -> None:
    decided = result(rule(kind, 5, threshold, misses=5), 0, errors=errors, not_run=not_run)
    assert decided.outcome == "error"
    assert decided.kind is DecisionKind.UNDECIDED
    assert decided.rate is None
    assert (decided.interval.low, decided.interval.high) == (0.0, 1.0)


def test_rate_and_interval_are_over_the_judged_runs() -> None:
    decided = result(rule(LOWER, 10), 6, errors=1, not_run=1)
    assert decided.rate == 0.75
    assert decided.interval == wilson(6, 8, confidence=Fraction(95, 100))


@pytest.mark.parametrize(
    ("gate", "passes", "kind"),
    [
        (rule(LOWER, 10), 10, DecisionKind.MET),
        (rule(LOWER, 10), 8, DecisionKind.NOT_PROVEN),
        (rule(LOWER, 10), 3, DecisionKind.BELOW),
        (rule(LOWER, 10), 4, DecisionKind.BELOW),  # upper end .687
        (rule(LOWER, 10), 5, DecisionKind.NOT_PROVEN),  # upper end .763
        (rule(RATE, 1, "1"), 0, DecisionKind.BELOW),
        (rule(MISSES, 10), 9, DecisionKind.BELOW),
        (rule(LOWER, 10, "0.8"), 10, DecisionKind.NOT_PROVEN),
        (rule(EXACT, 20), 17, DecisionKind.NOT_PROVEN),
    ],
)
def test_the_kind_of_a_result(gate: GateRule, passes: int, kind: DecisionKind) -> None:
    assert result(gate, passes).kind is kind


@given(rules, st.data())
def test_below_and_not_proven_follow_the_shown_interval(
    gate: GateRule, data: st.DataObject
) -> None:
    decided = decide(gate, data.draw(tallies(gate.runs)))
    if decided.outcome != "failed" or gate.kind is MISSES:
        return
    below = decided.interval.high < gate.threshold
    assert (decided.kind is DecisionKind.BELOW) == below
    assert (decided.more_runs is None) or not below


def test_a_tally_of_other_runs_is_a_mistake_in_the_program() -> None:
    with pytest.raises(ValueError, match="10 runs met a tally of 9"):
        decide(rule(LOWER, 10), Tally(planned=9, passes=9))
    with pytest.raises(ValueError, match="met a tally"):
        decide(rule(LOWER, 10), Tally(planned=10, passes=9))


# --- how many more runs --------------------------------------------------------------


@pytest.mark.parametrize(
    ("gate", "passes", "more"),
    [
        (rule(LOWER, 10), 8, 75),
        (rule(LOWER, 10), 6, None),
        (rule(EXACT, 10), 6, None),
        (rule(EXACT, 10), 7, None),
        (rule(EXACT, 20), 16, 45),
        (rule(RATE, 10), 6, None),
        (rule(LOWER, 10), 7, None),
        (rule(LOWER, 10, "0.8"), 10, 6),
        (rule(EXACT, 10, "0.8"), 10, 4),
        (rule(LOWER, 10, "1"), 10, None),
        (rule(MISSES, 10), 9, None),
        (rule(LOWER, 1000, "0.7001"), 700, None),
        (rule(LOWER, 1000, "0.6999"), 700, None),
        (rule(EXACT, 1000, "0.6999"), 700, None),
    ],
)
def test_more_runs(gate: GateRule, passes: int, more: int | None) -> None:
    assert result(gate, passes).more_runs == more


@given(st.sampled_from([LOWER, EXACT]), st.integers(2, 25), st.integers(1, 19), st.data())
def test_that_many_runs_pass_the_gate_at_no_higher_rate_and_fewer_do_not(
    kind: GateKind, runs: int, twentieths: int, data: st.DataObject
) -> None:
    gate = rule(kind, runs, f"{twentieths}/20")
    passes = data.draw(st.integers(0, runs))
    more = result(gate, passes).more_runs
    if more is None:
        return
    rate = Fraction(passes, runs)
    assert rate > gate.threshold
    assert rate_passes(gate, rate, runs + more)
    tried = range(runs + 1, runs + min(more, 100))
    assert not any(rate_passes(gate, rate, fewer) for fewer in tried)


def rate_passes(gate: GateRule, rate: Fraction, runs: int) -> bool:
    needed = needed_passes(GateRule(kind=gate.kind, runs=runs, threshold=gate.threshold))
    return needed is not None and needed <= rate * runs


@pytest.mark.parametrize("kind", [LOWER, EXACT])
def test_a_rate_little_above_the_threshold_needs_thousands(kind: GateKind) -> None:
    more = result(rule(kind, 1000), 712).more_runs
    assert more is not None
    assert rate_passes(rule(kind, 1000), Fraction(712, 1000), 1000 + more)


@given(st.sampled_from([LOWER, EXACT]), st.integers(1, 25), st.integers(0, 20), st.data())
def test_more_runs_are_no_remedy_at_or_below_the_threshold(
    kind: GateKind, runs: int, twentieths: int, data: st.DataObject
) -> None:
    gate = rule(kind, runs, f"{twentieths}/20")
    passes = data.draw(st.integers(0, runs))
    if Fraction(passes, runs) <= gate.threshold:
        assert result(gate, passes).more_runs is None
