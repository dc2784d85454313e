"""What a report that is only data may say of attempts: GitHub's number of this one comes first."""

from ci_judge.model.document import GroupEntry, ReportDocument, RerunEntry, TestEntry


def as_attempt(document: ReportDocument, number: int | None) -> ReportDocument:
    """Give the report as that of attempt ``number``, which GitHub told; None where it did not.

    What it says of this attempt and of later ones is left out, and all of it in a first attempt.
    """
    rerun = document["run"]["rerun"]
    if number is None:
        return document
    return {
        **document,
        "run": {**document["run"], "attempt": number, "rerun": _rerun(rerun, number)},
        "groups": [_group(group, number) for group in document["groups"]],
    }


def _rerun(rerun: RerunEntry | None, number: int) -> RerunEntry | None:
    if rerun is None or number == 1:
        return None
    earlier = [each for each in rerun["earlier"] if 0 < each["attempt"] < number]
    return {**rerun, "attempt": number, "earlier": earlier}


def _group(group: GroupEntry, number: int) -> GroupEntry:
    return {**group, "tests": [_test(test, number) for test in group["tests"]]}


def _test(test: TestEntry, number: int) -> TestEntry:
    earlier = [each for each in test["earlier"] if 0 < each["attempt"] < number]
    return {**test, "earlier": earlier, "carried_runs": test["carried_runs"] if earlier else 0}
