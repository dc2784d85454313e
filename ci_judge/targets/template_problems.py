"""Placeholders in a target's section that nothing will ever fill."""

from collections.abc import Callable

from ci_judge.errors import Place, Problem
from ci_judge.file_schema.wording import did_you_mean
from ci_judge.targets.settings import TargetSettings
from ci_judge.targets.templating import BODY_NAMES, HEADER_NAMES, unknown_placeholders

_SESSION = frozenset({"session"})


def _nowhere(key: str) -> Place | None:
    del key
    return None


def template_problems(
    settings: TargetSettings, *, section: str, place: Callable[[str], Place | None] = _nowhere
) -> tuple[Problem, ...]:
    """Find placeholders that nothing will ever fill; ``place`` says where a key stands."""
    captures = settings.capture is not None and settings.capture.session is not None
    unfilled = frozenset() if captures else _SESSION
    templates = (
        ("url", settings.address, BODY_NAMES),
        ("headers", dict(settings.headers), HEADER_NAMES),
        ("query", dict(settings.query), BODY_NAMES),
        ("body", settings.body, BODY_NAMES),
    )
    return tuple(
        Problem(
            message=f'{section}.{key} holds "{{{{{name}}}}}", which nothing fills',
            hint=_hint(name, names - unfilled, section),
            place=place(f"{section}.{key}"),
        )
        for key, template, names in templates
        for name in unknown_placeholders(template, names - unfilled)
    )


def _hint(name: str, allowed: frozenset[str], section: str) -> str:
    if name in _SESSION:
        return f"set {section}.capture.session to where a reply names the session"
    close = did_you_mean(name, sorted(allowed))
    if close is not None:
        return close.replace('"', "{{", 1).replace('"', "}}", 1)
    known = "there are " + ", ".join(f"{{{{{each}}}}}" for each in sorted(allowed))
    return f"a variable is written ${{{name}}}; {known}" if name.isupper() else known
