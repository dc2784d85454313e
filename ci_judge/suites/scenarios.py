"""Scenarios: the tests that hold a conversation with a target."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema import DataPath, LoadedFile, load_yaml, problems_or, read_text
from ci_judge.model.suite import (
    Check,
    Criterion,
    Expectation,
    GateDefaults,
    GateRule,
    JsonValue,
    Message,
    Scenario,
)
from ci_judge.rules.phrases import UnbalancedQuote, quoted_phrases
from ci_judge.suites.criteria import shown, slug
from ci_judge.suites.scenario_checks import UnfitCheck, check_of
from ci_judge.suites.scenario_file import ScenarioEntry, ScenarioHead, TestKeys
from ci_judge.suites.scenario_gates import gate_mistakes, gate_rule
from ci_judge.suites.scenario_text import count_marks, eaten_words, quote_place

_NAMED_IDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """What the scenarios of all files share."""

    criteria: Mapping[str, Criterion]
    gate: GateDefaults
    targets: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """One scenario file, its criterion known."""

    loaded: LoadedFile
    folder: Path
    criterion: Criterion
    defaults: TestKeys
    setting: _Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A scenario, or a file's defaults, and where it stands."""

    source: _Source
    at: DataPath
    label: str

    def problem(
        self, key: str, message: str, *, item: int | None = None, hint: str | None = None
    ) -> Problem:
        """Blame a key, or the item (from 0) of its list that is meant."""
        path = [key] if item is None else [key, item]
        named = key if item is None else f"{key}[{item}]"
        place = self.source.loaded.place((*self.at, *path))
        return Problem(message=f"{self.label}: {named} {message}", hint=hint, place=place)


def load_scenarios(
    files: Sequence[Path],
    criteria: Sequence[Criterion],
    defaults: GateDefaults,
    *,
    root: Path,
    targets: frozenset[str],
) -> tuple[Scenario, ...]:
    """Read all scenario files, in order. Raises InvalidInput with the problems of all of them.

    ``root`` is the folder that files are shown from; ``targets`` are the names that a scenario's
    ``target`` may have.
    """
    by_id = {criterion.id: criterion for criterion in criteria}
    setting = _Setting(criteria=by_id, gate=defaults, targets=targets)
    problems: list[Problem] = []
    scenarios: list[Scenario] = []
    for path in files:
        try:
            source = _open(path, shown(path, root=root), setting)
        except InvalidInput as error:
            problems += error.problems
            continue
        found: list[Problem] = []
        scenarios += _scenarios_of(source, found)
        problems += sorted(found, key=_line)
    problems += _repeated_ids(scenarios)
    if problems:
        raise InvalidInput(*problems)
    return tuple(scenarios)


def _line(problem: Problem) -> int:
    return (problem.place.line or 0) if problem.place else 0


def _open(path: Path, file: str, setting: _Setting) -> _Source:
    """Read a file down to its list of scenarios. Raises InvalidInput for what is wrong above it."""
    loaded = load_yaml(read_text(path, file=file), file=file)
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
    return _Source(
        loaded=loaded,
        folder=path.parent,
        criterion=_criterion(head.criterion, loaded, setting),
        defaults=head.defaults,
        setting=setting,
    )


def _criterion(wanted: str, loaded: LoadedFile, setting: _Setting) -> Criterion:
    found = setting.criteria.get(wanted)
    if found is None:
        raise InvalidInput.of(
            f'there is no criterion "{wanted}"',
            hint=_nearest(wanted, setting.criteria),
            place=loaded.place(("criterion",)),
        )
    return found


def _nearest(wanted: str, known: Iterable[str]) -> str:
    """Name what was perhaps meant: the known names, the closest first."""
    names = list(known)
    if not names:
        return "there is none at all; suite.criteria names the acceptance file"
    folded = {name.casefold(): name for name in reversed(names)}
    close = get_close_matches(wanted.casefold(), list(folded), n=_NAMED_IDS, cutoff=0.4)
    ordered = list(dict.fromkeys([folded[name] for name in close] + names))
    more = f" and {len(ordered) - _NAMED_IDS} more" if len(ordered) > _NAMED_IDS else ""
    return "known: " + ", ".join(f'"{name}"' for name in ordered[:_NAMED_IDS]) + more


def _scenarios_of(source: _Source, problems: list[Problem]) -> Iterator[Scenario]:
    """Yield the sound scenarios of a file; what is wrong with the others joins ``problems``."""
    defaults = _Part(source=source, at=("defaults",), label="defaults")
    if "defaults" in source.loaded.data:
        problems += eaten_words(source.loaded, defaults.at)
    rule = gate_rule([source.defaults], source.setting.gate)
    problems += _gate_problems(defaults, source.defaults, rule)
    for number in range(len(source.loaded.data["scenarios"])):
        scenario = _scenario_at(source, number, problems)
        if scenario is not None:
            yield scenario


def _scenario_at(source: _Source, number: int, problems: list[Problem]) -> Scenario | None:
    at = ("scenarios", number)
    entry = problems_or(source.loaded, ScenarioEntry, at=at)
    found = list(eaten_words(source.loaded, at))
    if isinstance(entry, tuple):
        problems += [*entry, *found]
        return None
    part = _Part(source=source, at=at, label=f'scenario "{entry.name}"')
    scenario = _scenario(part, entry, found)
    problems += found
    return None if found else scenario


