"""The suite, then its criteria, then their tests: no false alarms, and what is real is named."""

import math
from collections.abc import Mapping
from random import Random

import pytest

from ci_judge.rules.boschloo import boschloo
from ci_judge.rules.differences import Counts
from ci_judge.rules.gatekeeping import ComparedTest, findings

ALPHA = 0.05
TESTS, RUNS, RATE = 50, 20, 0.9
PULL_REQUESTS = 600


def compared(was: int, now: int, *, criterion: str = "c", runs: int = RUNS) -> ComparedTest:
    return ComparedTest(
        criterion=criterion,
        was=Counts(passes=was, judged=runs),
        now=Counts(passes=now, judged=runs),
    )


def a_pull_request(chance: Random) -> Mapping[str, ComparedTest]:
    """Draw both sides of fifty tests of which nothing has changed."""
    return {
        f"test {number}": compared(
            *(sum(chance.random() < RATE for _ in range(RUNS)) for _ in range(2)),
            criterion=f"criterion {number % 5}",
        )
        for number in range(TESTS)
    }


def test_clean_pull_requests_are_seldom_blocked_where_single_tests_cry_wolf() -> None:
    chance = Random(20_261_130)  # noqa: S311 - a simulation, the same everywhere
    blocked = alone = listed = named = 0
    for _ in range(PULL_REQUESTS):
        found = findings(a_pull_request(chance), alpha=ALPHA)
        assert found.suite is not None
        blocked += found.suite.blocking_p <= ALPHA
        alone += any(test.p <= ALPHA for test in found.tests.values())
        listed += any(test.adjusted_p <= ALPHA for test in found.tests.values())
        named += any((test.blocking_p or 0) <= ALPHA for test in found.tests.values())
    spread = math.sqrt(ALPHA * (1 - ALPHA) / PULL_REQUESTS)
    assert blocked / PULL_REQUESTS <= ALPHA + 2 * spread
    assert blocked > 0
    assert named <= blocked
    assert listed / PULL_REQUESTS <= ALPHA
    assert alone / PULL_REQUESTS == pytest.approx(0.64, abs=0.05)


@pytest.mark.parametrize(("rate", "wolves"), [(0.9, 0.64), (0.95, 0.25)])
def test_fifty_single_tests_cry_wolf_that_often(rate: float, wolves: float) -> None:
    chances = [math.comb(RUNS, k) * rate**k * (1 - rate) ** (RUNS - k) for k in range(RUNS + 1)]
    one = math.fsum(
        chances[was] * chances[now]
        for was in range(RUNS + 1)
        for now in range(RUNS + 1)
        if boschloo(Counts(passes=was, judged=RUNS), Counts(passes=now, judged=RUNS)) <= ALPHA
    )
    assert 1 - (1 - one) ** TESTS == pytest.approx(wolves, abs=0.01)


def test_a_suite_that_got_worse_names_the_criterion_and_the_test() -> None:
    found = findings(
        {
            "fell": compared(20, 5, criterion="broken"),
            "fell, too": compared(20, 8, criterion="broken"),
            "is as it was": compared(19, 19, criterion="sound"),
        },
        alpha=ALPHA,
    )
    assert found.suite is not None
    assert found.suite.blocking_p <= ALPHA
    assert [c.criterion for c in found.criteria if c.blocking_p <= ALPHA] == ["broken"]
    named = [name for name, test in found.tests.items() if (test.blocking_p or 0) <= ALPHA]
    assert named == ["fell", "fell, too"]


def test_no_test_is_named_where_the_suite_may_be_as_it_was() -> None:
    tests = {f"noise {n}": compared(16, 18) for n in range(12)} | {"fell": compared(20, 12)}
    found = findings(tests, alpha=ALPHA)
    assert found.suite is not None
    assert found.suite.blocking_p > ALPHA
    assert found.tests["fell"].adjusted_p <= ALPHA  # listed all the same
    assert (found.tests["fell"].blocking_p or 0) > ALPHA


def test_no_criterion_is_named_either_where_the_suite_may_be_as_it_was() -> None:
    better = {f"better {n}": compared(14, 19, criterion="better") for n in range(6)}
    found = findings({"fell": compared(20, 8, criterion="broken"), **better}, alpha=ALPHA)
    assert found.suite is not None
    broken = next(each for each in found.criteria if each.criterion == "broken")
    assert broken.p <= ALPHA / 2 < found.suite.p == broken.blocking_p


def test_what_may_not_fail_a_step_is_listed_and_never_blocks() -> None:
    advisory = ComparedTest(
        criterion="c",
        was=Counts(passes=20, judged=20),
        now=Counts(passes=2, judged=20),
        gating=False,
    )
    found = findings({"advisory": advisory, "sound": compared(20, 20)}, alpha=ALPHA)
    assert found.suite is not None
    assert found.suite.tests == 1
    assert found.suite.p == 1
    assert found.tests["advisory"].blocking_p is None
    assert found.tests["advisory"].adjusted_p <= ALPHA
    alone = findings({"advisory": advisory}, alpha=ALPHA)
    assert (alone.suite, alone.criteria) == (None, ())


def test_a_p_value_never_falls_below_that_of_the_floor_above() -> None:
    chance = Random(3)  # noqa: S311 - a simulation, the same everywhere
    tests = a_pull_request(chance)
    found = findings(tests, alpha=ALPHA)
    assert found.suite is not None
    floors = {each.criterion: each.blocking_p for each in found.criteria}
    assert all(p >= found.suite.p for p in floors.values())
    for name, test in found.tests.items():
        assert (test.blocking_p or 0) >= floors[tests[name].criterion]
        assert test.p <= test.adjusted_p
