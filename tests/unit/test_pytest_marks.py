"""Markers out of kinds and tags: whatever a tag is, pytest can say it and does nothing with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.pytest_plugin.marks import marker_lines, marker_name, marker_names
from tests.model_builders import a_scenario

OF_PYTEST = {"skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings"}


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("smoke", "smoke"),
        ("slow-one", "slow-one"),
        ("area/refunds", "area/refunds"),
        ("v1.2", "v1.2"),
        ("Rückgabe", "Rückgabe"),
        ("two words", "two_words"),
        ("area: refunds (new)", "area_refunds_new_"),
        ("skip", "tag_skip"),
        ("timeout", "tag_timeout"),
        ("not", "tag_not"),
        ("_private", "tag__private"),
        ("", "tag_"),
    ],
)
def test_a_tag_is_its_own_marker_where_it_can_be_one(tag: str, name: str) -> None:
    assert marker_name(tag) == name


@given(st.text())
def test_a_marker_can_be_registered_and_is_none_that_pytest_acts_on(tag: str) -> None:
    name = marker_name(tag)
    assert name[0].isalnum()
    assert name not in OF_PYTEST
    test = a_scenario("asks", tags=frozenset({tag}))
    assert name in marker_names(test)
    # as pytest reads its setting: the name ends at a colon or a parenthesis
    registered = {line.split(":")[0].split("(")[0].strip() for line in marker_lines([test])}
    assert set(marker_names(test)) <= registered
    assert all("\n" not in line for line in marker_lines([test]))
