"""``ci-judge compare``: two reports held against each other, whenever they were made."""

from dataclasses import dataclass, replace
from pathlib import Path

from ci_judge.document.merging import tests_of
from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.model.document import ReportDocument
from ci_judge.rules.differences import PairedTest, mcnemar
from ci_judge.rules.settling import settle_outcomes
from ci_judge.workflows.baseline import Baseline, baseline_of
from ci_judge.workflows.comparability import Across
from ci_judge.workflows.comparing import ComparingRules, compared
from ci_judge.workflows.render import MOST_BYTES, report_content, report_in


@dataclass(frozen=True, slots=True, kw_only=True)
class SinglePairs:
    """Tests with one run on both sides: ``worse`` passed before and fail now.

    ``better`` went the other way, ``same`` as before.
    """

    worse: int
    better: int
    same: int
    test: PairedTest


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportComparison:
    """The new report with all that comparing added; its exit code is that of what got worse.

    ``pairs`` is None where tests had more than one run.
    """

    document: ReportDocument
    pairs: SinglePairs | None


def compare_reports(
    old: Path, new: Path, *, across: frozenset[Across] = frozenset(), alpha: float | None = None
) -> ReportComparison:
    """Compare a report with an older one, by the rules that it was made with itself.

    ``alpha`` is in the place of its own. Raises InvalidInput for files that are no reports, and
    where there is nothing to compare with.
    """
    before = _read(old)
    baseline = baseline_of(before, source=str(old))
    document = _settled_by_its_gates(_read(new))
    rules = replace(
        ComparingRules.recorded(document["settings"]), fail_on="regression", across=across
    )
    if alpha is not None:
        rules = replace(rules, alpha=alpha)
    held = compared(document, baseline, rules=rules, whole_suite=_is_whole(document, baseline))
    entry = held["baseline"]
    if entry is not None and entry["problem"] is not None:
        place = Place(file=str(old))
        raise InvalidInput(
            Problem(message=f"cannot be compared with: {entry['problem']}", place=place)
        )
    return ReportComparison(document=held, pairs=_pairs(held))


def _read(path: Path) -> ReportDocument:
    content = report_content(path, most_bytes=MOST_BYTES)
    return report_in(content, path, keep_runs=False).document


def _is_whole(document: ReportDocument, baseline: Baseline) -> bool:
    """Take a shard for a whole only where it has all tests of what it is compared with."""
    tests = {test["id"] for test in tests_of(document["groups"])}
    return document["run"]["shard"] is None or baseline.tests.keys() <= tests


def _settled_by_its_gates(document: ReportDocument) -> ReportDocument:
    """Take back what an earlier comparison said. An interrupted run is compared as it is."""
    outcomes = [test["result"] for test in tests_of(document["groups"]) if not test["advisory"]]
    settlement = settle_outcomes(outcomes, fail_on="error")
    return {
        **document,
        "status": settlement.status,
        "exit_code": int(settlement.exit_code),
        "headline": settlement.headline,
        "run": {**document["run"], "interrupted": False},
    }


def _pairs(document: ReportDocument) -> SinglePairs | None:
    found = [
        test["change"]["difference"] for test in tests_of(document["groups"]) if test["change"]
    ]
    pairs = [each for each in found if each is not None]
    if not pairs or any(pair["judged"] != 1 or pair["was_judged"] != 1 for pair in pairs):
        return None
    worse = sum(pair["passes"] < pair["was_passes"] for pair in pairs)
    better = sum(pair["passes"] > pair["was_passes"] for pair in pairs)
    return SinglePairs(
        worse=worse,
        better=better,
        same=len(pairs) - worse - better,
        test=mcnemar(worse=worse, better=better),
    )
