"""The configuration: files, environment, flags, and everything that can be wrong with them."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.model.judging import VotePolicy
from ci_judge.model.suite import GateDefaults, GateKind
from ci_judge.settings import Given, Settings, load_settings
from tests.brought_along import CHAT_TOML, SYSTEMONE_YAML


class Desk:
    """A folder with a configuration, and a shell in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, text: str, name: str = "ci-judge.yaml") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def load(
        self,
        text: str | None = None,
        *,
        env: Mapping[str, str] | None = None,
        overrides: Mapping[str, Any] | None = None,
        config: str | None = None,
        cwd: str = ".",
    ) -> Settings:
        if text is not None:
            self.write(text)
        return load_settings(
            config=Path(config) if config else None,
            cwd=(self.folder / cwd).resolve(),
            environment=env or {},
            overrides=overrides or {},
        )

    def refusal(self, text: str | None = None, **how: Any) -> list[str]:
        with pytest.raises(InvalidInput) as caught:
            self.load(text, **how)
        return [str(problem) for problem in caught.value.problems]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve())


# --- two shapes that people bring ---------------------------------------------------------


def test_the_chat_configuration_in_toml_loads(desk: Desk) -> None:
    desk.write(CHAT_TOML, "ci-judge.toml")
    settings = desk.load(env={"STAGING_TOKEN": "tok-12345678"})
    target, judge = settings.target, settings.judge
    assert target is not None
    assert judge is not None
    assert target.url == "https://staging.example.com/api/chat"
    assert target.headers == {"Authorization": "Bearer tok-12345678"}
    assert target.body == {"message": "{{message}}", "history": "{{history}}"}
    assert target.response_path == "choices.0.message.content"
    assert (settings.run.concurrency, settings.run.threshold.value) == (4, Fraction(7, 10))
    assert (judge.provider, judge.model) == ("anthropic", "claude-sonnet-5")
    assert settings.used_variables == ("STAGING_TOKEN",)
    assert settings.warnings == ()


def test_the_systemone_configuration_in_yaml_loads(desk: Desk) -> None:
    settings = desk.load(SYSTEMONE_YAML)
    judge = settings.judge
    assert judge is not None
    assert settings.suite.paths == ("examples",)
    assert (judge.model, judge.base_url) == ("jev-1.13.0", "http://127.0.0.1:8000")
    assert (judge.api_key, judge.api_key_env, judge.seed) == (None, "LAYA_API_KEY", None)
    assert judge.instructions is not None
    assert judge.instructions.endswith("satisfies the requirement.")
    assert settings.seed is None
    assert settings.vote_policy() == VotePolicy(
        mode="threshold", threshold=0.8, repetitions=1, minimum_pass_rate=Fraction(1),
        rate_text="1.0",
    )  # fmt: skip


# --- defaults -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "run:\njudge:\n", "# nothing yet\n"])
def test_an_empty_configuration_is_all_defaults(desk: Desk, text: str) -> None:
    settings = desk.load(text)
    assert settings.gate_defaults() == GateDefaults()
    assert settings.vote_policy() == VotePolicy()
    assert (settings.target, settings.targets, settings.judge) == (None, {}, None)
    assert (settings.suite.criteria, settings.suite.paths) == (None, None)
    assert settings.suite.pattern == "case_*.py"
    assert settings.report_dir == desk.folder / "ci-judge-report"
    assert settings.root == desk.folder
    assert settings.file == desk.folder / "ci-judge.yaml"


def test_the_judges_defaults(desk: Desk) -> None:
    judge = desk.load("judge: {provider: stub}").judge
    assert judge is not None
    assert judge.model_dump(exclude_none=True, mode="json") == {
        "provider": "stub", "max_tokens": 1024, "mode": "threshold", "threshold": "0.5",
        "minimum_pass_rate": "2/3", "concurrency": "auto", "timeout": 120.0, "retries": 3,
        "logprobs": False, "preflight": True, "panel": [], "panel_rule": "majority", "env": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("judge", "repetitions"),
    [
        ("{provider: systemone, mode: sample}", 3),
        ("{provider: systemone, mode: sample, repetitions: 5}", 5),
        ("{provider: systemone}", 1),
    ],
)
def test_sample_mode_repeats_three_times(desk: Desk, judge: str, repetitions: int) -> None:
    assert desk.load(f"judge: {judge}").vote_policy().repetitions == repetitions


