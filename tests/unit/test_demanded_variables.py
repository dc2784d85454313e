"""Which variables of the configuration must be set: those of whoever is asked, and no others."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.settings import Demand, Settings, load_settings

CONFIG = """
target:
  url: ${STAGING}/chat/{{uuid}}
  headers: {Authorization: "Bearer ${STAGING_TOKEN}", X-Session: "${SHOP} {{session}}"}
  query: {shop: "${SHOP}"}
  body: {message: "{{message}} ${SHOP}", shop: "${SHOP}"}
  response_path: reply
  capture: {session: id}
  serve: {command: ./shop, ready_url: "http://127.0.0.1:${PORT}/", env: {KEY: "${SHOP_KEY}"}}
targets:
  other: {url: "https://${OTHER}/"}
judge: {provider: openai, model: m, base_url: "${JUDGE}", api_key: "${JUDGE_KEY}"}
generate: {provider: openai, model: m, base_url: "${WRITER}/v1"}
"""
TARGETS = frozenset({"target", "targets"})
ALL = ("STAGING", "STAGING_TOKEN", "SHOP", "PORT", "SHOP_KEY", "OTHER", "JUDGE", "JUDGE_KEY")


def load(
    folder: Path, demand: Demand, environment: Mapping[str, str], text: str = CONFIG
) -> Settings:
    (folder / "ci-judge.yaml").write_text(text, encoding="utf-8")
    return load_settings(
        config=None, cwd=folder, environment=environment, overrides={}, demand=demand
    )


def refused(folder: Path, demand: Demand, environment: Mapping[str, str], text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        load(folder, demand, environment, text)
    return [str(problem) for problem in caught.value.problems]


def test_a_section_where_nobody_is_asked_demands_nothing(tmp_path: Path) -> None:
    given = {"JUDGE": "http://judge.example", "JUDGE_KEY": "k3y-k3y-k3y"}
    demand = Demand(unasked=TARGETS | {"generate"})
    settings = load(tmp_path, demand, given)
    assert settings.used_variables == ("JUDGE", "JUDGE_KEY")
    assert not any("will be refused" in warning for warning in settings.warnings)
    shown = settings.public()
    assert shown["target"]["url"] == "${STAGING}/chat/{{uuid}}"
    assert shown["target"]["headers"]["Authorization"] == "Bearer ${STAGING_TOKEN}"
    assert shown["targets"]["other"]["url"] == "https://${OTHER}/"


def test_what_is_asked_demands_its_variables_all_the_same(tmp_path: Path) -> None:
    found = refused(tmp_path, Demand(unasked=TARGETS), {}, CONFIG)
    assert [line.split('"')[1] for line in found] == ["JUDGE", "JUDGE_KEY", "WRITER"]


def test_what_is_set_is_used_and_no_secret_of_it_is_forgotten(tmp_path: Path) -> None:
    given = dict.fromkeys((*ALL, "WRITER"), "http://x.example")
    settings = load(tmp_path, Demand(unasked=TARGETS), given | {"PORT": "8080", "OTHER": "a"})
    assert set(settings.used_variables) == {*ALL, "WRITER"}
    assert settings.target is not None
    assert settings.target.address == "http://x.example/chat/{{uuid}}"


def test_placeholders_stay_where_a_variable_is_missing(tmp_path: Path) -> None:
    """Whether a message, a history or a session is sent does not depend on the environment."""
    target = load(tmp_path, Demand(unasked=TARGETS, refuses_unset=False), {}).target
    assert target is not None
    assert target.sends_message
    assert target.names_the_conversation
    assert "STAGING" not in repr(target)


def test_a_suite_that_is_only_looked_at_is_warned_of_what_a_run_will_miss(tmp_path: Path) -> None:
    settings = load(tmp_path, Demand(unasked=frozenset({"generate"}), refuses_unset=False), {})
    missed = [line for line in settings.warnings if "a run will be refused: " in line]
    assert missed[1] == (
        'ci-judge.yaml:4:13: a run will be refused: the variable "STAGING_TOKEN" in '
        "target.headers.Authorization is not set (set STAGING_TOKEN in the environment)"
    )
    assert {line.split('"')[1] for line in missed} == set(ALL)


def test_a_mistake_is_one_whoever_looks(tmp_path: Path) -> None:
    wrong = "target: {url: 'http://x', headers: {A: '${A}'}}\n"
    (found,) = refused(tmp_path, Demand(refuses_unset=False), {"A": "two\nlines"}, wrong)
    assert "line end" in found
    wrong = "target: {url: 'http://${HOST}', timeout: soon}\n"
    (found,) = refused(tmp_path, Demand(unasked=TARGETS), {}, wrong)
    assert "target.timeout" in found
