"""What a comparison can see, against R's figures and statsmodels."""

import pytest
from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail

from ci_judge.rules.detectable import detectable_drop
from ci_judge.rules.differences import Counts


@pytest.mark.parametrize(
    ("was", "enough", "alpha", "power", "wanted"),
    [
        # R: power.prop.test(p1 = .75, p2 = .5, power = .9) asks for 76.7 a side, two-sided
        (Counts(passes=57, judged=76), False, 0.025, 0.9, 0.25),
        (Counts(passes=60, judged=80), True, 0.025, 0.9, 0.25),
        # 95 % to 85 %: 140.1 a side two-sided, 110.2 one-sided
        (Counts(passes=133, judged=140), False, 0.025, 0.8, 0.1),
        (Counts(passes=152, judged=160), True, 0.025, 0.8, 0.1),
        (Counts(passes=95, judged=100), False, 0.05, 0.8, 0.1),
        (Counts(passes=114, judged=120), True, 0.05, 0.8, 0.1),
    ],
)
def test_published_sizes_are_where_a_drop_comes_into_sight(
    was: Counts, *, enough: bool, alpha: float, power: float, wanted: float
) -> None:
    found = detectable_drop(was, runs=was.judged, alpha=alpha, power=power)
    assert found is not None
    assert (found <= wanted) is enough


@pytest.mark.parametrize(("before", "runs"), [(200, 200), (100, 1_000), (1_000, 100), (40, 400)])
def test_it_agrees_with_statsmodels_about_the_size_that_sees_it(before: int, runs: int) -> None:
    was = Counts(passes=9 * before // 10, judged=before)
    found = detectable_drop(was, runs=runs, alpha=0.05)
    assert found is not None
    theirs = samplesize_proportions_2indep_onetail(
        -found, 0.9, 0.8, ratio=before / runs, alpha=0.05, alternative="smaller"
    )
    assert theirs == pytest.approx(runs, rel=0.02)


def test_two_sizes_are_each_taken_for_what_they_are() -> None:
    few, many = Counts(passes=90, judged=100), Counts(passes=900, judged=1_000)
    found = [
        detectable_drop(was, runs=runs, alpha=0.05) for was, runs in ((few, 1_000), (many, 100))
    ]
    assert all(drop is not None for drop in found)
    both = [detectable_drop(was, runs=was.judged, alpha=0.05) for was in (few, many)]
    assert all((both[1] or 0) < (drop or 0) < (both[0] or 0) for drop in found)


def test_more_runs_see_more() -> None:
    found = [
        detectable_drop(Counts(passes=9 * n, judged=10 * n), runs=10 * n, alpha=0.05)
        for n in (1, 2, 5, 20, 100)
    ]
    assert all(drop is not None for drop in found)
    assert found == sorted(found, key=lambda drop: -(drop or 0))


def test_very_few_runs_see_nothing() -> None:
    assert detectable_drop(Counts(passes=1, judged=1), runs=1, alpha=0.05) is None
    assert detectable_drop(Counts(passes=0, judged=20), runs=20, alpha=0.05) is None
