"""Documents of shards put together, without a run: what adds up, what is unknown, what is lost."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.document.merging import counted, merged_document, missing_shards
from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.model.document import JudgeEntry
from ci_judge.model.judging import ItemVote, MemberVote, Run
from ci_judge.model.suite import GateKind
from ci_judge.rules.regating import GateChange, changed_rule, gate_words_of
from ci_judge.workflows.merged_judge import merged_judge, same_judges
from tests.builders import a_document, a_group, a_judge, a_panel, a_test
from tests.model_builders import a_rule
from tests.unit.test_merged_baselines import a_baseline


def shards(*parts: list[str], **summaries: Any) -> list[Any]:
    """Build the document of each part; ``summaries`` lists what each says under a key."""
    plan = [a_group(*(a_test(test_id) for part in parts for test_id in part))]
    documents = []
    for index, part in enumerate(parts, start=1):
        document: Any = a_document(a_group(*map(a_test, part)))
        for key, values in summaries.items():
            document["summary"][key] = values[index - 1]
        document["settings"] = {"run": {"shard": f"{index}/{len(parts)}"}}
        document["run"]["shard"] = {
            "index": index,
            "count": len(parts),
            "fingerprint": "f",
            "complete": True,
            "planned_ids": [test_id for each in parts for test_id in each],
            "parts": [list(each) for each in parts],
            "plan": plan,
        }
        documents.append(document)
    return documents


def merged(documents: list[Any]) -> Any:
    return merged_document(documents, list(missing_shards(documents)), documents[0]["judge"])


def test_counts_and_known_costs_add_up() -> None:
    parts = shards(["a"], ["b"], judge_requests=[2, 3], cost_usd=[0.1, 0.2], input_tokens=[1, 2])
    summary = merged(parts)["summary"]
    assert (summary["judge_requests"], summary["input_tokens"]) == (5, 3)
    assert summary["cost_usd"] == pytest.approx(0.3)
    assert summary["tests"] == 2


def test_the_baseline_is_the_first_that_a_shard_could_use() -> None:
    parts = shards(["a"], ["b"])
    usable: dict[str, Any] = {"problem": None, "commit": "a" * 40, "note": None, "started": "x"}
    usable["weaker"] = []
    parts[1]["baseline"] = usable
    baseline = merged(parts)["baseline"]
    assert baseline["commit"] == "a" * 40
    assert "shard 1 compared with none" in baseline["note"]


def test_one_unknown_cost_makes_the_sum_unknown() -> None:
    summary = merged(shards(["a"], ["b"], cost_usd=[0.1, None]))["summary"]
    assert summary["cost_usd"] is None


def a_rerun(carried: int, anew: str | None = None) -> dict[str, Any]:
    earlier = {"attempt": 1, "status": "failed", "started": "2026-03-01T10:00:00Z"}
    counts = dict.fromkeys(("tests", "passed", "failed", "errors", "waived", "skipped"), 1)
    return {
        "attempt": 2,
        "earlier": [earlier | counts | {"runs_made": 7}] if anew is None else [],
        "carried_runs": carried,
        "anew": anew,
        "sentence": "",
    }


def test_parts_of_two_attempts_are_one_report_of_the_second() -> None:
    parts = shards(["a"], ["b"], ["c"], runs_made=[10, 10, 10])
    for part, attempt in zip(parts, (1, 2, 2), strict=True):
        part["run"].update(attempt=attempt, url=f"https://ci/{attempt}")
    parts[1]["run"]["rerun"] = a_rerun(carried=8)
    parts[2]["run"]["rerun"] = a_rerun(carried=0, anew="attempt 1 left no report")
    run = merged(parts)["run"]
    assert (run["attempt"], run["url"]) == (2, "https://ci/2")
    rerun = run["rerun"]
    assert [each["attempt"] for each in rerun["earlier"]] == [1]
    assert (rerun["attempt"], rerun["carried_runs"]) == (2, 18), "all of the part not repeated"
    assert rerun["sentence"].startswith("18 runs with a verdict were kept from attempt 1; 12 were")
    assert rerun["sentence"].endswith("Judged anew: attempt 1 left no report.")


def test_outside_of_a_ci_a_part_that_was_not_repeated_is_of_the_first_attempt() -> None:
    parts = shards(["a"], ["b"], runs_made=[10, 10])
    for part in parts:
        part["run"]["attempt"] = None
    parts[1]["run"]["rerun"] = a_rerun(carried=8)
    assert merged(parts)["run"]["rerun"]["carried_runs"] == 18


def test_parts_of_first_attempts_owe_nothing() -> None:
    assert merged(shards(["a"], ["b"]))["run"]["rerun"] is None


@pytest.mark.parametrize(
    ("targets", "costs", "requests", "wanted"),
    [
        ([0.1, 0.2], [0.5, 0.5], [1, 1], 0.3),
        ([0.1, None], [0.5, 0.5], [1, 0], 0.1),  # cases alone: no target was asked
        ([0.1, None], [0.5, 0.5], [1, 1], 0.1),  # all costs are known: that target has no price
        ([0.1, None], [0.5, None], [1, 1], None),
        ([None, None], [0.5, 0.5], [1, 1], None),
    ],
)
def test_what_targets_cost_is_unknown_where_one_that_was_asked_may_be(
    targets: list[float | None],
    costs: list[float | None],
    requests: list[int],
    wanted: float | None,
) -> None:
    parts = shards(["a"], ["b"], target_cost_usd=targets, cost_usd=costs, target_requests=requests)
    assert merged(parts)["summary"]["target_cost_usd"] == pytest.approx(wanted)


def test_budgets_of_shards_add_up_and_their_minutes_do_not() -> None:
    budget = {
        **dict.fromkeys(("usd", "spent_usd", "minutes", "spent_minutes"), 1.5),
        **dict.fromkeys(("spent_requests", "spent_tokens", "runs_left_out", "tests_left_out"), 2),
        **dict.fromkeys(("requests", "tokens", "refused")),
        "estimated": False,
    }
    second = budget | {"spent_minutes": 2.0, "estimated": True, "refused": "it is spent"}
    found = merged(shards(["a"], ["b"], budget=[budget, second]))["summary"]["budget"]
    assert (found["usd"], found["spent_usd"], found["spent_requests"]) == (3.0, 3.0, 4)
    assert (found["minutes"], found["spent_minutes"]) == (1.5, 2.0)
    assert (found["requests"], found["estimated"], found["refused"]) == (None, True, "it is spent")


def test_tests_stand_in_the_order_of_the_plan_with_its_anchors() -> None:
    first, second = shards(["b", "d"], ["a", "c"])
    plan = first["run"]["shard"]["plan"]
    plan[0]["tests"].sort(key=lambda test: test["id"])
    for test in plan[0]["tests"]:
        test["anchor"] = f"whole-{test['id']}"
    tests = merged([first, second])["groups"][0]["tests"]
    assert [test["anchor"] for test in tests] == ["whole-a", "whole-b", "whole-c", "whole-d"]


def test_warnings_are_said_once_in_the_order_of_the_shards() -> None:
    first, second = shards(["a"], ["b"])
    first["warnings"], second["warnings"] = ["same", "own"], ["other", "same"]
    assert merged([first, second])["warnings"] == ["same", "own", "other"]


def test_the_whole_is_no_shard_and_complete_only_if_all_parts_are() -> None:
    first, second = shards(["a"], ["b"])
    whole = merged([first, second])
    assert whole["run"]["shard"] is None
    assert whole["run"]["complete"] is True
    assert whole["settings"]["run"]["shard"] is None
    second["run"]["shard"]["complete"] = False
    assert merged([first, second])["run"]["complete"] is False
    assert merged([first])["run"]["complete"] is False


def test_every_missing_shard_is_found_with_its_tests() -> None:
    _, second, _ = shards(["a"], ["b"], ["c", "d"])
    found = list(missing_shards([second]))
    assert [(str(lost), [test["id"] for test in lost.tests]) for lost in found] == [
        ("shard 1 of 3 is missing", ["a"]),
        ("shard 3 of 3 is missing", ["c", "d"]),
    ]


@given(st.lists(st.sampled_from(["passed", "failed", "error", "skipped"]), max_size=8))
def test_results_are_counted_apart_from_advisory_ones(results: list[str]) -> None:
    tests = [
        a_test(f"t{place}", result=result, advisory=place % 2 == 1)
        for place, result in enumerate(results)
    ]
    found = counted(a_document()["summary"], tests)
    kept = results[::2]
    assert (found["tests"], found["advisory"]) == (len(results), len(results) // 2)
    assert [found[key] for key in ("passed", "failed", "errors", "skipped")] == [
        kept.count(result) for result in ("passed", "failed", "error", "skipped")
    ]


def test_models_and_prices_are_those_of_a_run_of_all_tests() -> None:
    price = {"input": 1.0, "output": 2.0, "source": "list"}
    entries: list[JudgeEntry] = [
        a_judge(models_answered=["m-2"], price={**price, "source": "later"}),
        a_judge(models_answered=["m-1"], price=price),
        a_judge(models_answered=[], price=None),
    ]
    found = merged_judge(entries, PanelVotes(0))
    assert found is not None
    assert (found["models_answered"], found["price"]) == (["m-1", "m-2"], price)
    assert merged_judge([], PanelVotes(0)) is None


def test_votes_of_a_panel_are_counted_over_all_shards() -> None:
    votes = PanelVotes(2)
    for first, second in ((True, True), (True, False)):
        members = tuple(
            MemberVote(
                judge="j", judge_index=place, passes=1, trials=1, needed=1, passed=passed, reason=""
            )
            for place, passed in enumerate((first, second), start=1)
        )
        vote = ItemVote(
            item=1,
            passes=first + second,
            trials=2,
            needed=2,
            passed=True,
            reason="",
            members=members,
        )
        votes.add(Run(test_id="t", number=1, outcome="pass", reason="", votes=(vote,)))
    found = merged_judge([a_panel("one", "two"), a_panel("one", "two")], votes)
    assert found is not None
    assert [(each["passes"], each["fails"]) for each in found["panel"]] == [(2, 0), (1, 1)]
    assert found["agreement"] is not None
    assert found["agreement"]["raw"] == 0.5


def test_another_model_in_a_panel_is_another_judge() -> None:
    assert same_judges(a_panel("one", "two"), a_panel("one", "two"))
    assert not same_judges(a_panel("one", "two"), a_panel("one", "three"))
    assert not same_judges(a_panel("one"), a_panel("one", "two"))


@pytest.mark.parametrize(
    ("change", "own", "words"),
    [
        ({"threshold": Fraction(4, 5)}, {}, "lower_bound at 0.8 (confidence 95 %)"),
        ({"threshold": Fraction(4, 5)}, {"threshold": Fraction(1, 2)}, None),
        ({"kind": GateKind.RATE}, {}, "rate at 0.7 (confidence 95 %)"),
        ({"kind": GateKind.RATE}, {"kind": GateKind.EXACT}, None),
        ({"misses": 2}, {}, "misses at most 2 (confidence 95 %)"),
        ({"misses": 2}, {"kind": GateKind.MISSES, "misses": 1}, None),
        ({"confidence": Fraction(9, 10)}, {}, "lower_bound at 0.7 (confidence 90 %)"),
        ({"threshold": Fraction(7, 10)}, {}, None),
    ],
)
def test_only_what_a_gate_has_from_the_section_run_changes(
    change: dict[str, Any], own: dict[str, Any], words: str | None
) -> None:
    rule, defaults = a_rule(**own), a_rule(runs=1)
    changed = changed_rule(rule, GateChange(**change), defaults)
    assert changed.runs == rule.runs
    assert gate_words_of(changed) == (words or gate_words_of(rule))
    assert (changed == rule) == (words is None)


@pytest.mark.parametrize(("allowed", "wanted"), [(False, 3), (True, 5)])
def test_a_weaker_rule_of_every_shard_is_one_regression(allowed: bool, wanted: int) -> None:  # noqa: FBT001 - a parameter
    """Each of two shards tells of the judge's, which counts once, and both of a test of theirs."""
    parts = shards(["a"], ["b"], regressions=[2, 3])
    for part in parts:
        part["settings"]["run"]["allow_weaker"] = allowed
        weaker = {"kind": "judge", "was": "0.9", "now": "0.5", "tests": []}
        part["baseline"] = a_baseline(weaker=[] if allowed else [weaker, weaker | {"now": "0.4"}])
    assert merged(parts)["summary"]["regressions"] == wanted
