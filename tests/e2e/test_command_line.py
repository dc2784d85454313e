"""The command itself: exit codes, one line an error, nothing sent before everything is right."""

import json
from pathlib import Path

import pytest

from tests.e2e.commands import ci_judge, copy_of

CONFIG = """\
suite: {criteria: acceptance.md, paths: [scenarios.yaml]}
target: {url: "http://127.0.0.1:9/chat", response_path: reply, retries: 0}
run: {runs: 2, threshold: 0.1}
judge: {provider: stub}
"""
CRITERIA = "## Refunds\n\nWithin 14 days.\n"
SCENARIOS = """\
criterion: refunds
scenarios:
  - name: Asks
    message: How?
    expected: Says "14 days".
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    write(tmp_path)
    return tmp_path


def write(
    folder: Path, *, config: str = CONFIG, criteria: str = CRITERIA, scenarios: str = SCENARIOS
) -> None:
    (folder / "ci-judge.yaml").write_text(config)
    (folder / "acceptance.md").write_text(criteria)
    (folder / "scenarios.yaml").write_text(scenarios)


def test_a_target_that_is_not_there_is_undecided_not_failed(suite: Path) -> None:
    result = ci_judge("run", cwd=suite)
    assert result.exit_code == 3
    report = json.loads((suite / "ci-judge-report/report.json").read_text())
    assert report["status"] == "error"
    assert report["summary"]["runs_errors"] == 2
    assert (report["summary"]["runs_passed"], report["summary"]["runs_failed"]) == (0, 0)
    assert "passed" not in report["headline"].lower()


@pytest.mark.parametrize(("fail_on", "exit_code"), [("error", 3), ("failure", 0), ("never", 0)])
def test_fail_on_decides_what_undecided_means(suite: Path, fail_on: str, exit_code: int) -> None:
    assert ci_judge("run", "--fail-on", fail_on, cwd=suite).exit_code == exit_code


def test_all_mistakes_are_shown_at_once_each_in_a_line_with_its_place(tmp_path: Path) -> None:
    write(
        tmp_path,
        config=CONFIG.replace("threshold: 0.1", "treshold: 0.1").replace("runs: 2", "runs: two"),
    )
    result = ci_judge("run", cwd=tmp_path)
    assert result.exit_code == 2
    lines = result.err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("error: ci-judge.yaml:3") for line in lines)
    assert any('did you mean "threshold"' in line for line in lines)
    assert not (tmp_path / "ci-judge-report").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scenarios": SCENARIOS.replace("refunds", "refnds")}, "scenarios.yaml:1:"),
        ({"scenarios": SCENARIOS + SCENARIOS[SCENARIOS.index("  - ") :]}, "refunds/asks"),
        ({"scenarios": "scenarios: [\n"}, "scenarios.yaml:2"),
        ({"criteria": CRITERIA + CRITERIA}, "acceptance.md:"),
        ({"config": CONFIG.replace("acceptance.md", "missing.md")}, "missing.md"),
        ({"config": CONFIG.replace("/chat", "/${UNSET_NAME}")}, "UNSET_NAME"),
        ({"config": CONFIG.replace("stub", "anthropic, model: m")}, "ANTHROPIC_API_KEY"),
        ({"config": CONFIG.replace("judge: {provider: stub}", "")}, "judge"),
        ({"config": CONFIG.replace("0.1", "0.9")}, "35"),
        (
            {
                "config": CONFIG.replace("retries: 0", "body: {q: '{{message}}'}"),
                "scenarios": SCENARIOS + "    history: [{role: user, content: hi}]\n",
            },
            "{{history}}",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    tmp_path: Path, changes: dict[str, str], words: str
) -> None:
    write(tmp_path, **changes)
    result = ci_judge("run", cwd=tmp_path)
    assert result.exit_code == 2, result.out
    assert words in result.err
    assert len(result.err.splitlines()) == 1, result.err
    assert "Traceback" not in result.err


def test_a_scenario_and_a_case_cannot_share_an_id(tmp_path: Path) -> None:
    write(
        tmp_path,
        config=CONFIG.replace("[scenarios.yaml]", "[scenarios.yaml, case_a.py]"),
        scenarios=SCENARIOS + "    id: case_a.py::test_a\n",
    )
    (tmp_path / "case_a.py").write_text(
        "from ci_judge import case\n@case('x \"y\"')\ndef test_a():\n    return 1\n"
    )
    result = ci_judge("run", cwd=tmp_path)
    assert result.exit_code == 2
    assert 'the id "case_a.py::test_a" is taken by a scenario at scenarios.yaml:3' in result.err


def test_nothing_selected_is_exit_5(suite: Path) -> None:
    result = ci_judge("run", "-k", "nothing-like-it", cwd=suite)
    assert result.exit_code == 5
    assert 'none of the 1 tests is selected by "nothing-like-it"' in result.err


def test_an_explicit_runs_flag_warns_where_the_file_is_refused(suite: Path) -> None:
    result = ci_judge("run", "--runs", "1", "--threshold", "0.5", cwd=suite)
    assert result.exit_code == 3
    assert "warning: " in result.out


def test_quiet_is_what_needs_a_look_the_result_and_the_paths(suite: Path) -> None:
    lines = ci_judge("run", "-q", cwd=suite).out.splitlines()
    heads = [line.partition(" ")[0] for line in lines if not line.startswith(" ")]
    assert heads == ["?", "!", "json:", "junit:", "html:", "markdown:"]
    assert lines[0].startswith("? refunds/asks  0 of 2, 2 runs without a verdict")


def test_json_output_is_one_document_and_nothing_else(suite: Path) -> None:
    result = ci_judge("run", "--json", cwd=suite)
    report = json.loads(result.out)
    assert report["exit_code"] == result.exit_code == 3
    assert len(report["groups"][0]["tests"][0]["runs"]) == 2


def test_flags_without_a_command_run_the_suite(suite: Path) -> None:
    result = ci_judge("--config", str(suite / "ci-judge.yaml"), cwd=suite.parent)
    assert result.exit_code == 3
    assert (suite / "ci-judge-report/report.json").exists()


def test_an_ascii_locale_stops_nothing(tmp_path: Path) -> None:
    write(tmp_path, scenarios=SCENARIOS.replace("Asks", "Fragt höflich 🙂"))
    result = ci_judge("run", cwd=tmp_path, PYTHONIOENCODING="ascii", LANG="C")
    assert result.exit_code == 3, result.err
    assert "Traceback" not in result.err


def test_more_copies_of_the_junit_report(suite: Path) -> None:
    ci_judge("run", "--junitxml", "other/results.xml", cwd=suite)
    copy = (suite / "other/results.xml").read_text()
    assert copy == (suite / "ci-judge-report/junit.xml").read_text()


def test_check_sends_nothing_and_needs_no_key(tmp_path: Path) -> None:
    write(tmp_path, config=CONFIG.replace("stub", "anthropic, model: m"))
    result = ci_judge("check", cwd=tmp_path)
    assert result.exit_code == 0, result.err
    assert "refunds/asks" in result.out
    assert "1 test, 2 runs, judge: anthropic. Nothing was sent." in result.out
    assert not (tmp_path / "ci-judge-report").exists()


def test_check_says_what_an_unreachable_gate_would_take(suite: Path) -> None:
    result = ci_judge("check", "--runs", "1", "--threshold", "0.5", cwd=suite)
    assert result.exit_code == 0, result.err
    assert "refunds/asks  lower_bound, needs at least 4 runs\n" in result.out
    assert "1 test, 1 run, judge: stub. Nothing was sent." in result.out


@pytest.mark.parametrize("command", ["init", "check", "generate", "run", "render"])
def test_every_command_has_help_with_an_example(tmp_path: Path, command: str) -> None:
    result = ci_judge(command, "--help", cwd=tmp_path)
    assert result.exit_code == 0
    assert f"ci-judge {command}" in result.out.partition("Example:")[2]


def test_an_unwritable_report_folder_stops_before_anything_is_sent(tmp_path: Path) -> None:
    folder = copy_of("faq-bot", tmp_path)
    (folder / "ci-judge-report").write_text("a file stands where the folder should")
    result = ci_judge("run", cwd=folder)
    assert result.exit_code == 2
    assert "report" in result.err


def test_what_a_served_target_printed_before_it_died_is_shown_without_secrets(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        config=CONFIG.replace(
            "retries: 0",
            "retries: 0, headers: {X: '${BOT_TOKEN}'}, serve: {command: python bot.py, "
            "ready_url: 'http://127.0.0.1:{{port}}/', env: [BOT_TOKEN]}",
        ),
    )
    (tmp_path / "bot.py").write_text(
        "import os\nprint('starting', flush=True)\n"
        "raise SystemExit('no database; token ' + os.environ['BOT_TOKEN'])\n"
    )
    result = ci_judge("run", cwd=tmp_path, BOT_TOKEN="t0p-s3cret-t0ken")  # noqa: S106 - a canary
    assert result.exit_code == 3
    lines = result.err.splitlines()
    assert lines[0] == "| starting"
    assert lines[-1].startswith("error: target.serve ended with exit code 1")
    assert "no database; token ***" in result.err
    assert "t0p-s3cret" not in result.err + result.out


def test_an_unreachable_gate_is_blamed_on_what_set_it(suite: Path) -> None:
    result = ci_judge("check", "--runs", "1", "--threshold", "0.9", cwd=suite)
    assert "warning: --runs: " in result.out
    write(suite, config=CONFIG.replace("threshold: 0.1", "threshold: 0.9"))
    result = ci_judge("run", cwd=suite)
    assert result.exit_code == 2
    assert "error: ci-judge.yaml:3:7: " in result.err


def test_check_warns_of_a_key_that_a_run_will_need(suite: Path) -> None:
    write(suite, config=CONFIG.replace("provider: stub", "provider: openai, model: m"))
    result = ci_judge("check", cwd=suite)
    assert result.exit_code == 0
    assert ": a run will be refused: the judge 'openai' needs a key" in result.out
    assert "will be refused" not in ci_judge("check", cwd=suite, OPENAI_API_KEY="k").out


@pytest.mark.parametrize(
    ("body", "warned"),
    [("{q: '{{message}}'}", True), ("{q: '{{message}}', id: '{{uuid}}'}", False), ("null", False)],
)
def test_several_turns_to_a_target_that_is_told_only_the_last_are_warned_about(
    suite: Path,
    body: str,
    warned: bool,  # noqa: FBT001 - a parameter
) -> None:
    write(
        suite,
        config=CONFIG.replace("retries: 0", f"retries: 0, body: {body}"),
        scenarios=SCENARIOS.replace("message: How?", "turns: [How?, Really?]"),
    )
    result = ci_judge("check", cwd=suite)
    assert result.exit_code == 0
    assert ("it must remember the conversation by itself" in result.out) is warned


def test_a_case_file_that_is_left_out_is_named(suite: Path) -> None:
    (suite / "case_prices.py").write_text('@case("R")\ndef test_a(): ...\n')
    assert (
        "warning: case_prices.py: this case file is in none of" in ci_judge("check", cwd=suite).out
    )
