"""Whether what a report says of its judge's labels, and of fails by checks, can be."""

from collections.abc import Iterator

from ci_judge.document.corrections import calibrated_labels
from ci_judge.model.document import ReportDocument, TestEntry


def wrong_calibration(document: ReportDocument) -> Iterator[str]:
    """Yield what the labels of the judge's calibration cannot be."""
    try:
        calibrated_labels(document)
    except ValueError as error:
        yield f"its calibration cannot be: {error}"


def wrong_certain_fails(test: TestEntry, *, held: int) -> Iterator[str]:
    """Yield it where a test counts more fails by checks than it has; ``held`` are its runs'."""
    if not 0 <= test["certain_fails"] <= min(held, test["fails"]):
        yield f"counts {test['certain_fails']} fails by checks, and holds other ones"
