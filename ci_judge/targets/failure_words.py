"""Why a target gave no answer, and what in its section to look at first."""

import re

from ci_judge.model.evidence import FailureCode
from ci_judge.targets.settings import TargetSettings
from ci_judge.targets.validation_details import missing_field, validation_words
from ci_judge.transport import HttpReply, TransportFailure, is_loopback, shown_url, url_host

_PORT = re.compile(r"\{\{\s*port\s*\}\}")
_USER = re.compile(r"//[^/?#]*@")
_METHODS = re.compile(r"[A-Z]{3,10}(?:, ?[A-Z]{3,10}){0,8}")
_CREDENTIAL = re.compile(r"authori[sz]ation|key|token|secret|cookie|auth", re.IGNORECASE)
_NO_CREDENTIALS = (
    "check headers: the target wants credentials and none are configured, such as "
    'Authorization: "Bearer ${TOKEN}"'
)
_CREDENTIALS = "check headers: the target does not accept their credentials"
_WHAT_TO_CHECK = {
    400: "check body: the target does not understand the request",
    401: _CREDENTIALS,
    403: _CREDENTIALS,
    404: "check the path of url",
    405: "check method, and the path of url",
    406: "check headers, Accept above all",
    410: "check the path of url",
    415: "check the header Content-Type",
    422: "check body: it lacks what the target expects",
    429: "lower run.concurrency: these are more requests than the target takes",
}
_SERVER_ERRORS = range(500, 600)


def failure_words(failure: TransportFailure, settings: TargetSettings) -> str:
    """Say what broke the exchange; for a target of this machine, how to have it started."""
    near = is_loopback(url_host(_with_port(settings.address, port=None)))
    if failure.code is FailureCode.CONNECTION_REFUSED and near and settings.serve is None:
        return f"{failure.message} (target.serve can start it for the run)"
    return failure.message


def status_code_of(reply: HttpReply) -> FailureCode | None:
    """Tell whether the status alone makes it no answer."""
    if 300 <= reply.status < 400:  # noqa: PLR2004 - the 3xx class
        return FailureCode.REDIRECT
    if not 200 <= reply.status < 300:  # noqa: PLR2004 - the 2xx class
        return FailureCode.HTTP_STATUS
    return None


def status_words(reply: HttpReply, settings: TargetSettings, *, port: int | None) -> str:
    """Name status, request and what to check. The URL is the template's, the same for all runs."""
    asked = f"{settings.method} {shown_url(_with_port(settings.address, port=port))}"
    status = f"HTTP {reply.status} ({content_type_of(reply)}) from {asked}"
    if status_code_of(reply) is FailureCode.REDIRECT:
        place = reply.headers.get("location", "an unnamed place")
        remedy = "put the final address in url or set follow_redirects"
        return f"{status}: it redirects to {place}; not followed, {remedy}"
    if reply.status in _SERVER_ERRORS:
        return f"{status}: the target itself failed, its own log says why"
    return f"{status}: {_advice(reply, settings)}"


def _advice(reply: HttpReply, settings: TargetSettings) -> str:
    """Say what to check, with what the reply and the configuration tell of it."""
    advice = _WHAT_TO_CHECK.get(reply.status, "not a success")
    match reply.status:
        case 401 | 403 if not _has_credentials(settings):
            return _NO_CREDENTIALS
        case 405 if _METHODS.fullmatch(reply.headers.get("allow", "")):
            return f"{advice}: it takes {reply.headers['allow']}"
        case 400 | 422:
            said, field = validation_words(reply), missing_field(reply)
            hint = f'; try body: {{{field}: "{{{{message}}}}"}}' if field else ""
            return f"{advice} ({said}){hint}" if said else f"{advice}{hint}"
        case _:
            return advice


def _has_credentials(settings: TargetSettings) -> bool:
    given = (*settings.headers, *settings.query)
    return _USER.search(settings.address) is not None or any(map(_CREDENTIAL.search, given))


def content_type_of(reply: HttpReply) -> str:
    """Name what kind of body came."""
    return reply.headers.get("content-type", "no content type")


def _with_port(url: str, *, port: int | None) -> str:
    return _PORT.sub(str(port or 80), url)
