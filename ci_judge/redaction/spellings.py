"""How a secret may be spelled where it comes back, as one regular expression a spelling."""

import base64
import re
from collections.abc import Iterable, Iterator
from html.entities import codepoint2name
from urllib.parse import quote_plus

_LONGEST_MIXED = 4_096
_NAMED = {**codepoint2name, ord("'"): "apos"}
_JSON_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "\n": "n", "\r": "r", "\t": "t", "\b": "b"}
_BACKSLASH = r"\\"
_REESCAPED = re.compile(r"[^ !#-;=?-\[\]-~]|/")
"""What JSON writes with a backslash: quotes, control characters, other scripts, HTML's."""

_BREAK = r"(?:\\[rn]|\s){0,12}+"
"""What wraps lines of base64, itself escaped or not."""

_BASE64 = {"+": "[+-]", "/": "[/_]"}


def all_spellings(secrets: Iterable[str]) -> Iterator[str]:
    """Yield expressions for the spellings of all secrets, those of longer ones first.

    Each begins with a literal character, which is what lets a search pass over long texts fast,
    and none can match in more than one way, so a search takes linear time.
    """
    for secret in sorted(secrets, key=lambda text: (-len(text), text)):
        yield from dict.fromkeys(_spellings(secret))


def _spellings(secret: str) -> Iterator[str]:
    yield re.escape(secret)
    in_a_line = " ".join(secret.split())  # as messages hold it
    if len(in_a_line) == len(secret) or len(in_a_line) >= 8:  # noqa: PLR2004 - as secrets are
        yield re.escape(in_a_line)
    yield re.escape(quote_plus(secret, errors="replace"))
    if len(secret) <= _LONGEST_MIXED:
        for depth in (1, 2) if _REESCAPED.search(secret) else (1,):
            yield from _escaped(secret, depth)
    data = secret.encode(errors="replace")
    yield data.hex()
    yield data.hex().upper()
    yield from _base64_cores(data)


def _escaped(secret: str, depth: int) -> Iterator[str]:
    """Match the secret with any of its characters escaped in any of the usual ways.

    Whoever writes JSON, HTML or a URL decides which characters that are; letters and digits of
    ASCII are never among them. With ``depth`` 2 backslashes are escaped once more: JSON within
    JSON, or a program's way to show a text that holds some.
    """
    rest = "".join(f"(?>{'|'.join(_character(each, depth))})" for each in secret[1:])
    for first in _character(secret[0], depth):
        yield first + rest


def _character(character: str, depth: int) -> tuple[str, ...]:
    """Give the ways to write a character, longer ones first where one begins another."""
    plain = re.escape(character)
    if character.isascii() and character.isalnum():
        return (plain,)
    code = ord(character)
    named = [f"&{_NAMED[code]};"] if code in _NAMED else []
    short = _short_escape(character, depth) if character in _JSON_ESCAPES else ()
    numbered = (f"&#0{{0,6}}{code};", f"&#[xX]0{{0,6}}{_any_case(f'{code:x}')};")
    return (
        *named,
        *numbered,
        *_with_backslash(character, depth),
        *short,
        _percent(character),
        plain,
    )


def _short_escape(character: str, depth: int) -> tuple[str, ...]:
    if character == "\\":
        return (_BACKSLASH * 2**depth,)
    more = f"{_BACKSLASH}{{0,2}}" if character == '"' and depth > 1 else ""
    return (_led(depth) + more + re.escape(_JSON_ESCAPES[character]),)


def _led(depth: int) -> str:
    """Give what leads an escape: which of two writers wrote it decides about the second one."""
    return _BACKSLASH if depth == 1 else f"{_BACKSLASH}{_BACKSLASH}?"


def _with_backslash(character: str, depth: int) -> Iterator[str]:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    yield "".join(
        f"{_led(depth)}u{_any_case(units[at : at + 4])}" for at in range(0, len(units), 4)
    )
    if ord(character) < 0x100:  # noqa: PLR2004 - two hexadecimal digits
        yield f"{_led(depth)}x{_any_case(f'{ord(character):02x}')}"


def _percent(character: str) -> str:
    data = character.encode(errors="replace")
    return "".join(f"%{_any_case(f'{byte:02x}')}" for byte in data)


def _any_case(digits: str) -> str:
    return "".join(f"[{each}{each.upper()}]" if each.isalpha() else each for each in digits)


def _base64_cores(secret: bytes) -> Iterator[str]:
    """Match what stays the same of the secret's base64, wherever it begins in what was encoded.

    A character of base64 holds 6 bits, so the secret may begin at three places within a group;
    characters that share bits with a neighbour are left out. Lines may be wrapped anywhere.
    """
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + secret).decode()
        first = (offset * 8 + 5) // 6
        core = encoded[first : (offset + len(secret)) * 8 // 6]
        yield _BREAK.join(_BASE64.get(each, each) for each in core)
