"""Where a judge is reached: every way in which servers print their base address."""

from urllib.parse import SplitResult, parse_qs, quote, urlsplit

USUAL_BASE_URLS = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "systemone": "https://api.typesafe.ai",
}
"""The providers' own, for whoever names no other."""

_AZURE_HOSTS = (
    ".openai.azure.com",
    ".cognitiveservices.azure.com",
    ".services.ai.azure.com",
    ".azure-api.net",
)


def host_of(url: str) -> str:
    """Return the host of a URL, empty when it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_azure(base_url: str) -> bool:
    """Tell whether Azure is asked: by its host, or by the ``api-version`` that only it wants."""
    query = urlsplit(base_url).query
    return host_of(base_url).endswith(_AZURE_HOSTS) or "api-version" in parse_qs(query)


def openai_address(base_url: str) -> str:
    """Return the address of chat completions.

    A base without a path gets ``/v1`` (Azure's ``/openai/v1``); any other path is taken as it is,
    as the vendors' own clients do. The query string (Azure's ``api-version``) is kept.
    """
    parts, path = _split(base_url)
    return _joined(parts, f"{_openai_root(base_url, path)}/chat/completions")


def anthropic_address(base_url: str) -> str:
    """Return the address of messages, for a base with or without ``/v1``."""
    parts, path = _split(base_url)
    if path.endswith("/messages"):
        return _joined(parts, path)
    return _joined(parts, f"{_with_v1(path)}/messages")


def systemone_address(base_url: str) -> str:
    """Return the address of the decision service; one that names it already is kept."""
    parts, path = _split(base_url)
    if path.endswith(("/systemone", "/decisions")):
        return _joined(parts, path)
    return _joined(parts, f"{_with_v1(path)}/systemone")


def openai_model_address(base_url: str, model: str) -> str:
    """Return the address that tells whether a model is there."""
    parts, path = _split(base_url)
    return _joined(parts, f"{_openai_root(base_url, path)}/models/{_segment(model)}")


def anthropic_model_address(base_url: str, model: str) -> str:
    """Return the address that tells whether a model is there; it knows aliases as well."""
    parts, path = _split(base_url)
    root = _with_v1(path.removesuffix("/messages"))
    return _joined(parts, f"{root}/models/{_segment(model)}")


def _openai_root(base_url: str, path: str) -> str:
    usual = "/openai/v1" if is_azure(base_url) else "/v1"
    return path.removesuffix("/chat/completions") or usual


def _with_v1(path: str) -> str:
    return f"{path.removesuffix('/v1')}/v1"


def _segment(model: str) -> str:
    return quote(model, safe=":@")


def _split(base_url: str) -> tuple[SplitResult, str]:
    parts = urlsplit(base_url.strip())
    return parts, parts.path.rstrip("/")


def _joined(parts: SplitResult, path: str) -> str:
    return parts._replace(path=path, fragment="").geturl()
