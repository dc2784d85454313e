"""``ci-judge import openai-evals``: entries of a registry and their samples."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ci_judge.errors import InvalidInput, Problem
from ci_judge.model.suite import JsonValue, Message
from ci_judge.suites.criteria import shown
from ci_judge.suites.dataset_files import Row, read_rows
from ci_judge.workflows.importing.foreign import Foreign, open_foreign
from ci_judge.workflows.importing.imported import (
    Chapter,
    Draft,
    Imported,
    Notes,
    criterion_id,
    told_apart,
    without_phrases,
)
from ci_judge.workflows.importing.promptfoo_target import PLACEHOLDER

_MATCH, _INCLUDES, _FUZZY = "Match", "Includes", "FuzzyMatch"
_JSON_MATCH, _JSON, _GRADED = "JsonMatch", "JsonValidator", "ModelBasedClassify"
_CLASSES: Final = frozenset({_MATCH, _INCLUDES, _FUZZY, _JSON_MATCH, _JSON, _GRADED})
_SPECS: Final = frozenset({"fact", "closedqa"})
_KNOWN_ARGS: Final = frozenset({"samples_jsonl", "modelgraded_spec", "eval_type", "ignore_case"})
_ROLES: Final = frozenset({"user", "assistant", "system"})
_SPEC_FOLDERS: Final = ("", "../data", "data")


def import_openai_evals(path: Path, *, notes: Notes) -> Imported:
    """Translate every eval of a registry file. Raises InvalidInput for what is none."""
    registry = open_foreign(path, notes=notes, root=path.parent)
    data = registry.data if isinstance(registry.data, Mapping) else {}
    names = [
        name for name, entry in data.items() if isinstance(entry, Mapping) and "class" in entry
    ]
    if not names:
        raise InvalidInput.of(
            "this is no registry file of openai-evals",
            hint="an entry of one has class: evals.elsuite…, and args: with samples_jsonl",
            place=registry.place(),
        )
    heads = _heads(data)
    chapters = (_chapter(registry.below(name), name, heads.get(name, {})) for name in names)
    found = tuple(chapter for chapter in chapters if chapter is not None)
    config: dict[str, JsonValue] = {"target": dict(PLACEHOLDER)}
    if any(draft.expected for chapter in found for draft in chapter.drafts):
        registry.note("the grading model is named on its command line: judge.provider is stub")
        config["judge"] = {"provider": "stub"}
    registry.note("completion functions have no counterpart: the target is your own endpoint")
    return Imported(chapters=found, config=config)


def _heads(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Give the entries that name an eval and describe it, by the name of that."""
    heads = ((name, entry) for name, entry in data.items() if isinstance(entry, Mapping))
    return {str(entry["id"]): {**entry, "name": name} for name, entry in heads if "id" in entry}


