"""What a gate says that may stop a test as soon as it is decided."""

from bisect import bisect_right

from ci_judge.model.results import DecisionKind, Tally
from ci_judge.model.suite import GateKind
from ci_judge.rules.boundaries import Boundary
from ci_judge.rules.gate_words import (
    Standing,
    counted,
    interval_words,
    later_runs,
    proof_words,
    proven_rate,
    rule_clause,
)
from ci_judge.rules.rounding import written_percent

_PROVING = (GateKind.LOWER_BOUND, GateKind.EXACT, GateKind.ADAPTIVE)
_ENDS = {DecisionKind.MET: "won", DecisionKind.UNDECIDED: "not decided"}


def sentence(standing: Standing, boundary: Boundary) -> str:
    """Explain the result: where it stopped and with what, what the gate needs, the interval."""
    tally = standing.tally
    parts = [f"{_where(standing)}, with {_counts(tally)}; {_needs_clause(standing, boundary)}."]
    if standing.kind is DecisionKind.UNDECIDED:
        parts.append(f"{_open_words(tally)} could turn it either way.")
    if not standing.mostly_open:
        parts.append(_interval_note(standing))
    if tally.uncounted:
        parts.append(later_runs(tally))
    return " ".join(parts)


def adaptive_needs(boundary: Boundary, *, perfect: int | None) -> str:
    """Return the adaptive rule in short: from its least to its largest score that passes."""
    if not boundary.needed:
        runs = "more than any runs can show"
        return runs if perfect is None else f"at least {counted(perfect, 'run')}"
    first_look = max(boundary.needed[0], boundary.looks_from)
    few = bisect_right(boundary.needed, first_look) - 1
    most = boundary.most_misses
    first = f"{first_look - few} of {first_look}"
    if few == most:
        return f"at least {first}" if few else first
    last_look = boundary.needed[most]
    fail = "more fail" if few else "some fail"
    return f"{first}, or more runs if {fail} (up to {last_look - most} of {last_look})"


def _where(standing: Standing) -> str:
    tally, rule = standing.tally, standing.rule
    end = _ENDS.get(standing.kind, "lost")
    at_most = "" if rule.min_runs is None else "up to "
    if tally.stopped:
        return f"stopped after {tally.counted} of {at_most}{rule.runs}: {end}"
    return f"{tally.counted} of {at_most}{counted(rule.runs, 'run')}: {end}"


def _counts(tally: Tally) -> str:
    counts = [f"{tally.passes or 'none'} passed", f"{tally.fails or 'none'} failed"]
    if tally.errors:
        counts.append(f"{tally.errors} ended in {'an error' if tally.errors == 1 else 'errors'}")
    if tally.not_run:
        counts.append(f"{tally.not_run} {'was' if tally.not_run == 1 else 'were'} not run")
    return f"{', '.join(counts[:-1])} and {counts[-1]}"


def _open_words(tally: Tally) -> str:
    """Name the runs without a verdict: ``What ended in errors``."""
    ways = {"ended in errors": tally.errors, "was not run": tally.not_run}
    return f"What {' or '.join(how for how, count in ways.items() if count)}"


def _needs_clause(standing: Standing, boundary: Boundary) -> str:
    if standing.rule.kind is not GateKind.ADAPTIVE:
        clause = rule_clause(standing)
        lost = standing.kind in (DecisionKind.BELOW, DecisionKind.NOT_PROVEN)
        beyond = standing.tally.stopped and lost and standing.rule.kind is not GateKind.MISSES
        return f"{clause}, which is out of reach" if beyond else clause
    if boundary.most_misses < 0:
        return f"the gate needs {proof_words(standing.rule)}, {_beyond_any(standing)}"
    return _adaptive_clause(standing, boundary)


def _beyond_any(standing: Standing) -> str:
    if standing.perfect is None:
        return "which no number of runs can show, not even if all pass"
    return f"which takes at least {counted(standing.perfect, 'run')}"


def _adaptive_clause(standing: Standing, boundary: Boundary) -> str:
    """Say which count proves the rate, or how many misses are too many for any count."""
    rule, most = standing.rule, boundary.most_misses
    misses = standing.tally.fails + standing.tally.errors
    if misses > most:
        may = f"at most {most} of {rule.runs} runs" if most else f"none of {rule.runs} runs"
        return f"{may} may fail, or they do not prove {proven_rate(rule)}"
    needed = max(boundary.needed[misses], boundary.looks_from)
    runs = counted(needed, "run")
    return f"it takes {runs} with {_missed(standing.tally)} to prove {proven_rate(rule)}"


def _missed(tally: Tally) -> str:
    if tally.errors:
        return f"{tally.fails + tally.errors} that did not pass"
    return counted(tally.fails, "failure") if tally.fails else "no failure"


def _interval_note(standing: Standing) -> str:
    rule = standing.rule
    marks = (0, rule.threshold, 1)
    shown = interval_words(standing.interval, marks=marks)
    told = (
        f"the true rate is within {shown} ({written_percent(rule.confidence)} sure, wherever a "
        "test stops)"
    )
    meaning = _meaning(standing)
    note = f"{meaning}: {told}" if meaning else f"{told[0].upper()}{told[1:]}"
    passed_within = standing.kind is DecisionKind.MET and standing.interval.low < rule.threshold
    if passed_within:  # who reads it would ask how that can be
        return f"{note}; it does not decide: a test may pass with the threshold inside it."
    return f"{note}."


def _meaning(standing: Standing) -> str:
    """Tell a gate that was lost for certain from one that was only not won."""
    rule = standing.rule
    if rule.kind in _PROVING and standing.kind is DecisionKind.NOT_PROVEN:
        return f"A rate below {written_percent(rule.threshold)} is not proven either"
    certain = standing.kind is DecisionKind.BELOW and rule.kind is not GateKind.MISSES
    return "The failures are hardly bad luck" if certain else ""
