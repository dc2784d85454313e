"""Gates: how many runs must pass, whether any number can, and what a tally comes to.

Every gate but the adaptive one is a critical count: at least k of the planned runs. Formulas:
Wilson 1927 for ``lower_bound``, the one-sided binomial test for ``exact``; rules.adaptive.
"""

import math
from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache

from ci_judge.errors import Problem
from ci_judge.model.calibration import CorrectedRate
from ci_judge.model.results import DecisionKind, GateResult, Interval, Tally, TestOutcome
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules import gate_words, stopped_words
from ci_judge.rules.adaptive import adaptive_reach, needed_runs, perfect_adaptive_runs
from ci_judge.rules.binomials import critical_count
from ci_judge.rules.boundaries import Boundary
from ci_judge.rules.intervals import anytime, two_sided_z, wilson
from ci_judge.rules.judge_error import (
    corrected_count,
    corrected_rate,
    corrected_reach,
    lenient_count,
    perfect_corrected_runs,
)
from ci_judge.rules.more_runs import enough_runs

_EXACT_POWERS = 10_000  # beyond it a power as a fraction is too long to be worth its digits
_SHORT_DECIMALS = 2
_LONG_DECIMALS = 6


@lru_cache(maxsize=1024)
def needed_passes(rule: GateRule) -> int | None:
    """Return the least k of the planned runs that passes, None when not even all of them would.

    Runs without a verdict do not change it: k is always of ``rule.runs``.
    """
    runs = rule.runs
    match rule.kind:
        case GateKind.LOWER_BOUND:
            least = bisect_left(range(runs + 1), x=True, key=lambda k: _bound_holds(rule, k))
            return least if least <= runs else None
        case GateKind.EXACT:
            return critical_count(runs, rule.threshold, level=1 - rule.confidence)
        case GateKind.ADAPTIVE:
            firsts = enumerate(needed_runs(rule))
            first = rule.least_runs
            return min((max(first, least) - misses for misses, least in firsts), default=None)
        case GateKind.RATE:
            return math.ceil(rule.threshold * runs)
        case GateKind.MISSES:
            return max(0, runs - rule.misses)
        case GateKind.CORRECTED:
            return _corrected_count(rule, certain=0)


def _corrected_count(rule: GateRule, *, certain: int) -> int | None:
    """Return k where so many fails were found by checks; None where labels allow no correction."""
    if rule.labels is None:
        return None
    return corrected_count(
        rule.runs, rule.threshold, rule.labels, confidence=rule.confidence, certain=certain
    )


def _needed_of(rule: GateRule, tally: Tally) -> int | None:
    """Return k of these runs: fails that no judge can be wrong about make it smaller."""
    if rule.kind is not GateKind.CORRECTED or not tally.certain:
        return needed_passes(rule)
    return _corrected_count(rule, certain=tally.certain)


def _shown_count(rule: GateRule, tally: Tally) -> int | None:
    """Return k of these runs; where these cannot reach it any more, that of runs without fails."""
    needed = _needed_of(rule, tally)
    return needed_passes(rule) if needed is None else needed


def _depends_on_checks(rule: GateRule) -> bool:
    """Tell whether the count of passes that is enough depends on who found the fails."""
    if rule.kind is not GateKind.CORRECTED or rule.labels is None:
        return False
    lenient = lenient_count(rule.runs, rule.threshold, rule.labels, confidence=rule.confidence)
    return lenient != needed_passes(rule)


@lru_cache(maxsize=1024)
def boundary(rule: GateRule) -> Boundary:
    """Say where the runs decide the gate; but for a gate that may stop, that is at the last one."""
    if rule.kind is GateKind.ADAPTIVE:
        return Boundary(runs=rule.runs, looks_from=rule.least_runs, needed=needed_runs(rule))
    needed = needed_passes(rule)
    return Boundary(
        runs=rule.runs,
        looks_from=1 if rule.early_stop and needed and not _depends_on_checks(rule) else rule.runs,
        needed=() if needed is None else range(needed, rule.runs + 1),
    )


def may_stop(rule: GateRule) -> bool:
    """Tell whether a test may be decided before all its planned runs were made."""
    return boundary(rule).looks_from < rule.runs


