"""What a target is sent: forms, text, queries, sessions, traces, and whom it trusts."""

import asyncio
import json
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

from ci_judge.document.recorded_runs import recorded_run
from ci_judge.document.run_entries import run_entry
from ci_judge.errors import InvalidInput
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode
from ci_judge.model.judging import Run
from ci_judge.model.suite import Message, Scenario
from ci_judge.settings import load_settings
from ci_judge.targets.http_api import HttpTarget
from ci_judge.targets.settings import TargetSettings
from ci_judge.targets.template_problems import template_problems
from ci_judge.targets.tracing import sent_trace_id
from tests.model_builders import a_scenario
from tests.projects import Project, a_project, knows_refunds, scenario
from tests.tools import tool
from tests.wires import Script, ok, plain_answer, read_request, talking

PAST = (Message(role="user", content="hi"),)
TALK = a_scenario(turns=("Refunds & \u00fcber 100%?", "Sure?"), history=PAST)
ONE = a_scenario(turns=("Refunds & \u00fcber 100%?",))
IDS = [f"{number:02x}" for number in range(1, 200)]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with a_project(tmp_path, knows_refunds) as made:
        yield made


def hex_ids() -> Any:
    """Give ids that count up, each as long as it is asked for."""
    numbers = iter(IDS)
    return lambda size: next(numbers) * size


def a_target(**changes: Any) -> TargetSettings:
    values: dict[str, Any] = {"url": "http://bot.test/chat", "response_path": "reply"}
    return TargetSettings.model_validate(values | {"retries": 0} | changes)


def held(
    script: Script, scenario: Scenario, *, ids: Any = None, **changes: Any
) -> Conversation | EvidenceFailure:
    target = HttpTarget(
        a_target(**changes),
        transport=script.transport(),
        fresh_uuid=lambda: "uuid-1",
        hex_id=ids,
    )
    return asyncio.run(target.converse(scenario, run_number=1))


def sent(scenario: Scenario = ONE, **changes: Any) -> httpx.Request:
    script = Script([ok({"reply": "14 days."})])
    assert isinstance(held(script, scenario, **changes), Conversation)
    return script.requests[0]


# --- bodies ---


def test_a_form_is_a_form() -> None:
    body = {"q": "{{message}}", "past": "{{history}}", "n": 3, "x": 1.5, "id": "a-{{uuid}}"}
    request = sent(TALK, content_type="form", body=body)
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"
    assert parse_qsl(request.content.decode(), strict_parsing=True) == [
        ("q", TALK.turns[0]),
        ("past", json.dumps([{"role": "user", "content": "hi"}])),
        ("n", "3"),
        ("x", "1.5"),
        ("id", "a-uuid-1"),
    ]
    assert b"Refunds+%26+%C3%BCber+100%25%3F" in request.content


def test_a_form_holds_message_and_history_unless_it_says_otherwise() -> None:
    request = sent(content_type="form")
    assert [name for name, _ in parse_qsl(request.content.decode())] == ["message", "history"]


@pytest.mark.parametrize(
    ("body", "arrives"),
    [("Q: {{message}}\n", "Q: Refunds & \u00fcber 100%?\n"), (None, "Refunds & \u00fcber 100%?")],
)
def test_text_is_text(body: str | None, arrives: str) -> None:
    request = sent(content_type="text", body=body)
    assert request.headers["content-type"] == "text/plain; charset=utf-8"
    assert request.content.decode() == arrives


def test_half_an_emoji_makes_a_legal_form_and_text() -> None:
    half = a_scenario(turns=("\ud83d",))
    assert sent(half, content_type="form", body={"q": "{{message}}"}).content == b"q=%3F"
    assert sent(half, content_type="text").content == b"?"


def test_a_configured_content_type_wins() -> None:
    request = sent(content_type="text", headers={"content-type": "text/markdown"})
    assert request.headers.get_list("content-type") == ["text/markdown"]


# --- queries ---


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_every_method_takes_a_query(method: str) -> None:
    query = {"q": "{{message}}", "tag": ["a b", "{{uuid}}"], "page": "1", "empty": ""}
    request = sent(method=method, query=query)
    assert request.method == method
    assert parse_qsl(request.url.query.decode(), keep_blank_values=True) == [
        ("q", TALK.turns[0]),
        ("tag", "a b"),
        ("tag", "uuid-1"),
        ("page", "1"),
        ("empty", ""),
    ]
    assert bool(request.content) is (method != "GET")


def test_a_query_joins_the_one_in_the_url() -> None:
    request = sent(url="http://bot.test/chat?v=2#part", query={"q": "x&y=z"})
    assert str(request.url) == "http://bot.test/chat?v=2&q=x%26y%3Dz"


# --- sessions ---


