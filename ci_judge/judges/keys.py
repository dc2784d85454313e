"""The key of a judge: where it comes from, and what is said when there is none."""

from collections.abc import Mapping

from ci_judge.errors import Problem
from ci_judge.judges.addresses import host_of
from ci_judge.judges.settings import JudgeSettings
from ci_judge.transport import is_loopback

_VARIABLES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "systemone": "TYPESAFE_API_KEY",
}


def key_variable(settings: JudgeSettings) -> str | None:
    """Return the variable that holds the key, None for a judge that needs none."""
    usual = _VARIABLES.get(settings.provider)
    return (settings.api_key_env or usual) if usual else None


def find_key(settings: JudgeSettings, environment: Mapping[str, str]) -> str | None:
    """Return the key without surrounding white space; None when there is none."""
    variable = key_variable(settings)
    given = settings.api_key or (environment.get(variable, "") if variable else "")
    return given.strip() or None


def missing_keys(
    settings: JudgeSettings, environment: Mapping[str, str], *, from_fork: bool = False
) -> tuple[Problem, ...]:
    """Return what is wrong with the keys of a judge, or of all judges of a panel."""
    if not settings.panel:
        problem = missing_key(settings, environment, from_fork=from_fork)
        return () if problem is None else (problem,)
    found: dict[str, Problem] = {}
    for at, member in enumerate(settings.members):
        section = f"judge.panel[{at}]"
        problem = missing_key(member, environment, from_fork=from_fork, section=section)
        if problem is not None:
            found.setdefault(problem.message, problem)
    return tuple(found.values())


def missing_key(
    settings: JudgeSettings,
    environment: Mapping[str, str],
    *,
    from_fork: bool = False,
    section: str = "judge",
) -> Problem | None:
    """Return what is wrong with the judge's key, None when it can be used.

    ``from_fork`` says that this is a pull request from a fork, where secrets are empty; ``section``
    is where whoever needs the key is configured. A judge on this very machine needs no key.
    """
    variable = key_variable(settings)
    if variable is None:
        return None
    key = find_key(settings, environment)
    source = f"{section}.api_key" if settings.api_key else variable
    if key is None:
        local = is_loopback(host_of(settings.base_url or ""))
        return None if local else _absent(settings.provider, variable, section, from_fork=from_fork)
    if not (key.isascii() and key.isprintable()) or " " in key:
        return Problem(
            message=f"the key in {source} holds a line end, a space or a character no key has",
            hint="store the key alone, on one line",
        )
    return None


def _absent(provider: str, variable: str, section: str, *, from_fork: bool) -> Problem:
    hint = (
        "secrets are not given to pull requests from forks, so the variable is empty here"
        if from_fork
        else f"set {variable}, or name another variable in {section}.api_key_env"
    )
    whose = "the judge" if section.startswith("judge") else f"{section}.provider"
    message = f"{whose} '{provider}' needs a key, but {variable} is empty"
    return Problem(message=message, hint=hint, unset=variable)
