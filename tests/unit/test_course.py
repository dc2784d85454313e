"""Where a test stops: whatever the order in which runs end, the gate's result is the same."""

import asyncio
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ci_judge.engine.course import Course, Need
from ci_judge.engine.scheduler import Scheduler
from ci_judge.engine.stopping import StopSign
from ci_judge.engine.turns import Turns
from ci_judge.model.judging import Outcome, Run
from ci_judge.model.reasons import NotRunCode
from ci_judge.model.results import Tally, TestOutcome
from ci_judge.model.suite import GateKind, GateRule, Test
from ci_judge.rules.boundaries import Seen
from ci_judge.rules.gates import boundary, decide
from tests.fakes import Watcher
from tests.model_builders import a_scenario

PASS: Outcome = "pass"
ERROR: Outcome = "target_error"
OUTCOMES: tuple[Outcome, ...] = (PASS, "fail", ERROR)
Chooses = Callable[[int], int]


def a_gate(runs: int, needed: int) -> GateRule:
    """Make a gate that needs so many passes and stops early."""
    threshold = Fraction(needed, runs)
    return GateRule(kind=GateKind.RATE, runs=runs, threshold=threshold, early_stop=True)


def adaptive(most: int, least: int = 1) -> GateRule:
    """Small enough to look at every course: 4 of 4 pass, and some scores with misses."""
    return GateRule(
        kind=GateKind.ADAPTIVE,
        runs=most,
        min_runs=least,
        threshold=Fraction(1, 2),
        confidence=Fraction(4, 5),
    )


def played(
    rule: GateRule,
    outcomes: Sequence[Outcome],
    *,
    in_flight: int = 1,
    chooses: Chooses = lambda _: 0,
    max_errors: int | None = None,
) -> Course:
    """Launch what may be launched, up to ``in_flight`` at once; ``chooses`` names what ends."""
    course = Course(boundary(rule), max_errors=max_errors)
    flying: list[int] = []
    while True:
        while len(flying) < in_flight and course.need is not Need.NONE:
            flying.append(course.launch())
        if not flying:
            return course
        number = flying.pop(chooses(len(flying) - 1))
        course.add(number, outcomes[number - 1])
        if course.hopeless:
            course.give_up()


def full_sample(rule: GateRule, outcomes: Sequence[Outcome]) -> TestOutcome:
    """Decide a fixed gate on all its runs, without any stop."""
    tally = Tally(
        planned=rule.runs,
        passes=outcomes.count("pass"),
        fails=outcomes.count("fail"),
        errors=outcomes.count("target_error"),
    )
    full = GateRule(kind=rule.kind, runs=rule.runs, threshold=rule.threshold)
    return decide(full, tally).outcome


gates = st.integers(1, 7).flatmap(
    lambda runs: st.builds(a_gate, st.just(runs), st.integers(1, runs))
)


# --- the result is that of the full sample ---------------------------------------------


@pytest.mark.parametrize("runs", [1, 2, 3, 4, 5])
def test_every_outcome_of_a_small_test_is_decided_as_without_a_stop(runs: int) -> None:
    for needed in range(1, runs + 1):
        rule = a_gate(runs, needed)
        for outcomes in product(OUTCOMES, repeat=runs):
            for in_flight in (1, 3):
                tally = played(rule, outcomes, in_flight=in_flight).tally
                assert decide(rule, tally).outcome == full_sample(rule, outcomes)


@given(gates, st.integers(1, 7), st.data())
def test_neither_order_nor_speed_changes_what_is_decided_or_counted(
    rule: GateRule, in_flight: int, data: st.DataObject
) -> None:
    outcomes = data.draw(st.lists(st.sampled_from(OUTCOMES), min_size=7, max_size=7))[: rule.runs]
    one_by_one = played(rule, outcomes).tally
    any_order = played(
        rule,
        outcomes,
        in_flight=in_flight,
        chooses=lambda waiting: data.draw(st.integers(0, waiting)),
    ).tally
    assert decide(rule, any_order).outcome == full_sample(rule, outcomes)
    assert _counts(any_order) == _counts(one_by_one)
    assert any_order.counted == one_by_one.counted


def _counts(tally: Tally) -> tuple[int, int, int]:
    return tally.passes, tally.fails, tally.errors


@given(gates, st.integers(1, 7), st.data())
def test_a_slow_failure_is_waited_for_and_later_runs_are_kept_uncounted(
    rule: GateRule, in_flight: int, data: st.DataObject
) -> None:
    outcomes = data.draw(st.lists(st.sampled_from(OUTCOMES), min_size=7, max_size=7))[: rule.runs]
    tally = played(
        rule,
        outcomes,
        in_flight=in_flight,
        chooses=lambda waiting: data.draw(st.integers(0, waiting)),
    ).tally
    counted = list(outcomes[: tally.counted])
    assert _counts(tally) == tuple(counted.count(outcome) for outcome in OUTCOMES)
    assert tally.not_run == 0
    assert tally.made + tally.not_needed == rule.runs


