"""What got worse by more than chance, what asks for less, and what of both fails the step."""

from typing import Any, cast

import pytest

from ci_judge.model.document import ReportDocument
from ci_judge.model.document import TestEntry as Entry
from ci_judge.workflows.baseline import baseline_of
from ci_judge.workflows.comparing import ComparingRules, compared
from tests.builders import a_case, a_document, a_group, a_judge, a_test

ONE, TWO, THREE = "g/one", "g/two", "g/three"
WAIVER = {"reason": "r", "owner": "o", "expires": "2026-12-31", "file": "waivers.yaml", "line": 1}


def passing(test_id: str, passes: int, runs: int = 20, **changes: Any) -> Entry:
    """Give a test whose gate passes whatever its counts are."""
    return a_test(test_id, passes=passes, fails=runs - passes, **({"result": "passed"} | changes))


def held(now: ReportDocument, *was: Entry, whole: bool = True, **rules: Any) -> ReportDocument:
    before = a_document(a_group(*was), settings=rules.pop("was_settings", {}))
    return compared(
        now,
        baseline_of(before, source="here"),
        rules=ComparingRules(**({"fail_on": "regression"} | rules)),
        whole_suite=whole,
    )


def of(*tests: Entry, **changes: Any) -> ReportDocument:
    return a_document(a_group(*tests), **changes)


def change_of(document: ReportDocument, test_id: str = ONE) -> Any:
    tests = {test["id"]: test for group in document["groups"] for test in group["tests"]}
    return tests[test_id]["change"]


def baseline_entry(document: ReportDocument) -> Any:
    assert document["baseline"] is not None
    return document["baseline"]


def with_gate(test: Entry, **changes: Any) -> Entry:
    return cast("Entry", {**test, "gate": {**test["gate"], **changes}})


def an_adaptive(in_all: int, /, *, first: int = 20, **prefix: int) -> Entry:
    test = passing(ONE, in_all, 40)
    test["prefix"] = {"runs": first, "judged": first, "passes": first} | prefix  # type: ignore[typeddict-item]
    return with_gate(test, anytime=True, kind="adaptive", min_runs=first, max_runs=100)


# --- chance ----------------------------------------------------------------------------------


def test_a_drop_by_more_than_chance_fails_the_step_though_its_gate_passes() -> None:
    document = held(of(passing(ONE, 15)), passing(ONE, 20))
    change = change_of(document)
    assert change["kind"] == "significantly_worse"
    difference = change["difference"]
    assert (difference["was_passes"], difference["passes"], difference["judged"]) == (20, 15, 20)
    assert difference["drop"] == 0.25
    assert difference["p"] == pytest.approx(0.011264, abs=1e-6)
    assert difference["adjusted_p"] == difference["p"]
    assert difference["blocking_p"] == pytest.approx(0.023562, abs=1e-6)
    suite = baseline_entry(document)["suite"]
    assert (suite["p"], suite["significant"], suite["tests"]) == (0.023562, True, 1)
    assert suite["mid_p"] == pytest.approx(0.011781, abs=1e-6)
    assert (document["exit_code"], document["summary"]["regressions"]) == (1, 1)
    assert "together got worse than in the baseline, by more than chance" in document["headline"]


def test_without_fail_on_regression_it_is_told_and_fails_nothing() -> None:
    now = of(passing(ONE, 15))
    document = held(now, passing(ONE, 20), fail_on="error")
    assert change_of(document)["kind"] == "significantly_worse"
    assert document["summary"]["regressions"] == 1
    assert (document["exit_code"], document["headline"]) == (now["exit_code"], now["headline"])


def test_a_drop_that_may_be_chance_fails_nothing() -> None:
    document = held(of(passing(ONE, 18)), passing(ONE, 20))
    assert change_of(document)["kind"] == "worse_within_noise"
    assert (document["exit_code"], document["summary"]["regressions"]) == (0, 0)
    assert "Nothing got worse" in document["headline"]


