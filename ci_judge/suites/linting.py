"""What makes a suite's verdicts impossible or unreliable, found before anything is sent."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from ci_judge.errors import Problem
from ci_judge.model.judging import VotePolicy
from ci_judge.model.suite import Criterion, GateKind, GateRule, Scenario, Suite, Test
from ci_judge.rules.gates import cannot_fail, reachability
from ci_judge.rules.phrases import negated_phrases, other_quotations
from ci_judge.rules.votes import near_fraction, needed_votes, vote_words
from ci_judge.suites.gate_origins import GateOrigins

_STUB = "stub"


NO_ORIGINS = GateOrigins()


def gate_problems(
    tests: Iterable[Test], *, allow_unreachable: bool, origins: GateOrigins = NO_ORIGINS
) -> tuple[Problem, ...]:
    """Return a problem for every distinct gate that not even a perfect score would pass.

    None where ``allow_unreachable``: then ``warnings`` says it.
    """
    return () if allow_unreachable else tuple(_unreachable(tests, origins))


def warnings(
    suite: Suite,
    *,
    providers: Collection[str],
    policies: Iterable[VotePolicy],
    origins: GateOrigins = NO_ORIGINS,
) -> tuple[str, ...]:
    """Return what a person should know before trusting the suite, a sentence each.

    ``providers`` are those of the judge, or of all judges of a panel, ``policies`` the ways in
    which their trials are counted; none without a judge.
    """
    found = [
        *_unreachable(suite.tests, origins),
        *_without_failure(suite.tests),
        *_never_stopping(suite.tests, origins),
        *_once_a_template(_negated, suite.scenarios),
        *_once_a_template(_other_quotations, suite.scenarios),
        *(_once_a_template(_nothing_for_stub, suite.scenarios) if _STUB in providers else ()),
        *_uncovered(suite.criteria, suite.scenarios),
    ]
    return (*map(str, found), *dict.fromkeys(chain.from_iterable(map(_fractions, policies))))


def _once_a_template(
    look: Callable[[Iterable[Scenario]], Iterator[Problem]], scenarios: Iterable[Scenario]
) -> Iterator[Problem]:
    """Look at scenarios; of the rows of a template tell the first at fault, and count the rest."""
    first: dict[str, Problem] = {}
    rows: Counter[str] = Counter()
    for scenario in scenarios:
        for problem in look([scenario]):
            if scenario.row is None:
                yield problem
            else:
                first.setdefault(scenario.row.template, problem)
                rows[scenario.row.template] += 1
    for template, problem in first.items():
        others = rows[template] - 1
        more = f" (and {others:,} more of its rows)" if others else ""
        yield replace(problem, message=f"{problem.message}{more}")


def _unreachable(tests: Iterable[Test], origins: GateOrigins) -> Iterator[Problem]:
    for rule, group in _by_gate(tests).items():
        problem = reachability(rule)
        if problem is not None:
            message = f"{_named(group)}: {problem.message}"
            yield origins.placed(replace(problem, message=message), group[0])


def _without_failure(tests: Iterable[Test]) -> Iterator[Problem]:
    for rule, group in _by_gate(tests).items():
        if cannot_fail(rule):
            message = f"{_named(group)}: this gate cannot fail, whatever the runs say"
            hint = "raise its threshold, or allow fewer misses"
            yield Problem(message=message, hint=hint, place=group[0].place)


def _never_stopping(tests: Iterable[Test], origins: GateOrigins) -> Iterator[Problem]:
    for rule, group in _by_gate(tests).items():
        if rule.kind is not GateKind.ADAPTIVE or rule.min_runs is not None:
            continue
        if reachability(rule) is None:  # else there is a greater mistake, which is told
            message = f"{_named(group)}: with a fixed number of runs this gate cannot stop early"
            hint = "write runs: {min: 20, max: 100}, or gate: exact"
            yield origins.placed(Problem(message=message, hint=hint), group[0])


def _negated(scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    for scenario in scenarios:
        for expectation in scenario.expectations:
            for phrase in negated_phrases(expectation.text):
                yield Problem(
                    message=f'{_named([scenario])}: the answer must hold "{phrase}", though the '
                    "expectation reads as if it must not",
                    hint=f"a quoted phrase is always required; forbid it by the check "
                    f"not_contains: {phrase}",
                    place=scenario.place,
                )


def _other_quotations(scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    for scenario in scenarios:
        for expectation in scenario.expectations:
            for quotation in other_quotations(expectation.text):
                yield Problem(
                    message=f"{_named([scenario])}: no answer is searched for {quotation}",
                    hint="a phrase that must be in the answer stands in double quotes, straight "
                    "or curly",
                    place=scenario.place,
                )


def _nothing_for_stub(scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    for scenario in scenarios:
        bare = [each for each in scenario.expectations if not each.phrases]
        if bare and scenario.skip is None:
            yield Problem(
                message=f"{_named([scenario])}: the stub judge finds nothing to check in "
                f'"{bare[0].text}" and will report errors',
                hint="quote what the answer must hold, inside the text (quotes around the whole "
                "value belong to YAML), or use a judge that reads",
                place=scenario.place,
            )


def _uncovered(criteria: Iterable[Criterion], scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    covered = {scenario.criterion.id for scenario in scenarios}
    for criterion in criteria:
        if criterion.id not in covered:
            message = f'the criterion "{criterion.id}" has no scenario'
            hint = f"ci-judge generate --criterion {criterion.id} drafts some"
            yield Problem(message=message, hint=hint, place=criterion.place)


def _fractions(votes: VotePolicy) -> Iterator[str]:
    near = near_fraction(votes.minimum_pass_rate, votes.repetitions)
    if near is not None:
        fewer = needed_votes(votes) - 1
        yield (
            f"judge.minimum_pass_rate: {vote_words(votes)}; "
            f"write {near} if {fewer} of {votes.repetitions} should do"
        )


def _by_gate(tests: Iterable[Test]) -> dict[GateRule, list[Test]]:
    """Group the tests that will be run by their gate."""
    groups: dict[GateRule, list[Test]] = {}
    for test in tests:
        if test.skip is None:
            groups.setdefault(test.gate, []).append(test)
    return groups


def _named(tests: Sequence[Test]) -> str:
    others = len(tests) - 1
    more = f" and {others} more like it" if others else ""
    return f'"{tests[0].id}"{more}'
