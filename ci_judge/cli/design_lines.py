"""The figures of a suite's gates as tables, in the words of ``ci-judge plan``."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ci_judge.cli.plan_lines import named_gate
from ci_judge.cli.stop_lines import GOOD_RATE
from ci_judge.model.suite import GateKind, GateRule, Test
from ci_judge.renderers.wording import counted, percent
from ci_judge.rules.designs import (
    SHOWN_RATES,
    AtRate,
    Design,
    all_together,
    comparable_runs,
    design,
    instead,
)
from ci_judge.rules.gates import cannot_fail, may_stop, needed_passes, needs, reachability
from ci_judge.rules.rounding import apart, written, written_percent
from ci_judge.rules.sample_sizes import seen_fall
from ci_judge.rules.steadiness import good_rate

MOST_GATES = 4
_MOST_SIZES = 3
_LEAST_CELL = 9


def design_lines(tests: Sequence[Test], *, usual: GateRule, alpha: Fraction) -> Iterator[str]:
    """Yield what the gates of these tests promise, alone and together, and what else there is.

    ``usual`` is the gate of the section run: other designs are shown for its threshold where no
    test has one that can be proven. ``alpha`` is how often a comparison may raise a false alarm.
    """
    gates = Counter(test.gate for test in tests)
    shown = gates.most_common(MOST_GATES)
    for rule, count in shown:
        yield from _gate(rule, count)
    if len(gates) > len(shown):
        yield f"… and {counted(len(gates) - len(shown), 'more gate')} (choose tests with -k or -m)"
    yield from _together(tests)
    yield from _comparison(tests, alpha)
    yield from _instead(_wanted(gates, usual), gates=gates, usual=usual)
    yield _if_the_judge_errs(gates)


def _if_the_judge_errs(gates: Iterable[GateRule]) -> str:
    labelled = [rule.labels is not None for rule in gates]
    if not any(labelled):
        return "All of this holds if the judge never errs."
    whose = "" if all(labelled) else " for the gate corrected"
    counted_in = f"The judge's own error is counted in{whose} as its labels show it (approximate)"
    return f"{counted_in}; the rest holds if it never errs."


# --- one gate, and all of them -----------------------------------------------------------


def _gate(rule: GateRule, count: int) -> Iterator[str]:
    head = f"gate {named_gate(rule)} ({counted(count, 'test')})"
    problem, found = reachability(rule), design(rule)
    if needed_passes(rule) is None:
        yield f"{head}: cannot be passed, not even by a perfect score"
        yield from (f"    {each}" for each in (problem,) if each is not None)
    elif cannot_fail(rule):
        yield f"{head}: cannot fail, whatever the runs say"
    elif found is None:
        yield f"{head}: its figures are not computed for so many runs"
    else:
        yield f"{head}: needs {needs(rule)}"
        yield from _false_pass(found)
        yield from _by_rate(found.at, subject="the gate passes", runs=may_stop(rule))


def _false_pass(found: Design) -> Iterator[str]:
    if found.false_pass is not None:
        yield (
            f"    a feature right only {written_percent(found.rule.threshold)} of the time "
            f"gets through by luck in {percent(found.false_pass)} of CI runs"
        )


def _by_rate(at: Sequence[AtRate], *, subject: str, runs: bool) -> Iterator[str]:
    rows = [
        ("a feature is right", [written_percent(each.rate) for each in at], "of the time"),
        (f"{subject} in", [percent(each.passes) for each in at], "of CI runs"),
        ("two CI runs disagree in", [percent(each.flips) for each in at], "of pairs"),
    ]
    if runs:
        rows.append(("runs on average", [f"{round(each.runs):,}" for each in at], ""))
    width = max(_LEAST_CELL, *(len(cell) + 1 for _, cells, _ in rows for cell in cells))
    for name, cells, unit in rows:
        figures = "".join(f"{cell:>{width}}" for cell in cells)
        yield f"    {name:<26}{figures}  {unit}".rstrip()


def _together(tests: Sequence[Test]) -> Iterator[str]:
    """Say how often the whole suite is green; what cannot fail a step has no part in it."""
    gating = Counter(test.gate for test in tests if not test.advisory and test.waiver is None)
    count = gating.total()
    if count < 2:  # noqa: PLR2004 - of one there is nothing to put together
        return
    left_out = len(tests) - count
    besides = f", without {left_out:,} advisory or waived" if left_out else ""
    at = all_together(gating)
    if at is None:
        yield f"all {counted(count, 'test')} together{besides}: not computed for so many runs"
        return
    yield f"all {counted(count, 'test')} together, each right that often by itself{besides}"
    yield from _by_rate(at, subject="every gate passes", runs=any(map(may_stop, gating)))
    if any(rule.runs == 1 for rule in gating):
        yield "    (a test of one run that leaves nothing to chance takes nothing off that)"


# --- what a comparison would see ---------------------------------------------------------


def _comparison(tests: Sequence[Test], alpha: Fraction) -> Iterator[str]:
    """Say which fall is seen against a baseline of the same size, in one test and in all."""
    sizes = comparable_runs(test.gate for test in tests)
    compared = [size for size in sizes if size]
    if not compared:
        yield "compared with an earlier run: no fall is seen, since every test may stop early"
        return
    yield (
        "compared with an earlier run of the same size, "
        f"with {written_percent(alpha)} false alarms, "
        "this fall of the true rate is seen about 4 times in 5"
    )
    usual = sorted(size for size, _ in Counter(compared).most_common(_MOST_SIZES))
    several = len(compared) > 1
    alone = " that falls alone" if several else ""
    for size in usual:
        # the least of many p-values is held against its share of alpha
        fall = _fall(size, alpha / len(compared))
        yield f"    in a test of {counted(size, 'run')}{alone}: {fall}"
    if several:
        yield f"    in all {counted(len(compared), 'test')} together: {_fall(sum(compared), alpha)}"
    if len(compared) < len(sizes):
        stopped = counted(len(sizes) - len(compared), "test")
        yield f"    {stopped} that may stop early: by the gate alone"


def _fall(size: int, alpha: Fraction) -> str:
    now = seen_fall(size, before=float(GOOD_RATE), alpha=float(alpha))
    before = written_percent(GOOD_RATE)
    return "none" if now is None else f"from {before} to {apart(now, (GOOD_RATE,), scale=100)} %"


# --- other designs -----------------------------------------------------------------------


def _wanted(gates: Mapping[GateRule, int], usual: GateRule) -> GateRule:
    """Give the gate that most tests have, of those that ask for a rate which can be proven."""
    asking = [
        rule
        for rule in gates
        if rule.kind is not GateKind.MISSES and 0 < rule.threshold < 1 and rule.runs > 1
    ]
    return max(asking, key=gates.__getitem__, default=usual)


def _instead(rule: GateRule, *, gates: Mapping[GateRule, int], usual: GateRule) -> Iterator[str]:
    rate = good_rate(rule)
    rates = tuple(dict.fromkeys((*SHOWN_RATES, rate)))
    designs = [found for other in instead(rule) if (found := design(other, rates)) is not None]
    if not designs:
        return
    good = rates.index(rate)
    yield (
        f"other designs for {written_percent(rule.threshold)}, where a feature is right "
        f"{written_percent(rate)} of the time{_among(rule, gates)}"
    )
    yield f"    {'':<26}{'needs':>9}{'passes':>9}{'disagree':>10}{'by luck':>9}{'runs':>7}"
    for found in designs:
        yield _row(found, found.at[good])
    yield from _way_on(designs[-1].rule, now=rule, usual=usual)


def _among(rule: GateRule, gates: Mapping[GateRule, int]) -> str:
    """Say of how many tests that threshold is, where others have another."""
    if all(each.threshold == rule.threshold for each in gates):
        return ""
    count = sum(number for each, number in gates.items() if each.threshold == rule.threshold)
    return f" (the threshold of {count:,} of {counted(sum(gates.values()), 'test')})"


def _way_on(best: GateRule, *, now: GateRule, usual: GateRule) -> Iterator[str]:
    """Say how the last design is tried and then kept, or that it is the one there is."""
    if replace(now, labels=None, early_stop=False) == best:
        yield f"    in use already: {_short(best)}"
        return
    other = best.threshold != usual.threshold
    flag = f" --threshold {written(best.threshold)}" if other else ""
    yield f"    try one: ci-judge plan {_flags(best)}{flag}"
    runs = f"{best.runs}"
    if best.min_runs is not None:
        runs = f"{{min: {best.min_runs}, max: {best.runs}}}"
    line = f", threshold: {written(best.threshold)}" if other else ""
    yield (
        f"    to keep it, write under run in ci-judge.yaml: gate: {best.kind.value}, "
        f"runs: {runs}{line}"
    )


def _row(found: Design, at: AtRate) -> str:
    cells = (
        f" {found.needed or '-':>8}",
        f" {percent(at.passes):>8}",
        f" {percent(at.flips):>9}",
        f" {percent(found.false_pass):>8}",
        f" {round(at.runs):>6,}",
    )
    return f"    {_short(found.rule):<26}{''.join(cells)}"


def _short(rule: GateRule) -> str:
    runs = f"{rule.runs}" if rule.min_runs is None else f"{rule.min_runs} to {rule.runs}"
    return f"{rule.kind.value}, {runs} runs"


def _flags(rule: GateRule) -> str:
    runs = f"{rule.runs}"
    if rule.min_runs is not None:
        runs = f"""'{{"min": {rule.min_runs}, "max": {rule.runs}}}'"""
    return f"--gate {rule.kind.value} --runs {runs}"
