"""Waivers in Markdown, apart from everything else."""

from collections.abc import Iterator

from ci_judge.model.document import ReportDocument
from ci_judge.renderers.markdown_fit import Block, Fallback
from ci_judge.renderers.markdown_text import code_span, prose
from ci_judge.renderers.waivers import IN_SHORT, waived_tests, waiver_words
from ci_judge.renderers.wording import counted, shown_names

_MOST: int = 20


def waiver_blocks(document: ReportDocument) -> Iterator[Block]:
    """Yield what is waived, with reason, owner and last day."""
    tests = waived_tests(document)
    if not tests:
        return
    waived = document["summary"]["waived"]
    head = f"**Waived:** {counted(waived, 'test')} {IN_SHORT}." if waived else "**Waivers**"
    names = shown_names(document)
    lines = [f"- {code_span(names[test['id']])}: {prose(waiver_words(test))}" for test in tests]
    more = [f"- and {len(tests) - _MOST:,} more"] if len(tests) > _MOST else []
    brief = Fallback(order=39, text=head, what="list of waivers", how="left out")
    yield Block(text="\n".join([head, "", *lines[:_MOST], *more]), fallbacks=(brief,))
