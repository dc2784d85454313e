"""Puts the documents of shards together: the document of the whole suite again."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from ci_judge.document.attempts import number_of
from ci_judge.document.merged_baselines import merged_baseline
from ci_judge.document.report import pass_rate
from ci_judge.document.run_entries import USD_DIGITS
from ci_judge.errors import ExitCode
from ci_judge.model.document import (
    BaselineEntry,
    BudgetEntry,
    GateEntry,
    GroupEntry,
    JudgeEntry,
    ReasonCountEntry,
    ReportDocument,
    RerunEntry,
    RunContextEntry,
    ShardEntry,
    SummaryEntry,
    TestEntry,
)
from ci_judge.model.reasons import NotRunCode, ReasonCode
from ci_judge.rules.continuing import rerun_sentence
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
    baselines = {shard_of(each)["index"]: each["baseline"] for each in documents}
    baseline = merged_baseline(baselines)
    summary = _summary([document["summary"] for document in documents], groups)
    if not documents[0]["settings"]["run"].get("allow_weaker"):
        told = sum(len(each["weaker"]) for each in baselines.values() if each is not None)
        summary["regressions"] = _once(summary["regressions"], told, baseline)
    return {
        **documents[0],
        "summary": summary,
        "run": _run(documents, missing),
        "settings": _settings(documents[0]["settings"]),
        "judge": judge,
        "baseline": baseline,
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
    newest = max(runs, key=lambda run: run["attempt"] or 0)
    complete = not missing and all(shard_of(document)["complete"] for document in documents)
    return {
        **runs[0],
        "attempt": newest["attempt"],
        "url": newest["url"],
        "started": min(run["started"] for run in runs),
        "finished": max(run["finished"] for run in runs),
        "interrupted": any(run["interrupted"] for run in runs),
        "complete": complete,
        "shard": None,
        "missing_shards": [lost.shard.index for lost in missing if lost.was_a_shard],
        "rerun": _rerun(documents, newest=max(map(number_of, documents))),
    }


def _rerun(documents: Sequence[ReportDocument], *, newest: int) -> RerunEntry | None:
    """Add up what the shards owe to earlier attempts; where all ran only once nothing is owed."""
    runs = [document["run"] for document in documents]
    reruns = [run["rerun"] for run in runs if run["rerun"] is not None]
    if not reruns:
        return None
    made = sum(document["summary"]["runs_made"] for document in documents)
    earlier = max((each["earlier"] for each in reruns), key=len)
    carried = sum(_carried(document, newest=newest) for document in documents)
    reasons = dict.fromkeys(each["anew"] for each in reruns if each["anew"] is not None)
    anew = "; ".join(reasons) or None
    since = earlier[-1]["attempt"] if earlier else None
    return {
        "attempt": max(each["attempt"] for each in reruns),
        "earlier": earlier,
        "carried_runs": carried,
        "anew": anew,
        "sentence": rerun_sentence(since=since, carried=carried, made=made - carried, anew=anew),
    }


def _carried(document: ReportDocument, *, newest: int) -> int:
    """Count a shard's runs of earlier attempts: all of one that was not repeated."""
    if number_of(document) < newest:
        return document["summary"]["runs_made"]
    rerun = document["run"]["rerun"]
    return rerun["carried_runs"] if rerun else 0


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


def _once(regressions: int | None, told: int, baseline: BaselineEntry | None) -> int | None:
    """Count a weaker rule once, of which every shard has told."""
    if regressions is None or baseline is None:
        return regressions
    return max(0, regressions - told) + len(baseline["weaker"])


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
