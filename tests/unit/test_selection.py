"""What ``-k`` and ``-m`` select."""

import pytest

from ci_judge.model.suite import Test
from ci_judge.rules.selection import BadExpression, select_by_name, select_by_tag
from tests.model_builders import a_case_test, a_scenario

SUITE: tuple[Test, ...] = (
    a_scenario("asks", tags=frozenset({"smoke", "money"})),
    a_scenario("haggles", tags=frozenset({"money"}), kind="adversarial"),
    a_case_test("test_price", tags=frozenset({"smoke"})),
)


def picked(selects: object) -> list[str]:
    return [test.name for test in SUITE if selects(test)]  # type: ignore[operator]  # a predicate


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("ASKS", ["asks"]),
        ("refunds/", ["asks", "haggles"]),
        ("asks or price", ["asks", "test_price"]),
        ("refunds and not asks", ["haggles"]),
        ("not (asks or haggles)", ["test_price"]),
        ("asks or haggles and price", ["asks"]),
        ("not not asks", ["asks"]),
        ('"or"', []),
        ("'case_price.py::'", ["test_price"]),
        ("nothing-like-it", []),
    ],
)
def test_names(expression: str, names: list[str]) -> None:
    assert picked(select_by_name(expression)) == names


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("smoke", ["asks", "test_price"]),
        ("smo", []),
        ("money and smoke", ["asks"]),
        ("adversarial", ["haggles"]),
        ("case", ["test_price"]),
        ("not money", ["test_price"]),
    ],
)
def test_tags_are_whole_words(expression: str, names: list[str]) -> None:
    assert picked(select_by_tag(expression)) == names


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("asks haggles", '"haggles" stands where'),
        ("asks and", "ends where a word"),
        ("or asks", '"or" stands where a word'),
        ("(asks", 'closing ")" is missing'),
        ("asks)", '")" stands where'),
        ("()", '")" stands where a word'),
        ('"asks', "quote is not closed"),
        ("(" * 60 + "a" + ")" * 60, "parentheses deep"),
    ],
)
def test_what_cannot_be_read_is_said(expression: str, reason: str) -> None:
    with pytest.raises(BadExpression) as caught:
        select_by_name(expression)
    assert reason in str(caught.value)
