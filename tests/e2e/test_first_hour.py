"""What people get wrong in their first hour: each mistake is one line that names place and fix."""

import json
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest

from ci_judge.cli.front import run_command_line
from tests.e2e.commands import Result, ci_judge
from tests.first_bot import FirstBot, first_bot

CRITERIA = "## Refunds {#refunds}\nText.\n"
SCENARIO = (
    "criterion: refunds\nscenarios:\n  - name: Asks\n    message: hi\n"
    '    expected: Says "14 days".\n'
)
CONFIG = (
    "suite: {}\ntarget:\n  url: http://127.0.0.1:9/chat\n  response_path: reply\n"
    "run:\n  runs: 10\njudge:\n  provider: stub\n"
)


def project(folder: Path, *, config: str | None = CONFIG, scenario: str = SCENARIO) -> Path:
    (folder / "scenarios").mkdir()
    (folder / "acceptance.md").write_text(CRITERIA, encoding="utf-8")
    (folder / "scenarios" / "a.yaml").write_text(scenario, encoding="utf-8")
    if config is not None:
        (folder / "ci-judge.yaml").write_text(config, encoding="utf-8")
    return folder


def check(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> Result:
    with chdir(folder):
        exit_code = run_command_line(["check", *more])
    told = capsys.readouterr()
    return Result(exit_code=exit_code, out=told.out, err=told.err)


def one_line(result: Result) -> str:
    """Return the only line of a refusal."""
    assert result.exit_code == 2, result.out + result.err
    (line,) = result.err.splitlines()
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


# --- in the configuration ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "wrong", "place", "fix"),
    [
        ("http://127.0.0.1:9/", "127.0.0.1:9/", "ci-judge.yaml:3:", "did you mean http://127."),
        ("http://127.0.0.1:9/", "localhost:9/", "ci-judge.yaml:3:", "did you mean http://loc"),
        ("http://127.0.0.1:9/", "http:/127.0.0.1/", "ci-judge.yaml:3:", "did you mean http://1"),
        ("response_path", "respons_path", "ci-judge.yaml:4:", 'did you mean "response_path"'),
        ("target:", "targt:", "ci-judge.yaml:2:", 'did you mean "target"'),
        ("  url:", "  - url:", "ci-judge.yaml:", ""),
        ("runs: 10", "runs: ten", "ci-judge.yaml:6:", "a whole number from 1"),
        ("runs: 10", "threshold: 80", "ci-judge.yaml:6:", "did you mean 0.8?"),
        ("runs: 10", "threshold: 80%", "ci-judge.yaml:6:", "did you mean 0.8?"),
        ("runs: 10", "threshold: 0,8", "ci-judge.yaml:6:", "did you mean 0.8?"),
        ("stub", "antropic", "ci-judge.yaml:8:", 'did you mean "anthropic"'),
        ("stub", "gpt-4o", "ci-judge.yaml:8:", "provider: openai"),
        ("stub", "\u201cstub\u201d", "ci-judge.yaml:8:", "use straight quotes"),
        ("  provider", "\tprovider", "ci-judge.yaml:8:", "YAML is indented with spaces"),
        ("stub", "openai", "ci-judge.yaml:7:", "name a model of openai"),
        (
            "  response_path",
            '  body: {text: "{{mesage}}"}\n  response_path',
            "ci-judge.yaml:4:",
            "did you mean {{message}}?",
        ),
        (
            "  response_path",
            "  body: {text: {{message}}}\n  response_path",
            "ci-judge.yaml:4:",
            'quote it: "{{message}}"',
        ),
        (
            "judge:\n  provider: stub",
            "judge: stub",
            "ci-judge.yaml:7:",
            "write its keys on lines of their own below it, such as provider:",
        ),
        ("runs: 10", "runs: 10\nbudget: {usd: 0}", "ci-judge.yaml:7:", "a number above 0 and at"),
        ("{}", "{paths: [scenario]}", "ci-judge.yaml:1:", 'did you mean "scenarios"?'),
        ("{}", "{criteria: acceptence.md}", "ci-judge.yaml:1:", 'did you mean "acceptance.md"?'),
    ],
)
def test_a_mistake_in_the_configuration(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    right: str,
    wrong: str,
    place: str,
    fix: str,
) -> None:
    assert CONFIG.count(right) == 1
    line = one_line(check(project(tmp_path, config=CONFIG.replace(right, wrong)), capsys))
    assert line.startswith(place)
    assert fix in line


def test_smart_quotes_around_a_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = CONFIG.replace("provider", "\u201cprovider\u201d")
    lines = check(project(tmp_path, config=config), capsys).err.splitlines()
    assert any("ci-judge.yaml:8:" in line and "use straight quotes" in line for line in lines)


def test_a_list_where_a_map_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = "target:\n  - url: http://127.0.0.1:9/\njudge: {provider: stub}\n"
    line = one_line(check(project(tmp_path, config=config), capsys))
    assert line == "ci-judge.yaml:1:1: target must be a map of keys, not a list"


