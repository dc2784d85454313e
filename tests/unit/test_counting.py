"""Counting runs as they end."""

from ci_judge.engine.counting import RunCounter
from ci_judge.model.judging import Outcome, Run
from ci_judge.model.results import Latency
from tests.fakes import a_conversation


def a_run(number: int, outcome: Outcome, *, latency: float | None = None) -> Run:
    return Run(
        test_id="t",
        number=number,
        outcome=outcome,
        reason="",
        evidence=None if latency is None else a_conversation("x", latency_seconds=latency),
        started_at=100.0 + number,
        duration_seconds=2.0,
    )


def test_latency_is_by_nearest_rank() -> None:
    counter = RunCounter()
    for number in range(20, 0, -1):
        counter.add(a_run(number, "pass", latency=float(number)))
    assert counter.latency == Latency(p50=10.0, p95=19.0, max=20.0)


def test_without_an_answer_there_is_no_latency() -> None:
    counter = RunCounter()
    counter.add(a_run(1, "target_error"))
    assert counter.latency is None


def test_duration_runs_from_the_first_start_to_the_last_end() -> None:
    counter = RunCounter()
    assert counter.duration_seconds == 0.0
    for number in (3, 1):
        counter.add(a_run(number, "pass"))
    assert counter.duration_seconds == 4.0


def test_the_commonest_reasons_of_errors_come_first() -> None:
    counter = RunCounter()
    for number in range(1, 151):
        reason = "401" if number % 3 else f"odd {number}"
        counter.add(
            Run(test_id="t", number=number, outcome="judge_error", reason=reason + "x" * 600)
        )
    troubles = counter.troubles
    assert len(troubles) == 3
    assert (troubles[0].runs, troubles[0].outcome, troubles[0].reason[:4]) == (
        100,
        "judge_error",
        "401x",
    )
    assert len(troubles[0].reason) == 500
