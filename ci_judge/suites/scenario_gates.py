"""The gate of a scenario: its own words, else its file's, else the configuration's."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from ci_judge.model.suite import GateDefaults, GateKind, GateRule
from ci_judge.suites.scenario_file import TestKeys


class OwnGate(Protocol):
    """What a test says of its gate itself: a scenario, or a case."""

    @property
    def runs(self) -> int | None: ...
    @property
    def misses(self) -> int | None: ...
    @property
    def threshold(self) -> object | None: ...


def gate_rule(levels: Sequence[TestKeys], defaults: GateDefaults) -> GateRule:
    """Return the gate that the levels (nearest first) make of the configuration's defaults."""
    kind = _kind(levels, defaults)
    threshold = next((level.threshold.value for level in levels if level.threshold), None)
    runs = next((level.runs for level in levels if level.runs is not None), defaults.runs)
    misses = next((level.misses for level in levels if level.misses is not None), defaults.misses)
    return GateRule(
        kind=kind,
        runs=runs,
        threshold=defaults.threshold if threshold is None else threshold,
        confidence=defaults.confidence,
        misses=misses,
    )


def gate_mistakes(own: OwnGate, rule: GateRule) -> Iterator[tuple[str, str, str]]:
    """Yield key, message and hint of what ``own`` says that its gate cannot mean."""
    if own.misses is not None and rule.kind is not GateKind.MISSES:
        yield "misses", f"does nothing with gate: {rule.kind.value}", "leave out one of the two"
    elif own.threshold is not None and rule.kind is GateKind.MISSES:
        yield "threshold", "does nothing with gate: misses", "add gate: exact, or leave it out"
    elif rule.kind is GateKind.MISSES and rule.misses > rule.runs and _says_count(own):
        key = "misses" if own.misses is not None else "runs"
        yield key, f"makes {rule.misses} misses of {rule.runs} runs", "fewer misses, or more runs"


def _says_count(own: OwnGate) -> bool:
    return own.misses is not None or own.runs is not None


def _kind(levels: Sequence[TestKeys], defaults: GateDefaults) -> GateKind:
    for level in levels:
        if level.gate is not None:
            return GateKind(level.gate)
        if level.misses is not None:
            return GateKind.MISSES
    return defaults.kind
