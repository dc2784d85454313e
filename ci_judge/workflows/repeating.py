"""Holds two reports of the same thing beside each other: which verdicts flipped."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ci_judge.errors import InvalidInput, Problem
from ci_judge.model.document import JudgeEntry, ReportDocument, TestEntry
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.adaptive import MOST_FORECAST_RUNS
from ci_judge.rules.gates import may_stop
from ci_judge.rules.repeatability import (
    Pooled,
    chance_of_so_many,
    flip_chance,
    plug_in_flip_rate,
)
from ci_judge.workflows.recorded_gates import recorded_rule
from ci_judge.workflows.replay import judged_again
from ci_judge.workflows.sound_reports import read_sound_report

_GATE_DECIDED = {"passed": True, "failed": False, "waived": False}
_JUDGE_FACTS = {"provider": "judge", "model": "judge's model", "prompt_version": "judge's prompt"}
_SHOWN_REASONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What a test came to in one of the reports."""

    passes: int
    judged: int
    passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """A test in both reports. ``chance`` is that of a flip, given all runs of both together.

    It is None where the gate may stop (``flip_chance``). ``plug_in`` is 2π(1 - π) at the rate of
    both together.
    """

    id: str
    a: Side
    b: Side
    chance: float | None
    plug_in: float

    @property
    def flipped(self) -> bool:
        return self.a.passed != self.b.passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Two reports as an A/A test. ``left_out`` maps tests, by id, to why they say nothing here."""

    twins: tuple[Twin, ...]
    left_out: Mapping[str, str]
    warnings: tuple[str, ...]

    @property
    def weighed(self) -> tuple[Twin, ...]:
        """Those whose chance to flip is known: their gates make all their runs."""
        return tuple(twin for twin in self.twins if twin.chance is not None)

    @property
    def stopping(self) -> tuple[Twin, ...]:
        """Those whose gates may stop."""
        return tuple(twin for twin in self.twins if twin.chance is None)

    @property
    def expected(self) -> float:
        """How many flips of those weighed chance alone brings on average."""
        return math.fsum(self._chances)

    @property
    def p(self) -> float:
        """The chance of so many flips or more of those weighed."""
        return chance_of_so_many(self._chances, flips_of(self.weighed))

    @property
    def _chances(self) -> list[float]:
        return [twin.chance for twin in self.twins if twin.chance is not None]


def flips_of(twins: Iterable[Twin]) -> int:
    return sum(twin.flipped for twin in twins)


def plug_in_of(twins: Iterable[Twin]) -> float:
    return math.fsum(twin.plug_in for twin in twins)


def read_repetition(first: Path, second: Path) -> Repetition:
    """Read two reports. Raises InvalidInput where they are no two runs of the same thing."""
    a, b = (read_sound_report(path).document for path in (first, second))
    if _same_run(a, b):
        raise InvalidInput.of(
            f'"{first}" and "{second}" are reports of the same run',
            hint="run the suite twice, each time with another --report-dir",
        )
    for path, document in ((first, a), (second, b)):
        if judged_again(document):
            raise InvalidInput.of(
                f'"{path}" judged answers again that another report has recorded',
                hint="ask for new ones: run the suite twice, each time with another --report-dir",
            )
    found = repetition(a, b)
    commits = _commits(a["run"]["commit"], b["run"]["commit"])
    return replace(found, warnings=(*commits, *found.warnings))


def repetition(first: ReportDocument, second: ReportDocument) -> Repetition:
    """Hold two runs at the same commit beside each other.

    Raises InvalidInput where no test is the same in both.
    """
    a, b = _by_id(first), _by_id(second)
    found = {
        test_id: _twin(a[test_id], b[test_id])
        if test_id in a and test_id in b
        else "only in one of the reports"
        for test_id in dict.fromkeys((*a, *b))
    }
    left_out = {test_id: why for test_id, why in found.items() if isinstance(why, str)}
    if len(left_out) == len(found):
        raise InvalidInput(_nothing_alike(left_out))
    return Repetition(
        twins=tuple(twin for twin in found.values() if isinstance(twin, Twin)),
        left_out=left_out,
        warnings=tuple(_warnings(first, second)),
    )


def _same_run(a: ReportDocument, b: ReportDocument) -> bool:
    return all(a["run"][key] == b["run"][key] for key in ("started", "seed", "url"))


def _nothing_alike(left_out: Mapping[str, str]) -> Problem:
    reasons = list(dict.fromkeys(left_out.values()))[:_SHOWN_REASONS]
    why = "; ".join(reasons) or "no test is in them"
    return Problem(
        message=f"these are no two runs of the same tests: {why}",
        hint="run the same suite at the same commit twice, each time with another --report-dir",
    )


def _by_id(document: ReportDocument) -> dict[str, TestEntry]:
    return {test["id"]: test for group in document["groups"] for test in group["tests"]}


def _twin(a: TestEntry, b: TestEntry) -> Twin | str:
    """Put the two together, or say why that would say nothing."""
    rule = recorded_rule(a)
    if a["fingerprint"] != b["fingerprint"] or rule != recorded_rule(b):
        return "the test, its gate, target or judge is another"
    why = next((why for test in (a, b) if (why := _no_sample(test))), None)
    return why or _put_together(rule, a, b)


def _no_sample(test: TestEntry) -> str | None:
    """Say why the runs of a test are no fresh and whole sample."""
    if test["result"] == "skipped":
        return "skipped"
    if test["errors"] or test["not_run"] or test["result"] not in _GATE_DECIDED:
        return "runs without a verdict"
    if test["carried_runs"]:
        return "runs of an earlier attempt are in it"
    if test["replayed"]:
        return "answers came from the cache"
    return None


def _put_together(rule: GateRule, a: TestEntry, b: TestEntry) -> Twin | str:
    if may_stop(rule) and rule.runs > MOST_FORECAST_RUNS:
        return "its figures are not computed for so many runs"
    if rule.kind is GateKind.CORRECTED and (a["certain_fails"] or b["certain_fails"]):
        return "how many passes it needs depends on what checks decided"
    pooled = Pooled(passes=a["passes"] + b["passes"], judged=a["judged"] + b["judged"])
    try:
        chance = flip_chance(rule, pooled)
    except ValueError:
        return "its counts are not those of two tests with this gate"
    return Twin(
        id=a["id"],
        a=_side(a),
        b=_side(b),
        chance=chance,
        plug_in=plug_in_flip_rate(rule, pooled),
    )


def _side(test: TestEntry) -> Side:
    return Side(passes=test["passes"], judged=test["judged"], passed=_GATE_DECIDED[test["result"]])


# --- what is not as it should be ---------------------------------------------------------


def _warnings(a: ReportDocument, b: ReportDocument) -> Iterator[str]:
    yield from _differs("CI Judge", a["tool"]["version"], b["tool"]["version"])
    yield from _judges(_judging(a), _judging(b))
    if any(each["run"]["interrupted"] for each in (a, b)):
        yield "a run was interrupted: tests that it had no time for are left out"
    if any(each["summary"]["judge_cached"] for each in (a, b)):
        yield (
            "judgements came from the cache, so the judge wavers less than it does (run --no-cache)"
        )
    sampled = any(judge["mode"] == "sample" for each in (a, b) for judge in _judging(each))
    if sampled and a["run"]["seed"] == b["run"]["seed"]:
        yield "both runs drew by the same seed, so they differ less than they do (leave out --seed)"


def _commits(a: str | None, b: str | None) -> Iterator[str]:
    if a is None or b is None:
        yield "the reports do not say that they are of the same commit"
    elif a != b:
        yield (
            f"the commits are others ({a[:10]} and {b[:10]}): a flip may be a change of the code, "
            "not of chance"
        )


def _judging(document: ReportDocument) -> Sequence[Mapping[str, Any]]:
    judge: JudgeEntry | None = document["judge"]
    return () if judge is None else judge["panel"] or [judge]


def _judges(a: Sequence[Mapping[str, Any]], b: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(a) != len(b):
        yield f"the judges are others: {len(a)} and {len(b)}"
        return
    for one, other in zip(a, b, strict=True):
        for key, name in _JUDGE_FACTS.items():
            yield from _differs(name, one[key], other[key])
        answered = [" and ".join(judge["models_answered"]) for judge in (one, other)]
        if all(answered) and one["model"] == other["model"]:
            yield from _differs("model that answered", *answered)


def _differs(what: str, a: str | None, b: str | None) -> Iterator[str]:
    if a != b:
        yield f"the {what} is another: {a or 'not named'} and {b or 'not named'}"
