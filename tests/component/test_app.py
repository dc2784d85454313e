"""The whole story in this process: real files, a scripted target, the stub judge, real reports."""

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ci_judge.app import run
from ci_judge.errors import CannotStart, ExitCode, Interrupted, InvalidInput
from ci_judge.model.judging import Run
from ci_judge.workflows.planning import Selection
from tests.lifeline import Lifeline
from tests.loopback import Answer, Served
from tests.projects import FILES, Front, Project, a_project, knows_refunds, scenario


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with a_project(tmp_path, knows_refunds) as made:
        yield made


def test_a_run_writes_every_file_and_says_how_it_went(project: Project) -> None:
    project.write(scenario("Asks"), scenario("Asks wrong", "wrong"))
    finished = project.run()
    assert project.written() == FILES
    assert set(finished.files) == {"json", "junit", "html", "markdown"}
    report = project.report()
    assert (report["status"], report["exit_code"]) == ("failed", 1)
    assert {test["id"]: test["result"] for test in report["groups"][0]["tests"]} == {
        "refunds/asks": "passed",
        "refunds/asks-wrong": "failed",
    }
    assert report["summary"]["target_requests"] == len(project.bot.requests) == 4
    assert report["run"]["started"].startswith("2025-06-15T")
    assert sum("refunds/asks" in line for line in project.log) == 2


@pytest.mark.parametrize(
    ("message", "fail_on", "exit_code", "status"),
    [
        ("wrong", "error", 1, "failed"),
        ("wrong", "failure", 1, "failed"),
        ("wrong", "never", 0, "passed"),
        ("broken", "error", 3, "error"),
        ("broken", "failure", 0, "passed"),
        ("broken", "never", 0, "passed"),
    ],
)
def test_fail_on_decides_about_the_step_and_not_about_the_tests(
    project: Project, message: str, fail_on: str, exit_code: int, status: str
) -> None:
    project.write(scenario("Asks", message), run={"fail_on": fail_on})
    project.run()
    report = project.report()
    assert (report["exit_code"], report["status"]) == (exit_code, status)
    (test,) = report["groups"][0]["tests"]
    assert test["result"] == {"wrong": "failed", "broken": "error"}[message]


@pytest.mark.parametrize(
    "selection", [Selection(names="second"), Selection(tags="smoke"), Selection(names="not first")]
)
def test_what_is_not_selected_is_not_sent(project: Project, selection: Selection) -> None:
    project.write(scenario("First", "one"), scenario("Second", "two", tags=["smoke"]))
    project.run(selection=selection)
    assert {asked.body["message"] for asked in project.bot.requests} == {"two"}
    assert project.report()["summary"]["tests"] == 1


def test_after_enough_failures_nothing_more_is_asked(project: Project) -> None:
    project.write(
        *(scenario(f"Asks {number}", "wrong") for number in range(20)),
        run={"concurrency": 1},
        judge={"concurrency": 1},
    )
    project.run(max_failures=1)
    report = project.report()
    summary = report["summary"]
    assert report["exit_code"] == 1
    assert summary["failed"] >= 1
    assert summary["runs_made"] < summary["runs_planned"] == 40
    assert len(project.bot.requests) < 40
    assert any("fail" in warning for warning in report["warnings"])


# --- stopped, or out of room -------------------------------------------------------------


def test_an_interrupted_run_writes_everything_it_has(project: Project) -> None:
    project.write(*(scenario(f"Asks {number}") for number in range(20)), run={"concurrency": 1})
    seen: list[Run] = []

    def interrupt(run: Run) -> None:
        seen.append(run)
        if len(seen) == 3:
            project.stop_sign.stop("interrupted by SIGTERM", exit_code=ExitCode.TERMINATED)

    asyncio.run(project.execute(Front(project.log, interrupt)))
    report = project.report()
    assert project.written() == FILES
    assert (report["status"], report["exit_code"]) == ("interrupted", 143)
    assert report["run"]["interrupted"] is True
    runs = [run for test in report["groups"][0]["tests"] for run in test["runs"]]
    assert len(runs) == 40
    made = [run for run in runs if run["outcome"] != "not_run"]
    assert len(made) == report["summary"]["runs_made"] >= 3
    assert {run["outcome"] for run in made} == {"pass"}


