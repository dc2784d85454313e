"""Another gate over runs that are made: what may be asked of them, and what may not."""

from dataclasses import dataclass, replace
from fractions import Fraction

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.rounding import written, written_percent


@dataclass(frozen=True, slots=True, kw_only=True)
class GateChange:
    """What of a gate is to be another; None stays. ``misses`` alone asks for the misses gate."""

    kind: GateKind | None = None
    threshold: Fraction | None = None
    misses: int | None = None
    confidence: Fraction | None = None

    @property
    def wanted_kind(self) -> GateKind | None:
        return GateKind.MISSES if self.kind is None and self.misses is not None else self.kind


def changed_rule(rule: GateRule, change: GateChange, defaults: GateRule | None) -> GateRule:
    """Give the gate with what is to change.

    ``defaults`` are the gate of a test that has none of its own: only what a test has in common
    with them is changed, as a flag of ``ci-judge run`` would; everything is without them.
    """

    def free(own: object, common: object) -> bool:
        return defaults is None or own == common

    common = defaults or rule
    kind, threshold, misses, confidence = rule.kind, rule.threshold, rule.misses, rule.confidence
    if change.wanted_kind is not None and free(rule.kind, common.kind):
        kind = change.wanted_kind
    if change.threshold is not None and free(rule.threshold, common.threshold):
        threshold = change.threshold
    if change.misses is not None and (
        rule.kind is not GateKind.MISSES or free(rule.misses, common.misses)
    ):
        misses = change.misses
    if change.confidence is not None and free(rule.confidence, common.confidence):
        confidence = change.confidence
    changed = replace(rule, kind=kind, threshold=threshold, misses=misses, confidence=confidence)
    return rule if _same(rule, changed) else changed


def _same(one: GateRule, other: GateRule) -> bool:
    """Tell whether two gates ask the same: misses know no threshold, and the others no misses."""
    return gate_words_of(one) == gate_words_of(other)


def gate_words_of(rule: GateRule) -> str:
    """Name a gate with all that it goes by: ``lower_bound at 0.7 (confidence 95 %)``."""
    asked = f"at {written(rule.threshold)}"
    if rule.kind is GateKind.MISSES:
        asked = f"at most {rule.misses}"
    return f"{rule.kind.value} {asked} (confidence {written_percent(rule.confidence)})"
