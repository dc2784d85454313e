"""The configuration sections ``target`` and ``targets``: what is asked, and what of it is read."""

from ci_judge.targets.settings.reply import CaptureSettings, UsageSettings
from ci_judge.targets.settings.request import ContentType
from ci_judge.targets.settings.section import ServeSettings, TargetSettings

__all__ = [
    "CaptureSettings",
    "ContentType",
    "ServeSettings",
    "TargetSettings",
    "UsageSettings",
]