def test_a_stop_before_the_first_run_leaves_no_report_and_no_process(project: Project) -> None:
    lifeline = Lifeline(project.folder / "held")
    address = "http://127.0.0.1:{{port}}/"
    command = [sys.executable, "-c", Lifeline.HOLD, "held"]
    project.write(
        scenario("Asks"),
        target={"url": address, "serve": {"command": command, "ready_url": address}},
    )

    async def stop_when_it_is_up() -> None:
        running = asyncio.create_task(project.execute())
        await asyncio.to_thread(lifeline.wait_until_held)
        project.stop_sign.stop("interrupted by SIGINT", exit_code=ExitCode.INTERRUPTED)
        await running

    with pytest.raises(Interrupted, match="nothing was judged") as error:
        asyncio.run(stop_when_it_is_up())
    assert error.value.exit_code == ExitCode.INTERRUPTED
    assert project.written() <= {"attempts.jsonl"}
    assert lifeline.was_held_and_released()


def test_a_report_that_cannot_be_written_costs_neither_the_others_nor_the_verdict(
    tmp_path: Path,
) -> None:
    def takes_the_place(path: str, body: Any) -> tuple[int, Any]:
        (tmp_path / "out/report.html").mkdir(exist_ok=True)
        return knows_refunds(path, body)

    with a_project(tmp_path, takes_the_place) as project:
        project.write(scenario("Asks wrong", "wrong"))
        finished = project.run()
        assert set(finished.files) == {"json", "junit", "markdown"}
        assert project.report()["exit_code"] == 1
        (warning,) = [line for line in project.log if "not written" in line]
        assert warning.startswith("warning: The html report was not written to ")
        assert project.written() == FILES


@pytest.mark.parametrize("name", ["report.json", "summary.md", "attempts.jsonl"])
def test_a_folder_where_a_report_should_be_stops_before_anything_is_sent(
    project: Project, name: str
) -> None:
    project.write(scenario("Asks"))
    (project.folder / "out" / name).mkdir(parents=True)
    with pytest.raises(InvalidInput, match=rf"{re.escape(name)}.*(it is a folder|Is a directory)"):
        project.run()
    assert project.bot.requests == []


def test_reports_of_an_earlier_run_do_not_outlive_a_run_that_cannot_start(
    project: Project,
) -> None:
    project.write(scenario("Asks"))
    project.run()
    project.write(
        scenario("Asks"),
        target={
            "url": "http://127.0.0.1:{{port}}/",
            "serve": {
                "command": [sys.executable, "-c", "pass"],
                "ready_url": "http://127.0.0.1:{{port}}/",
            },
        },
    )
    with pytest.raises(CannotStart):
        project.run()
    assert project.written() == {"attempts.jsonl"}  # what had been paid for can still be resumed


def test_two_runs_at_once_do_not_mix(tmp_path: Path) -> None:
    def is_wrong(path: str, body: Any) -> tuple[int, Any]:
        return knows_refunds(path, {"message": f"wrong {body['message']}"})

    with (
        a_project(tmp_path / "right", knows_refunds) as right,
        a_project(tmp_path / "wrong", is_wrong) as wrong,
    ):
        right.write(scenario("Asks", "right?"), run={"runs": 20})
        wrong.write(scenario("Asks", "left?"), run={"runs": 10})

        async def both() -> None:
            await asyncio.gather(right.execute(), wrong.execute())

        asyncio.run(both())
    for project, exit_code, runs, message in (
        (right, 0, 20, "right?"),
        (wrong, 1, 10, "left?"),
    ):
        report = project.report()
        assert report["exit_code"] == exit_code
        assert len(report["groups"][0]["tests"][0]["runs"]) == len(project.bot.requests) == runs
        assert {asked.body["message"] for asked in project.bot.requests} == {message}


