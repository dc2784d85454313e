"""What a judge's tokens cost: by the configuration, or by the table of published prices."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from ci_judge.judges.addresses import host_of
from ci_judge.judges.settings import JudgeSettings
from ci_judge.rules.pricing import Price, Tariff

_HOSTS = {
    "anthropic": "api.anthropic.com",
    "openai": "api.openai.com",
    "systemone": "api.typesafe.ai",
}


def tariff_of(settings: JudgeSettings) -> Tariff:
    """Return the prices of a single judge.

    The table holds for the provider's own address: the same model elsewhere has another price.
    """
    if settings.price is not None:
        given = settings.price
        return Tariff(fixed=Price(input=given.input, output=given.output, source="judge.price"))
    if settings.base_url and host_of(settings.base_url) != _HOSTS.get(settings.provider):
        return Tariff()
    return Tariff(listed=_table().get(settings.provider, ()))


@cache
def _table() -> dict[str, tuple[tuple[str, Price], ...]]:
    text = files("ci_judge").joinpath("prices.json").read_text(encoding="utf-8")
    providers: dict[str, list[dict[str, Any]]] = json.loads(text)["providers"]
    return {name: tuple(map(_row, rows)) for name, rows in providers.items()}


def _row(entry: dict[str, Any]) -> tuple[str, Price]:
    source = f"list price as published, {entry['as_of']}"
    price = Price(input=float(entry["input"]), output=float(entry["output"]), source=source)
    return entry["model"], price
