"""What two reports must have in common for their tests to be compared."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from ci_judge.model.document import GroupEntry, JudgeEntry, ReportDocument
from ci_judge.workflows.baseline import Baseline, judge_changes

Across: TypeAlias = Literal["target", "judge"]
"""What is another on purpose."""

_TARGET_IDENTITY = ("url", "command", "response_path")
_JUDGE_IDENTITY = ("command", "logprobs")
_JUDGE_TERMS = ("mode", "threshold", "repetitions", "minimum_pass_rate", "temperature")


def judge_differences(
    baseline: Baseline, document: ReportDocument, *, across: frozenset[Across] = frozenset()
) -> Iterator[str]:
    """Say how the judges of two reports differ, unless that is what is compared."""
    if "judge" in across:
        return
    judge, settings = document["judge"], (baseline.settings, document["settings"])
    if (baseline.judge is None) != (judge is None):
        yield "one of the two has no judge"
    elif any(judge_changes(baseline, judge)) or _differ(settings, _JUDGE_IDENTITY):
        yield "another judge, model or prompt"
    elif baseline.judge is not None and judge is not None and _terms_differ(baseline.judge, judge):
        yield "the judge judges by other rules"
    elif _differ(settings, ("instructions",)):
        yield "the judge has other instructions"


def _terms_differ(old: JudgeEntry, new: JudgeEntry) -> bool:
    pairs = [(old, new), *zip(old["panel"], new["panel"], strict=False)]
    return old["panel_rule"] != new["panel_rule"] or any(
        was.get(term) != now.get(term) for was, now in pairs for term in _JUDGE_TERMS
    )


def target_differences(
    baseline: Baseline, document: ReportDocument, *, across: frozenset[Across] = frozenset()
) -> Iterator[str]:
    """Say how the targets of two reports differ, unless that is what is compared."""
    if "target" not in across and _targets(baseline.settings) != _targets(document["settings"]):
        yield "another target"


def _targets(settings: Mapping[str, Any]) -> list[tuple[str, list[Any]]]:
    """Give what makes each target the one that it is; how it is asked may change."""
    named = settings.get("targets")
    sections = {"": settings.get("target"), **(named if isinstance(named, dict) else {})}
    return [
        (name, [section.get(key) for key in _TARGET_IDENTITY])
        for name, section in sorted(sections.items())
        if isinstance(section, dict)
    ]


def criteria_of(
    groups: Iterable[GroupEntry],
    settings: Mapping[str, Any],
    *,
    across: frozenset[Across] = frozenset(),
) -> dict[str, tuple[str, Any]]:
    """Give by test id what its judge is told of its criterion; how that is laid out may change."""
    sections = settings.get("criteria")
    instructed = sections if isinstance(sections, dict) and "judge" not in across else {}
    return {
        test["id"]: (
            " ".join(f"{group['title']} {group['description']}".split()),
            _section(instructed.get(group["id"])).get("instructions"),
        )
        for group in groups
        if group["kind"] == "criterion"
        for test in group["tests"]
    }


def _differ(settings: tuple[Mapping[str, Any], Mapping[str, Any]], keys: Iterable[str]) -> bool:
    """Tell whether the section judge, or a judge of its panel, has another of these keys."""
    was, now = (_judges(each) for each in settings)
    return [[judge.get(key) for key in keys] for judge in was] != [
        [judge.get(key) for key in keys] for judge in now
    ]


def _judges(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    section = _section(settings.get("judge"))
    panel = section.get("panel")
    return [section, *map(_section, panel if isinstance(panel, list) else ())]


def _section(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}
