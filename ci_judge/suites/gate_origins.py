"""Where the settings stand that a test's gate takes over from the configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ci_judge.errors import Place, Problem
from ci_judge.model.suite import GateDefaults, GateRule, Test


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOrigins:
    """The gate of a test that says nothing of its own, and where that was written.

    ``places`` has the keys runs, threshold, gate and confidence, each only where it was given.
    """

    defaults: GateDefaults = field(default_factory=GateDefaults)
    places: Mapping[str, Place] = field(default_factory=dict)

    def placed(self, problem: Problem, test: Test) -> Problem:
        """Put a problem of a gate where it was set; where two places share in it, name both."""
        taken = self._taken_over(test.gate)
        given = [key for key in taken if key in self.places]
        if test.gate.threshold == 1:  # which no number of runs can prove
            given.sort(key=lambda key: key != "threshold")
        if not given:
            return replace(problem, place=test.place)
        if {"runs", "threshold"} <= taken.keys():
            return replace(problem, place=self.places[given[0]])
        key = given[0]
        where = f"run.{key} comes from {self.places[key]}"
        hint = where if problem.hint is None else f"{problem.hint}; {where}"
        return replace(problem, hint=hint, place=test.place)

    def _taken_over(self, rule: GateRule) -> dict[str, None]:
        defaults = self.defaults
        same = {
            "runs": (rule.min_runs, rule.runs) == (defaults.min_runs, defaults.runs),
            "threshold": rule.threshold == defaults.threshold,
            "gate": rule.kind == defaults.kind,
            "confidence": rule.confidence == defaults.confidence,
        }
        return dict.fromkeys(key for key, is_same in same.items() if is_same)
