"""Conversations as JSON for the cache, and back."""

from dataclasses import fields
from typing import Any

from ci_judge.model.evidence import Conversation, Reply
from ci_judge.model.suite import Message

_REPLY_KEYS = tuple(field.name for field in fields(Reply))


def conversation_entry(conversation: Conversation) -> dict[str, Any]:
    """Write down everything that was said, and how long it took."""
    return {
        "transcript": [
            {"role": message.role, "content": message.content}
            for message in conversation.transcript
        ],
        "replies": [
            {key: getattr(reply, key) for key in _REPLY_KEYS} for reply in conversation.replies
        ],
    }


def read_conversation(entry: Any) -> Conversation | None:
    """Read an entry back, None unless it has the shape that is written today."""
    match entry:
        case {"transcript": [*messages], "replies": [_, *_] as replies}:
            try:
                return Conversation(
                    transcript=tuple(Message(**message) for message in messages),
                    replies=tuple(_reply(reply) for reply in replies),
                )
            except (TypeError, KeyError):
                return None
        case _:
            return None


def _reply(entry: dict[str, Any]) -> Reply:
    return Reply(**{key: entry[key] for key in _REPLY_KEYS})
