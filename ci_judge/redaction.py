"""Secrets out of any text, in every spelling in which they may come back."""

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote, quote_plus

MASK = "***"
LEAST_CHARS = 8
"""Shorter values are ordinary words ("main", "14"): masking them would blank a report."""

Substitute: TypeAlias = Callable[[str, str, str], str]
"""(pattern, replacement, text) -> text; raises TimeoutError for a pattern that takes too long."""

WITHHELD = "[withheld: a report.redact pattern took too long on this text]"

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
    return (credential.strip() or scheme,)


def _cookie_value(pair: str) -> str:
    name, equals, value = pair.strip().partition("=")
    return value.strip().strip('"') if equals else name


class Redactor:
    """Replaces secrets, however encoded, and whatever matches ``patterns``, by ``***``.

    Secrets of fewer than 8 characters are ignored. Of a secret with several lines each line of
    8 or more characters is a secret too. Time is linear in the text but for ``patterns``, which
    are the configuration's: ``substitute`` may bound them (it raises TimeoutError, and then the
    whole text is withheld); the default is the standard library's, which has no bound.
    """

    def __init__(
        self,
        secrets: Iterable[str],
        patterns: Iterable[str] = (),
        *,
        substitute: Substitute = re.sub,
    ) -> None:
        self._masks = tuple(dict.fromkeys(_maskable(secrets)))
        spellings = {spelling for mask in self._masks for spelling in _spellings(mask)}
        longest_first = sorted(spellings, key=lambda text: (-len(text), text))
        self._secret = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
        self._patterns = tuple(patterns)
        self._substitute = substitute

    @property
    def masks(self) -> tuple[str, ...]:
        """The plain values that a CI's own log should hide as well."""
        return self._masks

    def text(self, text: str) -> str:
        """Give the text without secrets."""
        without = "".join(self._pieces(text))
        try:
            for pattern in self._patterns:
                without = self._substitute(pattern, MASK, without)
        except TimeoutError:
            return WITHHELD
        return without

    def value(self, value: Any) -> Any:
        """Give a copy of a JSON value without secrets in its strings, keys and numbers.

        A number that spells a secret becomes text. However deep the value, no recursion.
        """
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
        candidates = (secret, secret.strip(), *(line.strip() for line in secret.splitlines()))
        yield from (text for text in candidates if len(text) >= LEAST_CHARS)


def _spellings(secret: str) -> Iterator[str]:
    yield secret
    for encoded in (quote(secret, safe="", errors="replace"), quote_plus(secret, errors="replace")):
        yield encoded
        yield re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), encoded)
    for escaped in (json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
        yield escaped[1:-1]
        yield escaped[1:-1].replace("/", "\\/")
    yield html.escape(secret)
    yield from _base64_cores(secret.encode(errors="replace"))


def _base64_cores(secret: bytes) -> Iterator[str]:
    """Give what stays the same of the secret's base64, wherever it begins in what was encoded.

    A character of base64 holds 6 bits, so the secret may begin at three places within a group;
    characters that share bits with a neighbour are left out.
    """
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + secret).decode()
        first = (offset * 8 + 5) // 6
        core = encoded[first : (offset + len(secret)) * 8 // 6]
        yield core
        yield core.replace("+", "-").replace("/", "_")
