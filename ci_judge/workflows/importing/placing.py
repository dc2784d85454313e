"""Writes what was imported beside the configuration; nothing that is there is touched."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from ci_judge.errors import InvalidInput
from ci_judge.file_schema import read_text
from ci_judge.model.suite import JsonValue
from ci_judge.sinks.files import write_whole
from ci_judge.suites.criteria import parse_criteria
from ci_judge.visible_text import one_line
from ci_judge.workflows.importing.imported import Chapter, Draft, Imported
from ci_judge.workflows.importing.tables import Table, tables_of
from ci_judge.workflows.importing.yaml_text import yaml_block

CONFIG: Final = "ci-judge.yaml"
OTHER_CONFIG: Final = "ci-judge.toml"
CRITERIA: Final = "acceptance.md"
_FOLDER: Final = "scenarios"
_MOST_NOTES: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFile:
    """What became of one file. ``advice`` is what somebody has to do where it was kept."""

    path: str
    outcome: Literal["written", "kept"]
    advice: str = ""


def place(imported: Imported, into: Path, *, origin: str, notes: Sequence[str]) -> list[PlacedFile]:
    """Write criteria, scenarios, datasets and a configuration below a folder.

    ``origin`` says where they come from, ``notes`` what has no counterpart; both become comments.
    Raises InvalidInput where a file cannot be written.
    """
    placer = _Placer(into=into, head=tuple(_head(origin, notes)))
    try:
        return list(placer.files(imported))
    except OSError as error:
        name = error.filename or into
        raise InvalidInput.of(f"{name} cannot be written: {error.strerror or error}") from error


def _head(origin: str, notes: Sequence[str]) -> Iterator[str]:
    yield f"Imported by {origin}."
    if notes:
        yield "Without a counterpart here, so left out or only near to what it was:"
        yield from (f"- {note}" for note in notes[:_MOST_NOTES])
        if len(notes) > _MOST_NOTES:
            yield f"- and {len(notes) - _MOST_NOTES} more, which the command has told"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placer:
    into: Path
    head: tuple[str, ...]

    def files(self, imported: Imported) -> Iterator[PlacedFile]:
        if not any(chapter.drafts for chapter in imported.chapters):
            return
        yield from self._criteria(imported)
        for chapter in imported.chapters:
            if chapter.drafts:
                yield from self._chapter(chapter)
        yield self._config(imported)

    def _config(self, imported: Imported) -> PlacedFile:
        advice = "its target and judge are not those of the imported file"
        if (self.into / OTHER_CONFIG).exists():
            return PlacedFile(path=OTHER_CONFIG, outcome="kept", advice=advice)
        return self._put(CONFIG, self._commented(_config(imported.config)), advice=advice)

    def _criteria(self, imported: Imported) -> Iterator[PlacedFile]:
        wanted = [chapter for chapter in imported.chapters if chapter.drafts]
        if imported.criteria_text is not None:
            known = _ids(imported.criteria_text)
            lost = [chapter for chapter in wanted if chapter.criterion not in known]
            text = "\n\n".join([imported.criteria_text.rstrip("\n"), *map(_section, lost)]) + "\n"
        else:
            text = "\n\n".join(map(_section, wanted)) + "\n"
        there = _there(self.into / CRITERIA)
        missing = [each for each in wanted if each.criterion not in _ids(there or "")]
        if there is None or not missing:
            yield self._put(CRITERIA, text)
            return
        yield PlacedFile(path=CRITERIA, outcome="kept")
        name = f"acceptance-{missing[0].criterion}.md"
        sections = "\n\n".join(map(_section, missing)) + "\n"
        yield self._put(name, sections, told=f"name it in suite.criteria, beside {CRITERIA}")

    def _chapter(self, chapter: Chapter) -> Iterator[PlacedFile]:
        tables, drafts = tables_of(chapter.drafts) if chapter.tabular else ((), chapter.drafts)
        entries: list[dict[str, Any]] = [dict(_entry(draft)) for draft in drafts]
        for number, table in enumerate(tables, start=1):
            name = chapter.criterion + (f"--{number}" if number > 1 else "")
            entries.append(_template(table, name))
            yield self._put(f"{_FOLDER}/{name}.jsonl", "".join(table.lines()))
        data = {"criterion": chapter.criterion, "scenarios": entries}
        text = self._commented(_spaced(yaml_block(data)))
        yield self._put(f"{_FOLDER}/{chapter.criterion}.yaml", text)

    def _put(self, name: str, text: str, *, advice: str = "", told: str = "") -> PlacedFile:
        path = self.into / name
        if path.exists() or path.is_symlink():
            return PlacedFile(path=name, outcome="kept", advice=advice)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [text])
        return PlacedFile(path=name, outcome="written", advice=told)

    def _commented(self, text: str) -> str:
        return "\n".join([*(f"# {line}" for line in self.head), text]) + "\n"


def _there(path: Path) -> str | None:
    return read_text(path, file=path.name) if path.is_file() else None


def _ids(text: str) -> set[str]:
    return {criterion.id for criterion in parse_criteria(text, file=CRITERIA)} if text else set()


def _section(chapter: Chapter) -> str:
    """Write a criterion; a line of its text that would be a heading or a fence is no longer one."""
    lines = (_plain_line(line) for line in chapter.description.splitlines())
    title = one_line(chapter.title, limit=120).replace("{", "(").replace("}", ")")
    return f"## {title} {{#{chapter.criterion}}}\n\n" + "\n".join(lines).strip()


def _plain_line(line: str) -> str:
    text = one_line(line, limit=2_000)
    return f"\\{text}" if text[:1] in set("#=-~`<>") else text


def _template(table: Table, name: str) -> dict[str, Any]:
    parts = dict(table.template)
    return {"name": parts.pop("name"), "id": name, "from": f"{name}.jsonl", **parts}


def _entry(draft: Draft) -> Iterator[tuple[str, JsonValue]]:
    yield "name", draft.name
    yield from draft.more.items()
    if draft.history:
        yield "history", [{"role": past.role, "content": past.content} for past in draft.history]
    if len(draft.turns) == 1:
        yield "message", draft.turns[0]
    else:
        yield "turns", list(draft.turns)
    if draft.expected:
        yield "expected", draft.expected[0] if len(draft.expected) == 1 else list(draft.expected)
    if draft.checks:
        yield "checks", [dict(check) for check in draft.checks]


def _spaced(text: str) -> str:
    """Let a blank line stand between scenarios."""
    lines = text.split("\n")
    return "\n".join(
        f"\n{line}" if line.startswith("  - ") and before != "scenarios:" else line
        for before, line in zip(["", *lines], lines, strict=False)
    )


def _config(sections: Mapping[str, JsonValue]) -> str:
    suite = {"criteria": CRITERIA, "paths": [_FOLDER]}
    return yaml_block({"suite": suite, **sections})
