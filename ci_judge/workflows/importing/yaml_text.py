"""YAML as a person would write it, that reads back as the very same values."""

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from ci_judge.model.suite import JsonValue
from ci_judge.visible_text import no_lone_surrogates, visible

_PLAIN = re.compile(r"[^\W\d_](?:[\w ,.'?!()/-]*[\w.'?!)/-])?")
_RESERVED = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"})
_PLAIN_CHARS: Final = 80
_WIDTH_CHARS: Final = 88


def yaml_block(value: JsonValue, *, indent: int = 0) -> str:
    """Write a map or a list in block style, each line indented by so many blanks."""
    return "\n".join(_lines(value, indent))


def _lines(value: JsonValue, indent: int) -> Iterator[str]:
    margin = " " * indent
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{margin}{_scalar(str(key), 0, short=True)}:{_below(item, indent + 2)}"
        return
    for item in value:
        if isinstance(item, Mapping | list | tuple) and item:
            first, *rest = _lines(item, indent + 2)
            yield f"{margin}- {first[indent + 2 :]}"
            yield from rest
        else:
            yield f"{margin}-{_below(item, indent + 2)}"


def _below(value: JsonValue, indent: int) -> str:
    """Write what stands behind a colon or a dash."""
    if isinstance(value, str):
        return f" {_scalar(value, indent, short=False)}"
    if isinstance(value, Mapping | list | tuple) and value:
        return "\n" + "\n".join(_lines(value, indent))
    return f" {json.dumps(value)}"


def _scalar(text: str, indent: int, *, short: bool) -> str:
    if _PLAIN.fullmatch(text) and len(text) <= _PLAIN_CHARS and text.lower() not in _RESERVED:
        return text
    if short or not _is_prose(text):
        return _quoted(text)
    margin = " " * indent
    if "\n" in text:
        style = "|" if text.endswith("\n") else "|-"
        lines = text.removesuffix("\n").split("\n")
        return "\n".join([style, *(f"{margin}{line}" if line else "" for line in lines)])
    lines = textwrap.wrap(text, _WIDTH_CHARS, break_long_words=False, break_on_hyphens=False)
    if " ".join(lines) != text or not (lines[1:] or '"' in text):
        return _quoted(text)
    return "\n".join([">-", *(margin + line for line in lines)])


def _is_prose(text: str) -> bool:
    """Tell whether a block can hold it: nothing invisible, no blanks where they would be lost."""
    lines = text.removesuffix("\n").split("\n")
    shown = visible(text, keep="\n") == text
    return shown and not any(line != line.strip() for line in lines) and all((lines[0], lines[-1]))


def _quoted(text: str) -> str:
    """Write text in double quotes, where the escapes of ``visible`` are those of YAML."""
    return visible(json.dumps(no_lone_surrogates(text), ensure_ascii=False), keep="")
