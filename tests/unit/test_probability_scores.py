"""How good probabilities are, by hand-made and published numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.rules.probability_scores import (
    BINS,
    Forecast,
    brier_score,
    counts_at,
    expected_calibration_error,
    reliability,
    suggested_threshold,
)


def forecasts_of(*pairs: tuple[float, bool]) -> list[Forecast]:
    return [Forecast(probability=probability, passed=passed) for probability, passed in pairs]


def test_the_brier_score_is_the_mean_squared_error() -> None:
    """The example of scikit-learn's documentation: .0375."""
    found = brier_score(forecasts_of((0.1, False), (0.9, True), (0.8, True), (0.3, False)))
    assert found == pytest.approx(0.0375)
    assert brier_score(forecasts_of((0.5, True), (0.5, False))) == 0.25
    assert brier_score([]) is None


def test_the_calibration_error_weighs_the_gap_of_each_bin() -> None:
    said = forecasts_of((0.95, True), (0.95, False), (0.05, False), (1.0, True))
    table = reliability(said)
    assert [each.forecasts for each in table] == [1, *[0] * 8, 3]
    assert table[-1].mean == pytest.approx(2.9 / 3)
    assert table[-1].observed == pytest.approx(2 / 3)
    assert table[4].mean is None
    assert expected_calibration_error(table) == pytest.approx(0.2375)
    assert expected_calibration_error(reliability([])) is None


def test_a_bin_holds_its_lower_end_and_the_last_one_both() -> None:
    table = reliability(forecasts_of((0.0, True), (0.1, True), (0.5, True), (1.0, True)))
    assert [each.forecasts for each in table] == [1, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert (table[0].low, table[-1].high) == (0.0, 1.0)


def test_the_threshold_parts_what_can_be_parted() -> None:
    good = forecasts_of(*[(0.6, True)] * 30)
    bad = forecasts_of(*[(0.4, False)] * 30)
    found = suggested_threshold([*good, *bad], least_tpr=0.8, least_tnr=0.8)
    assert found is not None
    assert found.threshold == pytest.approx(0.5)
    assert found.met
    assert (found.counts.agreed_passes, found.counts.agreed_fails) == (30, 30)


def test_a_threshold_that_meets_both_wins_over_one_with_the_larger_sum() -> None:
    said = forecasts_of(
        *[(0.9, True)] * 80, *[(0.5, True)] * 20, *[(0.5, False)] * 5, *[(0.2, False)] * 45
    )
    strict = suggested_threshold(said, least_tpr=0.0, least_tnr=0.9)
    lenient = suggested_threshold(said, least_tpr=0.9, least_tnr=0.5)
    assert strict is not None
    assert lenient is not None
    assert (strict.met, lenient.met) == (True, True)
    assert strict.threshold == pytest.approx(0.7)
    assert lenient.threshold == pytest.approx(0.35)


def test_what_no_threshold_meets_is_said() -> None:
    said = forecasts_of(*[(0.6, True)] * 5, *[(0.4, False)] * 5)
    found = suggested_threshold(said, least_tpr=0.9, least_tnr=0.9)
    assert found is not None
    assert not found.met
    assert found.threshold == pytest.approx(0.5)


def test_labels_of_one_verdict_suggest_nothing() -> None:
    assert suggested_threshold([], least_tpr=0, least_tnr=0) is None
    assert suggested_threshold(forecasts_of((0.4, True)), least_tpr=0, least_tnr=0) is None


forecasts = st.lists(
    st.builds(Forecast, probability=st.floats(0, 1), passed=st.booleans()), min_size=1, max_size=40
)


@given(forecasts)
def test_every_forecast_is_in_one_bin_within_its_ends(said: list[Forecast]) -> None:
    table = reliability(said)
    assert len(table) == BINS
    assert sum(each.forecasts for each in table) == len(said)
    for each in table:
        if each.mean is not None:
            assert each.low - 1e-9 <= each.mean <= each.high + 1e-9


@given(forecasts)
def test_no_other_threshold_parts_labels_better(said: list[Forecast]) -> None:
    found = suggested_threshold(said, least_tpr=0.0, least_tnr=0.0)
    if found is None:
        return

    def right(threshold: float) -> float:
        counts = counts_at(said, threshold)
        return counts.agreed_passes / counts.human_passes + counts.agreed_fails / counts.human_fails

    best = max(right(each.probability) for each in said)
    assert right(found.threshold) >= best - 1e-9
