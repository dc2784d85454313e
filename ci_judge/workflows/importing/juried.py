"""``ci-judge import juried``: a juried.toml, its criteria and scenarios, or a scenario file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from ci_judge.check_tools import schema_error
from ci_judge.errors import InvalidInput
from ci_judge.file_schema import load_toml, read_text
from ci_judge.model.suite import JsonValue, Message
from ci_judge.rules.phrases import UnbalancedQuote, quoted_phrases
from ci_judge.suites.criteria import parse_criteria
from ci_judge.workflows.importing.foreign import Foreign, open_foreign
from ci_judge.workflows.importing.imported import (
    Chapter,
    Draft,
    Imported,
    Notes,
    told_apart,
    without_phrases,
)
from ci_judge.workflows.importing.juried_config import sections_of
from ci_judge.workflows.importing.promptfoo_target import PLACEHOLDER

_SCENARIO_KEYS: Final = frozenset(
    {
        *("id", "criterion", "name", "kind", "message", "expected", "history", "turns"),
        *("checks", "runs", "misses", "tags"),
    }
)
_YAML: Final = frozenset({".yaml", ".yml"})


def import_juried(path: Path, *, notes: Notes) -> Imported:
    """Translate a project, or a scenario file of one. Raises InvalidInput for what is neither."""
    if path.suffix.lower() in _YAML:
        opened = open_foreign(path, notes=notes, root=path.parent)
        drafts = list(_scenarios(opened, path.parent))
        return Imported(
            chapters=_chapters(drafts, {}), config={"target": dict(PLACEHOLDER), **_STUB}
        )
    config = _config(path, notes)
    criteria = config.get("criteria")
    named = criteria.data if criteria and isinstance(criteria.data, Mapping) else {}
    text = _criteria_text(path.parent / str(named.get("file", "acceptance.md")), config)
    folder = path.parent / str(named.get("scenarios_dir", "scenarios"))
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in _YAML)
    if not files:
        config.note("there are no scenarios to import (juried generate writes them)")
    drafts = [
        each
        for file in files
        for each in _scenarios(open_foreign(file, notes=notes, root=path.parent), path.parent)
    ]
    known = {each.id: each for each in parse_criteria(text, file="acceptance.md")} if text else {}
    titles = {name: each.title for name, each in known.items()}
    return Imported(
        chapters=_chapters(drafts, titles), config=sections_of(config), criteria_text=text or None
    )


_STUB: Final[Mapping[str, JsonValue]] = {"judge": {"provider": "stub"}}


def _config(path: Path, notes: Notes) -> Foreign:
    loaded = load_toml(read_text(path, file=path.name), file=path.name)
    config = Foreign(data=loaded.data, loaded=loaded, at=(), folder=path.parent, notes=notes)
    target = config.get("target")
    if target is None or not isinstance(target.data, Mapping) or "url" not in target.data:
        raise InvalidInput.of(
            "this is no juried.toml", hint="one has a [target] with a url", place=config.place()
        )
    return config


def _criteria_text(path: Path, config: Foreign) -> str:
    try:
        return read_text(path, file=path.name)
    except InvalidInput:
        config.note(f"the criteria {path.name} are not there: their ids are their titles")
        return ""


def _scenarios(opened: Foreign, root: Path) -> Iterator[tuple[str, Draft]]:
    """Yield each scenario with its criterion. Raises InvalidInput for another kind of file."""
    section = opened.get("scenarios")
    if section is None or not isinstance(section.data, list):
        raise InvalidInput.of(
            "this is no scenario file of juried",
            hint="one has scenarios: a list",
            place=opened.place(),
        )
    for entry in section.items():
        criterion = entry.text("criterion") or opened.text("criterion")
        draft = _draft(entry, root)
        if criterion is None or draft is None:
            entry.note("a scenario without criterion, name, message or expected is left out")
        else:
            yield criterion, draft


def _draft(entry: Foreign, root: Path) -> Draft | None:
    name, message, expected = (entry.text(key) for key in ("name", "message", "expected"))
    if name is None or message is None or expected is None:
        return None
    for key in entry.data:
        if key not in _SCENARIO_KEYS:
            entry.note(f"the key {key} of a scenario has no counterpart", key=key)
    return Draft(
        name=name,
        turns=(*_turns(entry), message),
        history=tuple(_history(entry)),
        expected=(_expectation(expected, entry),),
        checks=tuple(_checks(entry, root)),
        more=dict(_more(entry)),
    )


def _turns(entry: Foreign) -> Iterator[str]:
    turns = entry.get("turns")
    for number in range(len(turns.data)) if turns and isinstance(turns.data, list) else ():
        yield str(turns.data[number]) if turns else ""


def _history(entry: Foreign) -> Iterator[Message]:
    history = entry.get("history")
    for each in history.items() if history else ():
        role, content = each.text("role"), each.text("content")
        if role in ("user", "assistant") and content is not None:
            yield Message(role="user" if role == "user" else "assistant", content=content)


def _expectation(text: str, entry: Foreign) -> str:
    """Keep quoted phrases, which mean the same here; single marks are no phrase there."""
    try:
        quoted_phrases(text)
    except UnbalancedQuote:
        entry.note("a double quote without a partner became a single one", key="expected")
        return without_phrases(text)
    return text.strip()


def _more(entry: Foreign) -> Iterator[tuple[str, JsonValue]]:
    for key in ("id", "kind", "runs", "misses", "tags"):
        if entry.data.get(key) not in (None, []):
            yield key, entry.data[key]


def _checks(entry: Foreign, root: Path) -> Iterator[Mapping[str, JsonValue]]:
    section = entry.get("checks")
    for check in section.items() if section else ():
        found = check.data if isinstance(check.data, Mapping) else {}
        kind, value = next(iter(found.items()), ("?", None))
        match kind:
            case "contains" | "not_contains" | "regex":
                text = check.text(kind)
                if text and text.strip():
                    yield {kind: text}
                else:
                    check.note(f"the check {kind} has no text")
            case "max_chars":
                yield {kind: value}
            case "max_latency_ms":
                yield {"max_latency": f"{check.text(kind)}ms"}
            case "json_schema":
                schema = _schema(check, root / str(value))
                if schema is not None:
                    yield {kind: schema}
            case _:
                check.note(f"the check {kind} has no counterpart")


def _schema(check: Foreign, path: Path) -> JsonValue:
    """Read the schema that a check names, None where it cannot be."""
    try:
        schema = json.loads(read_text(path, file=path.name))
    except (InvalidInput, ValueError, RecursionError):
        schema = None
    if not isinstance(schema, dict) or schema_error(schema) is not None:
        check.note(f"the schema {path.name} cannot be read")
        return None
    return schema


def _chapters(drafts: list[tuple[str, Draft]], titles: Mapping[str, str]) -> tuple[Chapter, ...]:
    by_criterion: dict[str, list[Draft]] = {}
    for criterion, draft in drafts:
        by_criterion.setdefault(criterion, []).append(draft)
    return tuple(
        Chapter(
            criterion=criterion,
            title=titles.get(criterion, criterion),
            description="Imported from juried: say here what must hold, in words.",
            drafts=told_apart(group),
        )
        for criterion, group in by_criterion.items()
    )
