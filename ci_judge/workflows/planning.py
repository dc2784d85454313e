"""Reads everything that a run needs and checks all of it, before anything is sent or spent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ci_judge.ci_context import github_context
from ci_judge.errors import CiJudgeError, InvalidInput, NothingToJudge, Place, Problem
from ci_judge.file_schema.showing import quoted
from ci_judge.judges.registry import missing_keys
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.suite import Case, Criterion, GateDefaults, Scenario, Suite, Test
from ci_judge.rules.selection import BadExpression, Selects, select_by_name, select_by_tag
from ci_judge.settings import Settings
from ci_judge.suites.cases import CaseHosts, discover_cases
from ci_judge.suites.criteria import criteria_doubts, load_criteria, shown
from ci_judge.suites.gate_origins import GateOrigins
from ci_judge.suites.linting import gate_problems, warnings
from ci_judge.suites.paths import DEFAULT_PATHS, FoundFiles, find_files
from ci_judge.suites.waivers import load_waivers, with_waivers
from ci_judge.workflows.budget_problems import budget_doubts, budget_problems
from ci_judge.workflows.calibration.known import (
    KnownCalibration,
    calibration_warnings,
    corrected_problems,
    known_calibration,
    with_labels,
)
from ci_judge.workflows.criterion_instructions import instructed, unknown_criteria
from ci_judge.workflows.fingerprint import with_fingerprints
from ci_judge.workflows.kept_gates import kept_gates
from ci_judge.workflows.recorded_evidence import EvidenceSource
from ci_judge.workflows.sharding import Part, take_part
from ci_judge.workflows.surroundings import Surroundings
from ci_judge.workflows.target_problems import target_problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The ``-k`` and ``-m`` expressions, None where not given, and what the user calls them.

    ``ids`` are the tests that a front door has chosen by itself, of those that a plan had.
    """

    names: str | None = None
    tags: str | None = None
    ids: frozenset[str] | None = None
    names_by: str = "-k"
    tags_by: str = "-m"


