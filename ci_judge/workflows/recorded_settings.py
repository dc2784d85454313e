"""What a report says of the settings that it was made with; any JSON may stand there."""

from collections.abc import Mapping
from typing import Any, get_args

from ci_judge.rules.settling import FailOn


def run_setting(settings: Mapping[str, Any], key: str) -> Any:
    """Give a setting of the section ``run``, None where there is none."""
    section = settings.get("run")
    return section.get(key) if isinstance(section, dict) else None


def fail_on_of(settings: Mapping[str, Any]) -> FailOn:
    """Give ``run.fail_on``; what cannot be understood is the strictest, error."""
    found = run_setting(settings, "fail_on")
    modes: tuple[FailOn, ...] = get_args(FailOn)
    return next((mode for mode in modes if mode == found), "error")
