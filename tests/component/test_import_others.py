"""``ci-judge import openai-evals`` and ``juried``: files in kind, which ``check`` accepts."""

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.imports import Import, imported

# --- openai-evals ----------------------------------------------------------------------------


def evals(folder: Path, kind: str, *samples: dict[str, Any], **args: Any) -> Import:
    """Import a registry of one eval beside a data folder, as it lies in their repository."""
    data = folder / "registry/data/capitals"
    data.mkdir(parents=True)
    (folder / "registry/evals").mkdir()
    lines = (f"{json.dumps(each)}\n" for each in samples)
    (data / "samples.jsonl").write_text("".join(lines), "utf-8")
    registry = {
        "capitals": {"id": "capitals.dev.v0", "description": "Capitals.\n# of lands"},
        "capitals.dev.v0": {
            "class": f"evals.elsuite.basic.x:{kind}",
            "args": {"samples_jsonl": "capitals/samples.jsonl"} | args,
        },
    }
    (folder / "registry/evals/capitals.yaml").write_text(json.dumps(registry), "utf-8")
    return imported("openai-evals", folder, "registry/evals/capitals.yaml")


def a_sample(ideal: Any = "Paris", **changes: Any) -> dict[str, Any]:
    talk = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Capital of France?", "name": "x"},
    ]
    return {"input": talk, "ideal": ideal} | changes


@pytest.mark.parametrize(
    ("kind", "sample", "check"),
    [
        ("Includes", a_sample(), {"contains": "Paris"}),
        ("Includes", a_sample(["Paris", "a.b"]), {"regex": r"(?:Paris|a\.b)"}),
        ("FuzzyMatch", a_sample(["Paris", "b"]), {"regex": "(?i)(?:Paris|b)"}),
        ("Match", a_sample(), {"regex": r"\A(?:Paris)"}),
        ("JsonMatch", a_sample('{"a": [1]}'), {"equals": {"a": [1]}}),
        ("JsonValidator", a_sample(None), {"json_schema": {}}),
    ],
)
def test_how_an_eval_compares_is_a_check(
    tmp_path: Path, kind: str, sample: dict[str, Any], check: dict[str, Any]
) -> None:
    made = evals(tmp_path, kind, sample)
    assert made.exit_code == 0
    (scenario,) = made.scenarios("capitals")
    assert scenario == {
        "name": "Capital of France?",
        "history": [{"role": "system", "content": "Be short."}],
        "message": "Capital of France?",
        "checks": [check],
    }
    assert "judge" not in made.yaml("ci-judge.yaml")
    assert made.text("acceptance.md") == "## capitals {#capitals}\n\nCapitals.\n\\# of lands\n"


@pytest.mark.parametrize(
    ("spec", "sample", "wanted"),
    [
        ("fact", a_sample('In "Paris".'), "Agrees with this expert's answer: In 'Paris'."),
        ("closedqa", {"input": "Who?", "criteria": "Names Ann"}, "Names Ann"),
    ],
)
def test_what_a_model_grades_is_expected(
    tmp_path: Path, spec: str, sample: dict[str, Any], wanted: str
) -> None:
    made = evals(tmp_path, "ModelBasedClassify", sample, modelgraded_spec=spec, eval_type="cot")
    assert made.scenarios("capitals")[0]["expected"] == wanted
    assert made.yaml("ci-judge.yaml")["judge"] == {"provider": "stub"}


def test_many_samples_are_a_dataset_of_rows(tmp_path: Path) -> None:
    samples = [a_sample(f"City {n}", input=f"Capital {{{{{n}}}}}?") for n in range(14)]
    made = evals(tmp_path, "Includes", *samples)
    (template,) = made.scenarios("capitals")
    assert template["from"] == "capitals.jsonl"
    assert template["checks"] == [{"contains": "{{contains}}"}]
    rows = [json.loads(line) for line in made.text("scenarios/capitals.jsonl").splitlines()]
    assert [row["message"] for row in rows][:2] == ["Capital {{0}}?", "Capital {{1}}?"]
    assert "14 tests, " in made.checked


