"""A run goes on with what an earlier one left: the same suite's, and nothing else."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import ExitCode, InvalidInput
from ci_judge.model.judging import Run
from tests.projects import Front, Project, a_project, scenario


class MoodyBot:
    """Answers "14 days" to who says "right", and 400 to everyone while it is down."""

    def __init__(self) -> None:
        self.down = False

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        del path
        if self.down:
            return 400, {"error": "no"}
        return 200, {"reply": "14 days" if "right" in body["message"] else "no idea"}


@pytest.fixture
def bot() -> MoodyBot:
    return MoodyBot()


@pytest.fixture
def project(tmp_path: Path, bot: MoodyBot) -> Iterator[Project]:
    with a_project(tmp_path, bot.answer) as made:
        made.environment["COMMAND"] = "first"
        write(made, scenario("Asks", "right"), scenario("Asks wrong", "wrong"), run={"runs": 6})
        yield made


def write(project: Project, *scenarios: Any, target: Any = None, **sections: Any) -> None:
    """Write a suite whose requests say which command they are of: some arrive after its end."""
    body = {"message": "{{message}}", "command": "${COMMAND}"}
    project.write(*scenarios, target={"body": body} | (target or {}), **sections)


def asked(project: Project, command: str) -> int:
    return sum(request.body["command"] == command for request in project.bot.requests)


def resume(project: Project, **options: Any) -> None:
    project.environment["COMMAND"] = "second"
    project.run(resume=True, **options)


def stopping_after(project: Project, runs: int) -> Front:
    """A front door that interrupts the command when so many runs have ended."""
    seen: list[Run] = []

    def look(run: Run) -> None:
        seen.append(run)
        if len(seen) == runs:
            project.stop_sign.stop("interrupted by SIGINT", exit_code=ExitCode.INTERRUPTED)

    return Front(project.log, after_run=look)


def counts(report: Any) -> list[tuple[int, int, int, int]]:
    tests = [test for group in report["groups"] for test in group["tests"]]
    return [(test["passes"], test["fails"], test["errors"], test["not_run"]) for test in tests]


def interrupt(project: Project, *, after: int) -> None:
    project.run(front=stopping_after(project, after))
    assert project.report()["status"] == "interrupted"


def test_the_report_is_as_if_nothing_had_happened(project: Project) -> None:
    interrupt(project, after=5)
    first = project.report()
    kept = sum(run["outcome"] in {"pass", "fail"} for run in all_runs(first))
    assert 5 <= kept < 12
    resume(project)
    report = project.report()
    assert counts(report) == [(6, 0, 0, 0), (0, 6, 0, 0)]
    assert asked(project, "second") == 12 - kept
    assert report["exit_code"] == 1
    assert (report["run"]["seed"], report["run"]["interrupted"]) == (first["run"]["seed"], False)
    assert report["summary"]["runs_made"] == 12
    assert f"resumed: {kept} runs were made by an earlier command" in report["warnings"]


def all_runs(report: Any) -> list[dict[str, Any]]:
    return [run for group in report["groups"] for test in group["tests"] for run in test["runs"]]


def test_a_fresh_seed_is_kept_for_the_runs_that_are_left(project: Project) -> None:
    write(project, scenario("Asks", "right"), run={"runs": 6, "seed": None})
    interrupt(project, after=2)
    seed = project.report()["run"]["seed"]
    resume(project)
    assert project.report()["run"]["seed"] == seed


def test_a_finished_run_is_resumed_without_a_request(project: Project) -> None:
    project.run()
    before = project.report()
    resume(project)
    assert asked(project, "second") == 0
    assert project.report()["groups"] == before["groups"]


def test_error_runs_are_made_again_and_what_they_cost_is_remembered(
    project: Project, bot: MoodyBot
) -> None:
    bot.down = True
    project.run()
    assert counts(project.report()) != [(6, 0, 0, 0), (0, 6, 0, 0)]
    sent = len(project.bot.requests)
    bot.down = False
    resume(project)
    report = project.report()
    assert counts(report) == [(6, 0, 0, 0), (0, 6, 0, 0)]
    assert report["summary"]["target_requests"] == sent + 12 == len(project.bot.requests)


def another_scenario(project: Project) -> None:
    write(project, scenario("Asks", "right?"), scenario("Asks wrong", "wrong"), run={"runs": 6})


def another_gate(project: Project) -> None:
    write(project, scenario("Asks", "right"), scenario("Asks wrong", "wrong"), run={"runs": 7})


def another_judge(project: Project) -> None:
    write(
        project,
        scenario("Asks", "right"),
        scenario("Asks wrong", "wrong"),
        run={"runs": 6},
        judge={"provider": "stub", "instructions": "Be strict."},
    )


def another_seed(project: Project) -> None:
    write(
        project,
        scenario("Asks", "right"),
        scenario("Asks wrong", "wrong"),
        run={"runs": 6, "seed": 8},
    )


def another_criterion(project: Project) -> None:
    (project.folder / "acceptance.md").write_text("## Refunds\n\nWithin 30 days.\n")


@pytest.mark.parametrize(
    "change",
    [another_scenario, another_gate, another_judge, another_seed, another_criterion],
    ids=lambda change: change.__name__,
)
def test_runs_of_another_suite_are_not_taken_over(
    project: Project, change: Callable[[Project], None]
) -> None:
    interrupt(project, after=3)
    ledger = project.folder / "out/attempts.jsonl"
    left = ledger.read_bytes()
    change(project)
    with pytest.raises(InvalidInput, match=r'the run in ".*out" cannot be resumed'):
        resume(project)
    assert ledger.read_bytes() == left
    assert asked(project, "second") == 0


def test_how_fast_it_runs_and_where_it_reports_may_change(project: Project) -> None:
    interrupt(project, after=3)
    write(
        project,
        scenario("Asks", "right"),
        scenario("Asks wrong", "wrong"),
        run={"runs": 6, "concurrency": 2, "fail_on": "never"},
        target={"url": f"{project.bot.url}/chat", "response_path": "reply", "timeout": 5},
        report={"dir": "out", "html": "page.html"},
    )
    resume(project)
    assert counts(project.report()) == [(6, 0, 0, 0), (0, 6, 0, 0)]


@pytest.mark.parametrize("content", [None, "", "left over\n"])
def test_where_nothing_was_left_there_is_nothing_to_resume(
    project: Project, content: str | None
) -> None:
    if content is not None:
        (project.folder / "out").mkdir()
        (project.folder / "out/attempts.jsonl").write_text(content)
    with pytest.raises(InvalidInput, match=r"no run in .* that could be resumed"):
        resume(project)
    assert project.bot.requests == []


def test_a_line_that_somebody_damaged_is_made_again(project: Project) -> None:
    interrupt(project, after=6)
    ledger = project.folder / "out/attempts.jsonl"
    lines = ledger.read_text().splitlines()
    first = json.loads(lines[1])
    lines[1] = json.dumps({"test": first["test"], "number": first["number"]})
    ledger.write_text("\n".join([*lines, lines[2], '{"test": "refunds/asks", "number": 99}', ""]))
    resume(project)
    assert counts(project.report()) == [(6, 0, 0, 0), (0, 6, 0, 0)]


def test_without_resume_a_run_starts_anew(project: Project) -> None:
    interrupt(project, after=3)
    project.environment["COMMAND"] = "second"
    project.run()
    assert asked(project, "second") == 12
    lines = (project.folder / "out/attempts.jsonl").read_text().splitlines()
    assert len(lines) == 1 + 12


def forged(project: Project, change: Callable[[dict[str, Any]], None]) -> None:
    """Change each run that the ledger holds, which is one of every test at least."""
    ledger = project.folder / "out/attempts.jsonl"
    heading, *runs = map(json.loads, ledger.read_text("utf-8").splitlines())
    for run in runs:
        change(run)
    lines = map(json.dumps, [heading, *runs])
    ledger.write_text("\n".join([*lines, ""]), encoding="utf-8")


def a_flipped_verdict(run: dict[str, Any]) -> None:
    run["outcome"] = "pass" if run["outcome"] == "fail" else "fail"


def nothing_that_was_judged(run: dict[str, Any]) -> None:
    run.update(outcome="pass", checks=[], votes=[])


def no_duration(run: dict[str, Any]) -> None:
    run["duration_seconds"] = None


def a_list_for_an_outcome(run: dict[str, Any]) -> None:
    run["outcome"] = ["pass"]


def money_back(run: dict[str, Any]) -> None:
    run["replies"][0]["cost_usd"] = -1e9


def a_key_of_its_own(run: dict[str, Any]) -> None:
    run["extra"] = "::error::"


def no_number(run: dict[str, Any]) -> None:
    run["latency_seconds"] = float("nan")


@pytest.mark.parametrize(
    "change",
    [
        a_flipped_verdict,
        nothing_that_was_judged,
        no_duration,
        a_list_for_an_outcome,
        money_back,
        a_key_of_its_own,
        no_number,
    ],
    ids=lambda change: change.__name__,
)
def test_a_run_that_is_none_of_ours_is_made_again(
    project: Project, change: Callable[[dict[str, Any]], None]
) -> None:
    project.run()
    sent = len(project.bot.requests)
    forged(project, change)
    resume(project)
    assert counts(project.report()) == [(6, 0, 0, 0), (0, 6, 0, 0)]
    assert len(project.bot.requests) - sent == 12


@pytest.mark.parametrize("odd", [{"started": "yesterday"}, {"seed": -1}, {"seed": 2**53}])
def test_a_heading_that_is_none_of_ours_heads_nothing(
    project: Project, odd: dict[str, Any]
) -> None:
    project.run()
    ledger = project.folder / "out/attempts.jsonl"
    heading, _, runs = ledger.read_text("utf-8").partition("\n")
    ledger.write_text(json.dumps(json.loads(heading) | odd) + "\n" + runs, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"no run in .* that could be resumed"):
        resume(project)


def test_failures_of_the_earlier_command_count_for_maxfail(project: Project) -> None:
    write(
        project,
        scenario("Asks wrong", "wrong"),
        scenario("Asks", "right"),
        run={"runs": 6, "concurrency": 1},
    )

    project.run(front=stopping_after(project, 11))
    assert counts(project.report())[0] == (0, 6, 0, 0)
    resume(project, max_failures=1)
    assert asked(project, "second") == 0
    assert "stopped after 1 failed tests (--maxfail)" in project.report()["warnings"]


@pytest.mark.parametrize("message", ["right, says tester-4711", "right, t4"])
def test_what_is_secret_by_now_is_out_of_what_was_left(project: Project, message: str) -> None:
    """The second secret is shorter than what stands in its place: such a line does not fit."""
    write(project, scenario("Asks", message), run={"runs": 6})
    interrupt(project, after=3)
    write(
        project,
        scenario("Asks", message),
        run={"runs": 6},
        report={"dir": "out", "redact": ["tester-[0-9]+", "t4"]},
    )
    resume(project)
    report = project.report()
    assert counts(report) == [(6, 0, 0, 0)]
    secret = message.rpartition(" ")[2]
    for path in (project.folder / "out").iterdir():
        assert secret not in path.read_text("utf-8"), path.name
    assert all(run["redacted"] for run in all_runs(report))