def _chapter(entry: Foreign, name: str, head: Mapping[str, Any]) -> Chapter | None:
    kind = str(entry.data["class"]).rpartition(":")[2]
    if kind not in _CLASSES:
        entry.note(f"the class {kind} has no counterpart", key="class")
        return None
    args = entry.get("args") or entry
    for key in args.data if args is not entry and isinstance(args.data, Mapping) else ():
        if key not in _KNOWN_ARGS:
            args.note(f"the argument {key} of {kind} has no counterpart", key=key)
    grader = _grader(kind, args)
    path = _samples(args)
    if grader is None or path is None:
        return None
    title = str(head.get("name", name))
    described = str(head.get("description") or "").strip()
    drafts = told_apart(_drafts(path, grader, entry))
    return Chapter(
        criterion=criterion_id(title),
        title=title,
        description=described or f"Imported from {entry.loaded.file}: say here what must hold.",
        drafts=drafts,
        tabular=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grader:
    """How an eval compares: its class, and what that was told."""

    kind: str
    spec: str = ""
    ignore_case: bool = False


def _grader(kind: str, args: Foreign) -> _Grader | None:
    spec = args.text("modelgraded_spec") or ""
    if kind == _GRADED and spec not in _SPECS:
        args.note(f"the specification {spec or '?'} of {kind} has no counterpart")
        return None
    ignores = isinstance(args.data, Mapping) and args.data.get("ignore_case") is True
    return _Grader(kind=kind, spec=spec, ignore_case=ignores)


def _samples(args: Foreign) -> Path | None:
    named = args.text("samples_jsonl")
    if named is None:
        args.note("an eval without samples_jsonl has no counterpart")
        return None
    for folder in _SPEC_FOLDERS:
        path = args.folder / folder / named
        if path.is_file():
            return path
    args.note(f"the samples {named} are not there (looked in the registry's data folder, too)")
    return None


def _drafts(path: Path, grader: _Grader, entry: Foreign) -> Iterator[Draft]:
    file = shown(path, root=entry.folder)
    for row in read_rows(path, file=file):
        if isinstance(row, Problem):
            raise InvalidInput(row)
        draft = _draft(row, grader)
        if isinstance(draft, str):
            entry.note(f"a sample {draft} is left out ({path.name})")
        else:
            yield draft


def _draft(row: Row, grader: _Grader) -> Draft | str:
    """Make a scenario of a sample, or say why there is none."""
    said = _said(row.values.get("input"))
    if said is None:
        return "whose input is no text and no list of messages"
    history, message = said
    graded = _expected(row.values, grader) if grader.kind == _GRADED else ()
    checks = () if grader.kind == _GRADED else _checks(row.values.get("ideal"), grader)
    if isinstance(checks, str) or graded is None:
        return checks if isinstance(checks, str) else "without what it is graded by"
    return Draft(
        name=str(message), turns=(message,), history=history, expected=graded, checks=checks
    )


def _said(given: Any) -> tuple[tuple[Message, ...], JsonValue] | None:
    """Give what was said before, and the message."""
    if isinstance(given, str):
        return ((), given) if given.strip() else None
    talk: list[Any] = given if isinstance(given, list) and given else [None]
    if not all(isinstance(each, dict) and each.get("role") in _ROLES for each in talk):
        return None
    messages = [Message(role=each["role"], content=each.get("content") or "") for each in talk]
    *before, last = messages
    return (tuple(before), last.content) if last.content else None


def _expected(values: Mapping[str, Any], grader: _Grader) -> tuple[str, ...] | None:
    key = "criteria" if grader.spec == "closedqa" else "ideal"
    ideals = [text for text in _texts(values.get(key)) if text.strip()]
    if not ideals:
        return None
    told = " Or: ".join(map(without_phrases, ideals))
    return (told,) if key == "criteria" else (f"Agrees with this expert's answer: {told}",)


def _checks(ideal: Any, grader: _Grader) -> tuple[dict[str, JsonValue], ...] | str:
    if grader.kind == _JSON:
        return ({"json_schema": {}},)
    ideals = [text for text in _texts(ideal) if text]
    if not ideals:
        return "without an ideal answer"
    match grader.kind:
        case "JsonMatch":
            try:
                return (
                    ({"equals": json.loads(ideals[0])},) if len(ideals) == 1 else "of many ideals"
                )
            except ValueError:
                return "whose ideal is not JSON"
        case "Match":
            return ({"regex": rf"\A{_any_of(ideals)}"},)
        case _:
            return (_contains(ideals, grader),)


def _contains(ideals: list[str], grader: _Grader) -> dict[str, JsonValue]:
    if len(ideals) == 1 and ideals[0].strip():
        return {"contains": ideals[0]}
    ignores = grader.ignore_case or grader.kind == _FUZZY
    return {"regex": f"{'(?i)' if ignores else ''}{_any_of(ideals)}"}


def _any_of(texts: list[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, texts))})"


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [
        each if isinstance(each, str) else json.dumps(each) for each in values if each is not None
    ]
