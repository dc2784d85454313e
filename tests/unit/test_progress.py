import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from ci_judge.model.judging import Run
from ci_judge.model.results import Tally
from ci_judge.renderers.live_progress import LiveProgress
from ci_judge.renderers.progress import PlainProgress, result_line
from tests.model_builders import a_test_result


@pytest.mark.parametrize(
    ("outcome", "scenario", "line"),
    [
        ("passed", {}, "✓ a/x  7 of 10"),
        ("failed", {}, "✗ a/x  7 of 10, failed"),
        ("failed", {"advisory": True}, "! a/x  7 of 10, failed, advisory"),
        ("error", {}, "? a/x  7 of 10, undecided"),
        ("skipped", {"skip": "not\nyet"}, "- a/x  skipped: not yet"),
    ],
)
def test_a_line_tells_the_result(outcome: Any, scenario: dict[str, Any], line: str) -> None:
    assert result_line(a_test_result(outcome, id="a/x", **scenario)) == line


def test_a_line_counts_the_errors() -> None:
    result = replace(a_test_result("failed", id="a/x"), tally=Tally(planned=14, fails=3, errors=11))
    assert result_line(result) == "✗ a/x  0 of 14, 11 errors, failed"


def test_plain_progress_writes_a_line_a_test_and_none_a_run() -> None:
    lines: list[str] = []
    progress = PlainProgress(lines.append)
    progress.run_finished(Run(test_id="a/x", number=1, outcome="pass", reason=""))
    progress.test_finished(a_test_result("failed", id="a/\x1b[31m::error::\r\nboom"))
    assert lines == ["✗ a/\\x1b[31m::error:: boom  7 of 10, failed"]


def test_live_progress_counts_runs_and_keeps_the_lines() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=60, no_color=True)
    with LiveProgress(console, total_runs=2) as progress:
        progress.run_finished(Run(test_id="a/x", number=1, outcome="pass", reason=""))
        progress.test_finished(a_test_result("failed", id="[red]x[/red]" + "y" * 80))
    text = out.getvalue()
    assert "1/2" in text
    assert f"✗ [red]x[/red]{'y' * 80}  7 of 10, failed" in text


def test_live_progress_takes_the_bar_away_when_the_run_breaks() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=60, no_color=True)
    with pytest.raises(KeyboardInterrupt), LiveProgress(console, total_runs=2):
        raise KeyboardInterrupt
    assert out.getvalue().endswith("\x1b[2K")
    assert "\x1b[?25h" in out.getvalue()