def test_what_no_sample_or_class_says_is_noted(tmp_path: Path) -> None:
    broken: list[dict[str, Any]] = [
        {"input": [], "ideal": "x"},
        {"input": "x"},
        a_sample(),
        {"input": [{"role": "bot"}]},
    ]
    made = evals(tmp_path, "Includes", *broken, num_few_shot=3)
    assert len(made.scenarios("capitals")) == 1
    told = "\n".join(made.notes)
    assert "whose input is no text and no list of messages" in told
    assert "without an ideal answer" in told
    assert "num_few_shot" in told


def test_another_class_writes_nothing(tmp_path: Path) -> None:
    made = evals(tmp_path, "Translate", a_sample())
    assert made.exit_code == 0
    assert any("the class Translate has no counterpart" in line for line in made.notes)
    assert not made.into.exists()


def test_samples_that_are_no_json_are_refused_with_their_line(tmp_path: Path) -> None:
    made = evals(tmp_path, "Includes", a_sample())
    (tmp_path / "registry/data/capitals/samples.jsonl").write_text("{}\nversion x\n", "utf-8")
    made = imported("openai-evals", tmp_path, "registry/evals/capitals.yaml")
    assert made.exit_code == 2
    assert "samples.jsonl:2: the line is not JSON" in made.error


# --- juried ----------------------------------------------------------------------------------

TOML = """\
[target]
url = "https://staging.example.com/api/chat"
headers = { Authorization = "Bearer ${STAGING_TOKEN}" }
response_path = "choices.0.message.content"
timeout_seconds = 20.5
retries = 12
stream_path = "delta"
usage_input_path = "usage.in"
usage_output_path = "usage.out"
input_price = 1.0
output_price = 2.5

[run]
runs = 30
misses = 2
gate_on = "corrected"
concurrency = 4

[judge]
provider = "anthropic"
model = "claude-sonnet-5"
votes = 3
input_price = 3
output_price = 15
strict_quotes = true

[label]
queue_size = 3
"""
SCENARIOS = """\
criterion: refund-policy
scenarios:
  - id: mine
    name: Asks for money
    kind: happy_path
    message: I want my money back.
    expected: States the "14 days" window.
    tags: [smoke]
  - name: Haggles
    turns: ["Hello", "Can I get 40 days?"]
    message: "But I am a customer!"
    history: [{role: user, content: Hi}, {role: assistant, content: Hello}]
    expected: Holds to it, whatever a 5" screen costs.
    checks: [{not_contains: 40 days}, {max_latency_ms: 2500}, {json_schema: s.json}, {regex: "a.b"}]
    runs: 10
    misses: 0
  - name: Other
    criterion: pii
    message: x
    expected: y
"""
KEYS = {"STAGING_TOKEN": "t", "ANTHROPIC_API_KEY": "k"}
CRITERIA = "# Shop\n\n## Refunds {#refund-policy}\n\nWithin 14 days.\n\n## Hours\n\nNine.\n"


def juried(folder: Path, toml: str = TOML, scenarios: str = SCENARIOS) -> Import:
    (folder / "scenarios/generated").mkdir(parents=True)
    (folder / "juried.toml").write_text(toml, "utf-8")
    (folder / "acceptance.md").write_text(CRITERIA, "utf-8")
    (folder / "s.json").write_text('{"type": "object"}', "utf-8")
    (folder / "scenarios/generated/refunds.yaml").write_text(scenarios, "utf-8")
    return imported("juried", folder, "juried.toml", environment=KEYS)


