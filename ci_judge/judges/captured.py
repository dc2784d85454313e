"""What the target told besides its answers, for judges that are sent JSON."""

from ci_judge.model.evidence import Conversation
from ci_judge.model.suite import JsonValue


def captured_evidence(conversation: Conversation) -> dict[str, list[JsonValue]]:
    """Return ``context`` and ``tools``: one value an answer in order, None where it has none.

    A key is there only where any answer has a value, so that evidence without is as it ever was.
    """
    replies = conversation.replies
    found: dict[str, list[JsonValue]] = {
        "context": [reply.context for reply in replies],
        "tools": [reply.tools for reply in replies],
    }
    return {
        key: values for key, values in found.items() if any(value is not None for value in values)
    }