def replies(*sessions: Any) -> Script:
    return Script([ok({"reply": "Yes.", "meta": {"id": session}}) for session in sessions])


EVERYWHERE: dict[str, Any] = {
    "url": "http://bot.test/{{session}}/chat",
    "headers": {"X-Session": "s-{{session}}"},
    "query": {"s": "{{session}}"},
    "body": {"m": "{{message}}", "session": "{{session}}", "as_text": "<{{session}}>"},
    "capture": {"session": "meta.id"},
}


def test_a_session_is_sent_back_in_later_turns_and_is_nothing_before() -> None:
    script = replies("a/1", "a/1")
    assert isinstance(held(script, TALK, **EVERYWHERE), Conversation)
    first, second = script.requests
    assert [request.url.raw_path for request in script.requests] == [
        b"//chat?s=",
        b"/a%2F1/chat?s=a%2F1",
    ]
    assert (first.headers["x-session"], second.headers["x-session"]) == ("s-", "s-a/1")
    assert json.loads(first.content) == {"m": TALK.turns[0], "session": None, "as_text": "<>"}
    assert json.loads(second.content) == {"m": "Sure?", "session": "a/1", "as_text": "<a/1>"}


@pytest.mark.parametrize(
    ("sessions", "sent_back"),
    [
        ((7, 7, 7), [None, 7, 7]),
        (("a", "b", "c"), [None, "a", "b"]),
        (("a", None, None), [None, "a", "a"]),
    ],
)
def test_the_last_session_that_was_told_is_sent_back(
    sessions: tuple[Any, ...], sent_back: list[Any]
) -> None:
    script = replies(*sessions)
    three = a_scenario(turns=("one", "two", "three"))
    body = {"m": "{{message}}", "session": "{{session}}"}
    held(script, three, body=body, capture={"session": "meta.id"})
    assert [body["session"] for body in script.bodies] == sent_back


def test_a_session_belongs_to_one_conversation() -> None:
    script = replies("a", "b")
    settings = a_target(
        body={"m": "{{message}}", "s": "{{session}}"}, capture={"session": "meta.id"}
    )
    target = HttpTarget(settings, transport=script.transport(), fresh_uuid=lambda: "u")

    async def twice() -> None:
        for number in (1, 2):
            await target.converse(ONE, run_number=number)

    asyncio.run(twice())
    assert [body["s"] for body in script.bodies] == [None, None]


def test_a_conversation_whose_session_nobody_told_does_not_go_on() -> None:
    script = replies(None, None)
    failed = held(script, TALK, **EVERYWHERE)
    assert isinstance(failed, EvidenceFailure)
    assert failed.code is FailureCode.NO_RESPONSE
    assert 'nothing at capture.session "meta.id"' in failed.message
    assert failed.attempts == len(script.requests) == 1
    assert [message.content for message in failed.transcript] == ["hi", TALK.turns[0], "Yes."]
    assert isinstance(held(replies(None), ONE, **EVERYWHERE), Conversation)


def test_a_streamed_session_is_sent_back_too() -> None:
    stream = b'data: {"id": "a", "t": "Yes"}\n\ndata: {"t": "."}\n\n'
    script = Script([httpx.Response(200, content=stream)])
    changes = {"stream": "sse", "stream_path": "t", "response_path": None}
    body = {"m": "{{message}}", "s": "{{session}}"}
    talk = held(script, TALK, body=body, capture={"session": "id"}, **changes)
    assert isinstance(talk, Conversation)
    assert [body["s"] for body in script.bodies] == [None, "a"]
    assert talk.response == "Yes."


# --- traces ---


def test_each_request_of_a_run_is_a_span_of_its_trace() -> None:
    script = Script([ok({"reply": "Yes."})])
    talk = held(script, TALK, ids=hex_ids())
    assert [request.headers["traceparent"] for request in script.requests] == [
        f"00-{'01' * 16}-{'02' * 8}-01",
        f"00-{'01' * 16}-{'03' * 8}-01",
    ]
    assert isinstance(talk, Conversation)
    assert talk.trace_id == "01" * 16


def test_a_run_that_failed_names_its_trace_too() -> None:
    failed = held(Script([httpx.Response(500)]), ONE, ids=hex_ids())
    assert isinstance(failed, EvidenceFailure)
    run = Run(test_id="t", number=1, outcome="target_error", reason="", failure=failed)
    entry = run_entry(run, max_response_chars=100)
    assert entry["trace_id"] == "01" * 16
    assert recorded_run(entry).failure == failed


