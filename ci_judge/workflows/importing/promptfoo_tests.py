"""promptfoo's tests: with what they inherit, from lists, files, tables and scenarios."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ci_judge.errors import InvalidInput
from ci_judge.workflows.importing.foreign import Foreign, named_file, open_foreign, text_of_file
from ci_judge.workflows.importing.promptfoo_rows import rows_of
from ci_judge.workflows.importing.promptfoo_target import is_path

_TEST_KEYS: Final = frozenset({"description", "vars", "assert", "options", "id", "metadata"})
_MOST_COMBINATIONS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTest:
    """One test with what it inherits; ``tabular`` where it was a row."""

    own: Foreign
    values: Mapping[str, Any]
    assertions: tuple[Foreign, ...]
    tabular: bool = False


@dataclass(slots=True, kw_only=True)
class TestReader:
    """Reads the tests of a configuration; who grades them joins ``graders``."""

    __test__ = False  # for pytest, which collects what is called Test

    config: Foreign
    graders: list[Foreign]
    _keeps_lists: bool = False

    def tests(self) -> Iterator[FoundTest]:
        """Yield every test, one for each combination of its variables."""
        default = self._default()
        section = self.config.get("tests")
        if section is not None:
            yield from self._of_list(section, default, {})
        scenarios = self.config.get("scenarios")
        for scenario in scenarios.items() if scenarios else ():
            configs, tests = scenario.get("config"), scenario.get("tests")
            if configs is None or tests is None:
                scenario.note("a scenario without config and tests has no counterpart")
                continue
            for each in configs.items():
                outer = each.data.get("vars") if isinstance(each.data, Mapping) else None
                yield from self._of_list(tests, default, outer or {})

    def _default(self) -> Foreign | None:
        default = self.config.get("defaultTest")
        if default is None:
            return None
        path = named_file(default.data, default.folder) if isinstance(default.data, str) else None
        if path is not None:
            default = self._opened(path, default)
        if default is None or not isinstance(default.data, Mapping):
            return None
        self._note_options(default)
        return default

    def _of_list(
        self, section: Foreign, default: Foreign | None, outer: Mapping[str, Any]
    ) -> Iterator[FoundTest]:
        for entry in section.items():
            if isinstance(entry.data, str):
                yield from self._of_file(entry, default, outer)
            elif isinstance(entry.data, Mapping) and (
                "vars" in entry.data or "assert" in entry.data
            ):
                yield from self._of_map(entry, default, outer)
            else:
                entry.note("a test without vars and assert has no counterpart")

    def _of_file(
        self, entry: Foreign, default: Foreign | None, outer: Mapping[str, Any]
    ) -> Iterator[FoundTest]:
        named = entry.data.strip()
        path = named_file(named, entry.folder) or entry.folder / named
        found = sorted(path.parent.glob(path.name)) if "*" in path.name else [path]
        for file in found:
            kind = file.suffix.lower()
            if kind in {".csv", ".jsonl"} and file.is_file():
                for row in rows_of(file, entry):
                    yield from self._of_map(row, default, outer, tabular=True)
            elif kind in {".yaml", ".yml", ".json"} and file.is_file():
                opened = self._opened(file, entry)
                if opened is not None:
                    yield from self._of_list(opened, default, outer)
            else:
                entry.note(f"the tests of {named} cannot be read here")

    def _opened(self, path: Path, at: Foreign) -> Foreign | None:
        try:
            return open_foreign(path, notes=at.notes, root=self.config.folder)
        except InvalidInput as error:
            at.note(f"the file {path.name} cannot be read: {error.problems[0].message}")
            return None

    def _of_map(
        self,
        entry: Foreign,
        default: Foreign | None,
        outer: Mapping[str, Any],
        *,
        tabular: bool = False,
    ) -> Iterator[FoundTest]:
        for key in entry.data:
            if key not in _TEST_KEYS:
                entry.note(f"the key {key} of a test has no counterpart", key=key)
        self._note_options(entry)
        given = [_values(each) for each in (default, entry) if each is not None]
        merged = {**given[0], **outer, **given[-1]}
        found = [each.get("assert") for each in (default, entry) if each is not None]
        assertions = tuple(each for section in found if section for each in section.items())
        for values in self._combinations(merged, entry):
            yield FoundTest(own=entry, values=values, assertions=assertions, tabular=tabular)

    def _combinations(self, values: Mapping[str, Any], at: Foreign) -> Iterator[Mapping[str, Any]]:
        """Give every combination of the variables that are lists."""
        filled = {key: self._of_variable(value, at) for key, value in values.items()}
        lists = {key: value for key, value in filled.items() if isinstance(value, list) and value}
        if self._keeps_lists:
            lists = {}
        combined = itertools.product(*lists.values())
        for chosen in itertools.islice(combined, _MOST_COMBINATIONS):
            yield {**filled, **dict(zip(lists, chosen, strict=True))}

    def _of_variable(self, value: Any, at: Foreign) -> Any:
        path = named_file(value, at.folder) if isinstance(value, str) else None
        if path is None:
            return value
        text = text_of_file(path, root=at.folder) if path.suffix != ".py" else None
        if text is None:
            at.note(f"the variable's file {path.name} cannot be read here")
            return ""
        return text

    def _note_options(self, test: Foreign) -> None:
        options = test.get("options")
        for key in options.data if options and isinstance(options.data, Mapping) else ():
            if options is None or (key == "transform" and is_path(options.data[key])):
                continue
            if key == "provider":
                self.graders.append(options.below(key))
            elif key == "disableVarExpansion":
                self._keeps_lists = self._keeps_lists or options.data[key] is True
            else:
                options.note(f"the option {key} of a test has no counterpart", key=key)


def _values(test: Foreign) -> dict[str, Any]:
    section = test.get("vars")
    if section is None or not isinstance(section.data, Mapping):
        if section is not None:
            section.note("variables that are no map have no counterpart")
        return {}
    return {
        key: section.text(key) if isinstance(value, bool | int | float) else value
        for key, value in section.data.items()
    }
