"""OpenAI's and Anthropic's APIs by llmock: faults on demand, and a verdict on the client."""

import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.server_process import server_process
from tests.tools import tool

_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class LlMock:
    """A running server and its control API."""

    url: str

    def base_url(self, provider: str) -> str:
        return f"{self.url}/anthropic" if provider == "anthropic" else f"{self.url}/v1"

    def start_over(self, *behaviours: dict[str, Any]) -> None:
        """Forget everything, then behave like this, in order."""
        self._call("POST", "reset")
        if behaviours:
            self._call("POST", "scenario", {"behaviors": list(behaviours)})

    def requests(self) -> list[dict[str, Any]]:
        """Give what was asked so far, oldest first."""
        listed: list[dict[str, Any]] = self._call("GET", "requests")["requests"]
        return listed

    def findings(self) -> list[str]:
        """Give what the server holds against its client; empty is good."""
        verdict = self._call("GET", "verdict")
        return [f"{each['code']}: {each['title']}" for each in verdict["findings"]]

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 - the loopback
            f"{self.url}/_llmock/{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
        )
        with _DIRECT.open(request, timeout=20) as reply:
            return json.load(reply)


@contextmanager
def llmock() -> Iterator[LlMock]:
    """Run the server on a free port."""
    command = [tool("llmock"), "serve", "--host", "127.0.0.1", "--port", "0"]
    with server_process(command, says=r"running on (http://[\d.]+:\d+)\s") as url:
        yield LlMock(url)