@pytest.mark.parametrize(
    ("run", "kind", "misses"),
    [
        ("{misses: 0}", GateKind.MISSES, 0),
        ("{misses: 2, gate: misses}", GateKind.MISSES, 2),
        ("{gate: exact}", GateKind.EXACT, 0),
        ("{gate: misses}", GateKind.MISSES, 0),
    ],
)
def test_misses_alone_mean_their_gate(desk: Desk, run: str, kind: GateKind, misses: int) -> None:
    defaults = desk.load(f"run: {run}").gate_defaults()
    assert (defaults.kind, defaults.misses) == (kind, misses)


# --- finding ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ci-judge.yaml", "ci-judge.yml", "ci-judge.toml"])
def test_the_configuration_is_found_here_or_above(desk: Desk, name: str) -> None:
    desk.write("", name)
    (desk.folder / "a" / "b").mkdir(parents=True)
    assert desk.load(cwd="a/b").file == desk.folder / name


def test_two_configurations_in_one_folder_are_refused(desk: Desk) -> None:
    desk.write("", "ci-judge.toml")
    assert desk.refusal("") == [
        (
            "ci-judge.yaml: the folder holds ci-judge.yaml and ci-judge.toml "
            "(keep one of them, or name one with --config)"
        )
    ]


def test_no_configuration_points_to_init(desk: Desk) -> None:
    (problem,) = desk.refusal()
    assert "no ci-judge.yaml" in problem
    assert "`ci-judge init`" in problem


def test_a_named_configuration_is_relative_to_the_working_directory(desk: Desk) -> None:
    desk.write("run: {runs: 3}", "sub/other name.yml")
    settings = desk.load(config="../sub/other name.yml", cwd="sub")
    assert (settings.run.runs, settings.root) == (3, desk.folder / "sub")
    assert desk.refusal(config="gone.yaml") == ["gone.yaml: the file does not exist"]


def test_files_are_named_relative_to_the_working_directory_or_else_in_full(desk: Desk) -> None:
    path = desk.write("run: {runs: 0}", "sub/ci-judge.yaml")
    (desk.folder / "else").mkdir()
    assert desk.refusal(config="sub/ci-judge.yaml")[0].startswith("sub/ci-judge.yaml:1:7: run.runs")
    assert desk.refusal(config="../sub/ci-judge.yaml", cwd="else")[0].startswith(f"{path}:1:7:")


# --- precedence ---------------------------------------------------------------------------


def test_flag_over_environment_over_file_over_default(desk: Desk) -> None:
    text = "run: {runs: 2, threshold: 0.2, confidence: 0.2}"
    env = {"CI_JUDGE_RUN_RUNS": "3", "CI_JUDGE_RUN_THRESHOLD": "1/3"}
    run = desk.load(text, env=env, overrides={"run.runs": "4"}).run
    assert (run.runs, run.threshold.text, run.confidence.text) == (4, "1/3", "0.2")
    assert run.concurrency == "auto"


def test_an_empty_variable_is_not_set(desk: Desk) -> None:
    env = {"CI_JUDGE_RUN_RUNS": "", "CI_JUDGE_RUN_SEED": " ", "CI_JUDGE_NONSENSE": ""}
    assert desk.load("run: {runs: 2}", env=env).run.runs == 2


def test_variables_speak_every_type(desk: Desk) -> None:
    settings = desk.load(
        "",
        env={
            "CI_JUDGE_RUN_ALLOW_UNREACHABLE": "True",
            "CI_JUDGE_RUN_SEED": "7",
            "CI_JUDGE_SUITE_CASE_TIMEOUT": "500ms",
            "CI_JUDGE_SUITE_ENV": '["A", "B"]',
            "CI_JUDGE_SUITE_PATHS": "one folder",
            "CI_JUDGE_TARGET_URL": "http://127.0.0.1:1/chat",
            "CI_JUDGE_TARGET_HEADERS": '{"X-A": "1"}',
            "CI_JUDGE_TARGET_BODY": '{"q": ["{{message}}", 1.5]}',
            "CI_JUDGE_TARGET_SERVE": '{"command": "./serve", "ready_url": "http://127.0.0.1:1/"}',
            "CI_JUDGE_TARGETS": '{"b": {"url": "http://127.0.0.1:2/"}}',
            "CI_JUDGE_JUDGE_PROVIDER": "openai",
            "CI_JUDGE_JUDGE_MODEL": "1.10",
            "CI_JUDGE_JUDGE_INSTRUCTIONS": "[Be strict]: {always} # really",
            "CI_JUDGE_JUDGE_MINIMUM_PASS_RATE": "0.70",
            "CI_JUDGE_REPORT_JSON": "r.json",
        },
    )
    target, judge = settings.target, settings.judge
    assert target is not None
    assert judge is not None
    assert target.serve is not None
    assert (settings.run.allow_unreachable, settings.run.seed) == (True, 7)
    assert (settings.suite.case_timeout, settings.suite.env) == (0.5, ("A", "B"))
    assert settings.suite.paths == ("one folder",)
    assert (target.headers, target.body) == ({"X-A": "1"}, {"q": ["{{message}}", 1.5]})
    assert target.serve.command == "./serve"
    assert settings.targets["b"].url == "http://127.0.0.1:2/"
    assert (judge.model, judge.minimum_pass_rate.text) == ("1.10", "0.70")
    assert judge.instructions == "[Be strict]: {always} # really"
    assert settings.report.json_name == "r.json"


