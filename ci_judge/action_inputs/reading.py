"""Reads INPUT_*, and says everything that is wrong with it at once."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar, get_args

from ci_judge.action_inputs.table import INPUTS
from ci_judge.errors import InvalidInput, Problem

CommentMode: TypeAlias = Literal["auto", "on-failure", "never"]
MissingSecret: TypeAlias = Literal["fail", "skip"]
Override: TypeAlias = str | tuple[str, ...]

_Word = TypeVar("_Word", bound=str)

_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_IN_WORKSPACE = "name a folder inside the workspace"
_MOST_DIGITS = 18
_SHOWN_CHARS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionInputs:
    """The inputs as given, checked; None is not given.

    ``overrides`` maps configuration keys ("run.runs") to the text given for them.
    ``working_directory`` is absolute; ``config`` is relative to it unless absolute.
    """

    config: str | None
    overrides: Mapping[str, Override]
    select: str | None
    tags: str | None
    comment: CommentMode
    comment_key: str
    github_token: str | None
    pr_number: int | None
    requirements: str | None
    summary: bool
    annotations: bool
    fresh: bool
    missing_secret: MissingSecret
    changed_paths: tuple[str, ...]
    allow_untrusted_code: bool
    workspace: Path
    working_directory: Path


def variable_of(name: str) -> str:
    """Name the variable in which the runner passes an input: hyphens stay."""
    return "INPUT_" + name.replace(" ", "_").upper()


def given(environment: Mapping[str, str], name: str) -> str | None:
    """Give an input's text, trimmed; empty and missing alike are not given."""
    return environment.get(variable_of(name), "").strip() or None


def read_inputs(environment: Mapping[str, str]) -> ActionInputs:
    """Read every input. Raises InvalidInput with all problems."""
    reader = _Reader(environment)
    workspace = _workspace(environment)
    working_directory = reader.folder("working-directory", workspace)
    reader.inside("report-dir", workspace, start=working_directory)
    inputs = ActionInputs(
        config=reader.one("config"),
        overrides=reader.overrides(),
        select=reader.one("select"),
        tags=reader.one("tags"),
        comment=reader.choice("comment", get_args(CommentMode)),
        comment_key=reader.one("comment-key") or default_key(environment),
        github_token=reader.one("github-token"),
        pr_number=reader.number("pr-number"),
        requirements=given(environment, "requirements"),
        summary=reader.boolean("summary"),
        annotations=reader.boolean("annotations"),
        fresh=reader.boolean("fresh"),
        missing_secret=reader.choice("missing-secret", get_args(MissingSecret)),
        changed_paths=reader.lines("changed-paths"),
        allow_untrusted_code=reader.boolean("allow-untrusted-code"),
        workspace=workspace,
        working_directory=working_directory,
    )
    if reader.problems:
        raise InvalidInput(*reader.problems)
    return inputs


def _workspace(environment: Mapping[str, str]) -> Path:
    try:
        path = Path(os.path.realpath(environment.get("GITHUB_WORKSPACE") or Path.cwd()))
    except (OSError, ValueError) as error:
        raise InvalidInput.of(f"the workspace cannot be used: {error}") from error
    if not _is_folder(path):
        message = f"the workspace {_shown(str(path))} is no folder"
        raise InvalidInput.of(message, hint="GITHUB_WORKSPACE must name the checkout's folder")
    return path


def default_key(environment: Mapping[str, str]) -> str:
    """Name the comment of a workflow's job: "CI/judge"."""
    parts = (environment.get("GITHUB_WORKFLOW"), environment.get("GITHUB_JOB"))
    return "/".join(part for part in parts if part) or "ci-judge"


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name that is too long, say
        return False


def _shown(text: str) -> str:
    return f'"{text}"' if len(text) <= _SHOWN_CHARS else f'"{text[:_SHOWN_CHARS]}…"'


class _Reader:
    """Reads inputs one by one and remembers everything that is wrong with them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.problems: list[Problem] = []

    def one(self, name: str) -> str | None:
        text = given(self._environment, name)
        if text and ("\n" in text or "\r" in text):
            self._refuse(name, "has several lines", "give one value on one line")
        return text

    def boolean(self, name: str) -> bool:
        text = self.one(name) or INPUTS[name].default
        if text not in _TRUE | _FALSE:
            self._refuse(name, f"is {_shown(text)}, which is not a boolean", "write true or false")
        return text in _TRUE

    def number(self, name: str) -> int | None:
        text = self.one(name)
        if text is None:
            return None
        # int() refuses thousands of digits
        if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and int(text)):
            self._refuse(name, f"is {_shown(text)}, which is not a number", "write digits alone")
            return None
        return int(text)

    def choice(self, name: str, words: tuple[_Word, ...]) -> _Word:
        """Read one of a few words; the default's place is taken by the first for a wrong one."""
        text = self.one(name) or INPUTS[name].default
        for word in words:
            if text == word:
                return word
        hint = f"write {', '.join(words[:-1])} or {words[-1]}"
        self._refuse(name, f"is {_shown(text)}", hint)
        return words[0]

    def inside(self, name: str, workspace: Path, *, start: Path) -> Path:
        text = self.one(name) or "."
        try:
            path = Path(os.path.realpath(start / text))  # resolve() does not bear a circle of links
        except (OSError, ValueError):
            self._refuse(name, f"is {_shown(text)}, which no folder can be called", _IN_WORKSPACE)
            return workspace
        if not path.is_relative_to(workspace):
            self._refuse(
                name,
                f"is {_shown(str(path))}, outside the workspace",
                f'name a folder in "{workspace}"',
            )
        return path

    def folder(self, name: str, workspace: Path) -> Path:
        """Read a folder that must be there: one that is not would start the search elsewhere."""
        known = len(self.problems)
        path = self.inside(name, workspace, start=workspace)
        if len(self.problems) == known and not _is_folder(path):
            self._refuse(
                name, f"is {_shown(self.one(name) or '.')}, which is no folder", _IN_WORKSPACE
            )
        return path if len(self.problems) == known else workspace  # nothing else is to be blamed

    def overrides(self) -> dict[str, Override]:
        found: dict[str, Override] = {}
        for name, spec in INPUTS.items():
            if spec.setting is None or given(self._environment, name) is None:
                continue
            found[spec.setting] = self.lines(name) if spec.lines else (self.one(name) or "")
        return found

    def lines(self, name: str) -> tuple[str, ...]:
        text = given(self._environment, name) or ""
        return tuple(line.strip() for line in text.splitlines() if line.strip())

    def _refuse(self, name: str, wrong: str, hint: str) -> None:
        problem = Problem(message=f'input "{name}" {wrong}', hint=hint)
        if problem not in self.problems:
            self.problems.append(problem)
