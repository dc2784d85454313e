"""What to do about a test that is not green, in our own words alone."""

import math
from typing import Final

from ci_judge.model.document import TestEntry
from ci_judge.model.judging import Outcome
from ci_judge.renderers.attempt_history import is_kept_whole
from ci_judge.renderers.wording import counted, mostly_open

_READ: Final = (
    "read the failing answers; fix the feature if they are wrong, the expectation if they are right"
)

_KEPT: Final = (
    "A re-run keeps these runs: push a change, or judge anew (on GitHub: input fresh: true, or in "
    "the pasted workflow re-run with debug logging; elsewhere: leave out --continue-from)."
)
_ENDED: Final = {
    "budget": "raise the budget (the warning names it), or ask for fewer runs or tests (-k, -m); "
    "then run it again.",
    "origin_down": "see that a server answers at the address that the warning names; then run it "
    "again.",
    "shard_missing": "run the missing shard (a part of the tests) again, then merge again.",
}
_MEND: Final[dict[Outcome, str]] = {
    "target_error": "make the target answer",
    "case_error": "mend the case itself",
    "judge_error": "make the judge give verdicts",
}
_NAME_A_JUDGE: Final = (
    "name a judge of meaning (judge.provider), or quote the words that decide (the stub looks for "
    "quoted phrases alone)"
)
_OF_THE_REPLY: Final = frozenset({"no_response", "unreadable_reply"})


def next_step(test: TestEntry) -> str:
    """Say what somebody can do about a test that failed or could not be decided."""
    if test["result"] == "error":
        return _undecided(test)
    if test["result"] == "waived" and test["waiver"] is not None:
        return f"mend it before {test['waiver']['expires']} is over: then it counts again."
    if test["errors"] and (mostly_open(test) or test["errors"] > test["fails"]):
        return f"first {_mend_the_errors(test)}, then run it again."
    if not test["fails"]:
        return _nothing_failed(test)
    told = [*_about_the_baseline(test), *_about_the_gate(test), *_about_errors(test)]
    return " ".join([f"{_READ}.", *told, *([_KEPT] if is_kept_whole(test) else [])])


def _undecided(test: TestEntry) -> str:
    if advice := _about_what_ended_it(test):
        return advice
    if test["gate"]["kind"] == "corrected" and test["judged"] == test["planned"]:
        return "run ci-judge calibrate with the judge that answers now, then run it again."
    if not test["errors"]:
        return "run it again: runs that were not made neither pass nor fail."
    first = f"first {_mend_the_errors(test)}"
    if not test["judged"] and _replies_were_not_understood(test):
        first = "correct target (url, body, response_path) by what the reply shows"
    return f"{first}, then run it again; an error neither passes nor fails."


def _mend_the_errors(test: TestEntry) -> str:
    """Name who is to be mended where all the errors told are of one kind."""
    if _codes(test) == {"needs_a_judge"}:
        return _NAME_A_JUDGE
    kinds = {trouble["outcome"] for trouble in test["troubles"]}
    told = sum(trouble["runs"] for trouble in test["troubles"])
    if len(kinds) == 1 and told == test["errors"] and (mend := _MEND.get(kinds.pop())):
        return mend
    one = test["errors"] == 1
    what, end = ("run", "end in an error") if one else ("runs", "end in errors")
    return f"fix what made the {what} {end}"


def _replies_were_not_understood(test: TestEntry) -> bool:
    """Tell whether every run that was made got a reply in which no answer was found."""
    made = _codes(test)
    return bool(made) and made <= _OF_THE_REPLY


def _codes(test: TestEntry) -> set[str]:
    """Give the reasons of the runs that were made and have no verdict."""
    return {str(reason["code"]) for reason in test["reasons"]} - {"max_errors"}


def points_to_a_warning(test: TestEntry) -> bool:
    """Tell whether the advice about a test names a warning of the report."""
    return test["result"] == "error" and "the warning names" in (_about_what_ended_it(test) or "")


def _about_what_ended_it(test: TestEntry) -> str | None:
    """Advise on what kept runs from being made, where that is the commonest reason."""
    code = test["reasons"][0]["code"] if test["reasons"] else None
    return _ENDED.get(code) if code else None


def _nothing_failed(test: TestEntry) -> str:
    """Advise on a perfect score that fails because the planned runs are too few to prove it."""
    if (runs := _enough_runs(test)) is not None:
        return f"no run failed, but they are too few to prove it: set runs to {runs} or more."
    return "no run failed, but no number of runs can prove this threshold: lower it."


def _about_the_baseline(test: TestEntry) -> list[str]:
    change = test["change"]
    if not change or (change["kind"], change["result"]) != ("newly_failing", "passed"):
        return []
    return ["It passed in the baseline: look first at what changed since."]


def _about_the_gate(test: TestEntry) -> list[str]:
    gate = test["gate"]
    if test["planned"] == 1 or mostly_open(test):
        return []
    if gate["kind"] == "misses":
        return ["If so many misses are fine, raise misses."]
    if gate["decision"] != "not_proven":
        return []
    lower = "If so many failures are fine, lower the threshold"
    if gate["kind"] == "rate" or gate["anytime"]:
        return [f"{lower}."]
    return [f"{lower}{_about_more_runs(test)}."]


def _about_more_runs(test: TestEntry) -> str:
    rate = test["passes"] / test["judged"]
    threshold = test["gate"]["threshold"]
    if rate < threshold or math.isclose(rate, threshold, rel_tol=1e-9):
        return ""  # the gate's sentence has just said what more runs would do
    runs = _enough_runs(test)
    return "" if runs is None else f", or set runs to about {runs} to prove the rate"


def _enough_runs(test: TestEntry) -> int | None:
    more = test["gate"]["more_runs"]
    return None if more is None else test["judged"] + more


def _about_errors(test: TestEntry) -> list[str]:
    if not test["errors"]:
        return []
    return [f"Then fix what made {counted(test['errors'], 'run')} end in an error."]