@pytest.mark.parametrize(
    ("header", "trace_id"),
    [
        (f"00-{'ab' * 16}-{'cd' * 8}-00", "ab" * 16),
        (f"00-{'00' * 16}-{'cd' * 8}-00", None),
        (f"ff-{'ab' * 16}-{'cd' * 8}-00", None),
        ("mine", None),
    ],
)
def test_a_header_of_the_users_own_wins(header: str, trace_id: str | None) -> None:
    script = Script([ok({"reply": "Yes."})])
    talk = held(script, ONE, ids=hex_ids(), headers={"TraceParent": header})
    assert script.requests[0].headers.get_list("traceparent") == [header]
    assert isinstance(talk, Conversation)
    assert talk.trace_id == trace_id


def test_without_trace_nothing_is_sent() -> None:
    script = Script([ok({"reply": "Yes."})])
    talk = held(script, ONE, ids=hex_ids(), trace=False)
    assert "traceparent" not in script.requests[0].headers
    assert isinstance(talk, Conversation)
    assert talk.trace_id is None


def test_every_run_names_its_own_trace_in_the_report(project: Project) -> None:
    project.write(scenario("Asks"), scenario("Is broken", "broken"))
    project.run()
    tests = project.report()["groups"][0]["tests"]
    reported = [run["trace_id"] for test in tests for run in test["runs"]]
    sent_ids = [sent_trace_id(request.headers) for request in project.bot.requests]
    assert len(set(reported)) == 4
    assert sorted(reported) == sorted(map(str, sent_ids))


def test_a_streamed_run_is_timed_in_the_report(project: Project) -> None:
    target = {"stream": "ndjson", "stream_path": "reply", "response_path": None}
    project.write(scenario("Asks"), scenario("Asks wrong", "wrong"), target=target)
    project.run()
    test = project.report()["groups"][0]["tests"][0]
    assert test["first_token"]["max"] == max(run["first_token_seconds"] for run in test["runs"])
    assert test["first_token"]["max"] <= test["latency"]["max"]
    assert "first text after" in (project.folder / "out/report.html").read_text("utf-8")


# --- what is refused ---


def refusal(folder: Path, target: str) -> list[str]:
    (folder / "ci-judge.yaml").write_text(f"target:\n  url: http://x/\n  {target}\n")
    with pytest.raises(InvalidInput) as raised:
        load_settings(config=None, cwd=folder, environment={}, overrides={})
    return [str(problem) for problem in raised.value.problems]


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("content_type: xml", 'target.content_type must be "json", "form" or "text"'),
        ("content_type: form\n  body: text", "target.body must be a map"),
        ("content_type: form\n  body: {a: {b: c}}", "target.body.a must be text or a number"),
        ("content_type: form\n  body: {a: null}", "target.body.a must be text or a number"),
        ("content_type: text\n  body: {a: b}", "target.body must be one text"),
        ("method: GET\n  content_type: form", "target.content_type is not sent"),
        ("query: {a: {b: c}}", "target.query.a must be text or a list of texts"),
        ("query: {a: []}", "target.query.a"),
        ("stream: true", 'target.stream must be "none", "sse" or "ndjson"'),
        ("stream_path: a", "target.stream_path needs stream"),
        ("stream: ndjson", "target.stream_path is missing beside stream: ndjson"),
        ("stream: sse\n  capture: {tools: a}", "target.capture needs response_path"),
        ("stream: sse\n  stream_path: $.a", 'did you mean "a"?'),
        (
            "response_path: a\n  capture: {session: id}",
            "target.capture.session is sent back nowhere",
        ),
        ("follow_redirects: maybe", "target.follow_redirects must be true or false"),
    ],
)
def test_each_mistake_is_one_line_at_its_place(tmp_path: Path, target: str, problem: str) -> None:
    (found,) = refusal(tmp_path, target)
    assert found.startswith("ci-judge.yaml:")
    assert problem in found


@pytest.mark.parametrize(
    "keys",
    [
        {"stream": "sse"},
        {"trace": False},
        {"ca_bundle": "ca.pem"},
        {"follow_redirects": True},
        {"query": {"a": "b"}},
        {"content_type": "text"},
        {"response_path": "a", "capture": {"session": "id"}},
    ],
)
def test_what_is_for_endpoints_does_not_go_with_a_program(keys: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"does not go with command|is for url"):
        TargetSettings.model_validate({"command": "bot"} | keys)


def test_a_session_that_nobody_captures_is_a_placeholder_that_nothing_fills() -> None:
    settings = a_target(query={"s": "{{session}}", "q": "{{mesage}}"})
    found = [str(problem) for problem in template_problems(settings, section="target")]
    assert len(found) == 2
    assert any("set target.capture.session" in problem for problem in found)
    assert any('target.query holds "{{mesage}}"' in problem for problem in found)


