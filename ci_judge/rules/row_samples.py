"""Which rows of a dataset a sample holds: the same ones wherever they stand in the file."""

import hashlib
import json

from ci_judge.model.suite import JsonValue


def row_rank(*, seed: int, template: str, row: JsonValue) -> bytes:
    """Return what a row is sorted by; a sample of N are the N rows that come first.

    ``row`` is what makes the row this one: its id, or all that it holds. The rank depends on
    nothing else, so other rows that come, go or move change the membership of none but the last.
    Hashed (SHA-256) is the compact JSON array ``[seed, template, row]`` with sorted keys.
    """
    text = json.dumps([seed, template, row], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).digest()
