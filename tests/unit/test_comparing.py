"""A report held against its baseline, and what fails the step then."""

from typing import Any, cast

import pytest

from ci_judge.model.document import ReportDocument
from ci_judge.model.document import TestEntry as Entry
from ci_judge.rules.settling import FailOn
from ci_judge.workflows.baseline import Baseline, FoundBaseline, NoBaseline, baseline_of
from ci_judge.workflows.comparing import ComparingRules, compared
from tests.builders import a_case, a_document, a_group, a_judge, a_skipped_test, a_test

GOOD, BAD = "g/good", "g/bad"


def a_baseline(*tests: Entry, **changes: Any) -> Baseline:
    run = {"started": "2026-02-27T09:30:00.000Z", "commit": "a" * 40, "url": "https://x.example/1"}
    document = a_document(a_group(*tests), **changes)
    document["run"] = cast("Any", {**document["run"], **run})
    return baseline_of(document, source="here")


def held(
    document: ReportDocument,
    baseline: FoundBaseline | None,
    *,
    fail_on: FailOn = "error",
    allow_removed: bool = False,
    allow_weaker: bool = False,
    alpha: float = 0.05,
) -> ReportDocument:
    rules = ComparingRules(
        fail_on=fail_on, allow_removed=allow_removed, allow_weaker=allow_weaker, alpha=alpha
    )
    return compared(document, baseline, rules=rules)


def by_id(document: ReportDocument) -> dict[str, Entry]:
    return {test["id"]: test for group in document["groups"] for test in group["tests"]}


def kinds(document: ReportDocument) -> dict[str, str]:
    changes = {key: test["change"] for key, test in by_id(document).items()}
    return {key: change["kind"] for key, change in changes.items() if change is not None}


def test_each_test_gets_its_change_and_the_baseline_its_entry() -> None:
    now = a_document(a_group(a_test(GOOD, passes=8, fails=2), a_test("g/new")))
    document = held(now, a_baseline(a_test(GOOD), a_test("g/gone"), a_skipped_test("g/later")))
    assert kinds(document) == {GOOD: "newly_failing", "g/new": "added"}
    change = by_id(document)[GOOD]["change"]
    assert change is not None
    assert (change["result"], change["passes"], change["judged"]) == ("passed", 10, 10)
    baseline = document["baseline"]
    assert baseline is not None
    assert baseline["commit"] == "a" * 40
    assert baseline["age_seconds"] == 3 * 86_400
    assert [test["id"] for test in baseline["removed"]] == ["g/gone", "g/later"]
    assert document["summary"]["regressions"] == 2  # a skipped test that is gone is none
    assert (document["status"], document["exit_code"]) == (now["status"], now["exit_code"])


def test_without_a_baseline_nothing_is_added() -> None:
    now = a_document(a_group(a_test()))
    assert held(now, None) == now


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"judge": a_judge(provider="openai")}, "another judge, model or prompt"),
        ({"judge": a_judge(threshold=0.8)}, "the judge judges by other rules"),
        ({"judge": None}, "one of the two has no judge"),
        ({"settings": {"target": {"url": "https://new.example"}}}, "another target"),
        ({"settings": {"targets": {"b": {"url": "https://new.example"}}}}, "another target"),
    ],
)
def test_what_both_were_made_with_must_be_alike(changes: dict[str, Any], reason: str) -> None:
    now = a_document(a_group(a_test(GOOD, passes=5, fails=5), a_case("c.py::case_a")), **changes)
    old = a_baseline(a_test(GOOD), a_case("c.py::case_a"))
    document = held(now, old, fail_on="regression")
    change = by_id(document)[GOOD]["change"]
    assert change is not None
    assert (change["kind"], change["reasons"]) == ("not_comparable", [reason])
    assert kinds(document)["c.py::case_a"] == (
        "unchanged" if "target" in reason else "not_comparable"
    )
    assert document["exit_code"] == 1  # it answers for its own gate


@pytest.mark.parametrize(
    "change",
    [
        {"expected": ["Is polite."]},
        {"turns": ["Another question"]},
        {"checks": ["max_chars 30"]},
        {"planned": 20},
        {"advisory": True},
    ],
)
def test_a_test_that_asks_for_something_else_is_another(change: dict[str, Any]) -> None:
    document = held(a_document(a_group(a_test(GOOD, **change))), a_baseline(a_test(GOOD)))
    assert kinds(document) == {GOOD: "not_comparable"}


def test_how_the_target_is_asked_may_change() -> None:
    settings = {"target": {"url": "https://x.example", "timeout": 3, "headers": {"A": "b"}}}
    old = a_baseline(a_test(GOOD), settings={"target": {"url": "https://x.example", "timeout": 9}})
    document = held(a_document(a_group(a_test(GOOD)), settings=settings), old)
    assert kinds(document) == {GOOD: "unchanged"}


@pytest.mark.parametrize(
    ("now", "code"),
    [
        ((a_test(GOOD), a_test(BAD, passes=3, fails=7)), 0),
        ((a_test(GOOD, passes=8, fails=2), a_test(BAD, passes=3, fails=7)), 1),
        ((a_test(GOOD), a_test(BAD, passes=3, fails=5, errors=2)), 3),
        ((a_test(GOOD), a_test(BAD, passes=3, fails=7), a_test("g/new", fails=9)), 1),
        ((a_test(GOOD), a_test(BAD, passes=9, fails=1), a_test("g/new", advisory=True)), 0),
        ((a_test(GOOD),), 1),
    ],
)
def test_only_what_got_worse_fails_the_step(now: tuple[Entry, ...], code: int) -> None:
    old = a_baseline(a_test(GOOD), a_test(BAD, passes=6, fails=4))
    document = held(a_document(a_group(*now)), old, fail_on="regression")
    assert document["exit_code"] == code
    assert document["status"] == {0: "passed", 1: "failed", 3: "error"}[code]


