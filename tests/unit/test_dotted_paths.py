"""Paths in another notation than dots."""

import pytest

from ci_judge.file_schema import load_yaml, problems_or
from ci_judge.file_schema.dotted_paths import dotted_form
from ci_judge.suites.scenario_file import ScenarioEntry


@pytest.mark.parametrize(
    ("written", "dotted"),
    [
        ("$.data.answer", "data.answer"),
        ("data[0].answer", "data.0.answer"),
        ("$[0].text", "0.text"),
        ("data['the answer']", "data.the answer"),
        ('data["answer"][1]', "data.answer.1"),
        (".data.answer", "data.answer"),
        ("/choices/0/message", "choices.0.message"),
        ("$", ""),
    ],
)
def test_other_notations_become_dots(written: str, dotted: str) -> None:
    assert dotted_form(written) == dotted


@pytest.mark.parametrize("path", ["reply", "choices.0.message.content", "$id", "a[b]", "a/b", "*"])
def test_a_path_with_dots_stays(path: str) -> None:
    assert dotted_form(path) == path


def test_a_check_of_a_scenario_is_refused_with_the_dotted_form() -> None:
    text = "{name: a, message: b, checks: [{json_path: {path: '$.items[0]', equals: 1}}]}"
    found = problems_or(load_yaml(text, file="s.yaml"), ScenarioEntry)
    assert isinstance(found, tuple)
    (problem,) = found
    assert problem.hint == 'did you mean "items.0"?'
