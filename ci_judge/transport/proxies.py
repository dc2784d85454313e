"""Which proxy the environment's variables ask for, by curl's rules for ``no_proxy``.

One rule is Go's instead: this very machine is never asked for through a proxy, which could not
reach it anyway.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult

from ci_judge.transport.places import is_loopback, split


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyChoice:
    """A proxy's URL (it may hold credentials) and the variable that named it."""

    url: str
    variable: str


def proxy_for(url: str, environment: Mapping[str, str]) -> ProxyChoice | None:
    """Return the proxy for a URL, None for a direct connection."""
    parts = split(url)
    host = parts.hostname or ""
    if is_loopback(host) or _exempt(parts, environment):
        return None
    for name in (f"{parts.scheme}_proxy", "all_proxy"):
        variable, value = _variable(name, environment)
        if value:
            return ProxyChoice(url=_with_scheme(value), variable=variable)
    return None


def _variable(name: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return name and value of a variable; the lower-case form wins, as everywhere."""
    for spelling in (name, name.upper()):
        value = environment.get(spelling, "").strip()
        if value:
            return spelling, value
    return name, ""


def _with_scheme(value: str) -> str:
    return value if "://" in value else f"http://{value}"


def _exempt(parts: SplitResult, environment: Mapping[str, str]) -> bool:
    _, value = _variable("no_proxy", environment)
    host = (parts.hostname or "").rstrip(".").lower()
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    rules = value.replace(",", " ").split()
    return any(_matches(rule.lower(), host, port) for rule in rules)


def _matches(rule: str, host: str, port: int | None) -> bool:
    if rule == "*":
        return True
    if "/" in rule:
        return _in_network(rule, host)
    name, _, rule_port = rule.rpartition(":")
    if name and rule_port.isdigit() and (name.startswith("[") or ":" not in name):
        return int(rule_port) == port and _matches(name, host, port)
    suffix = rule.strip("[]").strip(".")
    return bool(suffix) and (host == suffix or host.endswith(f".{suffix}"))


def _in_network(rule: str, host: str) -> bool:
    try:
        return ip_address(host) in ip_network(rule, strict=False)
    except ValueError:
        return False