def test_many_small_drops_fail_the_step_though_no_test_can_be_named() -> None:
    """The published five tests: together 0.022, and none of them is worse by itself."""
    was, now = (20, 19, 20, 18, 20), (18, 17, 19, 15, 20)
    document = held(
        of(*(passing(f"g/{n}", passes) for n, passes in enumerate(now))),
        *(passing(f"g/{n}", passes) for n, passes in enumerate(was)),
    )
    suite = baseline_entry(document)["suite"]
    assert (suite["p"], suite["mid_p"]) == (0.022104, 0.013201)
    assert (suite["was_passes"], suite["passes"], suite["was_judged"]) == (97, 89, 100)
    assert {change_of(document, f"g/{n}")["kind"] for n in range(4)} == {"worse_within_noise"}
    assert (document["exit_code"], document["summary"]["regressions"]) == (1, 1)


def test_a_smaller_alpha_wants_more_evidence() -> None:
    document = held(of(passing(ONE, 15)), passing(ONE, 20), alpha=0.01)
    assert change_of(document)["kind"] == "worse_within_noise"
    assert document["exit_code"] == 0
    assert baseline_entry(document)["alpha"] == 0.01


def test_a_gate_that_failed_before_is_not_let_off_where_it_got_worse() -> None:
    document = held(of(a_test(ONE, passes=4, fails=16)), a_test(ONE, passes=14, fails=6))
    assert (change_of(document)["kind"], change_of(document)["let_off"]) == (
        "significantly_worse",
        False,
    )
    assert (document["exit_code"], document["summary"]["regressions"]) == (1, 1)
    document = held(of(a_test(ONE, passes=12, fails=8)), a_test(ONE, passes=14, fails=6))
    assert (change_of(document)["kind"], change_of(document)["let_off"]) == (
        "worse_within_noise",
        True,
    )


def test_what_is_only_listed_is_let_off_still() -> None:
    """The suite as a whole may be as it was, so this may be one of its false alarms."""
    others = [passing(f"g/{n}", 15) for n in range(12)]
    document = held(
        of(a_test(ONE, passes=9, fails=11), *(passing(t["id"], 18) for t in others)),
        a_test(ONE, passes=19, fails=1),
        *others,
    )
    assert change_of(document)["kind"] == "significantly_worse"
    assert change_of(document)["let_off"]
    assert (document["exit_code"], document["summary"]["regressions"]) == (0, 0)


def test_the_criteria_are_tested_each_for_itself() -> None:
    was, now = (
        a_document(
            a_group(passing(ONE, passes), id="broken"), a_group(passing(TWO, 20), id="sound")
        )
        for passes in (20, 10)
    )
    held_against = baseline_of(was, source="here")
    criteria = baseline_entry(compared(now, held_against, rules=ComparingRules()))["criteria"]
    assert [(c["criterion"], c["significant"]) for c in criteria] == [
        ("broken", True),
        ("sound", False),
    ]


def test_what_may_not_fail_the_step_is_listed_alone() -> None:
    now = of(passing(ONE, 5, advisory=True), a_test(TWO, fails=20, passes=0, waiver=WAIVER))
    was = (passing(ONE, 20, advisory=True), passing(TWO, 20, waiver=WAIVER))
    document = held(now, *was)
    assert baseline_entry(document)["suite"] is None
    assert change_of(document)["kind"] == "significantly_worse"
    assert change_of(document)["difference"]["blocking_p"] is None


def test_how_small_a_drop_would_have_been_seen_is_told() -> None:
    seen = {
        runs: baseline_entry(held(of(passing(ONE, runs - 1, runs)), passing(ONE, runs - 1, runs)))[
            "suite"
        ]["detectable_drop"]
        for runs in (20, 200)
    }
    assert 0 < seen[200] < seen[20] < 1


# --- samples ---------------------------------------------------------------------------------


def test_of_adaptive_tests_the_first_runs_are_compared() -> None:
    document = held(of(an_adaptive(20, passes=14)), an_adaptive(40, passes=20))
    difference = change_of(document)["difference"]
    assert (difference["was_passes"], difference["passes"], difference["judged"]) == (20, 14, 20)
    assert change_of(document)["kind"] == "significantly_worse"
    assert document["exit_code"] == 1


