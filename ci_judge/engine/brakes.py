"""What may keep further runs of a test from being made: a budget, an origin that is down."""

from typing import Protocol

from ci_judge.model.judging import Run
from ci_judge.model.reasons import NotRunCode
from ci_judge.model.suite import Test


class Brake(Protocol):
    """Watches the runs of all tests and says when those of a test are to end.

    ``code`` is that of the runs that are not made because of it.
    """

    @property
    def code(self) -> NotRunCode: ...

    def reason(self, test: Test) -> str | None:
        """Say why no further run of a test is to be launched, None where it may.

        Asked just before each launch. After a reason the runs of the test that have not started
        are recorded as not run with it; those in flight go on.
        """
        ...

    def saw(self, run: Run) -> None:
        """Learn of a finished run, of whatever test."""
        ...
