"""Turns the neutral description of a case into CI Judge's own configuration."""

from collections.abc import Mapping
from typing import Any

from tests.cases.servers import Servers

JUDGE_KEY = "jk-stub-000111222333"
"""The key that the judge's stub gets; it must not show up anywhere else."""

_OF_THE_JUDGE = ("mode", "threshold", "repetitions", "minimum_pass_rate", "seed")
_MODELS = {"anthropic": "judge-model-a", "openai": "judge-model-o", "systemone": "jev-stub-1"}


def configuration(suite: Mapping[str, Any], servers: Servers) -> dict[str, Any]:
    """Give the configuration of a case, without what a test changes in it.

    Nothing is remembered unless the case says so, since it counts requests; and the judge is not
    looked for beforehand, since the stub counts the look as the first question.
    """
    config = {
        "suite": _suite(suite),
        "run": {"cache": "off", **suite.get("run", {})},
        "judge": _judge(suite["judge"]),
    }
    if "target" in suite:
        config["target"] = {**suite["target"], "retries": 0} | _timeout(
            suite, "timeout_s", "timeout"
        )
    filled: dict[str, Any] = servers.fill(config)
    return filled


def _suite(suite: Mapping[str, Any]) -> dict[str, Any]:
    if suite["kind"] == "python":
        paths = {"paths": suite["paths"], "pattern": suite["pattern"]}
        return paths | _timeout(suite, "case_timeout_s", "case_timeout")
    return {"criteria": suite["criteria"], "paths": suite["scenarios"]}


def _judge(judge: Mapping[str, Any]) -> dict[str, Any]:
    provider = judge["provider"]
    if provider == "stub":
        return {"provider": "stub"}
    return {
        "provider": provider,
        "model": _MODELS[provider],
        "base_url": "{JUDGE}",
        "api_key_env": "STUB_KEY",
        "preflight": False,
    } | {key: judge[key] for key in _OF_THE_JUDGE if key in judge}


def _timeout(suite: Mapping[str, Any], theirs: str, ours: str) -> dict[str, Any]:
    return {ours: suite[theirs]} if theirs in suite else {}


def merged(config: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Put changes over a configuration, section by section; None takes a key away."""
    both = {key: value for key, value in {**config, **changes}.items() if value is not None}
    for section, values in changes.items():
        if isinstance(values, Mapping) and isinstance(config.get(section), Mapping):
            both[section] = {**config[section], **values}
        if isinstance(both.get(section), Mapping):
            both[section] = {k: v for k, v in both[section].items() if v is not None}
    return both