@pytest.mark.parametrize(
    ("changes", "history", "names"),
    [
        ({"content_type": "text"}, False, False),
        ({"content_type": "form"}, True, False),
        ({"method": "GET", "query": {"h": "{{history}}"}}, True, False),
        ({"body": {"a": "{{message}}"}, "query": {"id": "{{uuid}}"}}, False, True),
        (EVERYWHERE, False, True),
    ],
)
def test_it_is_known_what_stands_in_a_request(
    changes: dict[str, Any],
    history: bool,  # noqa: FBT001 - a parameter
    names: bool,  # noqa: FBT001 - a parameter
) -> None:
    settings = a_target(**changes)
    assert settings.sends_history is history
    assert settings.names_the_conversation is names


# --- variables and secrets in a query ---


def test_a_query_takes_variables_and_hides_what_sounds_secret(tmp_path: Path) -> None:
    text = "target:\n  url: http://x/\n  query: {api_key: '${KEY}', v: 2}\n"
    (tmp_path / "ci-judge.yaml").write_text(text)
    settings = load_settings(
        config=None, cwd=tmp_path, environment={"KEY": "s3cr3t-s3cr3t"}, overrides={}
    )
    assert settings.target is not None
    assert settings.target.query == {"api_key": ("s3cr3t-s3cr3t",), "v": ("2",)}
    assert "s3cr3t" not in json.dumps(settings.public())


def test_a_secret_that_stands_in_a_query_is_in_no_report(project: Project) -> None:
    secret = "s3cr3t/s3cr3t"
    project.write(scenario("Asks"), target={"query": {"api_key": secret}, "url": project.bot.url})
    project.run()
    assert "api_key=s3cr3t%2Fs3cr3t" in project.bot.requests[0].path
    assert "s3cr3t" not in project.everything_said()


def test_text_that_looks_like_json_is_doubted_only_where_json_is_sent(tmp_path: Path) -> None:
    for content_type, doubts in (("json", 1), ("text", 0)):
        body = '{"a": 1} {{message}}'
        target = {"url": "http://x/", "body": body, "content_type": content_type}
        (tmp_path / "ci-judge.yaml").write_text(json.dumps({"target": target}))
        settings = load_settings(config=None, cwd=tmp_path, environment={}, overrides={})
        assert len(settings.warnings) == doubts


# --- authorities ---


def test_a_bundle_in_the_environment_is_named_from_where_the_command_runs(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text("target: {url: 'https://x/', ca_bundle: of-the-file}\n")
    cwd = tmp_path / "below"
    cwd.mkdir()

    def bundle(**environment: str) -> Path:
        settings = load_settings(config=None, cwd=cwd, environment=environment, overrides={})
        assert settings.target is not None
        return (settings.root / str(settings.target.ca_bundle)).resolve()

    assert bundle() == tmp_path / "of-the-file"
    assert bundle(CI_JUDGE_TARGET_CA_BUNDLE="ca.pem") == cwd / "ca.pem"


def test_a_bundle_that_is_not_there_is_found_before_anything_is_sent(project: Project) -> None:
    project.write(scenario("Asks"), target={"ca_bundle": "certificates/ca.pem"})
    with pytest.raises(InvalidInput) as raised:
        project.run()
    (problem,) = raised.value.problems
    assert 'target.ca_bundle names "certificates/ca.pem", which is no file' in str(problem)
    assert not project.bot.requests


def test_a_bundle_without_a_certificate_is_refused(project: Project) -> None:
    project.write(scenario("Asks"), target={"ca_bundle": "acceptance.md"})
    with pytest.raises(InvalidInput, match="holds no PEM certificate"):
        project.run()


def certificate(folder: Path) -> None:
    subprocess.run(
        [
            tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
            "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", str(folder / "key.pem"), "-out", str(folder / "ca.pem"),
        ],
        check=True,
        capture_output=True,
        timeout=30,
    )  # fmt: skip


@pytest.mark.parametrize("trusted", [True, False])
def test_a_target_with_authorities_of_its_own_is_trusted(
    project: Project,
    trusted: bool,  # noqa: FBT001 - a parameter
) -> None:
    certificate(project.folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(project.folder / "ca.pem", project.folder / "key.pem")

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await read_request(reader)
            writer.write(plain_answer(b'{"reply": "You have 14 days."}'))
            await writer.drain()

    async def exchange() -> None:
        async with asyncio.timeout(60), talking(talk, ssl=context) as port:
            target: dict[str, Any] = {"url": f"https://127.0.0.1:{port}/chat"}
            if trusted:
                target["ca_bundle"] = "ca.pem"
            project.write(scenario("Asks"), target=target)
            await project.execute()

    asyncio.run(exchange())
    (test,) = project.report()["groups"][0]["tests"]
    assert test["result"] == ("passed" if trusted else "error")
