"""One turn of a conversation as an HTTP request, filled in as the target's section says."""

import json
from urllib.parse import urldefrag

from ci_judge.targets.settings import ContentType, TargetSettings
from ci_judge.targets.templating import TurnValues, fill, fill_pairs, fill_text, fill_url
from ci_judge.transport import HttpRequest

_SENT_AS: dict[ContentType, str] = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "text": "text/plain; charset=utf-8",
}
_ACCEPTED = {
    "none": "application/json, text/plain;q=0.9, */*;q=0.5",
    "sse": "text/event-stream, */*;q=0.5",
    "ndjson": "application/x-ndjson, application/json;q=0.9, */*;q=0.5",
}


def turn_request(settings: TargetSettings, values: TurnValues) -> HttpRequest:
    """Build the request of one turn; the configured headers win over those that are usual."""
    headers = {name: fill_text(text, values) for name, text in settings.headers.items()}
    return HttpRequest(
        method=settings.method,
        url=_url(settings, values),
        headers=with_defaults(_usual_headers(settings), headers),
        content=_body(settings, values),
        timeout_seconds=settings.timeout,
    )


def with_defaults(defaults: dict[str, str], headers: dict[str, str]) -> dict[str, str]:
    """Add the headers that are not there yet; names do not tell case apart."""
    named = {name.lower() for name in headers}
    return {name: text for name, text in defaults.items() if name.lower() not in named} | headers


def _usual_headers(settings: TargetSettings) -> dict[str, str]:
    usual = {"Accept": _ACCEPTED[settings.stream]}
    if settings.method != "GET":
        usual["Content-Type"] = _SENT_AS[settings.content_type]
    return usual


def _url(settings: TargetSettings, values: TurnValues) -> str:
    url = fill_url(settings.address, values)
    if not settings.query:
        return url
    bare = urldefrag(url).url
    return f"{bare}{'&' if '?' in bare else '?'}{fill_pairs(settings.query, values)}"


def _body(settings: TargetSettings, values: TurnValues) -> bytes:
    template = settings.body_template
    if settings.method == "GET":
        return b""
    match settings.content_type:
        case "json":
            # ASCII with escapes: half an emoji in a message still makes a legal body.
            filled = fill(template, values)
            return json.dumps(filled, ensure_ascii=True, allow_nan=False).encode()
        case "form":
            return fill_pairs(template, values).encode()
        case "text":
            return fill_text(template, values).encode("utf-8", "replace")