def test_a_project_comes_over_with_its_criteria(tmp_path: Path) -> None:
    made = juried(tmp_path)
    assert made.exit_code == 0
    asks, haggles = made.scenarios("refund-policy")
    assert asks == {
        "name": "Asks for money",
        "id": "mine",
        "kind": "happy_path",
        "tags": ["smoke"],
        "message": "I want my money back.",
        "expected": 'States the "14 days" window.',
    }
    assert haggles["turns"] == ["Hello", "Can I get 40 days?", "But I am a customer!"]
    assert [past["role"] for past in haggles["history"]] == ["user", "assistant"]
    assert haggles["expected"] == "Holds to it, whatever a 5' screen costs."
    assert (haggles["runs"], haggles["misses"]) == (10, 0)
    assert haggles["checks"] == [
        {"not_contains": "40 days"},
        {"max_latency": "2500ms"},
        {"json_schema": {"type": "object"}},
        {"regex": "a.b"},
    ]
    assert [each["name"] for each in made.scenarios("pii")] == ["Other"]
    criteria = made.text("acceptance.md")
    assert criteria.startswith(CRITERIA)
    assert "\n\n## pii {#pii}\n\n" in criteria


def test_its_settings_come_over_or_are_named(tmp_path: Path) -> None:
    made = juried(tmp_path)
    config = made.yaml("ci-judge.yaml")
    assert config["target"] == {
        "response_path": "choices.0.message.content",
        "url": "https://staging.example.com/api/chat",
        "headers": {"Authorization": "Bearer ${STAGING_TOKEN}"},
        "retries": 10,
        "timeout": 20.5,
        "usage": {
            "input_path": "usage.in",
            "output_path": "usage.out",
            "input_price": 1.0,
            "output_price": 2.5,
        },
    }
    wanted = {"gate": "misses", "runs": 30, "misses": 2, "early_stop": True, "concurrency": 4}
    assert config["run"] == wanted
    assert config["judge"] == {
        "provider": "anthropic",
        "model": "claude-sonnet-5",
        "repetitions": 3,
        "minimum_pass_rate": "2/3",
        "price": {"input": 3, "output": 15},
    }
    assert made.notes == [
        "scenarios/generated/refunds.yaml:13: a double quote without a partner became a single one",
        "juried.toml:16: run.gate_on has no counterpart",
        "juried.toml:25: judge.strict_quotes has no counterpart",
        "juried.toml:27: the section label has no counterpart",
    ]


def test_a_streaming_target_and_a_judge_of_a_plugin(tmp_path: Path) -> None:
    toml = """\
        [target]
        url = "http://bot.example/chat"
        stream = true
        stream_format = "ndjson"
        stream_path = "delta.text"
        [judge]
        provider = "acme"
        model = "m"
        """
    config = juried(tmp_path, dedent(toml)).yaml("ci-judge.yaml")
    assert config["target"] == {
        "url": "http://bot.example/chat",
        "stream_path": "delta.text",
        "stream": "ndjson",
    }
    assert config["judge"] == {"provider": "stub"}
    assert config["run"] == {"gate": "misses", "runs": 20, "misses": 1, "early_stop": True}


def test_a_scenario_file_alone_comes_over(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(SCENARIOS, "utf-8")
    made = imported("juried", tmp_path, "x.yaml")
    assert made.exit_code == 0
    assert "## refund-policy {#refund-policy}" in made.text("acceptance.md")
    assert any("s.json cannot be read" in line for line in made.notes)


@pytest.mark.parametrize(
    ("tool", "name", "text", "told"),
    [
        ("juried", "x.toml", "a = 1\n", "this is no juried.toml"),
        ("juried", "x.toml", "a = \n", "x.toml:1"),
        ("juried", "x.yaml", "a: 1\n", "this is no scenario file of juried"),
        ("openai-evals", "x.yaml", "a: {b: 1}\n", "this is no registry file of openai-evals"),
        ("openai-evals", "x.yaml", "- a\n", "this is no registry file of openai-evals"),
    ],
)
def test_what_is_no_such_file_is_refused(
    tmp_path: Path, tool: str, name: str, text: str, told: str
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    made = imported(tool, tmp_path, name)
    assert made.exit_code == 2
    assert told in made.error
    assert not made.into.exists()
