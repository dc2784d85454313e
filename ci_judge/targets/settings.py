"""The configuration sections ``target`` and ``targets``."""

import re
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from ci_judge.file_schema import (
    Command,
    DottedPath,
    FileModel,
    HttpUrl,
    Json,
    ListOf,
    Seconds,
    Secret,
    Text,
    VariableName,
    VariableText,
    wrong,
)

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OF_ENDPOINTS = ("url", "method", "headers", "body", "retries", "serve")
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def _header_name(name: str) -> str:
    if not _HEADER_NAME.fullmatch(name):
        raise wrong("is no name of a header")
    return name


def _header_value(text: str) -> str:
    if _CONTROLS.search(text):
        raise wrong("holds a line end or another control character")
    return text


def _each_once(headers: dict[str, str]) -> dict[str, str]:
    seen: set[str] = set()
    for name in headers:
        if name.lower() in seen:
            raise wrong("stands twice: headers do not tell case apart", key=name)
        seen.add(name.lower())
    return headers


Headers: TypeAlias = Annotated[
    dict[
        Annotated[str, AfterValidator(_header_name)],
        Annotated[Text, Secret(), AfterValidator(_header_value)],
    ],
    AfterValidator(_each_once),
]


Usd: TypeAlias = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class UsageSettings(FileModel):
    """What the target's answers cost, so that reports and ``max_cost`` can tell."""

    input_path: DottedPath | None = Field(
        default=None, description="Dotted path of the count of input tokens in the JSON reply"
    )
    output_path: DottedPath | None = Field(
        default=None, description="Dotted path of the count of output tokens in the JSON reply"
    )
    input_price: Usd | None = Field(default=None, description="USD per million input tokens")
    output_price: Usd | None = Field(default=None, description="USD per million output tokens")
    per_request: Usd = Field(default=0.0, description="USD per request, besides tokens")

    @model_validator(mode="after")
    def _paths_have_prices(self) -> Self:
        for kind in ("input", "output"):
            path, price = f"{kind}_path", f"{kind}_price"
            if (getattr(self, path) is None) != (getattr(self, price) is None):
                absent, given = (path, price) if getattr(self, path) is None else (price, path)
                raise wrong(f"is missing beside {given}", key=absent)
        if not self.per_request and self.input_path is None and self.output_path is None:
            raise wrong("holds no price", hint="set per_request, or paths and their prices")
        return self


class CaptureSettings(FileModel):
    """What else of every JSON reply is evidence. What is not there is no error."""

    tools: DottedPath | None = Field(
        default=None, description="Dotted path of the tool calls in the JSON reply"
    )
    context: DottedPath | None = Field(
        default=None, description="Dotted path of the retrieved passages in the JSON reply"
    )

    @model_validator(mode="after")
    def _holds_a_path(self) -> Self:
        if self.tools is None and self.context is None:
            raise wrong("holds no path", hint="set tools, context, or both")
        return self


class ServeSettings(FileModel):
    """How to start the system under test, and how to know that it is up."""

    command: Command = Field(
        description="Command that starts the target: text, or a list of program and arguments"
    )
    ready_url: HttpUrl = Field(description="URL that answers as soon as the target is up")
    timeout: Seconds = Field(default=30.0, description="How long to wait for ready_url")
    env: ListOf[VariableName] | Annotated[dict[VariableName, VariableText], Secret()] = Field(
        default=(), description="Variables for the command: a list of names, or names with values"
    )
    reuse: bool = Field(
        default=False, description="Use what already answers at ready_url instead of refusing it"
    )

    @property
    def passed_names(self) -> tuple[str, ...]:
        """The variables of our own environment that the command gets."""
        return self.env if isinstance(self.env, tuple) else ()

    @property
    def set_variables(self) -> dict[str, str]:
        """The variables whose values the configuration gives."""
        return {} if isinstance(self.env, tuple) else self.env


def _url_or_command(schema: dict[str, Any]) -> None:
    """Say in the JSON Schema that it is one of the two."""
    schema["oneOf"] = [{"required": ["url"]}, {"required": ["command"]}]


class TargetSettings(FileModel):
    """The system under test: an HTTP endpoint, or a program."""

    model_config = ConfigDict(json_schema_extra=_url_or_command)

    url: HttpUrl | None = Field(default=None, description="URL of the endpoint under test")
    command: Command | None = Field(
        default=None,
        description="Program under test instead of url: JSON in, answer out, without a shell",
    )
    env: ListOf[VariableName] = Field(
        default=(), description="Names of variables that target.command may see"
    )
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = Field(
        default="POST", description="HTTP method"
    )
    headers: Headers = Field(default_factory=dict, description="HTTP headers, name to value")
    body: Json = Field(
        default=None,
        description='JSON body; "{{message}}" and "{{history}}" are filled in (unset: both)',
    )
    response_path: DottedPath | None = Field(
        default=None,
        description="Dotted path of the answer in the JSON reply (unset: the whole body as text)",
    )
    timeout: Seconds = Field(default=60.0, description="Time limit of one request")
    retries: Annotated[int, Field(ge=0, le=10)] = Field(
        default=2, description="Retries after refused connections, 408, 429 and 5xx"
    )
    usage: UsageSettings | None = Field(
        default=None, description="What answers cost (unset: only the judge's cost is counted)"
    )
    capture: CaptureSettings | None = Field(
        default=None, description="What else of the JSON reply the judge is shown"
    )
    serve: ServeSettings | None = Field(
        default=None, description="Start the target before the run and stop it afterwards"
    )

    @model_validator(mode="after")
    def _is_an_endpoint_or_a_program(self) -> Self:
        if self.command is None:
            if self.url is None:
                hint = "the endpoint under test, or a program in command"
                raise wrong("is missing", hint=hint, key="url")
            if self.env:
                raise wrong("is for command", hint="remove it", key="env")
            return self
        for key in _OF_ENDPOINTS:
            if getattr(self, key) != type(self).model_fields[key].get_default(
                call_default_factory=True
            ):
                hint = "keep one of the two" if key == "url" else "remove it"
                raise wrong("does not go with command", hint=hint, key=key)
        return self

    @model_validator(mode="after")
    def _captures_from_json(self) -> Self:
        if self.capture is not None and self.response_path is None:
            raise wrong(
                "needs response_path, without which a reply is text",
                hint="set response_path to where the answer stands in the JSON reply",
                key="capture",
            )
        return self

    @property
    def address(self) -> str:
        """The URL, empty for a program."""
        return self.url or ""

    @model_validator(mode="after")
    def _body_is_sent(self) -> Self:
        if self.method == "GET" and self.body is not None:
            raise wrong("is not sent with method GET", hint="use method: POST", key="body")
        return self

    @property
    def sends_history(self) -> bool:
        """Whether what was said before stands anywhere in the request."""
        if self.command is not None or (self.body is None and self.method != "GET"):
            return True
        return bool(re.search(r"\{\{\s*history\s*\}\}", f"{self.address}{self.body}"))

    @property
    def names_the_conversation(self) -> bool:
        """Whether the turns of a conversation carry the same text of their own: ``{{uuid}}``."""
        return bool(re.search(r"\{\{\s*uuid\s*\}\}", f"{self.address}{self.headers}{self.body}"))

    @property
    def sends_message(self) -> bool:
        """Whether the scenario's message stands anywhere in the request."""
        if self.command is not None or (self.body is None and self.method != "GET"):
            return True
        return bool(re.search(r"\{\{\s*message\s*\}\}", f"{self.address}{self.headers}{self.body}"))
