"""``ci-judge init``: the files that a first run needs; what is there already is kept."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from ci_judge.errors import InvalidInput
from ci_judge.file_schema import read_text
from ci_judge.settings.finding import NAMES
from ci_judge.suites.criteria import parse_criteria
from ci_judge.workflows.detecting import Endpoint
from ci_judge.workflows.starter_cases import case_files, with_paths, with_requirements
from ci_judge.workflows.starter_target import keeps_history, with_target

ACTION = "ci-judge/ci-judge"
_ACTION_MARK = "@ACTION@"
_SCHEMAS = "https://raw.githubusercontent.com/ci-judge/ci-judge"
_SCHEMAS_MARK = "@SCHEMAS@"
_CONFIG = NAMES[0]
_CRITERIA = "acceptance.md"
_SCENARIOS = "scenarios/first.yaml"
FIRST_FILES = (_CRITERIA, _SCENARIOS)
"""What is written of another product than yours, for an endpoint."""
_CASES = "cases/case_first.py"
_WORKFLOW = ".github/workflows/ci-judge.yml"
_GITIGNORE = ".gitignore"
_IGNORED = ("ci-judge-report/", ".ci-judge/", "*.local.yaml")
_STARTER_CRITERION = "refund-policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterFile:
    """What became of one file; ``reason`` says why it was left out."""

    path: str
    outcome: Literal["written", "extended", "kept", "left out"]
    reason: str = ""


def kept_config(folder: Path) -> str | None:
    """Name the configuration that a folder has, which is kept."""
    return next((name for name in NAMES if (folder / name).exists()), None)


def initialise(
    folder: Path, *, version: str, endpoint: Endpoint | None = None
) -> tuple[StarterFile, ...]:
    """Write the starting files into a folder, which is made if need be.

    ``version`` is the release whose action the workflow uses, ``endpoint`` the target that was
    looked at, if one was. Nothing that exists is changed, but
    for .gitignore, which gets the lines that it lacks.
    Raises InvalidInput where a file cannot be written.
    """
    starter = _Starter(folder=folder, version=version)
    return _made(folder, starter.of_endpoint(endpoint))


def initialise_cases(folder: Path, *, version: str) -> tuple[StarterFile, ...]:
    """Write the starting files of a suite of Python cases, as ``initialise`` does."""
    return _made(folder, _Starter(folder=folder, version=version).of_cases())


def _made(folder: Path, files_of: Iterator[StarterFile]) -> tuple[StarterFile, ...]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(files_of)
    except OSError as error:
        name = error.filename or folder
        raise InvalidInput.of(f"{name} cannot be written: {error.strerror or error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Starter:
    """Writes the starting files of one release into one folder."""

    folder: Path
    version: str

    def of_endpoint(self, endpoint: Endpoint | None) -> Iterator[StarterFile]:
        is_kept = kept_config(self.folder) is not None
        yield self._config(_CONFIG, lambda text: with_target(text, endpoint) if endpoint else text)
        if is_kept and _has_cases_alone(self.folder):
            for name in (_CRITERIA, _SCENARIOS):
                yield StarterFile(path=name, outcome="left out", reason="your cases need none")
        else:
            yield self._write(_CRITERIA, "acceptance.md")
            yield self._first_scenarios(endpoint)
        yield self._write(_WORKFLOW, "workflow.yml")
        yield _ignore(self.folder / _GITIGNORE)

    def of_cases(self) -> Iterator[StarterFile]:
        yield self._config("ci-judge-cases.yaml", lambda text: with_paths(text, self.folder))
        yield self._first_cases()
        yield self._write(
            _WORKFLOW, "workflow.yml", lambda text: with_requirements(text, self.folder)
        )
        yield _ignore(self.folder / _GITIGNORE)

    def _config(self, template: str, edit: Callable[[str], str]) -> StarterFile:
        kept = kept_config(self.folder)
        return self._write(kept or _CONFIG, template, edit)

    def _write(self, name: str, template: str, edit: Callable[[str], str] = str) -> StarterFile:
        path = self.folder / name
        if path.exists() or path.is_symlink():  # also a link to a file that is not there yet
            return StarterFile(path=name, outcome="kept")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (files("ci_judge.workflows") / "starter" / template).read_text(encoding="utf-8")
        path.write_text(self._filled(edit(text)), encoding="utf-8", newline="\n")
        return StarterFile(path=name, outcome="written")

    def _filled(self, text: str) -> str:
        schemas = f"{_SCHEMAS}/v{self.version}/schemas"
        return text.replace(_ACTION_MARK, f"{ACTION}@v{self.version}").replace(
            _SCHEMAS_MARK, schemas
        )

    def _first_cases(self) -> StarterFile:
        """Write the example, where there are no cases yet that could be examples themselves."""
        others = [path for path in case_files(self.folder) if path != self.folder / _CASES]
        if not others or (self.folder / _CASES).exists():
            return self._write(_CASES, "case_first.py.txt")
        reason = f"you have cases: {others[0].relative_to(self.folder).as_posix()}"
        return StarterFile(path=_CASES, outcome="left out", reason=reason)

    def _first_scenarios(self, endpoint: Endpoint | None) -> StarterFile:
        """Write the scenarios of the starter's criterion, where the acceptance file has it."""
        exists = (self.folder / _SCENARIOS).exists()
        if exists or _STARTER_CRITERION in _criterion_ids(self.folder):
            template = "first" if keeps_history(endpoint) else "first-single-turns"
            return self._write(_SCENARIOS, f"{template}.yaml")
        reason = (
            f"its criterion is not in your {_CRITERIA}; ci-judge generate drafts scenarios for it"
        )
        return StarterFile(path=_SCENARIOS, outcome="left out", reason=reason)


def _has_cases_alone(folder: Path) -> bool:
    """Tell whether Python cases are all that is tested here."""
    others = (folder / _CRITERIA, (folder / _SCENARIOS).parent)
    return bool(case_files(folder)) and not any(path.exists() for path in others)


def _criterion_ids(folder: Path) -> Iterable[str]:
    with suppress(InvalidInput):  # the acceptance file's own mistakes are told by check and run
        text = read_text(folder / _CRITERIA, file=_CRITERIA)
        return [criterion.id for criterion in parse_criteria(text, file=_CRITERIA)]
    return ()


def _ignore(path: Path) -> StarterFile:
    if path.is_symlink():
        reason = "it is a symbolic link, which Git does not read"
        return StarterFile(path=path.name, outcome="left out", reason=reason)
    there = path.exists()
    text = path.read_text(encoding="utf-8", errors="surrogateescape") if there else ""
    lines = {line.strip().lstrip("/") for line in text.splitlines()}
    missing = [line for line in _IGNORED if line not in lines]
    if not missing:
        return StarterFile(path=path.name, outcome="kept")
    start = text if not text or text.endswith("\n") else f"{text}\n"
    added = "".join(f"{line}\n" for line in missing)
    path.write_text(start + added, encoding="utf-8", errors="surrogateescape", newline="\n")
    return StarterFile(path=path.name, outcome="extended" if there else "written")
