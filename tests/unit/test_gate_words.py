"""The sentences that explain a gate, as people read them."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.model.results import GateResult, Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.gates import decide

LOWER, EXACT, _, RATE, MISSES, _ = GateKind
FIXED = [LOWER, EXACT, RATE, MISSES]


def rule(kind: GateKind, runs: int, threshold: str = "0.7", misses: int = 0) -> GateRule:
    return GateRule(kind=kind, runs=runs, threshold=Fraction(threshold), misses=misses)


def result(gate: GateRule, passes: int, errors: int = 0, not_run: int = 0) -> GateResult:
    fails = gate.runs - passes - errors - not_run
    return decide(
        gate,
        Tally(planned=gate.runs, passes=passes, fails=fails, errors=errors, not_run=not_run),
    )


@pytest.mark.parametrize(
    ("decided", "sentence"),
    [
        (
            result(rule(LOWER, 10), 10),
            (
                "10 of 10 passed (100 %, 95 % interval 72 to 100 %); "
                "the gate needs the lower bound at 70 %, that is 10 of 10."
            ),
        ),
        (
            result(rule(LOWER, 10), 8),
            (
                "8 of 10 passed (80 %, 95 % interval 49 to 94 %); "
                "the gate needs the lower bound at 70 %, that is 10 of 10. "
                "The rate is above 70 %, but 10 runs are too few to prove it: "
                "at this rate about 85 would do."
            ),
        ),
        (
            result(rule(LOWER, 10), 7),
            (
                "7 of 10 passed (70 %, 95 % interval 40 to 89 %); "
                "the gate needs the lower bound at 70 %, that is 10 of 10. "
                "The rate is exactly 70 %: more runs at this rate cannot decide it."
            ),
        ),
        (
            result(rule(LOWER, 10), 6),
            (
                "6 of 10 passed (60 %, 95 % interval 31 to 83 %); "
                "the gate needs the lower bound at 70 %, that is 10 of 10. "
                "The rate is below 70 %: more runs would most likely confirm the failure."
            ),
        ),
        (
            result(rule(EXACT, 20), 16),
            (
                "16 of 20 passed (80 %, 95 % interval 58 to 92 %); "
                "the gate needs at least 18 of 20 to prove a rate above 70 % (95 % sure). "
                "The rate is above 70 %, but 20 runs are too few to prove it: "
                "at this rate about 65 would do."
            ),
        ),
        (
            result(rule(LOWER, 1000), 701),
            (
                "701 of 1000 passed (70.1 %, 95 % interval 67 to 73 %); "
                "the gate needs the lower bound at 70 %, that is at least 729 of 1000. "
                "The rate is so little above 70 % that no reasonable number would prove it."
            ),
        ),
        (
            result(rule(RATE, 10), 6),
            (
                "6 of 10 passed (60 %, 95 % interval 31 to 83 %); "
                "the gate needs a rate of 70 %, that is at least 7 of 10."
            ),
        ),
        (
            result(rule(LOWER, 14), 0, errors=11),
            (
                "0 passed and 3 failed of 14 runs, 11 ended in errors; "
                "the gate needs the lower bound at 70 %, that is 14 of 14. "
                "Even if those 11 had passed, 11 of 14 would be too few."
            ),
        ),
        (
            result(rule(LOWER, 20), 2, errors=1, not_run=12),
            (
                "2 passed and 5 failed of 20 runs, 1 ended in an error and 12 were not run; "
                "the gate needs the lower bound at 70 %, that is at least 19 of 20. "
                "Even if those 13 had passed, 15 of 20 would be too few."
            ),
        ),
        (
            result(rule(LOWER, 10), 4, errors=6),
            (
                "4 passed and 0 failed of 10 runs, 6 ended in errors; "
                "the gate needs the lower bound at 70 %, that is 10 of 10. "
                "Not decided: those 6 could turn it either way."
            ),
        ),
        (
            result(rule(RATE, 10, "0.2"), 2, errors=8),
            (
                "2 passed and 0 failed of 10 runs, 8 ended in errors; "
                "the gate needs a rate of 20 %, that is at least 2 of 10. "
                "Those 8 could not change the result."
            ),
        ),
        (
            result(rule(LOWER, 20), 4),
            (
                "4 of 20 passed (20 %, 95 % interval 8 to 42 %); "
                "the gate needs the lower bound at 70 %, that is at least 19 of 20. "
                "The failures are hardly bad luck: even the upper end of the interval is "
                "below 70 %."
            ),
        ),
        (
            result(rule(LOWER, 10), 8, errors=2),
            (
                "8 of 8 judged runs passed (100 %, 95 % interval 68 to 100 %); "
                "the gate needs the lower bound at 70 %, that is 10 of 10. "
                "Not decided: 2 runs ended in errors and could turn it either way."
            ),
        ),
        (
            result(rule(EXACT, 20), 18, errors=1, not_run=1),
            (
                "18 of 18 judged runs passed (100 %, 95 % interval 82 to 100 %); "
                "the gate needs at least 18 of 20 to prove a rate above 70 % (95 % sure). "
                "1 run ended in an error and 1 was not run, which could not change the result."
            ),
        ),
        (
            result(rule(RATE, 3, "2/3"), 2),
            (
                "2 of 3 passed (67 %, 95 % interval 21 to 94 %); "
                "the gate needs a rate of 2/3, that is at least 2 of 3."
            ),
        ),
        (
            result(rule(MISSES, 10), 9),
            (
                "9 of 10 passed (90 %, 95 % interval 60 to 98 %); "
                "the gate allows no miss, and there is 1."
            ),
        ),
        (
            result(rule(MISSES, 10, misses=2), 6, not_run=1),
            (
                "6 of 9 judged runs passed (67 %, 95 % interval 35 to 88 %); "
                "the gate allows at most 2 misses, and there are 3. "
                "1 run was not run, which could not change the result."
            ),
        ),
        (
            result(rule(MISSES, 10, misses=1), 10),
            (
                "10 of 10 passed (100 %, 95 % interval 72 to 100 %); "
                "the gate allows at most 1 miss, and there are none."
            ),
        ),
        (
            result(rule(LOWER, 10, "0.8"), 10),
            (
                "10 of 10 passed (100 %, 95 % interval 72 to 100 %); "
                "the gate needs the lower bound at 80 %, which 10 runs cannot show even if all "
                "pass: that takes at least 16 runs."
            ),
        ),
        (
            result(rule(LOWER, 10, "1"), 10),
            (
                "10 of 10 passed (100 %, 95 % interval 72 to 100 %); "
                "the gate needs the lower bound at 100 %, which no number of runs can show, "
                "not even if all pass."
            ),
        ),
        (
            result(rule(LOWER, 10), 0, errors=3, not_run=7),
            "nothing was judged: 3 runs ended in errors and 7 were not run.",
        ),
        (result(rule(LOWER, 10), 0, not_run=10), "nothing was judged: 10 runs were not run."),
        (result(rule(RATE, 1, "1"), 1), "passed; its one run must pass."),
        (result(rule(RATE, 1, "1"), 0), "did not pass; its one run must pass."),
        (
            result(rule(RATE, 1, "1"), 0, errors=1),
            "nothing was judged: its one run ended in an error.",
        ),
        (
            result(rule(RATE, 1, "1"), 0, not_run=1),
            "nothing was judged: its one run was not run.",
        ),
    ],
)
def test_sentences(decided: GateResult, sentence: str) -> None:
    assert decided.sentence == sentence


def test_runs_that_were_under_way_are_told_where_nothing_was_judged() -> None:
    tally = Tally(planned=30, errors=20, not_needed=3, uncounted=7)
    assert decide(rule(LOWER, 30), tally).sentence == (
        "nothing was judged: 20 runs ended in errors. "
        "7 later runs were under way by then: kept, not counted."
    )


@pytest.mark.parametrize(
    ("gate", "needs"),
    [
        (rule(LOWER, 20), "at least 19 of 20"),
        (rule(LOWER, 10), "at least 10 of 10"),
        (rule(MISSES, 10, misses=2), "at least 8 of 10"),
        (rule(RATE, 1, "1"), "1 of 1"),
        (rule(LOWER, 10, "0.8"), "at least 16 runs"),
        (rule(LOWER, 10, "1"), "more than any runs can show"),
    ],
)
def test_needs(gate: GateRule, needs: str) -> None:
    assert result(gate, 0).needs == needs


def test_a_bound_that_rounds_to_the_threshold_gets_more_digits() -> None:
    short = result(rule(LOWER, 10, "0.7225"), 10).sentence
    assert "interval 72 to 100 %" in short
    assert "needs the lower bound at 72.25 %" in short
    short = result(rule(LOWER, 10, "0.72"), 10).sentence
    assert "interval 72.2 to 100.0 %" in short
    rate = result(rule(RATE, 1000, "1"), 999).sentence
    assert "(99.9 %" in rate


@given(
    st.sampled_from([LOWER, EXACT, RATE]),
    st.integers(2, 300),
    st.integers(1, 999),
    st.data(),
)
def test_shown_numbers_never_contradict_the_verdict(
    kind: GateKind, runs: int, thousandths: int, data: st.DataObject
) -> None:
    threshold = Fraction(thousandths, 1000)
    gate = GateRule(kind=kind, runs=runs, threshold=threshold)
    decided = result(gate, data.draw(st.integers(0, runs)))
    shown = re.search(r"\(([\d.]+) %, 95 % interval ([\d.]+) to ([\d.]+) %\)", decided.sentence)
    assert shown is not None
    rate, low, high = (Fraction(number) / 100 for number in shown.groups())
    assert (low < threshold) == (decided.interval.low < threshold)
    assert (high < threshold) == (decided.interval.high < threshold)
    assert decided.rate is not None
    assert (rate == 1) == (decided.rate == 1)
    assert (rate == 0) == (decided.rate == 0)
    assert low <= rate <= high


@given(st.sampled_from(FIXED), st.integers(2, 60), st.integers(1, 19), st.data())
def test_no_rate_is_told_when_most_runs_gave_no_verdict(
    kind: GateKind, runs: int, twentieths: int, data: st.DataObject
) -> None:
    passes = data.draw(st.integers(0, runs))
    errors = data.draw(st.integers(0, runs - passes))
    not_run = data.draw(st.integers(0, runs - passes - errors))
    decided = result(
        rule(kind, runs, f"{twentieths}/20"), passes, errors=errors, not_run=not_run
    ).sentence
    mostly = (errors + not_run) * 2 > runs
    assert ("interval" not in decided) == mostly
    assert ("The rate is" not in decided) or not mostly


@given(st.sampled_from([RATE, MISSES]), st.integers(2, 60), st.data())
def test_gates_without_proof_never_ask_for_more_runs(
    kind: GateKind, runs: int, data: st.DataObject
) -> None:
    decided = result(rule(kind, runs), data.draw(st.integers(0, runs)))
    assert decided.more_runs is None
    assert "more runs" not in decided.sentence
    assert "too few" not in decided.sentence
