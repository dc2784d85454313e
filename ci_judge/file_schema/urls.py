"""URLs as people write them: what is wrong with one, and what was perhaps meant."""

import re
from difflib import get_close_matches
from ipaddress import IPv6Address
from typing import Annotated, TypeAlias

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from ci_judge.file_schema.markers import wrong
from ci_judge.file_schema.showing import quoted
from ci_judge.file_schema.typing_marks import curly_value_hint
from ci_judge.file_schema.values import FilledText

_URL = re.compile(r"https?://([^\s/?#]+)[^\s]*", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_PLACEHOLDER = re.compile(r"\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}")
_SCHEMELESS = re.compile(r"(?://)?([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?(?:/[^\s?#]*)?")
_AUTHORITY = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]*)(?::(?P<port>[^:]*))?")
_NEAR = re.compile(r"localhost|\d+(?:\.\d+){3}|\[.*|[^.]*")
_MISTYPED = re.compile(r"(\w{3,7}):(/{1,3})([^/\s]\S*)")
_USER_INFO = re.compile(r"[^/\s]*@")
_LAST_PORT = 65_535
_LONGEST_PORT = 6


def http_url(text: str) -> str:
    """Refuse (by the ``wrong`` error) what can be no http or https URL.

    ``{{placeholders}}`` may stand anywhere; what they make of it is only known when they are
    filled. Neither credentials nor the query are shown.
    """
    plain = _PLACEHOLDER.sub("1", text)
    found = _URL.fullmatch(plain)
    if _CONTROLS.search(plain) or found is None:
        given = quoted(_without_secrets(text))
        raise wrong(
            f"must be a URL that begins with http:// or https:// and holds no blank, not {given}",
            hint=curly_value_hint(text) or _meant_url(plain, text),
        )
    _check_authority(found[1].rpartition("@")[2])
    return text


def url_mistake(text: str) -> tuple[str, str | None] | None:
    """Say what is wrong with a URL ("must …") and what was perhaps meant; None for a good one."""
    try:
        http_url(text)
    except PydanticCustomError as error:
        context = error.context or {}
        return str(context["said"]), context["hint"]
    return None


HttpUrl: TypeAlias = Annotated[FilledText, AfterValidator(http_url)]
"""An http or https URL."""


def _check_authority(authority: str) -> None:
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None or not parts["host"] or not _is_host(parts["host"]):
        raise wrong(f"must name a host that could exist, not {quoted(authority)}")
    port = parts["port"]
    if port and not _is_port(port):
        raise wrong(f"must have a port from 1 to {_LAST_PORT}, not {quoted(port)}")


def _is_port(port: str) -> bool:
    if not (port.isascii() and port.isdecimal() and len(port) <= _LONGEST_PORT):
        return False
    return 1 <= int(port) <= _LAST_PORT


def _is_host(host: str) -> bool:
    if not host.startswith("["):
        return not set(host) & set('<>"\\^`{|}') and ".." not in host and len(host) < 254  # noqa: PLR2004 - of DNS
    try:
        IPv6Address(host[1:-1])
    except ValueError:
        return False
    return True


def _without_secrets(text: str) -> str:
    before_query, mark, _ = text.partition("?")
    return f"{_USER_INFO.sub('', before_query)}{'?…' if mark else ''}"


def _meant_url(plain: str, text: str) -> str | None:
    """Guess the scheme that is missing: http for what is near, https for the rest of the world."""
    shown = _without_secrets(text)
    mistyped = _MISTYPED.fullmatch(shown)
    meant = get_close_matches(mistyped[1].lower(), ("https", "http"), n=1) if mistyped else []
    if mistyped and meant:
        return f"did you mean {meant[0]}://{mistyped[3]}?"
    found = _SCHEMELESS.fullmatch(_without_secrets(plain).partition("?")[0])
    if found is None:
        return None
    scheme = "http" if _NEAR.fullmatch(found[1]) else "https"
    return f"did you mean {scheme}://{shown.removeprefix('//')}?"
