"""The section target of a first configuration, as a person would write it for an endpoint."""

import json
import re
from collections.abc import Iterator

from ci_judge.rules.chat_shapes import HISTORY
from ci_judge.workflows.detecting import Endpoint

_BLOCK = re.compile(r"^  url: .*?^  response_path: [^\n]*\n", re.MULTILINE | re.DOTALL)
_PLAIN_PATH = re.compile(r"[A-Za-z_][\w.-]*")
_PLAIN_URL = re.compile(r"[\w:/.~@%+,=&?\[\]-]+")

_HEADERS = (
    '  # headers: {Authorization: "Bearer ${CHAT_TOKEN}"}   # ${NAME} comes from the environment'
)


def with_target(text: str, endpoint: Endpoint) -> str:
    """Put an endpoint in the place of the example in the text of the starter configuration."""
    lines = "".join(f"{line}\n" for line in _lines(endpoint))
    return _BLOCK.sub(lambda _: lines, text, count=1)


def keeps_history(endpoint: Endpoint | None) -> bool:
    """Tell whether what is written sends what was said before."""
    if endpoint is None or endpoint.body is None:
        return True
    return HISTORY in json.dumps(endpoint.body)


def _lines(endpoint: Endpoint) -> Iterator[str]:
    yield f"  url: {_scalar(endpoint.url)}"
    yield _HEADERS
    if endpoint.body is None:
        yield '  body: {message: "{{message}}", history: "{{history}}"}'
    else:
        yield f"  body: {json.dumps(endpoint.body)}"
    if endpoint.response_path is not None:
        path = _path(endpoint.response_path)
        yield f"  response_path: {path} # where the answer stands in the reply"
    elif endpoint.whole_body:
        yield "  # the whole body is the answer; response_path would name a place in a JSON reply"
    else:
        yield "  response_path: reply # look where the answer stands in the reply; this is a guess"


def _scalar(url: str) -> str:
    return url if _PLAIN_URL.fullmatch(url) else json.dumps(url)


def _path(path: str) -> str:
    return path if _PLAIN_PATH.fullmatch(path) else json.dumps(path)
