"""The tests of the suite as pytest sees them: a file each, an item a test."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

import pytest

from ci_judge.model.suite import Case, Test
from ci_judge.pytest_plugin.marks import marker_names
from ci_judge.visible_text import one_line

_NAME_CHARS: Final = 500
_REASON_CHARS: Final = 300


class Judges(Protocol):
    """Who judges an item: waits for its test and acts on the result as pytest is to show it."""

    def settle_before(self, item: "JudgedItem") -> None: ...

    def settle(self, item: "JudgedItem") -> None: ...


class SuiteFile(pytest.File):
    """A scenario file or a case file."""

    tests: tuple[Test, ...]
    judges: Judges

    @classmethod
    def of(
        cls, parent: pytest.Collector, path: Path, tests: Iterable[Test], judges: Judges
    ) -> "SuiteFile":
        made: SuiteFile = cls.from_parent(parent, path=path)
        made.tests, made.judges = tuple(tests), judges
        return made

    def collect(self) -> Iterator["JudgedItem"]:
        for test in self.tests:
            yield JudgedItem.of(self, test, self.judges)


class NoModule(pytest.File):
    """In the place of the Python module that pytest would make of a case file, and import."""

    def collect(self) -> list[pytest.Item]:
        return []


class JudgedItem(pytest.Item):
    """One scenario or case. Its runs go on in the engine; the item waits for what they come to."""

    judged: Test
    judges: Judges

    @classmethod
    def of(cls, parent: SuiteFile, test: Test, judges: Judges) -> "JudgedItem":
        item: JudgedItem = cls.from_parent(parent, name=_name(test))
        item.judged, item.judges = test, judges
        for name in marker_names(test):
            item.add_marker(name)
        if test.skip is not None:
            reason = one_line(test.skip, limit=_REASON_CHARS)
            item.add_marker(pytest.mark.skip(reason=reason))  # so that pytest says where it stands
        item.extra_keyword_matches.update({test.name, *test.tags})
        return item

    def setup(self) -> None:
        """Wait for the test's result: one that could not be decided is an error."""
        self.judges.settle_before(self)

    def runtest(self) -> None:
        self.judges.settle(self)

    def reportinfo(self) -> tuple["os.PathLike[str] | str", int, str]:
        return self.path, (self.judged.place.line or 1) - 1, self.name


def _name(test: Test) -> str:
    """Give the last part of a node id; it follows the file's name, which a case's id has too."""
    return one_line(test.function if isinstance(test, Case) else test.id, limit=_NAME_CHARS)
