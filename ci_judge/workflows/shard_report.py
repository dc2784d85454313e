"""What the report of a shard says besides its own tests: which part it is, and of what."""

from dataclasses import replace

from ci_judge.document.report import group_entries
from ci_judge.engine.scheduler import skipped
from ci_judge.model.document import ReportDocument, ShardEntry
from ci_judge.model.results import Tally, TestResult
from ci_judge.model.suite import Test
from ci_judge.rules.gates import decide
from ci_judge.workflows.fingerprint import fingerprint
from ci_judge.workflows.planning import Plan
from ci_judge.workflows.sharding import Part


def as_part(document: ReportDocument, plan: Plan, *, seed: int | None) -> ReportDocument:
    """Give the document of a shard its place among the others; any other document as it is.

    ``seed`` is the one asked for.
    """
    part = plan.part
    if part is None:
        return document
    entry = _shard_entry(part, plan, seed=seed, complete=document["run"]["complete"])
    shared: ReportDocument = {
        **document,
        "headline": _headline(document, part, empty=not plan.tests),
        "run": {**document["run"], "complete": False, "shard": entry},
    }
    if plan.tests or document["status"] != "passed":
        return shared
    return {**shared, "status": "skipped"}


def _headline(document: ReportDocument, part: Part, *, empty: bool) -> str:
    name = str(part.shard).capitalize()
    told = f"{name} ({part.asked_by})" if part.asked_by else name
    if empty:
        return f"{told}: none of the {len(part.dealt)} tests is in this part, nothing was judged."
    return f"{told}: {document['headline']}"


def _shard_entry(part: Part, plan: Plan, *, seed: int | None, complete: bool) -> ShardEntry:
    whole = replace(plan, suite=part.whole)
    groups = group_entries(whole.suite, [_planned(test) for test in whole.tests])
    ids = [test["id"] for group in groups for test in group["tests"]]
    return {
        "index": part.shard.index,
        "count": part.shard.count,
        "fingerprint": fingerprint(whole.tests, seed=seed),
        "complete": complete,
        "planned_ids": ids,
        "parts": [
            [test_id for test_id in ids if part.dealt[test_id] == index]
            for index in range(1, part.shard.count + 1)
        ],
        "plan": groups,
    }


def _planned(test: Test) -> TestResult:
    """Give a test as it stands before its first run."""
    tally = Tally(planned=test.gate.runs, not_run=test.gate.runs)
    gate = decide(test.gate, tally)
    if test.skip is not None:
        gate = skipped(gate, test.skip)
    return TestResult(test=test, tally=tally, gate=gate, latency=None, duration_seconds=0.0)
