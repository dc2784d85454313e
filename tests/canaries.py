"""Secrets that sing: put in every way there is, they must come out nowhere, however written."""

import base64
import html
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus


def spellings(secret: str) -> dict[str, str]:
    """Give the ways in which programs write a secret, by name, as a program would print it."""
    data = secret.encode()
    return {
        "raw": secret,
        "url": quote(secret, safe=""),
        "form": quote_plus(secret),
        "json": json.dumps(secret)[1:-1],
        "html": html.escape(secret),
        "hex": data.hex(),
        **{
            f"base64 at {offset}": base64.b64encode(b"x" * offset + data + b"yz").decode()
            for offset in range(3)
        },
        "base64 for urls": base64.urlsafe_b64encode(data).decode(),
    }


def traces(text: str, secret: str) -> Iterator[str]:
    """Yield the spellings of the secret that are found in a text, by name.

    Of base64 it is the part that is the secret's alone, whatever was encoded around it.
    """
    data = secret.encode()
    looked_for = {
        "raw": secret,
        "url": quote(secret, safe=""),
        "json": json.dumps(secret)[1:-1],
        "json twice": json.dumps(json.dumps(secret)[1:-1])[1:-1],
        "html": html.escape(secret),
        "hex": data.hex(),
    }
    for offset in range(3):
        whole = base64.b64encode(bytes(offset) + data).decode()
        core = whole[(offset * 8 + 5) // 6 : (offset + len(data)) * 8 // 6]
        looked_for[f"base64 at {offset}"] = core
        looked_for[f"base64 for urls at {offset}"] = core.replace("+", "-").replace("/", "_")
    yield from (name for name, spelling in looked_for.items() if spelling in text)
