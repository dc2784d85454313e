"""``ci-judge calibrate``: judge what people have labelled, and write down how far both agree."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ci_judge.document.run_entries import iso_time
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import InvalidInput
from ci_judge.judges.settings import JudgeSettings
from ci_judge.redaction import Redactor
from ci_judge.settings import Settings
from ci_judge.suites.criteria import load_criteria
from ci_judge.suites.labels import Label, find_label_files, load_labels
from ci_judge.suites.paths import find_files
from ci_judge.version import __version__
from ci_judge.visible_text import no_lone_surrogates
from ci_judge.workflows.calibration.file import CalibrationFile, ToolKeys
from ci_judge.workflows.calibration.identity import criteria_instructions, judge_keys
from ci_judge.workflows.criterion_instructions import instructed, unknown_criteria
from ci_judge.workflows.judging_labels.injecting import injection, with_appeals
from ci_judge.workflows.judging_labels.judging import Judgements, judge_labels
from ci_judge.workflows.judging_labels.measuring import (
    Judged,
    Wanted,
    disagreements,
    measured,
    probabilities,
)
from ci_judge.workflows.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is asked for; with ``injects`` bad responses are judged with an appeal, too."""

    labels: tuple[Label, ...]
    wanted: Wanted
    injects: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A label without a verdict, and why: what went wrong, or why nobody was asked."""

    label: Label
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """What became of the labels. ``found`` is None while some have no verdict.

    ``requests`` were sent to judges; ``known_again`` judgements had been made before.
    ``warnings`` are what a reader must know.
    """

    found: CalibrationFile | None
    undecided: tuple[Undecided, ...]
    requests: int
    known_again: int
    warnings: tuple[str, ...]


def load_labelled(settings: Settings, given: Sequence[Path]) -> tuple[Label, ...]:
    """Read the criteria and the labels. Raises InvalidInput with every problem of either."""
    criteria_files = find_files(
        settings.root, criteria=settings.suite.criteria, paths=(), pattern="", place=settings.place
    ).criteria_files
    criteria = load_criteria(criteria_files, root=settings.root)
    problems = list(unknown_criteria(settings, criteria))
    if problems:
        raise InvalidInput(*problems)
    files = find_label_files(settings.root, given)
    return load_labels(files, instructed(settings, criteria), root=settings.root)


async def calibrate(
    order: Order,
    settings: Settings,
    surroundings: Surroundings,
    *,
    redactor: Redactor,
    stop_sign: StopSign,
) -> Calibrated:
    """Judge every label and measure the judge. Raises as ``judge_labels`` does."""
    appeals = with_appeals(order.labels) if order.injects else []
    judgements = await judge_labels(
        (*order.labels, *appeals), settings, surroundings, redactor=redactor, stop_sign=stop_sign
    )
    count = len(order.labels)
    judged, appealed = judgements.judged[:count], judgements.judged[count:]
    missing = [each for each in judged if not each.has_verdict]
    missing += [each for each in appealed if each.run.outcome == "not_run"]
    undecided = tuple(Undecided(label=each.label, reason=each.run.reason) for each in missing)

    def clean(text: str) -> str:
        return no_lone_surrogates(redactor.text(text))

    found = None
    if not undecided and settings.judge is not None:
        found = _found(order, judgements, settings.judge, settings, clean=clean)
    return Calibrated(
        found=found,
        undecided=undecided,
        requests=judgements.spending.judge_requests,
        known_again=judgements.spending.judge_cached,
        warnings=judgements.warnings,
    )


def _found(
    order: Order,
    judgements: Judgements,
    judge: JudgeSettings,
    settings: Settings,
    *,
    clean: Callable[[str], str],
) -> CalibrationFile:
    count = len(order.labels)
    judged, appealed = judgements.judged[:count], judgements.judged[count:]
    by_criterion: dict[str, list[Judged]] = {}
    for each in judged:
        by_criterion.setdefault(each.label.scenario.criterion.id, []).append(each)
    return CalibrationFile(
        calibration_version=1,
        tool=ToolKeys(name="ci-judge", version=__version__),
        made=iso_time(judgements.made),
        seed=judgements.seed,
        judge=judge_keys(judge, _answered(judged)),
        criteria_instructions=criteria_instructions(settings),
        overall=measured(judged),
        criteria={name: measured(group) for name, group in by_criterion.items()},
        probabilities=probabilities(judged, order.wanted),
        disagreements=tuple(disagreements(judged, clean=clean)),
        injection=injection(judged, appealed, clean=clean) if order.injects else None,
    )


def _answered(judged: Sequence[Judged]) -> Mapping[int, tuple[str, ...]]:
    """Give the models that answered, sorted, by the place of the judge that was asked."""
    found: dict[int, set[str]] = {}
    for each in judged:
        for trial in each.run.trials:
            if trial.model is not None:
                model = no_lone_surrogates(trial.model)
                found.setdefault(trial.judge_index, set()).add(model)
    return {place: tuple(sorted(models)) for place, models in found.items()}
