"""What a run would do and what its gates promise, in the words of ``ci-judge check``."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ci_judge.cli.budget_lines import Planned, budget_lines
from ci_judge.cli.cost_lines import cost_lines
from ci_judge.cli.listed_tests import listed_tests
from ci_judge.cli.stop_lines import GOOD_RATE, expected_line, mean_line
from ci_judge.errors import Problem
from ci_judge.judges.preflight import looks
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.suite import Case, GateKind, GateRule, Scenario, Test
from ci_judge.renderers.wording import counted, percent
from ci_judge.rules.gates import cannot_fail, may_stop, needed_passes
from ci_judge.rules.power import false_pass_rate, flip_rate, is_forecast, pass_probability
from ci_judge.rules.rounding import written_percent
from ci_judge.settings import Settings
from ci_judge.workflows.calibration.known import as_judged
from ci_judge.workflows.planning import Plan, needs_judge


def plan_lines(
    settings: Settings,
    plan: Plan,
    *,
    advice: Iterable[Problem] = (),
    notes: Iterable[Problem] = (),
    every_row: bool = False,
) -> Iterator[str]:
    """Yield the tests, their gates' promises, warnings and advice, and what would be sent.

    Of a dataset's rows the first few stand for all, unless ``every_row`` is wanted.
    """
    yield from listed_tests(plan.tests, every_row=every_row)
    to_run = [test for test in plan.tests if test.skip is None]
    yield from _promises(as_judged(to_run, plan.calibration))
    for warning in (*plan.warnings, *advice):
        yield f"warning: {warning}"
    yield from (f"note: {note}" for note in notes)
    yield from sending_lines(settings, plan)


def sending_lines(settings: Settings, plan: Plan) -> Iterator[str]:
    """Yield what would be sent: requests, budget, cost, and last how many tests and runs."""
    to_run = [test for test in plan.tests if test.skip is None]
    yield from _requests(settings, to_run)
    yield from budget_lines(settings.budget, _planned(settings, plan, to_run))
    yield from expected_line(to_run)
    yield from cost_lines(settings, to_run)
    runs = sum(test.gate.runs for test in to_run)
    judge = _judge(settings.judge) if settings.judge and needs_judge(plan.suite) else "none needed"
    at_most = "up to " if any(may_stop(test.gate) for test in to_run) else ""
    counts = f"{counted(len(plan.tests), 'test')}, {at_most}{counted(runs, 'run')}"
    yield f"{counts}, judge: {judge}. Nothing was sent."


def _judge(judge: JudgeSettings) -> str:
    if not judge.panel:
        return judge.provider
    providers = ", ".join(member.provider for member in judge.members)
    return f"a panel of {len(judge.panel)} ({providers}; {judge.panel_rule})"


# --- what a gate promises ----------------------------------------------------------------


def _promises(tests: Sequence[Test]) -> Iterator[str]:
    """Say for each distinct gate how often it errs. One run promises nothing of the kind."""
    tests_by_gate: dict[GateRule, int] = {}
    for test in tests:
        if test.gate.runs > 1:
            tests_by_gate[test.gate] = tests_by_gate.get(test.gate, 0) + 1
    for rule, count in tests_by_gate.items():
        yield f"gate {named_gate(rule)} ({counted(count, 'test')}):"
        yield from (f"    {line}" for line in _promise(rule))


def named_gate(rule: GateRule) -> str:
    """``exact, 80 % in 30 runs``."""
    if rule.kind is GateKind.MISSES:
        return f"misses, at most {rule.misses} of {counted(rule.runs, 'run')}"
    least = "" if rule.min_runs is None else f"{rule.min_runs} to "
    runs = f"{least}{counted(rule.runs, 'run')}"
    return f"{rule.kind.value}, {written_percent(rule.threshold)} in {runs}"


def _promise(rule: GateRule) -> Iterator[str]:
    """Say how often it errs in both directions, and how often two CI runs disagree."""
    if needed_passes(rule) is None:
        yield "cannot be passed, not even by a perfect score"
    elif cannot_fail(rule):
        yield "cannot fail"
    elif not is_forecast(rule):
        yield "its figures are not computed for so many runs"
    else:
        good = float(GOOD_RATE)
        yield from _false_pass(rule)
        yield (
            f"a feature right {written_percent(GOOD_RATE)} of the time would pass in "
            f"{percent(pass_probability(rule, good))} of CI runs, "
            f"so two of them disagree {percent(flip_rate(rule, good))} of the time "
            f"({_if_the_judge_errs(rule)})"
        )
        yield from mean_line(rule)


def _if_the_judge_errs(rule: GateRule) -> str:
    if rule.labels is None:
        return "if the judge never errs"
    return "with the judge's own error as its labels show it, approximate"


def _false_pass(rule: GateRule) -> Iterator[str]:
    """Say how often the gate passes what is just not good enough; misses know no such rate."""
    if rule.kind is GateKind.MISSES or rule.threshold == 1:
        return
    yield (
        f"a feature right only {written_percent(rule.threshold)} of the time would pass in "
        f"{percent(false_pass_rate(rule))} of CI runs"
    )


# --- what a run would send ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Requests of a run: when all goes well, and with every retry that the settings allow."""

    expected: int
    with_retries: int

    def __str__(self) -> str:
        if self.expected == self.with_retries:
            return f"{self.expected:,}"
        return f"{self.expected:,} expected, {self.with_retries:,} with every retry"


def target_requests(settings: Settings, tests: Sequence[Test]) -> Requests:
    """Count the turns of all runs of the scenarios."""
    expected = with_retries = 0
    for test in tests:
        if isinstance(test, Scenario):
            target = settings.target if test.target is None else settings.targets[test.target]
            turns = test.gate.runs * len(test.turns)
            expected += turns
            tried_again = target.retries if target and target.command is None else 0
            with_retries += turns * (1 + tried_again)
    return Requests(expected=expected, with_retries=with_retries)


def judge_requests(settings: Settings, tests: Sequence[Test]) -> Requests:
    """Count the judgements of all runs that are judged: none by the stub, which asks nobody."""
    judge = settings.judge
    runs = sum(test.gate.runs for test in tests if isinstance(test, Case) or test.expectations)
    expected = with_retries = 0
    for member in judge.members if judge else ():
        if member.provider != "stub":
            requests = runs * member.used_repetitions
            expected += requests
            tried_again = member.retries if member.command is None else 0
            with_retries += requests * (1 + tried_again)
    return Requests(expected=expected, with_retries=with_retries)


def _planned(settings: Settings, plan: Plan, tests: Sequence[Test]) -> Planned:
    """Add everything up, with the look at the judges before the first run."""
    asked = (target_requests(settings, tests), judge_requests(settings, tests))
    members = settings.judge.members if settings.judge and needs_judge(plan.suite) else ()
    before = looks(members)
    return Planned(
        expected=before + sum(each.expected for each in asked),
        with_retries=before + sum(each.with_retries for each in asked),
    )


def _requests(settings: Settings, tests: Sequence[Test]) -> Iterator[str]:
    for receiver, requests in (
        ("target", target_requests(settings, tests)),
        ("judge", judge_requests(settings, tests)),
    ):
        if requests.expected:
            stops = any(may_stop(test.gate) for test in tests)
            yield f"requests to the {receiver}: {requests}{' and no early stop' if stops else ''}"
