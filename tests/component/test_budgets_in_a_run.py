"""Budgets over a whole run: what servers and programs really get, and what the report says."""

import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from tests.loopback import Answer
from tests.projects import Project, a_project, scenario

ASKS = {"expected": "Says how long."}
COSTS = {"usd": 0.01, "tokens": 110}
PRICE = {"input": 50, "output": 500}
"""100 tokens in and 10 out come to a cent."""


def a_shop(*, broken: int = 0) -> Answer:
    """A bot and an openai judge in one server; every ``broken``th answer is a 503."""
    counted = itertools.count(1)

    def answer(path: str, body: Any) -> tuple[int, Any]:
        del body
        if broken and next(counted) % broken == 0:
            return 503, {"error": "busy"}
        if path == "/chat":
            return 200, {"reply": "You have 14 days.", "tokens": 500}
        message = {"role": "assistant", "content": '{"pass": true, "reason": "so"}'}
        return 200, {
            "model": "m-1",
            "choices": [{"message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }

    return answer


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with a_project(tmp_path, a_shop()) as made:
        yield made


def write(project: Project, *, tests: int = 3, runs: int = 10, **sections: Any) -> None:
    """Write a suite with a judge at the project's server that costs a cent a judgement."""
    judge: dict[str, Any] = {
        "provider": "openai", "model": "m-1", "base_url": f"{project.bot.url}/v1", "api_key": "k",
        "preflight": False, "retries": 0, "price": PRICE,
    }  # fmt: skip
    run = {"runs": runs, "threshold": "0.7", "cache": "off"}
    project.write(
        *(scenario(f"Asks {number}", f"How {number}?", **ASKS) for number in range(tests)),
        run=run | sections.pop("run", {}),
        judge=judge | sections.pop("judge", {}),
        **sections,
    )


def a_target(project: Project, **changes: Any) -> dict[str, Any]:
    return {"url": f"{project.bot.url}/chat", "response_path": "reply", "retries": 0} | changes


def runs_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [run for group in report["groups"] for test in group["tests"] for run in test["runs"]]


def all_tests(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [test for group in report["groups"] for test in group["tests"]]


# --- requests -----------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 2, 7, 30, 59])
def test_servers_get_as_many_requests_as_the_budget_has_and_no_more(
    project: Project, most: int
) -> None:
    write(project, budget={"requests": most})
    project.run()
    report = project.report()
    assert len(project.bot.requests) == most
    budget = report["summary"]["budget"]
    assert (budget["requests"], budget["spent_requests"]) == (most, most)
    assert report["summary"]["target_requests"] + report["summary"]["judge_requests"] == most
    assert (report["status"], report["exit_code"]) == ("error", 3)


def test_a_budget_that_is_just_enough_leaves_nothing_out(project: Project) -> None:
    write(project, budget={"requests": 60})
    project.run()
    report = project.report()
    assert len(project.bot.requests) == 60
    assert (report["status"], report["summary"]["reasons"]) == ("passed", [])
    assert report["summary"]["budget"]["refused"] is None
    assert not [warning for warning in report["warnings"] if "budget" in warning]


def test_every_retry_counts(tmp_path: Path) -> None:
    with a_project(tmp_path, a_shop(broken=3)) as project:
        write(
            project,
            target=a_target(project, retries=3),
            judge={"retries": 3},
            budget={"requests": 20},
        )
        project.run()
        assert len(project.bot.requests) == 20
        assert project.report()["summary"]["budget"]["spent_requests"] == 20


def test_the_look_at_the_judge_counts(tmp_path: Path) -> None:
    def decides(path: str, body: Any) -> tuple[int, Any]:
        if path == "/chat":
            return a_shop()(path, body)
        answers = {key: {"type": "noul", "noul": 0.9} for key in body.get("questions", {})}
        return 200, {"model": "jev-1", "answers": answers, "usage": {"input_tokens": 9}}

    with a_project(tmp_path, decides) as project:
        judge = {"provider": "systemone", "preflight": True, "base_url": project.bot.url}
        write(project, judge=judge, budget={"requests": 9})
        project.run()
        assert len(project.bot.requests) == 9
        assert project.report()["summary"]["judge_requests"] >= 1


def test_most_of_what_is_paid_for_is_judged(project: Project) -> None:
    write(project, budget={"requests": 31})
    project.run()
    outcomes = Counter(run["outcome"] for run in runs_of(project.report()))
    assert outcomes["pass"] == 15, "31 requests are 15 whole runs and one answer"
    assert outcomes["judge_error"] <= 1


@pytest.mark.parametrize("most", [6, 7])
def test_programs_count_as_requests(tmp_path: Path, most: int) -> None:
    tally = tmp_path / "tally.txt"
    code = f"open({str(tally)!r}, 'a').write('x'); print({{}})"
    (tmp_path / "bot.py").write_text(code.format("'You have 14 days.'"))
    (tmp_path / "judge.py").write_text(code.format("""'{"pass": true}'"""))
    with a_project(tmp_path, a_shop()) as project:
        project.write(
            scenario("Asks", **ASKS),
            judge={"provider": "command", "command": [sys.executable, "judge.py"]},
            run={"runs": 5, "threshold": "0.5", "gate": "rate", "cache": "off"},
            budget={"requests": most},
        )
        config = json.loads((tmp_path / "ci-judge.yaml").read_text())
        config["target"] = {"command": [sys.executable, "bot.py"]}
        (tmp_path / "ci-judge.yaml").write_text(json.dumps(config))
        project.run()
        report = project.report()
        assert len(tally.read_text()) == most
        assert report["summary"]["budget"]["spent_requests"] == most
        assert report["summary"]["target_requests"] + report["summary"]["judge_requests"] == most


# --- what stands, and what is said --------------------------------------------------------


def test_gates_that_stand_whatever_else_would_come_are_kept(tmp_path: Path) -> None:
    def answer(path: str, body: Any) -> tuple[int, Any]:
        del path
        return 200, {"reply": "Who knows." if body["message"] == "bad?" else "14 days."}

    with a_project(tmp_path, answer) as project:
        project.write(
            scenario("Bad", "bad?"),
            scenario("Short", "short?", runs=1, gate="misses", misses=0),
            scenario("Long", "long?"),
            run={"runs": 10, "gate": "misses", "misses": 1, "concurrency": 1},
            budget={"requests": 7},
        )
        project.run()
        report = project.report()
        assert len(project.bot.requests) == 7
        assert {test["name"]: test["result"] for test in all_tests(report)} == {
            "Bad": "failed",
            "Short": "passed",
            "Long": "error",
        }
        assert report["exit_code"] == 1


def test_the_report_says_what_was_spent_and_what_was_left_out(project: Project) -> None:
    write(project, budget={"requests": 20})
    project.run()
    report = project.report()
    left = sum(run["reason_code"] == "budget" for run in runs_of(report))
    assert left == 20
    assert report["summary"]["reasons"] == [{"code": "budget", "runs": left}]
    budget = report["summary"]["budget"]
    assert (budget["runs_left_out"], budget["tests_left_out"]) == (left, 3)
    (warning,) = (warning for warning in report["warnings"] if "budget" in warning)
    assert warning == (
        "the budget of 20 requests is spent (budget.requests): 20 runs of 3 tests left out"
    )
    for test in all_tests(report):
        assert test["result"] == "error"
        assert test["gate"]["sentence"].endswith("The budget was spent before it was decided.")
    for name in ("report.html", "summary.md"):
        text = (project.folder / "out" / name).read_text()
        assert "20 of 20 requests" in text
        assert text.count("is spent (budget.requests)") == 1
    assert sum("is spent (budget.requests)" in line for line in project.log) <= 1


# --- money and tokens ---------------------------------------------------------------------


@pytest.mark.parametrize(("key", "limit"), [("usd", 0.155), ("tokens", 1_700), ("usd", 0.30)])
def test_money_and_tokens_are_never_passed_where_each_request_costs_the_same(
    project: Project, key: str, limit: float
) -> None:
    write(project, budget={key: limit})
    project.run()
    report = project.report()
    judged = len(project.bot.to("/v1/chat/completions"))
    assert judged == min(int(limit / COSTS[key] + 1e-9), 30)
    assert report["summary"]["budget"][f"spent_{key}"] == pytest.approx(judged * COSTS[key])
    assert report["summary"]["cost_usd"] == pytest.approx(judged * 0.01)
    assert report["exit_code"] == (0 if judged == 30 else 3)


def test_a_priced_target_spends_the_same_money(project: Project) -> None:
    usage = {"output_path": "tokens", "output_price": 20, "per_request": 0}  # a cent an answer
    write(project, budget={"usd": 0.105}, target=a_target(project, usage=usage))
    project.run()
    assert len(project.bot.requests) == 10
    assert project.report()["summary"]["cost_usd"] == pytest.approx(0.1)


def test_verdicts_out_of_the_cache_cost_nothing(project: Project) -> None:
    write(project, run={"cache": "verdicts"})
    project.run()
    known = len(project.bot.to("/v1/chat/completions"))
    assert known == 3, "every run of a test got the same answer"
    write(project, run={"cache": "verdicts"}, budget={"usd": 0.001, "requests": 30})
    project.run()
    report = project.report()
    assert len(project.bot.to("/v1/chat/completions")) == known
    assert (report["status"], report["summary"]["budget"]["spent_usd"]) == ("passed", 0)
    assert report["summary"]["budget"]["spent_requests"] == 30


def test_where_money_is_short_verdicts_out_of_the_cache_are_still_given(project: Project) -> None:
    write(project, run={"cache": "verdicts"})
    project.run()
    write(project, tests=4, run={"cache": "verdicts"}, budget={"usd": 0.015})
    project.run()
    report = project.report()
    assert report["status"] == "passed", "the fourth test cost a cent, the others nothing"
    assert report["summary"]["cost_usd"] == pytest.approx(0.01)


def test_a_judge_that_fails_at_first_is_no_reason_to_spend_no_more(tmp_path: Path) -> None:
    asked = itertools.count(1)
    dreams = {"role": "assistant", "content": "Hm."}

    def waking(path: str, body: Any) -> tuple[int, Any]:
        asleep = path != "/chat" and next(asked) <= 2
        return (200, {"choices": [{"message": dreams}]}) if asleep else a_shop()(path, body)

    with a_project(tmp_path, waking) as project:
        write(project, budget={"usd": 100})
        project.run()
        report = project.report()
        assert len(project.bot.to("/v1/chat/completions")) == 30
        budget = report["summary"]["budget"]
        assert (budget["refused"], budget["estimated"]) == (None, True)


def test_a_judge_that_does_not_tell_its_tokens_ends_a_run_whose_tokens_are_limited(
    tmp_path: Path,
) -> None:
    def silent(path: str, body: Any) -> tuple[int, Any]:
        status, value = a_shop()(path, body)
        return status, {key: item for key, item in value.items() if key != "usage"}

    with a_project(tmp_path, silent) as project:
        write(project, budget={"tokens": 10_000})
        project.run()
        report = project.report()
        assert len(project.bot.to("/v1/chat/completions")) <= 2
        assert report["exit_code"] == 3
        assert any("the budget cannot be held" in warning for warning in report["warnings"])


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"judge": {"price": None}}, "what the judge openai model 'm-1' costs is not known"),
        ({"judge": {"provider": "stub"}}, "budget.usd limits nothing"),
    ],
)
def test_a_budget_of_money_without_a_price_is_refused_before_anything_is_sent(
    project: Project, sections: dict[str, Any], said: str
) -> None:
    if sections["judge"].get("provider") == "stub":
        project.write(scenario("Asks"), budget={"usd": 1})
    else:
        write(project, budget={"usd": 1}, **sections)
    with pytest.raises(InvalidInput) as caught:
        project.run()
    assert said.replace("'", '"') in str(caught.value.problems[0])
    assert "judge.price" in str(caught.value.problems[0]) or "target.usage" in str(
        caught.value.problems[0]
    )
    assert project.bot.requests == []


