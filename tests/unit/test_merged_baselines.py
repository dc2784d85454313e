"""What a merged report says that it was compared with, where its shards did not agree."""

from typing import Any

import pytest

from ci_judge.document.merged_baselines import merged_baseline


def a_baseline(**changes: Any) -> Any:
    values: dict[str, Any] = {
        "source": "auto: artifact",
        "problem": None,
        "commit": "a" * 40,
        "url": "https://ci.example/1",
        "started": "2026-03-01T09:00:00Z",
        "age_seconds": 60.0,
        "note": "only a part of the suite ran, so removed tests cannot be told",
        "removed": [],
        "weaker": [],
        "alpha": 0.05,
        "suite": None,
        "criteria": [],
    }
    return values | changes


def none_for(reason: str) -> Any:
    nothing = dict.fromkeys(("commit", "url", "started", "age_seconds", "note"))
    return a_baseline(problem=reason, **nothing)


def merged(*found: Any) -> Any:
    return merged_baseline(dict(enumerate(found, start=1)))


def test_shards_that_agree_have_one_baseline_and_no_more_to_say() -> None:
    later = a_baseline(age_seconds=61.0)  # the second shard began a second later
    assert merged(a_baseline(), later) == a_baseline()


@pytest.mark.parametrize("first", [None, none_for("GitHub answered 500")])
def test_the_first_that_could_be_used_counts_wherever_it_is(first: Any) -> None:
    found = merged(first, a_baseline(), a_baseline())
    assert (found["problem"], found["commit"], found["url"]) == (
        None,
        "a" * 40,
        "https://ci.example/1",
    )
    why = "" if first is None else " (GitHub answered 500)"
    assert found["note"].startswith("only a part of the suite ran, so removed tests cannot be told")
    assert found["note"].endswith(
        f"; not the baseline of every shard: shard 1 compared with none{why}"
    )


def test_another_baseline_is_named_with_all_shards_that_had_it() -> None:
    newer = a_baseline(commit="b" * 40, started="2026-03-02T09:00:00Z", note=None)
    found = merged(a_baseline(note=None), newer, None, newer)
    assert found["commit"] == "a" * 40
    assert found["note"] == (
        "not the baseline of every shard: shards 2, 4 compared with the report of"
        " 2026-03-02T09:00:00Z, commit bbbbbbbbbb; shard 3 compared with none"
    )


def test_many_different_ones_do_not_make_an_endless_sentence() -> None:
    others = [a_baseline(commit=str(number) * 40) for number in range(1, 9)]
    note = merged(a_baseline(note=None), *others)["note"]
    assert note.count("compared with") == 3
    assert note.endswith("; others")


def weaker(was: str, *tests: str, kind: str = "threshold") -> Any:
    return {"kind": kind, "was": was, "now": "0.5", "tests": list(tests)}


def test_a_rule_that_is_weaker_in_several_shards_is_one_for_all_their_tests() -> None:
    parts = [
        a_baseline(weaker=[weaker("0.9", kind="judge"), weaker("0.8", "a")]),
        a_baseline(weaker=[weaker("0.9", kind="judge"), weaker("0.8", "b"), weaker("0.7", "c")]),
    ]
    assert merged(*parts)["weaker"] == [
        weaker("0.9", kind="judge"),
        weaker("0.8", "a", "b"),
        weaker("0.7", "c"),
    ]
    assert parts[0]["weaker"][1] == weaker("0.8", "a")


def test_no_weaker_rule_is_lost_with_a_baseline_that_only_its_shard_had() -> None:
    other = a_baseline(commit="b" * 40, weaker=[weaker("0.8", "c")])
    assert merged(a_baseline(), other)["weaker"] == [weaker("0.8", "c")]


def test_no_part_speaks_for_the_suite() -> None:
    parts = a_baseline(suite={"p": 0.01}, criteria=[{"p": 0.01}]), a_baseline(suite={"p": 0.9})
    found = merged(*parts)
    assert (found["suite"], found["criteria"]) == (None, [])


def test_where_none_could_be_used_the_first_reason_stands() -> None:
    assert merged(None, none_for("first"), none_for("second"))["problem"] == "first"


def test_where_nobody_was_to_compare_there_is_none() -> None:
    assert merged(None, None) is None
