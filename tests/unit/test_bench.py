"""The bench prints every figure that is promised, and writes suites that can be run."""

from pathlib import Path

import pytest

from bench.__main__ import document, shown
from bench.rows import ROWS, Place, Row
from bench.suites import Load, write_case, write_peer, write_scenarios
from ci_judge.settings import load_settings

PROMISED = {
    *("http-cpu", "http-wall", "cold-start", "version", "import", "offline"),
    *("memory", "connections", "identical", "installed", "html"),
}


def test_every_promised_figure_has_a_row() -> None:
    assert set(ROWS) >= PROMISED


@pytest.mark.parametrize(("reached", "word"), [(True, "ok"), (False, "MISSED")])
def test_a_row_shows_goal_and_figure_and_says_whether_it_was_reached(
    *, reached: bool, word: str
) -> None:
    row = Row(
        figure="CPU",
        goal="<= 1 s",
        measured="2 s",
        reached=reached,
        details=("against: 3 s",),
        numbers={"cpu": 2.0},
    )
    first, second = shown(row).splitlines()
    assert first.split() == ["CPU", "<=", "1", "s", "2", "s", word]
    assert second.strip() == "against: 3 s"
    assert document([row])["rows"] == [
        {
            "figure": "CPU",
            "goal": "<= 1 s",
            "measured": "2 s",
            "reached": reached,
            "details": ("against: 3 s",),
            "numbers": {"cpu": 2.0},
        }
    ]


@pytest.mark.parametrize("judge", ["stub", "openai"])
def test_its_suites_are_read_by_the_command(tmp_path: Path, judge: str) -> None:
    place = Place(small=True, with_peer=False, environments=tmp_path)
    load = place.load(judge=judge)
    assert (load.scenarios, load.runs) == (Load().scenarios // 10, Load().runs)
    write_scenarios(tmp_path, 8080, load)
    write_peer(tmp_path, 8080, load)
    settings = load_settings(config=None, cwd=tmp_path, environment={}, overrides={}, top=tmp_path)
    assert settings.run.concurrency == load.in_flight
    write_case(tmp_path, runs=3)
    assert "runs=3" in (tmp_path / "case_price.py").read_text()
