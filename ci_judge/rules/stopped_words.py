"""What a gate says that may stop a test as soon as it is decided."""

from bisect import bisect_right

from ci_judge.model.results import DecisionKind, Tally
from ci_judge.model.suite import GateKind
from ci_judge.rules.boundaries import Boundary
from ci_judge.rules.gate_words import Standing, counted, interval_words, later_runs, rule_clause
from ci_judge.rules.rounding import written_percent

_ENDS = {DecisionKind.MET: "won", DecisionKind.UNDECIDED: "not decided"}


def sentence(standing: Standing, boundary: Boundary) -> str:
    """Explain the result: where it stopped and with what, what the gate needs, the interval."""
    tally = standing.tally
    parts = [f"{_where(standing)}, with {_counts(tally)}; {_needs_clause(standing, boundary)}."]
    if standing.kind is DecisionKind.UNDECIDED:
        parts.append("What ended in errors or was not run could turn it either way.")
    if tally.uncounted:
        parts.append(later_runs(tally))
    if not standing.mostly_open:
        parts.append(_interval_note(standing))
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
    more = "more misses" if few else "misses"
    return f"{first}, with {more} up to {last_look - most} of {last_look}"


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


def _needs_clause(standing: Standing, boundary: Boundary) -> str:
    if standing.rule.kind is not GateKind.ADAPTIVE:
        clause = rule_clause(standing)
        lost = standing.kind in (DecisionKind.BELOW, DecisionKind.NOT_PROVEN)
        beyond = standing.tally.stopped and lost and standing.rule.kind is not GateKind.MISSES
        return f"{clause}, which is out of reach" if beyond else clause
    rule = standing.rule
    proof = (
        f"the gate needs {written_percent(rule.confidence)} proof of a rate above "
        f"{written_percent(rule.threshold)}"
    )
    return f"{proof}, {_adaptive_clause(standing, boundary)}"


def _adaptive_clause(standing: Standing, boundary: Boundary) -> str:
    tally, most = standing.tally, boundary.most_misses
    runs = counted(standing.rule.runs, "run")
    if most < 0:
        if standing.perfect is None:
            return "which no number of runs can show, not even if all pass"
        return f"which takes at least {counted(standing.perfect, 'run')}"
    if tally.fails > most:
        return f"which {runs} cannot give with more than {counted(most, 'miss')}"
    misses = tally.fails + tally.errors
    if misses > most:
        return f"which {runs} can give with at most {counted(most, 'miss')}"
    needed = max(boundary.needed[misses], boundary.looks_from)
    given = "no miss" if not misses else counted(misses, "miss")
    return f"which with {given} takes {counted(needed, 'run')}"


def _interval_note(standing: Standing) -> str:
    rule = standing.rule
    marks = (0, rule.threshold, 1)
    shown = interval_words(standing.interval, marks=marks)
    note = (
        f"The true rate is within {shown} ({written_percent(rule.confidence)} sure, wherever a "
        "test stops)"
    )
    passed_within = standing.kind is DecisionKind.MET and standing.interval.low < rule.threshold
    if passed_within:  # who reads it would ask how that can be
        return f"{note}; it does not decide: a test may pass with the threshold inside it."
    return f"{note}."
