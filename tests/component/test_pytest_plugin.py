"""``pytest --ci-judge`` as people start it: pytest in a process of its own, a target beside it."""

import re
import shlex
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import NASTY
from tests.plugged_pytest import SECONDS, Plugged, plugged_pytest
from tests.small_suites import a_row, by_id

pytest_plugins = ["pytester"]

STRICT = """\
[pytest]
addopts = --strict-markers --strict-config -p no:cacheprovider
filterwarnings = error
testpaths = tests
markers = smoke: of the project itself
"""
OWN_TEST = """\
import pytest

def test_own():
    pass

@pytest.mark.smoke
def test_smoke():
    pass
"""
CASES = """\
import os
from pathlib import Path
from ci_judge import case

Path("imported-by").open("a").write(f"{os.getppid()} {os.getpid()}\\n")

@case('says "14 days"', tags=["slow-one"])
def test_right():
    return "You have 14 days."

@case('says "14 days"')
def test_wrong():
    return "You have some time."
"""


@pytest.fixture
def plugged(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugged]:
    with plugged_pytest(pytester, monkeypatch) as made:
        yield made


def with_own_tests(plugged: Plugged) -> None:
    folder = plugged.suite.folder
    (folder / "tests").mkdir()
    (folder / "tests/test_project.py").write_text(OWN_TEST)
    (folder / "pytest.ini").write_text(STRICT)


def lines_with(result: pytest.RunResult, text: str) -> list[str]:
    return [line for line in result.outlines if text in line]


# --- what is collected -------------------------------------------------------------------


def test_suite_and_own_tests_are_items_of_one_session(plugged: Plugged) -> None:
    with_own_tests(plugged)
    plugged.suite.write(a_row("asks", "right"), a_row("begs", "wrong"), cases=CASES)
    result = plugged.run("-v")
    result.assert_outcomes(passed=4, failed=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "tests/test_project.py::test_own PASSED*",
            "suite/refunds.yaml::refunds/asks PASSED*",
            "suite/refunds.yaml::refunds/begs FAILED*",
            "suite/case_shop.py::test_right PASSED*",
            "suite/case_shop.py::test_wrong FAILED*",
        ]
    )
    results = {test: entry["result"] for test, entry in by_id(plugged.report()).items()}
    assert results == {
        "refunds/asks": "passed",
        "refunds/begs": "failed",
        "suite/case_shop.py::test_right": "passed",
        "suite/case_shop.py::test_wrong": "failed",
    }


def test_without_the_flag_nothing_at_all_happens(plugged: Plugged) -> None:
    with_own_tests(plugged)
    plugged.suite.write(a_row("asks", "right"), cases=CASES)
    (plugged.suite.folder / "tests/test_loaded.py").write_text(
        "import sys\n"
        "def test_nothing_of_ours_is_loaded():\n"
        "    ours = {name for name in sys.modules if name.partition('.')[0] == 'ci_judge'}\n"
        "    assert ours <= {'ci_judge', 'ci_judge.version', 'ci_judge.pytest_plugin'}\n"
        "    heavy = {'httpx', 'pydantic', 'yaml', 'jinja2', 'asyncio.runners'}\n"
        "    assert not heavy & set(sys.modules) - {'asyncio.runners'}\n"
        "    assert 'ci_judge.pytest_plugin' in ours\n"
    )
    (plugged.suite.folder / "ci-judge.yaml").write_text("this is no configuration")
    result = plugged.run_plain("-p", "no:anyio", "-p", "no:llmock", "-v")
    result.assert_outcomes(passed=3)
    assert plugged.asked() == 0
    assert not (plugged.suite.folder / "ci-judge-report").exists()
    assert not (plugged.suite.folder / "imported-by").exists()
    assert "CI Judge" not in result.stdout.str()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["tests"], {"test_own", "test_smoke"}),
        (["suite/refunds.yaml"], {"refunds/asks", "refunds/begs"}),
        (["suite/refunds.yaml::refunds/begs"], {"refunds/begs"}),
        (["suite/case_shop.py"], {"test_right", "test_wrong"}),
        (["suite/case_shop.py::test_right"], {"test_right"}),
        (["suite"], {"refunds/asks", "refunds/begs", "test_right", "test_wrong"}),
        (["-k", "begs or own"], {"refunds/begs", "test_own"}),
        (["-m", "smoke"], {"test_smoke", "refunds/begs"}),
        (["-m", "case and not slow-one"], {"test_wrong"}),
        (["-m", "edge_case"], {"refunds/asks"}),
        (["-m", "not ci_judge"], {"test_own", "test_smoke"}),
        (["-k", "two_words"], {"refunds/asks"}),
        (["--ignore", "suite"], {"test_own", "test_smoke"}),
        (["--deselect", "suite/case_shop.py", "-m", "case"], set()),
    ],
)
def test_pytest_selects_as_it_always_does(
    plugged: Plugged, arguments: list[str], expected: set[str]
) -> None:
    with_own_tests(plugged)
    plugged.suite.write(
        a_row("asks", "right", kind="edge_case", tags=["two words", "skip", "xfail", "and"]),
        a_row("begs", "right", tags=["smoke", "(:", "Ünï"]),
        cases=CASES,
    )
    result = plugged.run("--collect-only", "-q", *arguments)
    found = {line.rpartition("::")[2] for line in result.outlines if "::" in line}
    assert found == expected, result.stdout.str()
    assert plugged.asked() == 0
    assert not (plugged.suite.folder / "ci-judge-report").exists()


