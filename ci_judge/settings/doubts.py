"""What is valid in a configuration and probably not what was meant."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ci_judge.errors import Problem
from ci_judge.file_schema import DataPath, LoadedFile
from ci_judge.file_schema.loaded_file import child
from ci_judge.file_schema.wording import path_text
from ci_judge.judges.settings import JudgeSettings
from ci_judge.settings.sections import ConfigFile
from ci_judge.settings.variables import REFERENCE, templated_paths
from ci_judge.targets.settings import TargetSettings

_SHELL_VARIABLE = re.compile(r"(?<![^\s:=/?&'\"(])\$([A-Z_][A-Z0-9_]{2,})(?!\w)")
_EXPRESSION = re.compile(
    r"\$\{\{\s*(?:secrets|env|vars|github|inputs|steps|needs|matrix)\s*[.\[]\s*['\"]?(\w+)"
)
_SINGLE_BRACES = re.compile(r"(?<!\{)\{\s*message\s*\}(?!\})|<message>|\$\{?message\b\}?|%s")
_SECRET_HEADERS = re.compile(r".*(authorization|api-?key|token|secret|cookie)", re.IGNORECASE)
_LATEST = re.compile(r"[-:.@]latest$", re.IGNORECASE)
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
    yield from map(str, _same_requests(written, targets))
    yield from _text_bodies(targets)
    if config.judge is not None:
        yield from _idle_sampling(config.judge)
        yield from _namesakes(config.judge)
        yield from map(str, _moving_models(written, config.judge))


def _idle_sampling(judge: JudgeSettings) -> Iterator[str]:
    """Yield a doubt where draws are asked for and no judge gives what they are drawn from."""
    sampled = [member for member in judge.members if member.mode == "sample"]
    if sampled and not any(member.gives_likelihoods for member in sampled):
        names = " and ".join(dict.fromkeys(member.provider for member in sampled))
        yield f"judge.mode sample changes nothing: {names} gives no likelihood"


def _moving_models(written: LoadedFile, judge: JudgeSettings) -> Iterator[Problem]:
    """Yield a doubt for each name that stands for another model tomorrow."""
    for at, member in enumerate(judge.members):
        path = ("judge", "panel", at, "model") if judge.panel else ("judge", "model")
        model = member.asked_model
        if model is not None and _LATEST.search(model):
            yield Problem(
                message=f"the judge's model {model} is whatever is the latest, so verdicts can "
                "change without any change of yours",
                hint="pin a version in judge.model",
                place=written.place(path),
            )


def _namesakes(judge: JudgeSettings) -> Iterator[str]:
    members = judge.members
    if any(member in members[:at] for at, member in enumerate(members)):
        yield (
            "judge.panel holds the same judge twice, which is no second opinion "
            "(to ask one judge more often, set its repetitions)"
        )


def _same_requests(written: LoadedFile, targets: Mapping[str, TargetSettings]) -> Iterator[Problem]:
    for section, target in targets.items():
        if not target.sends_message:
            meant = _SINGLE_BRACES.search(f"{target.address}{target.query}{target.body}")
            yield Problem(
                message=f"{section} holds no {{{{message}}}}: every scenario sends it the same "
                "request",
                hint=f"did you mean {{{{message}}}} instead of {meant[0]}?" if meant else None,
                place=written.place((*section.split(".", 1), "body")),
            )


def _text_bodies(targets: Mapping[str, TargetSettings]) -> Iterator[str]:
    for section, target in targets.items():
        sent_as_json = isinstance(target.body, str) and target.content_type == "json"
        if sent_as_json and target.body.lstrip()[:1] in {"{", "["}:
            yield (
                f"{section}.body is one text, and is sent as a JSON text "
                "(to send what it reads like, write it without the quotes or the | around it)"
            )


def _shell_variables(written: LoadedFile) -> Iterator[Problem]:
    for path, text in _templated_texts(written):
        for found in _SHELL_VARIABLE.finditer(text):
            yield Problem(
                message=f"{_named(written, path)} holds a variable without braces, "
                "which is sent as it stands",
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
    return path[-2] in {"headers", "query"} and bool(_SECRET_HEADERS.fullmatch(str(path[-1])))


def _shell_commands(written: LoadedFile) -> Iterator[Problem]:
    for path in _command_paths(written.data):
        words = _shell_words(_value(written.data, path))
        if words:
            yield Problem(
                message=f"{_named(written, path)} holds {words}, but no shell reads it",
                hint='give one program and its arguments, or ["sh", "-c", "…"]',
                place=written.place(path),
            )


def _command_paths(data: Any) -> Iterator[DataPath]:
    """Yield where commands can stand."""
    yield ("judge", "command")
    panel = _value(data, ("judge", "panel"))
    for at in range(len(panel) if isinstance(panel, list) else 0):
        yield ("judge", "panel", at, "command")
    for target in (("target",), *(("targets", name) for name in _names(data.get("targets")))):
        yield (*target, "command")
        yield (*target, "serve", "command")


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
        found = child(data, step)
        data = found[0] if found else None
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
