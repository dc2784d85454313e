"""What goes out and what comes back: requests, replies, failures and how often to try."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ci_judge.model.evidence import FailureCode
from ci_judge.transport.body import decode_text, parse_json
from ci_judge.transport.first_sight import Sight
from ci_judge.transport.limits import MAX_BODY_BYTES

_TIMED_OUT, _TOO_MANY_REQUESTS = 408, 429
_FAILED = range(500, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request.

    ``timeout_seconds`` bounds each whole exchange: connecting, sending, the last byte of the
    answer. ``new_sight`` makes, for each attempt, what looks at the pieces of its answer;
    ``most_body_bytes`` of that are read, and more is a failure.
    """

    method: str
    url: str
    timeout_seconds: float
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    new_sight: Callable[[], Sight] | None = None
    most_body_bytes: int = MAX_BODY_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A whole answer, whatever its status.

    ``headers`` have lower-case names (values of repeated ones joined by ``", "``), ``body`` is
    decompressed, ``latency_seconds`` is this exchange alone, without waits and earlier attempts,
    and ``attempts`` counts every request sent for it. ``redact`` takes the secrets out of what is
    quoted from it, before that is cut. ``sighted_seconds`` is when the request's sight had what it
    waits for, None where it never had.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    latency_seconds: float
    attempts: int = 1
    redact: Callable[[str], str] = str
    sighted_seconds: float | None = None

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
    an answer that broke off half-way is tried again as well. Without ``retry_rate_limits`` a 429
    is the answer: whoever sent the request knows better how long to wait.
    """

    retries: int
    retry_timeouts: bool = False
    retry_rate_limits: bool = True

    def repeats(self, status: int) -> bool:
        """Tell whether an answer of this status is worth another attempt."""
        limited = status == _TOO_MANY_REQUESTS
        return (limited and self.retry_rate_limits) or status == _TIMED_OUT or status in _FAILED
