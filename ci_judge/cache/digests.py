"""Keys of the cache."""

import hashlib
import json
from typing import Any


def digest(*parts: Any) -> bytes:
    """Return the SHA-256 of JSON values: what cannot be told apart from it cannot be read either.

    JSON keeps the parts apart, so ("ab", "c") is not ("a", "bc"); the order of keys counts, as it
    does to whoever reads the material. Half an emoji is no obstacle.
    """
    text = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).digest()
