"""The verdict of a run, and the published chance of a sampled one."""

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest

from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    CheckResult,
    JudgeFailure,
    Likelihood,
    Ruling,
    Trial,
    Usage,
    VotePolicy,
)
from ci_judge.model.suite import CheckKind
from ci_judge.rules.draws import draw
from ci_judge.rules.rulings import rule_on
from ci_judge.rules.verdicts import Verdict, check_words, failed_check, reach_verdict

ONCE = VotePolicy(repetitions=1)
THREE = VotePolicy(repetitions=3, minimum_pass_rate=Fraction(2, 3))
HOLDS = CheckResult(kind=CheckKind.CONTAINS, wanted="14 days", passed=True)
MISSING = CheckResult(kind="phrase", wanted="14 days", passed=False, found='"no idea"', item=1)


def trial(repetition: int, *rulings: Ruling, failure: JudgeFailure | None = None) -> Trial:
    return Trial(
        repetition=repetition,
        rulings=rulings,
        failure=failure,
        model=None,
        usage=Usage(),
        latency_seconds=0.0,
        requests=1,
    )


def yes(reason: str = "fine") -> Ruling:
    return Ruling(passed=True, reason=reason)


def no(reason: str = "wrong") -> Ruling:
    return Ruling(passed=False, reason=reason)


def trials(*columns: Sequence[Ruling]) -> tuple[Trial, ...]:
    return tuple(trial(number, *rulings) for number, rulings in enumerate(columns, start=1))


REFUSED = JudgeFailure(code=FailureCode.REFUSED, message="the judge refused")


def test_a_failed_check_decides_alone_even_beside_passing_trials() -> None:
    verdict = reach_verdict((HOLDS, MISSING), trials([yes()]), ONCE, items=1)
    assert verdict == Verdict(
        outcome="fail", reason='wanted the phrase "14 days"; found: "no idea"', certain=True
    )
    assert failed_check((HOLDS, MISSING)) is MISSING
    assert failed_check((HOLDS,)) is None


def test_checks_without_anything_to_judge_pass_for_certain() -> None:
    assert reach_verdict((HOLDS,), (), THREE, items=0) == Verdict(
        outcome="pass", reason="its check holds", certain=True
    )
    assert reach_verdict((HOLDS, HOLDS), (), THREE, items=0).reason == "all 2 checks hold"


def test_nothing_to_go_by_is_never_a_pass() -> None:
    assert reach_verdict((), (), ONCE, items=0).outcome == "judge_error"
    assert reach_verdict((HOLDS,), (), ONCE, items=1).outcome == "judge_error"


def test_one_trial_speaks_for_itself() -> None:
    passed = reach_verdict((HOLDS,), trials([yes("states 14 days")]), ONCE, items=1)
    assert (passed.outcome, passed.reason, passed.certain) == ("pass", "states 14 days", False)
    failed = reach_verdict((), trials([no("says 30 days")]), ONCE, items=1)
    assert (failed.outcome, failed.reason, failed.certain) == ("fail", "says 30 days", False)


@pytest.mark.parametrize(
    ("rulings", "outcome", "reason", "passes"),
    [
        ([yes("a"), no("b"), yes("c")], "pass", "a", 2),
        ([no("a"), yes("b"), yes("c")], "pass", "b", 2),
        ([yes("a"), no("b"), no("c")], "fail", "b", 1),
        ([no("a"), no("b"), no("c")], "fail", "a", 0),
    ],
)
def test_the_vote_and_whose_words_stand(
    rulings: list[Ruling], outcome: str, reason: str, passes: int
) -> None:
    verdict = reach_verdict((), trials(*([each] for each in rulings)), THREE, items=1)
    (vote,) = verdict.votes
    assert (verdict.outcome, verdict.reason) == (outcome, reason)
    assert (vote.item, vote.passes, vote.trials, vote.needed) == (1, passes, 3, 2)
    assert vote.passed is (outcome == "pass")


def test_every_item_needs_its_own_votes() -> None:
    # each trial fails one item, no item fails twice: all pass
    spread = trials([no(), yes("b"), yes("c")], [yes("a"), no(), yes()], [yes(), yes(), no()])
    verdict = reach_verdict((), spread, THREE, items=3)
    assert (verdict.outcome, verdict.reason) == ("pass", "a")
    # item 2 loses, although two trials of three are happy with most
    lost = trials([yes(), no("b1"), yes()], [yes(), no("b2"), yes()], [yes(), yes(), yes()])
    verdict = reach_verdict((), lost, THREE, items=3)
    assert (verdict.outcome, verdict.reason) == ("fail", "expectation 2: b1")
    assert [vote.passed for vote in verdict.votes] == [True, False, True]


@pytest.mark.parametrize("position", [0, 1, 2])
def test_no_vote_outvotes_an_error(position: int) -> None:
    made = list(trials([yes()], [yes()], [yes()]))
    made[position] = trial(position + 1, failure=REFUSED)
    verdict = reach_verdict((), made, THREE, items=1)
    assert verdict.outcome == "judge_error"
    assert verdict.reason == f"trial {position + 1} of 3: the judge refused"
    assert verdict.votes == ()


def test_a_single_trials_error_needs_no_number() -> None:
    verdict = reach_verdict((), (trial(1, failure=REFUSED),), ONCE, items=1)
    assert verdict.reason == "the judge refused"


def test_missing_items_and_missing_trials_are_errors() -> None:
    short = reach_verdict((), trials([yes()]), ONCE, items=2)
    assert (short.outcome, short.reason) == (
        "judge_error",
        "the judge ruled on 1 of 2 expectations",
    )
    extra = reach_verdict((), trials([yes(), yes()]), ONCE, items=1)
    assert extra.outcome == "judge_error"
    few = reach_verdict((), trials([yes()], [yes()]), THREE, items=1)
    assert (few.outcome, few.reason) == ("judge_error", "2 of 3 trials were made")


@pytest.mark.parametrize("kind", [*CheckKind, "phrase"])
def test_every_kind_of_check_can_be_put_into_words(kind: CheckKind) -> None:
    words = check_words(
        CheckResult(kind=kind, wanted="a\n b", passed=False, found="something else")
    )
    assert words.endswith("found: something else")
    assert "\n" not in words


def test_the_published_chance_of_a_sampled_verdict() -> None:
    """3 trials at p = .8, two thirds needed: .8³ + 3·.8²·.2 = .896, through the real path."""
    policy = VotePolicy(mode="sample", repetitions=3, minimum_pass_rate=Fraction(2, 3))
    seeds = 6000
    passed = sum(_sampled(policy, seed).outcome == "pass" for seed in range(seeds))
    sigma = math.sqrt(0.896 * 0.104 / seeds)
    assert passed / seeds == pytest.approx(0.896, abs=4 * sigma)


def _sampled(policy: VotePolicy, seed: int) -> Verdict:
    made = []
    for repetition in range(1, policy.repetitions + 1):

        def drawn(item: int, repetition: int = repetition) -> float:
            return draw(
                seed=seed, test_id="x", run=1, repetition=repetition, judge_index=1, item=item
            )

        made.append(trial(repetition, *rule_on((Likelihood(probability=0.8),), policy, drawn)))
    return reach_verdict((), made, policy, items=1)
