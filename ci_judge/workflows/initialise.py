"""``ci-judge init``: the files that a first run needs; what is there already is kept."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from ci_judge.errors import InvalidInput
from ci_judge.file_schema import read_text
from ci_judge.suites.criteria import parse_criteria

ACTION = "ci-judge/ci-judge"
_ACTION_MARK = "@ACTION@"
_CONFIG, _OTHER_CONFIG = "ci-judge.yaml", "ci-judge.toml"
_CRITERIA = "acceptance.md"
_SCENARIOS = "scenarios/first.yaml"
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


def initialise(folder: Path, *, version: str) -> tuple[StarterFile, ...]:
    """Write the starting files into a folder, which is made if need be.

    ``version`` is the release whose action the workflow uses. Nothing that exists is changed, but
    for .gitignore, which gets the lines that it lacks.
    Raises InvalidInput where a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(_starters(folder, f"{ACTION}@v{version}"))
    except OSError as error:
        name = error.filename or folder
        raise InvalidInput.of(f"{name} cannot be written: {error.strerror or error}") from error


def _starters(folder: Path, action: str) -> Iterator[StarterFile]:
    if (folder / _OTHER_CONFIG).exists():
        yield StarterFile(path=_OTHER_CONFIG, outcome="kept")
    else:
        yield _starter(folder, _CONFIG, "ci-judge.yaml")
    yield _starter(folder, _CRITERIA, "acceptance.md")
    yield _first_scenarios(folder)
    yield _starter(folder, _WORKFLOW, "workflow.yml", action=action)
    yield _ignore(folder / _GITIGNORE)


def _starter(folder: Path, name: str, template: str, *, action: str = "") -> StarterFile:
    path = folder / name
    if path.exists():
        return StarterFile(path=name, outcome="kept")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = (files("ci_judge.workflows") / "starter" / template).read_text(encoding="utf-8")
    path.write_text(text.replace(_ACTION_MARK, action), encoding="utf-8", newline="\n")
    return StarterFile(path=name, outcome="written")


def _first_scenarios(folder: Path) -> StarterFile:
    """Write the scenarios of the starter's criterion, where the acceptance file has it."""
    if (folder / _SCENARIOS).exists() or _STARTER_CRITERION in _criterion_ids(folder):
        return _starter(folder, _SCENARIOS, "first.yaml")
    reason = f"its criterion is not in your {_CRITERIA}; ci-judge generate drafts scenarios for it"
    return StarterFile(path=_SCENARIOS, outcome="left out", reason=reason)


def _criterion_ids(folder: Path) -> Iterable[str]:
    with suppress(InvalidInput):  # the acceptance file's own mistakes are told by check and run
        text = read_text(folder / _CRITERIA, file=_CRITERIA)
        return [criterion.id for criterion in parse_criteria(text, file=_CRITERIA)]
    return ()


def _ignore(path: Path) -> StarterFile:
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
