"""Secrets: which they are, how they may come back, and out of every text."""

from ci_judge.redaction.redactor import (
    LEAST_CHARS,
    MASK,
    WITHHELD,
    Redactor,
    SecretsFound,
    Substitute,
    header_secrets,
    secret_values,
    url_secrets,
)

__all__ = [
    "LEAST_CHARS",
    "MASK",
    "WITHHELD",
    "Redactor",
    "SecretsFound",
    "Substitute",
    "header_secrets",
    "secret_values",
    "url_secrets",
]
