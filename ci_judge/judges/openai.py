"""Chat completions of OpenAI and of every server that speaks like it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ci_judge.judges.addresses import (
    USUAL_BASE_URLS,
    is_azure,
    openai_address,
    openai_model_address,
)
from ci_judge.judges.asking import Asked, Line, Said
from ci_judge.judges.chat import ChatJudge
from ci_judge.judges.chat_wire import ChatWire, Heard, Letter, Mode, Silence
from ci_judge.judges.counting import token_count
from ci_judge.judges.error_body import error_words
from ci_judge.judges.likelihoods import LikelihoodProblem, read_likelihoods
from ci_judge.judges.parts import JudgeParts
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Decision, Opinion, Usage
from ci_judge.visible_text import one_line

DEFAULT_BASE_URL = USUAL_BASE_URLS["openai"]
_CANDIDATES = 5  # tokens listed beside the chosen one: the most that every server grants


def build_openai(parts: JudgeParts) -> ChatJudge:
    dialect = _dialect(parts)
    return ChatJudge(
        identity=parts.chat_identity(dialect.model),
        wire=_wire(parts, dialect),
        manner=parts.manner(),
        weigh=dialect.opinions,
    )


def openai_wire(parts: JudgeParts) -> ChatWire:
    """Give the way to the model, for letters of any form."""
    return _wire(parts, _dialect(parts))


def _wire(parts: JudgeParts, dialect: "_ChatCompletions") -> ChatWire:
    line = parts.line(openai_address(_base_url(parts)), _headers(parts))
    return parts.wire(dialect, line, model=dialect.model)


def _dialect(parts: JudgeParts) -> "_ChatCompletions":
    settings = parts.settings
    return _ChatCompletions(
        model=parts.needed_model(), temperature=settings.temperature, logprobs=settings.logprobs
    )


def openai_model_line(parts: JudgeParts) -> Line:
    """Give the way to what the server shows of the model."""
    address = openai_model_address(_base_url(parts), parts.needed_model())
    return parts.line(address, _headers(parts))


def _base_url(parts: JudgeParts) -> str:
    return parts.settings.base_url or DEFAULT_BASE_URL


def _headers(parts: JudgeParts) -> dict[str, str]:
    """Return the headers that carry the key.

    Azure has a header of its own for its keys; its short-lived tokens go where all tokens go.
    """
    if parts.key is None:
        return {}
    if is_azure(_base_url(parts)) and not _is_token(parts.key):
        return {"api-key": parts.key}
    return {"authorization": f"Bearer {parts.key}"}


def _is_token(key: str) -> bool:
    return key.startswith("eyJ") and key.count(".") == 2  # noqa: PLR2004 - a JSON web token


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChatCompletions:
    model: str
    temperature: float | None
    logprobs: bool

    def body(self, letter: Letter, mode: Mode) -> dict[str, Any]:
        limit = "max_tokens" if mode.old_limit_name else "max_completion_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": letter.system},
                {"role": "user", "content": letter.user},
            ],
            limit: mode.max_tokens,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if mode.with_schema:
            form = letter.form
            schema = {"name": form.name, "strict": True, "schema": form.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if self.logprobs:
            body |= {"logprobs": True, "top_logprobs": _CANDIDATES}
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

    def opinions(self, said: Said, decisions: Sequence[Decision]) -> tuple[Opinion, ...] | Silence:
        if not self.logprobs:
            return tuple(decisions)
        likelihoods = read_likelihoods(_first_choice(said), decisions)
        if isinstance(likelihoods, LikelihoodProblem):
            return Silence(code=FailureCode.UNREADABLE_VERDICT, message=likelihoods.message)
        return likelihoods


def _first_choice(said: Said) -> dict[str, Any]:
    choices = said.body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _words(said: Said) -> str | Silence:
    choices = said.body.get("choices")
    if not isinstance(choices, list) or not choices:
        return _no_choice(said)
    if len(choices) > 1:
        several = f"the reply holds {len(choices)} choices where one was asked for"
        return Silence(code=FailureCode.UNREADABLE_VERDICT, message=several)
    choice = _first_choice(said)
    if choice.get("error"):
        return _server_error(choice, said)
    message = choice.get("message")
    said_words = message if isinstance(message, dict) else {}
    return _message_words(said_words, choice.get("finish_reason"), said)


def _no_choice(said: Said) -> Silence:
    if said.body.get("error"):
        return _server_error(said.body, said)
    return Silence(code=FailureCode.EMPTY, message="the reply holds no choices")


def _server_error(holder: dict[str, Any], said: Said) -> Silence:
    """Say what stands in a successful answer that is none: routers pass errors on like this."""
    words = error_words(holder["error"], redact=said.reply.redact)
    message = f"the server answered with an error: {words}"
    return Silence(code=FailureCode.UNREADABLE_VERDICT, message=message)


def _message_words(message: dict[str, Any], finish: Any, said: Said) -> str | Silence:
    asked = said.asked
    refusal, text = message.get("refusal"), _text(message.get("content"))
    if isinstance(refusal, str) and refusal:
        why = one_line(said.reply.redact(refusal), limit=200)
        return Silence(code=FailureCode.REFUSED, message=f"{asked.name} refused: {why}")
    if finish == "content_filter":
        message_ = f"the reply of {asked.name} was refused by the provider's content_filter"
        return Silence(code=FailureCode.REFUSED, message=message_)
    if finish == "length":
        return Silence(
            code=FailureCode.TRUNCATED,
            message=f"the reply was cut at the token limit ({asked.more_room})",
        )
    if message.get("tool_calls") or message.get("function_call"):
        return _tool_call(message, asked)
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


def _tool_call(message: dict[str, Any], asked: Asked) -> Silence:
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else {"function": message}
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    shown = one_line(name, limit=60) if isinstance(name, str) else "unnamed"
    return Silence(
        code=FailureCode.UNREADABLE_VERDICT,
        message=f"{asked.name} made a tool call ('{shown}') instead of answering",
    )
