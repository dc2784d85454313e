"""What makes the verdicts of a valid suite unreliable, and what to write instead.

For whoever writes the suite: ``ci-judge check`` shows it, a run does not repeat it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from ci_judge.errors import Place, Problem
from ci_judge.model.suite import Case, GateKind, GateRule, Scenario, Suite, Test
from ci_judge.rules.requirement_doubts import Doubt, is_vague, requirement_doubts
from ci_judge.rules.rounding import written_percent
from ci_judge.rules.steadiness import Calmer, calmer_gates, good_rate, often_flips
from ci_judge.rules.token_estimates import (
    PROMPT_TOKENS,
    SMALL_CONTEXT,
    context_of,
    estimated_tokens,
)
from ci_judge.suites.gate_origins import GateOrigins


def suite_advice(
    suite: Suite, *, models: Collection[str | None], origins: GateOrigins
) -> tuple[Problem, ...]:
    """Return what a person should mend, in the order of the files, gates first.

    ``models`` are the names of the models that judge (None: not named); none without such judges.
    """
    tests = [test for test in suite.tests if test.skip is None]
    scenarios = [test for test in tests if isinstance(test, Scenario)]
    return (
        *_flipping(tests, origins),
        *_told_once(_doubtful(scenarios)),
        *_vague_cases(test for test in tests if isinstance(test, Case)),
        *(_too_long(scenarios, _smallest(models)) if models else ()),
    )


# --- gates -------------------------------------------------------------------------------


def _flipping(tests: Iterable[Test], origins: GateOrigins) -> Iterator[Problem]:
    groups: dict[GateRule, list[Test]] = {}
    for test in tests:
        groups.setdefault(test.gate, []).append(test)
    for rule, group in groups.items():
        flips = often_flips(rule)
        if flips is not None:
            more = f" and {len(group) - 1} more" if len(group) > 1 else ""
            problem = Problem(
                message=f'"{group[0].id}"{more}: this gate flips often: two CI runs of a feature '
                f"that is right {written_percent(good_rate(rule))} of the time disagree "
                f"{_share(flips)} of the time",
                hint=_remedy(calmer_gates(rule)),
            )
            yield origins.placed(problem, group[0])


def _remedy(calmer: tuple[Calmer, ...]) -> str:
    if not calmer:
        return "make many more runs, or lower the threshold"
    return ", or ".join(f"{_design(each.rule)} ({_share(each.flips)})" for each in calmer)


def _share(flips: float) -> str:
    shown = round(flips * 100)
    return f"{shown} %" if shown else "under 1 %"


def _design(rule: GateRule) -> str:
    if rule.kind is GateKind.ADAPTIVE:
        return f"gate: adaptive with runs: {{min: {rule.min_runs}, max: {rule.runs}}}"
    return f"gate: {rule.kind.value} with runs: {rule.runs}"


# --- requirements ------------------------------------------------------------------------


def _doubtful(scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    for scenario in scenarios:
        for expectation in scenario.expectations:
            for doubt in requirement_doubts(expectation.text):
                place = expectation.place or scenario.place
                yield _problem(scenario, doubt, place)


def _problem(scenario: Scenario, doubt: Doubt, place: Place) -> Problem:
    message = f'"{scenario.id}": the expectation {doubt.message}'
    return Problem(message=message, hint=doubt.hint, place=place)


def _told_once(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Leave out what the rows of one template have in common."""
    seen: set[tuple[object, str]] = set()
    for problem in problems:
        said = problem.message.partition('": ')[2]
        file = problem.place.file if problem.place else None
        if (file, said) not in seen:
            seen.add((file, said))
            yield problem


def _vague_cases(cases: Iterable[Case]) -> Iterator[Problem]:
    for case in cases:
        if is_vague(case.requirement):
            yield Problem(
                message=f'"{case.id}": the requirement "{case.requirement}" says nothing that a '
                "judge could check",
                hint="say what must be true of the evidence: The reply names the 14 day window.",
                place=case.place,
            )


# --- length ------------------------------------------------------------------------------


def _smallest(models: Collection[str | None]) -> tuple[int, str]:
    sizes: Mapping[str | None, int | None] = {model: context_of(model) for model in models}
    known = [(size, f"which {model} reads") for model, size in sizes.items() if size is not None]
    unknown = (SMALL_CONTEXT, "which many servers read at once; your judge may read more")
    return min([*known, *([unknown] if None in sizes.values() else [])])


def _too_long(scenarios: Iterable[Scenario], limit: tuple[int, str]) -> Iterator[Problem]:
    most, whose = limit
    for scenario in scenarios:
        tokens = PROMPT_TOKENS + estimated_tokens(_judged_texts(scenario))
        if scenario.expectations and tokens > most:
            yield Problem(
                message=f'"{scenario.id}": a judge is sent about {tokens:,} tokens (an estimate, '
                f"without the answers), more than the {most:,} {whose}",
                hint="shorten the history, or use a judge with a longer context",
                place=scenario.place,
            )


def _judged_texts(scenario: Scenario) -> Iterator[str]:
    yield scenario.criterion.description
    yield from (str(turn) for turn in scenario.turns)
    yield from (str(message.content) for message in scenario.history)
    yield from (expectation.text for expectation in scenario.expectations)