def is_sequential(rule: GateRule) -> bool:
    """Tell whether the sample is one whose rate and usual interval would mislead."""
    return rule.kind is GateKind.ADAPTIVE or may_stop(rule)


def _bound_holds(rule: GateRule, passes: int) -> bool:
    return wilson(passes, rule.runs, confidence=rule.confidence).low >= rule.threshold


def perfect_runs(rule: GateRule) -> int | None:
    """Return the least number of runs with which a perfect score passes, None when none does.

    Wilson: n >= z²T / (1 - T). Exact: n >= ln(1 - confidence) / ln(T).
    """
    threshold = rule.threshold
    if rule.kind is GateKind.ADAPTIVE:
        return perfect_adaptive_runs(rule)
    if rule.kind is GateKind.CORRECTED:
        return _perfect_corrected(rule)
    if rule.kind in (GateKind.RATE, GateKind.MISSES) or threshold == 0:
        return 1
    if threshold == 1:
        return None
    if rule.kind is GateKind.LOWER_BOUND:
        least = two_sided_z(rule.confidence) ** 2 * float(threshold / (1 - threshold))
    else:
        least = math.log(1 - rule.confidence) / math.log(threshold)
    guess = max(1, round(least))
    return guess if _perfect_score_passes(rule, guess) else guess + 1


def _perfect_corrected(rule: GateRule) -> int | None:
    if rule.labels is None:
        return None
    return perfect_corrected_runs(rule.threshold, rule.labels, confidence=rule.confidence)


def _perfect_score_passes(rule: GateRule, runs: int) -> bool:
    if rule.kind is GateKind.LOWER_BOUND:
        return wilson(runs, runs, confidence=rule.confidence).low >= rule.threshold
    if runs > _EXACT_POWERS:
        return runs * math.log(rule.threshold) <= math.log(1 - rule.confidence)
    return rule.threshold**runs <= 1 - rule.confidence


def highest_threshold(rule: GateRule) -> Fraction:
    """Return the highest threshold that a perfect score of the planned runs proves.

    Rounded down to two decimals, to six where two would leave nothing.
    """
    if rule.kind is GateKind.LOWER_BOUND:
        reach = wilson(rule.runs, rule.runs, confidence=rule.confidence).low
    elif rule.kind is GateKind.ADAPTIVE:
        reach = adaptive_reach(rule)
    elif rule.kind is GateKind.CORRECTED:
        reach = _corrected_reach(rule)
    else:
        reach = float(1 - rule.confidence) ** (1 / rule.runs)
    short = _rounded_down(reach, _SHORT_DECIMALS)
    return short or _rounded_down(reach, _LONG_DECIMALS)


def _corrected_reach(rule: GateRule) -> float:
    if rule.labels is None:
        return 0.0
    return corrected_reach(rule.runs, rule.labels, confidence=rule.confidence)


def _rounded_down(value: float, decimals: int) -> Fraction:
    return Fraction(math.floor(value * 10**decimals), 10**decimals)


def reachability(rule: GateRule) -> Problem | None:
    """Say why not even a perfect score could pass, and which runs or threshold would do.

    None when the gate can be passed. The problem has no place: the caller knows the file.
    """
    if needed_passes(rule) is not None:
        return None
    if rule.kind is GateKind.CORRECTED and rule.labels is None:
        return None  # told with the reason by whoever looked for the calibration
    return gate_words.unreachable(
        rule, perfect=perfect_runs(rule), highest_threshold=highest_threshold(rule)
    )


def cannot_fail(rule: GateRule) -> bool:
    """Tell whether the gate passes whatever the runs say (threshold 0, misses >= runs)."""
    return needed_passes(rule) == 0


