"""The section ``criteria`` reaches the criteria that it names, and names no others."""

from pathlib import Path

from ci_judge.settings import Settings, load_settings
from ci_judge.workflows.criterion_instructions import instructed, unknown_criteria
from tests.model_builders import a_criterion

CRITERIA = (a_criterion("refund-policy"), a_criterion("delivery"))


def settings_of(folder: Path, text: str) -> Settings:
    (folder / "ci-judge.yaml").write_text(text, encoding="utf-8")
    return load_settings(config=None, cwd=folder, environment={}, overrides={})


def test_instructions_go_to_the_criterion_of_that_id_alone(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "criteria: {delivery: {instructions: Days are workdays.}}")
    assert [each.instructions for each in instructed(settings, CRITERIA)] == [
        None,
        "Days are workdays.",
    ]
    assert list(unknown_criteria(settings, CRITERIA)) == []


def test_an_id_that_no_criterion_has_is_a_problem_that_names_the_nearest(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "criteria:\n  delivry: {instructions: x}\n")
    (problem,) = unknown_criteria(settings, CRITERIA)
    assert str(problem) == (
        'ci-judge.yaml:2:3: criteria names "delivry", which is no criterion'
        ' (known: "delivery", "refund-policy")'
    )
