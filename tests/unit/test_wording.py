from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ci_judge.model.results import Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.renderers.wording import (
    BAR_CELLS,
    all_in_order,
    counted,
    duration,
    interval,
    mostly_open,
    percent,
    rate_words,
    short_sha,
    shown_names,
    standing,
    text_bar,
    verdict,
    web_address,
)
from ci_judge.rules.gates import decide
from tests.builders import a_document, a_group, a_skipped_test, a_test, wilson


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (None, "n/a"),
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.8, "80 %"),
        (0.666667, "67 %"),
        (0.9975, "99.8 %"),
        (0.9996, "99.96 %"),
        (0.0004, "0.04 %"),
    ],
)
def test_only_what_is_whole_prints_as_whole(rate: float | None, text: str) -> None:
    assert percent(rate) == text


@pytest.mark.parametrize(
    ("low", "high", "threshold", "text"),
    [
        (0.4902, 0.9433, 0.7, "49 to 94 %"),
        (0.7225, 1.0, 0.72, "72.2 to 100.0 %"),
        (0.7225, 1.0, 0.7224, "72.25 to 100.00 %"),
        (0.7, 1.0, 0.7, "70 to 100 %"),
        (0.5021, 0.5049, 0.7, "50.2 to 50.5 %"),
    ],
)
def test_ends_never_print_like_a_threshold_that_they_miss(
    low: float, high: float, threshold: float, text: str
) -> None:
    test = a_test(interval=[low, high])
    test["gate"]["threshold"] = threshold
    assert interval(test) == text


def a_fixed_rule(runs: int, threshold: str) -> GateRule:
    return GateRule(kind=GateKind.RATE, runs=runs, threshold=Fraction(threshold), misses=0)


def judged_by(rule: GateRule, passes: int) -> Any:
    decided = decide(rule, Tally(planned=rule.runs, passes=passes, fails=rule.runs - passes))
    assert decided.rate is not None
    ends = [round(end, 6) for end in (decided.interval.low, decided.interval.high)]
    test = a_test(
        passes=passes, fails=rule.runs - passes, rate=round(decided.rate, 6), interval=ends
    )
    gate = {"sentence": decided.sentence, "threshold": float(rule.threshold), "anytime": False}
    return {**test, "gate": test["gate"] | gate}


@example(counts=(8, 9), threshold="0.7")  # 56.50003, and 56.5 in a report
@example(counts=(115, 200), threshold="0.7")  # 57.5, and a little less as a float times 100
@example(counts=(6_999, 10_000), threshold="0.7")
@example(counts=(50_210, 100_000), threshold="0.7")
@given(
    counts=st.integers(2, 3_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    threshold=st.sampled_from(["0.5", "0.7", "0.8", "0.85", "0.995", "2/3"]),
)
def test_the_line_and_the_sentence_of_a_gate_show_the_same_numbers(
    counts: tuple[int, int], threshold: str
) -> None:
    passes, runs = counts
    test = judged_by(a_fixed_rule(runs, threshold), passes)
    told = f"({rate_words(test)}, 95 % interval {interval(test)})"
    assert told in test["gate"]["sentence"]


@given(passes=st.integers(20, 60), fails=st.integers(0, 40))
def test_the_line_and_the_sentence_of_an_adaptive_gate_show_the_same_interval(
    passes: int, fails: int
) -> None:
    runs = passes + fails
    rule = GateRule(
        kind=GateKind.ADAPTIVE, runs=runs, min_runs=20, threshold=Fraction("0.8"), misses=0
    )
    decided = decide(rule, Tally(planned=runs, passes=passes, fails=fails))
    ends = [round(end, 6) for end in (decided.interval.low, decided.interval.high)]
    test = a_test(passes=passes, fails=fails, rate=None, interval=ends)
    test["gate"]["threshold"] = 0.8
    assert f"within {interval(test)} (95 % sure" in decided.sentence


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.00 s"), (0.214, "0.21 s"), (12.44, "12.4 s"), (125.2, "2 min 5 s")],
)
def test_durations_read_as_people_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_counts_have_their_plural() -> None:
    assert (counted(1, "run"), counted(0, "run"), counted(12000, "run")) == (
        "1 run",
        "0 runs",
        "12,000 runs",
    )