def test_only_what_was_selected_is_sent(plugged: Plugged) -> None:
    plugged.suite.write(a_row("asks", "right"), a_row("begs", "wrong"))
    result = plugged.run("-k", "asks")
    result.assert_outcomes(passed=1, deselected=1)
    assert {request.body["message"] for request in plugged.suite.served.requests} == {"right"}
    assert list(by_id(plugged.report())) == ["refunds/asks"]
    assert plugged.report()["run"]["complete"] is False


def test_of_a_shard_its_part_is_collected_and_only_a_whole_part_can_be_merged(
    plugged: Plugged,
) -> None:
    plugged.suite.write(*(a_row(f"asks {n}", "right") for n in range(4)), run={"shard": "1/2"})
    plugged.run().assert_outcomes(passed=2)
    assert plugged.report()["run"]["shard"]["index"] == 1
    plugged.run("-k", "asks-0").assert_outcomes(passed=1, deselected=1)
    assert plugged.report()["run"]["shard"] is None


def test_a_tag_that_is_a_marker_of_pytest_changes_nothing(plugged: Plugged) -> None:
    with_own_tests(plugged)
    plugged.suite.write(a_row("asks", "right", tags=["skip", "xfail", "parametrize", "_x", "a b"]))
    plugged.run("-k", "asks").assert_outcomes(passed=1, deselected=2)


def test_case_files_are_never_imported_by_pytest_itself(plugged: Plugged) -> None:
    with_own_tests(plugged)
    ini = plugged.suite.folder / "pytest.ini"
    ini.write_text(STRICT + "python_files = test_*.py case_*.py\n")
    plugged.suite.write(cases=CASES)
    for arguments in ([], ["suite/case_shop.py"], ["."]):
        (plugged.suite.folder / "imported-by").unlink(missing_ok=True)
        result = plugged.run("-p", "no:cacheprovider", "-k", "right", *arguments)
        assert result.parseoutcomes()["passed"] == 1, result.stdout.str()
        imports = (plugged.suite.folder / "imported-by").read_text().splitlines()
        parents = {line.split()[0] for line in imports}
        children = {line.split()[1] for line in imports}
        assert len(imports) == 2, "once to collect, once to run"
        assert not parents & children


# --- what is said ------------------------------------------------------------------------


