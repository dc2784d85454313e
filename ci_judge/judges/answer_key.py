"""Under which key the answer of a judge that is reached over HTTP can be kept."""

from collections.abc import Mapping
from typing import Any

from ci_judge.cache import digest
from ci_judge.judges.asking import Line
from ci_judge.model.judging import JudgeIdentity

FIXED_MARK = "mark-of-cache-keys"
"""Stands in a key for the random mark of a prompt, which is another in every request."""


def answer_key(identity: JudgeIdentity, line: Line, body: Mapping[str, Any]) -> bytes:
    """Digest what is asked, of whom, and how. The key to the door changes no answer."""
    return digest(identity.provider, identity.wire, identity.prompt_version, line.url, dict(body))
