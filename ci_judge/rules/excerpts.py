"""Short quotations from answers, for a line in a report. Untrusted text stays untrusted."""

import re

_LENGTH = 120
_MARGIN = 40


def beginning(text: str) -> str:
    """Quote the beginning of a text, on one line; an empty one is said to be empty."""
    shown = " ".join(text[: 4 * _LENGTH].split())
    if not shown:
        return "an empty answer"
    cut = len(shown) > _LENGTH or len(text) > 4 * _LENGTH
    return f'"{shown[:_LENGTH]}…"' if cut else f'"{shown}"'


def around(text: str, words: str) -> str:
    """Quote the text around the first place where it has the words, else its beginning.

    Case and the kind of whitespace are ignored. Words that only match after normalisation are not
    found here, which costs the reader an excerpt and the verdict nothing.
    """
    pattern = r"\s+".join(map(re.escape, words.split()))
    match = re.search(pattern, text, re.IGNORECASE)
    if match is None:
        return beginning(text)
    low, high = max(0, match.start() - _MARGIN), min(match.end(), match.start() + _LENGTH) + _MARGIN
    shown = " ".join(text[low:high].split())
    return f'"{"…" if low else ""}{shown}{"…" if high < len(text) else ""}"'