def _expressions(selection: Selection) -> str:
    given = [text for text in (selection.names, selection.tags) if text is not None]
    return " and ".join(quoted(text) for text in given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strictness:
    """What a plan must be good for: being run (``key_needed``), or only being looked at."""

    key_needed: bool = True
    allow_unreachable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A suite that can be run: valid, reachable, selected. ``left_out`` counts tests deselected."""

    suite: Suite
    warnings: tuple[str, ...]
    left_out: int
    part: Part | None = None
    """The shard that ``suite`` is; None for all selected tests."""
    evidence: EvidenceSource | None = None
    """What was recorded of the tests, where nobody is to be asked for more."""
    settled: frozenset[str] = frozenset()
    """Tests of which an earlier attempt has made every run that is needed, by their ids."""
    calibration: KnownCalibration | None = None
    """What is known of the judge's own error; None where no calibration is named."""

    @property
    def to_ask(self) -> Suite:
        """The tests for which somebody has to be asked."""
        return _select(self.suite, lambda test: test.id not in self.settled)

    @property
    def tests(self) -> Sequence[Test]:
        return self.suite.tests


DEFAULT_STRICTNESS = Strictness()


async def make_plan(
    settings: Settings,
    surroundings: Surroundings,
    selection: Selection,
    *,
    hosts: CaseHosts,
    strictness: Strictness = DEFAULT_STRICTNESS,
) -> Plan:
    """Load, check and select. Raises InvalidInput with every problem, or NothingToJudge."""
    selects = _selects(selection)
    found = find_files(
        settings.root,
        criteria=settings.suite.criteria,
        paths=settings.suite.paths,
        pattern=settings.suite.pattern,
        skip=(settings.file,),
        place=settings.place,
    )
    known = known_calibration(settings)
    defaults = with_labels(settings.gate_defaults(), known)
    loaded = _with_waivers(settings, surroundings, await _load(settings, found, hosts, defaults))
    suite = with_fingerprints(loaded, settings)
    chosen = _select(suite, selects)
    sent = picked(chosen, selection.ids)
    problems = (
        *_gate_problems(settings, suite, strictness),
        *corrected_problems([test for test in sent.tests if test.skip is None], known, settings),
        *target_problems(settings, sent),
        *budget_problems(settings, sent, judged=needs_judge(sent)),
        *_judge_problems(settings, surroundings, sent, strictness),
    )
    if problems:
        raise InvalidInput(*problems)
    if not suite.tests:
        raise NothingToJudge.of("the suite holds no test", hint=_no_test_hint(settings, found))
    if not chosen.tests:
        raise _none_selected(suite, selection)
    part = take_part(settings, surroundings, chosen)
    mine = chosen if part is None else part.suite()
    taken = picked(mine, selection.ids)
    return Plan(
        suite=taken,
        part=part if len(taken.tests) == len(mine.tests) else None,
        warnings=(
            *settings.warnings,
            *calibration_warnings(known),
            *_suite_warnings(settings, suite),
            *map(str, _run_warnings(settings, surroundings, chosen, found)),
        ),
        left_out=len(suite.tests) - len(chosen.tests) + len(mine.tests) - len(taken.tests),
        calibration=known,
    )


def _none_selected(suite: Suite, selection: Selection) -> CiJudgeError:
    return NothingToJudge.of(
        f"none of the {len(suite.tests)} tests is selected by {_expressions(selection)}",
        hint=f"look at {selection.names_by} and {selection.tags_by}; "
        "`ci-judge check` lists the tests",
    )


def _with_waivers(settings: Settings, surroundings: Surroundings, suite: Suite) -> Suite:
    today = datetime.fromtimestamp(surroundings.wall_clock(), UTC).date()
    return with_waivers(suite, load_waivers(settings.root, today=today), today=today)


def _load_scenarios(
    settings: Settings,
    found: FoundFiles,
    criteria: tuple[Criterion, ...],
    defaults: GateDefaults,
) -> tuple[Scenario, ...]:
    if not found.scenario_files:
        return ()
    from ci_judge.suites.scenarios import load_scenarios  # noqa: PLC0415 - a large schema

    return load_scenarios(
        found.scenario_files,
        criteria,
        defaults,
        root=settings.root,
        targets=frozenset(settings.targets),
        seed=settings.seed or 0,
    )


async def _load(
    settings: Settings, found: FoundFiles, hosts: CaseHosts, defaults: GateDefaults
) -> Suite:
    """Load all kinds of files; problems of one kind do not hide those of another."""
    problems: list[Problem] = []
    criteria: tuple[Criterion, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    cases: tuple[Case, ...] = ()
    try:
        loaded = load_criteria(found.criteria_files, root=settings.root)
        problems.extend(unknown_criteria(settings, loaded))
        criteria = instructed(settings, loaded)
        scenarios = _load_scenarios(settings, found, criteria, defaults)
    except InvalidInput as error:
        problems.extend(error.problems)
    try:
        cases = await discover_cases(found.case_files, defaults=defaults, hosts=hosts)
    except InvalidInput as error:
        problems.extend(error.problems)
    problems.extend(_shared_ids(scenarios, cases))
    if problems:
        raise InvalidInput(*problems)
    doubts = criteria_doubts(found.criteria_files, root=settings.root)
    return Suite(criteria=criteria, scenarios=scenarios, cases=cases, warnings=doubts)


def _shared_ids(scenarios: Sequence[Scenario], cases: Sequence[Case]) -> list[Problem]:
    taken = {scenario.id: scenario for scenario in scenarios}
    return [
        Problem(
            message=f'the id "{case.id}" is taken by a scenario at {taken[case.id].place}',
            hint="give that scenario another id",
            place=case.place,
        )
        for case in cases
        if case.id in taken
    ]


def _selects(selection: Selection) -> Selects:
    problems, parsed = [], []
    for flag, expression, read in (
        (selection.names_by, selection.names, select_by_name),
        (selection.tags_by, selection.tags, select_by_tag),
    ):
        if not expression or not expression.strip():
            continue
        try:
            parsed.append(read(expression))
        except BadExpression as error:
            problems.append(Problem(message=f"{flag} cannot be read: {error}"))
    if problems:
        raise InvalidInput(*problems)
    return lambda test: all(selects(test) for selects in parsed)


def _select(suite: Suite, selects: Selects) -> Suite:
    return replace(
        suite,
        scenarios=tuple(filter(selects, suite.scenarios)),
        cases=tuple(filter(selects, suite.cases)),
    )


def picked(suite: Suite, ids: frozenset[str] | None) -> Suite:
    """Give the suite with these tests alone; None stands for all."""
    return suite if ids is None else _select(suite, lambda test: test.id in ids)


def _suite_warnings(settings: Settings, suite: Suite) -> tuple[str, ...]:
    judges = settings.judge.members if settings.judge else ()
    found = warnings(
        suite,
        providers=frozenset(judge.provider for judge in judges),
        policies=tuple(dict.fromkeys(judge.vote_policy() for judge in judges)),
        origins=_gate_origins(settings),
    )
    return (*suite.warnings, *found)


def _run_warnings(
    settings: Settings, surroundings: Surroundings, suite: Suite, found: FoundFiles
) -> Iterator[Problem]:
    """Yield what a run would stumble over, or silently leave out."""
    if settings.judge is not None and needs_judge(suite):
        for problem in _missing_keys(settings, settings.judge, surroundings):
            yield replace(problem, message=f"a run will be refused: {problem.message}")
    yield from budget_doubts(settings, suite, judged=needs_judge(suite))
    yield from kept_gates(settings, suite.tests)
    yield from _forgetful_targets(settings, suite)
    for path in found.stray_cases:
        yield Problem(
            message="this case file is in none of suite.paths and is left out",
            hint="add it to suite.paths, or move it there",
            place=Place(file=shown(path, root=settings.root)),
        )


def _forgetful_targets(settings: Settings, suite: Suite) -> Iterator[Problem]:
    """Yield a doubt for each target that is told only the last turn of a conversation."""
    talks = (each for each in suite.scenarios if len(each.turns) > 1 and each.skip is None)
    first: dict[str | None, Scenario] = {}
    for scenario in talks:
        first.setdefault(scenario.target, scenario)
    for name, scenario in first.items():
        target = settings.target if name is None else settings.targets[name]
        if target is None or target.sends_history or target.names_the_conversation:
            continue
        section = "target" if name is None else f"targets.{name}"
        yield Problem(
            message=f'"{scenario.id}" has several turns, but {section} sends no {{{{history}}}}: '
            "it must remember the conversation by itself, by a cookie",
            hint="send {{history}}, {{uuid}} as the id of the session, or {{session}} "
            f"({section}.capture.session)",
            place=scenario.place,
        )


def _gate_origins(settings: Settings) -> GateOrigins:
    return GateOrigins(defaults=settings.gate_defaults(), places=settings.gate_places)


def _gate_problems(settings: Settings, suite: Suite, strictness: Strictness) -> tuple[Problem, ...]:
    allowed = settings.run.allow_unreachable or strictness.allow_unreachable
    origins = _gate_origins(settings)
    return gate_problems(suite.tests, allow_unreachable=allowed, origins=origins)


def _judge_problems(
    settings: Settings, surroundings: Surroundings, suite: Suite, strictness: Strictness
) -> list[Problem]:
    if not needs_judge(suite):
        return []
    if settings.judge is None:
        return [
            Problem(
                message="no judge is configured",
                hint='set judge.provider, "stub" for a first try without a key',
                place=settings.place(""),
            )
        ]
    if not strictness.key_needed:
        return []
    return list(_missing_keys(settings, settings.judge, surroundings))


def key_problems(
    settings: Settings, surroundings: Surroundings, suite: Suite
) -> tuple[Problem, ...]:
    """Give what a run of a suite that was only looked at would be refused for."""
    if settings.judge is None or not needs_judge(suite):
        return ()
    return _missing_keys(settings, settings.judge, surroundings)


def _missing_keys(
    settings: Settings, judge: JudgeSettings, surroundings: Surroundings
) -> tuple[Problem, ...]:
    environment = surroundings.environment
    from_fork = github_context(environment).from_fork
    place = settings.place("judge.panel" if judge.panel else "judge.provider")
    found = missing_keys(judge, environment, from_fork=from_fork)
    return tuple(replace(problem, place=problem.place or place) for problem in found)


def needs_judge(suite: Suite) -> bool:
    """Tell whether a judge will be asked; scenarios with checks alone need none."""
    return bool(suite.cases) or any(scenario.expectations for scenario in suite.scenarios)


def _no_test_hint(settings: Settings, found: FoundFiles) -> str:
    paths = list(settings.suite.paths or (DEFAULT_PATHS,))
    stray = [shown(path, root=settings.root) for path in found.stray_cases]
    beside = f"; {', '.join(stray)} lies elsewhere" if stray else ""
    return f"suite.paths is {paths}, case files match {settings.suite.pattern}{beside}"
