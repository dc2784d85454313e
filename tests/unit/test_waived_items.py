"""A waived test as a pytest item: an expected failure, whose reason names the waiver."""

import pytest

from ci_judge.pytest_plugin.verdicts import settle, settle_before
from ci_judge.pytest_plugin.watching import Decided, FirstBadRuns
from tests.unit.test_waiver_reports import a_waived_test


def test_a_waived_test_is_expected_to_fail_until_its_day() -> None:
    decided = Decided(a_waived_test(), FirstBadRuns())
    with pytest.raises(pytest.xfail.Exception) as caught:
        settle_before(decided, "error")
    assert "waived until 2026-03-31 by Ann: The vendor mends it" in str(caught.value)
    settle(decided)