# --- the adaptive gate ---------------------------------------------------------------


@given(st.integers(4, 9), st.integers(1, 9), st.integers(1, 4), st.data())
@example(9, 1, 1, None)
def test_an_adaptive_test_comes_to_what_its_error_runs_leave_possible(
    most: int, least: int, in_flight: int, data: st.DataObject | None
) -> None:
    """Passed if it would with each error a fail; failed if it would whatever they had been."""
    rule = adaptive(most, min(least, most))
    some = st.lists(st.sampled_from((*OUTCOMES, "pass", "pass")), min_size=most, max_size=most)
    drawn = [data.draw(some)] if data else product(OUTCOMES, repeat=6)
    for outcomes in drawn:
        course = [*outcomes, *["pass"] * (most - len(outcomes))]
        tally = played(rule, course, in_flight=in_flight).tally
        if tally.judged:
            assert decide(rule, tally).outcome == _adaptive_by_hand(rule, course)


def _adaptive_by_hand(rule: GateRule, outcomes: Sequence[Outcome]) -> TestOutcome:
    ends: set[bool] = set()
    errors = outcomes.count("target_error")
    for instead in product(("pass", "fail"), repeat=errors):
        filled = iter(instead)
        ends.add(_passes(rule, [o if o != "target_error" else next(filled) for o in outcomes]))
    worst = _passes(rule, ["fail" if o == "target_error" else o for o in outcomes])
    if worst:
        return "passed"
    return "error" if True in ends else "failed"


def _passes(rule: GateRule, outcomes: Sequence[str]) -> bool:
    """Look from the least run on, by the definition."""
    needed = boundary(rule).needed
    for made in range(rule.min_runs or 1, rule.runs + 1):
        misses = outcomes[:made].count("fail")
        if misses < len(needed) and made >= needed[misses]:
            return True
    return False


def test_the_first_min_runs_of_an_adaptive_test_are_always_made() -> None:
    rule = adaptive(9, least=6)
    for outcomes in product(OUTCOMES[:2], repeat=9):
        assert played(rule, outcomes, in_flight=2).tally.counted >= 6


# --- what is launched ------------------------------------------------------------------


@given(gates, st.integers(1, 7), st.data())
def test_no_run_is_launched_that_could_not_matter_any_more(
    rule: GateRule, in_flight: int, data: st.DataObject
) -> None:
    """Some course of the runs in flight must leave the gate open until the new run."""
    course = Course(boundary(rule))
    flying: list[int] = []
    ended: dict[int, str] = {}
    for _ in range(2 * rule.runs):
        while len(flying) < in_flight and course.need is not Need.NONE:
            passes, fails = (list(ended.values()).count(each) for each in ("pass", "fail"))
            needed = round(rule.threshold * rule.runs)
            assert passes < needed
            assert fails <= rule.runs - needed
            flying.append(course.launch())
        if not flying:
            break
        number = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
        ended[number] = data.draw(st.sampled_from(("pass", "fail")))
        course.add(number, ended[number])  # type: ignore[arg-type]  # an outcome
    assert not flying


def test_a_run_that_those_in_flight_may_make_needless_is_only_likely() -> None:
    course = Course(boundary(a_gate(10, 8)))
    needs = []
    for _ in range(7):
        needs.append(course.need)
        course.launch()
    # 3 fails would decide it: certain for 3 runs, an even chance that 5 do not hold 3 fails
    assert needs == [Need.CERTAIN] * 3 + [Need.LIKELY] * 3 + [Need.NONE]


def test_more_runs_are_likely_to_be_needed_the_better_the_first_ones_were() -> None:
    course = Course(boundary(a_gate(50, 50)))
    most: list[int] = []
    for _ in range(4):
        flying: list[int] = []
        while course.need is not Need.NONE:
            flying.append(course.launch())
        most.append(len(flying))
        for number in flying:
            course.add(number, "pass")
    assert most == [2, 4, 8, 16]


def test_a_broken_feature_costs_few_runs_beyond_those_that_fail_it() -> None:
    tally = played(a_gate(20, 19), ["fail"] * 20, in_flight=64).tally
    assert (tally.counted, tally.made) == (2, 4)


