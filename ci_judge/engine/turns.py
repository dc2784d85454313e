"""Whose turn it is to launch a run: round-robin over the tests, what is certainly needed first."""

from collections import OrderedDict
from collections.abc import Iterable

from ci_judge.engine.course import Need
from ci_judge.model.suite import Test


class Turns:
    """Tests in two rows. Each is taken from its front and put back at its end.

    Runs that the ones in flight may make needless wait for those that are needed for certain, so
    that an early stop of one test costs nothing while another has work.
    """

    def __init__(self, tests: Iterable[Test]) -> None:
        certain = OrderedDict((test.id, test) for test in tests)
        self._rows = {Need.CERTAIN: certain, Need.LIKELY: OrderedDict[str, Test]()}

    def take(self) -> Test | None:
        """Take out the test whose turn it is, None where no run is to be launched now."""
        for row in self._rows.values():
            if row:
                return row.popitem(last=False)[1]
        return None

    def put(self, test: Test, need: Need) -> None:
        """Put a test where its next run belongs; one that stands there keeps its place."""
        for kind, row in self._rows.items():
            if kind is need:
                row.setdefault(test.id, test)
            else:
                row.pop(test.id, None)