def test_money_that_a_target_costs_and_nobody_counts_is_warned_about(project: Project) -> None:
    write(project, budget={"usd": 100})
    project.run()
    assert any(
        "budget.usd does not count what target costs" in warning
        for warning in project.report()["warnings"]
    )


# --- minutes ------------------------------------------------------------------------------


def test_after_its_minutes_nothing_is_sent(project: Project) -> None:
    write(project, budget={"minutes": 1e-6})
    project.run()
    report = project.report()
    assert project.bot.requests == []
    assert {run["reason_code"] for run in runs_of(report)} == {"budget"}
    assert report["exit_code"] == 3


def test_the_ledger_holds_every_run_that_was_left_out(project: Project) -> None:
    write(project, budget={"requests": 4})
    project.run()
    lines = (project.folder / "out/attempts.jsonl").read_text().splitlines()
    runs = [entry for entry in map(json.loads, lines) if "test" in entry]
    assert len(runs) == 30
    assert len({(run["test"], run["number"]) for run in runs}) == 30


SERVES = """
import http.server, sys

class Bot(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"reply": "14 days."}'
        self.send_response(200); self.send_header("Content-Length", str(len(body)))
        self.end_headers(); self.wfile.write(body)

    def log_message(self, *_): pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Bot).serve_forever()
"""


def test_asking_whether_a_served_target_is_up_is_no_request_of_the_run(project: Project) -> None:
    (project.folder / "bot.py").write_text(SERVES)
    address = "http://127.0.0.1:{{port}}/"
    command = [sys.executable, "bot.py", "{{port}}"]
    project.write(
        scenario("Asks"),
        target={"url": address, "serve": {"command": command, "ready_url": address}},
        run={"runs": 4},
        budget={"requests": 4},
    )
    project.run()
    report = project.report()
    assert (report["status"], report["summary"]["budget"]["spent_requests"]) == ("passed", 4)
