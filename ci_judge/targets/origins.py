"""Where the requests to a target go, for whoever counts what becomes of them."""

from ci_judge.targets.serve import PORT
from ci_judge.targets.settings import TargetSettings
from ci_judge.transport import origin_of


def target_origin(settings: TargetSettings, *, port: int | None) -> str | None:
    """Return ``scheme://host:port``; None for a command, and where each message decides it.

    ``port`` is what ``{{port}}`` stands for.
    """
    if settings.command is not None:
        return None
    address = PORT.sub("" if port is None else str(port), settings.address)
    origin = origin_of(address)
    return None if "{{" in origin or origin.startswith(":") else origin
