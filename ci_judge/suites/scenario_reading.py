"""From the entries of one scenario file to scenarios, or everything that is wrong with them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ci_judge.errors import Place, Problem
from ci_judge.file_schema import DataPath, problems_or, value_at
from ci_judge.model.suite import Check, DataRow, Expectation, JsonValue, Message, Scenario
from ci_judge.rules.phrases import UnbalancedQuote, quoted_phrases
from ci_judge.suites.criteria import slug
from ci_judge.suites.dataset_rows import Told
from ci_judge.suites.datasets import FilledEntry, Template, filled_entries, read_template
from ci_judge.suites.scenario_checks import UnfitCheck, check_of
from ci_judge.suites.scenario_file import ScenarioEntry, TestKeys
from ci_judge.suites.scenario_gates import gate_mistakes, gate_rule
from ci_judge.suites.scenario_source import Part, Source, nearest
from ci_judge.suites.scenario_text import count_marks, eaten_words, quote_place


def scenarios_of(source: Source, problems: list[Problem]) -> Iterator[Scenario]:
    """Yield the sound scenarios of a file; what is wrong with the others joins ``problems``."""
    default_checks = tuple(_read_defaults(source, problems))
    for number, raw in enumerate(source.loaded.data["scenarios"]):
        at = ("scenarios", number)
        if isinstance(raw, dict) and "from" in raw:
            yield from _of_rows(source, at, default_checks, problems)
            continue
        entry = problems_or(source.loaded, ScenarioEntry, at=at)
        found = list(eaten_words(source.loaded, at))
        if isinstance(entry, tuple):
            problems += [*entry, *found]
            continue
        part = Part(source=source, at=at, label=f'scenario "{entry.name}"')
        scenario = _scenario(part, entry, default_checks, found)
        problems += found
        if not found:
            yield scenario


def _of_rows(
    source: Source, at: DataPath, default_checks: tuple[Check, ...], problems: list[Problem]
) -> Iterator[Scenario]:
    """Yield a scenario for each row that the template takes; its own mistakes are told once."""
    template = read_template(source, at, value_at(source.loaded.data, at))
    found = list(eaten_words(source.loaded, at))
    if isinstance(template, tuple):
        problems += [*template, *found]
        return
    part, entry = template.part, template.entry
    shared_id = _id(part, entry, found)
    found += [*_gate_problems(part, [entry, source.defaults]), *_target_problems(part, entry)]
    own_checks = None if "checks" in template.raw else tuple(_checks(part, entry, found))
    problems += found
    if found:
        return
    told = Told(problems)
    for filled in filled_entries(template, shared_id, told):
        of_row = replace(part, row=filled.place)
        wrong: list[Problem] = []
        scenario = _scenario(of_row, filled.entry, default_checks, wrong, own_checks=own_checks)
        for problem in wrong:
            told.add(problem)
        if not wrong:
            row = DataRow(template=shared_id, place=filled.place, some=template.is_partial)
            yield replace(scenario, **_naming(filled, template, row))


def _naming(filled: FilledEntry, template: Template, row: DataRow) -> dict[str, Any]:
    """Give id and name of a row's test, in which it can be told from the others."""
    name = filled.entry.name if "name" in template.raw else f"{filled.entry.name} [{filled.key}]"
    return {"id": f"{row.template}[{filled.key}]", "name": name, "row": row}


def _read_defaults(source: Source, problems: list[Problem]) -> Iterator[Check]:
    """Yield the checks of a file's defaults, whose mistakes are told once for all scenarios."""
    if "defaults" not in source.loaded.data:
        return
    part = Part(source=source, at=("defaults",), label="defaults")
    problems += eaten_words(source.loaded, part.at)
    problems += _gate_problems(part, [source.defaults])
    problems += _target_problems(part, source.defaults)
    yield from _checks(part, source.defaults, problems)


