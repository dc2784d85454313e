"""The configuration sections ``target`` and ``targets``."""

import re
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from ci_judge.file_schema import (
    DottedPath,
    FileModel,
    FilledText,
    HttpUrl,
    Json,
    ListOf,
    Seconds,
    Secret,
    Text,
    VariableName,
    wrong,
)

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
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


class ServeSettings(FileModel):
    """How to start the system under test, and how to know that it is up."""

    command: FilledText | Annotated[ListOf[FilledText], Field(min_length=1)] = Field(
        description="Command that starts the target: text, or a list of program and arguments"
    )
    ready_url: HttpUrl = Field(description="URL that answers as soon as the target is up")
    timeout: Seconds = Field(default=30.0, description="How long to wait for ready_url")
    env: ListOf[VariableName] | Annotated[dict[VariableName, Text], Secret()] = Field(
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


class TargetSettings(FileModel):
    """The HTTP endpoint under test."""

    url: HttpUrl = Field(description="URL of the endpoint under test")
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
    serve: ServeSettings | None = Field(
        default=None, description="Start the target before the run and stop it afterwards"
    )

    @model_validator(mode="after")
    def _body_is_sent(self) -> Self:
        if self.method == "GET" and self.body is not None:
            raise wrong("is not sent with method GET", hint="use method: POST", key="body")
        return self

    @property
    def sends_history(self) -> bool:
        """Whether what was said before stands anywhere in the request."""
        if self.body is None and self.method != "GET":
            return True
        return bool(re.search(r"\{\{\s*history\s*\}\}", f"{self.url}{self.body}"))

    @property
    def names_the_conversation(self) -> bool:
        """Whether the turns of a conversation carry the same text of their own: ``{{uuid}}``."""
        return bool(re.search(r"\{\{\s*uuid\s*\}\}", f"{self.url}{self.headers}{self.body}"))

    @property
    def sends_message(self) -> bool:
        """Whether the scenario's message stands anywhere in the request."""
        if self.body is None and self.method != "GET":
            return True
        return bool(re.search(r"\{\{\s*message\s*\}\}", f"{self.url}{self.headers}{self.body}"))
