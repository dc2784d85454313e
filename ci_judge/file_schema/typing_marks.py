"""Marks that people type and file formats do not know: typographic quotes, bare placeholders."""

import re

_QUOTES = "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u00ab\u00bb"
_AT_A_VALUE = re.compile(rf"(?:^|[:=,\[{{-])\s*([{_QUOTES}])")
_AROUND = re.compile(rf"\s*([{_QUOTES}]).*|.*([{_QUOTES}])\s*", re.DOTALL)
_BARE_PLACEHOLDER = re.compile(r"(?:[:=,\[{-]|^)\s*(\{\{\s*[A-Za-z_]\w*\s*\}\}[^\s,}\]]*)")


def typographic_hint(line: str) -> str | None:
    """Name the curly quote that stands in a line of source where a value begins, or None."""
    found = _AT_A_VALUE.search(line)
    return _straight(found[1]) if found else None


def curly_value_hint(text: str) -> str | None:
    """Name the curly quote at the beginning or the end of a value, or None."""
    found = _AROUND.fullmatch(text)
    return _straight(found[1] or found[2]) if found else None


def placeholder_hint(line: str) -> str | None:
    """Say how to quote a placeholder that begins a value in a line of source, or None."""
    found = _BARE_PLACEHOLDER.search(line)
    return f'quote it: "{found[1]}"' if found else None


def _straight(quote: str) -> str:
    return f"{quote} (U+{ord(quote):04X}) is a typographic quote: use straight quotes, \" or '"