def _scenario(part: _Part, entry: ScenarioEntry, problems: list[Problem]) -> Scenario:
    source = part.source
    keys = _with_defaults(entry, source.defaults)
    rule = gate_rule([entry, source.defaults], source.setting.gate)
    problems += _missing(part, keys)
    problems += _gate_problems(part, entry, rule)
    problems += _target_problems(part, keys)
    return Scenario(
        id=_id(part, entry, problems),
        name=entry.name,
        criterion=source.criterion,
        place=_place(part),
        gate=rule,
        turns=_turns(entry),
        history=_history(keys),
        expectations=tuple(_expectations(part, entry, problems)),
        checks=tuple(_checks(part, keys, problems)),
        kind=keys.kind or "custom",
        tags=frozenset(keys.tags or ()),
        target=keys.target,
        advisory=bool(keys.advisory),
        skip=keys.skip,
    )


def _with_defaults(entry: ScenarioEntry, defaults: TestKeys) -> ScenarioEntry:
    """Take from the file's defaults each key that the scenario does not give; lists whole."""
    absent = (key for key in TestKeys.model_fields if getattr(entry, key) is None)
    return entry.model_copy(update={key: getattr(defaults, key) for key in absent})


def _missing(part: _Part, keys: ScenarioEntry) -> Iterator[Problem]:
    if keys.message is None and not keys.turns:
        yield part.problem("message", "is missing", hint="message: what the user says; or turns:")
    elif keys.message is not None and keys.turns is not None:
        yield part.problem("turns", "and message exclude each other", hint="keep one of them")
    elif any(turn is None for turn in keys.turns or ()):
        yield part.problem("turns", "holds an empty item")
    if not keys.expected and not keys.checks:
        yield part.problem(
            "expected", "is missing", hint="expected: what must be true of the answer; or checks:"
        )


def _gate_problems(part: _Part, own: TestKeys, rule: GateRule) -> Iterator[Problem]:
    for key, message, hint in gate_mistakes(own, rule):
        yield part.problem(key, message, hint=hint)


def _target_problems(part: _Part, keys: ScenarioEntry) -> Iterator[Problem]:
    known = part.source.setting.targets
    if keys.target is not None and keys.target not in known:
        none = "the configuration has no targets: section to choose from"
        hint = _nearest(keys.target, sorted(known)) if known else none
        yield part.problem("target", f'names "{keys.target}", which is not configured', hint=hint)


def _id(part: _Part, entry: ScenarioEntry, problems: list[Problem]) -> str:
    if entry.id is not None:
        return entry.id
    name = slug(entry.name)
    if not name:
        hint = "give the scenario an id: of its own"
        problems.append(part.problem("name", "holds no letter or digit", hint=hint))
    return f"{part.source.criterion.id}/{name}"


def _place(part: _Part) -> Place:
    place = part.source.loaded.place(part.at)
    return Place(file=place.file, line=place.line)


def _turns(entry: ScenarioEntry) -> tuple[JsonValue, ...]:
    return (entry.message,) if entry.turns is None else entry.turns


def _history(keys: ScenarioEntry) -> tuple[Message, ...]:
    return tuple(Message(role=turn.role, content=turn.content) for turn in keys.history or ())


def _expectations(
    part: _Part, entry: ScenarioEntry, problems: list[Problem]
) -> Iterator[Expectation]:
    for number, text in enumerate(entry.expected or ()):
        try:
            yield Expectation(text=text, phrases=quoted_phrases(text))
        except UnbalancedQuote as error:
            problems.append(_quote_problem(part, number, text, error))


def _quote_problem(part: _Part, number: int, text: str, error: UnbalancedQuote) -> Problem:
    loaded = part.source.loaded
    listed = loaded.scalar((*part.at, "expected")) is None
    item = number if listed else None
    hint = "phrases stand between double quotes, always two of them"
    problem = part.problem("expected", f"cannot be read: {error}", item=item, hint=hint)
    path = (*part.at, "expected", number) if listed else (*part.at, "expected")
    place = quote_place(loaded, path, marks_before=count_marks(text[: error.column - 1]))
    return replace(problem, place=place)


def _checks(part: _Part, keys: ScenarioEntry, problems: list[Problem]) -> Iterator[Check]:
    for number, check in enumerate(keys.checks or ()):
        try:
            yield check_of(check, folder=part.source.folder)
        except UnfitCheck as error:
            key = next(iter(check.model_fields_set))
            problems.append(part.problem("checks", f"{key}: {error}", item=number))


def _repeated_ids(scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    first: dict[str, Scenario] = {}
    for scenario in scenarios:
        earlier = first.setdefault(scenario.id, scenario)
        if earlier is not scenario:
            yield Problem(
                message=f'two scenarios have the id "{scenario.id}": '
                f"{earlier.place} and {scenario.place}",
                hint="give one of them another name, or an id: of its own",
                place=scenario.place,
            )
