"""The gate of a scenario: its own words, else its file's, else the configuration's."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from ci_judge.file_schema import least_runs, most_runs
from ci_judge.model.suite import GateDefaults, GateKind, GateRule

if TYPE_CHECKING:
    from ci_judge.suites.scenario_file import TestKeys


class OwnGate(Protocol):
    """What a test says of its gate itself: a scenario, or a case."""

    @property
    def runs(self) -> object | None: ...
    @property
    def gate(self) -> str | None: ...
    @property
    def misses(self) -> int | None: ...
    @property
    def threshold(self) -> object | None: ...


def gate_rule(levels: "Sequence[TestKeys]", defaults: GateDefaults) -> GateRule:
    """Return the gate that the levels (nearest first) make of the configuration's defaults."""
    kind = _kind(levels, defaults)
    threshold = next((level.threshold.value for level in levels if level.threshold), None)
    runs = next((level.runs for level in levels if level.runs is not None), None)
    misses = next((level.misses for level in levels if level.misses is not None), defaults.misses)
    return GateRule(
        kind=kind,
        runs=defaults.runs if runs is None else most_runs(runs),
        threshold=defaults.threshold if threshold is None else threshold,
        confidence=defaults.confidence,
        misses=misses,
        min_runs=defaults.min_runs if runs is None else least_runs(runs),
        early_stop=defaults.early_stop,
        labels=defaults.labels_of(kind),
    )


def gate_mistakes(own: OwnGate, rule: GateRule) -> Iterator[tuple[str, str, str]]:
    """Yield key, message and hint of what ``own`` says that its gate cannot mean."""
    yield from _unfit_runs(own, rule)
    if own.misses is not None and rule.kind is not GateKind.MISSES:
        yield "misses", f"does nothing with gate: {rule.kind.value}", "leave out one of the two"
    elif own.threshold is not None and rule.kind is GateKind.MISSES:
        yield "threshold", "does nothing with gate: misses", "add gate: exact, or leave it out"
    elif rule.kind is GateKind.MISSES and rule.misses > rule.runs and _says_count(own):
        key = "misses" if own.misses is not None else "runs"
        yield key, f"makes {rule.misses} misses of {rule.runs} runs", "fewer misses, or more runs"


def _unfit_runs(own: OwnGate, rule: GateRule) -> Iterator[tuple[str, str, str]]:
    """Yield a gate that takes a number of runs and was given their least and most."""
    given = (("runs", own.runs), ("gate", own.gate), ("misses", own.misses))
    key = next((name for name, value in given if value is not None), None)
    if key is not None and rule.kind is not GateKind.ADAPTIVE and rule.min_runs is not None:
        hint = f"add runs: {rule.runs}, or gate: adaptive"
        yield key, "needs a number of runs: min and max are for gate: adaptive", hint


def _says_count(own: OwnGate) -> bool:
    return own.misses is not None or own.runs is not None


def _kind(levels: "Sequence[TestKeys]", defaults: GateDefaults) -> GateKind:
    for level in levels:
        if level.gate is not None:
            return GateKind(level.gate)
        if level.misses is not None:
            return GateKind.MISSES
    return defaults.kind
