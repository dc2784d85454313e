"""The pytest plugin: ``pytest --ci-judge`` judges the suite, too. Without the flag: nothing.

Every pytest that finds this package installed imports this file, so it imports nothing of ours.
"""

import pytest

ASKED = "ci_judge"
CONFIG = "ci_judge_config"
LEAST_PYTEST = (8, 0)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the flags."""
    group = parser.getgroup("ci-judge", "CI Judge")
    group.addoption(
        "--ci-judge",
        action="store_true",
        dest=ASKED,
        help="Run the CI Judge suite as well: every scenario and case is an item.",
    )
    group.addoption(
        "--ci-judge-config",
        metavar="FILE",
        dest=CONFIG,
        help="Configuration of the suite (default: ci-judge.yaml here or above). Needs --ci-judge.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Take part where the flag is given."""
    if config.getoption(ASKED):
        if pytest.version_tuple < LEAST_PYTEST:
            raise pytest.UsageError("--ci-judge needs pytest 8 or newer")
        from ci_judge.pytest_plugin.session import take_part  # noqa: PLC0415 - only where asked

        take_part(config)
