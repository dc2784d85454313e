"""Takes the power from control tokens of chat models that stand in the evidence.

Servers that run a model from its template read them inside a message too: an answer that holds one
would end the judge's message and begin another in any role. A space behind the first bracket makes
plain text of them, which people and judges still recognise.
"""

import re

_TOKEN = re.compile(
    r"(?P<bracket><<|[<\[])"
    r"(?=[|\uff5c][^\s<>|\uff5c]{1,60}[|\uff5c]>|/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|/?SYS>>|(?:start|end)_of_(?:turn|image)>|/?(?:s|bos|eos|pad|unk|sep|cls|mask)>"
    r"|/?(?:think|tool_call|tool_response)>)",
    re.IGNORECASE,
)


def without_control_tokens(text: str) -> str:
    """Return the text with a space behind the first bracket of every control token."""
    if "<" not in text and "[" not in text:
        return text
    return _TOKEN.sub(r"\g<bracket> ", text)
