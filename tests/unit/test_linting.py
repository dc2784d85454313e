"""What a suite is warned about before anything is sent."""

from fractions import Fraction

from ci_judge.errors import Place
from ci_judge.model.judging import VotePolicy
from ci_judge.model.suite import Expectation, GateDefaults, GateKind, GateRule, Suite
from ci_judge.suites.gate_origins import GateOrigins
from ci_judge.suites.linting import gate_problems, warnings
from tests.model_builders import a_case_test, a_criterion, a_rule, a_scenario

REFUNDS = a_criterion("refunds")
FAR = a_rule(runs=3, threshold=Fraction(9, 10))


def linted(suite: Suite, provider: str | None = "anthropic") -> tuple[str, ...]:
    return warnings(suite, providers={provider} if provider else (), policies=())


def suite_of(*scenarios: object, **changes: object) -> Suite:
    return Suite(criteria=(REFUNDS,), scenarios=scenarios, **changes)  # type: ignore[arg-type]  # scenarios


def test_a_sound_suite_gets_no_warning() -> None:
    suite = suite_of(a_scenario(), cases=(a_case_test(),))
    assert warnings(suite, providers={"stub"}, policies=[VotePolicy(repetitions=3)]) == ()
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


def test_quotes_of_other_languages_are_no_phrase_and_said_so() -> None:
    kept = a_scenario("a", expectations=(Expectation(text="Says \u00ab14 jours\u00bb."),))
    corner = a_scenario("b", expectations=(Expectation(text="\u300c14\u65e5\u300d"),))
    found = linted(suite_of(kept, corner))
    assert [text.partition(" (")[0] for text in found] == [
        'scenarios/refunds.yaml:4: "refunds/a": no answer is searched for \u00ab14 jours\u00bb',
        'scenarios/refunds.yaml:4: "refunds/b": no answer is searched for \u300c14\u65e5\u300d',
    ]
    assert "double quotes" in found[0]


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
    (warning,) = warnings(suite_of(a_scenario()), providers={"openai"}, policies=[votes])
    assert "0.67 of 3 needs 3 of 3" in warning
    assert "write 2/3 if 2 of 3 should do" in warning


RUNS = Place(file="--runs")
THRESHOLD = Place(file="ci-judge.yaml", line=7, column=3)


def placed(gate: GateRule, **places: Place) -> str:
    """Say the problem of a gate, where 3 runs and a rate of 9/10 are the configuration's."""
    defaults = GateDefaults(runs=3, threshold=Fraction(9, 10))
    origins = GateOrigins(defaults=defaults, places=places)
    (problem,) = gate_problems([a_scenario(gate=gate)], allow_unreachable=False, origins=origins)
    return str(problem)


def test_an_unreachable_gate_is_placed_where_it_was_set() -> None:
    assert placed(FAR, runs=RUNS, threshold=THRESHOLD).startswith('--runs: "refunds/')
    assert placed(FAR, threshold=THRESHOLD).startswith("ci-judge.yaml:7:3: ")
    assert placed(FAR).startswith("scenarios/refunds.yaml:4: ")


def test_a_gate_of_the_scenarios_own_stays_there_and_names_what_else_shares_in_it() -> None:
    own_threshold = a_rule(runs=3, threshold=Fraction(99, 100))
    found = placed(own_threshold, runs=RUNS, threshold=THRESHOLD)
    assert found.startswith("scenarios/refunds.yaml:4: ")
    assert "run.runs comes from --runs" in found
    assert "ci-judge.yaml" not in found
    own_runs = a_rule(runs=2, threshold=Fraction(9, 10))
    found = placed(own_runs, runs=RUNS, threshold=THRESHOLD)
    assert "run.threshold comes from ci-judge.yaml:7:3" in found


def test_a_rate_that_no_runs_can_prove_is_blamed_on_the_threshold() -> None:
    certain = Fraction(1)
    origins = GateOrigins(
        defaults=GateDefaults(threshold=certain), places={"runs": RUNS, "threshold": THRESHOLD}
    )
    tests = [a_scenario(gate=a_rule(threshold=certain))]
    (problem,) = gate_problems(tests, allow_unreachable=False, origins=origins)
    assert problem.place == THRESHOLD


def test_an_allowed_unreachable_gate_is_placed_the_same_way() -> None:
    origins = GateOrigins(
        defaults=GateDefaults(runs=3, threshold=Fraction(9, 10)), places={"runs": RUNS}
    )
    suite = suite_of(a_scenario(gate=FAR))
    (warning,) = warnings(suite, providers=(), policies=(), origins=origins)
    assert warning.startswith("--runs: ")


def test_a_gate_that_cannot_stop_is_told_where_its_runs_were_set_and_once() -> None:
    fixed = a_rule(kind=GateKind.ADAPTIVE, runs=30, threshold=Fraction(8, 10))
    defaults = GateDefaults(kind=GateKind.ADAPTIVE, runs=30, threshold=Fraction(8, 10))
    origins = GateOrigins(defaults=defaults, places={"runs": RUNS})
    suite = suite_of(a_scenario(gate=fixed))
    (warning,) = warnings(suite, providers=(), policies=(), origins=origins)
    assert warning.startswith("--runs: ")
    assert "cannot stop early" in warning
    suite = suite_of(
        a_scenario(gate=a_rule(kind=GateKind.ADAPTIVE, runs=1, threshold=Fraction(8, 10)))
    )
    (warning,) = warnings(suite, providers=(), policies=(), origins=origins)
    assert "cannot prove" in warning
