"""Which values no output of a run may show."""

from collections.abc import Iterator

from ci_judge.check_tools import substitute
from ci_judge.judges.keys import find_key, key_variable
from ci_judge.redaction import Redactor, SecretsFound, header_secret, secret_values
from ci_judge.settings import Settings
from ci_judge.workflows.surroundings import Surroundings

_SECRET_HEADERS = ("authorization", "proxy-authorization", "cookie")
_SECRET_WORDS = ("token", "key", "secret", "password", "auth", "credential")


def secrets_in_use(settings: Settings, surroundings: Surroundings) -> SecretsFound:
    """Find the secrets among the environment's variables that this run uses."""
    key = key_variable(settings.judge) if settings.judge else None
    return secret_values(
        surroundings.environment,
        used_names=(*settings.used_variables, *settings.suite.env),
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


def _configured(settings: Settings, surroundings: Surroundings) -> Iterator[str]:
    """Give the secrets that stand in the configuration itself."""
    if settings.judge is not None:
        key = find_key(settings.judge, surroundings.environment)
        if key is not None:
            yield key
    targets = [*settings.targets.values(), *([settings.target] if settings.target else [])]
    for target in targets:
        for name, text in target.headers.items():
            if name.lower() in _SECRET_HEADERS:
                yield header_secret(text)
            elif any(word in name.lower() for word in _SECRET_WORDS):
                yield text
