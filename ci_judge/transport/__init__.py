"""Every HTTP exchange of CI Judge. Nothing outside this package imports httpx.

Importing it is cheap: httpx itself is loaded with the first request.
"""

from ci_judge.transport.body import parse_json
from ci_judge.transport.client import Effects, Transport
from ci_judge.transport.cookies import Cookies
from ci_judge.transport.exchange import (
    HttpReply,
    HttpRequest,
    RetryPolicy,
    TransportFailure,
)
from ci_judge.transport.places import is_loopback, shown_url, url_host

__all__ = [
    "Cookies",
    "Effects",
    "HttpReply",
    "HttpRequest",
    "RetryPolicy",
    "Transport",
    "TransportFailure",
    "is_loopback",
    "parse_json",
    "shown_url",
    "url_host",
]
