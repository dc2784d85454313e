"""The judge's own error: the values of R's asht::prevSeSp, and what a correction must never do."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.model.calibration import LabelCounts
from ci_judge.rules.binomials import at_least
from ci_judge.rules.intervals import wilson
from ci_judge.rules.judge_error import (
    apparent_rate,
    corrected_count,
    corrected_rate,
    corrected_reach,
    lenient_count,
    perfect_corrected_runs,
    refusal,
)

SURE = Fraction(95, 100)


def labels_of(agreed_passes: int, passes: int, agreed_fails: int, fails: int) -> LabelCounts:
    return LabelCounts(
        human_passes=passes,
        agreed_passes=agreed_passes,
        human_fails=fails,
        agreed_fails=agreed_fails,
    )


@pytest.mark.parametrize(
    ("passes", "runs", "labels", "low", "high"),
    [
        (4060, 11284, (178, 179, 358, 359), 0.3487, 0.3721),
        (51, 2971, (32, 33, 20, 20), 0.0, 0.0533),
        (259, 509, (84, 127, 96, 109), 0.5849, 0.8665),
        (51, 509, (23, 41, 187, 195), 0.0366, 0.1947),
        (320, 400, (78, 80, 30, 40), 0.6729, 0.8414),
    ],
)
def test_the_interval_is_that_of_lang_and_reiczigel(
    passes: int, runs: int, labels: tuple[int, int, int, int], low: float, high: float
) -> None:
    found = corrected_rate(passes, runs, labels_of(*labels))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.00005)


def test_the_estimate_is_that_of_rogan_and_gladen() -> None:
    found = corrected_rate(320, 400, labels_of(78, 80, 30, 40))
    assert found is not None
    assert found.rate == pytest.approx(0.7586, abs=0.00005)


def test_a_judge_without_an_observed_error_proves_no_more_than_one_that_cannot_err() -> None:
    for passes, runs in ((20, 20), (19, 20), (45, 50), (0, 10)):
        plain = wilson(passes, runs)
        for count in (10, 30, 1_000_000):
            found = corrected_rate(passes, runs, labels_of(count, count, count, count))
            assert found is not None
            assert found.rate == passes / runs
            assert found.low <= plain.low
            assert found.high >= plain.high
            assert count == 10 or found.high - found.low < 1.3 * (plain.high - plain.low)


def test_fails_by_checks_stay_fails() -> None:
    labels = labels_of(18, 20, 16, 20)
    all_judged = corrected_rate(40, 50, labels)
    by_checks = corrected_rate(40, 50, labels, certain=10)
    assert all_judged is not None
    assert by_checks is not None
    # 40 of 40 judged ones: q = .8, w = .8, Se = .9, 1 - Sp = .2; (.8 - .8 * .2) / .7
    assert by_checks.rate == pytest.approx((0.8 - 0.8 * 0.2) / 0.7)
    assert all_judged.rate == pytest.approx(0.6 / 0.7)
    assert by_checks.low > all_judged.low


def test_the_share_of_judged_runs_enters_the_centre_the_shift_and_the_spread() -> None:
    """Computed by hand from the formulas, apart from the code: 30 of 40, 5 certain fails."""
    z = 1.959963984540054
    runs, w = 40 + z * z, 35 / 40
    q = (30 + z * z / 2) / runs
    hits, rejections = 28 / 32, 19 / 22
    var_hits, var_rejections = hits * (1 - hits) / 32, rejections * (1 - rejections) / 22
    power = hits + rejections - 1
    rate = (q - w * (1 - rejections)) / power
    shift = 2 * z * z * (rate * var_hits - (w - rate) * var_rejections)
    spread = q * (1 - q) / runs + rate**2 * var_hits + (w - rate) ** 2 * var_rejections
    half = z * spread**0.5 / power
    found = corrected_rate(30, 40, labels_of(27, 30, 18, 20), certain=5)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(
        (rate + shift - half, min(1, rate + shift + half))
    )


@pytest.mark.parametrize(
    ("labels", "word"),
    [
        ((9, 9, 50, 50), "9 labelled pass"),
        ((50, 50, 9, 9), "9 labelled fail"),
        ((0, 0, 0, 0), "0 labelled pass and 0 labelled fail"),
        ((15, 20, 15, 20), "errs too often"),  # exactly 1.5
        ((20, 20, 0, 20), "errs too often"),
    ],
)
def test_what_labels_cannot_correct_is_refused_with_the_reason(
    labels: tuple[int, int, int, int], word: str
) -> None:
    counts = labels_of(*labels)
    assert word in (refusal(counts) or "")
    assert corrected_rate(9, 10, counts) is None
    assert corrected_count(30, Fraction(1, 2), counts, confidence=SURE) is None
    assert perfect_corrected_runs(Fraction(1, 2), counts, confidence=SURE) is None
    assert corrected_reach(30, counts, confidence=SURE) == 0.0


def test_just_enough_labels_and_a_judge_just_good_enough_are_not_refused() -> None:
    assert refusal(labels_of(10, 10, 10, 10)) is None
    assert refusal(labels_of(16, 20, 15, 20)) is None


def test_more_labels_than_anybody_has_written_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be"):
        LabelCounts(
            human_passes=10**400, agreed_passes=10**400, human_fails=10**400, agreed_fails=10**400
        )


def test_nothing_judged_is_not_corrected_and_impossible_counts_are_refused() -> None:
    labels = labels_of(20, 20, 20, 20)
    assert corrected_rate(0, 0, labels) is None
    for passes, judged, certain in ((11, 10, 0), (8, 10, 3), (-1, 10, 0)):
        with pytest.raises(ValueError, match="cannot be"):
            corrected_rate(passes, judged, labels, certain=certain)
    with pytest.raises(ValueError, match="cannot be"):
        labels_of(11, 10, 0, 0)


counts = st.tuples(
    st.integers(10, 60), st.integers(10, 60), st.integers(0, 12), st.integers(0, 12)
).map(lambda n: labels_of(n[0] - min(n[0], n[2]), n[0], n[1] - min(n[1], n[3]), n[1]))
usable = counts.filter(lambda labels: refusal(labels) is None)
thresholds = st.integers(1, 99).map(lambda percent: Fraction(percent, 100))


@given(usable, st.integers(1, 80), st.integers(0, 80))
def test_more_passes_never_prove_less_and_certain_fails_never_hurt(
    labels: LabelCounts, runs: int, certain: int
) -> None:
    certain = min(certain, runs)
    lows = []
    for passes in range(runs - certain + 1):
        one = corrected_rate(passes, runs, labels, certain=certain)
        other = corrected_rate(passes, runs, labels)
        assert one is not None
        assert other is not None
        assert one.low >= other.low - 1e-12
        lows.append(one.low)
    assert lows == sorted(lows)


@given(usable, st.integers(1, 60), thresholds, st.integers(0, 20))
def test_the_count_is_the_least_whose_lower_bound_reaches_the_threshold(
    labels: LabelCounts, runs: int, threshold: Fraction, certain: int
) -> None:
    certain = min(certain, runs)
    found = corrected_count(runs, threshold, labels, confidence=SURE, certain=certain)
    reaching = [
        passes
        for passes in range(runs - certain + 1)
        if (rate := corrected_rate(passes, runs, labels, certain=certain)) and rate.low >= threshold
    ]
    assert reaching == ([] if found is None else list(range(found, runs - certain + 1)))


@given(usable, st.integers(1, 60), thresholds)
def test_no_way_in_which_runs_failed_needs_fewer_passes_than_the_lenient_count(
    labels: LabelCounts, runs: int, threshold: Fraction
) -> None:
    lenient = lenient_count(runs, threshold, labels, confidence=SURE)
    for certain in range(runs + 1):
        needed = corrected_count(runs, threshold, labels, confidence=SURE, certain=certain)
        assert needed is None or (lenient is not None and needed >= lenient)


@given(usable, thresholds)
def test_a_perfect_score_of_so_many_runs_passes_and_of_one_less_does_not(
    labels: LabelCounts, threshold: Fraction
) -> None:
    runs = perfect_corrected_runs(threshold, labels, confidence=SURE)
    if runs is None:
        assert corrected_reach(1_000_000, labels, confidence=SURE) < threshold
        return
    assert corrected_reach(runs, labels, confidence=SURE) >= threshold
    assert runs == 1 or corrected_reach(runs - 1, labels, confidence=SURE) < threshold


def test_few_labels_can_be_the_limit_that_no_run_overcomes() -> None:
    few = labels_of(10, 10, 8, 10)
    assert perfect_corrected_runs(Fraction(95, 100), few, confidence=SURE) is None
    many = labels_of(500, 500, 400, 500)
    assert perfect_corrected_runs(Fraction(95, 100), many, confidence=SURE) is not None


def test_a_judge_that_errs_passes_a_feature_at_the_threshold_at_another_rate() -> None:
    labels = labels_of(45, 50, 20, 25)
    assert apparent_rate(Fraction(8, 10), labels) == pytest.approx(0.8 * 0.9 + 0.2 * 0.2)
    assert apparent_rate(Fraction(8, 10), labels_of(0, 0, 20, 25)) is None


def false_passes(
    *, labels: int, runs: int, threshold: Fraction, sensitivity: float, specificity: float
) -> float:
    """Return how often a feature exactly at the threshold passes, over all labels and runs.

    Of the labels that allow a correction: those that allow none pass nothing.
    """
    shown = float(threshold) * sensitivity + (1 - float(threshold)) * (1 - specificity)
    total = allowed = 0.0
    for hits, rejections in product(range(labels + 1), repeat=2):
        chance = exactly(hits, labels, sensitivity) * exactly(rejections, labels, specificity)
        counts = labels_of(hits, labels, rejections, labels)
        if chance < 1e-12 or refusal(counts) is not None:
            continue
        allowed += chance
        needed = corrected_count(runs, threshold, counts, confidence=SURE)
        total += 0.0 if needed is None else chance * at_least(needed, runs, shown)
    return total / allowed


def exactly(count: int, trials: int, rate: float) -> float:
    return at_least(count, trials, rate) - at_least(count + 1, trials, rate)


JUDGES = [(1.0, 1.0), (1.0, 0.7), (0.98, 0.95), (0.95, 0.85), (0.85, 0.98), (0.8, 0.8)]


@pytest.mark.parametrize(("labels", "most"), [(10, 0.062), (30, 0.046)])
def test_the_level_holds_as_nearly_as_is_said(labels: int, most: float) -> None:
    """Nominally 2.5 %: at most 6.2 % from 10 labels of each verdict, and 4.6 % from 30."""
    worst = max(
        false_passes(
            labels=labels,
            runs=runs,
            threshold=threshold,
            sensitivity=sensitivity,
            specificity=specificity,
        )
        for sensitivity, specificity in JUDGES
        for runs in (20, 100)
        for threshold in (Fraction(5, 10), Fraction(7, 10), Fraction(8, 10))
    )
    assert 0 < worst <= most


def test_no_test_passes_without_a_single_pass() -> None:
    """Where hardly anything is asked with hardly any doubt, the formula's bound would let it."""
    labels = LabelCounts(human_passes=15, agreed_passes=14, human_fails=60, agreed_fails=43)
    for runs in (1, 2, 5, 10):
        least = [
            corrected_count(
                runs, Fraction(1, 100), labels, confidence=Fraction(999_999, 10**6), certain=certain
            )
            for certain in range(runs + 1)
        ]
        assert all(count is None or count >= 1 for count in least)
        lenient = lenient_count(runs, Fraction(1, 100), labels, confidence=Fraction(999_999, 10**6))
        assert lenient is None or lenient >= 1
