"""What is committed is what the code says, and the schemas agree with the loader."""

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ci_judge.errors import InvalidInput
from ci_judge.file_schema import FileModel, load_yaml, validate
from ci_judge.settings import ConfigFile, load_settings
from ci_judge.settings.environment import setting_keys
from ci_judge.suites.label_file import LabelFile
from ci_judge.suites.scenario_file import ScenarioFile
from ci_judge.workflows.derived_files import stale_files
from ci_judge.workflows.schemas import env_example, generated_files, main

ROOT = Path(__file__).resolve().parents[2]


def test_committed_files_are_what_the_code_says() -> None:
    assert stale_files(generated_files(), root=ROOT) == []


def test_checking_names_what_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    (tmp_path / ".env.example").write_text("old", encoding="utf-8")
    (tmp_path / "schemas" / "config.schema.json").unlink()
    assert main(["--check"], tmp_path) == 1
    said = capsys.readouterr().err
    assert ".env.example is not what the code says" in said
    assert "schemas/config.schema.json is not what the code says" in said
    assert main([], tmp_path) == 0
    assert stale_files(generated_files(), root=tmp_path) == []


def schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = load_yaml(generated_files()[name], file=name).data
    return loaded


@pytest.mark.parametrize("name", [each for each in generated_files() if each.endswith(".json")])
def test_each_schema_is_a_legal_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))


CONFIGS = [
    ("{}", True),
    ("target: {url: 'http://x/', body: [1], headers: {A: b}, timeout: 3}", True),
    ("target: {url: 'http://x/', serve: {command: [a], ready_url: 'http://x/', env: [A]}}", True),
    ("suite: {paths: a, criteria: [b], case_timeout: 1m}", True),
    ("run: {threshold: 2/3, seed: null}\njudge: {provider: stub, minimum_pass_rate: 0.7}", True),
    ("targets: {a: {url: 'http://x/'}}\nreport: {json: r.json, redact: [a+]}", True),
    ("run: {treshold: 1}", False),
    ("run: {runs: 0}", False),
    ("run: {runs: '3'}", False),
    ("run: {threshold: 70}", False),
    ("judge: {provider: nobody}", False),
    ("judge: {}", False),
    ("target: {method: POST}", False),
    ("cache: all", False),
]
SCENARIOS = [
    ("{criterion: a, scenarios: [{name: b, message: c, expected: [d]}]}", True),
    ("{criterion: a, scenarios: [{name: b, turns: [c], checks: [{max_latency: 3s}]}]}", True),
    ("{criterion: a, scenarios: [{name: b, message: c, expectd: d}]}", False),
    ("{criterion: a, scenarios: {x: {name: b}}}", False),
]
LABELS = [
    ("{criterion: a, cases: [{message: b, expected: c, response: d, verdict: pass}]}", True),
    ("{criterion: a, cases: [{turns: [], message: b, expected: [c], response: 1}]}", False),
    ("{criterion: a, cases: [{message: b, expected: c, response: d, verdict: good}]}", False),
    ("{criterion: a, cases: [{message: b, expected: c, verdict: pass}]}", False),
    ("{cases: [{message: b, expected: c, response: d, verdict: pass}]}", False),
]


@pytest.mark.parametrize(
    ("name", "model", "text", "right"),
    [("schemas/config.schema.json", ConfigFile, *case) for case in CONFIGS]
    + [("schemas/scenarios.schema.json", ScenarioFile, *case) for case in SCENARIOS]
    + [("schemas/labels.schema.json", LabelFile, *case) for case in LABELS],
)
def test_schema_and_loader_say_the_same(
    name: str, model: type[FileModel], text: str, *, right: bool
) -> None:
    loaded = load_yaml(text, file="a.yaml")
    assert jsonschema.Draft202012Validator(schema(name)).is_valid(loaded.data) == right
    if right:
        validate(loaded, model)
    else:
        with pytest.raises(InvalidInput):
            validate(loaded, model)


def test_every_setting_has_a_plain_line_of_description() -> None:
    for key in setting_keys():
        assert key.declared.description, key.path
        assert "\n" not in key.declared.description


def test_the_example_environment_lists_each_variable_once_and_sets_none() -> None:
    lines = env_example().splitlines()
    assert all(not line or line.startswith("#") for line in lines)
    listed = re.findall(r"^# ([A-Z_]+)=", env_example(), re.MULTILINE)
    keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TYPESAFE_API_KEY"]
    assert listed == keys + [key.variable for key in setting_keys()]


def test_the_example_environment_shows_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text("judge: {provider: stub}", encoding="utf-8")
    found = re.findall(r"^# (CI_JUDGE_[A-Z_]+)=(.+)$", env_example(), re.MULTILINE)
    shown = {name: text for name, text in found if not name.startswith("CI_JUDGE_TARGET_")}
    assert len(shown) > 20

    def public(environment: dict[str, str]) -> dict[str, Any]:
        return load_settings(
            config=None, cwd=tmp_path, environment=environment, overrides={}
        ).public()

    assert public(shown) == public({})