def test_text_overrides_reach_toml_sections_too(desk: Desk) -> None:
    desk.write('[judge]\nprovider = "openai"\nmodel = "a"\n', "ci-judge.toml")
    judge = desk.load(overrides={"judge.model": "4.10", "judge.minimum_pass_rate": "0.70"}).judge
    assert judge is not None
    assert (judge.model, judge.minimum_pass_rate.text) == ("4.10", "0.70")


def test_overrides_may_be_values(desk: Desk) -> None:
    overrides = {"run.runs": 5, "suite.paths": ("a", "b"), "run.seed": None}
    settings = desk.load("run: {seed: 4}", overrides=overrides)
    assert (settings.run.runs, settings.suite.paths, settings.seed) == (5, ("a", "b"), None)


def test_paths_of_flags_start_in_the_working_directory(desk: Desk) -> None:
    desk.write("suite: {criteria: own.md, paths: [s]}\nreport: {dir: out}")
    (desk.folder / "sub").mkdir()
    settings = desk.load(cwd="sub")
    assert (settings.suite.criteria, settings.suite.paths) == (("own.md",), ("s",))
    assert settings.report_dir == desk.folder / "out"
    absolute = str(desk.folder / "x")
    moved = desk.load(
        cwd="sub",
        overrides={"suite.paths": ["t/*.yaml", absolute], "report.dir": "out"},
        env={"CI_JUDGE_SUITE_CRITERIA": "../own.md"},
    )
    assert moved.suite.paths == ("sub/t/*.yaml", "x")
    assert moved.suite.criteria == ("own.md",)
    assert moved.report_dir == desk.folder / "sub" / "out"


# --- seeds --------------------------------------------------------------------------------


def test_judge_seed_is_another_name_of_run_seed(desk: Desk) -> None:
    for text in (
        "judge: {provider: stub, seed: 5}",
        "run: {seed: 5}\njudge: {provider: stub, seed: 5}",
    ):
        settings = desk.load(text)
        assert (settings.seed, settings.run.seed) == (5, 5)


def test_two_different_seeds_are_refused(desk: Desk) -> None:
    assert desk.refusal("run: {seed: 5}\njudge: {provider: stub, seed: 6}") == [
        (
            "ci-judge.yaml:2:25: judge.seed is another name of run.seed, which is 5 "
            "(keep one of the two)"
        )
    ]
    env = {"CI_JUDGE_RUN_SEED": "1", "CI_JUDGE_JUDGE_SEED": "2"}
    assert desk.refusal("judge: {provider: stub}", env=env)[0].startswith("CI_JUDGE_JUDGE_SEED: ")


def test_a_stronger_seed_wins_under_either_name(desk: Desk) -> None:
    text = "run: {seed: 3}\njudge: {provider: stub}"
    assert desk.load(text, env={"CI_JUDGE_JUDGE_SEED": "9"}).seed == 9
    text = "judge: {provider: stub, seed: 3}"
    assert desk.load(text, overrides={"run.seed": "9"}).seed == 9


# --- mistakes -----------------------------------------------------------------------------


