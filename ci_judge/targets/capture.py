"""What a reply tells besides its answer: the passages it was made from, the tools called for it."""

from dataclasses import dataclass

from ci_judge.model.suite import JsonValue
from ci_judge.rules.json_paths import Found, look_up
from ci_judge.targets.settings import CaptureSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What was found at the paths; None where nothing was."""

    context: JsonValue = None
    tools: JsonValue = None


def captured(capture: CaptureSettings | None, document: JsonValue) -> Captured:
    """Look up ``target.capture`` in a whole reply. A path that leads nowhere captures nothing."""
    if capture is None:
        return Captured()
    return Captured(
        context=_at(document, capture.context),
        tools=_at(document, capture.tools),
    )


def _at(document: JsonValue, path: str | None) -> JsonValue:
    found = None if path is None else look_up(document, path)
    return found.value if isinstance(found, Found) else None
