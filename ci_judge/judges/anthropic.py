"""Anthropic's Messages API."""

from dataclasses import dataclass
from typing import Any

from ci_judge.judges.addresses import anthropic_address
from ci_judge.judges.asking import Said
from ci_judge.judges.chat import ChatJudge, Heard, Mode, Silence
from ci_judge.judges.counting import token_count
from ci_judge.judges.parts import JudgeParts
from ci_judge.judges.prompt import Prompt
from ci_judge.judges.verdict_schema import verdict_schema
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Usage
from ci_judge.visible_text import one_line

DEFAULT_BASE_URL = "https://api.anthropic.com"
_API_VERSION = "2023-06-01"


def build_anthropic(parts: JudgeParts) -> ChatJudge:
    headers = {"anthropic-version": _API_VERSION}
    if parts.key:
        headers["x-api-key"] = parts.key
    model = parts.needed_model()
    address = anthropic_address(parts.settings.base_url or DEFAULT_BASE_URL)
    return ChatJudge(
        identity=parts.chat_identity(model),
        dialect=_Messages(model=model, temperature=parts.settings.temperature),
        line=parts.line(address, headers),
        manner=parts.manner(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Messages:
    model: str
    temperature: float | None

    def body(self, prompt: Prompt, mode: Mode) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": mode.max_tokens,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if mode.with_schema:
            schema = {"type": "json_schema", "schema": verdict_schema(prompt.items)}
            body["output_config"] = {"format": schema}
        return body

    def heard(self, said: Said) -> Heard:
        usage = said.body.get("usage")
        read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        return Heard(
            words=_words(said.body),
            usage=Usage(
                input_tokens=token_count(usage, *read),
                output_tokens=token_count(usage, "output_tokens"),
            ),
        )


def _words(body: dict[str, Any]) -> str | Silence:
    content, stop = body.get("content"), body.get("stop_reason")
    blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
    match stop:
        case "refusal":
            message = f"the judge refused to answer{_category(body.get('stop_details'))}"
            return Silence(code=FailureCode.REFUSED, message=message)
        case "max_tokens":
            message = "the reply was cut at the token limit (raise judge.max_tokens)"
            return Silence(code=FailureCode.TRUNCATED, message=message)
        case "model_context_window_exceeded":
            message = "the evidence is longer than the judge's context"
            return Silence(code=FailureCode.TOO_LARGE, message=message)
        case _:
            return _text(blocks, stop)


def _text(blocks: list[dict[str, Any]], stop: Any) -> str | Silence:
    tool = next((b for b in blocks if b.get("type") == "tool_use"), None)
    if tool is not None:
        name = one_line(str(tool.get("name")), limit=60)
        message = f"the judge made a tool call ('{name}') instead of answering"
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
