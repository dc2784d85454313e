"""Fills the prompt. What is filled in is never looked at again, and cannot leave its block."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ci_judge.judges.prompt.control_tokens import without_control_tokens
from ci_judge.judges.prompt.template import (
    LATEST_VERSION,
    PromptTemplate,
    PromptVersion,
    prompt_template,
)
from ci_judge.model.evidence import Conversation
from ci_judge.model.judging import CaseQuestion, Question, ScenarioQuestion

_MAX_DRAWS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a judge is sent. ``items`` is how many verdicts it is asked for."""

    system: str
    user: str
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptWords:
    """What the configuration says of the prompt: its version, and instructions to add."""

    version: PromptVersion = LATEST_VERSION
    instructions: str | None = field(default=None)

    @property
    def template(self) -> PromptTemplate:
        return prompt_template(self.version)


def render_prompt(question: Question, *, words: PromptWords, nonce: Callable[[], str]) -> Prompt:
    """Render the question with every text in a block of its own, and the request after them all.

    ``nonce`` gives a fresh random text at each call; one that occurs in anything that is filled in,
    in whatever case, is drawn again. Raises ValueError when twenty draws in a row do.
    """
    template = words.template
    blocks = {name: without_control_tokens(text) for name, text in _blocks(question).items()}
    instructions = "".join(_instructions(question, words))
    mark = unused_mark(nonce, {**blocks, "instructions": instructions})
    material = (
        template.filled("block", name=name, text=text, mark=mark) for name, text in blocks.items()
    )
    return Prompt(
        system=template.filled(
            "system",
            mark=mark,
            instructions=instructions,
            captured=_about_captured(question, template),
        ),
        user=template.filled(
            "user",
            material="\n\n".join(material),
            question=template.filled(_question(question)),
            form=_form(question, template),
        ),
        items=question.items,
    )


def _blocks(question: Question) -> dict[str, str]:
    if isinstance(question, ScenarioQuestion):
        return _scenario(question)
    return {"requirement": question.requirement, "evidence": _json(question.evidence)}


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
        **_captured(conversation),
        "response": conversation.response,
    }


def _captured(conversation: Conversation) -> dict[str, str]:
    """Give a block to the context and one to the tool calls of each turn that have any."""
    many = len(conversation.replies) > 1
    return {
        f"{name} of turn {turn}" if many else name: _text(value)
        for turn, reply in enumerate(conversation.replies, start=1)
        for name, value in (("context", reply.context), ("tool calls", reply.tools))
        if value is not None
    }


def _about_captured(question: Question, template: PromptTemplate) -> str:
    """Explain such blocks where there are any; other prompts stay as they are."""
    if not isinstance(question, ScenarioQuestion) or not _captured(question.conversation):
        return ""
    return f"{template.filled('captured')}\n"


def _instructions(question: Question, words: PromptWords) -> Iterator[str]:
    """Yield the suite's own instructions, then those of the criterion, a paragraph each."""
    own = question.criterion.instructions if isinstance(question, ScenarioQuestion) else None
    for section, text in (("suite", words.instructions), ("criterion", own)):
        if text:
            yield f"\n{words.template.filled(f'instructions of the {section}', text=text)}\n"


def _question(question: Question) -> str:
    if isinstance(question, CaseQuestion):
        return "question of a case"
    return f"question of {'one expectation' if question.items == 1 else 'several expectations'}"


def _form(question: Question, template: PromptTemplate) -> str:
    if question.items == 1:
        return template.filled("form of one verdict")
    return template.filled("form of several verdicts", count=str(question.items))


def unused_mark(nonce: Callable[[], str], texts: Mapping[str, str]) -> str:
    """Draw a mark that none of the texts holds, in whatever case. Raises ValueError without one."""
    folded = [text.casefold() for text in texts.values()]
    for _ in range(_MAX_DRAWS):
        mark = nonce()
        if mark and not any(mark.casefold() in text for text in folded):
            return mark
    raise ValueError("every random mark occurs in the material")


def _text(value: object) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
