import asyncio
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from ci_judge import case
from ci_judge.model.suite import GateKind
from ci_judge.suites.case_marker import GATES, CaseMarker, CaseMistake, marker_of, register


@pytest.fixture(autouse=True)
def _forget_decorated() -> Iterator[None]:
    before = len(register.functions)
    yield
    del register.functions[before:]


def test_the_function_stays_itself() -> None:
    def answer() -> int:
        return 42

    assert case("The answer is 42.")(answer) is answer
    assert answer() == 42


def test_an_async_function_stays_itself() -> None:
    @case("The answer is 42.")
    async def answer() -> int:
        return 42

    assert asyncio.run(answer()) == 42


def test_the_marker_holds_what_was_said() -> None:
    @case("R", runs=10, threshold=0.7, gate="exact", tags=["a", "b"], advisory=True, skip="later")
    def function() -> None: ...

    assert marker_of(function) == CaseMarker(
        requirement="R",
        runs=10,
        threshold="0.7",
        gate="exact",
        misses=None,
        tags=("a", "b"),
        advisory=True,
        skip="later",
    )


@pytest.mark.parametrize("threshold", [0, 1, 0.1, "2/3", "0.70", Fraction(1, 3)])
def test_any_rate_is_a_threshold(threshold: Any) -> None:
    @case("R", runs=2, threshold=threshold)
    def function() -> None: ...

    marker = marker_of(function)
    assert marker is not None
    assert marker.threshold == str(threshold)


def test_gates_are_those_of_the_model_but_the_one_that_goes_by_labels_of_responses() -> None:
    kinds = (kind.value for kind in GateKind if kind is not GateKind.CORRECTED)
    assert tuple(kinds) == GATES


def with_parameter(reply: str) -> str:
    return reply


def with_keyword(*, reply: str = "") -> str:
    return reply


def plain() -> None: ...


@pytest.mark.parametrize(
    ("options", "function", "message"),
    [
        ({"requirement": " "}, plain, "the requirement of @case is empty"),
        ({}, with_parameter, 'a case takes no parameters, but "with_parameter" has "reply"'),
        ({}, with_keyword, 'a case takes no parameters, but "with_keyword" has "reply"'),
        ({"runs": 0}, plain, "runs of @case must be a whole number from 1 to 10000, not 0"),
        ({"runs": True}, plain, "runs of @case must be a whole number from 1 to 10000, not True"),
        ({"runs": 2.5}, plain, "runs of @case must be a whole number from 1 to 10000, not 2.5"),
        ({"runs": {"min": 2}}, plain, "runs of @case need min and max alone, such as"),
        ({"runs": {"min": 0, "max": 5}}, plain, "runs of @case must be a whole number from 1"),
        ({"runs": {"min": 9, "max": 5}}, plain, "max of the runs of @case is less than min"),
        ({"runs": 10_001}, plain, "runs of @case must be a whole number from 1 to 10000"),
        ({"runs": 10**400}, plain, "runs of @case must be a whole number from 1 to 10000"),
        ({"runs": 10**5000}, plain, "runs of @case must be a whole number from 1 to 10000"),
        ({"runs": 9, "misses": -(10**5000)}, plain, "misses of @case must be a whole number"),
        ({"runs": 9, "threshold": "1e-99999999999"}, plain, "threshold of @case must be a rate"),
        ({"threshold": 0.5}, plain, "threshold of @case needs runs as well"),
        ({"misses": 0}, plain, "misses of @case needs runs as well"),
        ({"runs": 9, "threshold": 1.5}, plain, "threshold of @case must be a rate from 0 to 1"),
        ({"runs": 9, "threshold": "nan"}, plain, "threshold of @case must be a rate from 0 to 1"),
        ({"runs": 9, "threshold": "1/0"}, plain, "threshold of @case must be a rate from 0 to 1"),
        ({"runs": 9, "gate": "magic"}, plain, "gate of @case must be one of lower_bound, exact"),
        ({"runs": 9, "misses": -1}, plain, "misses of @case must be a whole number of at least 0"),
        ({"runs": 9, "misses": 1, "gate": "rate"}, plain, 'misses of @case belongs to gate="misse'),
        ({"tags": "refunds"}, plain, "tags of @case must be a list of texts"),
        ({"skip": True}, plain, "skip of @case must be the reason"),
        ({"advisory": "yes"}, plain, "advisory of @case must be True or False"),
    ],
)
def test_a_mistake_is_refused_where_it_is_made(
    options: dict[str, Any], function: Callable[..., Any], message: str
) -> None:
    decorate = case(**{"requirement": "R", **options})
    with pytest.raises(CaseMistake) as refused:
        decorate(function)
    assert message in str(refused.value)
    assert marker_of(function) is None


def test_forgotten_parentheses_are_named() -> None:
    with pytest.raises(TypeError, match=r'write @case\("…"\) above "plain"'):
        case(plain)  # type: ignore[arg-type] # the mistake


def test_a_second_mark_is_refused() -> None:
    @case("Inner.")
    def function() -> None: ...

    with pytest.raises(ValueError, match="marked with @case twice"):
        case("Outer.")(function)


def test_only_functions_can_be_marked() -> None:
    with pytest.raises(TypeError, match="belongs on a function, not on a type"):
        case("R")(dict)


def test_a_wrapper_of_any_arguments_can_be_marked() -> None:
    def wrapper(*args: Any, **kwargs: Any) -> int:
        return len(args) + len(kwargs)

    assert marker_of(case("R")(wrapper)) is not None


class Proxy:
    def __call__(self) -> None: ...

    def __getattr__(self, name: str) -> str:
        return name


def test_an_object_with_every_attribute_is_no_case() -> None:
    assert marker_of(Proxy()) is None
