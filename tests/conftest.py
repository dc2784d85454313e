"""Every test starts from the same environment, whatever machine or CI it runs on."""

import os

import pytest
from hypothesis import settings

_PREFIXES = ("GITHUB_", "INPUT_", "RUNNER_", "ACTIONS_", "CI_JUDGE_", "CI_NODE_")
_NAMES = frozenset(
    {
        "CI",
        "NO_COLOR",
        "FORCE_COLOR",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "TYPESAFE_API_KEY",
        "PYTHONPATH",
    }
)


# The same examples in every run and on every machine; a slow machine is no failure.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _scrubbed_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what CI systems, proxies and keys would leak into a test."""
    for name in tuple(os.environ):
        if name.upper().startswith(_PREFIXES) or name.upper() in _NAMES:
            monkeypatch.delenv(name)
