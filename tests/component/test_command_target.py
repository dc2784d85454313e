"""A program under test: what it is told, what counts as its answer, and what is an error."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode
from ci_judge.model.suite import Message, Scenario
from ci_judge.processes import Children, Workshop
from ci_judge.targets.command import CommandTarget
from ci_judge.targets.settings import TargetSettings
from tests.model_builders import a_scenario

ENOUGH_SECONDS = 30.0
ASKS = a_scenario()
ECHO = "import json, sys; print(json.dumps({'seen': json.load(sys.stdin)}))"


class Desk:
    """A folder with a program in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"PATH": "/usr/bin:/bin", "SECRET_OF_OURS": "hush"}

    def target(self, code: str, children: Children, **changes: Any) -> CommandTarget:
        (self.folder / "bot.py").write_text(code, encoding="utf-8")
        settings = {"command": [sys.executable, "bot.py"]} | changes
        return CommandTarget(
            TargetSettings.model_validate(settings),
            workshop=Workshop(children=children, root=self.folder, environment=self.environment),
            section="target.command",
        )

    def ask(
        self, code: str, scenario: Scenario = ASKS, *, run: int = 1, **changes: Any
    ) -> Conversation | EvidenceFailure:
        async def main() -> Conversation | EvidenceFailure:
            async with asyncio.timeout(ENOUGH_SECONDS), Children() as children:
                target = self.target(code, children, **changes)
                return await target.converse(scenario, run_number=run)

        return asyncio.run(main())

    def key(self, code: str, scenario: Scenario = ASKS, **changes: Any) -> bytes | None:
        return self.target(code, Children(), **changes).key(scenario)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_each_turn_is_told_with_all_that_was_said_before(desk: Desk) -> None:
    scenario = a_scenario(
        turns=("Hello", {"ask": ["☃"]}), history=(Message(role="system", content="Be brief."),)
    )
    talk = desk.ask(ECHO, scenario, run=7, response_path="seen")
    assert isinstance(talk, Conversation)
    given = {"role": "system", "content": "Be brief."}
    first = {"message": "Hello", "history": [given], "run": 7}
    assert talk.replies[0].value == first
    assert talk.replies[1].value == {
        "message": {"ask": ["☃"]},
        "history": [
            given,
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": first},
        ],
        "run": 7,
    }
    assert [message.role for message in talk.transcript] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]


@pytest.mark.parametrize(
    ("code", "changes", "text"),
    [
        ("print('14 days')", {}, "14 days"),
        ("print('a\\n\\n b \\n')", {}, "a\n\n b "),
        ("print('{\"text\": 1}')", {}, '{"text": 1}'),
        ('print(\'{"a": ["x"]}\')', {"response_path": "a.0"}, "x"),
        ("print('{\"a\": [1, true]}')", {"response_path": "a"}, "[1,true]"),
        ("import sys; sys.stdout.buffer.write('\\ufeffé'.encode())", {}, "é"),
    ],
)
def test_its_output_is_the_answer(
    desk: Desk, code: str, changes: dict[str, Any], text: str
) -> None:
    talk = desk.ask(code, **changes)
    assert isinstance(talk, Conversation)
    assert talk.response == text
    assert talk.replies[0].latency_seconds > 0


@pytest.mark.parametrize(
    ("code", "changes", "failure", "words"),
    [
        (
            "import sys; print('an answer'); sys.exit('no such user')",
            {},
            FailureCode.EXITED,
            "target.command ended with exit code 1: no such user",
        ),
        ("import os; os.kill(os.getpid(), 15)", {}, FailureCode.CRASHED, "by signal 15"),
        ("import time; time.sleep(3600)", {"timeout": "1s"}, FailureCode.TIMEOUT, "within 1 s"),
        ("print()", {}, FailureCode.NO_RESPONSE, "wrote nothing"),
        ("print('hi')", {"response_path": "a"}, FailureCode.UNREADABLE_REPLY, "not JSON; to take"),
        ("print('NaN')", {"response_path": "a"}, FailureCode.UNREADABLE_REPLY, "not JSON"),
        ("print('{\"b\": 1}')", {"response_path": "a"}, FailureCode.NO_RESPONSE, '"a": '),
        ("print('{\"a\": null}')", {"response_path": "a"}, FailureCode.NO_RESPONSE, "holds null"),
        (
            "import sys; sys.stdout.buffer.write(b'\\xff')",
            {},
            FailureCode.UNREADABLE_REPLY,
            "not UTF-8",
        ),
    ],
)
def test_what_is_no_answer_is_an_error_that_says_why(
    desk: Desk, code: str, changes: dict[str, Any], failure: FailureCode, words: str
) -> None:
    found = desk.ask(code, **changes)
    assert isinstance(found, EvidenceFailure)
    assert found.code is failure
    assert words in found.message
    assert found.transcript == (Message(role="user", content=ASKS.turns[0]),)


def test_a_later_turn_that_fails_keeps_what_was_said(desk: Desk) -> None:
    code = "import json, sys; said = json.load(sys.stdin)['history']; print(1 / (2 - len(said)))"
    found = desk.ask(code, a_scenario(turns=("one", "two", "three")))
    assert isinstance(found, EvidenceFailure)
    assert "ZeroDivisionError" in found.message
    assert (found.attempts, len(found.transcript)) == (2, 3)


def test_it_sees_named_variables_alone(desk: Desk) -> None:
    desk.environment["SHOP"] = "s"
    talk = desk.ask("import os; print(*os.environ)", env=["SHOP"])
    assert isinstance(talk, Conversation)
    assert "SHOP" in talk.response.split()
    assert "SECRET_OF_OURS" not in talk.response


def test_another_program_message_or_path_is_recorded_apart(desk: Desk) -> None:
    same = desk.key("print(1)")
    assert same == desk.key("print(1)")
    others = [
        desk.key("print(2)"),
        desk.key("print(1)", a_scenario(turns=("other",))),
        desk.key("print(1)", response_path="a"),
    ]
    assert same not in others


def test_a_program_that_is_not_there_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidInput, match=r'target\.command names "nothing-here"'):
        desk.target("", Children(), command="nothing-here")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "is missing"),
        ({"url": "http://h/", "command": "bot"}, "does not go with command"),
        ({"url": "http://h/", "env": ["A"]}, "is for command"),
        ({"command": "bot", "headers": {"A": "b"}}, "does not go with command"),
        ({"command": "bot", "method": "GET"}, "does not go with command"),
    ],
)
def test_it_is_an_endpoint_or_a_program(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TargetSettings.model_validate(settings)


def test_a_program_is_always_sent_message_and_history() -> None:
    settings = TargetSettings.model_validate({"command": "bot"})
    assert settings.sends_message
    assert settings.sends_history
    assert json.loads(settings.model_dump_json())["url"] is None