def test_from_python_the_report_comes_with_its_runs(project: Project) -> None:
    project.write(scenario("Asks wrong", "wrong"))
    report = asyncio.run(run(project.folder / "ci-judge.yaml", overrides={"run.runs": 3}))
    assert report["exit_code"] == 1
    assert json.loads(json.dumps(report)) == project.report()
    assert len(report["groups"][0]["tests"][0]["runs"]) == 3


# --- secrets -----------------------------------------------------------------------------

ECHOING_SERVER = """\
import http.server, json, os, sys
VALUE = os.environ[sys.argv[2]]
print("the value is", VALUE, flush=True)
class Echo(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.do_POST()
    def do_POST(self):
        reply = json.dumps({"reply": "14 days, and " + VALUE}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.send_header("X-Echo", VALUE)
        self.end_headers()
        self.wfile.write(reply)
    def log_message(self, *_):
        print(VALUE, flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Echo).serve_forever()
"""
LEAKING_CASES = """\
import os, sys
from ci_judge import case
print(os.environ["SHOP_PASSWORD"])

@case('says "14 days"')
def test_raises():
    print(os.environ["SHOP_PASSWORD"], file=sys.stderr)
    raise RuntimeError("cannot log in with " + os.environ["SHOP_PASSWORD"])

@case('says "14 days"')
def test_returns():
    return {os.environ["SHOP_PASSWORD"]: ["14 days", os.environ["SHOP_PASSWORD"]]}
"""


def canary(way_in: str) -> str:
    return f"canary-{way_in}-0123456789"


def echoes(served: list[Served]) -> Answer:
    """Answer the target's questions with all that was sent, the judge's with its key."""

    def answer(path: str, body: Any) -> tuple[int, Any]:
        asked = served[0].to(path)[-1]
        if path == "/chat":
            return 200, {"reply": f"14 days; you sent {json.dumps(body)} and {asked.headers}"}
        key = asked.headers["authorization"].removeprefix("Bearer ")
        return 401, {"error": {"message": f"Incorrect API key provided: {key}."}}

    return answer


def serves(variable: str, env: Any) -> dict[str, Any]:
    address = "http://127.0.0.1:{{port}}/"
    return {
        "url": address,
        "response_path": "reply",
        "serve": {
            "command": [sys.executable, "server.py", "{{port}}", variable],
            "ready_url": address,
            "env": env,
        },
    }


@pytest.mark.parametrize("provider", ["stub", "openai"])
def test_no_secret_gets_out_whichever_way_it_came_in(tmp_path: Path, provider: str) -> None:
    served: list[Served] = []
    with a_project(tmp_path, echoes(served)) as project:
        served.append(project.bot)
        judge = {"provider": provider, "api_key_env": "LLM", "retries": 0}
        if provider == "openai":
            judge |= {"model": "m", "base_url": f"{project.bot.url}/v1"}
        project.write(
            scenario("Asks"),
            scenario("Listed", target="listed"),
            scenario("Mapped", target="mapped"),
            cases=LEAKING_CASES,
            suite={"env": ["SHOP_PASSWORD"]},
            target={
                "headers": {
                    "Authorization": "Bearer ${BOT_TOKEN}",
                    "Cookie": f"sid={canary('sid')}; csrf={canary('csrf')}",
                    "X-Api-Key": canary("header"),
                },
                "body": {"message": "{{message}}", "secret": "${BODY_SECRET}"},
            },
            targets={
                "listed": serves("LISTED_TOKEN", ["LISTED_TOKEN"]),
                "mapped": serves("DB_PASSWORD", {"DB_PASSWORD": canary("mapped")}),
            },
            judge=judge,
            report={"transcripts": "all"},
        )
        (tmp_path / "server.py").write_text(ECHOING_SERVER)
        project.environment |= {
            "SHOP_PASSWORD": canary("case"),
            "BOT_TOKEN": canary("bot"),
            "BODY_SECRET": canary("body"),
            "LISTED_TOKEN": canary("listed"),
            "LLM": canary("judge"),
        }
        finished = project.run()
        said = project.everything_said() + json.dumps(finished.document)
        assert re.findall("canary-[a-z]+", said) == []
        assert said.count("***") > 20, "the secrets did come back"
        outcomes = {
            test["id"]: test["result"]
            for group in project.report()["groups"]
            for test in group["tests"]
        }
        assert outcomes["case_shop.py::test_raises"] == "error"
        if provider == "openai":
            assert "Incorrect API key provided: ***" in said
        else:
            assert outcomes["refunds/asks"] == outcomes["refunds/mapped"] == "passed"


