"""What a model is asked: one criterion, in a block that it cannot leave, and a form to fill.

The words stand in ``v1.md`` beside this file. A version that was released is never edited.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from ci_judge.judges.chat_wire import Letter, ReplyForm
from ci_judge.judges.prompt.control_tokens import without_control_tokens
from ci_judge.judges.prompt.rendering import unused_mark
from ci_judge.judges.prompt.template import PromptTemplate, parse_template
from ci_judge.judges.verdict_schema import object_schema
from ci_judge.model.suite import Criterion

PROMPT_VERSION = "1"
_USUAL_KINDS = ("happy_path", "edge_case")
_ADVERSARIAL_KINDS = ("adversarial",)


def write_letter(
    criterion: Criterion, *, count: int, adversarial: bool, nonce: Callable[[], str]
) -> Letter:
    """Ask for ``count`` scenarios. ``nonce`` gives a fresh random text at each call."""
    template = _template()
    kinds = _ADVERSARIAL_KINDS if adversarial else _USUAL_KINDS
    text = without_control_tokens(f"{criterion.title}\n\n{criterion.description}".strip())
    mark = unused_mark(nonce, {"criterion": text})
    task = "adversarial task" if adversarial else "usual task"
    return Letter(
        system=template.filled("system", mark=mark),
        user=template.filled(
            "user",
            material=template.filled("block", text=text, mark=mark),
            task=template.filled(task, count=str(count)),
            kinds=" or ".join(kinds),
        ),
        form=ReplyForm(name="scenarios", schema=_schema(kinds)),
    )


@cache
def _template() -> PromptTemplate:
    file = files(__package__).joinpath(f"v{PROMPT_VERSION}.md")
    return parse_template(file.read_text(encoding="utf-8"))


def _schema(kinds: tuple[str, ...]) -> dict[str, Any]:
    """Return the part of a scenario file's schema that a model may write, every key required."""
    turn = object_schema(
        {"role": {"type": "string", "enum": ["user", "assistant"]}, "content": _TEXT}
    )
    scenario = object_schema(
        {
            "name": _TEXT,
            "kind": {"type": "string", "enum": list(kinds)},
            "history": {"type": "array", "items": turn},
            "message": _TEXT,
            "expected": _TEXT,
        }
    )
    return object_schema({"scenarios": {"type": "array", "items": scenario}})


_TEXT = {"type": "string"}
