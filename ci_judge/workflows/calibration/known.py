"""What a run knows of its judge's error: the calibration that ``judge.calibration`` names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ci_judge.document.corrections import labels_entry
from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.model.calibration import LabelCounts
from ci_judge.model.document import CalibrationEntry
from ci_judge.model.suite import Case, GateDefaults, GateKind, Scenario, Test
from ci_judge.rules.judge_error import FEWEST_LABELS, refusal
from ci_judge.settings import Settings
from ci_judge.suites.criteria import shown

if TYPE_CHECKING:
    from ci_judge.workflows.calibration.file import CalibrationFile

_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCalibration:
    """A calibration that was read. ``problem`` says why nothing is corrected by it, None if it is.

    ``models`` are those that answered then, for each judge of a panel or the one judge.
    """

    file: str
    made: str
    labels: LabelCounts
    models: tuple[frozenset[str], ...]
    problem: str | None

    @property
    def usable_labels(self) -> LabelCounts | None:
        """The labels by which rates can be corrected."""
        return self.labels if self.problem is None else None

    def entry(self) -> CalibrationEntry:
        """Tell of it in a report."""
        return {
            "file": self.file,
            "made": self.made,
            "problem": self.problem,
            "labels": labels_entry(self.labels),
        }


def known_calibration(settings: Settings) -> KnownCalibration | None:
    """Read the calibration that the configuration names; None where it names none.

    Raises InvalidInput for a file that is not there, or that is none.
    """
    judge = settings.judge
    if judge is None or judge.calibration is None:
        return None
    from ci_judge.workflows.calibration.file import (  # noqa: PLC0415 - a schema, for few runs
        read_calibration,
    )

    path = settings.root / judge.calibration
    name = shown(path, root=settings.root)
    try:
        found = read_calibration(path, file=name)
    except InvalidInput as error:
        raise InvalidInput(*(_named(each, settings) for each in error.problems)) from error
    return KnownCalibration(
        file=name,
        made=found.made,
        labels=found.overall.counts.counts(),
        models=tuple(frozenset(each.models_answered) for each in found.judge.judges),
        problem=_problem(found, settings),
    )


def _named(problem: Problem, settings: Settings) -> Problem:
    place = settings.place("judge.calibration") or problem.place
    file = problem.place.file if problem.place else ""
    return replace(
        problem,
        message=f'judge.calibration names "{file}": {problem.message}',
        hint=problem.hint or "ci-judge calibrate writes it",
        place=place,
    )


def _problem(found: "CalibrationFile", settings: Settings) -> str | None:
    """Say why a calibration is not one of the judge of this run, or allows no correction."""
    if settings.judge is None:
        return "there is no judge"
    from ci_judge.workflows.calibration.identity import (  # noqa: PLC0415 - likewise
        criteria_instructions,
        differences,
        judge_keys,
    )

    other = [
        *differences(found.judge, judge_keys(settings.judge, {})),
        *_other_instructions(found.criteria_instructions, criteria_instructions(settings)),
    ]
    if other:
        more = f" and {len(other) - _MOST_SHOWN} more" if len(other) > _MOST_SHOWN else ""
        return f"not calibrated: {'; '.join(other[:_MOST_SHOWN])}{more}"
    refused = refusal(found.overall.counts.counts())
    return None if refused is None else f"no rate is corrected: {refused}"


def _other_instructions(then: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    for name in sorted({*then, *now}):
        if then.get(name) != now.get(name):
            yield f"criteria.{name}.instructions are others than then"


def with_labels(defaults: GateDefaults, known: KnownCalibration | None) -> GateDefaults:
    """Give the gates of a suite what the gate corrected needs, where it is known."""
    return defaults if known is None else replace(defaults, labels=known.usable_labels)


def as_judged(tests: Sequence[Test], known: KnownCalibration | None) -> list[Test]:
    """Give tests for forecasts: a gate that asks a judge comes with what labels say of that."""
    labels = known.usable_labels if known else None
    return [_as_judged(test, labels) for test in tests]


def _as_judged(test: Test, labels: LabelCounts | None) -> Test:
    if isinstance(test, Case) or not test.expectations:
        return test
    return replace(test, gate=replace(test.gate, labels=labels))


def corrected_problems(
    tests: Sequence[Test], known: KnownCalibration | None, settings: Settings
) -> Iterator[Problem]:
    """Yield why tests with the gate corrected cannot be decided: one line for all of them."""
    asking = [test for test in tests if test.gate.kind is GateKind.CORRECTED]
    for test in asking:
        if isinstance(test, Case) or not test.expectations:
            what = "labels are of responses, and this is a case"
            if isinstance(test, Scenario):
                what = "no judge is asked about this scenario, whose checks cannot err"
            yield Problem(
                message=f'"{test.id}": the gate corrected says nothing here: {what}',
                hint="give it another gate",
                place=test.place,
            )
    if not asking or (known is not None and known.problem is None):
        return
    more = f" and {len(asking) - 1} more" if len(asking) > 1 else ""
    why = "judge.calibration names none" if known is None else f"{known.file}: {known.problem}"
    yield Problem(
        message=f'"{asking[0].id}"{more}: the gate corrected needs a calibration of this judge '
        f"and prompt ({why})",
        hint=_remedy(known),
        place=_place(settings, asking[0]),
    )


def _remedy(known: KnownCalibration | None) -> str:
    """Name what mends it: labels where they are too few, a calibration where there is none."""
    refused = None if known is None else refusal(known.labels)
    if known is None or refused is None or refused not in str(known.problem):
        return "run ci-judge calibrate with this configuration, or use another gate"
    if min(known.labels.human_passes, known.labels.human_fails) < FEWEST_LABELS:
        return (
            f"label at least {FEWEST_LABELS} responses as pass and {FEWEST_LABELS} as fail and "
            "run ci-judge calibrate again, or use another gate"
        )
    return "calibrate a judge that errs less, or use another gate"


def _place(settings: Settings, test: Test) -> Place | None:
    return settings.place("judge.calibration") or test.place


def calibration_warnings(known: KnownCalibration | None) -> Iterator[str]:
    """Say why rates are not corrected though a calibration is named."""
    if known is not None and known.problem is not None:
        yield f"{known.file}: {known.problem}"
