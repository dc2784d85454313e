"""``${NAME}`` in the few values that are templates: filled in once, never twice."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ci_judge.errors import Place, Problem
from ci_judge.file_schema import DataPath, LoadedFile, WrittenList, written_copy
from ci_judge.file_schema.loaded_file import child
from ci_judge.file_schema.wording import path_text

REFERENCE = re.compile(r"\$(\$)?\{([A-Za-z_][A-Za-z0-9_]*)\}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}")
_URL_KEYS = frozenset({"url", "ready_url", "base_url"})
_PLACEHOLDERS = frozenset({"message", "history", "uuid", "session", "port"})

_TARGET_TEMPLATES = (
    *(("url",), ("headers",), ("query",), ("body",)),
    *(("serve", "ready_url"), ("serve", "env")),
)
_JUDGE_TEMPLATES = (("base_url",), ("api_key",))


def templated_paths(data: Any) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of the data below which ``${NAME}`` means something."""
    targets = _value_at(data, ("targets",))
    names = targets if isinstance(targets, Mapping) else ()
    panel = _value_at(data, ("judge", "panel"))
    members = range(len(panel)) if isinstance(panel, list) else ()
    sections: list[tuple[str | int, ...]] = [
        *(("target", *rest) for rest in _TARGET_TEMPLATES),
        *(("targets", name, *rest) for name in names for rest in _TARGET_TEMPLATES),
        *(("judge", *rest) for rest in _JUDGE_TEMPLATES),
        *(("judge", "panel", at, *rest) for at in members for rest in _JUDGE_TEMPLATES),
        ("generate", "base_url"),
    ]
    return (path for path in sections if _value_at(data, path) is not _NOTHING)


_NOTHING = object()


def _value_at(data: Any, path: DataPath) -> Any:
    for step in path:
        found = child(data, step)
        if found is None:
            return _NOTHING
        data = found[0]
    return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """Which variables must be set: all but those of ``unasked`` sections, where nobody is asked.

    Where nothing is sent at all, ``refuses_unset`` is False: one that is missing is a warning.
    """

    unasked: frozenset[str] = frozenset()
    refuses_unset: bool = True


WHOLE_DEMAND = Demand()


@dataclass(slots=True)
class Filling:
    """One pass over the configuration's data. Collects what was used and what was wrong."""

    loaded: LoadedFile
    environment: Mapping[str, str]
    demand: Demand = WHOLE_DEMAND
    problems: list[Problem] = field(default_factory=list)
    missed: list[Problem] = field(default_factory=list)
    used: dict[str, None] = field(default_factory=dict)
    untrimmed: dict[str, None] = field(default_factory=dict)
    filled_at: dict[Place | None, str] = field(default_factory=dict)

    def filled(self) -> Any:
        """Give the data with every reference replaced; what cannot be stays as written."""
        data = self.loaded.data
        for path in templated_paths(data):
            data = self._with_filled(data, path, 0)
        return data

    def unfilled(self, problem: Problem) -> Problem:
        """Take what a variable gave, which may be secret, out of what is said about its place."""
        written = self.filled_at.get(problem.place)
        if written is None:
            return problem
        message, negated, _ = problem.message.partition(", not ")
        given = f"{negated}what {written} gives" if negated else ""
        return replace(problem, message=f"{message}{given}", hint=None)

    def warnings(self) -> Iterator[str]:
        for problem in self.missed:
            yield str(replace(problem, message=f"a run will be refused: {problem.message}"))
        for name in self.untrimmed:
            found = "has white space or a line end around it, which is left out"
            yield f'the value of "{name}" {found}'

    def _with_filled(self, data: Any, path: tuple[str | int, ...], depth: int) -> Any:
        """Copy the maps and lists along the path, and fill what stands at its end."""
        if depth == len(path):
            return self._value(data, path)
        copy: Any = _list_copy(data) if isinstance(data, list) else written_copy(data)
        copy[path[depth]] = self._with_filled(data[path[depth]], path, depth + 1)
        return copy

    def _value(self, value: Any, path: tuple[str | int, ...]) -> Any:
        match value:
            case str():
                return self._text(value, path)
            case dict():
                copy = written_copy(value)
                copy.update({key: self._value(item, (*path, key)) for key, item in value.items()})
                return copy
            case list():
                items = _list_copy(value)
                items[:] = [self._value(item, (*path, at)) for at, item in enumerate(value)]
                return items
            case _:
                return value

    def _text(self, text: str, path: tuple[str | int, ...]) -> str:
        if not REFERENCE.search(text):
            return text
        self.filled_at[self.loaded.place(path)] = text
        told = len(self.problems)
        filled = REFERENCE.sub(lambda found: self._replacement(found, path), text)
        lacking = self.problems[told:]
        if not lacking or not self._is_forgiven(lacking, path):
            return filled
        del self.problems[told:]
        return _stand_in(text, path)

    def _is_forgiven(self, lacking: list[Problem], path: tuple[str | int, ...]) -> bool:
        """Tell whether a text may lack its variables; where a run may not, that is noted."""
        if path[0] in self.demand.unasked:
            return True
        if self.demand.refuses_unset or not all(problem.unset for problem in lacking):
            return False
        self.missed += lacking
        return True

    def _replacement(self, found: re.Match[str], path: tuple[str | int, ...]) -> str:
        escaped, name = found.groups()
        if escaped:
            return found[0][1:]
        raw = self.environment.get(name, "")
        value = raw.strip()
        reason = self._refusal(name, value, path)
        if reason:
            place = self.loaded.place(path)
            unset = None if value else name
            self.problems.append(
                Problem(message=reason[0], hint=reason[1], place=place, unset=unset)
            )
            return found[0]
        self.used[name] = None
        if value != raw:
            self.untrimmed[name] = None
        return value

    def _refusal(
        self, name: str, value: str, path: tuple[str | int, ...]
    ) -> tuple[str, str] | None:
        where = path_text(path, self.loaded.data)
        if not value:
            state = "empty" if name in self.environment else "not set"
            hint = f"set {name} in the environment"
            if name in _PLACEHOLDERS and path[0] in {"target", "targets"}:
                hint = f"did you mean {{{{{name}}}}}? Else {hint}"
            return f'the variable "{name}" in {where} is {state}', hint
        if not _is_body(path) and _CONTROLS.search(value):
            message = f'the value of "{name}" in {where} holds a line end or a control character'
            return message, f"set {name} to one line of printable text"
        return None


def _list_copy(data: list[Any]) -> WrittenList:
    copy = WrittenList()
    copy.extend(data)
    copy.written.update(getattr(data, "written", {}))
    return copy


def _stand_in(text: str, path: tuple[str | int, ...]) -> str:
    """Give what stands for a text without its variables: of its form, its placeholders kept."""
    placeholders = "".join(_PLACEHOLDER.findall(text))
    return f"http://unset/{placeholders}" if path[-1] in _URL_KEYS else placeholders or "unset"


def _is_body(path: tuple[str | int, ...]) -> bool:
    """Whether it is a place where any text can stand."""
    return path[:2] == ("target", "body") or (path[0] == "targets" and path[2] == "body")
