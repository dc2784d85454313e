"""Every HTTP exchange of CI Judge. Nothing outside this package imports httpx.

Importing it is cheap: httpx itself is loaded with the first request.
"""

from ci_judge.transport.body import parse_json
from ci_judge.transport.client import Effects, Transport
from ci_judge.transport.cookies import Cookies
from ci_judge.transport.event_streams import (
    LAST_WORD,
    BrokenOff,
    EventReader,
    StreamEvent,
    StreamKind,
    event_reader,
)
from ci_judge.transport.exchange import (
    HttpReply,
    HttpRequest,
    RetryPolicy,
    TransportFailure,
)
from ci_judge.transport.first_sight import Sight
from ci_judge.transport.guards import Guard
from ci_judge.transport.places import is_loopback, origin_of, same_origin, shown_url, url_host
from ci_judge.transport.redirects import send_following

__all__ = [
    "LAST_WORD",
    "BrokenOff",
    "Cookies",
    "Effects",
    "EventReader",
    "Guard",
    "HttpReply",
    "HttpRequest",
    "RetryPolicy",
    "Sight",
    "StreamEvent",
    "StreamKind",
    "Transport",
    "TransportFailure",
    "event_reader",
    "is_loopback",
    "origin_of",
    "parse_json",
    "same_origin",
    "send_following",
    "shown_url",
    "url_host",
]