def test_single_braces_are_doubted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = CONFIG.replace("  response_path", '  body: {text: "{message}"}\n  response_path')
    result = check(project(tmp_path, config=config), capsys)
    assert result.exit_code == 0
    assert "warning: ci-judge.yaml:4:3: target holds no {{message}}" in result.out
    assert "did you mean {{message}} instead of {message}?" in result.out


def test_a_variable_where_a_placeholder_was_meant_is_doubted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = CONFIG.replace("  response_path", '  body: {text: "${message}"}\n  response_path')
    result = check(project(tmp_path, config=config), capsys)
    assert "target.body.text is not set (did you mean {{message}}?" in result.out


def test_a_missing_key_is_told_at_the_judge(tmp_path: Path) -> None:
    config = CONFIG.replace("provider: stub", "provider: anthropic\n  model: claude-sonnet-5")
    line = one_line(ci_judge("run", cwd=project(tmp_path, config=config)))
    assert line.startswith("ci-judge.yaml:8:3: ")
    assert "set ANTHROPIC_API_KEY" in line


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("evals/ci-judge.yaml", "there is evals/ci-judge.yaml: change to its folder"),
        ("a/b/ci-judge.toml", "there is a/b/ci-judge.toml"),
        ("ci_judge.yaml", "is ci_judge.yaml meant?"),
        ("node_modules/x/ci-judge.yaml", "`ci-judge init` writes one"),
    ],
)
def test_the_wrong_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    project(tmp_path, config=None)
    (tmp_path / ".git").mkdir()
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(CONFIG)
    assert words in one_line(check(tmp_path, capsys))


def test_a_configuration_above_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project(tmp_path)
    (tmp_path / "src").mkdir()
    assert check(tmp_path / "src", capsys).exit_code == 0


def test_a_variable_that_is_not_set_is_a_warning_until_something_is_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    headers = '  headers: {Authorization: "Bearer ${NO_SUCH_TOKEN}"}\n  response_path'
    folder = project(tmp_path, config=CONFIG.replace("  response_path", headers))
    told = 'the variable "NO_SUCH_TOKEN" in target.headers.Authorization is not set'
    looked = check(folder, capsys)
    (line,) = [line for line in looked.out.splitlines() if "NO_SUCH_TOKEN" in line]
    assert line.startswith("warning: ci-judge.yaml:4:")
    assert line.endswith(f"a run will be refused: {told} (set NO_SUCH_TOKEN in the environment)")
    assert looked.exit_code == 0
    refused = ci_judge("run", cwd=folder)
    assert refused.err.startswith("error: ci-judge.yaml:4:")
    assert told in refused.err


# --- in criteria and scenarios -----------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "wrong", "line", "fix"),
    [
        ("    message", "   message", 4, "begin it exactly below the line"),
        ("    message", "     message", 4, "begin it exactly below the key above"),
        ("    message", "\tmessage", 4, "YAML is indented with spaces"),
        ("message: hi", "message: Hi: there", 4, ">-"),
        ("message: hi", "mesage: hi", 4, 'did you mean "message"'),
        ("refunds", "refund", 1, 'known: "refunds"'),
        ('Says "14 days".', "Says \u201c14 days.", 5, "always two of them"),
        ("hi\n", "hi #1 and more\n", 4, "message: >-"),
        ("    message: hi\n", "", 3, "message: what the user says"),
        (
            "    message",
            "    history:\n      - user: Hello\n    message",
            5,
            "write role: user and content: beside each other",
        ),
        ("    message", "    tags: a, b\n    message", 4, "write [a, b]"),
        (
            "  - name: Asks\n",
            "  - {name: Asks, message: hi, expected: Says no.}\n  - name: Asks\n",
            4,
            "another name",
        ),
    ],
)
def test_a_mistake_in_a_scenario(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    right: str,
    wrong: str,
    line: int,
    fix: str,
) -> None:
    folder = project(tmp_path, scenario=SCENARIO.replace(right, wrong, 1))
    said = one_line(check(folder, capsys))
    assert said.startswith(f"scenarios/a.yaml:{line}")
    assert fix in said


def test_no_criteria(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project(tmp_path) / "acceptance.md").unlink()
    line = one_line(check(tmp_path, capsys))
    assert line.startswith("scenarios/a.yaml:1:1: ")
    assert "acceptance.md" in line


def test_what_the_linter_doubts_is_placed_at_the_expectation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = "expected:\n      - Is polite.\n      - >-\n        Good answer."
    folder = project(tmp_path, scenario=SCENARIO.replace('expected: Says "14 days".', listed))
    result = check(folder, capsys)
    assert result.exit_code == 0
    assert (
        'warning: scenarios/a.yaml:7:9: "refunds/asks": the expectation says nothing that a judge '
        "could check" in result.out
    )


