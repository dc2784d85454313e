"""Puts the suite among what pytest collects, and keeps pytest's hands off the case files.

Where files or folders are named on the command line, those decide; else all of the suite is added
behind what pytest finds by itself, wherever it lies.
"""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from ci_judge.pytest_plugin.items import Judges, NoModule, SuiteFile
from ci_judge.pytest_plugin.suite import FoundSuite, TestFile


class Collecting:
    """The hooks of pytest's collection."""

    def __init__(self, config: pytest.Config, suite: FoundSuite, judges: Judges) -> None:
        self._config = config
        self._suite = suite
        self._judges = judges
        self._is_asking = False
        self._by_arguments = config.args_source is pytest.Config.ArgsSource.ARGS

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Pass over the suite's own files on the way, where they are added at the end."""
        if self._by_arguments or self._is_asking or self._file(collection_path) is None:
            return None
        return True

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
        """Collect a file of the suite that lies at or below what was named."""
        found = self._file(file_path)
        return None if found is None else self._collector(parent, found)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(
        self, module_path: Path, parent: pytest.Collector
    ) -> pytest.File | None:
        """Never import a case file into pytest's own process."""
        if self._file(module_path) is None:
            return None
        made: NoModule = NoModule.from_parent(parent, path=module_path)
        return made

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add the files of the suite to what pytest has found."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed and not self._by_arguments:
            added = (self._collector(collector, each) for each in self._not_ignored(collector))
            report.result = [*(report.result or ()), *added]
        return report

    def _file(self, path: Path) -> TestFile | None:
        return self._suite.files.get(path.resolve())

    def _collector(self, parent: pytest.Collector, file: TestFile) -> SuiteFile:
        return SuiteFile.of(parent, file.path, file.tests, self._judges)

    def _not_ignored(self, session: pytest.Session) -> list[TestFile]:
        """Give the files that nobody else (``--ignore``, a conftest) keeps out."""
        self._is_asking = True
        try:
            return [each for each in self._suite.files.values() if not self._ignored(each, session)]
        finally:
            self._is_asking = False

    def _ignored(self, file: TestFile, session: pytest.Session) -> bool:
        return any(
            session.gethookproxy(place).pytest_ignore_collect(
                collection_path=place, config=self._config
            )
            for place in (file.path, *self._folders(file.path))
        )

    def _folders(self, path: Path) -> Iterator[Path]:
        """Yield the folders between a file and the configuration's."""
        top = self._suite.config.parent
        for folder in path.parents:
            if folder == top or not folder.is_relative_to(top):
                return
            yield folder
