"""A judge that is a program: what it is told, and what becomes of all that it can do wrong."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.judges.registry import build_judge
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    Answer,
    CaseQuestion,
    Decision,
    JudgeFailure,
    Likelihood,
    Question,
    ScenarioQuestion,
)
from ci_judge.model.suite import Expectation
from ci_judge.processes import Children, Workshop
from ci_judge.protocols import Judge
from tests.fakes import a_conversation
from tests.model_builders import a_criterion
from tests.wires import Script

ENOUGH_SECONDS = 30.0
CASE = CaseQuestion(requirement="The sum is 2.", evidence={"sum": 2, "sign": "\ud83d"})
SCENARIO = ScenarioQuestion(
    criterion=a_criterion(instructions="Be strict."),
    expectations=(Expectation(text="Says so."), Expectation(text="Is polite.")),
    conversation=a_conversation("You have 14 days."),
)
PASSES = "print('{\"pass\": true}')"


class Desk:
    """A folder with a judge in it, and the environment around."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment: dict[str, str] = {"PATH": "/usr/bin:/bin", "SECRET_OF_OURS": "hush"}

    def judge(self, code: str, children: Children, **changes: Any) -> Judge:
        (self.folder / "judge.py").write_text(code, encoding="utf-8")
        command = [sys.executable, "judge.py"]
        settings = {"provider": "command", "command": command} | changes
        return self.build(settings, children)

    def build(self, settings: Mapping[str, Any], children: Children) -> Judge:
        return build_judge(
            JudgeSettings.model_validate(settings),
            transport=Script(()).transport(),
            environment=self.environment,
            nonce=lambda: "",
            workshop=Workshop(children=children, root=self.folder, environment=self.environment),
        )

    def ask(self, code: str, question: Question = CASE, **changes: Any) -> Answer | JudgeFailure:
        async def main() -> Answer | JudgeFailure:
            async with asyncio.timeout(ENOUGH_SECONDS), Children() as children:
                return await self.judge(code, children, **changes).judge(question)

        return asyncio.run(main())

    def key(self, code: str, question: Question = CASE, **changes: Any) -> bytes | None:
        return self.judge(code, Children(), **changes).key(question)

    def told(self, question: Question, **changes: Any) -> Any:
        """Give what the program reads."""
        code = f"import sys; open('told', 'w').write(sys.stdin.read()); {PASSES}"
        self.ask(code, question, **changes)
        return json.loads((self.folder / "told").read_text(encoding="utf-8"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def failed(answer: Answer | JudgeFailure) -> tuple[FailureCode, str]:
    assert isinstance(answer, JudgeFailure)
    return answer.code, answer.message


def test_it_is_told_a_case(desk: Desk) -> None:
    assert desk.told(CASE) == {"requirement": CASE.requirement, "evidence": CASE.evidence}


def test_it_is_told_a_scenario_and_the_instructions(desk: Desk) -> None:
    assert desk.told(SCENARIO, instructions="In English.") == {
        "criterion": "Refunds\n\nSays it all.",
        "expected": ["Says so.", "Is polite."],
        "conversation": [
            {"role": message.role, "content": message.content}
            for message in SCENARIO.conversation.transcript
        ],
        "response": "You have 14 days.",
        "instructions": "In English.\n\nBe strict.",
    }


def test_one_expectation_is_one_text(desk: Desk) -> None:
    one = ScenarioQuestion(
        criterion=a_criterion(),
        expectations=(Expectation(text="Says so."),),
        conversation=a_conversation("Yes."),
    )
    assert desk.told(one)["expected"] == "Says so."


def test_a_verdict_comes_back_with_what_was_written(desk: Desk) -> None:
    answer = desk.ask('print(\'{"pass": false, "reason": "no"}\')', model="mine-1")
    assert isinstance(answer, Answer)
    assert answer.opinions == (Decision(passed=False, reason="no"),)
    assert answer.raw == '{"pass": false, "reason": "no"}\n'
    assert answer.model == "mine-1"
    assert answer.usage.input_tokens is None  # what a program spends is not known


def test_a_likelihood_comes_back_as_one(desk: Desk) -> None:
    answer = desk.ask("print('{\"probability\": 0.75}')")
    assert isinstance(answer, Answer)
    assert answer.opinions == (Likelihood(probability=0.75),)


@pytest.mark.parametrize(
    ("code", "failure", "words"),
    [
        (
            f"import sys; {PASSES}; print('first\\nno model ☃', file=sys.stderr); sys.exit(3)",
            FailureCode.EXITED,
            "judge.command ended with exit code 3: no model",
        ),
        ("import os; os.kill(os.getpid(), 9)", FailureCode.CRASHED, "ended by signal 9"),
        ("pass", FailureCode.EMPTY, "wrote nothing"),
        ("print('yes')", FailureCode.UNREADABLE_VERDICT, "does not hold a verdict object"),
        (
            "import sys; print('{\"pass\": 1}'); print('odd', file=sys.stderr)",
            FailureCode.UNREADABLE_VERDICT,
            "the reply says 1: odd",
        ),
        ("print(' ' * 11_000_000 + '{\"pass\": true}')", FailureCode.TOO_LARGE, "10 MiB"),
        (
            "import sys; sys.stdout.buffer.write(b'{\"pass\\xff\": true}')",
            FailureCode.UNREADABLE_VERDICT,
            "does not hold a verdict object",
        ),
    ],
)
def test_nothing_it_does_wrong_is_a_pass(
    desk: Desk, code: str, failure: FailureCode, words: str
) -> None:
    found, message = failed(desk.ask(code))
    assert found is failure
    assert words in message
    assert "\n" not in message


def test_past_its_time_it_is_stopped(desk: Desk) -> None:
    code = f"{PASSES}; import sys, time; sys.stdout.flush(); time.sleep(3600)"
    assert failed(desk.ask(code, timeout="1s")) == (
        FailureCode.TIMEOUT,
        "judge.command did not end within 1 s and was stopped",
    )


def test_it_sees_named_variables_alone(desk: Desk) -> None:
    desk.environment["MODEL_FILE"] = "m.gguf"
    code = f"import os; open('seen', 'w').write(' '.join(os.environ)); {PASSES}"
    desk.ask(code, env=["MODEL_FILE", "NOT_SET"])
    seen = (desk.folder / "seen").read_text(encoding="utf-8").split()
    assert "MODEL_FILE" in seen
    assert "SECRET_OF_OURS" not in seen


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-program --x", 'judge.command names "no-such-program"'),
        ("./judge.sh", 'judge.command names "./judge.sh"'),
        ("python 'judge.py", "judge.command cannot be split"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_asked(
    desk: Desk, command: str, words: str
) -> None:
    with pytest.raises(InvalidInput, match=words):
        desk.build({"provider": "command", "command": command}, Children())


def test_channels_of_the_runner_are_refused(desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="GITHUB_OUTPUT"):
        desk.judge(PASSES, Children(), env=["GITHUB_OUTPUT"])


def test_another_script_variable_or_question_is_another_verdict(desk: Desk) -> None:
    first = desk.key(PASSES, env=["LEVEL"])
    assert first == desk.key(PASSES, env=["LEVEL"])
    keys = {first, desk.key(f"{PASSES} # other", env=["LEVEL"]), desk.key(PASSES, SCENARIO)}
    keys.add(desk.key(PASSES, instructions="Be kind.", env=["LEVEL"]))
    desk.environment["LEVEL"] = "2"
    keys.add(desk.key(PASSES, env=["LEVEL"]))
    assert len(keys) == 5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"provider": "command"}, "is missing"),
        ({"provider": "stub", "command": "judge"}, "is not known to stub"),
        ({"provider": "stub", "env": ["A"]}, "is not known to stub"),
        ({"provider": "command", "command": "judge", "temperature": 0}, "is not known to command"),
        ({"provider": "command", "command": "judge", "logprobs": True}, "is known to openai"),
        ({"provider": "command", "command": []}, "command"),
    ],
)
def test_settings_that_do_not_fit(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        JudgeSettings.model_validate(settings)
