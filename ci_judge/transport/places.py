"""How addresses are named in messages, and which of them are this machine."""

import re
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

_PATH = re.compile(r"[/?#]")
_KNOWN = 256
_PORTS = {"http": 80, "https": 443}


def split(url: str) -> SplitResult:
    """Return the parts of a URL; an empty result for what cannot be split."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return urlsplit("")
    return parts


def place_of(url: str) -> str:
    """Return ``host:port``, as messages name an endpoint (never its credentials)."""
    parts = split(url)
    if not parts.netloc:
        return _authority(url)
    host = parts.hostname or ""
    port = parts.port or _PORTS.get(parts.scheme, 0)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@lru_cache(maxsize=_KNOWN)
def origin_of(url: str) -> str:
    """Return ``scheme://host:port``: what connections can be shared for."""
    return f"{split(url).scheme}://{place_of(url)}"


def same_origin(one: str, other: str) -> bool:
    """Tell whether both URLs are of one scheme, host and port; what is no URL has no origin."""
    return bool(split(one).netloc) and origin_of(one) == origin_of(other)


def url_host(url: str) -> str:
    """Return the host of a URL, empty where there is none."""
    return split(url).hostname or ""


def shown_url(url: str) -> str:
    """Return the URL without credentials and without the values of its query."""
    parts = split(url)
    if not parts.netloc:
        return _authority(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}{'?…' if parts.query else ''}"


def _authority(url: str) -> str:
    """Find host and port in what is no URL, for the message that says so."""
    rest = url.partition("://")[2] or url
    authority = _PATH.split(rest, maxsplit=1)[0]
    return authority.rpartition("@")[2] if "@" in authority or "@" not in rest else ""


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address means this very machine (or container)."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False
