"""What a gate says to somebody who knows no statistics: result first, then why, then what to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ci_judge.errors import Problem
from ci_judge.model.calibration import CorrectedRate
from ci_judge.model.results import DecisionKind, Interval, Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.rounding import (
    Number,
    apart,
    apart_alike,
    recorded,
    written,
    written_percent,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A gate that was applied: everything its sentence speaks of.

    ``perfect`` is the least number of runs with which a perfect score passes. ``more_runs`` is how
    many further runs would pass if the observed rate were kept, None where more are no remedy.
    """

    rule: GateRule
    tally: Tally
    needed: int | None
    perfect: int | None
    interval: Interval
    kind: DecisionKind
    more_runs: int | None
    corrected: CorrectedRate | None = None

    @property
    def without_verdict(self) -> int:
        return self.tally.errors + self.tally.not_run

    @property
    def mostly_open(self) -> bool:
        """Tell whether most planned runs gave no verdict: the rate of the others says little."""
        return self.without_verdict > self.tally.judged


def needs(rule: GateRule, *, needed: int | None, perfect: int | None) -> str:
    """Return the rule in short: ``at least 19 of 20``."""
    if needed is not None:
        return f"at least {needed} of {rule.runs}" if rule.runs > 1 else f"{needed} of 1"
    return "more than any runs can show" if perfect is None else f"at least {perfect} runs"


def sentence(standing: Standing) -> str:
    """Explain the result: the counts, what the gate needs, and what that means."""
    if standing.tally.judged == 0:
        return _nothing_judged(standing)
    if standing.rule.runs == 1 and standing.needed == 1:
        passed = standing.kind is DecisionKind.MET
        return f"{'passed' if passed else 'did not pass'}; its one run must pass."
    return f"{_counts(standing)}; {rule_clause(standing)}.{_ending(standing)}"


def unreachable(rule: GateRule, *, perfect: int | None, highest_threshold: Fraction) -> Problem:
    """Say why no score passes, with the runs or the threshold that would change it."""
    runs = counted(rule.runs, "run")
    threshold = written(rule.threshold)
    if perfect is None and rule.kind is GateKind.CORRECTED:
        message = f"no number of runs can prove a corrected pass rate of {threshold}"
        remedy = "more labels (ci-judge calibrate), or "
    elif perfect is None:
        message = f"no number of runs can prove a pass rate of {threshold}"
        remedy = "gate: misses with misses: 0 when every run must pass, or "
    else:
        message = f"{runs} cannot prove a pass rate of {threshold}"
        remedy = f"at least {counted(perfect, 'run')} or "
    return Problem(
        message=f"{message}: {_even_perfect(rule, highest_threshold)}",
        hint=f"use {remedy}a threshold of at most {written(highest_threshold)}",
    )


def _even_perfect(rule: GateRule, highest_threshold: Fraction) -> str:
    all_runs = f"{rule.runs} of {rule.runs}"
    if rule.kind is GateKind.LOWER_BOUND:
        return f"even {all_runs} has a lower bound of {written(highest_threshold)}"
    if rule.kind is GateKind.CORRECTED:
        return f"even {all_runs} has a corrected lower bound of {written(highest_threshold)}"
    level = 1 - rule.confidence
    luck = rule.threshold**rule.runs
    return (
        f"at exactly that rate {all_runs} would still happen by luck "
        f"{apart(luck, (level, 1), scale=100)} % of the time, "
        f"and the gate allows {written_percent(level)}"
    )


def _counts(standing: Standing) -> str:
    tally = standing.tally
    if standing.mostly_open:
        how = _without_verdict(tally, noun="")
        return f"{tally.passes} passed and {tally.fails} failed of {tally.planned} runs, {how}"
    rate = Fraction(tally.passes, tally.judged)
    marks = (0, standing.rule.threshold, 1)
    of_what = f"{tally.judged}"
    if standing.without_verdict:
        of_what = counted(tally.judged, "judged run")
    interval = interval_words(standing.interval, marks=(*marks, rate))
    confidence = written_percent(standing.rule.confidence)
    return (
        f"{tally.passes} of {of_what} passed "
        f"({_rate_words(rate, marks)}, {confidence} interval {interval})"
        f"{_corrected_clause(standing)}"
    )


def _corrected_clause(standing: Standing) -> str:
    """Say what the rate is without the judge's own error, where the gate goes by it."""
    found = standing.corrected
    if found is None:
        return ""
    marks = (0, standing.rule.threshold, 1)
    shown = interval_words(Interval(low=found.low, high=found.high), marks=marks)
    rate = _rate_words(found.rate, marks)
    return f"; without the judge's own error about {rate} ({shown}, approximate)"


def _rate_words(rate: Number, marks: Iterable[Number]) -> str:
    return f"{apart_alike([recorded(rate)], map(recorded, marks))[0]} %"


def interval_words(interval: Interval, *, marks: Iterable[Number]) -> str:
    """``49 to 94 %``, with as many digits as keep the ends apart from the marks and each other."""
    ends = [recorded(interval.low), recorded(interval.high)]
    low, high = apart_alike(ends, [*map(recorded, marks), *ends])
    return f"{low} to {high} %"


def rule_clause(standing: Standing) -> str:
    rule = standing.rule
    if rule.kind is GateKind.MISSES:
        return _misses_clause(rule, standing.tally.fails)
    threshold = written_percent(rule.threshold)
    match rule.kind:
        case GateKind.LOWER_BOUND:
            wanted = f"the lower bound at {threshold}"
        case GateKind.CORRECTED:
            wanted = f"the corrected lower bound at {threshold}"
        case GateKind.EXACT if standing.needed is not None:
            count = count_words(standing.needed, rule.runs)
            return f"the gate needs {count} to prove {proven_rate(rule)}"
        case GateKind.EXACT:
            wanted = proof_words(rule)
        case _:
            wanted = f"a rate of {threshold}"
    return f"the gate needs {wanted}, {_count_clause(standing)}"


