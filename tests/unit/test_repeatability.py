"""How often verdicts flip by chance, against every course of the runs and against scipy."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom, poisson_binom

from ci_judge.model.calibration import LabelCounts
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.boundaries import Seen
from ci_judge.rules.gates import boundary, needed_passes
from ci_judge.rules.power import flip_rate, pass_probability
from ci_judge.rules.repeatability import (
    Pooled,
    chance_of_so_many,
    flip_chance,
    plug_in_flip_rate,
)
from tests.model_builders import a_rule
from tests.unit.test_continuing_rules import STARTER

FIXED = a_rule(kind=GateKind.EXACT, runs=6, threshold=Fraction(1, 2))
NEVER_SOONER = a_rule(
    kind=GateKind.ADAPTIVE,
    runs=6,
    min_runs=6,
    threshold=Fraction(3, 10),
    confidence=Fraction(8, 10),
)
HOPELESS = a_rule(kind=GateKind.EXACT, runs=3, threshold=Fraction(9, 10))
ANYTHING = a_rule(kind=GateKind.MISSES, runs=3, misses=3)
GATES = (FIXED, NEVER_SOONER, HOPELESS, ANYTHING)
STOPPING = (
    a_rule(kind=GateKind.RATE, runs=6, threshold=Fraction(2, 3), early_stop=True),
    a_rule(kind=GateKind.EXACT, runs=20, threshold=Fraction(7, 10), early_stop=True),
    STARTER,
)


def courses(rule: GateRule) -> Iterator[tuple[int, bool]]:
    """Give the passes of each course of all runs, and what the gate makes of them."""
    edge = boundary(rule)
    for course in product((True, False), repeat=rule.runs):
        passes = sum(course)
        yield passes, edge.met(rule.runs, misses=rule.runs - passes)


@pytest.mark.parametrize("rule", GATES, ids=lambda rule: rule.kind)
def test_the_chance_of_a_flip_is_that_over_every_pair_of_courses(rule: GateRule) -> None:
    every: Counter[int] = Counter()
    flipped: Counter[int] = Counter()
    for (one, passed), (other, other_passed) in product(courses(rule), repeat=2):
        every[one + other] += 1
        flipped[one + other] += passed != other_passed
    for passes, pairs in every.items():
        pooled = Pooled(passes=passes, judged=2 * rule.runs)
        assert flip_chance(rule, pooled) == pytest.approx(flipped[passes] / pairs, abs=1e-15)


@pytest.mark.parametrize("rule", GATES, ids=lambda rule: rule.kind)
@pytest.mark.parametrize("rate", [0.3, 0.75, 0.95])
def test_on_average_it_is_what_the_design_says_whatever_the_true_rate(
    rule: GateRule, rate: float
) -> None:
    judged = 2 * rule.runs
    total = math.fsum(
        binom.pmf(passes, judged, rate)
        * (flip_chance(rule, Pooled(passes=passes, judged=judged)) or 0.0)
        for passes in range(judged + 1)
    )
    assert total == pytest.approx(flip_rate(rule, rate), abs=1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Where a test that may stop ends, and how likely that is."""

    runs: int
    misses: int
    passed: bool
    chance: float


def ends(rule: GateRule, *, rate: float) -> Iterator[End]:
    edge = boundary(rule)
    going = {0: 1.0}
    for runs in range(1, rule.runs + 1):
        after: dict[int, float] = defaultdict(float)
        for misses, chance in going.items():
            after[misses] += chance * rate
            after[misses + 1] += chance * (1 - rate)
        going = {}
        for misses, chance in after.items():
            if edge.is_decided(Seen(passes=runs - misses, fails=misses)):
                passed = edge.met(runs, misses=misses)
                yield End(runs=runs, misses=misses, passed=passed, chance=chance)
            else:
                going[misses] = chance


@pytest.mark.parametrize("rule", STOPPING, ids=lambda rule: rule.kind)
def test_where_two_tests_stopped_says_whether_they_differ_so_no_chance_is_told(
    rule: GateRule,
) -> None:
    differ: dict[tuple[int, int], float] = defaultdict(float)
    alike: dict[tuple[int, int], float] = defaultdict(float)
    for one, other in product(list(ends(rule, rate=0.85)), repeat=2):
        among = alike if one.passed == other.passed else differ
        among[one.runs + other.runs, one.misses + other.misses] += one.chance * other.chance
    assert math.fsum((*differ.values(), *alike.values())) == pytest.approx(1)
    assert math.fsum(differ.values()) > 0.05
    open_still = (min(chance, alike.get(counts, 0.0)) for counts, chance in differ.items())
    assert math.fsum(open_still) < 0.001
    assert flip_chance(rule, Pooled(passes=30, judged=40)) is None


