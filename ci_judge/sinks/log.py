"""The log: the one writer to stdout, because a CI runner obeys commands found in it."""

import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ci_judge.redaction import Redactor
from ci_judge.visible_text import visible

LONGEST_MESSAGE_CHARS = 4096
"""GitHub cuts an annotation's message here; we do it ourselves, and say so."""

MOST_ANNOTATIONS = 10
"""GitHub drops what a step annotates beyond this, of each kind (error, warning, notice)."""

_PREFIX = "| "
_CUT = " … (cut)"
_IN_PLAIN_WORDS = frozenset({"error", "warning", "notice"})


class LogWriter:
    """Writes the log, in order, whole lines at a time.

    With ``commands`` (GitHub Actions) annotations and groups are workflow commands and text by
    others is fenced in ``stop-commands``; without, the same is said in plain lines. In both, text
    can neither act as a command nor hide what it says.
    ``new_token`` gives an unguessable word each time.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        commands: bool,
        new_token: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self._write = write
        self._commands = commands
        self._new_token = new_token
        self._redactors: list[Redactor] = []
        self._masked: set[str] = set()
        self._annotated: Counter[str] = Counter()

    def protect(self, redactor: Redactor) -> None:
        """Hide these secrets from here on, and have the runner hide them too."""
        self._redactors.append(redactor)
        if self._commands:
            for mask in redactor.masks:
                self._mask(mask)

    def line(self, text: str = "") -> None:
        """Write our own words; whatever was put into them stays on their line, inert."""
        self._write(_harmless_line(self._clean(text, keep="\t")) + "\n")

    def untrusted(self, text: str) -> None:
        """Write what others wrote, each line marked as theirs. Nothing for empty text."""
        if not text:
            return
        lines = self._clean(_normal_line_ends(text), keep="\n\t").removesuffix("\n").split("\n")
        shown = "".join(f"{_PREFIX}{_broken(line)}\n" for line in lines)
        if self._commands:
            token = self._new_token()
            shown = f"::stop-commands::{token}\n{shown}::{token}::\n"
        self._write(shown)

    def command(self, name: str, message: str = "", **properties: str | int | None) -> None:
        """Give the runner a command. Properties that are None are left out.

        Outside GitHub Actions an error, warning or notice is a plain line and the rest nothing; so
        is one that GitHub would drop.
        """
        if not self._commands or self.room(name) == 0:
            if name in _IN_PLAIN_WORDS:
                self.line(f"{name}: {message}")
            return
        self._annotated[name] += 1
        given = ",".join(
            f"{key}={escaped_property(self._clean(str(value), keep=''))}"
            for key, value in properties.items()
            if value is not None
        )
        head = f"{name} {given}" if given else name
        text = self._clean(_normal_line_ends(message), keep="\n\t")
        self._write(f"::{head}::{escaped_data(_broken(_cut(text)))}\n")

    def room(self, name: str) -> int | None:
        """Say how many more annotations of this kind GitHub keeps; None for what is none."""
        return MOST_ANNOTATIONS - self._annotated[name] if name in _IN_PLAIN_WORDS else None

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Fold the lines written inside under a title."""
        if self._commands:
            self.command("group", title)
        else:
            self.line(title)
        try:
            yield
        finally:
            self.command("endgroup")

    def _mask(self, value: str) -> None:
        if value not in self._masked:
            self._write(f"::add-mask::{escaped_data(value)}\n")
            self._masked.add(value)

    def _clean(self, text: str, *, keep: str) -> str:
        for redactor in self._redactors:
            text = redactor.text(text)
        return visible(text, keep=keep)


def escaped_data(text: str) -> str:
    """Escape a command's message as the runner reads it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    """Escape the value of a command's property as the runner reads it."""
    return escaped_data(text).replace(":", "%3A").replace(",", "%2C")


def _normal_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _broken(text: str) -> str:
    return text.replace("##[", "## [")


def _harmless_line(text: str) -> str:
    broken = _broken(text)
    return _PREFIX + broken if broken.lstrip().startswith("::") else broken


def _cut(text: str) -> str:
    if len(text) <= LONGEST_MESSAGE_CHARS:
        return text
    return text[: LONGEST_MESSAGE_CHARS - len(_CUT)] + _CUT
