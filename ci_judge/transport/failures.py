"""What went wrong in one exchange, told apart and in plain words."""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import httpx

from ci_judge.model.evidence import FailureCode
from ci_judge.transport.exchange import TransportFailure
from ci_judge.transport.limits import MAX_BODY_BYTES, TooLarge, Undecodable
from ci_judge.transport.places import is_loopback, place_of, split
from ci_judge.transport.proxies import ProxyChoice

_MAX_CHAIN = 30
_CONTAINER_HINT = (
    " Inside a container `localhost` is the container itself: name a service container or the"
    " host's bridge address."
)
_TOLD = (OSError, OverflowError, UnicodeError)


class Again(Enum):
    """Whether another attempt could help, and when it is harmless."""

    ALWAYS = "nothing was answered"
    IF_HARMLESS = "the work may have been done"
    NEVER = "the next attempt would end the same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """An exchange without a whole answer."""

    failure: TransportFailure
    again: Again

    def worth_repeating(self, *, harmless: bool) -> bool:
        """Tell whether to try again, given whether doing the work twice does no harm."""
        return self.again is Again.ALWAYS or (harmless and self.again is Again.IF_HARMLESS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The way a request takes, as far as messages need it."""

    url: str
    proxy: ProxyChoice | None = None
    in_container: bool = False

    @property
    def place(self) -> str:
        """The endpoint, and the proxy in between when there is one."""
        if self.proxy is None:
            return place_of(self.url)
        return f"{place_of(self.url)} through {self.proxy_place}"

    @property
    def proxy_place(self) -> str:
        if self.proxy is None:
            return ""
        return f"the proxy {place_of(self.proxy.url)} ({self.proxy.variable})"


def timed_out(route: Route, *, timeout_seconds: float) -> Broken:
    message = f"{route.place} gave no whole answer within {timeout_seconds:g} s"
    return _broken(FailureCode.TIMEOUT, message, Again.IF_HARMLESS)


def unusable(message: str) -> Broken:
    """Say why a request cannot be sent at all."""
    return _broken(FailureCode.INTERNAL, message, Again.NEVER)


def before_answer(error: Exception, route: Route) -> Broken:
    """Tell what an exception means that came before any answer."""
    match error:
        case httpx.ProxyError():
            message = f"{route.proxy_place} did not connect to {place_of(route.url)}: {error}"
            return _broken(FailureCode.CONNECTION_REFUSED, message, Again.ALWAYS)
        case httpx.ConnectError():
            return _not_connected(error, route)
        case httpx.LocalProtocolError():
            # The exception's own text quotes the header, which may be a secret.
            return unusable("a header of the request has a name or value that HTTP does not allow")
        case httpx.TimeoutException():
            message = f"{route.place} gave no answer in time"
            return _broken(FailureCode.TIMEOUT, message, Again.IF_HARMLESS)
        case _:
            return _hung_up(error, route)


def unforeseen(error: Exception, route: Route) -> Broken:
    """Say what is known of an exception that the HTTP library should not have raised.

    Its text is shown only where it cannot quote the request, which may hold secrets.
    """
    causes = list(_chain(error))
    known = next((cause for cause in causes if isinstance(cause, httpx.TransportError)), None)
    if known is not None:
        return before_answer(known, route)
    cause = next((each for each in causes if not isinstance(each, BaseExceptionGroup)), error)
    told = f": {cause}" if isinstance(cause, _TOLD) else ""
    name = type(cause).__name__
    return unusable(f"the request to {route.place} could not be made ({name}{told})")


def _hung_up(error: Exception, route: Route) -> Broken:
    # httpx has one exception for "closed without a word" and for words that are no HTTP.
    if isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error):
        message = f"{route.place} did not answer in HTTP: {str(error)[:200]}"
        return _broken(FailureCode.UNREADABLE_REPLY, message, Again.NEVER)
    message = f"{route.place} closed the connection before answering"
    return _broken(FailureCode.CONNECTION_LOST, message, Again.ALWAYS)


def during_answer(error: Exception, route: Route) -> Broken:
    """Tell what an exception means that came after the answer had begun."""
    match error:
        case TooLarge():
            size = MAX_BODY_BYTES // (1024 * 1024)
            message = f"the answer of {route.place} is larger than {size} MiB"
            return _broken(FailureCode.TOO_LARGE, message, Again.NEVER)
        case Undecodable():
            message = f"the answer of {route.place} cannot be read: {error}"
            return _broken(FailureCode.UNREADABLE_REPLY, message, Again.NEVER)
        case httpx.TimeoutException():
            message = f"{route.place} stopped sending in the middle of its answer"
            return _broken(FailureCode.TIMEOUT, message, Again.IF_HARMLESS)
        case _:
            message = f"{route.place} closed the connection in the middle of its answer"
            return _broken(FailureCode.CONNECTION_LOST, message, Again.IF_HARMLESS)


def _broken(code: FailureCode, message: str, again: Again) -> Broken:
    one_line = " ".join(message.split())
    return Broken(failure=TransportFailure(code=code, message=one_line), again=again)


def _not_connected(error: httpx.ConnectError, route: Route) -> Broken:
    causes = list(_chain(error))
    for cause in causes:
        match cause:
            case ssl.SSLEOFError():
                return _lost_while_connecting(route)
            case ssl.SSLError():
                return _broken(FailureCode.TLS, _tls_message(cause, route), Again.NEVER)
            case socket.gaierror():
                return _broken(FailureCode.NAME_NOT_FOUND, _name_message(route), Again.ALWAYS)
            case ConnectionRefusedError():
                return _broken(FailureCode.CONNECTION_REFUSED, _refused(route), Again.ALWAYS)
            case ConnectionResetError() | BrokenPipeError():
                return _lost_while_connecting(route)
            case _:
                continue
    why = next((c.strerror for c in causes if isinstance(c, OSError) and c.strerror), str(error))
    message = f"could not connect to {route.place}: {why}"
    return _broken(FailureCode.CONNECTION_REFUSED, message, Again.ALWAYS)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and everything that led to it, nearest first."""
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting and len(seen) < _MAX_CHAIN:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
        waiting.extend(e for e in (current.__cause__, current.__context__) if e is not None)


def _lost_while_connecting(route: Route) -> Broken:
    message = f"{route.place} closed the connection while it was being opened"
    return _broken(FailureCode.CONNECTION_LOST, message, Again.ALWAYS)


def _refused(route: Route) -> str:
    if route.proxy is not None:
        return f"{route.proxy_place}, asked to reach {place_of(route.url)}, refused the connection"
    hint = is_loopback(split(route.url).hostname or "") and route.in_container
    return f"{route.place} refused the connection: is it running?{_CONTAINER_HINT if hint else ''}"


def _name_message(route: Route) -> str:
    named = route.url if route.proxy is None else route.proxy.url
    return f"the name '{split(named).hostname}' cannot be resolved (connecting to {route.place})"


def _tls_message(error: ssl.SSLError, route: Route) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"the certificate of {route.place} cannot be verified: {error.verify_message}"
            " (to trust a private CA, name its PEM file in SSL_CERT_FILE, or in the ca_bundle of a"
            " target)"
        )
    reason = (error.reason or "handshake failed").replace("_", " ").lower()
    hint = " - does it speak plain http?" if "wrong version number" in reason else ""
    return f"no TLS connection with {route.place}: {reason}{hint}"
