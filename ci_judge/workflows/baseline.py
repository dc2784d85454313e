"""An earlier report that this run is held against, and whether the same judge judged both."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from ci_judge.model.document import (
    GroupEntry,
    JudgeEntry,
    JudgeTermsEntry,
    ReportDocument,
    TestEntry,
)
from ci_judge.settings import Settings
from ci_judge.workflows.render import MOST_BYTES, report_content, report_in

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_ONLY_IN_THE_ACTION = "auto looks through the artifacts of earlier runs, in the GitHub action only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What is kept of the earlier report; its runs are not.

    ``started`` is its time as it stands there, ``source`` says where it was found, ``tests`` are
    its tests by id, ``groups`` the criteria that they are of. ``interrupted`` and ``complete``
    are as in its ``run``.
    """

    started: str
    commit: str | None
    judge: JudgeEntry | None
    source: str = "run.baseline"
    url: str | None = None
    interrupted: bool = False
    complete: bool = True
    settings: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    tests: Mapping[str, TestEntry] = field(default_factory=lambda: _NOTHING)
    groups: tuple[GroupEntry, ...] = ()

    def __str__(self) -> str:
        commit = f", commit {self.commit[:10]}" if self.commit else ""
        return f"the baseline (report of {self.started[:10]}{commit})"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoBaseline:
    """A baseline was asked for and there is none: where it was looked for, and why."""

    source: str
    reason: str


FoundBaseline: TypeAlias = Baseline | NoBaseline
LookForBaseline: TypeAlias = Callable[[str], Awaitable[FoundBaseline]]
"""Looks for the newest report that a run has left in a file of this name."""


async def find_baseline(settings: Settings, look: LookForBaseline | None) -> FoundBaseline | None:
    """Find the report that ``run.baseline`` names, or have it looked for; None where none is asked.

    ``look`` is how ``auto`` is done, and that is then the default.
    Raises InvalidInput when the file named is not there or is no report.
    """
    wanted = settings.run.baseline or ("none" if look is None else "auto")
    if wanted == "none":
        return None
    if wanted != "auto":
        path = settings.root / wanted
        content = report_content(path, most_bytes=MOST_BYTES)
        document = report_in(content, path, keep_runs=False).document
        return baseline_of(document, source=f"run.baseline: {wanted}")
    if look is None:
        return NoBaseline(source="auto", reason=_ONLY_IN_THE_ACTION)
    return await look(settings.report.json_name)


def baseline_of(document: ReportDocument, *, source: str) -> Baseline:
    """Keep of a report what comparing needs."""
    run = document["run"]
    return Baseline(
        started=run["started"],
        commit=run["commit"],
        judge=document["judge"],
        source=source,
        url=run["url"],
        interrupted=run["interrupted"],
        complete=run["complete"],
        settings=document["settings"],
        tests={test["id"]: test for group in document["groups"] for test in group["tests"]},
        groups=tuple(document["groups"]),
    )


def judge_changes(baseline: FoundBaseline | None, judge: JudgeEntry | None) -> Iterator[str]:
    """Say what of the judge is another than in the baseline, a sentence each."""
    if not isinstance(baseline, Baseline) or baseline.judge is None or judge is None:
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