def test_mistakes_of_all_sources_come_at_once_with_their_places(desk: Desk) -> None:
    found = desk.refusal(
        "run: {runs: 2.5, treshold: 0.8, temperature: 1}\n"
        "target: {url: 'ftp://x', headers: {A: 'Bearer ${GONE}', 'b c': x}, body: '${NONE}'}\n"
        "cache: all\n",
        env={
            "NONE": "",
            "CI_JUDGE_RUN_CONCURRENCY": "many",
            "CI_JUDGE_RUN_SED": "1",
            "CI_JUDGE_SUITE_ENV": "[1,",
            "CI_JUDGE_TARGET_SERVE_COMMAND": "x",
        },
        overrides={"run.fail_on": "nevr", "run.threshold": Given(value="70", by="--threshold")},
    )
    for problem in (
        (
            "ci-judge.yaml:1:7: run.runs must be a whole number from 1 to 10000, or {min, max}, "
            "not 2.5"
        ),
        'ci-judge.yaml:1:18: unknown key "treshold" in run (did you mean "threshold"?)',
        (
            'ci-judge.yaml:1:33: unknown key "temperature" in run (it belongs in section judge or '
            "in section generate)"
        ),
        (
            "ci-judge.yaml:2:10: target.url must be a URL that begins with http:// or https:// and "
            'holds no blank, not "ftp://x"'
        ),
        (
            'ci-judge.yaml:2:36: the variable "GONE" in target.headers.A is not set '
            "(set GONE in the environment)"
        ),
        'ci-judge.yaml:2:57: target.headers."b c" is no name of a header',
        (
            'ci-judge.yaml:2:68: the variable "NONE" in target.body is empty '
            "(set NONE in the environment)"
        ),
        (
            "CI_JUDGE_RUN_CONCURRENCY: run.concurrency must be auto or a whole number from 1 to "
            '256, not "many"'
        ),
        'CI_JUDGE_RUN_SED: this variable names no setting (did you mean "CI_JUDGE_RUN_SEED"?)',
        "CI_JUDGE_SUITE_ENV: the JSON cannot be read: Expecting value: line 1 column 4 (char 3)",
        (
            "CI_JUDGE_TARGET_SERVE_COMMAND: this variable names no setting "
            "(set CI_JUDGE_TARGET_SERVE as JSON)"
        ),
        (
            'the override of run.fail_on: run.fail_on must be "error", "failure", "regression" '
            'or "never", not "nevr" (did you mean "never"?)'
        ),
        "--threshold: run.threshold must be a rate between 0 and 1, not 70 (did you mean 0.7?)",
    ):
        assert problem in found
    assert len(found) == 14


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a", "the file must be a map of keys, not a list"),
        ("run: 5", "run must be a map of keys, not 5"),
        ("run: {runs: 0}", "run.runs must be a whole number from 1 to 10000"),
        ("run: {runs: true}", "run.runs must be a whole number from 1 to 10000, or {min, max}, "),
        ("run: {runs: {min: 2}}", "run.runs.max is missing"),
        ("run: {runs: {min: 5, max: 4}, gate: adaptive}", "run.runs.max is less than min, which"),
        ("run: {runs: {min: 5, max: 9}}", "run.runs with min and max are for the adaptive gate"),
        ("run: {runs: {min: 5, max: 9}, gate: exact}", "give one number by runs: 30 or --runs 30"),
        ("run: {gate: adaptive}", "run.gate is adaptive, which needs runs with min and max"),
        ("run: {gate: exact, misses: 1}", "run.misses says nothing to gate exact"),
        ("run: {seed: 9007199254740992}", "run.seed must be a whole number from 0 to"),
        ("judge: {threshold: 0.5}", "judge.provider is missing"),
        ("judge: {provider: antropic}", 'did you mean "anthropic"?'),
        ("judge: {provider: openai}", "judge.model is missing"),
        ("judge: {provider: openai, model: ''}", "judge.model is empty"),
        ("judge: {provider: systemone, temperature: 0}", "judge.temperature is not known to"),
        ("judge: {provider: stub, minimum_pass_rate: 0}", "a rate above 0 and at most 1, not 0"),
        ("judge: {provider: stub, base_url: localhost}", "judge.base_url must be a URL"),
        ("target: {}", "target.url is missing"),
        ("target: {url: 'http://x/', method: post}", 'did you mean "POST"?'),
        ("target: {url: 'http://x/', headers: {a: x, A: y}}", "target.headers.A stands twice"),
        ('target: {url: "http://x/", headers: {a: "x\\ny"}}', "target.headers.a holds a line end"),
        ("target: {url: 'http://x/', method: GET, body: {}}", "target.body is not sent"),
        ("target: {url: 'http://x/', serve: {command: [], ready_url: 'http://x/'}}",
         "target.serve.command is empty"),
        ("target: {url: 'http://x/', response_path: a, capture: {}}",
         "target.capture holds no path (set tools, context or session)"),
        ("target: {url: 'http://x/', capture: {tools: a}}",
         "target.capture needs response_path, without which a reply is text"),
        ("target: {command: x, capture: {context: a}}", "target.capture needs response_path"),
        ("target: {url: 'http://x/', response_path: a, capture: {sesion: a, tools: b}}",
         'unknown key "sesion" in target.capture'),
        ("target: {url: 'http://x/', serve: {command: x}}", "target.serve.ready_url is missing"),
        ("targets: {a: {ulr: x, url: 'http://x/'}}", 'unknown key "ulr" in targets.a'),
        ("report: {json: a/b}", "report.json must be the name of a file"),
        ("report: {json: ..}", "report.json must be the name of a file"),
        ("report: {html: attempts.jsonl}", "report.html must not be attempts.jsonl"),
        ("report: {html: X.xml, junit: x.xml}", "report.html is the same file as report.junit"),
        ("report: {redact: ['(']}", "report.redact[0] is no regular expression"),
        ("report: {redact: ['a*']}", "report.redact[0] would match the empty text"),
        ("generate: {scenarios_per_criterion: 0}", "must be a whole number from 1 to 50, not 0"),
        ("suite: {env: [A, 'B=1']}", "suite.env[1] must be the name of a variable"),
        ("run: {runs: 1}\nrun: {runs: 2}", 'the key "run" stands twice'),
    ],
)  # fmt: skip
def test_each_mistake_is_one_clear_line(desk: Desk, text: str, problem: str) -> None:
    (found,) = desk.refusal(text)
    assert problem in found
    assert found.startswith("ci-judge.yaml:")


