"""Which runs a reader needs to see, and their texts as people read them."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from ci_judge.model.document import FailureEntry, RunEntry, TestEntry, VoteEntry
from ci_judge.model.judging import ERROR_OUTCOMES
from ci_judge.protocols import RunSource
from ci_judge.renderers.item_results import CERTAIN, item_results
from ci_judge.renderers.panel_words import vote_word
from ci_judge.renderers.suspicions import STANDS, suspicion_lines

CAPTURED_CHARS = 1_000
"""How much of a captured value the formats without folding show."""
_SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System"}


class Passage(NamedTuple):
    """A piece of a run in reading order: who or what speaks, and its text (untrusted)."""

    title: str
    text: str


def first_bad_run(test: TestEntry, runs: RunSource) -> RunEntry | None:
    """Find the run that explains the result: the first that failed, else the first in error.

    An undecided test is explained by its first error.
    """
    found: dict[str, RunEntry] = {}
    for run in runs.runs(test["id"]):
        found.setdefault(kind_of(run), run)
        if "fail" in found and test["result"] != "error":
            break
    order = ("error", "fail") if test["result"] == "error" else ("fail", "error")
    return next((found[kind] for kind in order if kind in found), None)


def kind_of(run: RunEntry) -> str:
    """Fold the outcomes into pass, fail, error and not_run."""
    return "error" if run["outcome"] in ERROR_OUTCOMES else run["outcome"]


def passages(test: TestEntry, run: RunEntry) -> Iterator[Passage]:
    """Tell a run as plain text: what was expected, what was said, why it came out as it did."""
    yield from _wanted(test)
    yield from _said(run)
    yield Passage(_why(run), run["reason"])
    yield from _judged(test, run)
    if run["suspicious"]:
        told = "\n".join(map(str, suspicion_lines(run)))
        yield Passage(f"Suspicious: text addressed to the judge; {STANDS}", told)
    if failure := failure_of(run):
        yield Passage("Error", f"{failure['code']}: {failure['message']}")
        if failure["detail"]:
            yield Passage("Detail", failure["detail"])
    if run["trace_id"] is not None:
        yield Passage("Trace", run["trace_id"])


def _judged(test: TestEntry, run: RunEntry) -> Iterator[Passage]:
    for item in item_results(test, run):
        yield Passage(f"Expectation {item.number}: {item.words}", item.reason or item.text)
    for check in run["checks"]:
        if not check["passed"] and check["wanted"] not in run["reason"]:
            inside = "" if check["inside"] is None else f" in {check['inside']}"
            told = f'{check["kind"]} "{check["wanted"]}"{inside}: found {check["found"]}'
            yield Passage("Check", told)
    for vote in run["votes"]:
        if vote["members"]:
            yield from _members(vote)
        elif vote["reason"] and vote["reason"] != run["reason"]:
            yield Passage(f"Judge, {vote['passes']} of {vote['trials']} trials", vote["reason"])


def _members(vote: VoteEntry) -> Iterator[Passage]:
    """Tell how each judge of a panel voted; titles hold no names, which others have chosen."""
    for member in vote["members"]:
        said = vote_word(member["passed"])
        title = f"Judge {member['judge_index']} of {vote['trials']}: {said}"
        yield Passage(title, f"{member['judge']}: {member['reason']}")


def _why(run: RunEntry) -> str:
    why = "Why it failed" if run["outcome"] == "fail" else "Reason"
    return f"{why} ({CERTAIN})" if run["certain"] else why


def _wanted(test: TestEntry) -> Iterator[Passage]:
    if test["requirement"] is not None:
        yield Passage("Requirement", test["requirement"])
    for number, text in enumerate(test["expected"], start=1):
        yield Passage(f"Expected {number}" if len(test["expected"]) > 1 else "Expected", text)


def _said(run: RunEntry) -> Iterator[Passage]:
    for message in run["transcript"]:
        yield Passage(speaker(message["role"]), as_text(message["content"]))
    for title, text in captured_passages(run):
        yield Passage(title, clipped(text, CAPTURED_CHARS))
    if run["evidence"] is not None:
        yield Passage("Evidence", as_text(run["evidence"]))


def captured_passages(run: RunEntry) -> Iterator[Passage]:
    """Tell what the target told besides its answers, whole."""
    for entry in run["captured"]:
        for what, value in (("context", entry["context"]), ("tool calls", entry["tools"])):
            if value is not None:
                yield Passage(f"Captured {what}, turn {entry['turn']}", as_text(value))


def speaker(role: str) -> str:
    """Name a role in a title; titles hold no text of other people."""
    return _SPEAKERS.get(role, "Message")


def failure_of(run: RunEntry) -> FailureEntry | None:
    """Give the run's own failure, else that of its first trial that has one."""
    return run["failure"] or next((t["failure"] for t in run["trials"] if t["failure"]), None)


def as_text(value: Any) -> str:
    """Show text as it is and any other JSON value indented."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def clipped(text: str, limit: int) -> str:
    """Keep the beginning and the end of a text, saying how much is missing between them."""
    missing = len(text) - limit
    if missing <= 0:
        return text
    head = limit * 3 // 4
    return f"{text[:head]}\n[… {missing} characters left out …]\n{text[head + missing :]}"
