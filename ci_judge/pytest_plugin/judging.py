"""Starts the engine for the items that were selected, waits for their results, ends it."""

from dataclasses import replace
from typing import Final, NoReturn

import pytest

from ci_judge.app import RunOptions
from ci_judge.ci_context import context_of
from ci_judge.model.reasons import NotRunCode
from ci_judge.pytest_plugin.background import BackgroundRun, error_lines
from ci_judge.pytest_plugin.items import JudgedItem
from ci_judge.pytest_plugin.suite import FoundSuite
from ci_judge.pytest_plugin.verdicts import settle, settle_before
from ci_judge.pytest_plugin.watching import Decided, Watcher
from ci_judge.pytest_plugin.workers import Worker
from ci_judge.visible_text import one_line
from ci_judge.workflows.planning import Selection

_LINE_CHARS: Final = 1_000


class Judging:
    """The run of a session's items: one in the background, from the first item to the end."""

    def __init__(self, suite: FoundSuite, worker: Worker | None) -> None:
        self.running: BackgroundRun | None = None
        self._suite = suite
        self._worker = worker
        self._awaited: set[str] = set()

    def expect(self, session: pytest.Session, *items: pytest.Item | None) -> None:
        """Begin with the items that pytest has come to, or knows to be next."""
        for item in items:
            if isinstance(item, JudgedItem):
                self._started(session).hand_in(item.judged.id)
                self._await(item)

    def settle_before(self, item: JudgedItem) -> None:
        """Wait for an item's result and say what does not belong to its own call."""
        settle_before(self._decided(item), self._suite.surveyed.settings.run.fail_on)

    def settle(self, item: JudgedItem) -> None:
        """Fail the item if its gate failed."""
        settle(self._decided(item))

    def end(self, *, interrupted: bool) -> None:
        """Stop what nobody waits for any more, and wait for the report."""
        if self.running is None:
            return
        self.running.close()
        if any(map(self.running.watcher.is_open, self._awaited)):
            reason = (
                "pytest was interrupted" if interrupted else "pytest has stopped (-x, --maxfail)"
            )
            code = NotRunCode.INTERRUPTED if interrupted else NotRunCode.MAXFAIL
            self.running.stop(reason, code=code, by_signal=interrupted)
        self.running.wait()

    def _started(self, session: pytest.Session) -> BackgroundRun:
        if self.running is None:
            ours = [each for each in session.items if isinstance(each, JudgedItem)]
            if self._worker is None:
                for each in ours:
                    self._await(each)
            settings = self._suite.surveyed.settings
            self.running = BackgroundRun(
                self._options(frozenset(each.judged.id for each in ours)),
                self._suite.surroundings,
                Watcher(
                    max_response_chars=settings.report.max_response_chars,
                    only_at_the_end=settings.run.fail_on == "regression",
                ),
            )
            self.running.start()
        return self.running

    def _await(self, item: JudgedItem) -> None:
        if item.judged.skip is None:
            self._awaited.add(item.judged.id)

    def _options(self, ids: frozenset[str]) -> RunOptions:
        options = RunOptions(
            config=self._suite.config,
            selection=Selection(ids=ids),
            context=context_of(
                self._suite.surroundings.environment, folder=self._suite.surroundings.cwd
            ).entry(),
        )
        if self._worker is None:
            return options
        return replace(
            options, overrides=self._worker.overrides(self._suite), handout=self._worker.handout
        )

    def _decided(self, item: JudgedItem) -> Decided:
        running = self._started(item.session)
        decided = running.watcher.wait_for(item.judged.id)
        if decided is None:
            _not_judged(running.error)
        return decided


def _not_judged(error: BaseException | None) -> NoReturn:
    """End an item as an error, with what kept the engine from judging it."""
    lines = error_lines(error) if error else ["the run has ended without this test"]
    shown = [one_line(line, limit=_LINE_CHARS) for line in lines]
    pytest.fail(
        "\n".join([f"undecided, nothing was judged: {shown[0]}", *shown[1:]]), pytrace=False
    )
