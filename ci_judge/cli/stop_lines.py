"""How many runs are to be expected of tests that may stop early, in the words of ``check``."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from ci_judge.model.suite import GateRule, Test
from ci_judge.renderers.wording import counted
from ci_judge.rules.gates import may_stop
from ci_judge.rules.power import is_forecast, mean_runs
from ci_judge.rules.rounding import written_percent

GOOD_RATE = Fraction(95, 100)
"""How often a feature that is worth shipping is right, for the figures of a gate."""

BROKEN_RATE = Fraction(1, 2)


def mean_line(rule: GateRule) -> Iterator[str]:
    """Say how long tests of a gate last on average; nothing for a gate that never stops."""
    if not may_stop(rule) or not is_forecast(rule):
        return
    good, broken = (_rounded(mean_runs(rule, float(rate))) for rate in (GOOD_RATE, BROKEN_RATE))
    yield (
        f"it stops after {good} of {rule.runs} runs on average where a feature is right "
        f"{written_percent(GOOD_RATE)} of the time, after {broken} where it is right "
        f"{written_percent(BROKEN_RATE)}"
    )


def expected_line(tests: Sequence[Test]) -> Iterator[str]:
    """Say how many runs of a suite are to be expected; nothing where none can be left out."""
    rules = [test.gate for test in tests]
    if not any(map(may_stop, rules)) or not all(map(is_forecast, rules)):
        return
    planned = sum(rule.runs for rule in rules)
    good, broken = (
        _rounded(math.fsum(mean_runs(rule, float(rate)) for rule in rules))
        for rate in (GOOD_RATE, BROKEN_RATE)
    )
    yield (
        f"early stops: about {good} of {counted(planned, 'run')} where every feature is right "
        f"{written_percent(GOOD_RATE)} of the time, {broken} where each is right "
        f"{written_percent(BROKEN_RATE)}; runs under way when a gate is decided come on top"
    )


def _rounded(runs: float) -> str:
    return f"{round(runs):,}"
