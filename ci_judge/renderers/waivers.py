"""How waivers read: never like a pass, always with who answers for them and until when."""

from typing import Final

from ci_judge.model.document import ReportDocument, TestEntry

IN_SHORT: Final = "failed, and may for a while (waivers.yaml); this does not fail the step"


def waiver_words(test: TestEntry) -> str:
    """``waived until 2026-07-31 by Anna: reason``; empty without a waiver in force."""
    waiver = test["waiver"]
    if waiver is None or test["result"] == "skipped":
        return ""
    told = f"until {waiver['expires']} by {waiver['owner']}: {waiver['reason']}"
    if test["result"] == "waived":
        return f"waived {told}"
    needed = "was not needed" if test["result"] == "passed" else "does not cover this"
    return f"its waiver {needed} ({told})"


def waived_tests(document: ReportDocument) -> list[TestEntry]:
    """Give the tests with a waiver in force: those that failed, then those that did not."""
    tests = [test for group in document["groups"] for test in group["tests"] if waiver_words(test)]
    return sorted(tests, key=lambda test: test["result"] != "waived")
