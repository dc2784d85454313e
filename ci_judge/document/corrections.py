"""Pass rates without the judge's own error, beside those that were observed."""

from fractions import Fraction

from ci_judge.model.calibration import LabelCounts
from ci_judge.model.document import (
    CorrectedEntry,
    LabelsEntry,
    ReportDocument,
    TestEntry,
)
from ci_judge.rules.judge_error import corrected_rate

_DIGITS = 6


def labels_entry(labels: LabelCounts) -> LabelsEntry:
    return {
        "human_passes": labels.human_passes,
        "agreed_passes": labels.agreed_passes,
        "human_fails": labels.human_fails,
        "agreed_fails": labels.agreed_fails,
    }


def with_corrections(document: ReportDocument) -> ReportDocument:
    """Put the corrected rate beside each that was observed, by the calibration of the judge.

    None where there is no calibration of this judge; of a test that may stop early; of one that
    nobody judged, and of cases: no label tells how a judge errs about a function's value.
    """
    labels = calibrated_labels(document)
    return {
        **document,
        "groups": [
            {
                **group,
                "tests": [{**test, "corrected": _entry(test, labels)} for test in group["tests"]],
            }
            for group in document["groups"]
        ],
    }


def calibrated_labels(document: ReportDocument) -> LabelCounts | None:
    """Give the labels by which the rates of a report can be corrected, None without any."""
    calibration = document["judge"]["calibration"] if document["judge"] else None
    if calibration is None or calibration["problem"] is not None:
        return None
    return labels_in(calibration["labels"])


def labels_in(entry: LabelsEntry) -> LabelCounts:
    """Give what an entry tells of a judge's labels. Raises ValueError for what cannot be."""
    return LabelCounts(
        human_passes=entry["human_passes"],
        agreed_passes=entry["agreed_passes"],
        human_fails=entry["human_fails"],
        agreed_fails=entry["agreed_fails"],
    )


def _entry(test: TestEntry, labels: LabelCounts | None) -> CorrectedEntry | None:
    if labels is None or test["gate"]["anytime"] or not _is_judged(test):
        return None
    found = corrected_rate(
        test["passes"],
        test["judged"],
        labels,
        certain=test["certain_fails"],
        confidence=Fraction(test["gate"]["confidence"]),
    )
    if found is None:
        return None
    ends = [round(found.low, _DIGITS), round(found.high, _DIGITS)]
    return {"rate": round(found.rate, _DIGITS), "interval": ends}


def _is_judged(test: TestEntry) -> bool:
    """Tell whether a judge decides runs of a test: checks alone need no correction."""
    return bool(test["expected"]) and test["judged"] > 0
