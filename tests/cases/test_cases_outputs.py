"""Comments, summaries and annotations in bounds; reports side by side; stdout for machines."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cases.collection import mechanical_checks, required
from tests.cases.step import Step, comments, failing
from tests.cases.workbench import Open
from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY

required()

FILES = ("report.json", "junit.xml", "report.html", "summary.md")


def test_h72_a_comment_is_never_too_long(bench: Open) -> None:
    case = bench("H72")
    case.make("make_scenarios.py")
    state = case.root / "state.json"
    event = bench("H78").read("event.json")
    case.write("event.json", event)
    with case.servers("--state", str(state), "--count", "utf16") as running:
        case.configure(running)
        step = Step(case, running).run(event="event.json")
    assert step.exit_code == 1
    (comment,) = comments(state)
    body = comment["body"]
    assert body.startswith("<!-- ci-judge key=")
    assert len(body) <= 65_536
    assert len(body.encode("utf-16-le")) // 2 <= 65_536
    assert len(body.encode()) <= 262_144
    listed = sum(f"Scenario {number} " in body for number in range(60))
    assert listed == 60 or re.search(r"more|left out", body)
    assert "60" in body
    path = case.write("comment.md", body)
    checks = mechanical_checks()
    assert checks.fences(str(path)) + checks.table(str(path)) == []


def test_h73_a_summary_stays_under_the_limit(bench: Open) -> None:
    case = bench("H73")
    setup = case.load("setup.json")
    text = case.suite["endpoint_replies"][0]["json"]["reply"]
    case.change(endpoint_replies=[{"reply": text[: setup["reply_chars"]]}])
    before = ("é" * 40 + "\n").encode() * 11_000
    assert abs(len(before) - setup["prefill_bytes"]) < 20_000
    with case.servers() as running:
        case.configure(running)
        step = Step(case, running).run(event_name="push", prefill=before)
    assert step.exit_code == 1
    content = step.files.summary.read_bytes()
    assert content.startswith(before)
    assert len(content) <= 1_048_576
    assert "Asks how to get money back" in step.summary


@pytest.mark.parametrize("place", [None, "/nonexistent/dir/summary.md"])
def test_h73_a_summary_that_cannot_be_written_changes_nothing(
    bench: Open, place: str | None
) -> None:
    case = bench("H76")
    with case.servers() as running:
        case.configure(running)
        step = Step(case, running).run(
            event_name="push", environment={"GITHUB_STEP_SUMMARY": place}
        )
    assert step.exit_code == 0
    if place is not None:
        assert "summary" in step.notices().lower()


def test_h74_annotations_are_few_and_say_how_many_are_left_out(bench: Open) -> None:
    case = bench("H74")
    case.make("make_scenarios.py")
    with case.servers() as running:
        case.configure(running)
        step = Step(case, running).run(event_name="push")
    assert step.exit_code == 1
    log = case.write("log.txt", step.outcome.out)
    assert mechanical_checks().annotations(str(log)) == []
    errors = [one for one in step.log.commands if one.name == "error"]
    assert 1 < len(errors) <= 10
    assert step.log.dropped() == {}
    assert "22 more" in " ".join(one.message for one in errors) or "30" in errors[0].message
    placed = [one for one in errors if "file" in one.properties]
    assert placed
    for one in placed:
        assert one.properties["file"] == "docs/a,b:c.yaml"
        assert (case.root / one.properties["file"]).is_file()
        assert int(one.properties["line"]) >= 1
    assert "100% fail" in step.outcome.out.replace("%25", "%")


def test_h86_reports_of_two_runs_do_not_touch_each_other(bench: Open) -> None:
    case = bench("H86")
    with case.servers() as running:
        case.configure(running)
        stale = case.root / "one" / "junit.xml"
        stale.parent.mkdir()
        stale.write_bytes((case.root / "stale" / "junit.xml").read_bytes())
        for name in ("one", "two"):
            assert case.command("run", "--report-dir", name).exit_code == 0
    checks = mechanical_checks()
    for name in ("one", "two"):
        folder = case.root / name
        assert all((folder / file).is_file() for file in FILES)
        assert checks.xml10(str(folder / "junit.xml")) == []
        assert (folder / "junit.xml").read_text().count("<testcase") == 1, "nothing stale in it"


def test_h86_the_log_of_verdicts_survives_half_a_line_and_company(bench: Open) -> None:
    case = bench("H86")
    log = case.root / ".ci-judge" / "verdicts.jsonl"
    log.parent.mkdir()
    log.write_bytes((case.root / "verdicts_half_line.jsonl").read_bytes())
    known = log.read_text().splitlines()
    with case.servers() as running:
        case.configure(running, {"run": {"runs": 20}})
        folders = ["--report-dir=one", "--report-dir=two"]
        with ThreadPoolExecutor(2) as pool:
            ended = list(pool.map(lambda folder: case.command("run", folder), folders))
    assert [outcome.exit_code for outcome in ended] == [0, 0]
    lines = log.read_text().splitlines()
    assert lines[: len(known)] == known
    entries = [json.loads(line) for line in lines[len(known) :]]
    assert len(entries) == 40


def test_h87_ordinary_words_are_not_blanked(bench: Open) -> None:
    case = bench("H87")
    for entry in case.load("env_cases.json"):
        case.change(env=entry)
        outcome = case.play()
        assert outcome.outcomes == ["pass"], entry
        assert any("HELD_TOKEN" in warning for warning in outcome.report["warnings"])
        assert "14 days" in outcome.text("summary.md") + outcome.text("report.html")
        assert "***" not in outcome.text("summary.md") + outcome.text("junit.xml")
        assert "1 of 1" in outcome.text("summary.md")


@pytest.mark.parametrize("number", [0, 1])
def test_h88_stdout_is_one_document_in_any_locale(bench: Open, number: int) -> None:
    case = bench("H88")
    locale = case.load("env.json")[number]
    with case.servers() as running:
        case.configure(running)
        outcome = case.command("run", "--json", **locale)
        plain = case.command("run", **locale)
    assert outcome.exit_code == plain.exit_code == 0
    document = json.loads(outcome.out)
    assert document["groups"][0]["tests"][0]["name"] == "Café \U0001f389"
    assert "Traceback" not in plain.printed + outcome.printed


def test_h88_exit_codes_tell_what_happened(bench: Open) -> None:
    case = bench("H88")
    with case.servers() as running:
        case.configure(running)
        codes = [case.command("run", "--json").exit_code]
        failing(case)
        failed = case.command("run", "--json")
        assert json.loads(failed.out)["exit_code"] == failed.exit_code
        codes.append(failed.exit_code)
        codes.append(case.command("run", "--config", "missing.yaml").exit_code)
    assert codes == [0, 1, 2]


def test_h88_a_pipe_that_closes_is_no_crash(bench: Open) -> None:
    case = bench("H88")
    with case.servers() as running:
        config = case.configure(running)
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY), **case.suite["env"]}
        command = [sys.executable, "-m", "ci_judge", "run", "--json", "--config", str(config)]
        with subprocess.Popen(
            command, cwd=case.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.read(1)
            process.stdout.close()
            assert process.stderr is not None
            errors = process.stderr.read().decode()
            process.wait(timeout=LONGEST_SECONDS)
    assert "Traceback" not in errors
    assert (case.root / "ci-judge-report" / "report.json").is_file()
