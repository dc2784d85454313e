"""What a request to a target is made of, as the configuration writes it."""

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, Strict, WithJsonSchema

from ci_judge.file_schema import AsWritten, FilledText, Secret, Text, Wanted, wrong

ContentType: TypeAlias = Literal["json", "form", "text"]
"""What a body is sent as."""

DEFAULT_BODIES: dict[ContentType, Any] = {
    "json": {"message": "{{message}}", "history": "{{history}}"},
    "form": {"message": "{{message}}", "history": "{{history}}"},
    "text": "{{message}}",
}
"""What is sent where no body is configured."""

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


def _one_as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Query: TypeAlias = dict[
    FilledText,
    Annotated[
        Annotated[tuple[Text, ...], Field(min_length=1)],
        Strict(strict=False),
        AsWritten(),
        BeforeValidator(_one_as_list),
        Wanted("text or a list of texts"),
        WithJsonSchema(
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
        ),
    ],
]
"""Name to value; a list of values repeats the name."""


def check_body(body: Any, content_type: ContentType) -> None:
    """Refuse (by the ``wrong`` error) a body that cannot be sent as this; None is the default."""
    if body is None or content_type == "json":
        return
    if content_type == "text" and not isinstance(body, str):
        raise wrong(
            "must be one text with content_type text",
            hint='such as "{{message}}"',
            key="body",
        )
    if content_type == "form":
        _check_form(body)


def _check_form(body: Any) -> None:
    if not isinstance(body, dict):
        hint = "names and values: message: '{{message}}'"
        raise wrong("must be a map with content_type form", hint=hint, key="body")
    for name, value in body.items():
        if not isinstance(value, str | int | float):
            hint = "a form is flat; to send more as JSON text, write it as one text"
            raise wrong("must be text or a number in a form", hint=hint, key=("body", name))
