"""Which values no output of a run may show."""

from collections.abc import Iterator

from ci_judge.check_tools import substitute
from ci_judge.judges.keys import find_key, key_variable
from ci_judge.redaction import Redactor, SecretsFound, header_secrets, secret_values
from ci_judge.settings import Settings
from ci_judge.targets.settings import TargetSettings
from ci_judge.workflows.surroundings import Surroundings

_SECRET_HEADERS = ("authorization", "proxy-authorization", "cookie")
_SECRET_WORDS = ("token", "key", "secret", "password", "auth", "credential")


def secrets_in_use(settings: Settings, surroundings: Surroundings) -> SecretsFound:
    """Find the secrets among the environment's variables that this run uses."""
    key = key_variable(settings.judge) if settings.judge else None
    return secret_values(
        surroundings.environment,
        used_names=(*settings.used_variables, *settings.suite.env, *_passed_on(settings)),
        certain_names=() if key is None else (key,),
    )


def make_redactor(
    settings: Settings, surroundings: Surroundings, *, further: tuple[str, ...]
) -> Redactor:
    """Make the redactor of a run; ``further`` are secrets that the front door knows of."""
    found = secrets_in_use(settings, surroundings)
    return Redactor(
        (*found.values, *_configured(settings, surroundings), *further),
        settings.report.redact,
        substitute=substitute,
    )


def _targets(settings: Settings) -> list[TargetSettings]:
    return [*settings.targets.values(), *([settings.target] if settings.target else [])]


def _passed_on(settings: Settings) -> Iterator[str]:
    """Name the variables that served targets are given."""
    for target in _targets(settings):
        if target.serve is not None:
            yield from target.serve.passed_names


def _configured(settings: Settings, surroundings: Surroundings) -> Iterator[str]:
    """Give the secrets that stand in the configuration itself."""
    if settings.judge is not None:
        key = find_key(settings.judge, surroundings.environment)
        if key is not None:
            yield key
    for target in _targets(settings):
        for name, text in target.headers.items():
            if name.lower() in _SECRET_HEADERS:
                yield from header_secrets(name, text)
            elif _sounds_secret(name):
                yield text
        if target.serve is not None:
            given = target.serve.set_variables.items()
            yield from (text for name, text in given if _sounds_secret(name))


def _sounds_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET_WORDS)
