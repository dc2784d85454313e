"""What a run brings back from the system under test: evidence, or the reason there is none."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from ci_judge.model.suite import JsonValue, Message


class FailureCode(StrEnum):
    """Closed list of reasons why a run has no evidence or no verdict."""

    # the exchange itself
    CONNECTION_REFUSED = "connection_refused"
    NAME_NOT_FOUND = "name_not_found"
    TLS = "tls"
    CONNECTION_LOST = "connection_lost"
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"
    HTTP_STATUS = "http_status"
    REDIRECT = "redirect"
    # nothing was sent at all
    ORIGIN_DOWN = "origin_down"
    BUDGET = "budget"
    # what the target said
    UNREADABLE_REPLY = "unreadable_reply"
    NO_RESPONSE = "no_response"
    STREAM_ERROR = "stream_error"
    # what a Python case did
    EXCEPTION = "exception"
    INVALID_EVIDENCE = "invalid_evidence"
    EXITED = "exited"
    CRASHED = "crashed"
    # what a judge did
    REFUSED = "refused"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    UNREADABLE_VERDICT = "unreadable_verdict"
    NEEDS_A_JUDGE = "needs_a_judge"
    # what a report holds of it
    NOT_RECORDED = "not_recorded"
    # a check that could not be evaluated
    CHECK_ERROR = "check_error"
    # anything that is a fault of ours, inside one run
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of a target.

    ``text`` is what was found at ``response_path`` as text; ``value`` the JSON value found there
    (the same text where it is a string). ``latency_seconds`` is the successful exchange alone.
    """

    text: str
    value: JsonValue
    latency_seconds: float
    status: int | None = None
    attempts: int = 1
    priced: bool = False
    """Whether the configuration says what answers cost (``target.usage``)."""
    cost_usd: float | None = None
    """What it cost; None where that is unknown."""
    context: JsonValue = None
    """What it was made from, as the reply tells at ``target.capture.context``; None for nothing."""
    tools: JsonValue = None
    """The calls of tools, as the reply tells at ``target.capture.tools``; None for nothing."""
    first_token_seconds: float | None = None
    """When the first piece of a streamed answer was there; None for an answer in one piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Evidence of a scenario: the whole transcript and each answer (at least one).

    ``replayed`` says that it was recorded in an earlier run (``run.cache: all``), and that the
    target was not asked. ``trace_id`` is that of its requests (W3C), None where they had none.
    """

    transcript: tuple[Message, ...]
    replies: tuple[Reply, ...]
    replayed: bool = False
    trace_id: str | None = None

    @property
    def response(self) -> str:
        """The last answer's text."""
        return self.replies[-1].text


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseValue:
    """Evidence of a case: the JSON value that the function returned."""

    value: JsonValue
    latency_seconds: float


Evidence: TypeAlias = Conversation | CaseValue


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFailure:
    """Why a run has no evidence. Never a failed verdict.

    ``attempts`` counts the requests or calls made; ``detail`` is longer text (output, traceback,
    the body of an error reply), untrusted like everything that comes from outside.
    ``transcript`` holds what had been said before the failure.
    """

    code: FailureCode
    message: str
    status: int | None = None
    attempts: int = 1
    detail: str = ""
    transcript: tuple[Message, ...] = ()
    priced: bool = False
    """Whether the target's answers have a price; what a failure cost is unknown."""
    trace_id: str | None = None
    """The trace that its requests belong to (W3C), None where they had none."""
