import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.rules.shards import MOST_SHARDS, Shard, deal, deal_by_duration, read_shard

IDS = st.lists(st.text(max_size=5), unique=True, max_size=30)


@pytest.mark.parametrize(
    ("text", "index", "count"), [("1/1", 1, 1), ("3/4", 3, 4), (" 10 / 12 ", 10, 12)]
)
def test_a_shard_is_read_as_it_is_written(text: str, index: int, count: int) -> None:
    assert read_shard(text) == Shard(index=index, count=count)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0/4", "one of the parts 1 to 4"),
        ("5/4", "one of the parts 1 to 4"),
        ("1/0", "a part of 1 to 1,000"),
        ("1/1001", "a part of 1 to 1,000"),
        ("a/b", "must be I/N"),
        ("3", "must be I/N"),
        ("", "must be I/N"),
        ("-1/4", "must be I/N"),
        ("1/4/2", "must be I/N"),
        ("٣/4", "must be I/N"),
        ("1/99999999999999999999", "must be I/N"),
    ],
)
def test_an_impossible_shard_says_why(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_shard(text)


@given(IDS, st.integers(1, MOST_SHARDS))
def test_every_test_has_exactly_one_shard_whatever_order_they_come_in(
    ids: list[str], count: int
) -> None:
    dealt = deal(ids, count)
    assert set(dealt) == set(ids)
    assert all(1 <= index <= count for index in dealt.values())
    assert dealt == deal(reversed(ids), count)


@given(IDS, st.integers(1, 8))
def test_no_shard_has_two_tests_more_than_another(ids: list[str], count: int) -> None:
    dealt = list(deal(ids, count).values())
    sizes = [dealt.count(index) for index in range(1, count + 1)]
    assert max(sizes) - min(sizes) <= 1


def test_neighbours_by_id_go_to_different_shards() -> None:
    assert deal(["b", "a", "d", "c"], 2) == {"a": 1, "b": 2, "c": 1, "d": 2}


def test_by_duration_the_longest_goes_first_and_to_the_least_loaded() -> None:
    """Graham's own example for LPT: 5 5 4 4 3 3 3 on three machines ends after 11."""
    times = {"a": 5, "b": 5, "c": 4, "d": 4, "e": 3, "f": 3, "g": 3}
    dealt = deal_by_duration(times, times, 3)
    loads = [sum(times[t] for t in times if dealt[t] == index) for index in (1, 2, 3)]
    assert dealt == {"a": 1, "b": 2, "c": 3, "d": 3, "e": 1, "f": 2, "g": 1}
    assert max(loads) == 11


def test_a_test_of_unknown_duration_counts_as_the_mean() -> None:
    dealt = deal_by_duration(["long", "new", "short"], {"long": 10, "short": 2}, 2)
    assert dealt == {"long": 1, "new": 2, "short": 2}


def test_durations_of_tests_that_are_not_there_change_nothing() -> None:
    times = {"a": 3, "b": 2}
    assert deal_by_duration(["a", "b"], times | {"gone": 99}, 2) == {"a": 1, "b": 2}


def test_tests_that_took_no_time_are_spread_all_the_same() -> None:
    ids = [f"t{number}" for number in range(8)]
    dealt = list(deal_by_duration(ids, dict.fromkeys(ids, 0), 4).values())
    assert [dealt.count(index) for index in (1, 2, 3, 4)] == [2, 2, 2, 2]


@given(st.dictionaries(st.text(max_size=4), st.integers(0, 100)), st.integers(1, 6))
def test_by_duration_every_machine_deals_alike_and_near_the_best(
    times: dict[str, int], count: int
) -> None:
    dealt = deal_by_duration(times, times, count)
    assert dealt == deal_by_duration(reversed(times), dict(reversed(times.items())), count)
    weights = {test: max(1, times[test]) for test in times}
    loads = [sum(weights[t] for t in times if dealt[t] == i) for i in range(1, count + 1)]
    floor = max([sum(weights.values()) / count, *weights.values()]) if weights else 0
    assert max(loads) <= 2 * floor
