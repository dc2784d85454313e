"""Puts the documents of shards together: the document of the whole suite again."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from ci_judge.document.report import pass_rate
from ci_judge.document.run_entries import USD_DIGITS
from ci_judge.errors import ExitCode
from ci_judge.model.document import (
    BudgetEntry,
    GateEntry,
    GroupEntry,
    JudgeEntry,
    ReasonCountEntry,
    ReportDocument,
    RunContextEntry,
    ShardEntry,
    SummaryEntry,
    TestEntry,
)
from ci_judge.model.reasons import NotRunCode, ReasonCode
from ci_judge.rules.shards import Shard


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A shard that gave no report, and its tests as they were planned.

    ``code`` says why: another than that of a missing shard, where the parts came about while they
    ran and these tests are what nobody finished.
    """

    shard: Shard
    tests: tuple[TestEntry, ...]
    code: NotRunCode = NotRunCode.SHARD_MISSING

    def __str__(self) -> str:
        if self.was_a_shard:
            return f"{self.shard} is missing"
        return f"no worker finished {len(self.tests)} of the tests"

    @property
    def was_a_shard(self) -> bool:
        return self.code is NotRunCode.SHARD_MISSING

    @property
    def why(self) -> str:
        """Say it of one of the tests."""
        return f"{self}, its report was not given" if self.was_a_shard else "no worker finished it"

    @property
    def warning(self) -> str:
        whose = "its tests" if self.was_a_shard else "they"
        return f"{self}: {whose} could not be decided"


def missing_shards(
    documents: Sequence[ReportDocument], *, code: NotRunCode = NotRunCode.SHARD_MISSING
) -> Iterator[Missing]:
    """Find the shards of which there is no document, with the tests that they would have run."""
    first = shard_of(documents[0])
    given = {shard_of(document)["index"] for document in documents}
    planned = {test["id"]: test for test in tests_of(first["plan"])}
    for index, ids in enumerate(first["parts"], start=1):
        if index not in given:
            tests = tuple(planned[test_id] for test_id in ids)
            shard = Shard(index=index, count=first["count"])
            yield Missing(shard=shard, tests=tests, code=code)


def merged_document(
    documents: Sequence[ReportDocument], missing: Sequence[Missing], judge: JudgeEntry | None
) -> ReportDocument:
    """Build the document of all tests; status, exit code and headline are the first shard's still.

    ``documents`` are in the order of their shards, all of the same plan; ``judge`` is the entry of
    the judge over all of them. Tests of missing shards are errors.
    """
    groups = _groups(documents, missing)
    return {
        **documents[0],
        "summary": _summary([document["summary"] for document in documents], groups),
        "run": _run(documents, missing),
        "settings": _settings(documents[0]["settings"]),
        "judge": judge,
        "warnings": list(dict.fromkeys(chain(*(each["warnings"] for each in documents)))),
        "groups": groups,
    }


def shard_of(document: ReportDocument) -> ShardEntry:
    """Give what the report of a shard says of it. Raises LookupError for any other report."""
    shard = document["run"]["shard"]
    if shard is None:
        raise LookupError("this is not the report of a shard")
    return shard


def tests_of(groups: Iterable[GroupEntry]) -> list[TestEntry]:
    return [test for group in groups for test in group["tests"]]


def without_a_part(document: ReportDocument, *, lacks: bool) -> ReportDocument:
    """Pass no whole that lacks a part, whatever is to fail the step."""
    if not lacks or document["exit_code"] != ExitCode.PASSED:
        return document
    return {**document, "status": "error", "exit_code": int(ExitCode.UNDECIDED)}


def counted(summary: SummaryEntry, tests: Sequence[TestEntry]) -> SummaryEntry:
    """Count the results of the tests anew; everything else stays."""
    gating = [test["result"] for test in tests if not test["advisory"]]
    return {
        **summary,
        "tests": len(tests),
        "passed": gating.count("passed"),
        "failed": gating.count("failed"),
        "errors": gating.count("error"),
        "waived": gating.count("waived"),
        "skipped": gating.count("skipped"),
        "advisory": len(tests) - len(gating),
    }


