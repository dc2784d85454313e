"""The hooks of a session that judges: around the items, and at the end."""

from typing import Any

import pytest

from ci_judge.errors import CiJudgeError, InvalidInput
from ci_judge.model.document import ReportDocument
from ci_judge.pytest_plugin.collecting import Collecting
from ci_judge.pytest_plugin.items import JudgedItem
from ci_judge.pytest_plugin.judging import Judging
from ci_judge.pytest_plugin.marks import OURS, marker_lines
from ci_judge.pytest_plugin.suite import FoundSuite, find_suite, usage_error
from ci_judge.pytest_plugin.summary import summary_lines, trouble_lines
from ci_judge.pytest_plugin.workers import Controller, worker_of
from ci_judge.workflows.planning import key_problems, picked


def take_part(config: pytest.Config) -> None:
    """Make this session one that judges."""
    config.addinivalue_line("markers", f"{OURS}: a test of the CI Judge suite")
    config.pluginmanager.register(_Start(config), "ci-judge start")


class _Start:
    """Finds the suite, and registers what judges it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._controller: Controller | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Find the suite; what is wrong with it ends pytest before anything is collected."""
        config, plugins = self._config, self._config.pluginmanager
        suite = find_suite(config)
        for line in marker_lines(suite.surveyed.plan.tests):
            config.addinivalue_line("markers", line)
        if plugins.has_plugin("dsession"):
            _refuse_missing_keys(suite, None)
            self._controller = Controller(config, suite)
            plugins.register(_Above(self._controller), "ci-judge above workers")
        else:
            judging = Judging(suite, worker_of(config))
            plugins.register(Collecting(config, suite, judging), "ci-judge collecting")
            plugins.register(_Session(suite, judging), "ci-judge session")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of pytest-xdist what it has in common with the others."""
        if self._controller is not None:
            self._controller.instruct(node)


class _Session:
    """A session that runs items: the only one, or that of one worker."""

    def __init__(self, suite: FoundSuite, judging: Judging) -> None:
        self._suite = suite
        self._judging = judging

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse to begin where a key is missing that the selected items need."""
        if not session.config.option.collectonly and not hasattr(session.config, "workerinput"):
            ids = frozenset(i.judged.id for i in session.items if isinstance(i, JudgedItem))
            _refuse_missing_keys(self._suite, ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """Begin with an item; a worker knows of one more."""
        if isinstance(item, JudgedItem):
            self._judging.expect(item.session, item, nextitem)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """See that nothing runs on and that the report is written."""
        self._judging.end(interrupted=exitstatus == pytest.ExitCode.INTERRUPTED)
        running = self._judging.running
        if running is not None and running.finished is not None:
            _fail_with(session, running.finished.document)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        running = self._judging.running
        if running is None:
            return
        finished = running.finished
        if finished is not None:
            lines = summary_lines(finished.document, finished.files, running.watcher.notes)
        else:
            lines = [*running.watcher.notes, *trouble_lines(running.error)]
        _write(terminalreporter, lines)


class _Above:
    """The process above the workers of pytest-xdist."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._lines: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Make one report of those of the workers, which have ended by now."""
        notes: list[str] = []
        begun = self._controller.has_begun
        try:
            gathered = self._controller.gather(notes.append)
        except CiJudgeError as error:
            self._lines = trouble_lines(error)
            return
        if gathered is not None:
            self._lines = summary_lines(gathered.document, gathered.files, notes)
            _fail_with(session, gathered.document)
        elif begun:
            self._lines = ["no report: no worker has left one"]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._lines:
            _write(terminalreporter, self._lines)


def _refuse_missing_keys(suite: FoundSuite, ids: frozenset[str] | None) -> None:
    found = suite.surveyed
    chosen = found.plan.suite if ids is None else picked(found.plan.suite, ids)
    problems = key_problems(found.settings, suite.surroundings, chosen)
    if problems:
        raise usage_error(InvalidInput(*problems))


def _fail_with(session: pytest.Session, document: ReportDocument) -> None:
    """Let pytest fail where the whole does, though no item did: tests of the baseline are gone."""
    if document["exit_code"] and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _write(terminalreporter: Any, lines: list[str]) -> None:
    terminalreporter.section("CI Judge")
    for line in lines:
        terminalreporter.line(line)