def test_an_error_among_the_first_runs_leaves_the_judged_ones() -> None:
    difference = change_of(held(of(an_adaptive(20, judged=18, passes=17)), an_adaptive(40)))
    assert (difference["difference"]["passes"], difference["difference"]["judged"]) == (17, 18)


def test_an_adaptive_and_a_fixed_gate_both_have_a_full_sample() -> None:
    change = change_of(held(of(an_adaptive(20, passes=14)), passing(ONE, 30, 30)))
    assert (change["kind"], change["reasons"]) == ("significantly_worse", ["its gate changed"])
    assert change["difference"]["was_judged"] == 30


@pytest.mark.parametrize(
    "now",
    [
        with_gate(passing(ONE, 5), anytime=True),
        passing(ONE, 5, stopped=True),
        passing(ONE, 5, not_run=3),
        passing(ONE, 0, 0, planned=20),
        passing(ONE, 20, judged=3),  # from elsewhere: more passes than runs
    ],
)
def test_where_a_test_may_have_stopped_or_holds_no_sample_nothing_is_tested(now: Entry) -> None:
    document = held(of(now), passing(ONE, 20))
    assert change_of(document)["difference"] is None
    assert baseline_entry(document)["suite"] is None
    assert document["exit_code"] == 0


@pytest.mark.parametrize(
    "changes", [{"judge": a_judge(provider="openai")}, {"settings": {"target": {"url": "x"}}}]
)
def test_another_judge_or_target_is_not_tested_for_chance(changes: dict[str, Any]) -> None:
    document = held(of(passing(ONE, 5), **changes), passing(ONE, 20))
    assert change_of(document)["kind"] == "not_comparable"
    assert change_of(document)["difference"] is None
    assert document["exit_code"] == 0  # its own gate passes


@pytest.mark.parametrize(
    ("across", "changes"),
    [
        ("judge", {"judge": a_judge(provider="openai")}),
        ("target", {"settings": {"target": {"url": "x"}}}),
    ],
)
def test_across_them_it_is_compared_on_purpose(across: Any, changes: dict[str, Any]) -> None:
    document = held(of(passing(ONE, 5), **changes), passing(ONE, 20), across=frozenset({across}))
    assert change_of(document)["kind"] == "significantly_worse"


def test_a_shard_alone_is_not_tested_as_a_suite() -> None:
    document = held(of(passing(ONE, 5)), passing(ONE, 20), whole=False)
    assert (baseline_entry(document)["suite"], baseline_entry(document)["criteria"]) == (None, [])
    assert change_of(document)["kind"] == "significantly_worse"
    assert change_of(document)["difference"]["blocking_p"] is None
    assert document["exit_code"] == 0


def test_single_runs_are_compared_together() -> None:
    ids = [f"c.py::case_{n}" for n in range(8)]
    now = of(*(a_case(each, passes=0, fails=1, result="passed") for each in ids))
    suite = baseline_entry(held(now, *(a_case(each) for each in ids)))["suite"]
    assert suite["p"] == pytest.approx(0.5**8, abs=1e-6)


# --- weaker rules ----------------------------------------------------------------------------


def test_a_lowered_threshold_is_a_regression_and_its_rates_are_compared() -> None:
    lower = {"threshold": 0.6, "threshold_text": "0.6"}
    now = of(*(with_gate(passing(each, 20), **lower) for each in (ONE, TWO)))
    was = (passing(ONE, 20), passing(TWO, 20))
    document = held(now, *was)
    assert baseline_entry(document)["weaker"] == [
        {"kind": "threshold", "was": "0.7", "now": "0.6", "tests": [ONE, TWO]}
    ]
    assert (document["exit_code"], document["summary"]["regressions"]) == (1, 1)
    assert "1 rule asks for less than in the baseline." in document["headline"]
    assert change_of(document)["kind"] == "not_comparable"
    assert change_of(document)["difference"] is not None
    allowed = held(now, *was, allow_weaker=True)
    assert (allowed["exit_code"], allowed["summary"]["regressions"]) == (0, 0)
    assert baseline_entry(allowed)["weaker"] == baseline_entry(document)["weaker"]


