"""Roughly how many tokens a text has, and how many a model takes at once."""

import re
from collections.abc import Iterable

CHARS_A_TOKEN = 4
"""Of English text, as providers say of their own tokenizers; other scripts are counted as one."""

PROMPT_TOKENS = 800
"""About what the words around a judge's question come to."""

SMALL_CONTEXT = 8_192
"""What a model is taken to read at once when nothing is known of it: many local servers' limit."""

_CONTEXTS = (
    (r"claude-", 200_000),
    (r"gpt-4\.1", 1_000_000),
    (r"gpt-5", 272_000),
    (r"gpt-4o|gpt-4-turbo|o[134]\b", 128_000),
)


def estimated_tokens(texts: Iterable[str]) -> int:
    """Estimate, from above rather than below for other scripts; off by a third is usual."""
    return sum(map(_tokens, texts))


def context_of(model: str | None) -> int | None:
    """Return how many tokens a model takes at least, None where it is not known by its name."""
    found = (size for name, size in _CONTEXTS if model and re.match(name, model))
    return next(found, None)


def _tokens(text: str) -> int:
    plain = sum(letter.isascii() for letter in text)
    return len(text) - plain + -(-plain // CHARS_A_TOKEN)