def test_a_failed_gate_tells_rate_interval_threshold_and_the_first_bad_run(
    plugged: Plugged,
) -> None:
    plugged.suite.write(a_row("haggles", "1 of 4"))
    result = plugged.run()
    result.stdout.fnmatch_lines(
        [
            "*_ refunds/haggles _*",
            "1 of 4 passed (25 %, 95 % interval 5 to 70 %); the gate needs * 40 %*",
            "At suite/refunds.yaml:*",
            "Run 2 of 4: failed",
            "*User: 1 of 4",
            "*Assistant: You have some time.",
            '*Why it failed*"14 days"*',
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert not lines_with(result, "raise ")
    (short,) = lines_with(result, "FAILED suite/refunds.yaml")
    assert "1 of 4 passed" in short


def test_an_undecided_gate_is_an_error_and_says_so(plugged: Plugged) -> None:
    plugged.suite.write(a_row("breaks", "broken"), a_row("asks", "right"))
    result = plugged.run("-v")
    result.assert_outcomes(errors=1, passed=1)
    assert result.ret == 1
    assert lines_with(result, "undecided, neither passed nor failed: ")
    assert lines_with(result, "HTTP 500")


def test_skipped_tests_are_skipped_with_their_reason_and_never_sent(plugged: Plugged) -> None:
    plugged.suite.write(a_row("later", "right", skip="not yet built"), a_row("asks", "1 of 1"))
    result = plugged.run("-rs")
    result.assert_outcomes(skipped=1, passed=1)
    assert lines_with(result, "SKIPPED [1] suite/refunds.yaml: not yet built")
    assert plugged.asked() == 4


def test_advisory_tests_never_fail_and_say_what_they_came_to(plugged: Plugged) -> None:
    plugged.suite.write(
        a_row("waits", "wrong", advisory=True),
        a_row("breaks", "broken", advisory=True),
        a_row("asks", "right", advisory=True),
    )
    (plugged.suite.folder / "pytest.ini").write_text("[pytest]\nxfail_strict = true\n")
    result = plugged.run("-rx")
    result.assert_outcomes(xfailed=2, passed=1)
    assert result.ret == 0
    assert lines_with(result, "advisory: 0 of 4 passed")
    assert lines_with(result, "advisory: undecided")


@pytest.mark.parametrize(
    ("fail_on", "outcomes"),
    [
        ("error", {"failed": 1, "errors": 1}),
        ("failure", {"failed": 1, "xfailed": 1}),
        ("never", {"xfailed": 2}),
    ],
)
def test_what_does_not_fail_the_command_does_not_fail_pytest(
    plugged: Plugged, fail_on: str, outcomes: dict[str, int]
) -> None:
    plugged.suite.write(a_row("begs", "wrong"), a_row("breaks", "broken"), run={"fail_on": fail_on})
    result = plugged.run()
    result.assert_outcomes(**outcomes)
    assert result.ret == (0 if fail_on == "never" else 1)


def test_what_had_failed_in_the_baseline_is_let_off_where_regressions_are_asked_for(
    plugged: Plugged,
) -> None:
    plugged.suite.write(a_row("asks", "right"), a_row("begs", "wrong"))
    plugged.run()
    report = plugged.suite.report("ci-judge-report")
    report.rename(plugged.suite.folder / "base.json")
    plugged.suite.write(
        a_row("asks", "wrong"),
        a_row("begs", "wrong"),
        run={"fail_on": "regression", "baseline": "base.json"},
    )
    result = plugged.run("-v")
    result.assert_outcomes(failed=1, xfailed=1)
    result.stdout.fnmatch_lines(["*::refunds/asks FAILED*", "*::refunds/begs XFAIL*"])


def test_pytest_fails_where_tests_of_the_baseline_are_gone(plugged: Plugged) -> None:
    plugged.suite.write(a_row("asks", "right"), a_row("begs", "right"))
    plugged.run()
    plugged.suite.report("ci-judge-report").rename(plugged.suite.folder / "base.json")
    plugged.suite.write(
        a_row("asks", "right"), run={"fail_on": "regression", "baseline": "base.json"}
    )
    result = plugged.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    assert lines_with(result, "removed: refunds/begs")


def test_junit_of_pytest_keeps_failures_errors_and_skips_apart(plugged: Plugged) -> None:
    plugged.suite.write(
        a_row("begs", "wrong"),
        a_row("breaks", "broken"),
        a_row("later", "right", skip="not yet"),
        a_row("asks", "right"),
    )
    plugged.run("--junitxml", "out.xml")
    cases = ET.parse(plugged.suite.folder / "out.xml").iter("testcase")  # noqa: S314 - our own
    assert {case.get("name"): [child.tag for child in case] for case in cases} == {
        "refunds/begs": ["failure"],
        "refunds/breaks": ["error"],
        "refunds/later": ["skipped"],
        "refunds/asks": [],
    }


def test_an_item_is_collected_once_where_pytest_looks_for_itself(plugged: Plugged) -> None:
    plugged.suite.write(a_row("asks", "right"), cases=CASES)
    for arguments in ([], ["."], [".", "suite"], ["suite/refunds.yaml", "suite"]):
        result = plugged.run("--collect-only", "-q", *arguments)
        found = [line for line in result.outlines if "::" in line]
        assert len(found) == len(set(found)) == 3, result.stdout.str()


def test_what_strangers_wrote_cannot_act_on_the_terminal(plugged: Plugged) -> None:
    plugged.suite.bot.padding = f"\x1b[2J\u202e{NASTY}"
    plugged.suite.write(a_row("begs", "wrong \x1b[31m"), a_row("odd \u202e name", "wrong"))
    result = plugged.run("-v", "--color=no")
    shown = result.stdout.str()
    assert "\\x1b[2J" in shown
    assert not re.search("[\x1b\u202e\u200b]", shown)


def test_a_long_answer_is_cut(plugged: Plugged) -> None:
    plugged.suite.bot.padding = "so long " * 100_000
    plugged.suite.write(a_row("begs", "wrong"))
    result = plugged.run()
    assert len(result.stdout.str()) < 12_000
    assert lines_with(result, "Why it failed")


@pytest.mark.parametrize("before", [" ", " " * 20, "x" * 40, "x" * 74])
def test_no_secret_is_told_nor_half_of_one(
    plugged: Plugged, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    monkeypatch.setenv("BOT_TOKEN", "canary-0123456789")
    plugged.suite.bot.padding = f"{before}canary-0123456789{'y' * 200}"
    plugged.suite.write(
        a_row("begs", "wrong"),
        target={
            "url": f"{plugged.suite.served.url}/chat",
            "headers": {"Authorization": "Bearer ${BOT_TOKEN}"},
        },
        report={"max_response_chars": 100},
    )
    result = plugged.run("-v", "--junitxml", "out.xml")
    told = result.stdout.str() + (plugged.suite.folder / "out.xml").read_text()
    assert "You have some time." in told
    assert not re.search("canar|0123|6789", told)


def test_the_last_lines_say_where_the_reports_are(plugged: Plugged) -> None:
    plugged.suite.write(a_row("asks", "right"))
    result = plugged.run("-q")
    result.stdout.fnmatch_lines(["*CI Judge*", "*passed*", "html: ci-judge-report/report.html"])
    written = {path.name for path in (plugged.suite.folder / "ci-judge-report").iterdir()}
    assert written == {"report.json", "junit.xml", "report.html", "summary.md", "attempts.jsonl"}


# --- what is wrong with the input --------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"run": {"runns": 3}}, "ERROR: ci-judge: ci-judge.yaml:*runns*"),
        ({"run": {"baseline": "no.json"}}, "ERROR: ci-judge: *no.json*"),
        ({"judge": {"provider": "openai", "model": "m"}}, "ERROR: ci-judge: *OPENAI_API_KEY*"),
    ],
)
def test_a_mistake_is_one_line_and_a_usage_error(
    plugged: Plugged, change: dict[str, Any], line: str
) -> None:
    with_own_tests(plugged)
    plugged.suite.write(a_row("asks", "right"), **change)
    result = plugged.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([line])
    assert len([each for each in result.errlines if each]) == 1
    assert "Traceback" not in result.stdout.str()
    assert plugged.asked() == 0


def test_a_configuration_that_is_not_there_is_a_usage_error(plugged: Plugged) -> None:
    result = plugged.run("--ci-judge-config", "none.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: ci-judge: *none.yaml*"])
    result = plugged.run()
    result.stderr.fnmatch_lines(["ERROR: ci-judge: no ci-judge.yaml *--ci-judge-config*"])


