"""Reads a report that a stranger may have made: nothing in it may be other than a report's."""

import json
from pathlib import Path
from typing import Final

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.renderers.report_schema import MAX_PROBLEMS, validate_report
from ci_judge.workflows.render import RecordedReport, report_content, report_in
from ci_judge.workflows.sound_reports import refuse_contradictions

MOST_BYTES: Final = 32 << 20
_HINT = "it must be the report.json of this very release, as ci-judge run has written it"


def read_strict_report(path: Path, *, most_bytes: int = MOST_BYTES) -> RecordedReport:
    """Read a report of at most ``most_bytes`` that holds no key of its own making.

    Raises InvalidInput.
    """
    content = report_content(path, most_bytes=most_bytes)
    report = report_in(content, path)
    whole = json.loads(content.decode("utf-8-sig"))
    problems = validate_report(whole, closed=True)
    if problems:
        raise InvalidInput(
            *(
                Problem(message=problem, hint=_HINT, place=Place(file=str(path)))
                for problem in problems[:MAX_PROBLEMS]
            )
        )
    refuse_contradictions(report, path)
    return report
