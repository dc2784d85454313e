"""Whoever may forbid a request, and learns what became of those that were sent."""

from typing import Protocol

from ci_judge.transport.exchange import HttpReply, TransportFailure


class Guard(Protocol):
    """Stands between a request and the network. ``origin`` is ``scheme://host:port``."""

    def before(self, origin: str) -> TransportFailure | None:
        """Say no to one attempt, retries included: the failure ends the exchange, unsent."""

    def after(self, origin: str, outcome: HttpReply | TransportFailure) -> None:
        """Learn what one attempt that was sent came to."""
