"""The comparison with the baseline in Markdown."""

from collections.abc import Iterator, Sequence

from ci_judge.model.document import BaselineEntry, ReportDocument, TestEntry, WeakerEntry
from ci_judge.renderers.chance import together_lines, weaker_tests, weaker_words, worse_words
from ci_judge.renderers.changes import MOST_NAMED, baseline_age, change_counts, named_changes
from ci_judge.renderers.markdown_fit import Block, Fallback
from ci_judge.renderers.markdown_text import code_span, prose
from ci_judge.renderers.wording import short_sha, shown_names, web_address


def weaker_blocks(document: ReportDocument) -> Iterator[Block]:
    """Yield the rules that ask for less than in the baseline: they stand before everything else."""
    baseline = document["baseline"]
    if baseline is None or not baseline["weaker"]:
        return
    shown = [_weaker(weaker) for weaker in baseline["weaker"][:MOST_NAMED]]
    more = len(baseline["weaker"]) - MOST_NAMED
    told = "; ".join([*shown, *([f"and {more:,} more"] if more > 0 else [])])
    rules = "One rule asks" if len(baseline["weaker"]) == 1 else "Rules ask"
    head = f"> ⚠️ **{rules} for less than in the baseline**"
    cut = Fallback(order=44, text=f"{head}.", what="list of weaker rules", how="left out")
    yield Block(text=f"{head}: {told}.", fallbacks=(cut,))


def _weaker(weaker: WeakerEntry) -> str:
    what, was, now = weaker_words(weaker)
    named, more = weaker_tests(weaker)
    rule = " → ".join(code_span(text) for text in (was, now) if text)
    tests = ", ".join(map(code_span, named)) + (f" and {more:,} more" if more else "")
    return " ".join(filter(None, [what, rule, f"({tests})" if tests else ""]))


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
    for criterion, told in together_lines(document, figures=False):
        yield f"- {told}" if criterion is None else f"- criterion {code_span(criterion)}: {told}"
    for word, tests in named_changes(document):
        yield _line(word, [_test(test, names[test["id"]]) for test in tests])
    if baseline["removed"]:
        yield _line("removed", [code_span(test["id"]) for test in baseline["removed"]])


def _test(test: TestEntry, name: str) -> str:
    worse = worse_words(test)
    return f"{code_span(name)} ({worse})" if worse else code_span(name)


def _line(word: str, told: Sequence[str]) -> str:
    more = len(told) - MOST_NAMED
    told = told[:MOST_NAMED]
    return f"- {word}: {', '.join([*told, *([f'and {more:,} more'] if more > 0 else [])])}"