@pytest.mark.parametrize(
    ("now", "kind"),
    [
        (passing(ONE, 10, 10), "runs"),
        (passing(ONE, 20, advisory=True), "advisory"),
        (passing(ONE, 20, waiver=WAIVER), "waiver"),
        (passing(ONE, 0, 0, result="skipped", skip_reason="later", planned=20), "skipped"),
        (passing(ONE, 20, checks=[]), "check"),
        (passing(ONE, 20, expected=[], phrases=[]), "expectation"),
        (passing(ONE, 20, phrases=[[]]), "phrase"),
    ],
)
def test_what_else_asks_for_less(now: Entry, kind: str) -> None:
    was = passing(ONE, 20, checks=["max_chars 300"] if kind == "check" else [])
    document = held(of(now), was)
    assert [each["kind"] for each in baseline_entry(document)["weaker"]] == [kind]
    assert document["exit_code"] == 1
    assert held(of(now), was, allow_weaker=True)["exit_code"] == 0


def test_whoever_drops_a_check_is_compared_still() -> None:
    was = passing(ONE, 20, checks=["max_chars 300"])
    change = change_of(held(of(passing(ONE, 5, checks=[])), was))
    assert (change["kind"], change["difference"]["passes"]) == ("significantly_worse", 5)
    other = change_of(held(of(passing(ONE, 5, checks=["max_chars 100"])), was))
    assert (other["kind"], other["difference"]) == ("not_comparable", None)


def test_under_another_gate_a_test_answers_for_it_whatever_its_rate_did() -> None:
    others = [passing(f"g/{n}", 15) for n in range(12)]
    stricter = with_gate(a_test(ONE, passes=9, fails=11), threshold=0.9, threshold_text="0.9")
    now = of(stricter, *(passing(test["id"], 18) for test in others))
    document = held(now, a_test(ONE, passes=19, fails=1), *others)
    change = change_of(document)
    assert (change["kind"], change["let_off"]) == ("significantly_worse", False)
    assert document["exit_code"] == 1


def test_a_test_that_newly_fails_by_more_than_chance_is_one_regression() -> None:
    document = held(of(a_test(ONE, passes=5, fails=15)), passing(ONE, 20))
    assert change_of(document)["kind"] == "newly_failing"
    assert change_of(document)["difference"]["blocking_p"] < 0.001
    assert document["summary"]["regressions"] == 1


@pytest.mark.parametrize(
    "judge",
    [
        a_judge(threshold=0.4),
        a_judge(minimum_pass_rate="1/2"),  # noqa: S106 - a share
        a_judge(panel_rule="any"),
    ],
)
def test_a_judge_that_asks_for_less_is_one_too(judge: Any) -> None:
    before = a_document(a_group(passing(ONE, 20)), judge=a_judge(panel_rule="majority"))
    now = of(passing(ONE, 20), judge={**judge, "panel_rule": judge["panel_rule"] or "majority"})
    found = compared(now, baseline_of(before, source="x"), rules=ComparingRules())
    assert [each["kind"] for each in baseline_entry(found)["weaker"]] == ["judge"]


def test_a_waived_test_that_is_new_has_weakened_nothing() -> None:
    document = held(of(passing(ONE, 20, waiver=WAIVER)))
    assert baseline_entry(document)["weaker"] == []


# --- settings --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "alpha"),
    [(0.01, 0.01), ("1/100", 0.01), (None, 0.05), (0, 0.05), (2, 0.05), ("much", 0.05), ([], 0.05)],
)
def test_what_a_report_says_of_its_rules_is_read_back(said: Any, alpha: float) -> None:
    settings = {"run": {"alpha": said, "allow_weaker": True, "allow_removed": "yes"}}
    rules = ComparingRules.recorded(settings)
    assert rules == ComparingRules(alpha=alpha, allow_weaker=True)
