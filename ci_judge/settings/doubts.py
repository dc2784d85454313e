"""What is valid in a configuration and probably not what was meant."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ci_judge.errors import Problem
from ci_judge.file_schema import DataPath, LoadedFile
from ci_judge.file_schema.wording import path_text
from ci_judge.settings.sections import ConfigFile
from ci_judge.settings.variables import REFERENCE, templated_paths
from ci_judge.targets.settings import TargetSettings

_SHELL_VARIABLE = re.compile(r"(?<![^\s:=/?&'\"(])\$([A-Z_][A-Z0-9_]{2,})(?!\w)")
_EXPRESSION = re.compile(
    r"\$\{\{\s*(?:secrets|env|vars|github|inputs|steps|needs|matrix)\s*[.\[]\s*['\"]?(\w+)"
)
_SECRET_HEADERS = re.compile(r".*(authorization|api-?key|token|secret|cookie)", re.IGNORECASE)
_SHELL_WORDS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1", "cd", "export"})


def expression_problems(written: LoadedFile) -> Iterator[Problem]:
    """Refuse ``${{ secrets.NAME }}``, which only workflow files know."""
    for path, text in _templated_texts(written):
        found = _EXPRESSION.search(text)
        if found and "body" not in path:
            name = found[1]
            yield Problem(
                message=f"{_named(written, path)} holds a GitHub expression, which nothing fills "
                "in this file",
                hint=f"write ${{{name}}} here, and set the variable {name} in the workflow's env",
                place=written.place(path),
            )


def doubts(written: LoadedFile, config: ConfigFile) -> Iterator[str]:
    """Yield a sentence for each thing that a person should look at again.

    ``written`` is the data before ``${NAME}`` was filled in.
    """
    yield from map(str, _shell_variables(written))
    yield from map(str, _literal_secrets(written))
    yield from map(str, _shell_commands(written))
    targets = {f"targets.{name}": target for name, target in config.targets.items()}
    if config.target is not None:
        targets["target"] = config.target
    yield from _same_requests(targets)
    judge = config.judge
    if judge is not None and judge.mode == "sample" and judge.provider != "systemone":
        yield f"judge.mode sample changes nothing: {judge.provider} gives no likelihood"


def _same_requests(targets: Mapping[str, TargetSettings]) -> Iterator[str]:
    for section, target in targets.items():
        if not target.sends_message:
            yield f"{section} holds no {{{{message}}}}: every scenario sends it the same request"


def _shell_variables(written: LoadedFile) -> Iterator[Problem]:
    for path, text in _templated_texts(written):
        for found in _SHELL_VARIABLE.finditer(text):
            yield Problem(
                message=f"{_named(written, path)} holds ${found[1]}, which is sent as it stands",
                hint=f"did you mean ${{{found[1]}}}?",
                place=written.place(path),
            )


def _literal_secrets(written: LoadedFile) -> Iterator[Problem]:
    for path, text in _templated_texts(written):
        place = written.place(path)
        if place.file == written.file and _is_literal_secret(path, text):
            yield Problem(
                message=f"{_named(written, path)} stands in the file itself, for everybody to read",
                hint="write ${NAME}, and set that variable where the command runs",
                place=place,
            )


def _is_literal_secret(path: DataPath, text: str) -> bool:
    if not text or REFERENCE.search(text) or _SHELL_VARIABLE.search(text) or "{{" in text:
        return False
    if path[-1] == "api_key":
        return True
    return path[-2] == "headers" and bool(_SECRET_HEADERS.fullmatch(str(path[-1])))


def _shell_commands(written: LoadedFile) -> Iterator[Problem]:
    for section in ("target", *_names(written.data.get("targets"))):
        path = ("target",) if section == "target" else ("targets", section)
        path = (*path, "serve", "command")
        words = _shell_words(_value(written.data, path))
        if words:
            yield Problem(
                message=f"{_named(written, path)} holds {words}, but no shell reads it",
                hint='give one program and its arguments, or ["sh", "-c", "…"]',
                place=written.place(path),
            )


def _shell_words(command: Any) -> str:
    if not isinstance(command, str):
        return ""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    found = [word for word in words if word in _SHELL_WORDS or _SHELL_VARIABLE.search(word)]
    return " ".join(found)


def _names(data: Any) -> tuple[str, ...]:
    return tuple(data) if isinstance(data, Mapping) else ()


def _value(data: Any, path: DataPath) -> Any:
    for step in path:
        data = data.get(step) if isinstance(data, Mapping) else None
    return data


def _templated_texts(written: LoadedFile) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every text in which ``${NAME}`` means something, and its path."""
    for path in templated_paths(written.data):
        yield from _texts(_value(written.data, path), path)


def _texts(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    match value:
        case str():
            yield path, value
        case Mapping():
            for key, item in value.items():
                yield from _texts(item, (*path, key))
        case list():
            for at, item in enumerate(value):
                yield from _texts(item, (*path, at))
        case _:
            return


def _named(written: LoadedFile, path: DataPath) -> str:
    return path_text(path, written.data)
