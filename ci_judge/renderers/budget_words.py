"""What a run spent of its budget, and why runs have no verdict, in a line each."""

from collections.abc import Iterator

from ci_judge.model.document import BudgetEntry, SummaryEntry
from ci_judge.renderers.wording import counted


def budget_words(summary: SummaryEntry) -> str:
    """``30 of 100 requests, $0.12 of $0.50``, empty where nothing was limited."""
    budget = summary["budget"]
    if budget is None:
        return ""
    guessed = " (what nobody told is estimated)" if budget["estimated"] else ""
    return f"{', '.join(_parts(budget))}{guessed}"


def reason_words(summary: SummaryEntry) -> str:
    """``121 runs without a verdict: 118 budget, 3 connection refused``, empty without any."""
    reasons = summary["reasons"]
    if not reasons:
        return ""
    shown = [f"{reason['runs']:,} {reason['code'].replace('_', ' ')}" for reason in reasons]
    runs = sum(reason["runs"] for reason in reasons)
    return f"{counted(runs, 'run')} without a verdict: {', '.join(shown)}"


def _parts(budget: BudgetEntry) -> Iterator[str]:
    if budget["requests"] is not None:
        yield f"{budget['spent_requests']:,} of {counted(budget['requests'], 'request')}"
    if budget["usd"] is not None:
        yield f"${budget['spent_usd']:.4g} of ${budget['usd']:g}"
    if budget["tokens"] is not None:
        yield f"{budget['spent_tokens']:,} of {counted(budget['tokens'], 'token')}"
    if budget["minutes"] is not None:
        minutes = "minute" if budget["minutes"] == 1 else "minutes"
        yield f"{budget['spent_minutes']:.3g} of {budget['minutes']:g} {minutes}"