def test_toml_mistakes_carry_the_line_of_the_key(desk: Desk) -> None:
    desk.write('[target]\nurl = "http://x/"\nheaders = {\n  A = 1 }\n[run]\nruns = "3"\n'.replace(
        "{\n  A", "{ A"), "ci-judge.toml")  # fmt: skip
    assert desk.refusal() == [
        "ci-judge.toml:3:13: target.headers.A must be text (put it in quotes)",
        (
            "ci-judge.toml:5:1: run.runs must be a whole number from 1 to 10000, or {min, max}, "
            'not "3" (write 3 without quotes)'
        ),
    ]


def test_json_of_a_variable_is_read_strictly(desk: Desk) -> None:
    for text in ('{"a": NaN}', '{"a": 1, "a": 2}', "[" * 5000):
        (found,) = desk.refusal("target: {url: 'http://x/'}", env={"CI_JUDGE_TARGET_BODY": text})
        assert found.startswith("CI_JUDGE_TARGET_BODY: the JSON cannot be read")


def test_a_variable_that_the_configuration_speaks_of_may_be_called_so(desk: Desk) -> None:
    text = (
        "target: {url: 'http://x/', body: '{{message}} ${CI_JUDGE_TOKEN}'}\n"
        "judge: {provider: stub, api_key_env: CI_JUDGE_KEY}\nsuite: {env: [CI_JUDGE_OTHER]}"
    )
    env = {"CI_JUDGE_TOKEN": "t", "CI_JUDGE_KEY": "k", "CI_JUDGE_OTHER": "o"}
    assert desk.load(text, env=env).used_variables == ("CI_JUDGE_TOKEN",)


# --- variables in the file ----------------------------------------------------------------

VARIABLES_YAML = """\
target:
  url: ${BASE}/chat?user=${USER_ID}
  headers: {Authorization: "Bearer ${TOKEN}", Fixed: literal, Version: 1.10}
  body: {deep: [{text: "{{message}} ${TOKEN} $5 $$ ${not a name} ${1} $${TOKEN} ${lower}"}]}
  serve:
    command: echo ${TOKEN}
    ready_url: ${BASE}/ready
    env: {KEY: "${TOKEN}", PLAIN: value}
targets:
  other: {url: "${BASE}/other"}
judge: {provider: systemone, base_url: "${BASE}", api_key: "${TOKEN}", instructions: "${TOKEN}"}
suite: {pattern: "${TOKEN}"}
"""
VALUES = {"BASE": "http://h", "USER_ID": "u", "TOKEN": "${BASE}-secret", "lower": "low"}