@given(st.integers(1, 40), st.data())
def test_with_a_fixed_number_of_runs_the_passes_are_dealt_at_random(
    runs: int, data: st.DataObject
) -> None:
    rule = a_rule(kind=GateKind.RATE, runs=runs, threshold=Fraction(4, 5))
    passes = data.draw(st.integers(0, 2 * runs))
    needed = needed_passes(rule)
    assert needed is not None
    deal = hypergeom(2 * runs, passes, runs)
    flips = sum(
        deal.pmf(mine)
        for mine in range(max(0, passes - runs), min(runs, passes) + 1)
        if (mine >= needed) != (passes - mine >= needed)
    )
    chance = flip_chance(rule, Pooled(passes=passes, judged=2 * runs))
    assert chance == pytest.approx(flips, abs=1e-9)


def test_one_miss_in_twenty_runs_flips_a_gate_that_forgives_none() -> None:
    rule = a_rule(runs=10)
    assert flip_chance(rule, Pooled(passes=19, judged=20)) == 1.0
    assert flip_chance(rule, Pooled(passes=18, judged=20)) == pytest.approx(90 / 190)
    assert flip_chance(rule, Pooled(passes=20, judged=20)) == 0.0


def test_counts_that_no_two_such_tests_have_are_refused() -> None:
    with pytest.raises(ValueError, match="3 of 5 runs"):
        flip_chance(FIXED, Pooled(passes=3, judged=5))


def test_ten_thousand_runs_take_a_moment() -> None:
    rule = a_rule(kind=GateKind.RATE, runs=10_000, threshold=Fraction(1, 2))
    assert flip_chance(rule, Pooled(passes=10_000, judged=20_000)) == pytest.approx(1, abs=0.02)


def test_the_rate_of_both_put_in_is_the_textbook_figure_and_often_off() -> None:
    rule = a_rule(runs=10)
    pooled = Pooled(passes=19, judged=20)
    passing = pass_probability(rule, 0.95)
    assert plug_in_flip_rate(rule, pooled) == pytest.approx(2 * passing * (1 - passing))
    average = math.fsum(
        math.comb(20, passes)
        * 0.95**passes
        * 0.05 ** (20 - passes)
        * plug_in_flip_rate(rule, Pooled(passes=passes, judged=20))
        for passes in range(21)
    )
    assert average == pytest.approx(0.288, abs=0.001)  # and the true one:
    assert flip_rate(rule, 0.95) == pytest.approx(0.480, abs=0.001)


def test_a_rate_that_a_judge_showed_is_not_taken_through_its_error_again() -> None:
    labels = LabelCounts(human_passes=50, agreed_passes=40, human_fails=50, agreed_fails=50)
    rule = a_rule(kind=GateKind.CORRECTED, runs=40, threshold=Fraction(1, 2), labels=labels)
    needed = needed_passes(rule)
    assert needed is not None
    passing = binom.sf(needed - 1, 40, 0.7)
    wanted = 2 * passing * (1 - passing)
    assert plug_in_flip_rate(rule, Pooled(passes=56, judged=80)) == pytest.approx(wanted)


@given(st.lists(st.floats(0, 1), max_size=12), st.integers(0, 14))
def test_so_many_or_more_is_the_tail_over_all_outcomes(chances: list[float], count: int) -> None:
    tail = math.fsum(
        math.prod(
            chance if flipped else 1 - chance
            for chance, flipped in zip(chances, course, strict=True)
        )
        for course in product((True, False), repeat=len(chances))
        if sum(course) >= count
    )
    assert chance_of_so_many(chances, count) == pytest.approx(tail, abs=1e-12)


def test_so_many_or_more_of_two_thousand_is_what_scipy_says() -> None:
    chances = [(index % 97) / 300 for index in range(2_000)]
    for count in (250, 300, 320, 360):
        wanted = poisson_binom.sf(count - 1, chances)
        assert chance_of_so_many(chances, count) == pytest.approx(wanted, abs=1e-9)
