"""A target that is replayed: the same run again, and never one run for another."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from ci_judge.cache import Cache
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.suite import Message, Scenario
from ci_judge.targets.conversation_entries import conversation_entry, read_conversation
from ci_judge.targets.http_api import HttpTarget
from ci_judge.targets.recording import RecordingTarget
from ci_judge.targets.settings import TargetSettings
from ci_judge.transport import Transport
from tests.fakes import FakeTarget
from tests.model_builders import a_criterion, a_scenario

REFUSED = EvidenceFailure(code=FailureCode.CONNECTION_REFUSED, message="refused", attempts=3)
SCENARIO = a_scenario(
    turns=("hello", {"text": "and?"}),
    history=(Message(role="user", content="hi"), Message(role="assistant", content="hi")),
)
A_CONVERSATION = Conversation(
    transcript=(*SCENARIO.history, Message(role="user", content={"a": [1, None, "\ud83d"]})),
    replies=(
        Reply(
            text="[1.5]",
            value=[1.5],
            latency_seconds=0.25,
            status=201,
            attempts=2,
            priced=True,
            cost_usd=0.01,
            context=["a", {"b": None}],
            tools=0,
            first_token_seconds=0.125,
        ),
    ),
)


def held(
    path: Path,
    target: FakeTarget | HttpTarget,
    *runs: int,
    scenario: Scenario = SCENARIO,
    storable: Callable[[Any], bool] = lambda _: True,
) -> list[Conversation | EvidenceFailure]:
    """Hold runs of a scenario one after the other, with a cache that is opened for them."""

    async def go() -> list[Conversation | EvidenceFailure]:
        with closing(Cache(path, storable=storable)) as cache:
            recording = RecordingTarget(target, cache)
            return [await recording.converse(scenario, run_number=run) for run in runs]

    return asyncio.run(go())


def counting() -> FakeTarget:
    answers = iter(range(1_000))
    return FakeTarget(lambda *_: f"answer {next(answers)}")


def test_a_later_run_of_the_command_replays_each_run_as_it_was(tmp_path: Path) -> None:
    target = counting()
    first = held(tmp_path / "c", target, 1, 2, 3)
    again = held(tmp_path / "c", target, 3, 2, 1)
    assert [number for _, number in target.asked] == [1, 2, 3]
    for live, replay in zip(first, reversed(again), strict=True):
        assert isinstance(live, Conversation)
        assert isinstance(replay, Conversation)
        assert (live.replayed, replay.replayed) == (False, True)
        assert replay.transcript == live.transcript
        assert replay.replies == tuple(replace(reply, attempts=0) for reply in live.replies)


def test_two_runs_and_two_scenarios_share_nothing(tmp_path: Path) -> None:
    target = counting()
    responses = [
        outcome.response
        for outcome in (
            *held(tmp_path / "c", target, 1, 2),
            *held(tmp_path / "c", target, 1, scenario=replace(SCENARIO, id="refunds/another")),
        )
        if isinstance(outcome, Conversation)
    ]
    assert len(set(responses)) == 3


def test_a_failure_is_not_recorded(tmp_path: Path) -> None:
    outcomes: Iterator[str | EvidenceFailure] = iter([REFUSED, "fine"])
    target = FakeTarget(lambda *_: next(outcomes))
    failed, held_again = held(tmp_path / "c", target, 1, 1)
    assert failed == REFUSED
    assert isinstance(held_again, Conversation)
    assert not held_again.replayed


def test_what_redaction_would_change_is_asked_for_again(tmp_path: Path) -> None:
    target = FakeTarget(lambda *_: "the key is s3cr3t-value")
    held(tmp_path / "c", target, 1, 1, storable=lambda value: "s3cr3t" not in json.dumps(value))
    assert len(target.asked) == 2
    assert b"s3cr3t" not in (tmp_path / "c").read_bytes()


def test_a_target_without_keys_is_always_asked(tmp_path: Path) -> None:
    class Fickle(FakeTarget):
        def key(self, scenario: Scenario) -> bytes | None:
            del scenario
            return None

    target = Fickle(lambda *_: "fine")
    held(tmp_path / "c", target, 1, 1)
    assert len(target.asked) == 2


def test_every_part_of_a_conversation_comes_back() -> None:
    assert all(
        getattr(A_CONVERSATION.replies[0], field.name) != field.default for field in fields(Reply)
    )
    entry = json.loads(json.dumps(conversation_entry(A_CONVERSATION)))
    assert read_conversation(entry) == A_CONVERSATION
    traced = replace(A_CONVERSATION, trace_id="ab" * 16)
    assert conversation_entry(traced) == entry, "no request of a replay belongs to the trace"


@pytest.mark.parametrize(
    "change",
    [
        {"replies": []},
        {"replies": [{"text": "a"}]},
        {"replies": [None]},
        {"replies": "a"},
        {"transcript": [{"role": "user"}]},
        {"transcript": None},
    ],
)
def test_what_has_another_shape_is_no_conversation(change: dict[str, Any]) -> None:
    assert read_conversation(conversation_entry(A_CONVERSATION) | change) is None
    assert read_conversation(None) is None
    assert read_conversation([]) is None


# --- keys of the HTTP target ---


def a_target(*, port: int | None = None, **changes: Any) -> HttpTarget:
    values: dict[str, Any] = {
        "url": "http://127.0.0.1:{{port}}/chat",
        "headers": {"Authorization": "Bearer one-two-three", "X-Session": "{{uuid}}"},
        "body": {"message": "{{message}}", "history": "{{history}}", "session": "{{uuid}}"},
        "response_path": "reply",
    } | changes
    uuids = iter(f"uuid-{number}" for number in range(100))
    return HttpTarget(
        TargetSettings.model_validate(values),
        transport=Transport(
            http_transport_factory=lambda: httpx.MockTransport(
                lambda request: httpx.Response(
                    200,
                    json={"reply": json.loads(request.content)["session"]},
                    headers={"set-cookie": "session=of-this-run"},
                )
            )
        ),
        fresh_uuid=lambda: next(uuids),
        port=port,
    )


def test_what_is_fresh_in_every_run_leaves_the_key_alone() -> None:
    target = a_target(port=1234)
    first = target.key(SCENARIO)
    asyncio.run(target.converse(SCENARIO, run_number=1))
    assert target.key(SCENARIO) == first == a_target(port=4321).key(SCENARIO)


@pytest.mark.parametrize(
    "change", [{"timeout": 3}, {"retries": 0}, {"trace": False}, {"ca_bundle": "ca.pem"}]
)
def test_how_patiently_it_is_asked_leaves_the_key_alone(change: dict[str, Any]) -> None:
    assert a_target(**change).key(SCENARIO) == a_target().key(SCENARIO)


@pytest.mark.parametrize(
    "change",
    [
        {"url": "http://127.0.0.1:{{port}}/talk"},
        {"headers": {"Authorization": "Bearer one-two-four", "X-Session": "{{uuid}}"}},
        {"headers": {"X-Session": "{{uuid}}"}},
        {"body": {"message": "{{message}}"}},
        {"response_path": "other"},
        {"method": "PUT"},
        {"serve": {"command": "python bot.py --variant b", "ready_url": "http://x/"}},
        {"query": {"a": "b"}},
        {"content_type": "form"},
        {"stream": "sse"},
        {"stream": "sse", "stream_path": "text"},
        {"follow_redirects": True},
    ],
)
def test_every_other_setting_belongs_to_the_key(change: dict[str, Any]) -> None:
    assert a_target(**change).key(SCENARIO) != a_target().key(SCENARIO)


@pytest.mark.parametrize(
    "change",
    [
        {"turns": ("hello",)},
        {"turns": ("hello", {"text": "and!"})},
        {"history": ()},
        {"history": SCENARIO.history[::-1]},
    ],
)
def test_everything_that_is_said_belongs_to_the_key(change: dict[str, Any]) -> None:
    assert a_target().key(replace(SCENARIO, **change)) != a_target().key(SCENARIO)


def test_what_is_expected_is_no_part_of_a_request() -> None:
    other = replace(SCENARIO, expectations=(), criterion=a_criterion("other"))
    assert a_target().key(other) == a_target().key(SCENARIO)


def test_a_conversation_by_http_is_replayed_with_no_secret_on_the_disk(tmp_path: Path) -> None:
    path, target = tmp_path / "c", a_target(port=1)
    live, replay = held(path, target, 1, 1)
    assert isinstance(live, Conversation)
    assert isinstance(replay, Conversation)
    assert [reply.text for reply in replay.replies] == ["uuid-0", "uuid-0"]
    assert replay.transcript == live.transcript
    assert b"one-two-three" not in path.read_bytes()
    assert b"of-this-run" not in path.read_bytes()