def test_a_key_is_not_missed_by_items_that_need_none(plugged: Plugged) -> None:
    with_own_tests(plugged)
    plugged.suite.write(a_row("asks", "right"), judge={"provider": "openai", "model": "m"})
    plugged.run("-k", "own").assert_outcomes(passed=1, deselected=2)


def test_a_target_that_does_not_come_up_is_an_error_of_each_item_in_a_line(
    plugged: Plugged,
) -> None:
    with_own_tests(plugged)
    address = "http://127.0.0.1:{{port}}/"
    serve = {"command": [sys.executable, "-c", "print('no port')"], "ready_url": address}
    plugged.suite.write(
        a_row("asks", "right"), a_row("begs", "right"), target={"url": address, "serve": serve}
    )
    result = plugged.run()
    result.assert_outcomes(passed=2, errors=2)
    assert lines_with(result, "undecided, nothing was judged: ")
    assert lines_with(result, "no report: ")
    assert lines_with(result, "| no port")


def test_the_configuration_may_lie_elsewhere(plugged: Plugged) -> None:
    plugged.suite.write(a_row("asks", "right"))
    away = plugged.suite.folder / "away"
    away.mkdir()
    (away / "pytest.ini").write_text("[pytest]\n")
    config = str(plugged.suite.folder / "ci-judge.yaml")
    result = plugged.run(
        "--rootdir", str(away), "--ci-judge-config", config, "-c", "away/pytest.ini"
    )
    result.assert_outcomes(passed=1)
    assert plugged.report()["status"] == "passed"


