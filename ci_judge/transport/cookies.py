"""The cookies of one run: conversations of different runs must not share a session."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx


class Cookies:
    """One jar per run. Clients keep none of their own."""

    def __init__(self) -> None:
        self._jar: httpx.Cookies | None = None

    def keep(self, response: "httpx.Response") -> None:
        """Take over what an answer sets. The response must know its request."""
        if "set-cookie" not in response.headers:
            return
        if self._jar is None:
            self._jar = type(response.cookies)()
        self._jar.extract_cookies(response)

    def attach(self, request: "httpx.Request") -> None:
        """Add the jar's cookies for this URL behind those that the request names itself."""
        if self._jar is None:
            return
        own = request.headers.pop("cookie", None)
        self._jar.set_cookie_header(request)
        kept = request.headers.get("cookie")
        both = [value for value in (own, kept) if value]
        if both:
            request.headers["cookie"] = "; ".join(both)
