"""What a reply tells besides its answer: the passages it was made from, the tools called for it."""

from dataclasses import dataclass

from ci_judge.model.suite import JsonValue
from ci_judge.targets.settings import CaptureSettings
from ci_judge.targets.told import Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What was found at the paths; None where nothing was."""

    context: JsonValue = None
    tools: JsonValue = None
    session: JsonValue = None


def captured(capture: CaptureSettings | None, told: Told) -> Captured:
    """Look up ``target.capture`` in a whole reply. A path that leads nowhere captures nothing."""
    if capture is None:
        return Captured()
    return Captured(
        context=_at(told, capture.context),
        tools=_at(told, capture.tools),
        session=_at(told, capture.session),
    )


def _at(told: Told, path: str | None) -> JsonValue:
    return None if path is None else told(path)
