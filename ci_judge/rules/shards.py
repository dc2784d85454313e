"""Shards: which part of the tests one of several commands takes, the same for all of them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MOST_SHARDS = 1_000
_WRITTEN = re.compile(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One of ``count`` parts; ``index`` counts from 1."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"shard {self.index} of {self.count}"


def read_shard(text: str) -> Shard:
    """Read "I/N". Raises ValueError, whose text says what is wrong with it."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise ValueError("must be I/N, a part of how many")
    shard = Shard(index=int(found[1]), count=int(found[2]))
    if not 1 <= shard.count <= MOST_SHARDS:
        raise ValueError(f"must be a part of 1 to {MOST_SHARDS:,}")
    if not 1 <= shard.index <= shard.count:
        raise ValueError(f"must be one of the parts 1 to {shard.count}")
    return shard


def deal(ids: Iterable[str], count: int) -> dict[str, int]:
    """Give each test its shard (from 1): sorted by id, every ``count``-th goes to the same."""
    return {test: place % count + 1 for place, test in enumerate(sorted(ids))}


def deal_by_duration(
    ids: Iterable[str], milliseconds: Mapping[str, int], count: int
) -> dict[str, int]:
    """Give each test its shard so that all take about as long.

    The longest test first, always to the shard with the least to do (Graham 1969, LPT: at most 4/3
    of the best there is). A test of unknown duration counts as the mean of the known ones, and none
    as less than a millisecond. Whole numbers, ids and places break every tie, so that every machine
    comes to the same.
    """
    wanted = sorted(ids)
    known = [milliseconds[test] for test in wanted if test in milliseconds]
    mean = sum(known) // len(known) if known else 1
    durations = {test: max(1, milliseconds.get(test, mean)) for test in wanted}
    load = [0] * count
    dealt: dict[str, int] = {}
    for test in sorted(wanted, key=lambda each: (-durations[each], each)):
        place = load.index(min(load))
        load[place] += durations[test]
        dealt[test] = place + 1
    return dealt
