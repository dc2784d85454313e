"""promptfoo's prompts: what is sent to the target, with variables in it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ci_judge.errors import InvalidInput
from ci_judge.file_schema import load_yaml
from ci_judge.model.suite import JsonValue, Message
from ci_judge.workflows.importing.foreign import Foreign, named_file, text_of_file
from ci_judge.workflows.importing.nunjucks import rendered

_READABLE: Final = frozenset({".txt", ".md", ".json", ".yaml", ".yml", ".j2"})
_BETWEEN: Final = "\n---\n"
_ROLES: Final = frozenset({"user", "assistant", "system"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt. ``template`` is a text, a list of messages, or any other JSON to be sent."""

    label: str
    template: Any

    def talk(self, values: Mapping[str, Any]) -> tuple[tuple[Message, ...], JsonValue]:
        """Fill it: what was said before, and the message. Raises Untranslatable."""
        filled = rendered(self.template, values)
        if not (isinstance(filled, list) and filled and all(map(_is_message, filled))):
            return (), filled
        said = [(each["role"], each["content"]) for each in filled]
        *before, last = said
        return tuple(Message(role=role, content=text) for role, text in before), last[1]


def prompts_of(config: Foreign) -> list[Prompt]:
    """Read the prompts; what cannot be read is noted. None at all stands for the bare message."""
    section = config.get("prompts")
    if section is None:
        return []
    if isinstance(section.data, Mapping) and "id" not in section.data:
        entries = [(key, section.text(key) or key, section) for key in section.data]
        return [prompt for raw, label, at in entries for prompt in _read(raw, label, at)]
    return [prompt for each in section.items() for prompt in _prompt(each)]


def _prompt(entry: Foreign) -> Iterator[Prompt]:
    if isinstance(entry.data, str):
        yield from _read(entry.data, "", entry)
        return
    raw = next(filter(None, (entry.text(key) for key in ("raw", "id"))), None)
    if raw is None:
        entry.note("a prompt without a text has no counterpart")
        return
    yield from _read(raw, entry.text("label") or "", entry)


def _read(raw: str, label: str, at: Foreign) -> Iterator[Prompt]:
    path = named_file(raw.strip(), at.folder)
    if path is None and _is_bare_file(raw, at.folder):
        path = at.folder / raw.strip()
    if path is None:
        yield _of_text(raw, label or raw)
        return
    found = sorted(path.parent.glob(path.name)) if "*" in path.name else [path]
    for file in found:
        text = None
        if file.suffix.lower() in _READABLE:
            text = text_of_file(file, root=at.folder)
        if text is None:
            at.note(f"the prompt {file.name} is none that can be read here")
            continue
        parts = text.split(_BETWEEN) if file.suffix.lower() == ".txt" else [text]
        for part in filter(str.strip, parts):
            yield _of_text(part.strip("\n"), label or file.stem)


def _is_bare_file(raw: str, folder: Path) -> bool:
    name = raw.strip()
    if "\n" in name or "{{" in name or Path(name).suffix.lower() not in {*_READABLE, ".py", ".js"}:
        return False
    try:
        return (folder / name).is_file()
    except OSError:
        return False


def _of_text(text: str, label: str) -> Prompt:
    return Prompt(label=label, template=_messages(text) or text)


def _messages(text: str) -> list[Any] | None:
    """Read a prompt that is a list of messages, in JSON or YAML."""
    stripped = text.lstrip()
    try:
        if stripped.startswith("["):
            found = json.loads(text)
        elif stripped.startswith("- role:"):
            found = load_yaml(text, file="prompt").data
        else:
            return None
    except (ValueError, RecursionError, InvalidInput):
        return None
    is_talk = isinstance(found, list) and bool(found) and all(map(_is_message, found))
    return found if is_talk else None


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("role") in _ROLES and "content" in value
