"""What labels say of a judge, in the words of ``ci-judge calibrate``."""

from collections.abc import Iterator

from ci_judge.renderers.wording import counted, percent
from ci_judge.rules.judge_error import refusal
from ci_judge.visible_text import one_line
from ci_judge.workflows.calibration.file import (
    CalibrationFile,
    DisagreementKeys,
    InjectionKeys,
    MeasuredKeys,
    ProbabilityKeys,
    ShareKeys,
    SingleJudgeKeys,
)
from ci_judge.workflows.judging_labels.finding import Calibrated
from ci_judge.workflows.judging_labels.measuring import Wanted

_LINE_CHARS = 400
_MOST_UNDECIDED = 20


def calibration_lines(found: CalibrationFile, outcome: Calibrated) -> Iterator[str]:
    """Yield who was measured, each criterion, all of them, and every disagreement."""
    yield f"judge: {_judge(found)}"
    if len(found.criteria) > 1:
        for name, each in found.criteria.items():
            yield f"{name}:"
            yield from _measured_lines(each)
        yield "all criteria:"
    else:
        yield f"{next(iter(found.criteria))}:"
    yield from _measured_lines(found.overall)
    if found.probabilities is not None:
        drawn = any(each.mode == "sample" for each in found.judge.judges)
        yield from _probability_lines(found.probabilities, drawn=drawn)
    yield from _disagreement_lines(found)
    yield from _injection_lines(found.injection)
    yield from _use_lines(found)
    yield _spent(outcome)


def undecided_lines(outcome: Calibrated, *, cached: bool) -> Iterator[str]:
    """Say which labels have no verdict, and that nothing was written for that."""
    for each in outcome.undecided[:_MOST_UNDECIDED]:
        scenario = each.label.scenario
        text = f'no verdict: {scenario.place}: "{scenario.name}": {each.reason}'
        yield one_line(text, limit=_LINE_CHARS)
    more = len(outcome.undecided) - _MOST_UNDECIDED
    if more > 0:
        yield f"and {counted(more, 'more label')}"
    kept = ": what was judged comes from the cache." if cached else "."
    yield (
        f"{counted(len(outcome.undecided), 'label')} without a verdict: nothing is measured and"
        f" nothing is written. Mend that and run it again{kept}"
    )
    yield _spent(outcome)


def gate_lines(found: CalibrationFile, wanted: Wanted) -> Iterator[str]:
    """Say which of the wanted shares is not proven."""
    for name, least, share, what in (
        ("--min-tpr", wanted.tpr, found.overall.sensitivity, "good responses passed"),
        ("--min-tnr", wanted.tnr, found.overall.specificity, "bad responses failed"),
    ):
        low = share.interval[0]
        if low < least:
            yield (
                f"failed: {name} wants a lower bound of {percent(least)} for {what}; "
                f"{share.hits} of {share.total} prove {percent(low)}"
            )


def _judge(found: CalibrationFile) -> str:
    judges = [_single(each) for each in found.judge.judges]
    if found.judge.panel_rule is None:
        return judges[0]
    return f"a panel of {len(judges)} ({found.judge.panel_rule}): {', '.join(judges)}"


def _single(judge: SingleJudgeKeys) -> str:
    model = " and ".join(judge.models_answered) or judge.model
    version = f", prompt {judge.prompt_version}" if judge.prompt_version else ""
    return one_line(f"{judge.provider}{f' {model}' if model else ''}{version}", limit=_LINE_CHARS)


def _measured_lines(each: MeasuredKeys) -> Iterator[str]:
    if each.by_checks:
        wrongly = each.by_checks_wrongly
        but = f", {wrongly} of them that people passed" if wrongly else ""
        yield (
            f"    {each.by_checks} of {counted(each.labels, 'label')} failed by checks and"
            f" phrases, which ask no judge{but}"
        )
    counts = each.counts
    yield "                  judge passes  judge fails"
    missed = counts.human_passes - counts.agreed_passes
    yield f"    people pass  {counts.agreed_passes:>13}{missed:>13}"
    through = counts.human_fails - counts.agreed_fails
    yield f"    people fail  {through:>13}{counts.agreed_fails:>13}"
    yield f"    good responses passed: {_share(each.sensitivity)}"
    yield f"    bad responses failed: {_share(each.specificity)}"
    yield f"    right in all: {_share(each.accuracy)}"
    if each.by_checks:
        yield f"    right with checks and phrases: {_share(each.right_with_checks)}"
    yield (
        f"    agreement (0 is chance, 1 is full): Gwet's AC1 {_figure(each.gwet_ac1)}, "
        f"Cohen's kappa {_figure(each.cohen_kappa)}"
    )


def _share(share: ShareKeys) -> str:
    if share.rate is None:
        return "n/a, no such label reached the judge"
    low, high = (percent(round(end, 3)) for end in share.interval)
    ends = f"{low.removesuffix(' %')} to {high}"
    return f"{share.hits} of {share.total} ({percent(share.rate)}, 95 % interval {ends})"


def _figure(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"


def _probability_lines(found: ProbabilityKeys, *, drawn: bool) -> Iterator[str]:
    """Say how good the probabilities are; ``drawn`` verdicts go by no threshold yet."""
    yield (
        f"probabilities: Brier score {_figure(found.brier)} (0 is perfect), "
        f"expected calibration error {_figure(found.calibration_error)}, "
        f"over {counted(found.labels, 'label')}"
    )
    for row in found.reliability:
        if row.labels:
            yield (
                f"    {row.low:.1f} to {row.high:.1f}: {counted(row.labels, 'label')}, "
                f"said {_figure(row.mean)}, people passed {_figure(row.observed)}"
            )
    if found.suggestion is not None:
        counts = found.suggestion.counts
        but = "" if found.suggestion.meets else " (no threshold meets what is wanted)"
        mode = "with judge.mode: threshold, " if drawn else ""
        yield (
            f"    {mode}judge.threshold: {found.suggestion.threshold:g} suits these labels best: "
            f"it passes {counts.agreed_passes} of {counts.human_passes} good ones and fails "
            f"{counts.agreed_fails} of {counts.human_fails} bad ones{but}"
        )


def _disagreement_lines(found: CalibrationFile) -> Iterator[str]:
    if found.disagreements:
        yield f"{counted(len(found.disagreements), 'disagreement')}:"
    yield from map(_disagreement, found.disagreements)


def _disagreement(each: DisagreementKeys) -> str:
    other = "fails" if each.human == "pass" else "passes"
    who = "the judge" if each.by == "judge" else "a check"
    text = f'{each.place}: people {each.human} "{each.name}", {who} {other} it: {each.reason}'
    return f"    {one_line(text, limit=_LINE_CHARS)}"


def _injection_lines(found: InjectionKeys | None) -> Iterator[str]:
    if found is None:
        return
    yield f"bad responses that passed with an appeal to the judge: {_share(found.succeeded)}"
    if found.unanswered:
        yield f"    to {found.unanswered} of the appeals the judge gave no verdict"
    for each in found.turned:
        text = f'{each.place}: "{each.name}" with "{each.appeal}": {each.reason}'
        yield f"    {one_line(text, limit=_LINE_CHARS)}"


def _use_lines(found: CalibrationFile) -> Iterator[str]:
    refused = refusal(found.overall.counts.counts())
    if refused is not None:
        yield f"no pass rate can be corrected by these labels: {refused}"


def _spent(outcome: Calibrated) -> str:
    again = f", {outcome.known_again:,} judgements from the cache" if outcome.known_again else ""
    return f"{counted(outcome.requests, 'request')} to the judge{again}"
