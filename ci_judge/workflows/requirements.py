"""Installs what the input ``requirements`` names, in a virtual environment for all children."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from ci_judge.errors import CannotStart, Problem
from ci_judge.processes import (
    Children,
    CommandResult,
    last_words,
    run_command,
    scrubbed_environment,
)
from ci_judge.redaction import url_secrets
from ci_judge.workflows.children import PACKAGE
from ci_judge.workflows.requirement_words import builds_here, pip_words
from ci_judge.workflows.surroundings import Surroundings

MAKE_SECONDS = 120.0
INSTALL_SECONDS = 900.0
_PIP_OPTIONS = ("--disable-pip-version-check", "--no-input", "--no-color", "--progress-bar=off")


class NotInstalled(CannotStart):
    """What is required could not be installed. ``output`` is what pip printed."""

    def __init__(self, message: str, *, hint: str | None = None, output: str = "") -> None:
        super().__init__(Problem(message=message, hint=hint))
        self.output = output


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """Where it was installed: ``python`` has it, and ``programs`` come first on every path."""

    python: Path
    programs: Path

    def within(self, surroundings: Surroundings) -> Surroundings:
        """Put the environment's programs first on the path that children are given."""
        given = surroundings.environment
        path = os.pathsep.join((str(self.programs), given.get("PATH") or os.defpath))
        virtual = str(self.programs.parent)
        return replace(surroundings, environment={**given, "PATH": path, "VIRTUAL_ENV": virtual})


async def install_requirements(
    text: str,
    *,
    children: Children,
    surroundings: Surroundings,
    workspace: Path,
    stack: AsyncExitStack,
    overheard: Callable[[str], None],
) -> Installed:
    """Install it; ``overheard`` is told what pip says. What was made goes when ``stack`` closes.

    ``text`` is a requirements file or words for pip, from the working directory, which is in
    ``workspace`` (both absolute, links resolved). Raises InvalidInput for text that cannot be
    meant, NotInstalled.
    """
    words = pip_words(text, cwd=surroundings.cwd)
    site = _Site(
        children=children,
        surroundings=surroundings,
        workspace=workspace,
        folder=_folder(children, stack),
    )
    installed, cwd = await site.prepare(words)
    overheard(await site.install(words, python=installed.python, cwd=cwd))
    return installed


def _folder(children: Children, stack: AsyncExitStack) -> Path:
    if children.user is not None:
        return children.user.folder
    try:
        folder = Path(tempfile.mkdtemp(prefix="ci-judge-"))
    except OSError as error:
        raise NotInstalled(f"there is no folder for requirements: {error.strerror}") from error
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass(frozen=True, slots=True, kw_only=True)
class _Site:
    children: Children
    surroundings: Surroundings
    workspace: Path
    folder: Path

    async def prepare(self, words: Sequence[str]) -> tuple[Installed, Path]:
        """Make the environment; give it, and the folder that the words start from.

        That is a copy where builds would write beside sources that are not theirs to change.
        """
        environment, cwd = self.folder / "requirements", self.surroundings.cwd
        script = Path(__file__).with_name("requirements_child.py")
        argv = [sys.executable, "-I", str(script), str(environment)]
        argv.append(str(PACKAGE))
        if self._not_theirs() and builds_here(words, cwd=cwd):
            copy = self.folder / "workspace"
            argv += [str(self.workspace), str(copy)]
            cwd = copy / cwd.relative_to(self.workspace)
        result = await self._run(argv, cwd=self.folder, limit_seconds=MAKE_SECONDS)
        if result.exit_code != 0:
            raise self._trouble("the virtual environment for them cannot be made", result)
        programs = environment / "bin"
        return Installed(python=programs / "python", programs=programs), cwd

    async def install(self, words: Sequence[str], *, python: Path, cwd: Path) -> str:
        """Have pip install the words, and give what it says."""
        if find_spec("pip") is None:
            raise NotInstalled(
                "the requirements cannot be installed: there is no pip beside CI Judge",
                hint="install CI Judge in an environment made by python -m venv",
            )
        pip = (sys.executable, "-I", "-m", "pip", "--python", str(python), "install")
        argv = (*pip, *_PIP_OPTIONS, *words)
        result = await self._run(argv, cwd=cwd, limit_seconds=INSTALL_SECONDS)
        if result.timed_out:
            raise self._trouble(f"pip did not end within {INSTALL_SECONDS:g} s", result)
        if result.exit_code != 0:
            raise self._trouble(f"pip ended with exit code {result.exit_code}", result)
        return self._said(result)

    async def _run(self, argv: Sequence[str], *, cwd: Path, limit_seconds: float) -> CommandResult:
        given = self.surroundings.environment
        try:
            return await run_command(
                argv,
                children=self.children,
                stdin=b"",
                timeout_seconds=limit_seconds,
                environment=scrubbed_environment(given, names=pip_variables(given)),
                cwd=cwd,
            )
        except OSError as error:
            why = error.strerror or str(error)
            raise NotInstalled(f"the requirements cannot be installed: {why}") from error

    def _not_theirs(self) -> bool:
        return (
            self.children.user is not None
            and self.workspace.stat().st_uid != self.children.user.uid
        )

    def _trouble(self, why: str, result: CommandResult) -> NotInstalled:
        errors = self.children.redact(result.stderr.decode("utf-8", "replace"))
        told = [line for line in errors.splitlines() if line.lower().startswith("error:")]
        said = last_words("\n".join(told) or errors)
        return NotInstalled(
            f"the requirements could not be installed: {why}{said}",
            hint="what pip said is in the log",
            output=self._said(result),
        )

    def _said(self, result: CommandResult) -> str:
        said = b"\n".join(part.rstrip() for part in (result.stdout, result.stderr) if part)
        return self.children.redact(said.decode("utf-8", "replace"))


def index_secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Give the credentials in the addresses that pip is told of by its variables."""
    texts = (environment[name] for name in pip_variables(environment))
    return tuple(secret for text in texts for url in text.split() for secret in url_secrets(url))


def pip_variables(environment: Iterable[str]) -> list[str]:
    """Name the variables that are pip's own, which it alone is given."""
    return [name for name in environment if name.startswith("PIP_")]
