"""Fills the template. What is filled in is never looked at again, and cannot leave its block."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ci_judge.model.judging import CaseQuestion, Question, ScenarioQuestion

PROMPT_VERSION = "1"

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_SYSTEM, _USER = "=== system\n", "=== user\n"
_MAX_DRAWS = 20
_ONE = (
    "Answer with one JSON object and nothing else:"
    ' {"pass": true or false, "reason": "one sentence that says what decided it"}'
)
_MANY = (
    "Answer with one JSON object and nothing else, with one entry an expectation, in order, {count}"
    ' entries in all: {{"items": [{{"pass": true or false, "reason": "one sentence that says what'
    ' decided it"}}]}}'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a judge is sent. ``items`` is how many verdicts it is asked for."""

    system: str
    user: str
    items: int


def render_prompt(
    question: Question, *, instructions: str | None, nonce: Callable[[], str]
) -> Prompt:
    """Render the question with every text in a block of its own.

    ``nonce`` gives a fresh random text at each call; one that occurs in the material is drawn
    again. Raises ValueError when twenty draws in a row occur in it.
    """
    blocks = _scenario(question) if isinstance(question, ScenarioQuestion) else _case(question)
    mark = _unused(nonce, blocks)
    filling = {
        "mark": mark,
        "instructions": f"\nFurther instructions of the suite:\n{instructions}"
        * bool(instructions),
        "material": "\n\n".join(_block(name, text, mark) for name, text in blocks.items()),
        "question": _question(question),
        "form": _ONE if question.items == 1 else _MANY.format(count=question.items),
    }
    system, user = _template()
    return Prompt(system=_fill(system, filling), user=_fill(user, filling), items=question.items)


def _scenario(question: ScenarioQuestion) -> dict[str, str]:
    criterion, conversation = question.criterion, question.conversation
    many = question.items > 1
    expected = {
        f"expectation {number}" if many else "expectation": expectation.text
        for number, expectation in enumerate(question.expectations, start=1)
    }
    turns = [{"role": m.role, "content": m.content} for m in conversation.transcript]
    if turns and turns[-1]["role"] == "assistant":
        turns.pop()
    return {
        "criterion": f"{criterion.title}\n\n{criterion.description}".strip(),
        **expected,
        "conversation": _json(turns),
        "response": conversation.response,
    }


def _case(question: CaseQuestion) -> dict[str, str]:
    return {"requirement": question.requirement, "evidence": _json(question.evidence)}


def _question(question: Question) -> str:
    if isinstance(question, CaseQuestion):
        return "Question: does the evidence meet the requirement?"
    if question.items == 1:
        return "Question: does the response, in this conversation, meet the expectation?"
    return (
        "Question: does the response, in this conversation, meet each expectation?"
        " Judge every one by itself."
    )


def _block(name: str, text: str, mark: str) -> str:
    return f"<<<{name} {mark}>>>\n{text}\n<<<end of {name} {mark}>>>"


def _unused(nonce: Callable[[], str], blocks: Mapping[str, str]) -> str:
    for _ in range(_MAX_DRAWS):
        mark = nonce()
        if mark and not any(mark in text for text in blocks.values()):
            return mark
    raise ValueError("every random mark occurs in the material")


def _fill(template: str, filling: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda match: filling[match[1]], template).strip()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


@cache
def _template() -> tuple[str, str]:
    text = files(__package__).joinpath(f"v{PROMPT_VERSION}.md").read_text(encoding="utf-8")
    system, _, user = text.partition(_USER)
    return system.removeprefix(_SYSTEM), user
