"""Reports for tests: say what matters, get everything else filled in and consistent.

    document, runs = a_report(
        a_group(a_test("refunds/haggles", passes=7, fails=3), id="refunds"),
    )
    list(runs.runs("refunds/haggles"))  # ten entries, the first three failed

Counts given to ``a_test`` decide its result, rate, interval and sentences; ``a_report`` counts the
summary and makes one run entry for each counted run unless ``runs`` says otherwise. Any key can be
overridden by its name.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ci_judge.model.document import (
    SCHEMA_VERSION,
    CheckEntry,
    DifferenceEntry,
    EarlierResultEntry,
    GroupEntry,
    JudgeEntry,
    MemberVoteEntry,
    ReportDocument,
    RerunEntry,
    RunEntry,
    Status,
    SummaryEntry,
    TestEntry,
    TogetherEntry,
    TrialEntry,
    TroubleEntry,
    VoteEntry,
)
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Outcome
from ci_judge.model.results import TestOutcome

STARTED = "2026-03-02T09:30:00.000Z"


class Runs:
    """A RunSource over entries in memory. Counts how often each test was read in ``reads``."""

    def __init__(self, entries: Mapping[str, Sequence[RunEntry]]) -> None:
        self._entries = entries
        self.reads: list[str] = []

    def runs(self, test_id: str) -> Iterator[RunEntry]:
        self.reads.append(test_id)
        yield from self._entries.get(test_id, ())


def a_report(
    *groups: GroupEntry, runs: Sequence[RunEntry] | None = None, **changes: Any
) -> tuple[ReportDocument, Runs]:
    """Build a document and its runs. ``runs`` replaces the runs of the tests that it names."""
    document = a_document(*groups, **changes)
    entries = {test["id"]: runs_of(test) for group in groups for test in group["tests"]}
    for test_id in {run["test"] for run in runs or ()}:
        entries[test_id] = [run for run in runs or () if run["test"] == test_id]
    return document, Runs(entries)


def a_document(*groups: GroupEntry, **changes: Any) -> ReportDocument:
    tests = [test for group in groups for test in group["tests"]]
    summary = _summary(tests)
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ci-judge", "version": "0.1.0"},
        "status": _status(summary),
        "exit_code": {"passed": 0, "failed": 1, "error": 3}[_status(summary)],
        "headline": f"{summary['failed']} of {summary['tests']} tests failed",
        "summary": summary,
        "run": {
            "commit": "4f2a9c81d0e37b5566778899aabbccddeeff0011",
            "branch": "shorter-answers",
            "repository": "example/shop",
            "pull_request": 42,
            "url": "https://github.com/example/shop/actions/runs/1234567890",
            "attempt": 1,
            "seed": 7,
            "started": STARTED,
            "finished": "2026-03-02T09:30:12.400Z",
            "interrupted": False,
            "complete": True,
            "shard": None,
            "missing_shards": [],
            "rerun": None,
        },
        "settings": {},
        "judge": a_judge(),
        "warnings": [],
        "baseline": None,
        "groups": list(groups),
    }
    return cast("ReportDocument", document | changes)


def a_rerun(*before: Status | None, **changes: Any) -> RerunEntry:
    """Build what a re-run says of the attempts before it; of one that is None there is no report.

    Give it to a document as ``document["run"]["rerun"]``.
    """
    counts = {"tests": 2, "passed": 1, "waived": 0, "skipped": 0, "runs_made": 20}
    earlier = [
        {
            "attempt": number,
            "status": status,
            "started": STARTED,
            "failed": int(status == "failed"),
            "errors": int(status == "error"),
            **counts,
        }
        for number, status in enumerate(before, start=1)
        if status is not None
    ]
    rerun: dict[str, Any] = {
        "attempt": len(before) + 1,
        "earlier": earlier,
        "carried_runs": 10,
        "anew": None,
        "sentence": "10 runs with a verdict were kept from the attempt before; 10 were made now.",
    }
    return cast("RerunEntry", rerun | changes)


def earlier_results(*results: TestOutcome, passes: int = 7) -> list[EarlierResultEntry]:
    """Build the results of a test in attempts 1, 2 and so on; an error had no verdict."""
    return [
        {
            "attempt": number,
            "result": result,
            "passes": 0 if result == "error" else passes,
            "judged": 0 if result == "error" else 10,
        }
        for number, result in enumerate(results, start=1)
    ]


def a_difference(**changes: Any) -> DifferenceEntry:
    """Build what testing two samples of a test came to: a drop by more than chance."""
    difference: dict[str, Any] = {
        "was_passes": 20,
        "was_judged": 20,
        "passes": 15,
        "judged": 20,
        "drop": 0.25,
        "drop_interval": [0.04, 0.47],
        "p": 0.011264,
        "adjusted_p": 0.022528,
        "blocking_p": 0.023562,
    }
    return cast("DifferenceEntry", difference | changes)


def a_together(**changes: Any) -> TogetherEntry:
    """Build what testing all tests together came to: a drop by more than chance."""
    together: dict[str, Any] = {
        "criterion": None,
        "tests": 2,
        "was_passes": 40,
        "was_judged": 40,
        "passes": 34,
        "judged": 40,
        "p": 0.012,
        "mid_p": 0.007,
        "blocking_p": 0.012,
        "significant": True,
        "detectable_drop": 0.131,
    }
    return cast("TogetherEntry", together | changes)


def a_judge(**changes: Any) -> JudgeEntry:
    judge: dict[str, Any] = {
        "provider": "stub",
        "model": None,
        "models_answered": [],
        "prompt_version": None,
        "temperature": None,
        "mode": "threshold",
        "threshold": 0.5,
        "repetitions": 1,
        "minimum_pass_rate": "2/3",
        "needed_votes": 1,
        "notice": "phrase check, not a judge of meaning",
        "price": None,
        "panel": [],
        "panel_rule": None,
        "panel_needed": None,
        "agreement": None,
        "calibration": None,
    }
    return cast("JudgeEntry", judge | changes)


def a_panel(*names: str, **changes: Any) -> JudgeEntry:
    """Build a panel of judges by their names; a majority decides, and they mostly agree."""
    members = [_a_panel_member(place, name) for place, name in enumerate(names, start=1)]
    panel: dict[str, Any] = {
        "provider": "panel",
        "notice": None,
        "panel": members,
        "panel_rule": "majority",
        "panel_needed": len(names) // 2 + 1,
        "agreement": {"votes": 9, "raw": 0.9, "fleiss_kappa": -0.05, "gwet_ac1": 0.88},
    }
    return a_judge(**(panel | changes))


def _a_panel_member(place: int, name: str) -> dict[str, Any]:
    single = a_judge(provider="openai", model=name, models_answered=[name], notice=None)
    kept = {key: value for key, value in single.items() if not key.startswith("panel")}
    del kept["agreement"]
    del kept["calibration"]
    counts = {"passes": 7, "fails": 2, "errors": 1}
    return {**kept, **counts, "judge": name, "judge_index": place}


def a_member_vote(judge: str, *, passed: bool | None = True, **changes: Any) -> MemberVoteEntry:
    vote: dict[str, Any] = {
        "judge": judge,
        "judge_index": 1,
        "passes": int(passed is True),
        "trials": 1,
        "needed": 1,
        "passed": passed,
        "reason": {True: "Names it.", False: "Leaves it out.", None: "No answer in time."}[passed],
    }
    return cast("MemberVoteEntry", vote | changes)


def a_group(*tests: TestEntry, id: str = "refund-policy", **changes: Any) -> GroupEntry:  # noqa: A002 - the document's own key
    group: dict[str, Any] = {
        "kind": "criterion",
        "id": id,
        "title": id.replace("-", " ").capitalize(),
        "description": "Customers hear the whole refund policy.",
        "file": "acceptance.md",
        "line": 3,
        "tests": list(tests),
    }
    return cast("GroupEntry", group | changes)


def a_test(
    id: str = "refund-policy/asks",  # noqa: A002 - the document's own key
    *,
    passes: int = 10,
    fails: int = 0,
    errors: int = 0,
    **changes: Any,
) -> TestEntry:
    """Build a scenario; it fails its gate unless all runs passed, an error run leaves it open."""
    judged, made = passes + fails, passes + fails + errors
    result = "error" if errors else "failed" if fails else "passed"
    test: dict[str, Any] = {
        "id": id,
        "anchor": "test-" + "".join(char if char.isalnum() else "-" for char in id.lower()),
        "name": id.rpartition("/")[2].replace("-", " ").capitalize(),
        "kind": "happy_path",
        "result": result,
        "advisory": False,
        "skip_reason": None,
        "waiver": None,
        "file": "scenarios/refunds.yaml",
        "line": 12,
        "row": None,
        "tags": ["smoke"],
        "turns": ["I want my money back on a jumper that does not fit."],
        "history": [],
        "expected": ['States the "14 days" window and that the refund is full.'],
        "phrases": [["14 days"]],
        "checks": [],
        "requirement": None,
        "planned": made,
        "made": made,
        "judged": judged,
        "passes": passes,
        "fails": fails,
        "certain_fails": 0,
        "errors": errors,
        "not_run": 0,
        "stopped": False,
        "stopped_after": None,
        "not_needed": 0,
        "uncounted": 0,
        "prefix": None,
        "suspicious": 0,
        "replayed": 0,
        "rate": passes / judged if judged else None,
        "interval": wilson(passes, judged),
        "corrected": None,
        "gate": _gate(passes=passes, judged=judged, planned=made, result=result),
        "troubles": _troubles(errors),
        "reasons": [{"code": FailureCode.CONNECTION_REFUSED, "runs": errors}] if errors else [],
        "cost_usd": 0.0021,
        "latency": {"p50": 0.21, "p95": 0.48, "max": 0.61},
        "first_token": None,
        "duration_seconds": 2.5,
        "change": None,
        "regated_from": None,
        "fingerprint": "f1",
        "earlier": [],
        "carried_runs": 0,
    }
    return cast("TestEntry", test | changes)


def a_case(id: str = "case_price.py::test_discount", **changes: Any) -> TestEntry:  # noqa: A002 - the document's own key
    """Build a case with one run. Takes what ``a_test`` takes."""
    counts = {"passes": 1} if not {"passes", "fails", "errors"} & set(changes) else {"passes": 0}
    case: dict[str, Any] = {
        "kind": "case",
        "name": id.rpartition("::")[2],
        "file": id.partition("::")[0],
        "turns": [],
        "expected": [],
        "phrases": [],
        "requirement": "A 20 percent discount on 100 should produce a final price of 80.",
    }
    return a_test(id, **(counts | case | changes))


def a_skipped_test(id: str = "refund-policy/later", **changes: Any) -> TestEntry:  # noqa: A002 - the document's own key
    skipped: dict[str, Any] = {"result": "skipped", "skip_reason": "waits for the new catalogue"}
    return a_test(id, passes=0, **({"planned": 10, "not_run": 10} | skipped | changes))


def a_run(
    test: str = "refund-policy/asks", number: int = 1, outcome: Outcome = "pass", **changes: Any
) -> RunEntry:
    """Build one run of a scenario, judged by phrases. Failed runs lack the phrase."""
    passed = outcome == "pass"
    answer = _ANSWERS[passed]
    error = outcome in {"target_error", "case_error", "judge_error"}
    run: dict[str, Any] = {
        "test": test,
        "number": number,
        "outcome": outcome,
        "reason": _REASONS[outcome],
        "reason_code": "connection_refused" if error else None,
        "certain": outcome == "fail",
        "started": STARTED,
        "duration_seconds": 0.25,
        "latency_seconds": None if error else 0.21,
        "first_token_seconds": None,
        "trace_id": None,
        "cost_usd": 0.00021,
        "target_cost_usd": None,
        "replayed": False,
        "response": None if error else answer,
        "evidence": None,
        "transcript": [
            {"role": "user", "content": "I want my money back on a jumper that does not fit."},
            *([] if error else [{"role": "assistant", "content": answer}]),
        ],
        "cut_chars": 0,
        "checks": [] if error else [a_check(passed=passed)],
        "trials": [a_trial()] if passed else [],
        "votes": [a_vote()] if passed else [],
        "captured": [],
        "replies": [],
        "redacted": False,
        "suspicious": [],
        "failure": _FAILURE if error else None,
    }
    return cast("RunEntry", run | changes)


def a_check(*, passed: bool = True, **changes: Any) -> CheckEntry:
    check: dict[str, Any] = {
        "kind": "phrase",
        "wanted": "14 days",
        "passed": passed,
        "found": "" if passed else "not in the response",
        "item": 1,
        "inside": None,
    }
    return cast("CheckEntry", check | changes)


def a_trial(*, repetition: int = 1, passed: bool = True, **changes: Any) -> TrialEntry:
    reason = "Names the window and the full refund." if passed else "Leaves out the window."
    ruling = {"item": 1, "passed": passed, "reason": reason, "probability": None, "draw": None}
    trial: dict[str, Any] = {
        "judge": None,
        "judge_index": 1,
        "repetition": repetition,
        "rulings": [ruling],
        "failure": None,
        "model": None,
        "model_asked": None,
        "prompt_version": None,
        "input_tokens": None,
        "output_tokens": None,
        "latency_seconds": 0.01,
        "requests": 0,
        "request_id": None,
        "cached": False,
        "cost_usd": None,
    }
    return cast("TrialEntry", trial | changes)


def a_vote(*, passed: bool | None = True, **changes: Any) -> VoteEntry:
    vote: dict[str, Any] = {
        "item": 1,
        "passes": int(passed is True),
        "trials": 1,
        "needed": 1,
        "passed": passed,
        "reason": "Names the window." if passed else "Leaves out the window.",
        "members": [],
    }
    return cast("VoteEntry", vote | changes)


def runs_of(test: TestEntry) -> list[RunEntry]:
    """One entry for each counted run: fails first, then errors, passes, what was not run."""
    counts: list[tuple[Outcome, int]] = [
        ("fail", test["fails"]),
        ("target_error", test["errors"]),
        ("pass", test["passes"]),
        ("not_run", test["not_run"]),
    ]
    outcomes = [outcome for outcome, count in counts for _ in range(count)]
    make = _a_case_run if test["kind"] == "case" else a_run
    return [make(test["id"], number, outcome) for number, outcome in enumerate(outcomes, start=1)]


def wilson(passes: int, judged: int) -> list[float]:
    """Wilson's 95 % interval (1927), [low, high]."""
    if not judged:
        return [0.0, 1.0]
    z, rate = 1.959963984540054, passes / judged
    scale = 1 + z * z / judged
    middle = (rate + z * z / (2 * judged)) / scale
    half = z * math.sqrt(rate * (1 - rate) / judged + z * z / (4 * judged**2)) / scale
    return [max(0.0, middle - half), min(1.0, middle + half)]


