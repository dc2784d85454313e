"""Random numbers that depend on what they are for, never on when they are asked for."""

import hashlib
import json

DRAW_BITS = 53
SEED_LIMIT = 1 << DRAW_BITS
_SPARE_BITS = 3  # seven bytes hold 56


def draw(
    *, seed: int, test_id: str, run: int, repetition: int, judge_index: int, item: int
) -> float:
    r"""Return u in [0, 1): the first 53 bits of a SHA-256, divided by 2^53.

    Hashed is the compact JSON array ``[seed, test_id, run, repetition, judge_index, item]`` in
    ASCII (other characters as ``\u`` escapes). All but the seed count from 1; the seed is in
    [0, 2^53). Raises ValueError otherwise.
    """
    if not 0 <= seed < SEED_LIMIT:
        raise ValueError(f"seed must be at least 0 and below 2^53, not {seed}")
    counted = (run, repetition, judge_index, item)
    if min(counted) < 1:
        raise ValueError(f"run, repetition, judge and item count from 1, not {counted}")
    name = json.dumps([seed, test_id, *counted], separators=(",", ":"))
    digest = hashlib.sha256(name.encode("ascii")).digest()
    first_bits = int.from_bytes(digest[:7], "big") >> _SPARE_BITS
    return first_bits / SEED_LIMIT
