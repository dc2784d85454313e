"""``${NAME}`` in the few values that are templates: filled in once, never twice."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ci_judge.errors import Problem
from ci_judge.file_schema import LoadedFile, WrittenList, written_copy

REFERENCE = re.compile(r"\$(\$)?\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SHORTEST_VALUE = 4  # a shorter one stands in a message by chance
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")

_TARGET_TEMPLATES = (("url",), ("headers",), ("body",), ("serve", "ready_url"), ("serve", "env"))
_JUDGE_TEMPLATES = (("base_url",), ("api_key",))


def templated_paths(data: Any) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the data below which ``${NAME}`` means something."""
    named = data.get("targets") if isinstance(data, Mapping) else None
    sections = [("target", *rest) for rest in _TARGET_TEMPLATES]
    if isinstance(named, Mapping):
        sections += [("targets", name, *rest) for name in named for rest in _TARGET_TEMPLATES]
    sections += [("judge", *rest) for rest in _JUDGE_TEMPLATES]
    return (path for path in sections if _holds(data, path))


def _holds(data: Any, path: tuple[str, ...]) -> bool:
    for step in path:
        if not isinstance(data, Mapping) or step not in data:
            return False
        data = data[step]
    return True


@dataclass(slots=True)
class Filling:
    """One pass over the configuration's data. Collects what was used and what was wrong."""

    loaded: LoadedFile
    environment: Mapping[str, str]
    problems: list[Problem] = field(default_factory=list)
    used: dict[str, None] = field(default_factory=dict)
    untrimmed: dict[str, None] = field(default_factory=dict)

    def filled(self) -> Any:
        """Give the data with every reference replaced; what cannot be stays as written."""
        data = self.loaded.data
        for path in templated_paths(data):
            data = self._with_filled(data, path, 0)
        return data

    def unfilled(self, problem: Problem) -> Problem:
        """Put ``${NAME}`` back where a message shows the value, which may be secret."""
        return replace(
            problem,
            message=self._without_values(problem.message),
            hint=None if problem.hint is None else self._without_values(problem.hint),
        )

    def _without_values(self, text: str) -> str:
        for name in self.used:
            value = self.environment[name].strip()
            if len(value) >= _SHORTEST_VALUE:
                text = text.replace(value, f"${{{name}}}")
        return text

    def warnings(self) -> tuple[str, ...]:
        return tuple(
            f'the value of "{name}" has white space or a line end around it, which is left out'
            for name in self.untrimmed
        )

    def _with_filled(self, data: Any, path: tuple[str, ...], depth: int) -> Any:
        """Copy the maps along the path, and fill what stands at its end."""
        if depth == len(path):
            return self._value(data, path)
        copy = written_copy(data)
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
                items = WrittenList()
                items.extend(self._value(item, (*path, at)) for at, item in enumerate(value))
                items.written.update(getattr(value, "written", {}))
                return items
            case _:
                return value

    def _text(self, text: str, path: tuple[str | int, ...]) -> str:
        return REFERENCE.sub(lambda found: self._replacement(found, path), text)

    def _replacement(self, found: re.Match[str], path: tuple[str | int, ...]) -> str:
        escaped, name = found.groups()
        if escaped:
            return found[0][1:]
        raw = self.environment.get(name, "")
        value = raw.strip()
        reason = self._refusal(name, value, path)
        if reason:
            place = self.loaded.place(path)
            self.problems.append(Problem(message=reason[0], hint=reason[1], place=place))
            return found[0]
        self.used[name] = None
        if value != raw:
            self.untrimmed[name] = None
        return value

    def _refusal(
        self, name: str, value: str, path: tuple[str | int, ...]
    ) -> tuple[str, str] | None:
        where = ".".join(map(str, path))
        if not value:
            state = "empty" if name in self.environment else "not set"
            return f'the variable "{name}" in {where} is {state}', f"set {name} in the environment"
        if not _is_body(path) and _CONTROLS.search(value):
            message = f'the value of "{name}" in {where} holds a line end or a control character'
            return message, f"set {name} to one line of printable text"
        return None


def _is_body(path: tuple[str | int, ...]) -> bool:
    """Whether it is a place where any text can stand."""
    return path[:2] == ("target", "body") or (path[0] == "targets" and path[2] == "body")