def test_variables_are_filled_in_once_and_only_in_templates(desk: Desk) -> None:
    settings = desk.load(VARIABLES_YAML, env=VALUES)
    target, judge = settings.target, settings.judge
    assert target is not None
    assert judge is not None
    assert target.serve is not None
    assert target.url == "http://h/chat?user=u"
    assert target.headers == {
        "Authorization": "Bearer ${BASE}-secret", "Fixed": "literal", "Version": "1.10",
    }  # fmt: skip
    assert target.body["deep"][0]["text"] == (
        "{{message}} ${BASE}-secret $5 $$ ${not a name} ${1} ${TOKEN} low"
    )
    assert target.serve.command == "echo ${TOKEN}"
    assert target.serve.ready_url == "http://h/ready"
    assert target.serve.set_variables == {"KEY": "${BASE}-secret", "PLAIN": "value"}
    assert target.serve.passed_names == ()
    assert settings.targets["other"].url == "http://h/other"
    assert (judge.base_url, judge.api_key) == ("http://h", "${BASE}-secret")
    assert judge.instructions == "${TOKEN}"
    assert settings.suite.pattern == "${TOKEN}"
    assert set(settings.used_variables) == {"BASE", "USER_ID", "TOKEN", "lower"}


def test_what_is_published_holds_no_secret(desk: Desk) -> None:
    env = {**VALUES, "TOKEN": "s3cret-value"}
    shown = desk.load(VARIABLES_YAML, env=env, overrides={"run.runs": "3"}).public()
    assert "s3cret-value" not in json.dumps(shown)
    assert shown["target"]["url"] == "${BASE}/chat?user=${USER_ID}"
    assert shown["target"]["headers"] == {
        "Authorization": "Bearer ${TOKEN}", "Fixed": "***", "Version": "***",
    }  # fmt: skip
    assert shown["target"]["serve"]["env"] == {"KEY": "${TOKEN}", "PLAIN": "***"}
    assert shown["targets"]["other"]["url"] == "${BASE}/other"
    assert shown["judge"]["api_key"] == "${TOKEN}"
    assert shown["run"]["runs"] == 3
    assert shown["run"]["threshold"] == "0.7"
    assert shown["report"]["json"] == "report.json"


def test_literal_secrets_are_not_published(desk: Desk) -> None:
    text = (
        "target: {url: 'http://user:hunter2@h/', headers: {A: hunter2}, "
        "serve: {command: x, ready_url: 'http://h/', env: [NAME]}}\n"
        "judge: {provider: stub, api_key: hunter2, base_url: 'http://u:hunter2@h/'}"
    )
    shown = desk.load(text, overrides={"judge.base_url": "http://u:hunter2@o/"}).public()
    assert "hunter2" not in json.dumps(shown)
    assert shown["target"]["url"] == "http://***@h/"
    assert shown["target"]["serve"]["env"] == ["NAME"]
    assert shown["judge"]["base_url"] == "http://***@o/"


def test_white_space_around_a_secret_is_left_out_and_said(desk: Desk) -> None:
    text = "target: {url: 'http://x/', headers: {A: 'Bearer ${TOKEN}'}}"
    settings = desk.load(text, env={"TOKEN": " tok-1\r\n"})
    assert settings.target is not None
    assert settings.target.headers == {"A": "Bearer tok-1"}
    (warning,) = settings.warnings
    assert "TOKEN" in warning
    assert "tok-1" not in warning


@pytest.mark.parametrize("value", ["tok-1\r\nX-Evil: 1", "tok-1\nmore", "a\0b", "a\x1bb"])
def test_a_value_that_would_break_a_header_is_named_but_not_shown(desk: Desk, value: str) -> None:
    text = "target:\n  url: http://x/\n  headers: {A: '${TOKEN}'}"
    (found,) = desk.refusal(text, env={"TOKEN": value})
    assert found == (
        'ci-judge.yaml:3:13: the value of "TOKEN" in target.headers.A holds a line end or a '
        "control character (set TOKEN to one line of printable text)"
    )


def test_a_body_may_hold_several_lines_but_a_header_called_body_may_not(desk: Desk) -> None:
    text = "target: {url: 'http://x/', body: {q: '{{message}} ${LINES}'}, headers: {body: HEADER}}"
    settings = desk.load(text, env={"LINES": "a\nb"})
    assert settings.target is not None
    assert settings.target.body == {"q": "{{message}} a\nb"}
    (found,) = desk.refusal(text.replace("HEADER", "'${LINES}'"), env={"LINES": "a\nb"})
    assert 'the value of "LINES" in target.headers.body holds a line end' in found
    named = "targets: {body: {url: '${LINES}'}, b: {url: 'http://x/', body: ['${LINES}']}}"
    (found,) = desk.refusal(named, env={"LINES": "http://a\nb"})
    assert "in targets.body.url" in found


