"""The comparison with the baseline in Markdown."""

from collections.abc import Iterator, Sequence

from ci_judge.model.document import BaselineEntry, ReportDocument
from ci_judge.renderers.changes import MOST_NAMED, baseline_age, change_counts, named_changes
from ci_judge.renderers.markdown_fit import Block, Fallback
from ci_judge.renderers.markdown_text import code_span, prose
from ci_judge.renderers.wording import short_sha, shown_names, web_address


def baseline_blocks(document: ReportDocument) -> Iterator[Block]:
    """Yield what the report was compared with and what came of it, and what is gone."""
    baseline = document["baseline"]
    if baseline is None:
        return
    if baseline["problem"] is not None:
        yield Block(text=f"Not compared with a baseline: {prose(baseline['problem'])}")
        return
    note = f" ({prose(baseline['note'])})" if baseline["note"] else ""
    said = f"**{change_counts(document)}**{note}"
    yield Block(text=f"Compared with {_named(baseline)}, {baseline_age(baseline)}: {said}")
    lines = "\n".join(_lines(document, baseline))
    if lines:
        cut = Fallback(order=38, text="", what="list of changed tests", how="left out")
        yield Block(text=lines, fallbacks=(cut,))


def _named(baseline: BaselineEntry) -> str:
    commit = short_sha(baseline["commit"])
    name = f"`{commit}`" if commit else code_span(f"report of {(baseline['started'] or '')[:10]}")
    address = web_address(baseline["url"])
    return f"[{name}]({address})" if address and commit else name


def _lines(document: ReportDocument, baseline: BaselineEntry) -> Iterator[str]:
    names = shown_names(document)
    for word, tests in named_changes(document):
        yield _line(word, [names[test["id"]] for test in tests])
    if baseline["removed"]:
        yield _line("removed", [test["id"] for test in baseline["removed"]])


def _line(word: str, names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    told = [code_span(name) for name in names[:MOST_NAMED]]
    return f"- {word}: {', '.join([*told, *([f'and {more:,} more'] if more > 0 else [])])}"