@lru_cache(maxsize=4096)
def decide(rule: GateRule, tally: Tally) -> GateResult:
    """Apply a gate to a tally of its planned runs.

    The result stands only if it would whatever the runs without a verdict had said; where they
    could turn it, or where nothing was judged at all, it is an error.
    Raises ValueError when the tally is not one of ``rule.runs`` runs.
    """
    _refuse_other_runs(rule, tally)
    stops = is_sequential(rule)
    interval_of = anytime if stops else wilson
    interval = interval_of(tally.passes, tally.judged, confidence=rule.confidence)
    corrected = _corrected(rule, tally)
    outcome = _outcome(rule, tally)
    kind = _kind(rule, outcome, interval, corrected)
    more_runs = _more_runs(rule, tally) if kind is DecisionKind.NOT_PROVEN else None
    standing = gate_words.Standing(
        rule=rule,
        tally=tally,
        needed=_shown_count(rule, tally),
        perfect=perfect_runs(rule),
        interval=interval,
        kind=kind,
        more_runs=more_runs,
        corrected=corrected,
    )
    return GateResult(
        outcome=outcome,
        kind=kind,
        needed=standing.needed,
        rate=None if stops or not tally.judged else tally.passes / tally.judged,
        interval=interval,
        needs=needs(rule),
        sentence=_sentence(standing),
        more_runs=more_runs,
        anytime=stops,
    )


def needs(rule: GateRule) -> str:
    """Return the rule in short: ``at least 19 of 20``."""
    if rule.kind is GateKind.ADAPTIVE:
        return stopped_words.adaptive_needs(boundary(rule), perfect=perfect_runs(rule))
    return gate_words.needs(rule, needed=needed_passes(rule), perfect=perfect_runs(rule))


def _sentence(standing: gate_words.Standing) -> str:
    if is_sequential(standing.rule) and standing.tally.judged:
        return stopped_words.sentence(standing, boundary(standing.rule))
    return gate_words.sentence(standing)


def _refuse_other_runs(rule: GateRule, tally: Tally) -> None:
    counted = tally.made + tally.not_run + tally.not_needed
    if not counted == tally.planned == rule.runs:
        raise ValueError(
            f"a gate of {rule.runs} runs met a tally of {counted}, {tally.planned} planned"
        )


def _outcome(rule: GateRule, tally: Tally) -> TestOutcome:
    if tally.judged == 0:
        return "error"
    if rule.kind is GateKind.ADAPTIVE:
        return _adaptive_outcome(boundary(rule), tally)
    needed = _needed_of(rule, tally)
    without_verdict = tally.planned - tally.judged
    if needed is None or tally.passes + without_verdict < needed:
        return "failed"
    return "passed" if tally.passes >= needed else "error"


def _adaptive_outcome(boundary: Boundary, tally: Tally) -> TestOutcome:
    """Pass only if it would with each run without a verdict counted as a fail.

    A run that is missing among those that ended would have counted too, so a test that was cut
    short does not pass: where it could, it had stopped by itself.
    """
    misses = tally.fails + tally.errors
    if not tally.not_run and boundary.met(tally.counted, misses=misses):
        return "passed"
    lost = tally.fails > boundary.most_misses and not tally.passable
    return "failed" if lost else "error"


def _corrected(rule: GateRule, tally: Tally) -> CorrectedRate | None:
    """Correct the rate where the gate goes by it; not of a test that may stop."""
    if rule.kind is not GateKind.CORRECTED or rule.labels is None or may_stop(rule):
        return None
    return corrected_rate(
        tally.passes,
        tally.judged,
        rule.labels,
        certain=tally.certain,
        confidence=rule.confidence,
    )


def _kind(
    rule: GateRule, outcome: TestOutcome, interval: Interval, corrected: CorrectedRate | None
) -> DecisionKind:
    if outcome == "passed":
        return DecisionKind.MET
    if outcome == "error":
        return DecisionKind.UNDECIDED
    high = interval.high if corrected is None else corrected.high
    if rule.kind is GateKind.MISSES or high < rule.threshold:
        return DecisionKind.BELOW
    return DecisionKind.NOT_PROVEN


def _more_runs(rule: GateRule, tally: Tally) -> int | None:
    """Estimate how many further runs would pass the gate if the observed rate were kept.

    None where more runs are no remedy: at or below the threshold, and for gates that go by the
    rate or the misses alone, and where the rate of what was seen says little: a test may stop.
    """
    if rule.kind is GateKind.ADAPTIVE and not boundary(rule).needed:
        perfect = perfect_runs(rule)
        return perfect - tally.judged if perfect is not None and not tally.fails else None
    if is_sequential(rule):
        return None
    rate = Fraction(tally.passes, tally.judged)
    if rule.kind not in (GateKind.LOWER_BOUND, GateKind.EXACT) or rate <= rule.threshold:
        return None
    total = enough_runs(rule, rate)
    return None if total is None else total - tally.judged
