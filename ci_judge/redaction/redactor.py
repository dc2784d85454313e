"""Secrets out of any text, in every spelling in which they may come back."""

import base64
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import unquote

from ci_judge.redaction.spellings import all_spellings

MASK = "***"
LEAST_CHARS = 8
"""Shorter values are ordinary words ("main", "14"): masking them would blank a report."""

Substitute: TypeAlias = Callable[[str, str, str], str]
"""(pattern, replacement, text) -> text; raises TimeoutError for a pattern that takes too long."""

WITHHELD = "[withheld: a report.redact pattern took too long on this text]"

_SPARED = 8
_URL_CREDENTIALS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#@]+)@")
_SECRET_WORDS = re.compile("TOKEN|KEY|SECRET|PASSWORD|AUTH|CREDENTIAL", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsFound:
    """Secret values in use, and the names of variables that are too short to be masked."""

    values: tuple[str, ...]
    too_short: tuple[str, ...]

    def warnings(self) -> tuple[str, ...]:
        """Give one sentence for each variable that stays unmasked; it never holds the value."""
        return tuple(
            f'The value of "{name}" has fewer than {LEAST_CHARS} characters: it is not masked,'
            " because masking an ordinary word would blank the report"
            for name in self.too_short
        )


def secret_values(
    environment: Mapping[str, str],
    *,
    used_names: Iterable[str],
    certain_names: Iterable[str] = (),
) -> SecretsFound:
    """Find the secrets among the variables that a run uses.

    ``used_names`` count when their name says so (token, key, secret, password, auth,
    credential); ``certain_names`` hold secrets whatever they are called.
    """
    telling = [name for name in used_names if _SECRET_WORDS.search(name)]
    names = dict.fromkeys((*telling, *certain_names))
    held = {name: environment.get(name, "") for name in names}
    return SecretsFound(
        values=tuple(dict.fromkeys(v for v in held.values() if len(v) >= LEAST_CHARS)),
        too_short=tuple(name for name, v in held.items() if 0 < len(v) < LEAST_CHARS),
    )


def header_secrets(name: str, value: str) -> tuple[str, ...]:
    """Give the secret parts of a header that carries credentials, whatever they are called.

    Of an Authorization that is what stands behind the scheme, of a Cookie each cookie's value.
    """
    if name.lower() == "cookie":
        return tuple(_cookie_value(pair) for pair in value.split(";") if pair.strip())
    scheme, _, credential = value.strip().partition(" ")
    if scheme.lower() == "basic":
        return (credential.strip(), *_basic_parts(credential.strip()))
    return (credential.strip() or scheme,)


def url_secrets(url: str) -> tuple[str, ...]:
    """Give the credentials in a URL: each alone, and both as Basic authentication joins them."""
    found = _URL_CREDENTIALS.search(url)
    if found is None:
        return ()
    user, _, password = found[1].partition(":")
    parts = (password, unquote(password), user, unquote(user))
    return tuple(dict.fromkeys((*parts, f"{unquote(user)}:{unquote(password)}")))


def _basic_parts(credential: str) -> tuple[str, ...]:
    try:
        joined = base64.b64decode(credential, validate=True).decode()
    except ValueError:
        return ()
    user, _, password = joined.partition(":")
    return (joined, password, user)


def _cookie_value(pair: str) -> str:
    name, equals, value = pair.strip().partition("=")
    return value.strip().strip('"') if equals else name


class Redactor:
    """Replaces secrets, however encoded, and whatever matches ``patterns``, by ``***``.

    Secrets of fewer than 8 characters are ignored. Of a secret with several lines each line of
    8 or more characters is a secret too. Time is linear in the text but for ``patterns``, which
    are the configuration's: ``substitute`` may bound them (it raises TimeoutError, and then the
    whole text is withheld, as is every later one of an eighth of its length or more, so that the
    waiting comes to an end); the default is the standard library's, which has no bound.
    """

    def __init__(
        self,
        secrets: Iterable[str],
        patterns: Iterable[str] = (),
        *,
        substitute: Substitute = re.sub,
    ) -> None:
        self._masks = tuple(dict.fromkeys(_maskable(secrets)))
        self._secret = re.compile("|".join(all_spellings(self._masks)) or "(?!)")
        self._patterns = tuple(patterns)
        self._substitute = substitute
        self._too_long: dict[int, int] = {}

    @property
    def masks(self) -> tuple[str, ...]:
        """The plain values that a CI's own log should hide as well."""
        return self._masks

    @property
    def warnings(self) -> tuple[str, ...]:
        """One sentence for each pattern that took too long on a text."""
        return tuple(
            f"Item {number} of report.redact took too long on a text: that text and others of its"
            " kind are withheld from the report"
            for number in sorted(self._too_long)
        )

    def text(self, text: str) -> str:
        """Give the text without secrets."""
        without = "".join(self._pieces(text)) if self._secret.search(text) else text
        for number, pattern in enumerate(self._patterns, start=1):
            if len(without) >= self._too_long.get(number, sys.maxsize):
                return WITHHELD
            try:
                without = self._substitute(pattern, MASK, without)
            except TimeoutError:
                # Texts as long, and shorter ones, would take as long: they are not even tried.
                self._too_long[number] = len(without) // _SPARED
                return WITHHELD
        return without

    def value(self, value: Any) -> Any:
        """Give a copy of a JSON value without secrets in its strings, keys and numbers.

        A number that spells a secret becomes text. However deep the value, no recursion.
        """
        if isinstance(value, str):
            return self.text(value)
        root: list[Any] = [value]
        pending: list[tuple[Any, Any]] = [(root, 0)]
        while pending:
            holder, key = pending.pop()
            copy = self._shallow(holder[key])
            holder[key] = copy
            if isinstance(copy, dict):
                pending.extend((copy, inner) for inner in copy)
            elif isinstance(copy, list):
                pending.extend((copy, index) for index in range(len(copy)))
        return root[0]

    def _shallow(self, value: Any) -> Any:
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(key): inner for key, inner in value.items()}
            case list() | tuple():
                return list(value)
            case None | bool():
                return value
            case _:
                return MASK if self._secret.search(str(value)) else value

    def _pieces(self, text: str) -> Iterator[str]:
        end = 0
        for start, stop in self._spans(text):
            yield text[end:start]
            yield MASK
            end = stop
        yield text[end:]

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Give where secrets stand, with overlapping and touching ones as one span."""
        begin = end = -1
        found = self._secret.search(text)
        while found:
            if found.start() > end:
                if end >= 0:
                    yield begin, end
                begin = found.start()
            end = max(end, found.end())
            found = self._secret.search(text, found.start() + 1)
        if end >= 0:
            yield begin, end


def _maskable(secrets: Iterable[str]) -> Iterator[str]:
    for secret in secrets:
        lines = (line.strip() for line in secret.splitlines())
        candidates = (secret, secret.strip(), *lines, *url_secrets(secret))
        yield from (text for text in candidates if len(text.strip()) >= LEAST_CHARS)