def _groups(documents: Sequence[ReportDocument], missing: Sequence[Missing]) -> list[GroupEntry]:
    found = {
        test["id"]: test for document in documents for test in tests_of(document["groups"])
    } | {test["id"]: _lost(test, lost) for lost in missing for test in lost.tests}
    return [
        {
            **group,
            "tests": [
                {**found[planned["id"]], "anchor": planned["anchor"]} for planned in group["tests"]
            ],
        }
        for group in shard_of(documents[0])["plan"]
    ]


def _lost(test: TestEntry, missing: Missing) -> TestEntry:
    """Make an error of a test that nobody reported on; a skipped one has lost nothing."""
    if test["result"] == "skipped":
        return test
    gate: GateEntry = {
        **test["gate"],
        "sentence": f"Undecided: {missing.why}.",
    }
    return {
        **test,
        "result": "error",
        "gate": gate,
        "reasons": [{"code": missing.code, "runs": test["planned"]}],
    }


def _run(documents: Sequence[ReportDocument], missing: Sequence[Missing]) -> RunContextEntry:
    runs = [document["run"] for document in documents]
    complete = not missing and all(shard_of(document)["complete"] for document in documents)
    return {
        **runs[0],
        "started": min(run["started"] for run in runs),
        "finished": max(run["finished"] for run in runs),
        "interrupted": any(run["interrupted"] for run in runs),
        "complete": complete,
        "shard": None,
        "missing_shards": [lost.shard.index for lost in missing if lost.was_a_shard],
    }


def _summary(summaries: Sequence[SummaryEntry], groups: Sequence[GroupEntry]) -> SummaryEntry:
    """Add up what the shards counted; one unknown makes a sum unknown."""
    tests = tests_of(groups)
    added = {key: _sum([dict(each)[key] for each in summaries]) for key in summaries[0]}
    passes, fails = added["runs_passed"], added["runs_failed"]
    planned = (test["planned"] for test in tests if test["skip_reason"] is None)
    whole = counted(cast("SummaryEntry", added), tests)
    return {
        **whole,
        "runs_planned": sum(planned),
        "pass_rate": pass_rate(
            passes, fails, anytime=any(test["gate"]["anytime"] for test in tests)
        ),
        "target_cost_usd": _target_cost(summaries),
        "budget": _budget([each["budget"] for each in summaries if each["budget"] is not None]),
        "reasons": _reasons(tests),
        "duration_seconds": max(each["duration_seconds"] for each in summaries),
    }


def _sum(values: Sequence[Any]) -> Any:
    if any(not isinstance(value, int | float) for value in values):
        return None
    total = sum(values)
    return round(total, USD_DIGITS) if isinstance(total, float) else total


def _reasons(tests: Sequence[TestEntry]) -> list[ReasonCountEntry]:
    counts: Counter[ReasonCode] = Counter()
    for test in tests:
        counts.update({reason["code"]: reason["runs"] for reason in test["reasons"]})
    return [{"code": code, "runs": runs} for code, runs in counts.most_common()]


def _budget(budgets: Sequence[BudgetEntry]) -> BudgetEntry | None:
    """Add up what each shard was to spend and did; their minutes passed side by side."""
    if not budgets:
        return None
    added = {key: _sum([dict(each)[key] for each in budgets]) for key in budgets[0]}
    together: dict[str, Any] = {
        **added,
        "minutes": budgets[0]["minutes"],
        "spent_minutes": max(each["spent_minutes"] for each in budgets),
        "estimated": any(each["estimated"] for each in budgets),
        "refused": next((each["refused"] for each in budgets if each["refused"]), None),
    }
    return cast("BudgetEntry", together)


def _target_cost(summaries: Sequence[SummaryEntry]) -> float | None:
    """Add up what the targets cost: shards that asked none, or none that has a price, aside."""
    priced = [
        each["target_cost_usd"]
        for each in summaries
        if each["target_cost_usd"] is not None
        or (each["target_requests"] and each["cost_usd"] is None)
    ]
    return cast("float | None", _sum(priced)) if priced else None


def _settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Give the settings as used, but for what made a shard of the run."""
    return {**settings, "run": {**settings["run"], "shard": None}}
