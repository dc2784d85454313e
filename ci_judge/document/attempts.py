"""Which attempt at a commit a document is of."""

from ci_judge.model.document import ReportDocument


def number_of(document: ReportDocument) -> int:
    """Give the number of the attempt that a report is of, 1 where nothing tells."""
    rerun = document["run"]["rerun"]
    return document["run"]["attempt"] or (rerun["attempt"] if rerun else 1)
