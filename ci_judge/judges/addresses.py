"""Where a judge is reached: every way in which servers print their base address."""

from urllib.parse import SplitResult, urlsplit


def host_of(url: str) -> str:
    """Return the host of a URL, empty when it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def query_of(url: str) -> str:
    """Return the query string of a URL."""
    return urlsplit(url).query


def openai_address(base_url: str) -> str:
    """Return the address of chat completions.

    A base without a path gets ``/v1``; any other path is taken as it is, as the vendors' own
    clients do. The query string (Azure's ``api-version``) is kept.
    """
    parts, path = _split(base_url)
    if path.endswith("/chat/completions"):
        return _joined(parts, path)
    return _joined(parts, f"{path or '/v1'}/chat/completions")


def anthropic_address(base_url: str) -> str:
    """Return the address of messages, for a base with or without ``/v1``."""
    parts, path = _split(base_url)
    if path.endswith("/messages"):
        return _joined(parts, path)
    return _joined(parts, f"{path.removesuffix('/v1')}/v1/messages")


def systemone_address(base_url: str) -> str:
    """Return the address of the decision service; one that names it already is kept."""
    parts, path = _split(base_url)
    if path.endswith(("/systemone", "/decisions")):
        return _joined(parts, path)
    return _joined(parts, f"{path.removesuffix('/v1')}/v1/systemone")


def _split(base_url: str) -> tuple[SplitResult, str]:
    parts = urlsplit(base_url.strip())
    return parts, parts.path.rstrip("/")


def _joined(parts: SplitResult, path: str) -> str:
    return parts._replace(path=path, fragment="").geturl()
