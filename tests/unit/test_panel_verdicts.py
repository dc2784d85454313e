"""The verdict of a panel, against a plain enumeration of everything its judges could say."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal

import pytest

from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    CheckResult,
    JudgeFailure,
    JudgeIdentity,
    PanelRule,
    Ruling,
    Trial,
    Usage,
    VotePolicy,
)
from ci_judge.model.suite import CheckKind
from ci_judge.rules.panels import Hearing, judge_names, needed_judges, reach_panel_verdict
from ci_judge.rules.verdicts import Verdict

Says = tuple[bool, ...] | None
"""A judge's vote on each item, None where it errs."""

RULES: tuple[PanelRule, ...] = ("majority", "all", "any")
FAILED = JudgeFailure(code=FailureCode.REFUSED, message="the judge refused")
ONCE = VotePolicy()


def a_trial(
    passed: Sequence[bool] = (), *, failure: JudgeFailure | None = None, repetition: int = 1
) -> Trial:
    return Trial(
        repetition=repetition,
        rulings=tuple(Ruling(passed=each, reason="yes" if each else "no") for each in passed),
        failure=failure,
        model=None,
        usage=Usage(),
        latency_seconds=0.0,
        requests=1,
    )


def a_hearing(says: Says, name: str = "judge") -> Hearing:
    trial = a_trial(failure=FAILED) if says is None else a_trial(says)
    return Hearing(judge=name, policy=ONCE, trials=[trial])


def verdict_of(says: Sequence[Says], rule: PanelRule, *, items: int = 1) -> Verdict:
    hearings = [a_hearing(each, name=f"j{at}") for at, each in enumerate(says, start=1)]
    return reach_panel_verdict((), hearings, rule, items=items)


def plainly(rule: PanelRule, votes: Sequence[bool]) -> bool:
    match rule:
        case "majority":
            return sum(votes) > len(votes) / 2
        case "all":
            return all(votes)
        case "any":
            return any(votes)


def possible(says: Sequence[Says], rule: PanelRule, items: int) -> Iterator[bool]:
    """Give the run's result for every way in which the judges that erred could have voted."""
    choices = [
        [each] if each is not None else list(product((True, False), repeat=items)) for each in says
    ]
    for votes in product(*choices):
        yield all(plainly(rule, [vote[item] for vote in votes]) for item in range(items))


def expected(says: Sequence[Says], rule: PanelRule, items: int) -> str:
    results = set(possible(says, rule, items))
    return "judge_error" if len(results) > 1 else "pass" if results.pop() else "fail"


@pytest.mark.parametrize(("judges", "items"), [(2, 1), (3, 1), (4, 1), (2, 2), (3, 2)])
@pytest.mark.parametrize("rule", RULES)
def test_every_combination_of_votes_and_errors(rule: PanelRule, judges: int, items: int) -> None:
    one: list[Says] = [None, *product((True, False), repeat=items)]
    outcomes = set()
    for says in product(one, repeat=judges):
        verdict = verdict_of(says, rule, items=items)
        assert verdict.outcome == expected(says, rule, items), (says, rule)
        assert len(verdict.votes) == items
        for item, vote in enumerate(verdict.votes):
            told = [None if each is None else each[item] for each in says]
            assert [member.passed for member in vote.members] == told
        outcomes.add(verdict.outcome)
    assert outcomes == {"pass", "fail", "judge_error"}


def test_a_majority_of_an_even_panel_is_more_than_half() -> None:
    assert [needed_judges("majority", judges) for judges in (2, 3, 4, 5)] == [2, 2, 3, 3]
    assert verdict_of([(True,), (True,), (False,), (False,)], "majority").outcome == "fail"


def test_the_reason_is_that_of_the_first_judge_on_the_winning_side() -> None:
    lost = verdict_of([(True,), (False,), (False,)], "majority")
    assert lost.reason == "1 of 3 judges pass it, 2 needed; j2: no"
    won = verdict_of([(False,), None, (True,)], "any")
    assert (won.outcome, won.reason) == ("pass", "1 of 3 judges pass it, 1 needed; j3: yes")


def test_an_open_run_names_who_erred_and_keeps_the_votes() -> None:
    verdict = verdict_of([(True,), None, (False,)], "majority")
    assert verdict.outcome == "judge_error"
    assert verdict.reason == "j2: the judge refused; its vote would decide"
    (vote,) = verdict.votes
    assert (vote.passed, vote.passes, vote.trials, vote.needed) == (None, 1, 3, 2)
    assert [(each.judge, each.judge_index, each.reason) for each in vote.members] == [
        ("j1", 1, "yes"),
        ("j2", 2, "the judge refused"),
        ("j3", 3, "no"),
    ]


def test_an_item_that_is_lost_fails_the_run_although_another_is_open() -> None:
    verdict = verdict_of([(True, False), (True, False), None], "all", items=2)
    assert (verdict.outcome, [vote.passed for vote in verdict.votes]) == ("fail", [None, False])
    assert verdict.reason.startswith("expectation 2: 0 of 3 judges pass it, 3 needed")


@pytest.mark.parametrize(
    ("passes", "outcome"), [((True, True, False), "pass"), ((True, False, False), "fail")]
)
def test_each_judge_votes_by_its_own_repetitions(
    passes: Sequence[bool], outcome: Literal["pass", "fail"]
) -> None:
    thrice = Hearing(
        judge="thrice",
        policy=VotePolicy(repetitions=3),
        trials=[a_trial([each], repetition=at) for at, each in enumerate(passes, start=1)],
    )
    verdict = reach_panel_verdict((), [a_hearing((True,)), thrice], "all", items=1)
    assert verdict.outcome == outcome
    member = verdict.votes[0].members[1]
    assert (member.passes, member.trials, member.needed) == (sum(passes), 3, 2)


def test_a_judge_whose_one_trial_erred_has_no_vote_however_the_others_went() -> None:
    trials = [a_trial([True]), a_trial([True], repetition=2), a_trial(failure=FAILED, repetition=3)]
    torn = Hearing(judge="torn", policy=VotePolicy(repetitions=3), trials=trials)
    verdict = reach_panel_verdict((), [a_hearing((True,)), torn], "all", items=1)
    assert verdict.outcome == "judge_error"
    assert "torn: trial 3 of 3: the judge refused" in verdict.reason


@pytest.mark.parametrize("trials", [[], [a_trial()], [a_trial([True, True])]])
def test_a_judge_that_did_not_rule_on_everything_has_no_vote(trials: list[Trial]) -> None:
    short = Hearing(judge="short", policy=ONCE, trials=trials)
    verdict = reach_panel_verdict((), [a_hearing((True,)), short], "all", items=1)
    assert verdict.outcome == "judge_error"


def test_checks_decide_before_any_judge() -> None:
    missing = CheckResult(kind=CheckKind.CONTAINS, wanted="14 days", passed=False, found="none")
    verdict = reach_panel_verdict([missing], [a_hearing((True,))] * 2, "any", items=1)
    assert (verdict.outcome, verdict.certain, verdict.votes) == ("fail", True, ())


def test_namesakes_are_told_apart_by_their_place() -> None:
    def identity(provider: str, model: str | None) -> JudgeIdentity:
        return JudgeIdentity(provider=provider, model=model, wire="boolean")

    judges = [identity("stub", None), identity("openai", "m"), identity("openai", "m")]
    assert judge_names(judges) == ("stub", "openai m (judge 2)", "openai m (judge 3)")
