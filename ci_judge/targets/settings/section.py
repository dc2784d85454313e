"""The configuration sections ``target`` and ``targets``."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from ci_judge.file_schema import (
    Command,
    DottedPath,
    FileModel,
    FilledText,
    HttpUrl,
    Json,
    ListOf,
    Seconds,
    Secret,
    VariableName,
    VariableText,
    wrong,
)
from ci_judge.targets.settings.reply import CaptureSettings, UsageSettings
from ci_judge.targets.settings.request import (
    DEFAULT_BODIES,
    ContentType,
    Headers,
    Query,
    check_body,
)

_OF_ENDPOINTS = (
    *("url", "method", "headers", "query", "body", "content_type", "retries", "serve"),
    *("stream", "stream_path", "trace", "ca_bundle", "follow_redirects"),
)


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
    query: Query = Field(
        default_factory=dict,
        description="Query of the URL, name to value; a list repeats the name",
    )
    body: Json = Field(
        default=None,
        description='Body; "{{message}}" and "{{history}}" are filled in (unset: both)',
    )
    content_type: ContentType = Field(
        default="json", description="What the body is sent as: json, form or text"
    )
    response_path: DottedPath | None = Field(
        default=None,
        description="Dotted path of the answer in the JSON reply (unset: the whole body as text)",
    )
    stream: Literal["none", "sse", "ndjson"] = Field(
        default="none", description="How the reply comes in pieces: sse, ndjson, or not at all"
    )
    stream_path: DottedPath | None = Field(
        default=None,
        description="Dotted path of the piece of text in each event (unset, with sse: its data)",
    )
    timeout: Seconds = Field(
        default=60.0, description="Time limit of one request, to the last byte of its reply"
    )
    retries: Annotated[int, Field(ge=0, le=10)] = Field(
        default=2, description="Retries after refused connections, 408, 429 and 5xx"
    )
    usage: UsageSettings | None = Field(
        default=None, description="What answers cost (unset: only the judge's cost is counted)"
    )
    capture: CaptureSettings | None = Field(
        default=None, description="What else of the JSON reply is evidence, or sent back"
    )
    trace: bool = Field(
        default=True, description="Send a traceparent header; reports name the trace of each run"
    )
    ca_bundle: FilledText | None = Field(
        default=None, description="PEM file of further authorities to trust"
    )
    follow_redirects: bool = Field(
        default=False, description="Follow redirects; other origins get no configured header"
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
        if self.capture is None:
            return self
        if not self.replies_are_json:
            raise wrong(
                "needs response_path, without which a reply is text",
                hint="set response_path to where the answer stands in the JSON reply",
                key="capture",
            )
        if self.capture.session is not None:
            if self.command is not None:
                hint = "a program is told the whole history"
                raise wrong("is for url", hint=hint, key=("capture", "session"))
            if not self._sends("session"):
                hint = 'put "{{session}}" into body, query, headers or url'
                raise wrong("is sent back nowhere", hint=hint, key=("capture", "session"))
        return self

    @model_validator(mode="after")
    def _streams_what_can_be_read(self) -> Self:
        if self.stream == "none":
            if self.stream_path is not None:
                hint = "stream: sse, or ndjson"
                raise wrong("needs stream", hint=hint, key="stream_path")
        elif self.stream == "ndjson" and self.stream_path is None and self.response_path is None:
            hint = "where the piece of text stands in each line"
            raise wrong("is missing beside stream: ndjson", hint=hint, key="stream_path")
        return self

    @model_validator(mode="after")
    def _body_is_sent(self) -> Self:
        if self.method == "GET":
            for key in ("body", "content_type"):
                if key in self.model_fields_set and getattr(self, key) is not None:
                    hint = "use method: POST, or query"
                    raise wrong("is not sent with method GET", hint=hint, key=key)
        check_body(self.body, self.content_type)
        return self

    @property
    def address(self) -> str:
        """The URL, empty for a program."""
        return self.url or ""

    @property
    def body_template(self) -> Any:
        """What is sent, the default where none is configured; None where there is no body."""
        if self.method == "GET":
            return None
        return DEFAULT_BODIES[self.content_type] if self.body is None else self.body

    @property
    def replies_are_json(self) -> bool:
        """Whether a reply, or each event of it, must be JSON."""
        return self.response_path is not None or self.stream_path is not None

    @property
    def sends_history(self) -> bool:
        """Whether what was said before stands anywhere in the request."""
        return self.command is not None or self._sends("history")

    @property
    def names_the_conversation(self) -> bool:
        """Whether the turns of a conversation carry a text of their own: an id or a session."""
        return self._sends("uuid") or self._sends("session")

    @property
    def sends_message(self) -> bool:
        """Whether the scenario's message stands anywhere in the request."""
        return self.command is not None or self._sends("message")

    def _sends(self, name: str) -> bool:
        templates = f"{self.address}{self.query}{self.headers}{self.body_template}"
        return bool(re.search(rf"\{{\{{\s*{name}\s*\}}\}}", templates))
