"""What goes out and what comes back: requests, replies, failures and how often to try."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ci_judge.model.evidence import FailureCode
from ci_judge.transport.body import decode_text, parse_json


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request.

    ``timeout_seconds`` bounds each whole exchange: connecting, sending, the last byte of the
    answer.
    """

    method: str
    url: str
    timeout_seconds: float
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A whole answer, whatever its status.

    ``headers`` have lower-case names (values of repeated ones joined by ``", "``), ``body`` is
    decompressed, ``latency_seconds`` is this exchange alone, without waits and earlier attempts,
    and ``attempts`` counts every request sent for it. ``redact`` takes the secrets out of what is
    quoted from it, before that is cut.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    latency_seconds: float
    attempts: int = 1
    redact: Callable[[str], str] = str

    def text(self) -> str:
        """Return the body as text: byte order mark, then UTF-8, then the declared charset."""
        return decode_text(self.body, content_type=self.headers.get("content-type", ""))

    def shown(self) -> str:
        """Return the body as text that may be quoted."""
        return self.redact(self.text())

    def json(self) -> Any:
        """Return the body as JSON (the last of duplicate keys wins).

        Raises ValueError with one line of text for anything that is not strict, finite JSON.
        """
        return parse_json(self.body, content_type=self.headers.get("content-type", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportFailure:
    """No whole answer came. ``message`` names host and port, never credentials."""

    code: FailureCode
    message: str
    attempts: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How many further attempts are allowed after the first.

    Connect errors, 408, 429, 5xx and connections closed before the first byte of an answer are
    tried again. ``retry_timeouts`` says that the request has no side effects, so that a timeout or
    an answer that broke off half-way is tried again as well.
    """

    retries: int
    retry_timeouts: bool = False
