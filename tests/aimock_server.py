"""OpenAI's, Azure's and Anthropic's APIs by aimock: replies by model, damage on demand, keys."""

import json
import os
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.server_process import server_process
from tests.tools import missing, tool

_PROGRAM = Path(__file__).parent / "node/node_modules/@copilotkit/aimock/dist/cli.js"
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class AiMock:
    """A running server, its key and its control API."""

    url: str
    key: str

    def damage(self, **rates: float) -> None:
        """Damage from now on this share of the answers; nothing when no rate is given."""
        self._call("DELETE", "chaos")
        if rates:
            self._call("POST", "chaos", rates)

    def asked(self) -> list[str]:
        """Give the paths that were asked for since the last time, and forget them."""
        paths = [each["path"] for each in self._call("GET", "journal")]
        self._call("POST", "reset/journal")
        return paths

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 - the loopback
            f"{self.url}/__aimock/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"authorization": f"Bearer {self.key}"},
            method=method,
        )
        with _DIRECT.open(request, timeout=20) as reply:
            return json.loads(reply.read() or b"null")


@contextmanager
def aimock(folder: Path, replies: Mapping[str, Any], *, key: str) -> Iterator[AiMock]:
    """Run the server on a free port; ``replies`` maps a model to what it answers."""
    if not _PROGRAM.exists():
        missing("aimock is not installed (npm install --prefix tests/node)")
    fixtures = [{"match": {"model": model}, "response": said} for model, said in replies.items()]
    (folder / "replies.json").write_text(json.dumps({"fixtures": fixtures}), encoding="utf-8")
    command = [tool("node"), str(_PROGRAM), "-p", "0", "-f", str(folder)]
    environment = os.environ | {"AIMOCK_API_KEYS": key}
    with server_process(
        command, says=r"listening on (http://[\d.]+:\d+)\s", environment=environment
    ) as url:
        yield AiMock(url, key)