def proven_rate(rule: GateRule) -> str:
    """Say what a gate is sure of where it passes: ``a rate above 80 % (95 % sure)``."""
    sure = written_percent(rule.confidence)
    return f"a rate above {written_percent(rule.threshold)} ({sure} sure)"


def proof_words(rule: GateRule) -> str:
    """Name the proof where no count of runs gives it: ``95 % proof of a rate above 80 %``."""
    sure = written_percent(rule.confidence)
    return f"{sure} proof of a rate above {written_percent(rule.threshold)}"


def count_words(needed: int, runs: int) -> str:
    """``at least 19 of 20``, and ``10 of 10`` where there are no more."""
    return f"{'' if needed == runs else 'at least '}{needed} of {runs}"


def _count_clause(standing: Standing) -> str:
    runs, needed = standing.rule.runs, standing.needed
    if needed is None and standing.rule.kind is GateKind.CORRECTED:
        return "which these runs and labels cannot show"
    if needed is not None:
        return f"that is {count_words(needed, runs)}"
    if standing.perfect is None:
        return "which no number of runs can show, not even if all pass"
    return (
        f"which {counted(runs, 'run')} cannot show even if all pass: "
        f"that takes at least {counted(standing.perfect, 'run')}"
    )


def _misses_clause(rule: GateRule, fails: int) -> str:
    allowed = f"at most {counted(rule.misses, 'miss')}" if rule.misses else "no miss"
    there = f"there {'is' if fails == 1 else 'are'} {fails or 'none'}"
    return f"the gate allows {allowed}, and {there}"


def _ending(standing: Standing) -> str:
    if standing.mostly_open:
        return _open_ending(standing)
    match standing.kind:
        case DecisionKind.UNDECIDED:
            return f" Not decided: {_without_verdict(standing.tally)} and could turn it either way."
        case DecisionKind.NOT_PROVEN:
            return _not_proven(standing) + _settled(standing)
        case DecisionKind.BELOW if standing.rule.kind is not GateKind.MISSES:
            threshold = written_percent(standing.rule.threshold)
            which = "interval" if standing.corrected is None else "corrected interval"
            beyond = f"even the upper end of the {which} is below {threshold}"
            return f" The failures are hardly bad luck: {beyond}.{_settled(standing)}"
        case _:
            return _settled(standing)


def _open_ending(standing: Standing) -> str:
    """Say what the many runs without a verdict mean, and nothing about the rate of the few."""
    open_runs = standing.without_verdict
    if standing.kind is DecisionKind.UNDECIDED:
        return f" Not decided: those {open_runs} could turn it either way."
    if standing.kind is DecisionKind.MET:
        return f" Those {open_runs} could not change the result."
    if standing.needed is None:
        return ""
    most = f"{standing.tally.passes + open_runs} of {standing.rule.runs}"
    return f" Even if those {open_runs} had passed, {most} would be too few."


def _not_proven(standing: Standing) -> str:
    """Say on which side of the threshold the rate is, and whether more runs are a remedy."""
    rule, tally = standing.rule, standing.tally
    rate, threshold = Fraction(tally.passes, tally.judged), written_percent(rule.threshold)
    if rule.kind in (GateKind.RATE, GateKind.CORRECTED) or standing.perfect is None:
        return ""
    if rate < rule.threshold:
        return f" The rate is below {threshold}: more runs would most likely confirm the failure."
    if rate == rule.threshold:
        return f" The rate is exactly {threshold}: more runs at this rate cannot decide it."
    return _too_few(standing, threshold)


def _too_few(standing: Standing, threshold: str) -> str:
    if standing.more_runs is None:
        return f" The rate is so little above {threshold} that no reasonable number would prove it."
    enough = standing.tally.judged + standing.more_runs
    if enough == standing.perfect:  # the rule's clause has just said it
        return ""
    are = "run is" if standing.rule.runs == 1 else "runs are"
    return (
        f" The rate is above {threshold}, but {standing.rule.runs} {are} too few to prove it: "
        f"at this rate about {enough} would do."
    )


def _settled(standing: Standing) -> str:
    if not standing.without_verdict:
        return ""
    return f" {_without_verdict(standing.tally)}, which could not change the result."


def _nothing_judged(standing: Standing) -> str:
    if standing.rule.runs == 1:
        how = "ended in an error" if standing.tally.errors else "was not run"
        return f"nothing was judged: its one run {how}."
    later = later_runs(standing.tally)
    return f"nothing was judged: {_without_verdict(standing.tally)}.{' ' if later else ''}{later}"


def later_runs(tally: Tally) -> str:
    """Tell of the runs that were under way when a test stopped, nothing where there were none."""
    if not tally.uncounted:
        return ""
    were = "was" if tally.uncounted == 1 else "were"
    later = counted(tally.uncounted, "later run")
    return f"{later} {were} under way by then: kept, not counted."


def _without_verdict(tally: Tally, *, noun: str = "run") -> str:
    """Count what gave no verdict: ``2 runs ended in errors and 1 was not run``."""
    ended = "ended in an error" if tally.errors == 1 else "ended in errors"
    was = "was not run" if tally.not_run == 1 else "were not run"
    counts = [(count, how) for count, how in ((tally.errors, ended), (tally.not_run, was)) if count]
    nouns = [noun, *[""] * len(counts)]
    return " and ".join(
        f"{counted(count, name) if name else count} {how}"
        for (count, how), name in zip(counts, nouns, strict=False)
    )


def counted(count: int, noun: str) -> str:
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}es" if noun.endswith("s") else f"{count} {noun}s"
