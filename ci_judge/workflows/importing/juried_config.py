"""The sections of a juried.toml as those of a configuration."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, get_args

from ci_judge.judges.settings import ProviderName
from ci_judge.model.suite import JsonValue
from ci_judge.workflows.importing.foreign import Foreign

Section = dict[str, JsonValue]

_TARGET: Final = ("url", "method", "headers", "body", "response_path", "retries", "stream_path")
_JUDGE: Final = ("model", "temperature", "max_tokens", "base_url", "api_key_env", "concurrency")
_SILENT: Final = frozenset({"concurrency_scope", "cache_dir", "report_dir", "early_stop"})
_DEFAULTS: Final = {"runs": 20, "misses": 1}
_MOST: Final = {"retries": 10}


def sections_of(config: Foreign) -> Section:
    """Give target, run and judge; what has no counterpart is noted."""
    makers: dict[str, Callable[[Mapping[str, Any], set[str]], Section]] = {
        "target": _target,
        "run": _run,
        "judge": lambda data, used: _judge(data, used, config),
    }
    sections: Section = {}
    for name, make in makers.items():
        section = config.get(name)
        data = section.data if section and isinstance(section.data, Mapping) else {}
        used: set[str] = set()
        sections[name] = make(data, used)
        for key in data:
            if key not in used and key not in _SILENT and section is not None:
                section.note(f"{name}.{key} has no counterpart", key=key)
    for name in config.data:
        if name not in makers and name != "criteria":
            config.note(f"the section {name} has no counterpart", key=name)
    if not sections["run"]:
        del sections["run"]
    return sections


def _target(data: Mapping[str, Any], used: set[str]) -> Section:
    target: Section = {"response_path": "reply", **_same(data, _TARGET, used)}
    retries = target.get("retries")
    if isinstance(retries, int):
        target["retries"] = min(retries, _MOST["retries"])
    used |= {"timeout_seconds", "stream", "stream_format"}
    if "timeout_seconds" in data:
        target["timeout"] = data["timeout_seconds"]
    if data.get("stream"):
        target["stream"] = data.get("stream_format", "sse")
        target.pop("response_path")
    else:
        target.pop("stream_path", None)
    usage = dict(_usage(data, used))
    if usage:
        target["usage"] = usage
    return target


def _usage(data: Mapping[str, Any], used: set[str]) -> Iterator[tuple[str, JsonValue]]:
    names = {
        "usage_input_path": "input_path",
        "usage_output_path": "output_path",
        "input_price": "input_price",
        "output_price": "output_price",
        "cost_per_request": "per_request",
    }
    used |= set(names)
    paths = {"usage_input_path", "usage_output_path"} <= data.keys()
    prices = {"input_price", "output_price"} <= data.keys()
    for theirs, ours in names.items():
        if theirs in data and (ours == "per_request" or (paths and prices)):
            yield ours, data[theirs]


def _run(data: Mapping[str, Any], used: set[str]) -> Section:
    used |= {"runs", "misses", "concurrency", "cache_responses"}
    run: Section = {"gate": "misses", **_DEFAULTS, **_same(data, tuple(_DEFAULTS), used)}
    if data.get("early_stop", True):
        run["early_stop"] = True
    if "concurrency" in data:
        run["concurrency"] = data["concurrency"]
    if data.get("cache_responses"):
        run["cache"] = "all"
    if data.get("gate_on") == "observed":
        used.add("gate_on")
    return run


def _judge(data: Mapping[str, Any], used: set[str], config: Foreign) -> Section:
    used |= {"provider", "votes", "input_price", "output_price"}
    provider = str(data.get("provider", "anthropic"))
    if provider not in get_args(ProviderName):
        config.note(f"the provider {provider} of the judge has no counterpart: it is stub here")
        provider = "stub"
    if provider == "stub":
        used |= set(_JUDGE)
        return {"provider": "stub"}
    given = {"model": "claude-sonnet-5", **_same(data, _JUDGE, used)}
    judge: Section = {"provider": provider, **given}
    votes = data.get("votes", 1)
    if isinstance(votes, int) and votes > 1:
        judge["repetitions"] = votes
        judge["minimum_pass_rate"] = f"{votes // 2 + 1}/{votes}"
    if {"input_price", "output_price"} <= data.keys():
        judge["price"] = {"input": data["input_price"], "output": data["output_price"]}
    return judge


def _same(data: Mapping[str, Any], keys: tuple[str, ...], used: set[str]) -> Section:
    """Take what has the same name and meaning."""
    used |= set(keys)
    return {key: data[key] for key in keys if key in data}
