"""The figures about baselines in "Statistics in plain words" are those that the rules give."""

import pytest

from ci_judge.rules.boschloo import boschloo
from ci_judge.rules.differences import Counts
from ci_judge.rules.stratified import Pair, together
from tests.contract.test_statistics_page import rows_of
from tests.documents import DOCS

PAGE = (DOCS / "statistics.md").read_text(encoding="utf-8")


def counts(text: str) -> Counts:
    passes, judged = map(int, text.split(" of "))
    return Counts(passes=passes, judged=judged)


@pytest.mark.parametrize("row", rows_of("drops"), ids=" ".join)
def test_each_drop_is_as_rare_as_the_page_says(row: list[str]) -> None:
    was, now, p = row
    assert f"{boschloo(counts(was), counts(now)):.3f}" == p


def test_many_small_drops_add_up_to_what_the_page_says() -> None:
    was, now = (20, 19, 20, 18, 20), (18, 17, 19, 15, 20)
    flat = " ".join(PAGE.split())
    assert f"{', '.join(map(str, was))} of 20 that become {', '.join(map(str, now))} are" in flat
    pairs = [
        Pair(was=counts(f"{before} of 20"), now=counts(f"{after} of 20"))
        for before, after in zip(was, now, strict=True)
    ]
    assert f"(p = {together(pairs).p:.3f})" in flat
    assert all(boschloo(pair.was, pair.now) > 0.05 for pair in pairs)
