"""Chat completions of OpenAI and of every server that speaks like it."""

from dataclasses import dataclass
from typing import Any

from ci_judge.judges.addresses import openai_address, query_of
from ci_judge.judges.asking import Line, Said
from ci_judge.judges.chat import ChatJudge, Heard, Mode, Silence
from ci_judge.judges.counting import token_count
from ci_judge.judges.error_body import error_sentence
from ci_judge.judges.parts import JudgeParts
from ci_judge.judges.prompt import Prompt
from ci_judge.judges.verdict_schema import verdict_schema
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Usage
from ci_judge.visible_text import one_line

DEFAULT_BASE_URL = "https://api.openai.com/v1"


def build_openai(parts: JudgeParts) -> ChatJudge:
    base_url = parts.settings.base_url or DEFAULT_BASE_URL
    model = parts.needed_model()
    return ChatJudge(
        identity=parts.chat_identity(model),
        dialect=_ChatCompletions(model=model, temperature=parts.settings.temperature),
        line=_line(parts, base_url),
        manner=parts.manner(),
    )


def _line(parts: JudgeParts, base_url: str) -> Line:
    headers = {}
    if parts.key:
        headers["authorization"] = f"Bearer {parts.key}"
        if "api-version=" in query_of(base_url):
            headers["api-key"] = parts.key  # Azure's name for it
    return parts.line(openai_address(base_url), headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChatCompletions:
    model: str
    temperature: float | None

    def body(self, prompt: Prompt, mode: Mode) -> dict[str, Any]:
        limit = "max_tokens" if mode.old_limit_name else "max_completion_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            limit: mode.max_tokens,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if mode.with_schema:
            schema = {"name": "verdict", "strict": True, "schema": verdict_schema(prompt.items)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def heard(self, said: Said) -> Heard:
        usage = said.body.get("usage")
        return Heard(
            words=_words(said),
            usage=Usage(
                input_tokens=token_count(usage, "prompt_tokens"),
                output_tokens=token_count(usage, "completion_tokens"),
            ),
        )


def _words(said: Said) -> str | Silence:
    choices = said.body.get("choices")
    if not isinstance(choices, list) or not choices:
        return _no_choice(said)
    if len(choices) > 1:
        several = f"the reply holds {len(choices)} choices where one was asked for"
        return Silence(code=FailureCode.UNREADABLE_VERDICT, message=several)
    choice = choices[0] if isinstance(choices[0], dict) else {}
    message = choice.get("message")
    return _message_words(message if isinstance(message, dict) else {}, choice.get("finish_reason"))


def _no_choice(said: Said) -> Silence:
    if said.body.get("error"):
        message = f"the server answered with an error: {error_sentence(said.reply)}"
        return Silence(code=FailureCode.UNREADABLE_VERDICT, message=message)
    return Silence(code=FailureCode.EMPTY, message="the reply holds no choices")


def _message_words(message: dict[str, Any], finish: Any) -> str | Silence:
    refusal, text = message.get("refusal"), _text(message.get("content"))
    if isinstance(refusal, str) and refusal:
        said = one_line(refusal, limit=200)
        return Silence(code=FailureCode.REFUSED, message=f"the judge refused: {said}")
    if finish == "content_filter":
        message_ = "the judge's reply was refused by the provider's content_filter"
        return Silence(code=FailureCode.REFUSED, message=message_)
    if finish == "length":
        return Silence(
            code=FailureCode.TRUNCATED,
            message="the reply was cut at the token limit (raise judge.max_tokens)",
        )
    if message.get("tool_calls") or message.get("function_call"):
        return _tool_call(message)
    if not text.strip():
        ended = one_line(str(finish), limit=40)
        return Silence(
            code=FailureCode.EMPTY, message=f"the reply was empty (finish_reason {ended})"
        )
    return text


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def _tool_call(message: dict[str, Any]) -> Silence:
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else {"function": message}
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    shown = one_line(name, limit=60) if isinstance(name, str) else "unnamed"
    return Silence(
        code=FailureCode.UNREADABLE_VERDICT,
        message=f"the judge made a tool call ('{shown}') instead of answering",
    )