def _troubles(errors: int) -> list[TroubleEntry]:
    reason = _REASONS["target_error"]
    return [{"outcome": "target_error", "reason": reason, "runs": errors}] if errors else []


def _a_case_run(test: str, number: int, outcome: Outcome) -> RunEntry:
    value = {"actual": 80.0 if outcome == "pass" else 75.0, "expected": 80}
    return a_run(
        test,
        number,
        outcome,
        response=None,
        evidence=value,
        transcript=[],
        checks=[],
        certain=False,
    )


def _gate(*, passes: int, judged: int, planned: int, result: str) -> dict[str, Any]:
    low, high = (round(100 * end) for end in wilson(passes, judged))
    needs = f"at least {planned} of {planned}"
    decision = {"passed": "met", "error": "undecided"}.get(
        result, "below" if high < 70 else "not_proven"
    )
    return {
        "kind": "lower_bound",
        "threshold": 0.7,
        "threshold_text": "0.7",
        "confidence": 0.95,
        "misses": None,
        "min_runs": None,
        "max_runs": None,
        "labels": None,
        "early_stop": False,
        "anytime": False,
        "needed": planned,
        "needs": needs,
        "decision": decision,
        "sentence": f"{passes} of {judged} passed (95 % interval {low} to {high} %); "
        f"the gate needs {needs}.",
        "more_runs": 40 if decision == "not_proven" else None,
    }