def test_what_is_certainly_needed_goes_before_what_may_not_be() -> None:
    stopping, full = a_gate(4, 4), GateRule(kind=GateKind.RATE, runs=4, threshold=Fraction(1))
    tests: list[Test] = [a_scenario("stops", gate=stopping), a_scenario("full", gate=full)]
    launched: list[tuple[str, int]] = []
    hold = asyncio.Event

    async def go() -> None:
        gate = hold()

        async def make_run(test: Test, number: int) -> Run:
            launched.append((test.id, number))
            if len(launched) == 5:
                gate.set()
            await gate.wait()
            return Run(test_id=test.id, number=number, outcome="pass", reason="")

        await asyncio.wait_for(_scheduler(tests, make_run, capacity=5).run(), timeout=10)

    asyncio.run(go())
    assert launched[:5] == [
        ("refunds/stops", 1),
        ("refunds/full", 1),
        ("refunds/full", 2),
        ("refunds/full", 3),
        ("refunds/full", 4),
    ]


def _scheduler(
    tests: list[Test],
    make_run: Callable[..., object],
    *,
    capacity: int = 1,
    recorded: list[Run] | None = None,
    max_errors: int | None = None,
) -> Scheduler:
    return Scheduler(
        tests,
        make_run=make_run,  # type: ignore[arg-type]  # the same thing
        decide=decide,
        record=([] if recorded is None else recorded).append,
        progress=Watcher(),
        stop_sign=StopSign(),
        capacity=lambda: capacity,
        max_errors=max_errors,
    )


def test_a_test_that_has_its_turn_already_keeps_its_place() -> None:
    first, second = a_scenario("first"), a_scenario("second")
    turns = Turns([first, second])
    turns.put(first, Need.CERTAIN)
    assert [turns.take(), turns.take(), turns.take()] == [first, second, None]


def test_a_likely_run_waits_for_certain_ones_and_none_for_nothing() -> None:
    first, second = a_scenario("first"), a_scenario("second")
    turns = Turns([first, second])
    turns.put(first, Need.LIKELY)
    assert [turns.take(), turns.take()] == [second, first]
    turns.put(first, Need.CERTAIN)
    turns.put(first, Need.NONE)
    assert turns.take() is None


# --- what runs in flight may still bring -------------------------------------------------


def test_a_win_is_sure_once_enough_have_passed_and_not_while_they_fly() -> None:
    line = boundary(a_gate(10, 8))
    assert not line.will_be_decided(Seen(passes=7), in_flight=1)
    assert line.will_be_decided(Seen(passes=8), in_flight=2)


def test_a_loss_is_sure_once_too_many_have_failed() -> None:
    line = boundary(a_gate(10, 8))
    assert not line.will_be_decided(Seen(passes=1, fails=2), in_flight=3)
    assert line.will_be_decided(Seen(passes=1, fails=3), in_flight=3)


def test_errors_that_leave_neither_a_win_nor_a_loss_decide_too() -> None:
    line = boundary(a_gate(10, 8))  # more than 2 misses cannot pass, 3 fails are needed to fail it
    assert line.is_decided(Seen(errors=8))
    assert not line.is_decided(Seen(errors=7))
    assert line.will_be_decided(Seen(errors=6, fails=0), in_flight=2) is False
    assert line.will_be_decided(Seen(errors=8), in_flight=1)


def test_what_could_have_been_won_with_other_errors_cannot_be_lost_any_more() -> None:
    line = boundary(adaptive(11))  # passed after 4, 8 and 11 runs with 0, 1 and 2 misses
    seen = Seen(passes=3, errors=1, fails=len(line.needed) - 1)
    assert line.is_decided(seen, passable=True)
    assert not line.is_decided(seen, passable=False)


# --- errors in a row -------------------------------------------------------------------


def test_errors_in_a_row_end_a_test_that_they_keep_from_being_passed() -> None:
    rule = GateRule(kind=GateKind.RATE, runs=10, threshold=Fraction(8, 10))
    tally = played(rule, ["target_error"] * 10, max_errors=3).tally
    assert (tally.errors, tally.not_run) == (3, 7)


def test_they_do_not_end_one_that_can_still_be_passed() -> None:
    rule = GateRule(kind=GateKind.RATE, runs=10, threshold=Fraction(5, 10))
    outcomes: list[Outcome] = [*[ERROR] * 3, *[PASS] * 7]
    tally = played(rule, outcomes, max_errors=3).tally
    assert (tally.errors, tally.passes, tally.not_run) == (3, 7, 0)
    assert decide(rule, tally).outcome == "passed"


def test_errors_with_answers_between_them_do_not_end_it() -> None:
    rule = GateRule(kind=GateKind.RATE, runs=10, threshold=Fraction(1))
    outcomes: list[Outcome] = [*[ERROR, ERROR, PASS] * 3, PASS]
    assert played(rule, outcomes, max_errors=3).tally.not_run == 0