@pytest.mark.parametrize(
    ("tests", "changes", "text"),
    [
        ([a_test("a/1"), a_test("a/2")], {}, "All 2 tests passed"),
        ([a_test("a/1")], {}, "The only test passed"),
        ([a_skipped_test()], {}, "No test had a gate to pass"),
        ([a_test("a/1", fails=1), a_test("a/2")], {}, "1 of 2 tests failed"),
        ([a_test("a/1", errors=1), a_test("a/2")], {}, "1 of 2 tests could not be decided"),
        (
            [a_test("a/1", fails=1), a_test("a/2", errors=1), a_test("a/3")],
            {},
            "1 of 3 tests failed, 1 undecided",
        ),
        ([a_test("a/1")], {"status": "interrupted"}, "Interrupted after 10 of 10 runs"),
        ([a_skipped_test()], {"status": "skipped"}, "The only test was skipped"),
        (
            [a_skipped_test("a/1"), a_skipped_test("a/2")],
            {"status": "skipped"},
            "All 2 tests were skipped",
        ),
        (
            [a_test("a/1", fails=1), a_test("a/2")],
            {"status": "passed"},
            "1 of 2 tests failed; this does not fail the step",
        ),
        (
            [a_test("a/1", fails=1, advisory=True), a_test("a/2")],
            {},
            "1 test passed, 1 advisory test did not",
        ),
        (
            [a_test("a/1", fails=1, advisory=True), a_test("a/2", fails=1)],
            {},
            "1 of 1 test failed",
        ),
        ([], {"status": "invalid"}, "Nothing was judged"),
    ],
)
def test_the_verdict_is_said_in_counts(tests: Any, changes: Any, text: str) -> None:
    assert verdict(a_document(a_group(*tests), **changes)) == text


def test_what_failed_comes_first_and_order_is_kept() -> None:
    tests = [
        a_test("a/passed"),
        a_skipped_test("a/skipped"),
        a_test("a/advisory", fails=1, advisory=True),
        a_test("a/undecided", errors=1),
        a_test("a/failed-1", fails=1),
        a_test("a/failed-2", fails=1),
    ]
    assert [test["id"] for test in all_in_order(a_document(a_group(*tests)))] == [
        "a/failed-1",
        "a/failed-2",
        "a/undecided",
        "a/advisory",
        "a/passed",
        "a/skipped",
    ]


def test_an_advisory_test_that_passes_is_a_pass() -> None:
    assert standing(a_test(advisory=True)) == "passed"
    assert standing(a_test(fails=1, advisory=True)) == "advisory"


def test_tests_of_one_name_are_told_apart_by_id() -> None:
    document = a_document(
        a_group(a_test("a/x", name="Asks"), a_test("b/x", name="asks"), a_test("c", name="Other"))
    )
    assert shown_names(document) == {"a/x": "a/x", "b/x": "b/x", "c": "Other"}


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.com",
        "https://example.com/)[x](y",
        'https://example.com/"onclick="x',
        "https://user@example.com/",
        "https://example.com/a b",
        "https://example.com/\n",
    ],
)
def test_only_plain_web_addresses_are_linked(address: str | None) -> None:
    assert web_address(address) is None


def test_addresses_of_ci_runs_are_linked() -> None:
    address = "https://github.example.com:8443/o/r/actions/runs/1?check_suite_focus=true"
    assert web_address(address) == address


def test_a_sha_is_hexadecimal_or_nothing() -> None:
    assert short_sha("4f2a9c81d0e37b5566778899aabbccddeeff0011") == "4f2a9c81d0"
    assert short_sha("main`") is None
    assert short_sha(None) is None


def test_the_bar_shows_interval_rate_and_threshold() -> None:
    assert text_bar(a_test(passes=8, fails=2)) == "··········├───┃─●──┤·"


@pytest.mark.parametrize(
    ("rate", "low", "high", "bar"),
    [
        (0.69, 0.68, 0.9, "·············●┃───┤··"),
        (0.71, 0.4, 0.72, "········├─────┃●·····"),
        (0.6, 0.4, 0.69, "········├───●┤┃······"),
        (0.7, 0.4, 0.9, "········├─────●───┤··"),
    ],
)
def test_the_bar_puts_nothing_on_the_threshold_that_is_beside_it(
    rate: float, low: float, high: float, bar: str
) -> None:
    assert text_bar(a_test(rate=rate, interval=[low, high])) == bar


def test_a_rate_of_some_runs_is_told_as_theirs() -> None:
    assert rate_words(a_test(passes=8, fails=2)) == "80 %"
    assert rate_words(a_test(passes=8, errors=2)) == "100 % of 8 judged"


@pytest.mark.parametrize(("judged", "mostly"), [(0, True), (4, True), (5, False), (10, False)])
def test_most_is_more_than_half(judged: int, *, mostly: bool) -> None:
    assert mostly_open(a_test(passes=judged, errors=10 - judged)) is mostly


@given(passes=st.integers(0, 50), fails=st.integers(0, 50), threshold=st.floats(0, 1))
def test_the_bar_is_always_as_wide(passes: int, fails: int, threshold: float) -> None:
    test = a_test(passes=passes, fails=fails, interval=wilson(passes, passes + fails))
    test["gate"]["threshold"] = threshold
    assert len(text_bar(test)) == BAR_CELLS
    assert text_bar(test).count("●") == (1 if passes + fails else 0)
