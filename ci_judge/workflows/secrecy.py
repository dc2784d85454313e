"""Which values no output of a run may show."""

from collections.abc import Iterator

from ci_judge.check_tools import substitute
from ci_judge.judges.keys import find_key, key_variable
from ci_judge.judges.settings import JudgeSettings
from ci_judge.redaction import Redactor, SecretsFound, header_secrets, secret_values, url_secrets
from ci_judge.settings import Settings
from ci_judge.targets.settings import TargetSettings
from ci_judge.workflows.surroundings import Surroundings

_SECRET_HEADERS = ("authorization", "proxy-authorization", "cookie")
_SECRET_WORDS = ("token", "key", "secret", "password", "auth", "credential")


def secrets_in_use(settings: Settings, surroundings: Surroundings) -> SecretsFound:
    """Find the secrets among the environment's variables that this run uses."""
    keys = (key_variable(judge) for judge in _judges(settings))
    return secret_values(
        surroundings.environment,
        used_names=(*settings.used_variables, *settings.suite.env, *_passed_on(settings)),
        certain_names=tuple(dict.fromkeys(key for key in keys if key is not None)),
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


def _judges(settings: Settings) -> tuple[JudgeSettings, ...]:
    """Give everybody who is asked with a key: the judges, and the model that writes scenarios."""
    judges = settings.judge.members if settings.judge else ()
    writer = settings.generate.asked()
    return judges if writer is None else (*judges, writer)


def _targets(settings: Settings) -> list[TargetSettings]:
    return [*settings.targets.values(), *([settings.target] if settings.target else [])]


def _passed_on(settings: Settings) -> Iterator[str]:
    """Name the variables that commands are given: judges, and targets."""
    for judge in _judges(settings):
        yield from judge.env
    for target in _targets(settings):
        yield from target.env
        if target.serve is not None:
            yield from target.serve.passed_names


def _configured(settings: Settings, surroundings: Surroundings) -> Iterator[str]:
    """Give the secrets that stand in the configuration itself."""
    for judge in _judges(settings):
        key = find_key(judge, surroundings.environment)
        if key is not None:
            yield key
        yield from url_secrets(judge.base_url or "")
    for target in _targets(settings):
        yield from _of_target(target)


def _of_target(target: TargetSettings) -> Iterator[str]:
    yield from url_secrets(target.url or "")
    for name, text in target.headers.items():
        if name.lower() in _SECRET_HEADERS:
            yield from header_secrets(name, text)
        elif _sounds_secret(name):
            yield text
    for name, texts in target.query.items():
        if _sounds_secret(name):
            yield from texts
    if target.serve is not None:
        given = target.serve.set_variables.items()
        yield from (text for name, text in given if _sounds_secret(name))


def _sounds_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET_WORDS)
