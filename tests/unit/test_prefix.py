"""The first runs of an adaptive test: the same sample wherever the test stopped."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.engine.course import Course, Need
from ci_judge.model.judging import Outcome
from ci_judge.model.results import Prefix
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.gates import boundary
from ci_judge.workflows.sound_samples import wrong_prefix
from tests.builders import a_group, a_report, a_test

OUTCOMES: tuple[Outcome, ...] = ("pass", "fail", "judge_error")
LEAST, MOST = 5, 12
RULE = GateRule(
    kind=GateKind.ADAPTIVE,
    runs=MOST,
    min_runs=LEAST,
    threshold=Fraction(1, 2),
    confidence=Fraction(4, 5),
)


def played(outcomes: Sequence[Outcome], order: Sequence[int], *, in_flight: int) -> Course:
    """Play a test whose runs end in any order, several of them at once."""
    course = Course(boundary(RULE))
    flying: list[int] = []
    for pick in order:
        while len(flying) < in_flight and course.need is not Need.NONE:
            flying.append(course.launch())
        if not flying:
            break
        number = flying.pop(pick % len(flying))
        course.add(number, outcomes[number - 1])
    assert course.complete
    return course


@given(
    st.lists(st.sampled_from(OUTCOMES), min_size=MOST, max_size=MOST),
    st.lists(st.integers(0, MOST), min_size=MOST, max_size=MOST),
    st.integers(1, MOST),
)
def test_it_is_the_first_runs_by_number_however_they_ended(
    outcomes: list[Outcome], order: list[int], in_flight: int
) -> None:
    first = outcomes[:LEAST]
    assert played(outcomes, order, in_flight=in_flight).prefix(LEAST) == Prefix(
        runs=LEAST,
        judged=first.count("pass") + first.count("fail"),
        passes=first.count("pass"),
    )


@pytest.mark.parametrize("ended", [(), (1, 2, 3, 5), (2, 3, 4, 5)])
def test_there_is_none_while_one_of_them_is_missing(ended: tuple[int, ...]) -> None:
    course = Course(boundary(RULE))
    for _ in range(LEAST):
        course.launch()
    for number in ended:
        course.add(number, "pass")
    assert course.prefix(LEAST) is None


def test_there_is_none_where_one_of_them_was_given_up() -> None:
    course = Course(boundary(RULE))
    for _ in range(LEAST - 1):
        course.add(course.launch(), "pass")
    course.give_up()
    assert course.prefix(LEAST) is None


def test_runs_of_an_earlier_attempt_belong_to_it() -> None:
    course = Course(boundary(RULE))
    for number, outcome in enumerate(["fail", "fail", "pass", "pass", "judge_error"], start=1):
        course.restore(number, outcome)  # type: ignore[arg-type]
    assert course.prefix(LEAST) == Prefix(runs=LEAST, judged=4, passes=2)


@pytest.mark.parametrize(
    ("told", "problems"),
    [
        ({"runs": 5, "judged": 4, "passes": 2}, 0),
        ({"runs": 5, "judged": 4, "passes": 4}, 1),
        ({"runs": 5, "judged": 5, "passes": 2}, 1),
        ({"runs": 20, "judged": 4, "passes": 2}, 1),
    ],
)
def test_a_report_that_counts_other_first_runs_than_it_holds_is_refused(
    told: dict[str, int], problems: int
) -> None:
    test = a_test(passes=3, fails=2, errors=1, prefix=told)  # two fails, an error, then passes
    _, runs = a_report(a_group(test))
    assert len(list(wrong_prefix(test, runs))) == problems
