"""The walk-through shows what five events really leave. Remedy: make write."""

import re
from collections.abc import Mapping

import pytest

from tests.played_events import Produced, produced
from tests.walk_through import PAGE, with_produced


@pytest.fixture(scope="module")
def made() -> Mapping[str, Produced]:
    return produced()


def test_the_page_shows_what_the_events_leave(made: Mapping[str, Produced]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_produced(page, made) == page


def test_the_page_shows_every_event(made: Mapping[str, Produced]) -> None:
    shown = re.findall(r"<!-- produced: (\S+) log -->", PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(made)


def test_each_event_ends_as_the_page_says(made: Mapping[str, Produced]) -> None:
    codes = {name: event.exit_code for name, event in made.items()}
    assert codes == {"push": 0, "pass": 0, "fail": 1, "again": 1, "fork": 1, "second": 0}
    commented = {name for name, event in made.items() if event.comment}
    assert commented == {"pass", "fail", "again", "second"}


def test_another_text_in_the_page_is_noticed(made: Mapping[str, Produced]) -> None:
    page = PAGE.read_text(encoding="utf-8").replace("23 of 30", "24 of 30")
    assert with_produced(page, made) != page