@pytest.mark.parametrize("value", ["", "  \n"])
def test_an_empty_variable_is_as_bad_as_none(desk: Desk, value: str) -> None:
    (found,) = desk.refusal("target: {url: '${BASE}/x'}", env={"BASE": value})
    assert found.startswith('ci-judge.yaml:1:10: the variable "BASE" in target.url is empty')


def test_a_wrong_value_from_a_variable_is_not_shown(desk: Desk) -> None:
    for value in ("not-a-url-but-s3cret", "s3cret.example:1/s3cret?s3cret", "http://s3cret:99999"):
        (found,) = desk.refusal("target: {url: '${BASE}/x'}", env={"BASE": value})
        assert "s3cret" not in found
        assert "99999" not in found
        assert "not what ${BASE}/x gives" in found


# --- warnings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "warned"),
    [
        ("{url: 'http://x/'}", False),
        ("{url: 'http://x/', body: {q: '{{message}}'}}", False),
        ("{url: 'http://x/', body: ['a {{ message }}']}", False),
        ("{url: 'http://x/?q={{message}}', method: GET}", False),
        ("{url: 'http://x/', body: {q: message}}", True),
        ("{url: 'http://x/', method: GET}", True),
    ],
)
def test_a_request_without_the_message_is_warned_about(
    desk: Desk, target: str, *, warned: bool
) -> None:
    assert bool(desk.load(f"target: {target}").warnings) == warned


def test_sample_mode_without_likelihoods_is_warned_about(desk: Desk) -> None:
    assert "sample" in desk.load("judge: {provider: stub, mode: sample}").warnings[0]
    pinned = "judge: {provider: systemone, model: jev-1.13.0, mode: sample}"
    assert desk.load(pinned).warnings == ()


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("judge: {provider: systemone}", "jev-latest"),
        ("judge: {provider: openai, model: chatgpt-4o-latest}", "chatgpt-4o-latest"),
        ("judge: {provider: openai, model: 'llama3.2:latest'}", "llama3.2:latest"),
        ("judge: {panel: [{provider: stub}, {provider: systemone}]}", "jev-latest"),
        ("judge: {provider: openai, model: gpt-4.1-2025-04-14}", None),
        ("judge: {provider: openai, model: latest-and-greatest}", None),
        ("judge: {provider: stub}", None),
    ],
)
def test_a_model_that_moves_is_warned_about(desk: Desk, text: str, model: str | None) -> None:
    warnings = [each for each in desk.load(text).warnings if "whatever is the latest" in each]
    assert len(warnings) == (model is not None)
    assert all(f"model {model} is" in each for each in warnings)


TARGET = "target: {{url: 'http://x/', {}}}"


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "judge: {provider: openai, model: m, api_key: sk-hush}",
            "ci-judge.yaml:1:37: judge.api_key stands in the file itself",
        ),
        (TARGET.format("headers: {X-Api-Key: sk-hush}"), "target.headers.X-Api-Key stands in the"),
        (TARGET.format("headers: {Authorization: Bearer $CHAT_TOKEN}"), "mean ${CHAT_TOKEN}?"),
        ("target: {url: 'http://x/$CHAT_PATH'}", "mean ${CHAT_PATH}?"),
        (TARGET.format("body: {a: ['{{message}}', $CHAT_ID]}"), "mean ${CHAT_ID}?"),
        (TARGET.format("body: {q: '{message}'}"), "did you mean {{message}} instead of {message}?"),
        (TARGET.format('body: \'{"q": "{{message}}"}\''), "target.body is one text"),
        (
            TARGET.format("serve: {command: cd a && python b.py, ready_url: 'http://x/'}"),
            "target.serve.command holds cd &&, but no shell reads it",
        ),
    ],
)
def test_what_is_valid_but_hardly_meant_is_a_warning(desk: Desk, text: str, warning: str) -> None:
    (found,) = desk.load(text).warnings
    assert warning in found
    assert "hush" not in found


@pytest.mark.parametrize(
    "text",
    [
        "judge: {provider: openai, model: m, api_key: '${KEY}'}",
        TARGET.format("headers: {Authorization: 'Bearer ${KEY}', Accept: text/plain}"),
        TARGET.format("headers: {X-Session-Token: '{{uuid}}'}"),
        TARGET.format("body: {q: '{{message}}', price: '$5', cost: 'US$AMOUNT', e: '$${NAME}'}"),
        TARGET.format("serve: {command: 'python b.py -p {{port}}', ready_url: 'http://x/'}"),
    ],
)
def test_what_is_meant_is_no_warning(desk: Desk, text: str) -> None:
    assert desk.load(text, env={"KEY": "x"}).warnings == ()


