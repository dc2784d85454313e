"""What a gate's result is in pytest's words.

Passed is passed, failed a failure, undecided an error, as where a fixture broke. What does not
count (waived, advisory, ``run.fail_on``) is an expected failure with its reason.
"""

from typing import Final

import pytest

from ci_judge.pytest_plugin.watching import Decided

_FORGIVES: Final = {
    "never": frozenset({"failed", "error"}),
    "failure": frozenset({"error"}),
}


def settle_before(decided: Decided, fail_on: str) -> None:
    """End an item in its setup where its gate is undecided, or where the result does not count."""
    if decided.result == "skipped":
        pytest.skip(decided.line)
    if decided.result == "waived":
        pytest.xfail(decided.line)
    if decided.result not in {"failed", "error"}:
        return
    if decided.advisory:
        pytest.xfail(f"advisory: {decided.line}")
    if decided.let_off:
        pytest.xfail(f"run.fail_on is {fail_on}, and it had failed before: {decided.line}")
    if decided.result in _FORGIVES.get(fail_on, frozenset()):
        pytest.xfail(f"run.fail_on is {fail_on}: {decided.line}")
    if decided.result == "error":
        pytest.fail(decided.text, pytrace=False)


def settle(decided: Decided) -> None:
    """Fail an item whose gate failed."""
    if decided.result == "failed":
        pytest.fail(decided.text, pytrace=False)
