"""Scenarios that differ in their words alone, as a template and the rows that fill it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ci_judge.model.suite import JsonValue
from ci_judge.workflows.importing.imported import Draft

LEAST_ROWS: Final = 10
"""Fewer are easier to read where they are written out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A template (without ``from``), and what fills it, a row each."""

    template: Mapping[str, JsonValue]
    rows: tuple[Mapping[str, JsonValue], ...]

    def lines(self) -> Iterator[str]:
        for row in self.rows:
            yield json.dumps(row, ensure_ascii=False) + "\n"


def tables_of(drafts: Sequence[Draft]) -> tuple[tuple[Table, ...], tuple[Draft, ...]]:
    """Find the drafts of one shape of which there are many; return their tables, and the others."""
    shapes: dict[str, list[Draft]] = {}
    for draft in drafts:
        shapes.setdefault(_shape(draft), []).append(draft)
    tables = [_table(group) for group in shapes.values() if len(group) >= LEAST_ROWS]
    few = [draft for group in shapes.values() if len(group) < LEAST_ROWS for draft in group]
    return tuple(tables), tuple(few)


def _shape(draft: Draft) -> str:
    kinds = [sorted(check) for check in draft.checks]
    several = (len(draft.turns) > 1, bool(draft.history), len(draft.expected))
    return json.dumps([several, kinds, draft.more], sort_keys=True, default=str)


def _table(group: Sequence[Draft]) -> Table:
    """Put into columns what is not the same in all of them."""
    first = group[0]
    columns: dict[str, list[Any]] = {"name": [draft.name for draft in group]}
    template: dict[str, Any] = {"name": "{{name}}", **first.more}
    if first.history:
        pasts = [[_message(past) for past in draft.history] for draft in group]
        template["history"] = _column("history", pasts, columns)
    if len(first.turns) > 1:
        template["turns"] = _column("turns", [list(draft.turns) for draft in group], columns)
    else:
        template["message"] = _column("message", [draft.turns[0] for draft in group], columns)
    if first.expected:
        wanted = [_one_or_all(draft.expected) for draft in group]
        template["expected"] = _column("expected", wanted, columns)
    if first.checks:
        template["checks"] = [
            {
                kind: _column(
                    _free(kind, columns), [draft.checks[at][kind] for draft in group], columns
                )
                for kind in check
            }
            for at, check in enumerate(first.checks)
        ]
    names = list(columns)
    rows = [dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return Table(template=template, rows=tuple(rows))


def _column(name: str, values: list[Any], columns: dict[str, list[Any]]) -> Any:
    """Give what stands in the template: the value that all share, else the column's place."""
    first = values[0]
    if all(value == first for value in values) and "{{" not in json.dumps(first):
        return first
    columns[name] = values
    return f"{{{{{name}}}}}"


def _free(name: str, columns: Mapping[str, object]) -> str:
    taken = (f"{name}_{number}" for number in range(2, len(columns) + 3))
    return name if name not in columns else next(each for each in taken if each not in columns)


def _one_or_all(texts: Sequence[str]) -> str | list[str]:
    return texts[0] if len(texts) == 1 else list(texts)


def _message(past: Any) -> dict[str, JsonValue]:
    return {"role": past.role, "content": past.content}
