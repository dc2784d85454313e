"""Endpoints as they are: odd values, templates, pages instead of answers, bytes of every kind."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.cases.collection import required
from tests.cases.outcome import Outcome
from tests.cases.workbench import Open, Workbench

required()

GOOD = {"status": 200, "json": {"reply": "You have 14 days."}}


def each_reply(case: Workbench, *replies: Any, **changes: Any) -> Outcome:
    """Give a run to each reply of the endpoint, in order."""
    case.change(endpoint_replies=list(replies))
    run = {"runs": len(replies), "concurrency": 1}
    return case.play(changes={"run": run, **changes})


def test_h27_values_of_every_kind_at_the_path(bench: Open) -> None:
    case = bench("H27")
    replies = case.load("replies.json")
    with case.servers() as running:
        outcome = case.run(running, changes={"run": {"runs": len(replies), "concurrency": 1}})
    responses = [run["response"] for run in outcome.runs]
    assert responses == ["false", "0", "", None, None, "3.5", '{"a":1}', '["x"]', None]
    errors = [n for n, run in enumerate(outcome.runs) if run["outcome"] == "target_error"]
    assert errors == [3, 4, 8], "null and missing"
    assert all("reply" in outcome.reasons[number] for number in errors)
    assert {run["outcome"] for run in outcome.runs} == {"fail", "target_error"}


@pytest.mark.parametrize(
    ("path", "response", "words"),
    [
        ("choices.0.message.content", "in a list", ""),
        ("choices.-1.message.content", None, "-1"),  # no index from the end is documented
        ("choices.9.message.content", None, "9"),
    ],
)
def test_h27_paths_through_a_list(bench: Open, path: str, response: str | None, words: str) -> None:
    case = bench("H27")
    case.change(endpoint_replies_file=None, target={"response_path": path})
    answer = {"choices": [{"message": {"content": "in a list"}}]}
    outcome = each_reply(case, answer)
    (run,) = outcome.runs
    assert run["response"] == response
    assert words in run["reason"]
    assert outcome.printed.count(path) <= 3, "one message, not one a run"


TEMPLATES: list[tuple[dict[str, Any], Callable[[Any], str], str]] = [
    ({"message": "{{message}}", "history": "{{history}}"}, lambda body: body["message"], ""),
    ({"q": "Q: {{message}} (end)", "h": []}, lambda body: body["q"], "Q:"),
    ({"list": [{"deep": "{{message}}"}]}, lambda body: body["list"][0]["deep"], ""),
]


@pytest.mark.parametrize("number", range(3))
def test_h28_messages_arrive_as_they_are(bench: Open, number: int) -> None:
    body, find, around = TEMPLATES[number]
    case = bench("H28")
    long = {"name": "Long", "message": "0123456789" * 10_000, "expected": "Answers."}
    case.write("scenarios.yaml", case.read("scenarios.yaml") + f"  - {json.dumps(long)}\n")
    case.change(target={"body": body})
    with case.servers() as running:
        outcome = case.run(running)
        requests = running.asked("endpoint")
    sent = [find(json.loads(request["body"])) for request in requests]
    messages = [test["turns"][0] for test in outcome.tests]
    assert "a\x01b\u2028c" in messages
    assert "first line\nsecond\tline\n" in messages
    assert "look in C:\\new\\table" in messages
    assert "\U0001f469\u200d\U0001f680 ok" in messages
    assert sorted(sent) == sorted(f"Q: {each} (end)" if around else each for each in messages)
    for request in requests:
        headers = {key.lower(): value for key, value in request["headers"].items()}
        assert headers["content-type"].startswith("application/json")
        assert int(headers["content-length"]) == len(request["body"].encode())
        if number == 0:
            assert json.loads(request["body"])["history"] == []


def test_h28_history_inside_a_longer_string_is_json_or_refused(bench: Open) -> None:
    case = bench("H28")
    case.change(target={"body": {"message": "{{message}}", "all": "H: {{history}}"}})
    with case.servers() as running:
        outcome = case.run(running)
        sent = [body["all"] for body in running.bodies("endpoint")]
    assert set(sent) <= {"H: []"}
    assert sent or outcome.exit_code == 2


def test_h30_a_page_is_not_an_answer(bench: Open) -> None:
    case = bench("H30")
    outcome = case.play(changes={"run": {"concurrency": 1}})
    assert outcome.exit_code == 3
    assert outcome.outcomes == ["target_error"] * 6
    kinds = ["text/html", "text/event-stream", "204", "text/plain", "", ""]
    for run, kind in zip(outcome.runs, kinds, strict=True):
        told = run["reason"] + run["failure"]["detail"]
        assert kind in told
        assert len(run["reason"]) < 600
    login = case.read("body_login.html")
    assert login.strip()[:20] not in outcome.text("report.html"), "inert"


def test_h30_plain_text_is_an_answer_where_no_path_is_set(bench: Open) -> None:
    case = bench("H30")
    case.change(target={"response_path": None})
    outcome = each_reply(
        case, {"status": 200, "content_type": "text/plain", "file": "body_plain.txt"}
    )
    assert outcome.outcomes == ["pass"]


@pytest.mark.parametrize("flags", [[], ["--mode", "silent"]])
def test_h31_a_server_that_drips_is_given_up(bench: Open, flags: list[str]) -> None:
    case = bench("H31")
    began = time.monotonic()
    outcome = case.play(*flags)
    assert time.monotonic() - began < 3 + 5 + 10  # and the machine may be busy
    assert outcome.exit_code == 3
    (reason,) = outcome.reasons
    assert "3" in reason
    (run,) = outcome.runs
    assert run["failure"]["code"] == "timeout"
    assert run["duration_seconds"] < 5


def test_h33_a_connection_that_was_dropped_is_made_again(bench: Open) -> None:
    case = bench("H33")
    with case.servers() as running:
        outcome = case.run(running, changes={"target": {"retries": 2}})
        asked = len(running.asked("endpoint"))
    assert outcome.exit_code == 0
    assert outcome.outcomes == ["pass"] * 10
    assert asked <= 15


def test_h33_half_an_answer_is_not_judged(bench: Open) -> None:
    case = bench("H33")
    outcome = case.play("--mode", "half", changes={"run": {"runs": 2}})
    assert outcome.outcomes == ["target_error"] * 2


def test_h34_bytes_are_read_as_what_they_are(bench: Open) -> None:
    case = bench("H34")
    head, _, text = case.read("scenarios.yaml").partition("expected: ")
    case.write("scenarios.yaml", f"{head}expected: >-\n      {text}")  # ": " is no plain YAML
    outcome = case.play(changes={"run": {"concurrency": 1}})
    assert outcome.outcomes[:3] == ["pass"] * 3
    assert {run["response"] for run in outcome.runs[:3]} == {"Caf\u00e9: 14 days \u2013 na\u00efve"}
    assert outcome.outcomes[3] == "pass" or "utf-16" in outcome.reasons[3].lower()
    assert outcome.outcomes[4] in {"target_error", "fail"}


def test_h35_hostile_json_costs_its_own_run_alone(bench: Open) -> None:
    case = bench("H35")
    case.make("make_bodies.py")
    files = ["body_nested.json", "body_bigint.json", "body_inf.json", "body_dup.json"]
    replies = [{"status": 200, "file": file} for file in [*files, "body_50mb.json"]]
    case.change(endpoint_replies=[GOOD, *replies, GOOD])
    with case.servers() as running:
        case.configure(running, {"run": {"runs": 7, "concurrency": 1}})
        outcome, peak_mib = case.measured("run")
    outcome.check()
    assert peak_mib < 500
    first, nested, big, infinite, twice, huge, last = outcome.runs
    assert first["outcome"] == last["outcome"] == "pass"
    # nested far too deep beside the answer: read, or an error of this run
    assert nested["outcome"] in {"pass", "target_error"}
    assert big["outcome"] == "target_error" or big["response"].startswith("777")
    assert huge["outcome"] == "target_error", "more than is read"
    assert twice["response"] in {"A fortnight", None}
    assert "Infinity" not in outcome.text("report.json") + outcome.text("attempts.jsonl")
    assert infinite["outcome"] != "pass"
    for run in outcome.runs:
        assert "\n" not in run["reason"]


def test_h35_a_judge_that_answers_an_enormous_number_is_an_error(bench: Open) -> None:
    case = bench("H35")
    case.change(judge={"provider": "anthropic", "reply_files": ["judge_bigint.json"]})
    outcome = each_reply(case, GOOD)
    assert outcome.outcomes == ["judge_error"]


def test_h36_compressed_answers(bench: Open) -> None:
    case = bench("H36")
    case.make("make_bodies.py")
    replies = case.suite["endpoint_replies"]
    bomb = {"status": 200, "headers": {"Content-Encoding": "gzip"}, "file": "bomb.gz"}
    case.change(endpoint_replies=[*replies, bomb])
    with case.servers() as running:
        outcome = case.run(running, changes={"run": {"runs": 5, "concurrency": 1}})
        offered = {
            each.strip()
            for request in running.asked("endpoint")
            for key, value in request["headers"].items()
            if key.lower() == "accept-encoding"
            for each in value.split(",")
        }
    assert offered <= {"gzip", "deflate", "identity"}
    assert outcome.outcomes == ["pass", "pass", "target_error", "target_error", "pass"]
    assert "br" in outcome.reasons[3].replace('"', " ").replace("'", " ").split()


def test_h39_half_an_emoji_breaks_nothing(bench: Open) -> None:
    case = bench("H39")
    with case.servers() as running:
        outcome = case.run(running, changes={"run": {"concurrency": 1}})
        asked = running.bodies("judge")
    assert len(asked) == 3, "the phrase matched, and each question is JSON"
    assert outcome.outcomes == ["fail"] * 3
    for run in outcome.runs:
        assert run["response"].startswith("You have 14 days ")
    shown = [outcome.text(name) for name in ("summary.md", "report.html")]
    assert all("odd byte" in text for text in shown)
    junit = outcome.text("junit.xml")
    assert "odd byte" in junit
    assert "\ufffe" not in junit
    assert "\x00" not in "".join([*shown, junit])