def test_what_is_let_off_is_marked() -> None:
    now = a_document(a_group(a_test(GOOD, passes=8, fails=2), a_test(BAD, passes=3, fails=7)))
    old = a_baseline(a_test(GOOD), a_test(BAD, passes=6, fails=4))
    for fail_on, marked in (("regression", [BAD]), ("error", [])):
        tests = by_id(held(now, old, fail_on=cast("FailOn", fail_on)))
        changes = {key: test["change"] for key, test in tests.items()}
        assert [key for key, found in changes.items() if found and found["let_off"]] == marked


def test_a_removed_test_is_let_off_where_that_is_allowed() -> None:
    old = a_baseline(a_test(GOOD), a_test(BAD))
    now = a_document(a_group(a_test(GOOD)))
    refused = held(now, old, fail_on="regression")
    assert (refused["exit_code"], refused["summary"]["regressions"]) == (1, 1)
    assert "Of the baseline, 1 test is gone." in refused["headline"]
    allowed = held(now, old, fail_on="regression", allow_removed=True)
    assert (allowed["exit_code"], allowed["summary"]["regressions"]) == (0, 0)
    baseline = allowed["baseline"]
    assert baseline is not None
    assert [test["id"] for test in baseline["removed"]] == [BAD]


@pytest.mark.parametrize("part", ["now", "then"])
def test_where_a_part_ran_nothing_is_called_removed(part: str) -> None:
    now, then = a_document(a_group(a_test(GOOD))), a_document(a_group(a_test(GOOD), a_test(BAD)))
    (now if part == "now" else then)["run"]["complete"] = False
    document = held(now, baseline_of(then, source="x"), fail_on="regression")
    baseline = document["baseline"]
    assert baseline is not None
    assert baseline["removed"] == []
    assert baseline["note"]
    assert document["exit_code"] == 0


@pytest.mark.parametrize(
    "nothing", [NoBaseline(source="auto", reason="expired"), None, a_baseline(a_test(BAD))]
)
def test_without_a_usable_baseline_every_gate_counts_and_that_is_said(
    nothing: FoundBaseline | None,
) -> None:
    if isinstance(nothing, Baseline):
        then = a_document(a_group(a_test(BAD)))
        then["run"]["interrupted"] = True
        nothing = baseline_of(then, source="x")
    now = a_document(a_group(a_test(BAD, passes=6, fails=4)))
    document = held(now, nothing, fail_on="regression")
    assert document["exit_code"] == 1
    assert "fail_on regression counts as error" in document["headline"]
    assert "fail_on regression counts as error" in document["warnings"][0]
    assert document["summary"]["regressions"] is None
    baseline = document["baseline"]
    assert baseline is not None
    assert baseline["problem"]


def test_an_interrupted_run_stays_interrupted() -> None:
    now = a_document(a_group(a_test(GOOD)), status="interrupted", exit_code=143)
    now["run"]["interrupted"] = True
    assert held(now, a_baseline(a_test(GOOD)), fail_on="regression")["exit_code"] == 143


def test_a_time_that_is_none_has_no_age() -> None:
    old = a_baseline(a_test(GOOD))
    damaged = Baseline(started="soon", commit=None, judge=old.judge, tests=old.tests)
    baseline = held(a_document(a_group(a_test(GOOD))), damaged)["baseline"]
    assert baseline is not None
    assert baseline["age_seconds"] is None


def with_gate(test: Entry, **changes: Any) -> Entry:
    return cast("Entry", {**test, "gate": {**test["gate"], **changes}})


def test_counts_that_might_have_stopped_are_compared_by_the_gate_alone() -> None:
    """Even where none did: which samples run to their end depends on how they went."""
    now = with_gate(a_test(GOOD, passes=9, fails=1, result="passed"), anytime=True)
    was = with_gate(a_test(GOOD), anytime=True)
    assert not now["stopped"]
    assert kinds(held(a_document(a_group(now)), a_baseline(was))) == {GOOD: "only_by_gate"}


def test_another_least_number_of_runs_is_another_gate() -> None:
    now, was = (with_gate(a_test(GOOD), anytime=True, min_runs=least) for least in (20, 30))
    assert kinds(held(a_document(a_group(now)), a_baseline(was))) == {GOOD: "not_comparable"}


def test_checks_in_another_order_ask_for_the_same() -> None:
    checks = ["max_chars: 300", "contains: 'days'"]
    old = a_baseline(a_test(BAD, fails=9, checks=checks))
    now = a_document(a_group(a_test(BAD, fails=9, checks=checks[::-1])))
    document = held(now, old, fail_on="regression")
    assert (kinds(document), document["exit_code"]) == ({BAD: "unchanged"}, 0)


@pytest.mark.parametrize("planned", [10**9, 10**15])
def test_a_baseline_that_plans_more_runs_than_can_be_takes_no_time(planned: int) -> None:
    forged = a_test(GOOD, planned=planned)
    forged["gate"] = {**forged["gate"], "kind": "exact"}
    now = a_test(GOOD)
    now["gate"] = {**now["gate"], "kind": "rate"}
    document = held(a_document(a_group(now)), a_baseline(forged))
    assert kinds(document) == {GOOD: "not_comparable"}
