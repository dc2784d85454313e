"""How much goes on at once in a run, by its settings."""

from pathlib import Path

import pytest

from ci_judge.rules.pacing import START
from ci_judge.settings import Settings, load_settings
from ci_judge.transport import Transport
from ci_judge.workflows.at_once import CHILDREN, lanes_of, own_slots
from tests.model_builders import a_case_test, a_scenario

HTTP = 'target: {url: "https://bot.example/chat", response_path: reply}\n'
COMMAND = "target: {command: [bot]}\n"


def settings_of(folder: Path, text: str) -> Settings:
    (folder / "ci-judge.yaml").write_text(f"suite: {{paths: [a.yaml]}}\n{text}")
    return load_settings(config=None, cwd=folder, environment={}, overrides={}, top=folder)


@pytest.mark.parametrize(
    ("sections", "capacity"),
    [
        ("run: {concurrency: 3}\njudge: {provider: stub, concurrency: 5}\n", 3 + 5),
        ("run: {concurrency: 3}\njudge: {provider: stub}\n", 3 + START),
        ("judge: {provider: stub}\n", START + START),
        ("run: {concurrency: 3}\n", 3 + 1),
    ],
)
def test_as_many_runs_are_under_way_as_keep_both_sides_busy(
    tmp_path: Path, sections: str, capacity: int
) -> None:
    lanes = lanes_of(settings_of(tmp_path, HTTP + sections), Transport())
    assert lanes.capacity() == capacity


def test_a_number_limits_cases_and_scenarios_together(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, HTTP + "run: {concurrency: 3}\n")
    slots = lanes_of(settings, Transport()).slots(settings)
    assert slots.collecting(a_case_test()) is slots.collecting(a_scenario()) is slots.target
    assert slots.target._value == 3


@pytest.mark.parametrize("target", [HTTP, COMMAND])
def test_auto_limits_commands_and_cases_and_leaves_servers_to_the_transport(
    tmp_path: Path, target: str
) -> None:
    settings = settings_of(tmp_path, target)
    slots = lanes_of(settings, Transport()).slots(settings)
    assert slots.children is not None
    assert slots.children._value == CHILDREN
    assert slots.collecting(a_case_test()) is slots.children
    limited_by = slots.target if target == HTTP else slots.children
    assert slots.collecting(a_scenario()) is limited_by


def test_a_judge_that_is_a_command_is_limited_by_itself(tmp_path: Path) -> None:
    def slots_of(section: str) -> int | None:
        judge = settings_of(tmp_path, HTTP + section).judge
        assert judge is not None
        own = own_slots(judge, in_panel=False)
        return None if own is None else own._value

    assert slots_of("judge: {provider: command, command: [judge]}\n") == CHILDREN
    assert slots_of("judge: {provider: command, command: [judge], concurrency: 2}\n") is None
    assert slots_of("judge: {provider: stub}\n") is None