def _scenario(
    part: Part,
    entry: ScenarioEntry,
    default_checks: tuple[Check, ...],
    problems: list[Problem],
    *,
    own_checks: tuple[Check, ...] | None = None,
) -> Scenario:
    """Make the scenario. Of one that a row filled, what no row can change was looked at before.

    ``own_checks`` are those of the entry, where they are made already.
    """
    source = part.source
    keys = _with_defaults(entry, source.defaults)
    problems += _missing(part, keys)
    if part.row is None:
        problems += _gate_problems(part, [entry, source.defaults])
        problems += _target_problems(part, entry)
    if own_checks is None:
        own_checks = tuple(_checks(part, entry, problems))
    return Scenario(
        id="" if part.row else _id(part, entry, problems),
        name=entry.name,
        criterion=source.criterion,
        place=_place(part),
        gate=gate_rule([entry, source.defaults], source.setting.gate),
        turns=_turns(entry),
        history=_history(keys),
        expectations=tuple(_expectations(part, entry, problems)),
        checks=default_checks if entry.checks is None else own_checks,
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


def _missing(part: Part, keys: ScenarioEntry) -> Iterator[Problem]:
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


def _gate_problems(part: Part, levels: Sequence[TestKeys]) -> Iterator[Problem]:
    """Yield what the nearest level says that the gate of all levels cannot mean."""
    rule = gate_rule(levels, part.source.setting.gate)
    for key, message, hint in gate_mistakes(levels[0], rule):
        yield part.problem(key, message, hint=hint)


def _target_problems(part: Part, own: TestKeys) -> Iterator[Problem]:
    known = part.source.setting.targets
    if own.target is not None and own.target not in known:
        none = "the configuration has no targets: section to choose from"
        hint = nearest(own.target, sorted(known)) if known else none
        yield part.problem("target", f'names "{own.target}", which is not configured', hint=hint)


def _id(part: Part, entry: ScenarioEntry, problems: list[Problem]) -> str:
    if entry.id is not None:
        return entry.id
    name = slug(entry.name)
    if not name:
        hint = "give the scenario an id: of its own"
        problems.append(part.problem("name", "holds no letter or digit", hint=hint))
    return f"{part.source.criterion.id}/{name}"


def _place(part: Part) -> Place:
    place = part.source.loaded.place(part.at)
    return Place(file=place.file, line=place.line)


def _turns(entry: ScenarioEntry) -> tuple[JsonValue, ...]:
    return (entry.message,) if entry.turns is None else entry.turns


def _history(keys: ScenarioEntry) -> tuple[Message, ...]:
    return tuple(Message(role=turn.role, content=turn.content) for turn in keys.history or ())


def _expectations(
    part: Part, entry: ScenarioEntry, problems: list[Problem]
) -> Iterator[Expectation]:
    for number, text in enumerate(entry.expected or ()):
        try:
            place = part.row or part.source.loaded.place((*part.at, "expected", number))
            yield Expectation(text=text, phrases=quoted_phrases(text), place=place)
        except UnbalancedQuote as error:
            problems.append(_quote_problem(part, number, text, error))


def _quote_problem(part: Part, number: int, text: str, error: UnbalancedQuote) -> Problem:
    loaded = part.source.loaded
    listed = loaded.scalar((*part.at, "expected")) is None
    item = number if listed else None
    hint = "phrases stand between double quotes, always two of them"
    problem = part.problem("expected", f"cannot be read: {error}", item=item, hint=hint)
    if part.row is not None:
        return problem
    path = (*part.at, "expected", number) if listed else (*part.at, "expected")
    place = quote_place(loaded, path, marks_before=count_marks(text[: error.column - 1]))
    return replace(problem, place=place)


def _checks(part: Part, own: TestKeys, problems: list[Problem]) -> Iterator[Check]:
    for number, check in enumerate(own.checks or ()):
        try:
            place = part.source.loaded.place((*part.at, "checks", number))
            yield check_of(check, folder=part.source.folder, place=place)
        except UnfitCheck as error:
            problems.append(part.problem("checks", f"{check.kind}: {error}", item=number))
