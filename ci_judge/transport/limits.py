"""How much of an answer is read, and what is raised inside this package when it is too much."""

MAX_BODY_BYTES = 10 * 1024 * 1024
"""The most that is read of one body, after decompression."""


class TooLarge(Exception):
    """The body is larger than the limit."""


class Undecodable(Exception):
    """The body cannot be decompressed; the text says why."""
