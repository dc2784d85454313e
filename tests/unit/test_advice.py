"""What ``check`` advises: where it points, what it tells once."""

from dataclasses import replace
from fractions import Fraction

from ci_judge.errors import Place, Problem
from ci_judge.model.suite import Expectation, GateKind, Message, Suite
from ci_judge.suites.advice import suite_advice
from ci_judge.suites.gate_origins import GateOrigins
from tests.model_builders import a_case_test, a_rule, a_scenario

STEADY = a_rule(kind=GateKind.EXACT, runs=20)
NO_ORIGINS = GateOrigins()


def advice(*tests: object, models: frozenset[str | None] = frozenset()) -> tuple[Problem, ...]:
    scenarios = tuple(test for test in tests if hasattr(test, "turns"))
    cases = tuple(test for test in tests if not hasattr(test, "turns"))
    suite = Suite(scenarios=scenarios, cases=cases)  # type: ignore[arg-type]  # told apart above
    return suite_advice(suite, models=models, origins=NO_ORIGINS)


def wanting(text: str, name: str = "asks", line: int = 9) -> object:
    place = Place(file="scenarios/refunds.yaml", line=line)
    expectation = Expectation(text=text, place=place)
    return a_scenario(name, gate=STEADY, expectations=(expectation,))


def test_an_expectation_is_blamed_at_its_own_line() -> None:
    (problem,) = advice(wanting("Good answer."))
    assert str(problem).startswith('scenarios/refunds.yaml:9: "refunds/asks": the expectation ')


def test_what_a_skipped_scenario_expects_does_not_matter() -> None:
    assert advice(replace(wanting("Good answer."), skip="later")) == ()  # type: ignore[type-var]


def test_a_gate_that_flips_is_told_once_for_all_its_tests_with_what_is_calmer() -> None:
    (problem,) = advice(a_scenario("a"), a_scenario("b"))
    assert problem.message == (
        '"refunds/a" and 1 more: this gate flips often: two CI runs of a feature that is right '
        "95 % of the time disagree 48 % of the time"
    )
    assert problem.hint == (
        "gate: adaptive with runs: {min: 13, max: 65} (under 1 %), or "
        "gate: exact with runs: 19 (12 %)"
    )


def test_a_gate_that_nothing_calms_is_told_the_way_out() -> None:
    gate = a_rule(kind=GateKind.EXACT, runs=299, threshold=Fraction(99, 100))
    (problem,) = advice(a_scenario(gate=gate))
    assert problem.hint == "make many more runs, or lower the threshold"


def test_the_same_words_in_one_file_are_doubted_once() -> None:
    assert len(advice(wanting("Works."), wanting("Works.", "b", 20))) == 1
    assert len(advice(wanting("Works."), wanting("Is correct.", "b", 20))) == 1
    assert len(advice(wanting("Works."), wanting("Counts in under 50 words.", "b", 20))) == 2


def test_a_vague_requirement_of_a_case_is_blamed_at_the_case() -> None:
    (problem,) = advice(a_case_test(requirement="Works correctly."))
    assert str(problem.place) == "cases/case_price.py:5"
    assert advice(a_case_test(requirement="The correct total is 80.")) == ()


def long(chars: int) -> object:
    history = (Message(role="user", content="x" * chars),)
    return a_scenario(gate=STEADY, history=history)


def test_a_history_beyond_the_judges_context_is_an_estimate_and_says_so() -> None:
    (problem,) = advice(long(60_000), models=frozenset({None}))
    assert "about 15,8" in problem.message
    assert "an estimate" in problem.message
    assert "8,192" in problem.message
    assert advice(long(60_000), models=frozenset({"claude-sonnet-5"})) == ()
    (problem,) = advice(long(900_000), models=frozenset({"claude-sonnet-5", "gpt-4.1"}))
    assert "200,000 which claude-sonnet-5 reads" in problem.message
    assert advice(long(900_000)) == ()  # the stub reads everything
