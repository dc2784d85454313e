"""The breaker: after ten failures in a row where nobody ever answered nothing is sent there."""

import pytest

from ci_judge.engine.breaker import FAILURES_IN_A_ROW, Breaker, BreakerBrake, Origins
from ci_judge.model.evidence import EvidenceFailure, FailureCode
from ci_judge.model.judging import JudgeFailure, Run, Trial, Usage
from ci_judge.model.reasons import NotRunCode
from ci_judge.model.suite import Test
from ci_judge.transport import HttpReply, TransportFailure
from tests.model_builders import a_case_test, a_scenario


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def a_breaker(clock: Clock | None = None) -> Breaker:
    return Breaker(clock=clock or Clock())


ORIGIN = "http://127.0.0.1:9"
JUDGE = "https://judge.example:443"
OTHER = "https://other.example:443"


def reply(status: int) -> HttpReply:
    return HttpReply(status=status, headers={}, body=b"", latency_seconds=0.1)


def failure(code: FailureCode = FailureCode.CONNECTION_REFUSED) -> TransportFailure:
    return TransportFailure(code=code, message="no")


def fail(breaker: Breaker, times: int = FAILURES_IN_A_ROW, *, origin: str = ORIGIN) -> None:
    for _ in range(times):
        breaker.after(origin, failure())


@pytest.mark.parametrize(
    "code",
    [
        FailureCode.CONNECTION_REFUSED,
        FailureCode.NAME_NOT_FOUND,
        FailureCode.TLS,
        FailureCode.TIMEOUT,
        FailureCode.CONNECTION_LOST,
    ],
)
def test_ten_requests_without_an_answer_are_enough_and_nine_are_not(code: FailureCode) -> None:
    breaker = a_breaker()
    for _ in range(FAILURES_IN_A_ROW - 1):
        breaker.after(ORIGIN, failure(code))
    assert breaker.before(ORIGIN) is None
    breaker.after(ORIGIN, failure(code))
    refusal = breaker.before(ORIGIN)
    assert refusal is not None
    assert (refusal.code, refusal.attempts) == (FailureCode.ORIGIN_DOWN, 0)
    assert refusal.message.startswith(f"{ORIGIN} is down: 10 requests in a row failed")


def test_one_origin_says_nothing_about_another() -> None:
    breaker = a_breaker()
    fail(breaker)
    assert breaker.down(ORIGIN) is not None
    assert breaker.before(OTHER) is None
    assert list(breaker.all_down) == [ORIGIN]


@pytest.mark.parametrize("status", [200, 302, 401, 404, 422])
def test_whoever_has_answered_may_be_silent_for_a_while(status: int) -> None:
    breaker = a_breaker()
    fail(breaker, 9)
    breaker.after(ORIGIN, reply(status))
    fail(breaker, 1_000)
    assert breaker.before(ORIGIN) is None


@pytest.mark.parametrize(
    ("failures", "seconds", "is_down"), [(50, 30.0, True), (49, 300.0, False), (500, 29.9, False)]
)
def test_many_failures_over_some_time_end_whoever_had_answered(
    failures: int, seconds: float, *, is_down: bool
) -> None:
    clock = Clock()
    breaker = a_breaker(clock)
    breaker.after(ORIGIN, reply(200))
    clock.now = 1_000.0
    fail(breaker, failures - 1)
    clock.now += seconds
    fail(breaker, 1)
    assert (breaker.down(ORIGIN) is not None) is is_down
    if is_down:
        assert breaker.down(ORIGIN) == (
            f"{ORIGIN} is down: 50 requests in a row failed (the last one: connection refused), "
            "and none was answered for 30 seconds"
        )


def test_an_answer_in_between_begins_the_count_anew() -> None:
    clock = Clock()
    breaker = a_breaker(clock)
    for _ in range(10):
        breaker.after(ORIGIN, reply(200))
        fail(breaker, 49)
        clock.now += 60
    assert breaker.down(ORIGIN) is None


@pytest.mark.parametrize("busy", [429, 529])
def test_being_busy_proves_nothing_in_either_direction(busy: int) -> None:
    breaker = a_breaker()
    fail(breaker, 9)
    for _ in range(30):
        breaker.after(ORIGIN, reply(busy))
    assert breaker.before(ORIGIN) is None
    fail(breaker, 1)
    assert breaker.before(ORIGIN) is not None


def test_a_server_error_counts_once_a_run_and_not_with_every_retry() -> None:
    breaker = a_breaker()
    for _ in range(30):
        breaker.after(ORIGIN, reply(503))
    assert breaker.before(ORIGIN) is None
    for _ in range(FAILURES_IN_A_ROW):
        breaker.failed(ORIGIN, status=503)
    assert breaker.down(ORIGIN) == (
        f"{ORIGIN} is down: 10 requests in a row failed (the last one: HTTP 503), "
        "and none was ever answered"
    )