def test_errors_in_a_row_are_in_the_order_in_which_they_ended() -> None:
    rule = GateRule(kind=GateKind.RATE, runs=10, threshold=Fraction(1))
    outcomes: list[Outcome] = ["target_error", "pass", "target_error", "pass", "target_error"]
    last_first = played(
        rule,
        [*outcomes, *[PASS] * 5],
        in_flight=5,
        chooses=_then([0, 1, 2]),
        max_errors=3,
    )
    assert last_first.tally.not_run > 0


def _then(choices: list[int]) -> Chooses:
    left = list(choices)
    return lambda waiting: min(left.pop(0), waiting) if left else 0


def test_the_runs_that_are_left_are_recorded_with_the_reason() -> None:
    rule = GateRule(kind=GateKind.RATE, runs=6, threshold=Fraction(1))
    recorded: list[Run] = []
    test = a_scenario("down", gate=rule)

    async def make_run(test: Test, number: int) -> Run:
        return Run(test_id=test.id, number=number, outcome="target_error", reason="refused")

    async def go() -> Scheduler:
        scheduler = _scheduler([test], make_run, recorded=recorded, max_errors=3)
        await asyncio.wait_for(scheduler.run(), timeout=10)
        return scheduler

    scheduler = asyncio.run(go())
    assert [run.outcome for run in recorded] == ["target_error"] * 3 + ["not_run"] * 3
    assert {run.not_run_code for run in recorded[3:]} == {NotRunCode.MAX_ERRORS}
    assert "3 errors in a row" in recorded[-1].reason
    assert scheduler.result(test).gate.outcome == "error"


# --- taking up what was made before ------------------------------------------------------


def test_restored_runs_are_not_launched_again_and_count_by_their_numbers() -> None:
    course = Course(boundary(a_gate(5, 4)))
    assert course.restore(2, "fail")
    assert course.restore(4, "fail")
    assert not course.restore(2, "fail")
    assert not course.restore(6, "pass")
    assert [course.need, course.launch()] == [Need.CERTAIN, 1]  # where it stops depends on it
    assert [course.need, course.launch()] == [Need.CERTAIN, 3]
    assert course.need is Need.NONE
    course.add(3, "pass")
    course.add(1, "fail")
    tally = course.tally
    assert (tally.counted, tally.fails, tally.uncounted, tally.not_needed) == (2, 2, 2, 1)


def test_a_course_can_be_taken_up_in_the_middle() -> None:
    course = Course(boundary(a_gate(5, 5)))
    course.restore(1, "pass")
    course.restore(3, "pass")
    assert [course.launch(), course.launch(), course.launch()] == [2, 4, 5]
    for number in (2, 4, 5):
        course.add(number, "pass")
    assert course.complete
    assert course.tally.passes == 5


def test_every_outcome_is_counted_in_its_place() -> None:
    rule = GateRule(kind=GateKind.RATE, runs=6, threshold=Fraction(1))
    course = Course(boundary(rule))
    outcomes: tuple[Outcome, ...] = ("pass", "fail", "target_error", "judge_error", "case_error")
    for outcome in outcomes:
        course.add(course.launch(), outcome)
    tally = course.tally
    assert (tally.passes, tally.fails, tally.errors, tally.not_run) == (1, 1, 3, 1)
    assert (tally.judged, tally.made) == (2, 5)
    assert not course.complete
    assert list(course.missing()) == [6]
    course.add(course.launch(), "pass")
    assert course.complete


@pytest.mark.parametrize("last", ["pass", "not_run"])
def test_runs_given_up_take_nothing_from_a_test_that_those_in_flight_decide(last: Outcome) -> None:
    rule = adaptive(9, 1)
    wins = boundary(rule).needed[0]
    course = Course(boundary(rule))
    for _ in range(wins + 1):
        course.launch()
    assert course.give_up()
    for number in range(1, wins + 1):
        course.add(number, "pass")
    course.add(wins + 1, last)
    tally = course.tally
    assert course.complete
    assert (tally.counted, tally.not_run) == (wins, 0)
    assert tally.made + tally.not_needed == rule.runs
    assert decide(rule, tally).outcome == "passed"


def test_runs_given_up_leave_open_what_those_in_flight_do_not_decide() -> None:
    rule = adaptive(9, 1)
    course = Course(boundary(rule))
    course.launch()
    assert course.give_up()
    course.add(1, "pass")
    assert (course.tally.not_run, course.tally.not_needed) == (8, 0)
    assert decide(rule, course.tally).outcome == "error"


def test_an_interruption_takes_nothing_from_a_test_that_was_decided() -> None:
    course = Course(boundary(a_gate(5, 5)))
    course.launch()
    course.launch()
    course.add(1, "fail")
    assert list(course.missing()) == []  # run 2 is dropped, and nobody needs it
    tally = course.tally
    assert (tally.fails, tally.not_run, tally.not_needed) == (1, 0, 4)
    assert decide(a_gate(5, 5), tally).outcome == "failed"