def test_a_key_that_comes_from_the_environment_stands_in_no_file(desk: Desk) -> None:
    env = {"CI_JUDGE_JUDGE_API_KEY": "sk-1"}
    assert desk.load("judge: {provider: openai, model: m}", env=env).warnings == ()


def test_a_github_expression_is_refused_where_nothing_would_fill_it(desk: Desk) -> None:
    header = "headers: {Authorization: 'Bearer ${{ secrets.CHAT_TOKEN }}'}"
    (found,) = desk.refusal(TARGET.format(header))
    assert found.startswith("ci-judge.yaml:1:38: target.headers.Authorization holds a GitHub")
    assert "write ${CHAT_TOKEN} here" in found


def test_settings_say_where_a_gate_was_set(desk: Desk) -> None:
    places = desk.load("run:\n  runs: 3\n  threshold: 0.9\n").gate_places
    assert {key: str(place) for key, place in places.items()} == {
        "runs": "ci-judge.yaml:2:3",
        "threshold": "ci-judge.yaml:3:3",
    }
    flag = {"run.runs": Given(value="3", by="--runs")}
    places = desk.load("run: {runs: 5}", overrides=flag).gate_places
    assert {key: str(place) for key, place in places.items()} == {"runs": "--runs"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("judge: {provider: claude-sonnet}", "provider: anthropic, and the name of the model"),
        ("judge: {provider: gpt-4o}", "provider: openai, and the name of the model"),
        ("judge: {provider: ollama}", "provider: openai with its base_url"),
        ("judge: {provider: “stub”}", "“ (U+201C) is a typographic quote"),
        ("“judge”: {provider: stub}", "“ (U+201C) is a typographic quote"),
        (TARGET.format("response_path: $.data.answer"), 'did you mean "data.answer"?'),
        (TARGET.format("headers: [Accept]"), "write each entry as key: value"),
        (TARGET.format("timeout: 30 sec"), "did you mean 30s?"),
        ("suite: {env: [$MY_KEY]}", "the name alone: MY_KEY"),
        ("suite: {env: ['${MY_KEY}']}", "the name alone: MY_KEY"),
        ("report: {redact: {a: b}}", "begin each item with a dash"),
    ],
)
def test_a_mistake_of_the_first_hour_names_what_to_write(
    desk: Desk, text: str, problem: str
) -> None:
    (found,) = desk.refusal(text)
    assert problem in found


def test_a_key_in_the_place_of_its_variable_is_not_shown(desk: Desk) -> None:
    (found,) = desk.refusal("judge: {provider: openai, model: m, api_key_env: sk-hush-1}")
    assert "hush" not in found
    assert "the name alone, never its value" in found


def test_a_variable_without_its_section_is_answered_with_it(desk: Desk) -> None:
    (found,) = desk.refusal("", env={"CI_JUDGE_RUNS": "3"})
    assert 'did you mean "CI_JUDGE_RUN_RUNS"?' in found


# --- the prompt and what single criteria add to it ---


@pytest.mark.parametrize("written", ["1", '"1"'])
def test_a_prompt_version_is_pinned_with_or_without_quotes(desk: Desk, written: str) -> None:
    judge = desk.load(f"judge: {{provider: stub, prompt_version: {written}}}").judge
    assert judge is not None
    assert judge.prompt_version == "1"


def test_an_unknown_prompt_version_is_refused_with_those_there_are(desk: Desk) -> None:
    assert desk.refusal("judge: {provider: stub, prompt_version: 0.9}") == [
        'ci-judge.yaml:1:25: judge.prompt_version must be "1", not 0.9'
    ]


def test_systemone_has_no_prompt_to_pin(desk: Desk) -> None:
    (problem,) = desk.refusal("judge: {provider: systemone, prompt_version: 1}")
    assert "judge.prompt_version is not known to systemone" in problem


def test_criteria_have_instructions_of_their_own(desk: Desk) -> None:
    settings = desk.load("criteria:\n  refunds:\n    instructions: Free means 0.00.\n")
    assert settings.criteria["refunds"].instructions == "Free means 0.00."
    assert str(settings.criteria_places["refunds"]) == "ci-judge.yaml:2:3"
    assert settings.public()["criteria"] == {"refunds": {"instructions": "Free means 0.00."}}
    (problem,) = desk.refusal("criteria: {refunds: {instruction: x}}")
    assert 'did you mean "instructions"?' in problem
