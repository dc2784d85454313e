"""Requests, answers and errors between httpx and the httpcore below it."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpcore
import httpx

_ERRORS: dict[type[Exception], type[httpx.TransportError]] = {
    getattr(httpcore, name): getattr(httpx, name)
    for name in (
        *("ConnectTimeout", "ReadTimeout", "WriteTimeout", "PoolTimeout", "ConnectError"),
        *("ReadError", "WriteError", "ProxyError", "UnsupportedProtocol"),
        *("LocalProtocolError", "RemoteProtocolError"),
    )
}


def core_url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


def asked(request: httpx.Request) -> httpcore.Request:
    return httpcore.Request(
        method=request.method,
        url=core_url(request.url),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


def answered(answer: httpcore.Response, body: httpx.AsyncByteStream) -> httpx.Response:
    return httpx.Response(
        status_code=answer.status,
        headers=answer.headers,
        stream=body,
        extensions=answer.extensions,
    )


@contextmanager
def told_as_httpx() -> Iterator[None]:
    """Raise what httpx would raise."""
    try:
        yield
    except Exception as error:
        for kind in type(error).__mro__:
            if kind in _ERRORS:
                raise _ERRORS[kind](str(error)) from error
        raise
