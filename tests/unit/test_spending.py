"""What a run cost: unknown is never counted as nothing."""

from ci_judge.engine.spending import Spending
from ci_judge.model.evidence import EvidenceFailure, FailureCode
from ci_judge.model.judging import Run, Trial, Usage
from tests.fakes import a_conversation


def a_trial(*, requests: int = 1, model: str | None = "m", **tokens: int) -> Trial:
    return Trial(
        repetition=1,
        rulings=(),
        failure=None,
        model=model,
        usage=Usage(**tokens),
        latency_seconds=0.0,
        requests=requests,
    )


def a_run(*trials: Trial, **changes: object) -> Run:
    values = {"evidence": a_conversation("x"), "outcome": "pass"} | changes
    return Run(test_id="t", number=1, reason="", trials=trials, **values)  # type: ignore[arg-type]  # any of Run's fields


def test_requests_and_tokens_add_up() -> None:
    spending = Spending()
    spending.add(a_run(a_trial(input_tokens=10, output_tokens=2)))
    spending.add(a_run(a_trial(requests=3, model="n", input_tokens=5, output_tokens=1)))
    assert (spending.target_requests, spending.judge_requests) == (2, 4)
    assert (spending.input_tokens, spending.output_tokens) == (15, 3)
    assert spending.models == {"m", "n"}


def test_one_unknown_count_makes_the_sum_unknown() -> None:
    spending = Spending()
    spending.add(a_run(a_trial(input_tokens=10, output_tokens=2)))
    spending.add(a_run(a_trial()))
    assert (spending.input_tokens, spending.output_tokens) == (None, None)


def test_a_judge_that_sends_nothing_costs_nothing() -> None:
    spending = Spending()
    spending.add(a_run(a_trial(requests=0, model=None)))
    assert (spending.judge_requests, spending.input_tokens, spending.models) == (0, 0, set())


def test_requests_of_a_target_that_failed_are_counted() -> None:
    spending = Spending()
    failure = EvidenceFailure(code=FailureCode.HTTP_STATUS, message="HTTP 500", attempts=3)
    spending.add(a_run(outcome="target_error", evidence=None, failure=failure))
    assert spending.target_requests == 3
