"""From labels and verdicts to what is said of a judge."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from ci_judge.model.calibration import LabelCounts
from ci_judge.model.judging import VERDICTS, Run
from ci_judge.rules.confusion import Share, confusion, share_of
from ci_judge.rules.probability_scores import (
    Forecast,
    Suggestion,
    brier_score,
    expected_calibration_error,
    reliability,
    suggested_threshold,
)
from ci_judge.suites.labels import Label
from ci_judge.workflows.calibration.file import (
    BinKeys,
    CountKeys,
    DisagreementKeys,
    MeasuredKeys,
    ProbabilityKeys,
    ShareKeys,
    SuggestionKeys,
)

_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The least shares of good responses passed, and of bad ones failed, that will do; 0: any."""

    tpr: float = 0.0
    tnr: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A label and the run that judged it."""

    label: Label
    run: Run

    @property
    def has_verdict(self) -> bool:
        return self.run.outcome in VERDICTS

    @property
    def passed(self) -> bool:
        return self.run.outcome == "pass"

    @property
    def agrees(self) -> bool:
        return self.passed == self.label.passed


def measured(judged: Sequence[Judged]) -> MeasuredKeys:
    """Measure a judge by labels that all have a verdict.

    Labels that checks or phrases decided say nothing of the judge, who was not asked about them:
    they are counted apart.
    """
    by_checks = [each for each in judged if each.run.certain]
    counts = _counts([each for each in judged if not each.run.certain])
    found = confusion(counts)
    return MeasuredKeys(
        labels=len(judged),
        by_checks=len(by_checks),
        by_checks_wrongly=sum(not each.agrees for each in by_checks),
        right_with_checks=share_keys(sum(each.agrees for each in judged), len(judged)),
        counts=count_keys(counts),
        accuracy=_share(found.accuracy),
        sensitivity=_share(found.sensitivity),
        specificity=_share(found.specificity),
        cohen_kappa=_rounded(found.cohen_kappa),
        gwet_ac1=_rounded(found.gwet_ac1),
    )


def _counts(judged: Sequence[Judged]) -> LabelCounts:
    good = [each for each in judged if each.label.passed]
    bad = [each for each in judged if not each.label.passed]
    return LabelCounts(
        human_passes=len(good),
        agreed_passes=sum(each.agrees for each in good),
        human_fails=len(bad),
        agreed_fails=sum(each.agrees for each in bad),
    )


def count_keys(counts: LabelCounts) -> CountKeys:
    return CountKeys(
        human_passes=counts.human_passes,
        agreed_passes=counts.agreed_passes,
        human_fails=counts.human_fails,
        agreed_fails=counts.agreed_fails,
    )


def share_keys(hits: int, total: int) -> ShareKeys:
    """Give a share as it stands in the file."""
    return _share(share_of(hits, total))


def _share(share: Share) -> ShareKeys:
    ends = (round(share.interval.low, _DIGITS), round(share.interval.high, _DIGITS))
    return ShareKeys(hits=share.hits, total=share.total, rate=_rounded(share.rate), interval=ends)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def disagreements(
    judged: Sequence[Judged], *, clean: Callable[[str], str]
) -> Iterator[DisagreementKeys]:
    """Yield every label that has another verdict than a person gave it, in the labels' order.

    ``clean`` takes secrets out of what others wrote.
    """
    for each in judged:
        if not each.agrees:
            yield DisagreementKeys(
                criterion=each.label.scenario.criterion.id,
                name=clean(each.label.scenario.name),
                place=str(each.label.scenario.place),
                human="pass" if each.label.passed else "fail",
                by="checks" if each.run.certain else "judge",
                reason=clean(each.run.reason),
                note=None if each.label.note is None else clean(each.label.note),
            )


def probabilities(judged: Sequence[Judged], wanted: Wanted) -> ProbabilityKeys | None:
    """Say how good the probabilities are; None where the judge gives none.

    Of a label with one expectation the mean over its repetitions is taken. A panel gives none: its
    judges' probabilities never are one.
    """
    forecasts = list(_forecasts(judged))
    if not forecasts:
        return None
    table = reliability(forecasts)
    suggestion = suggested_threshold(forecasts, least_tpr=wanted.tpr, least_tnr=wanted.tnr)
    return ProbabilityKeys(
        labels=len(forecasts),
        brier=_rounded(brier_score(forecasts)),
        calibration_error=_rounded(expected_calibration_error(table)),
        reliability=tuple(
            BinKeys(
                low=each.low,
                high=each.high,
                labels=each.forecasts,
                mean=_rounded(each.mean),
                observed=_rounded(each.observed),
            )
            for each in table
        ),
        suggestion=None if suggestion is None else _suggestion(suggestion),
    )


def _suggestion(found: Suggestion) -> SuggestionKeys:
    return SuggestionKeys(
        threshold=round(found.threshold, _DIGITS),
        meets=found.met,
        counts=count_keys(found.counts),
    )


def _forecasts(judged: Sequence[Judged]) -> Iterator[Forecast]:
    for each in judged:
        trials = each.run.trials
        if any(len(trial.rulings) != 1 or trial.judge is not None for trial in trials):
            continue
        said = [trial.rulings[0].probability for trial in trials]
        known = [probability for probability in said if probability is not None]
        if known and len(known) == len(said):
            yield Forecast(probability=fmean(known), passed=each.label.passed)
