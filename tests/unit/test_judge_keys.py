"""Where a judge is reached, and with which key."""

from typing import Any

import pytest

from ci_judge.errors import Problem
from ci_judge.judges.addresses import anthropic_address, openai_address, systemone_address
from ci_judge.judges.keys import find_key, missing_key
from ci_judge.judges.settings import JudgeSettings

BASE = "https://judge.example"


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/api/v1", "/api/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/v1beta/openai/", "/v1beta/openai/chat/completions"),
        (
            "/openai/deployments/d1?api-version=2024-10-21",
            "/openai/deployments/d1/chat/completions?api-version=2024-10-21",
        ),
    ],
)
def test_chat_completions_are_found_behind_every_form_of_address(
    base_url: str, address: str
) -> None:
    assert openai_address(BASE + base_url) == BASE + address


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("", "/v1/messages"),
        ("/", "/v1/messages"),
        ("/v1/", "/v1/messages"),
        ("/anthropic", "/anthropic/v1/messages"),
        ("/anthropic/v1/messages", "/anthropic/v1/messages"),
    ],
)
def test_messages_are_found_behind_every_form_of_address(base_url: str, address: str) -> None:
    assert anthropic_address(BASE + base_url) == BASE + address


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("", "/v1/systemone"),
        ("/v1/", "/v1/systemone"),
        ("/api/systemone", "/api/systemone"),
        ("/api/decisions/?k=v", "/api/decisions?k=v"),
        ("/eu", "/eu/v1/systemone"),
    ],
)
def test_decisions_are_found_behind_every_form_of_address(base_url: str, address: str) -> None:
    assert systemone_address(BASE + base_url) == BASE + address


def settings(provider: str = "openai", **changes: Any) -> JudgeSettings:
    return JudgeSettings.model_validate({"provider": provider, "model": "m-1"} | changes)


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("systemone", "TYPESAFE_API_KEY"),
    ],
)
def test_an_absent_key_is_one_problem_that_names_its_variable(provider: str, variable: str) -> None:
    for environment in ({}, {variable: ""}, {variable: " \n"}):
        problem = missing_key(settings(provider), environment)
        assert isinstance(problem, Problem)
        assert problem.message == f"the judge '{provider}' needs a key, but {variable} is empty"
    assert missing_key(settings(provider), {variable: "sk-1\r\n"}) is None
    assert find_key(settings(provider), {variable: "sk-1\r\n"}) == "sk-1"


def test_on_a_fork_the_problem_says_why_the_key_is_empty() -> None:
    problem = missing_key(settings(), {}, from_fork=True)
    assert problem is not None
    assert "fork" in str(problem)


def test_another_variable_or_the_key_itself_can_be_named() -> None:
    named = settings(api_key_env="LAYA_API_KEY")
    assert find_key(named, {"LAYA_API_KEY": "k", "OPENAI_API_KEY": "other"}) == "k"
    assert "LAYA_API_KEY" in str(missing_key(named, {"OPENAI_API_KEY": "other"}))
    assert find_key(settings(api_key=" k2 "), {"OPENAI_API_KEY": "other"}) == "k2"


@pytest.mark.parametrize("key", ["sk\n1", "sk\r\nX-Evil: 1", "sk 1", "sk\u00e9", "sk\x001"])
def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(key: str) -> None:
    problem = missing_key(settings(), {"OPENAI_API_KEY": key})
    assert problem is not None
    assert "OPENAI_API_KEY" in problem.message
    assert "sk" not in str(problem)


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:8080", "http://localhost:1/v1"])
@pytest.mark.parametrize("provider", ["openai", "systemone"])
def test_a_judge_on_this_machine_needs_no_key(provider: str, base_url: str) -> None:
    assert missing_key(settings(provider, base_url=base_url), {}) is None
    assert missing_key(settings(provider, base_url="http://10.0.0.1:80"), {}) is not None


def test_the_stub_needs_no_key() -> None:
    assert missing_key(JudgeSettings.model_validate({"provider": "stub"}), {}) is None
