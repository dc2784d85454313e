"""The verdict of a panel: every judge votes, and a rule over their votes decides."""

from collections.abc import Sequence
from dataclasses import dataclass

from ci_judge.model.judging import (
    CheckResult,
    ItemVote,
    JudgeIdentity,
    MemberVote,
    PanelRule,
    Trial,
    VotePolicy,
)
from ci_judge.rules.verdicts import Verdict, reason_of, trouble_of, verdict_of_checks, votes_of
from ci_judge.rules.votes import needed_votes


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """The trials that one judge of a panel made of one run, and how they count."""

    judge: str
    policy: VotePolicy
    trials: Sequence[Trial]


def needed_judges(rule: PanelRule, judges: int) -> int:
    """Return how many of a panel's judges must pass an item. A majority is more than half."""
    match rule:
        case "majority":
            return judges // 2 + 1
        case "all":
            return judges
        case "any":
            return 1


def judge_names(identities: Sequence[JudgeIdentity]) -> tuple[str, ...]:
    """Name the judges of a panel by provider and model; its place tells namesakes apart."""
    names = [" ".join(filter(None, (each.provider, each.model))) for each in identities]
    return tuple(
        name if names.count(name) == 1 else f"{name} (judge {place})"
        for place, name in enumerate(names, start=1)
    )


def reach_panel_verdict(
    checks: Sequence[CheckResult], hearings: Sequence[Hearing], rule: PanelRule, *, items: int
) -> Verdict:
    """Add up the checks of a run and what each judge of a panel (in its order) says of it.

    Checks decide first, as for a single judge. Then each judge votes on each item by its own
    trials, and the rule over the votes decides the item; the run passes when every item does. A
    judge that erred has no vote: the run is a judge error unless it comes out the same whichever
    way that judge would have voted.
    """
    certain = verdict_of_checks(checks, items=items)
    if certain is not None:
        return certain
    needed = needed_judges(rule, len(hearings))
    by_member = [
        _member_votes(place, hearing, items) for place, hearing in enumerate(hearings, start=1)
    ]
    votes = tuple(
        _item_vote(item, [member[item - 1] for member in by_member], needed)
        for item in range(1, items + 1)
    )
    return _verdict(votes)


def _member_votes(place: int, hearing: Hearing, items: int) -> list[MemberVote]:
    """Give the judge's vote on each item; one that erred has none on any."""
    trouble = trouble_of(hearing.trials, hearing.policy, items=items)
    if trouble is not None:
        return [_no_vote(place, hearing, trouble)] * items
    return [
        MemberVote(
            judge=hearing.judge,
            judge_index=place,
            passes=vote.passes,
            trials=vote.trials,
            needed=vote.needed,
            passed=vote.passed,
            reason=vote.reason,
        )
        for vote in votes_of(hearing.trials, hearing.policy, items=items)
    ]


def _no_vote(place: int, hearing: Hearing, trouble: str) -> MemberVote:
    return MemberVote(
        judge=hearing.judge,
        judge_index=place,
        passes=0,
        trials=hearing.policy.repetitions,
        needed=needed_votes(hearing.policy),
        passed=None,
        reason=trouble,
    )


def _item_vote(item: int, members: Sequence[MemberVote], needed: int) -> ItemVote:
    """Decide an item where the votes that are missing cannot change it; leave it open else."""
    passes = sum(member.passed is True for member in members)
    missing = sum(member.passed is None for member in members)
    passed = True if passes >= needed else False if passes + missing < needed else None
    return ItemVote(
        item=item,
        passes=passes,
        trials=len(members),
        needed=needed,
        passed=passed,
        reason=_reason(members, passed=passed, passes=passes, needed=needed),
        members=tuple(members),
    )


def _reason(members: Sequence[MemberVote], *, passed: bool | None, passes: int, needed: int) -> str:
    """Give the count, and the words of the first judge that went the way of the panel."""
    words = [
        f"{member.judge}: {member.reason}" if member.reason else member.judge
        for member in members
        if member.passed is passed
    ]
    if passed is None:
        vote = "its vote" if len(words) == 1 else "their votes"
        return f"{'; '.join(words)}; {vote} would decide"
    count = f"{passes} of {len(members)} judges pass it, {needed} needed"
    return f"{count}; {words[0]}" if words else count


def _verdict(votes: tuple[ItemVote, ...]) -> Verdict:
    """One failed item fails the run, whatever an open one would come to."""
    for passed in (False, None):
        for vote in votes:
            if vote.passed is passed:
                return Verdict(
                    outcome="judge_error" if passed is None else "fail",
                    reason=reason_of(vote, items=len(votes)),
                    votes=votes,
                )
    return Verdict(outcome="pass", reason=votes[0].reason, votes=votes)
