"""Scenarios: the tests that hold a conversation with a target."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema import LoadedFile, load_yaml, problems_or, read_text
from ci_judge.model.suite import Criterion, GateDefaults, Scenario
from ci_judge.suites.criteria import shown
from ci_judge.suites.scenario_file import ScenarioHead
from ci_judge.suites.scenario_reading import scenarios_of
from ci_judge.suites.scenario_source import Setting, Source, nearest


def load_scenarios(
    files: Sequence[Path],
    criteria: Sequence[Criterion],
    defaults: GateDefaults,
    *,
    root: Path,
    targets: frozenset[str],
    seed: int = 0,
) -> tuple[Scenario, ...]:
    """Read all scenario files, in order. Raises InvalidInput with the problems of all of them.

    ``root`` is the folder that files are shown from; ``targets`` are the names that a scenario's
    ``target`` may have; ``seed`` draws samples of rows.
    """
    by_id = {criterion.id: criterion for criterion in criteria}
    setting = Setting(criteria=by_id, gate=defaults, targets=targets, root=root, seed=seed)
    problems: list[Problem] = []
    scenarios: list[Scenario] = []
    for path in files:
        try:
            source = _open(path, shown(path, root=root), setting)
        except InvalidInput as error:
            problems += error.problems
            continue
        found: list[Problem] = []
        scenarios += scenarios_of(source, found)
        problems += sorted(found, key=_in_file_order)
    problems += _repeated_ids(scenarios)
    if problems:
        raise InvalidInput(*problems)
    return tuple(scenarios)


def scenarios_in(text: str, *, file: str, folder: Path, setting: Setting) -> tuple[Scenario, ...]:
    """Read the text of one scenario file, whose relative paths start in ``folder``.

    Raises InvalidInput with all of its problems.
    """
    problems: list[Problem] = []
    scenarios = tuple(scenarios_of(_source(text, file, folder, setting), problems))
    problems += _repeated_ids(scenarios)
    if problems:
        raise InvalidInput(*problems)
    return scenarios


def _in_file_order(problem: Problem) -> tuple[str, int]:
    place = problem.place
    return (place.file, place.line or 0) if place else ("", 0)


def _open(path: Path, file: str, setting: Setting) -> Source:
    """Read a file down to its list of scenarios. Raises InvalidInput for what is wrong above it."""
    return _source(read_text(path, file=file), file, path.parent, setting)


def _source(text: str, file: str, folder: Path, setting: Setting) -> Source:
    loaded = load_yaml(text, file=file)
    if not isinstance(loaded.data, dict) or "scenarios" not in loaded.data:
        raise InvalidInput.of(
            'this is no scenario file: it has no "scenarios" at the top',
            hint="suite.paths may hold no other YAML; name the files or folders more narrowly",
            place=Place(file=file),
        )
    head = problems_or(loaded, ScenarioHead)
    if isinstance(head, tuple):
        raise InvalidInput(*head)
    if not head.scenarios:
        raise InvalidInput.of("the list of scenarios is empty", place=loaded.place(("scenarios",)))
    return Source(
        loaded=loaded,
        folder=folder,
        criterion=_criterion(head.criterion, loaded, setting),
        defaults=head.defaults,
        setting=setting,
    )


def _criterion(wanted: str, loaded: LoadedFile, setting: Setting) -> Criterion:
    found = setting.criteria.get(wanted)
    if found is None:
        raise InvalidInput.of(
            f'there is no criterion "{wanted}"',
            hint=nearest(wanted, setting.criteria),
            place=loaded.place(("criterion",)),
        )
    return found


def _repeated_ids(scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    first: dict[str, Scenario] = {}
    for scenario in scenarios:
        earlier = first.setdefault(scenario.id, scenario)
        if earlier is not scenario:
            yield Problem(
                message=f'two scenarios have the id "{scenario.id}": '
                f"{_where(earlier)} and {_where(scenario)}",
                hint="give one of them another name, or an id: of its own",
                place=scenario.place,
            )


def _where(scenario: Scenario) -> Place:
    return scenario.row.place if scenario.row else scenario.place