# --- in cases ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "place", "words"),
    [
        ('@case("x")\ndef test_x(:\n    return 1\n', "scenarios/case_a.py:3", "SyntaxError"),
        ("import no_such_thing\n", "scenarios/case_a.py:2", "install it"),
        ("@case\ndef test_x():\n    return 1\n", "scenarios/case_a.py:2", "needs the requirement"),
        ('@case("x")\ndef test_x(a):\n    return 1\n', "scenarios/case_a.py:2", "no parameters"),
    ],
)
def test_a_mistake_in_a_case_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str, place: str, words: str
) -> None:
    text = f"from ci_judge import case\n{code}"
    (project(tmp_path) / "scenarios" / "case_a.py").write_text(text)
    line = one_line(check(tmp_path, capsys))
    assert line.startswith(place)
    assert words in line


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{1, 2}", "$.actual is a set; use sorted(x)"),
        ('__import__("decimal").Decimal(1)', "$.actual is a Decimal; use float(x) or str(x)"),
    ],
)
def test_evidence_that_is_no_json(tmp_path: Path, value: str, words: str) -> None:
    code = f'@case("It is 1.")\ndef test_x():\n    return {{"actual": {value}}}\n'
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "case_a.py").write_text(f"from ci_judge import case\n{code}")
    (tmp_path / "ci-judge.yaml").write_text("suite: {paths: [cases]}\njudge: {provider: stub}\n")
    result = ci_judge("run", cwd=tmp_path)
    assert result.exit_code == 3
    (line,) = (each for each in result.out.splitlines() if words in each)
    assert "cases/case_a.py::test_x" in result.out
    assert "the case itself broke" in line


# --- in what is typed --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chek"], 'there is no command "chek" (did you mean "check"?)'),
        (["check", "--runs", "ten"], "--runs: run.runs must be a whole number"),
        (["check", "--threshold", "80%"], "did you mean 0.8?"),
        (["check", "--confg", "x"], "--config"),
        (["run", "scenarios/a.yaml"], "choose tests with -k or -m; files are those of suite.paths"),
    ],
)
def test_a_mistake_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    with chdir(project(tmp_path)):
        exit_code = run_command_line(arguments)
    assert words in one_line(Result(exit_code=exit_code, out="", err=capsys.readouterr().err))


# --- between us and the endpoint ---------------------------------------------------------


@contextmanager
def trouble(folder: Path, path: str) -> Iterator[str]:
    """Run against a bot that misbehaves at a path; give the one line about the errors."""
    with first_bot() as bot:
        config = CONFIG.replace("http://127.0.0.1:9/chat", f"{bot.url}{path}")
        result = ci_judge("run", "--runs", "2", cwd=project(folder, config=config))
    assert result.exit_code == 3, result.out + result.err
    (line,) = (each for each in result.out.splitlines() if "errors: 2 runs ended" in each)
    yield line


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/openai", "the reply has: choices.0.message.content (text)"),
        ("/html", "it is a web page: check the path of url"),
        ("/401", 'none are configured, such as Authorization: "Bearer ${TOKEN}"'),
        ("/403", "check headers"),
        ("/404", "check the path of url"),
        ("/405", "check method, and the path of url: it takes GET, HEAD"),
        ("/422", 'body.question: Field required); try body: {question: "{{message}}"}'),
        ("/empty", "the body is empty"),
    ],
)
def test_what_the_endpoint_answers_instead(tmp_path: Path, path: str, words: str) -> None:
    with trouble(tmp_path, path) as line:
        assert words in line


def test_nobody_at_the_address(tmp_path: Path) -> None:
    result = ci_judge("run", "--runs", "2", cwd=project(tmp_path))
    assert result.exit_code == 3
    line = next(each for each in result.out.splitlines() if "refused the connection" in each)
    assert "is it running? (target.serve can start it for the run)" in line


# --- and when nothing is wrong -----------------------------------------------------------


def test_from_an_empty_folder_to_a_gate_in_three_commands(tmp_path: Path) -> None:
    with first_bot() as bot:
        made = ci_judge("init", "--url", bot.url, cwd=tmp_path)
        assert made.exit_code == 0, made.err
        assert f"looked at {bot.url}: its OpenAPI document describes POST /chat" in made.out
        assert len(passed_at_once(tmp_path)) == 2
    assert bot_was_greeted_once(bot)


def test_from_an_empty_folder_to_a_gate_of_cases_without_an_endpoint(tmp_path: Path) -> None:
    made = ci_judge("init", "--cases", cwd=tmp_path)
    assert (made.exit_code, made.err) == (0, "")
    assert passed_at_once(tmp_path) == ["test_discount", "test_refund_reply"]


def passed_at_once(folder: Path) -> list[str]:
    """Give the names of the tests, once check had nothing to warn of and a run passed them all."""
    checked = ci_judge("check", cwd=folder)
    assert (checked.exit_code, checked.err) == (0, "")
    assert "warning" not in checked.out
    judged = ci_judge("run", cwd=folder)
    assert judged.exit_code == 0, judged.out + judged.err
    report = json.loads((folder / "ci-judge-report" / "report.json").read_text())
    tests = [test for group in report["groups"] for test in group["tests"]]
    assert {test["result"] for test in tests} == {"passed"}
    return [test["name"] for test in tests]


def bot_was_greeted_once(bot: FirstBot) -> bool:
    greetings = [body for body in bot.messages if body.get("question", "").startswith("Hello")]
    return len(greetings) == 1
