"""Anthropic's Messages API."""

from dataclasses import dataclass
from typing import Any

from ci_judge.judges.addresses import (
    USUAL_BASE_URLS,
    anthropic_address,
    anthropic_model_address,
)
from ci_judge.judges.asking import Asked, Line, Said
from ci_judge.judges.chat import ChatJudge
from ci_judge.judges.chat_wire import ChatWire, Heard, Letter, Mode, Silence
from ci_judge.judges.counting import token_count
from ci_judge.judges.parts import JudgeParts
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Usage
from ci_judge.visible_text import one_line

DEFAULT_BASE_URL = USUAL_BASE_URLS["anthropic"]
_API_VERSION = "2023-06-01"


def build_anthropic(parts: JudgeParts) -> ChatJudge:
    return ChatJudge(
        identity=parts.chat_identity(parts.needed_model()),
        wire=anthropic_wire(parts),
        manner=parts.manner(),
    )


def anthropic_wire(parts: JudgeParts) -> ChatWire:
    """Give the way to the model, for letters of any form."""
    model = parts.needed_model()
    address = anthropic_address(parts.settings.base_url or DEFAULT_BASE_URL)
    dialect = _Messages(model=model, temperature=parts.settings.temperature)
    return parts.wire(dialect, parts.line(address, _headers(parts.key)), model=model)


def anthropic_model_line(parts: JudgeParts) -> Line:
    """Give the way to what the provider shows of the model; it knows aliases as well."""
    base_url = parts.settings.base_url or DEFAULT_BASE_URL
    address = anthropic_model_address(base_url, parts.needed_model())
    return parts.line(address, _headers(parts.key))


def _headers(key: str | None) -> dict[str, str]:
    version = {"anthropic-version": _API_VERSION}
    return version | {"x-api-key": key} if key else version


@dataclass(frozen=True, slots=True, kw_only=True)
class _Messages:
    model: str
    temperature: float | None

    def body(self, letter: Letter, mode: Mode) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": mode.max_tokens,
            "system": letter.system,
            "messages": [{"role": "user", "content": letter.user}],
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if mode.with_schema:
            schema = {"type": "json_schema", "schema": letter.form.schema}
            body["output_config"] = {"format": schema}
        return body

    def heard(self, said: Said) -> Heard:
        usage = said.body.get("usage")
        read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        return Heard(
            words=_words(said),
            usage=Usage(
                input_tokens=token_count(usage, *read),
                output_tokens=token_count(usage, "output_tokens"),
            ),
        )


def _words(said: Said) -> str | Silence:
    body, asked = said.body, said.asked
    content, stop = body.get("content"), body.get("stop_reason")
    blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
    match stop:
        case "refusal":
            message = f"{asked.name} refused to answer{_category(body.get('stop_details'))}"
            return Silence(code=FailureCode.REFUSED, message=message)
        case "max_tokens":
            message = f"the reply was cut at the token limit ({asked.more_room})"
            return Silence(code=FailureCode.TRUNCATED, message=message)
        case "model_context_window_exceeded":
            message = f"what is asked is longer than the context of {asked.name}"
            return Silence(code=FailureCode.TOO_LARGE, message=message)
        case _:
            return _text(blocks, stop, asked)


def _text(blocks: list[dict[str, Any]], stop: Any, asked: Asked) -> str | Silence:
    tool = next((b for b in blocks if b.get("type") == "tool_use"), None)
    if tool is not None:
        name = one_line(str(tool.get("name")), limit=60)
        message = f"{asked.name} made a tool call ('{name}') instead of answering"
        return Silence(code=FailureCode.UNREADABLE_VERDICT, message=message)
    texts = [
        b["text"] for b in blocks if b.get("type") == "text" and isinstance(b.get("text"), str)
    ]
    if not "".join(texts).strip():
        seen = ", ".join(one_line(str(b.get("type")), limit=40) for b in blocks[:5]) or "none"
        message = (
            f"the reply holds no text (blocks: {seen}; stop_reason {one_line(str(stop), limit=40)})"
        )
        return Silence(code=FailureCode.EMPTY, message=message)
    return "".join(texts)


def _category(details: Any) -> str:
    category = details.get("category") if isinstance(details, dict) else None
    return f" ({one_line(category, limit=80)})" if isinstance(category, str) else ""
