"""What a report says of the judge's own error: its calibration, and the corrected rates."""

from ci_judge.model.document import JudgeEntry, TestEntry
from ci_judge.renderers.wording import beside_threshold, interval_beside


def calibration_line(judge: JudgeEntry | None) -> str:
    """Say how the judge did on labels, or why rates are not corrected; empty without labels.

    Untrusted where it names models.
    """
    calibration = judge["calibration"] if judge else None
    if calibration is None:
        return ""
    if calibration["problem"] is not None:
        return f"{calibration['file']}: {calibration['problem']}"
    labels = calibration["labels"]
    return (
        f"calibrated ({calibration['made'][:10]}): of responses that people labelled the judge "
        f"passed {labels['agreed_passes']:,} of {labels['human_passes']:,} good ones and failed "
        f"{labels['agreed_fails']:,} of {labels['human_fails']:,} bad ones; corrected rates are "
        "approximate"
    )


def corrected_words(test: TestEntry) -> str:
    """``corrected 93 % (81 to 100 %)``, empty where no calibration corrects the rate."""
    corrected = test["corrected"]
    if corrected is None:
        return ""
    ends = interval_beside(corrected["interval"], [test["gate"]["threshold"]])
    return f"corrected {beside_threshold(corrected['rate'], test)} ({ends})"
