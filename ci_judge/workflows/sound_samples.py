"""Whether the first runs of an adaptive test came to what its report says of them."""

from collections.abc import Iterator

from ci_judge.model.document import TestEntry
from ci_judge.protocols import RunSource


def wrong_prefix(test: TestEntry, runs: RunSource) -> Iterator[str]:
    """Say where the sample that a baseline is compared by is not that of the runs."""
    prefix = test["prefix"]
    if prefix is None:
        return
    first = [run for run in runs.runs(test["id"]) if run["number"] <= prefix["runs"]]
    passes = sum(run["outcome"] == "pass" for run in first)
    fails = sum(run["outcome"] == "fail" for run in first)
    told = (prefix["runs"], prefix["passes"], prefix["judged"])
    if told != (len(first), passes, passes + fails):
        yield f"counts other runs among its first {prefix['runs']} than it holds"