def _summary(tests: Sequence[TestEntry]) -> SummaryEntry:
    def count(result: str) -> int:
        return sum(test["result"] == result and not test["advisory"] for test in tests)

    passes, fails = (sum(test["passes"] for test in tests), sum(test["fails"] for test in tests))
    return {
        "tests": len(tests),
        "passed": count("passed"),
        "failed": count("failed"),
        "errors": count("error"),
        "waived": count("waived"),
        "skipped": count("skipped"),
        "advisory": sum(test["advisory"] for test in tests),
        "regressions": None,
        "runs_planned": sum(t["planned"] for t in tests if t["result"] != "skipped"),
        "runs_made": sum(test["made"] for test in tests),
        "runs_passed": passes,
        "runs_failed": fails,
        "runs_errors": sum(test["errors"] for test in tests),
        "runs_suspicious": sum(test["suspicious"] for test in tests),
        "runs_replayed": sum(test["replayed"] for test in tests),
        "saved_by_early_stop": sum(test["not_needed"] for test in tests),
        "pass_rate": passes / (passes + fails) if passes + fails else None,
        "target_requests": sum(test["made"] for test in tests),
        "judge_requests": 0,
        "judge_cached": 0,
        "input_tokens": None,
        "output_tokens": None,
        "cost_usd": None,
        "known_cost_usd": 0.0,
        "target_cost_usd": None,
        "budget": None,
        "reasons": [],
        "duration_seconds": 12.4,
    }


def _status(summary: SummaryEntry) -> str:
    return "failed" if summary["failed"] else "error" if summary["errors"] else "passed"


_ANSWERS = {
    True: "You have 14 days from delivery and you get every penny back.",
    False: "You get every penny back.",
}
_REASONS: dict[Outcome, str] = {
    "pass": "Names the window and the full refund.",
    "fail": 'The response does not contain "14 days".',
    "target_error": "The target refused the connection.",
    "case_error": "The case raised ValueError.",
    "judge_error": "The judge gave no verdict that can be read.",
    "not_run": "Not run after three errors in a row.",
}
_FAILURE = {
    "code": "connection_refused",
    "message": "The target refused the connection.",
    "status": None,
    "attempts": 3,
    "detail": "connect: 127.0.0.1:8765",
}