@pytest.mark.parametrize(
    ("env", "variables"),
    [
        (["DB_PASSWORD"], {"DB_PASSWORD": canary("served")}),
        ({"DB_PASSWORD": canary("served")}, {}),
        ({"DB_PASSWORD": "${OTHER_SECRET}"}, {"OTHER_SECRET": canary("served")}),
    ],
)
def test_a_served_target_that_dies_telling_its_secrets_tells_none(
    project: Project, env: Any, variables: dict[str, str]
) -> None:
    project.write(scenario("Asks"), target=serves("DB_PASSWORD", env))
    (project.folder / "server.py").write_text(
        "import os, sys\nprint(os.environ['DB_PASSWORD'], flush=True)\n"
        "sys.exit('cannot connect with ' + os.environ['DB_PASSWORD'])\n"
    )
    project.environment |= variables
    with pytest.raises(CannotStart) as error:
        project.run()
    said = f"{error.value}{error.value.problems}{error.value.output}{project.log}"
    assert "cannot connect with ***" in said
    assert "canary" not in said


def test_a_case_file_that_cannot_be_imported_tells_no_secret(project: Project) -> None:
    project.write(
        cases="import os\nraise RuntimeError('password ' + os.environ['SHOP_PASSWORD'])\n",
        suite={"env": ["SHOP_PASSWORD"]},
    )
    project.environment["SHOP_PASSWORD"] = canary("import")
    with pytest.raises(InvalidInput) as error:
        project.run()
    assert "password ***" in str(error.value)
    assert "canary" not in f"{error.value}{error.value.problems}{error.value.output}{project.log}"


def test_what_the_front_door_knows_to_be_secret_is_one(tmp_path: Path) -> None:
    def echoes_the_message(path: str, body: Any) -> tuple[int, Any]:
        del path
        return 200, {"reply": f"14 days for {body['message']}"}

    with a_project(tmp_path, echoes_the_message) as project:
        project.write(scenario("Asks", canary("token")), report={"transcripts": "all"})
        project.run(secrets=(canary("token"),))
        said = project.everything_said()
    assert "14 days for ***" in said
    assert "canary" not in said


def test_a_judge_that_changed_since_the_baseline_is_said_in_every_report(project: Project) -> None:
    project.write(scenario("Asks"))
    project.run()
    earlier = project.folder / "earlier.json"
    report = project.report()
    report["judge"]["provider"] = "anthropic"
    earlier.write_text(json.dumps(report))
    project.run(overrides={"run.baseline": "earlier.json"})
    words = "it was anthropic and is stub"
    for name in ("report.json", "report.html", "summary.md"):
        assert words in (project.folder / "out" / name).read_text(), name


def test_a_baseline_that_is_no_report_stops_before_anything_is_sent(project: Project) -> None:
    project.write(scenario("Asks"))
    (project.folder / "earlier.json").write_text("{}")
    with pytest.raises(InvalidInput, match=r"earlier\.json"):
        project.run(overrides={"run.baseline": "earlier.json"})
    assert project.bot.requests == []
