import asyncio
from pathlib import Path

import pytest

from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.fitting import fitted, utf8_bytes, utf16_units
from ci_judge.sinks.step_summary import LARGEST_BYTES, StepSummary
from tests.builders import a_report
from tests.runner_double import LARGEST_SUMMARY_BYTES, read_summary


def publish(path: Path, text: str) -> None:
    asyncio.run(StepSummary(path, lambda limit: text[:limit]).publish(*a_report()))


def test_the_summary_is_added_behind_what_earlier_writers_left(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    path.write_text("# earlier")
    publish(path, "# ours")
    assert read_summary(path) == "# earlier\n# ours\n"


def test_a_file_that_is_not_there_yet_is_made(tmp_path: Path) -> None:
    publish(tmp_path / "summary", "# ours\n")
    assert read_summary(tmp_path / "summary") == "# ours\n"


@pytest.mark.parametrize("before", [0, 100_000, LARGEST_BYTES - 1, LARGEST_BYTES + 50_000])
def test_summaries_stay_under_the_limit_whatever_was_there(tmp_path: Path, before: int) -> None:
    path = tmp_path / "summary"
    path.write_bytes(b"x" * before)
    publish(path, "漢" * 3_000_000)
    size = path.stat().st_size
    assert before < size <= max(LARGEST_BYTES, before + 2) < LARGEST_SUMMARY_BYTES


def test_a_summary_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(SinkFailed, match="step summary could not be written"):
        publish(tmp_path / "no folder" / "summary", "# ours")


def test_what_fits_is_asked_for_once() -> None:
    asked: list[int] = []

    def markdown(limit: int) -> str:
        asked.append(limit)
        return "x" * limit

    assert fitted(markdown, 100, utf8_bytes) == "x" * 100
    assert asked == [100]


def test_a_maker_that_counts_otherwise_is_asked_for_less() -> None:
    text = fitted(lambda limit: "😀" * limit, 1000, utf16_units)
    assert 800 <= utf16_units(text) <= 1000


def test_a_maker_that_cannot_get_smaller_is_not_cut_in_the_middle() -> None:
    text = fitted(lambda _: "x" * 5000, 1000, utf8_bytes)
    assert "does not fit" in text
    assert fitted(lambda _: "x" * 5000, 3, utf8_bytes) == ""
