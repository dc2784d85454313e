"""What a run spent of its budget, and why runs have no verdict, in a line each."""

from collections.abc import Iterator
from types import MappingProxyType

from ci_judge.model.document import BudgetEntry, SummaryEntry
from ci_judge.renderers.wording import counted

_NAMES = MappingProxyType(
    {
        "budget": "budget spent",
        "disk": "disk full",
        "max_errors": "too many errors in a row",
        "maxfail": "stopped by --maxfail",
        "not_recorded": "evidence not recorded",
        "origin_down": "endpoint down",
    }
)
"""Codes that say too little by themselves."""


def budget_words(summary: SummaryEntry) -> str:
    """``30 of 100 requests, $0.12 of $0.50``, empty where nothing was limited."""
    budget = summary["budget"]
    if budget is None:
        return ""
    guessed = " (what nobody told is estimated)" if budget["estimated"] else ""
    return f"{', '.join(_parts(budget))}{guessed}"


def reason_words(summary: SummaryEntry) -> str:
    """``121 runs without a verdict: budget spent 118, connection refused 3``, empty without any."""
    reasons = reason_list(summary)
    runs = sum(reason["runs"] for reason in summary["reasons"])
    return reasons and f"{counted(runs, 'run')} without a verdict: {reasons}"


def reason_list(summary: SummaryEntry) -> str:
    """``budget spent 118, connection refused 3``: each reason with its runs."""
    return ", ".join(
        f"{_NAMES.get(reason['code'], reason['code'].replace('_', ' '))} {reason['runs']:,}"
        for reason in summary["reasons"]
    )


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
