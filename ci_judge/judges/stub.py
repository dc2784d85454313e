"""The judge that needs no key and no network: it looks for phrases and compares values."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ci_judge.judges.comparison import first_difference
from ci_judge.judges.parts import JudgeParts
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    Answer,
    CaseQuestion,
    Decision,
    JudgeFailure,
    JudgeIdentity,
    Question,
    ScenarioQuestion,
    Usage,
)
from ci_judge.model.suite import Expectation
from ci_judge.rules.phrases import UnbalancedQuote, holds_phrase, quoted_phrases

NOTICE = "phrase check, not a judge of meaning"
_WHITE_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\[nrtbf]")


def build_stub(_parts: JudgeParts) -> "StubJudge":
    return StubJudge()


class StubJudge:
    """Passes what holds every quoted phrase, or whose ``actual`` equals its ``expected``."""

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(provider="stub", model=None, wire="boolean", notice=NOTICE)

    async def judge(self, question: Question) -> Answer | JudgeFailure:
        """Decide without asking anybody. What cannot be checked is an error, never a pass."""
        if isinstance(question, ScenarioQuestion):
            return _judge_scenario(question)
        return _judge_case(question)

    def key(self, question: Question) -> bytes | None:
        """Give none: looking again is as cheap as looking it up."""
        del question
        return None


def _judge_scenario(question: ScenarioQuestion) -> Answer | JudgeFailure:
    for number, expectation in enumerate(question.expectations, start=1):
        if not expectation.phrases:
            return _needs_a_judge(f"expectation {number} quotes no phrase")
    texts = [reply.text for reply in question.conversation.replies]
    return _answer(*(_by_phrases(texts, each) for each in question.expectations))


def _judge_case(question: CaseQuestion) -> Answer | JudgeFailure:
    evidence = question.evidence
    if isinstance(evidence, dict) and {"actual", "expected"} <= evidence.keys():
        return _answer(_by_value(evidence["actual"], evidence["expected"]))
    try:
        phrases = quoted_phrases(question.requirement)
    except UnbalancedQuote as error:
        return _needs_a_judge(str(error))
    if not phrases and evidence is None:
        return _needs_a_judge("the case returned None; is a return missing?")
    if not phrases:
        return _needs_a_judge(
            "the evidence has no 'actual' and 'expected' to compare, and the requirement quotes"
            " no phrase"
        )
    wanted = Expectation(text=question.requirement, phrases=phrases)
    return _answer(_by_phrases([_json_text(evidence)], wanted))


def _by_phrases(texts: Sequence[str], expectation: Expectation) -> Decision:
    """Look for each phrase in any of the texts, as the phrase check before every judge does."""
    missing = [
        phrase
        for phrase in expectation.phrases
        if not any(holds_phrase(text, phrase) for text in texts)
    ]
    if missing:
        return Decision(passed=False, reason=f"does not hold {_listed(missing)}")
    return Decision(passed=True, reason=f"holds {_listed(expectation.phrases)}")


def _json_text(value: Any) -> str:
    # An escaped line break is a space between words, not a letter in front of the next one.
    return _WHITE_ESCAPE.sub(r"\1 ", json.dumps(value, ensure_ascii=False))


def _by_value(actual: Any, expected: Any) -> Decision:
    difference = first_difference(actual, expected)
    if difference is None:
        return Decision(passed=True, reason="actual equals expected")
    return Decision(passed=False, reason=difference)


def _listed(phrases: Iterable[str]) -> str:
    return ", ".join(f'"{phrase}"' for phrase in phrases)


def _answer(*decisions: Decision) -> Answer:
    return Answer(opinions=decisions, requests=0, usage=Usage(input_tokens=0, output_tokens=0))


def _needs_a_judge(why: str) -> JudgeFailure:
    return JudgeFailure(
        code=FailureCode.NEEDS_A_JUDGE,
        message=f"this needs a judge of meaning: {why}",
        requests=0,
        usage=Usage(input_tokens=0, output_tokens=0),
    )
