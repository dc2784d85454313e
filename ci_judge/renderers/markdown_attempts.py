"""The attempts at one commit in Markdown."""

from collections.abc import Iterator
from typing import Final

from ci_judge.model.document import ReportDocument
from ci_judge.renderers.attempt_history import (
    LEFT_OUT,
    MOST_CHANGED,
    Step,
    changed_tests,
    history_of,
    result_words,
    why_changed,
)
from ci_judge.renderers.markdown_fit import Block, Fallback
from ci_judge.renderers.markdown_text import code_span, prose

_EMOJI: Final = {"passed": "✅", "failed": "❌", "skipped": "⏭️", "unknown": "❔"}


def attempts_text(document: ReportDocument) -> str:
    """Give the history in a line and what was taken over in another; empty for a first attempt.

    It is short however many attempts there were, for it stands in the block that is never cut.
    """
    history = history_of(document)
    if history is None:
        return ""
    *before, now = history.steps
    told = [*map(_step, before), f"{_emoji(now)} **{now.word}**"]
    line = " → ".join([*([LEFT_OUT] if history.shortened else []), *told])
    sentence = prose(history.sentence) if history.sentence.strip() else ""
    return "\\\n".join(filter(None, [f"**{history.title}:** {line}", sentence]))


def _step(step: Step) -> str:
    return f"{_emoji(step)} {step.word}"


def _emoji(step: Step) -> str:
    return _EMOJI.get(step.tone, "⚠️")


def changed_blocks(document: ReportDocument) -> Iterator[Block]:
    """Yield the tests that did not come to the same in all attempts, with their results."""
    tests = changed_tests(document)
    if not tests:
        return
    head = f"**Changed between attempts:** {why_changed(document)}"
    lines = [f"- {code_span(test['id'])}: {result_words(test)}" for test in tests[:MOST_CHANGED]]
    more = len(tests) - MOST_CHANGED
    told = [*lines, *([f"- and {more:,} more"] if more > 0 else [])]
    brief = Fallback(order=37, text=head, what="list of tests that changed", how="left out")
    yield Block(text="\n".join([head, "", *told]), fallbacks=(brief,))