@pytest.mark.parametrize("status", [400, 401, 404, 429, 529])
def test_other_statuses_of_runs_do_not_count(status: int) -> None:
    breaker = a_breaker()
    for _ in range(50):
        breaker.failed(ORIGIN, status=status)
    assert breaker.before(ORIGIN) is None


@pytest.mark.parametrize("code", [FailureCode.TOO_LARGE, FailureCode.INTERNAL, FailureCode.BUDGET])
def test_failures_of_ours_say_nothing_about_the_origin(code: FailureCode) -> None:
    breaker = a_breaker()
    for _ in range(50):
        breaker.after(ORIGIN, failure(code))
    assert breaker.before(ORIGIN) is None


# --- a served target ----------------------------------------------------------------------


def test_a_served_target_that_ended_is_down_though_it_had_answered_before() -> None:
    breaker = a_breaker()
    breaker.watch(ORIGIN, lambda: "target.serve ended with exit code 1")
    breaker.after(ORIGIN, reply(200))
    fail(breaker, 9)
    assert breaker.before(ORIGIN) is None, "it may have started another process that serves on"
    fail(breaker, 1)
    assert breaker.down(ORIGIN) == f"{ORIGIN} is down: target.serve ended with exit code 1"


def test_a_served_target_that_lives_is_treated_as_any_other() -> None:
    breaker = a_breaker()
    breaker.watch(ORIGIN, lambda: None)
    breaker.after(ORIGIN, reply(200))
    fail(breaker, 50)
    assert breaker.before(ORIGIN) is None


# --- which tests end ----------------------------------------------------------------------

ASKS = a_scenario("asks")
CHECKED = a_scenario("checked", expectations=())
ELSEWHERE = a_scenario("elsewhere")
CASE = a_case_test()


def a_brake(breaker: Breaker, *judges: str | None) -> BreakerBrake:
    targets = {ASKS.id: ORIGIN, CHECKED.id: ORIGIN, ELSEWHERE.id: OTHER}
    return BreakerBrake(breaker, Origins(targets=targets, judges=judges))


def ended(brake: BreakerBrake) -> set[str]:
    tests: list[Test] = [ASKS, CHECKED, ELSEWHERE, CASE]
    return {test.id for test in tests if brake.reason(test) is not None}


def test_tests_of_a_target_that_is_down_end_and_others_go_on() -> None:
    breaker = a_breaker()
    brake = a_brake(breaker, JUDGE)
    assert ended(brake) == set()
    fail(breaker)
    assert ended(brake) == {ASKS.id, CHECKED.id}
    assert brake.code is NotRunCode.ORIGIN_DOWN


def test_tests_that_need_no_judge_outlive_one_that_is_down() -> None:
    breaker = a_breaker()
    fail(breaker, origin=JUDGE)
    assert ended(a_brake(breaker, JUDGE)) == {ASKS.id, ELSEWHERE.id, CASE.id}


@pytest.mark.parametrize("other", [OTHER, None])
def test_a_panel_goes_on_as_long_as_one_of_its_judges_may_answer(other: str | None) -> None:
    breaker = a_breaker()
    fail(breaker, origin=JUDGE)
    assert ended(a_brake(breaker, JUDGE, other)) == set()
    assert ended(a_brake(breaker, JUDGE, JUDGE)) != set()


def test_runs_that_got_nothing_but_server_errors_count_for_whoever_gave_them() -> None:
    breaker = a_breaker()
    brake = a_brake(breaker, JUDGE)
    for number in range(1, FAILURES_IN_A_ROW + 1):
        brake.saw(a_failed_run(number, status=500))
    assert list(breaker.all_down) == [ORIGIN]
    for number in range(1, FAILURES_IN_A_ROW + 1):
        brake.saw(a_failed_run(number, judge_status=502))
    assert list(breaker.all_down) == [ORIGIN, JUDGE]


def a_failed_run(number: int, *, status: int | None = None, judge_status: int | None = None) -> Run:
    failed = JudgeFailure(code=FailureCode.HTTP_STATUS, message="no", status=judge_status)
    trial = Trial(
        repetition=1, rulings=(), failure=failed, model=None, usage=Usage(),
        latency_seconds=0.1, requests=4,
    )  # fmt: skip
    return Run(
        test_id=ASKS.id,
        number=number,
        outcome="target_error" if status else "judge_error",
        reason="no",
        failure=EvidenceFailure(code=FailureCode.HTTP_STATUS, message="no", status=status)
        if status
        else None,
        trials=(trial,) if judge_status else (),
    )
