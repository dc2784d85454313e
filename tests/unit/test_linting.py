"""What a suite is warned about before anything is sent."""

from fractions import Fraction

from ci_judge.model.judging import VotePolicy
from ci_judge.model.suite import Expectation, GateKind, Suite
from ci_judge.suites.linting import gate_problems, warnings
from tests.model_builders import a_case_test, a_criterion, a_rule, a_scenario

REFUNDS = a_criterion("refunds")
FAR = a_rule(runs=3, threshold=Fraction(9, 10))


def linted(suite: Suite, provider: str | None = "anthropic") -> tuple[str, ...]:
    return warnings(suite, provider=provider, votes=None)


def suite_of(*scenarios: object, **changes: object) -> Suite:
    return Suite(criteria=(REFUNDS,), scenarios=scenarios, **changes)  # type: ignore[arg-type]  # scenarios


def test_a_sound_suite_gets_no_warning() -> None:
    suite = suite_of(a_scenario(), cases=(a_case_test(),))
    assert warnings(suite, provider="stub", votes=VotePolicy(repetitions=3)) == ()
    assert gate_problems(suite.tests, allow_unreachable=False) == ()


def test_an_unreachable_gate_is_told_once_with_the_runs_that_would_do() -> None:
    tests = [a_scenario("a", gate=FAR), a_scenario("b", gate=FAR), a_scenario("c")]
    (problem,) = gate_problems(tests, allow_unreachable=False)
    assert str(problem.place) == "scenarios/refunds.yaml:4"
    assert '"refunds/a" and 1 more like it' in problem.message
    assert "35 runs" in str(problem)


def test_no_runs_at_all_reach_a_threshold_of_one() -> None:
    certain = a_rule(runs=20, threshold=Fraction(1))
    (problem,) = gate_problems([a_scenario(gate=certain)], allow_unreachable=False)
    assert "no number of runs" in problem.message


def test_an_allowed_unreachable_gate_is_a_warning() -> None:
    suite = suite_of(a_scenario(gate=FAR))
    assert gate_problems(suite.tests, allow_unreachable=True) == ()
    (warning,) = linted(suite)
    assert "35 runs" in warning


def test_a_skipped_test_has_no_gate_to_reach() -> None:
    suite = suite_of(a_scenario(gate=FAR, skip="later"))
    assert gate_problems(suite.tests, allow_unreachable=False) == ()
    assert linted(suite) == ()


def test_gates_that_cannot_fail_are_pointed_out() -> None:
    never = a_rule(kind=GateKind.RATE, threshold=Fraction(0))
    spare = a_rule(kind=GateKind.MISSES, runs=3, misses=3)
    found = linted(suite_of(a_scenario("a", gate=never), a_scenario("b", gate=spare)))
    assert ['"refunds/a"' in found[0], '"refunds/b"' in found[1]] == [True, True]
    assert all("cannot fail" in warning for warning in found)


def test_a_forbidden_phrase_is_offered_the_check_that_forbids() -> None:
    expectation = Expectation(text='Does not mention "40 days".', phrases=("40 days",))
    (warning,) = linted(suite_of(a_scenario(expectations=(expectation,))))
    assert "not_contains: 40 days" in warning


def test_the_stub_is_told_apart_from_judges_that_read() -> None:
    bare = a_scenario(
        expectations=(
            Expectation(text='Says "x".', phrases=("x",)),
            Expectation(text="Is polite."),
        )
    )
    skipped = a_scenario("later", expectations=(Expectation(text="Is kind."),), skip="later")
    checks_alone = a_scenario("exact", expectations=())
    suite = suite_of(bare, skipped, checks_alone)
    assert linted(suite) == ()
    (warning,) = linted(suite, "stub")
    assert warning.startswith("scenarios/refunds.yaml:4: ")
    assert '"Is polite."' in warning


def test_criteria_without_scenarios_are_named() -> None:
    other = a_criterion("delivery")
    suite = Suite(criteria=(REFUNDS, other), scenarios=(a_scenario(),))
    (warning,) = linted(suite)
    assert warning.startswith("acceptance.md:3: ")
    assert '"delivery"' in warning


def test_a_rate_just_above_a_fraction_is_named() -> None:
    votes = VotePolicy(repetitions=3, minimum_pass_rate=Fraction(67, 100), rate_text="0.67")
    (warning,) = warnings(suite_of(a_scenario()), provider="openai", votes=votes)
    assert "0.67 of 3 needs 3 of 3" in warning
    assert "write 2/3 if 2 of 3 should do" in warning
