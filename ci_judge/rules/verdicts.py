"""The verdict of one run: what its checks and its trials add up to."""

from collections.abc import Sequence
from dataclasses import dataclass

from ci_judge.model.judging import CheckResult, ItemVote, Outcome, Ruling, Trial, VotePolicy
from ci_judge.rules.captured_values import PLACE_WORDS
from ci_judge.rules.votes import needed_votes


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict of a run, with the fields of ``Run`` that follow from it.

    ``reason`` is one sentence; ``certain`` is true when checks and phrases alone decided.
    """

    outcome: Outcome
    reason: str
    certain: bool = False
    votes: tuple[ItemVote, ...] = ()


def failed_check(checks: Sequence[CheckResult]) -> CheckResult | None:
    """Return the first check or phrase that does not hold: it decides the run without a judge."""
    return next((check for check in checks if not check.passed), None)


def reach_verdict(
    checks: Sequence[CheckResult], trials: Sequence[Trial], policy: VotePolicy, *, items: int
) -> Verdict:
    """Add up the checks and trials of a run whose evidence has ``items`` things to judge.

    A check that does not hold fails the run; without items the checks alone decide. Otherwise
    every item needs its votes, and the run passes when all items do. A trial without an opinion,
    too few trials, or nothing to go by at all is a judge error, never a verdict.
    """
    certain = verdict_of_checks(checks, items=items)
    if certain is not None:
        return certain
    trouble = trouble_of(trials, policy, items=items)
    if trouble is not None:
        return Verdict(outcome="judge_error", reason=trouble)
    return _by_votes(votes_of(trials, policy, items=items))


def verdict_of_checks(checks: Sequence[CheckResult], *, items: int) -> Verdict | None:
    """Return the verdict where checks decide without any judge, None where they do not."""
    failed = failed_check(checks)
    if failed is not None:
        return Verdict(outcome="fail", reason=check_words(failed), certain=True)
    return _by_checks_alone(checks) if items == 0 else None


def check_words(check: CheckResult) -> str:
    """Say what a check wanted and, where it does not hold, what was there instead."""
    wanted = " ".join(check.wanted.split())
    named = {
        "phrase": f'the phrase "{wanted}"',
        "contains": f'the text "{wanted}"',
        "not_contains": f'"{wanted}" was not to be said',
        "regex": f"the pattern {wanted}",
        "equals": f"exactly {wanted}",
        "json_schema": "JSON that fits the schema",
        "json_path": f"JSON with {wanted}",
        "max_latency": f"an answer in {wanted}",
        "max_chars": f"an answer of {wanted}",
        "max_cost": f"answers for {wanted}",
        "tools_called": f"calls of {wanted}",
    }[str(check.kind)]
    named += "" if check.inside is None else f" in {PLACE_WORDS[check.inside]}"
    if check.passed:
        return f"{named}: holds"
    if check.kind == "not_contains":
        return f"{named}; found: {check.found}"
    return f"wanted {named}; found: {check.found}"


def _by_checks_alone(checks: Sequence[CheckResult]) -> Verdict:
    if not checks:
        return Verdict(
            outcome="judge_error", reason="there was nothing to check and nothing to judge"
        )
    reason = "its check holds" if len(checks) == 1 else f"all {len(checks)} checks hold"
    return Verdict(outcome="pass", reason=reason, certain=True)


def trouble_of(trials: Sequence[Trial], policy: VotePolicy, *, items: int) -> str | None:
    """Say why a judge's trials give no vote: no other trial outvotes one that went wrong."""
    planned = policy.repetitions
    for trial in trials:
        where = f"trial {trial.repetition} of {planned}: " if planned > 1 else ""
        if trial.failure is not None:
            return f"{where}{trial.failure.message}"
        if len(trial.rulings) != items:
            return f"{where}the judge ruled on {len(trial.rulings)} of {items} expectations"
    if len(trials) != planned:
        return f"{len(trials)} of {planned} trials were made"
    return None


def votes_of(trials: Sequence[Trial], policy: VotePolicy, *, items: int) -> tuple[ItemVote, ...]:
    """Count one judge's votes on each item; none of the trials may have gone wrong."""
    needed = needed_votes(policy)
    return tuple(_vote(trials, needed, item) for item in range(1, items + 1))


def _by_votes(votes: tuple[ItemVote, ...]) -> Verdict:
    failed = next((vote for vote in votes if not vote.passed), None)
    if failed is None:
        return Verdict(outcome="pass", reason=votes[0].reason, votes=votes)
    return Verdict(outcome="fail", reason=reason_of(failed, items=len(votes)), votes=votes)


def reason_of(vote: ItemVote, *, items: int) -> str:
    """Give the reason of a vote, with the expectation that it is about where there are several."""
    where = f"expectation {vote.item}: " if items > 1 else ""
    return f"{where}{vote.reason}"


def _vote(trials: Sequence[Trial], needed: int, item: int) -> ItemVote:
    rulings = [trial.rulings[item - 1] for trial in trials]
    passes = sum(ruling.passed for ruling in rulings)
    passed = passes >= needed
    return ItemVote(
        item=item,
        passes=passes,
        trials=len(rulings),
        needed=needed,
        passed=passed,
        reason=_first_reason(rulings, passed=passed),
    )


def _first_reason(rulings: Sequence[Ruling], *, passed: bool) -> str:
    """Take the words of the first trial that went the way of the vote."""
    return next((ruling.reason for ruling in rulings if ruling.passed == passed), "")
