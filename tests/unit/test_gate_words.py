"""The sentences that explain a gate, as people read them."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.model.results import GateResult, Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.gates import decide

LOWER, EXACT, RATE, MISSES = GateKind


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
                "Not proven either way: about 71 more runs at this rate would decide it."
            ),
        ),
        (
            result(rule(LOWER, 10), 7),
            (
                "7 of 10 passed (70 %, 95 % interval 40 to 89 %); "
                "the gate needs the lower bound at 70 %, that is 10 of 10. "
                "Not proven either way: so close to the threshold, more runs at this rate decide "
                "nothing."
            ),
        ),
        (
            result(rule(LOWER, 20), 4),
            (
                "4 of 20 passed (20 %, 95 % interval 8 to 42 %); "
                "the gate needs the lower bound at 70 %, that is at least 19 of 20. "
                "Even the upper end of the interval is below 70 %."
            ),
        ),
        (
            result(rule(LOWER, 10), 8, errors=2),
            (
                "8 of 8 judged runs passed (100 %, 95 % interval 68 to 100 %); "
                "the gate needs the lower bound at 70 %, that is 10 of 10. "
                "Not decided: 2 runs ended in an error and could turn it either way."
            ),
        ),
        (
            result(rule(EXACT, 20), 18, errors=1, not_run=1),
            (
                "18 of 18 judged runs passed (100 %, 95 % interval 82 to 100 %); "
                "the gate needs 95 % proof of a rate above 70 %, that is at least 18 of 20. "
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
                "pass: that takes at least 16 runs. "
                "Not proven either way: about 6 more runs at this rate would decide it."
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
            "nothing was judged: 3 runs ended in an error and 7 were not run.",
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
