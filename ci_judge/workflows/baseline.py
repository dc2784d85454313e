"""An earlier report that this run is held against: so far, whether the same judge judged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ci_judge.model.document import JudgeEntry, JudgeTermsEntry
from ci_judge.settings import Settings
from ci_judge.workflows.render import read_report


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What is kept of the earlier report. ``started`` is its time as it stands there."""

    started: str
    commit: str | None
    judge: JudgeEntry | None

    def __str__(self) -> str:
        commit = f", commit {self.commit[:10]}" if self.commit else ""
        return f"the baseline (report of {self.started[:10]}{commit})"


def read_baseline(settings: Settings) -> Baseline | None:
    """Read the report that ``run.baseline`` names; None where it names none.

    Raises InvalidInput when it is not there or is no report.
    """
    if settings.run.baseline is None:
        return None
    document = read_report(settings.root / settings.run.baseline).document
    run = document["run"]
    return Baseline(started=run["started"], commit=run["commit"], judge=document["judge"])


def judge_changes(baseline: Baseline | None, judge: JudgeEntry | None) -> Iterator[str]:
    """Say what of the judge is another than in the baseline, a sentence each."""
    if baseline is None or baseline.judge is None or judge is None:
        return
    before, now = _members(baseline.judge), _members(judge)
    if len(before) != len(now):
        yield _changed(baseline, "the number of judges", str(len(before)), str(len(now)))
        return
    for old, new in zip(before, now, strict=True):
        yield from _member_changes(baseline, old, new)


def _members(judge: JudgeEntry) -> Sequence[JudgeTermsEntry]:
    return judge["panel"] or [judge]


def _member_changes(
    baseline: Baseline, old: JudgeTermsEntry, new: JudgeTermsEntry
) -> Iterator[str]:
    facts = (
        ("the judge", old["provider"], new["provider"]),
        ("the judge's model", old["model"], new["model"]),
        ("the version of its prompt", old["prompt_version"], new["prompt_version"]),
    )
    changed = [_changed(baseline, what, was, now) for what, was, now in facts if was != now]
    yield from changed
    answered = [" and ".join(judge["models_answered"]) for judge in (old, new)]
    if not changed and all(answered) and answered[0] != answered[1]:
        yield _changed(baseline, "the model that answered", *answered)


def _changed(baseline: Baseline, what: str, was: str | None, now: str | None) -> str:
    return (
        f"{what} has changed since {baseline}: it was {was or 'not named'} and is "
        f"{now or 'not named'}; results on the two sides are not comparable"
    )