# --- together, and ended early -----------------------------------------------------------


def test_all_selected_items_run_at_the_same_time(plugged: Plugged) -> None:
    """The runs take turns: the last item's first run comes before the first item's last."""
    plugged.suite.write(*(a_row(f"asks {name}", f"right {name}") for name in "abc"))
    plugged.run().assert_outcomes(passed=3)
    asked = [request.body["message"][-1] for request in plugged.suite.served.requests]
    assert asked.index("c") < len(asked) - 1 - asked[::-1].index("a")


def test_with_x_the_engine_stops_and_the_report_is_there(plugged: Plugged) -> None:
    rows = [a_row("aa begs", "wrong")] + [a_row(f"asks {n}", f"right {n}") for n in range(30)]
    plugged.suite.write(*rows, run={"early_stop": True, "runs": 20})
    result = plugged.run("-x")
    result.assert_outcomes(failed=1)
    report = plugged.report()
    assert plugged.asked() < 620
    assert report["run"]["complete"] is False
    assert report["status"] == "failed"
    assert by_id(report)["refunds/asks-29"]["result"] == "error"


def test_what_a_budget_leaves_out_is_an_error_of_its_item(plugged: Plugged) -> None:
    plugged.suite.write(
        *(a_row(f"asks {n}", f"right {n}") for n in range(5)), budget={"requests": 9}
    )
    result = plugged.run()
    assert result.parseoutcomes()["errors"] >= 2
    assert plugged.asked() == 9


def test_an_interrupt_ends_everything_and_leaves_a_partial_report(plugged: Plugged) -> None:
    with_own_tests(plugged)
    plugged.suite.write(*(a_row(f"asks {n}", f"right {n}") for n in range(40)), run={"runs": 50})
    command = [sys.executable, "-m", "pytest", "--ci-judge", "-p", "no:cacheprovider"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        plugged.suite.bot.bell.wait(SECONDS)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    report = plugged.report()
    assert (report["status"], report["exit_code"]) == ("interrupted", 130)
    assert 0 < report["summary"]["runs_made"] < 2000
    assert "html: ci-judge-report/report.html" in output


# --- beside other plugins ----------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["-p", "no:cacheprovider"], ["-p", "no:terminal"], ["-s"]])
def test_it_works_beside_what_a_project_turns_off(plugged: Plugged, arguments: list[str]) -> None:
    plugged.suite.write(a_row("begs", "wrong"), a_row("asks", "right"))
    assert plugged.run(*arguments).ret == 1
    assert plugged.report()["status"] == "failed"


def test_last_failed_repeats_what_failed(plugged: Plugged) -> None:
    plugged.suite.write(a_row("begs", "wrong"), a_row("asks", "right"), cases=CASES)
    plugged.run().assert_outcomes(passed=2, failed=2)
    plugged.run("--lf").assert_outcomes(failed=2)


def test_the_readme_says_how(plugged: Plugged) -> None:
    text = (Path(__file__).parent.parent.parent / "README.md").read_text("utf-8")
    section = text.partition("## From Python")[2].partition("\n## ")[0]
    (command,) = re.findall(r"^(pytest --ci-judge[^#\n]*)", section, re.MULTILINE)
    with_own_tests(plugged)
    plugged.suite.write(a_row("asks", "right"), a_row("asks refund", "right", tags=["smoke"]))
    plugged.run_plain(*shlex.split(command)[1:]).assert_outcomes(passed=3, deselected=1)
