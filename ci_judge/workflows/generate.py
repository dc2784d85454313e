"""``ci-judge generate``: drafts of scenarios, a file a criterion, for people to review."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from ci_judge.errors import InvalidInput, Problem
from ci_judge.model.suite import Criterion
from ci_judge.sinks.files import write_whole
from ci_judge.suites.criteria import load_criteria
from ci_judge.suites.paths import DEFAULT_CRITERIA, find_files
from ci_judge.workflows.drafts import draft_scenarios
from ci_judge.workflows.scenario_yaml import scenario_yaml

GENERATED_FOLDER = "scenarios/generated"


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedFile:
    """What became of one criterion's file.

    ``path`` is shown from the configuration's folder, ``scenarios`` counts those written,
    ``problem`` says why the file could not be.
    """

    path: str
    outcome: Literal["written", "replaced", "kept", "failed"]
    scenarios: int = 0
    problem: Problem | None = None


def read_criteria(
    root: Path, criteria: Sequence[str] | None, *, only: str | None
) -> tuple[Criterion, ...]:
    """Read the criteria to draft scenarios for; ``only`` is the id of a single one.

    Raises InvalidInput for a faulty file, for none at all, and for an unknown id.
    """
    found = find_files(root, criteria=criteria, paths=(), pattern="")
    loaded = load_criteria(found.criteria_files, root=root)
    if not loaded:
        raise InvalidInput.of(
            "there are no criteria to draft scenarios for",
            hint=f"write {DEFAULT_CRITERIA} beside the configuration, or set suite.criteria",
        )
    chosen = tuple(each for each in loaded if only in (None, each.id))
    if not chosen:
        raise InvalidInput(_unknown(only or "", [each.id for each in loaded]))
    return chosen


def generate_scenarios(criteria: Sequence[Criterion], *, per_criterion: int) -> Mapping[str, str]:
    """Return the text of a scenario file for each criterion id, always the same for the same words.

    Made offline, by the stub provider: every expectation quotes a phrase of the criterion.
    """
    return {
        criterion.id: scenario_yaml(
            criterion.id,
            draft_scenarios(criterion, count=per_criterion),
            header=_header(criterion),
        )
        for criterion in criteria
    }


def write_generated(
    texts: Mapping[str, str], *, root: Path, force: bool
) -> tuple[GeneratedFile, ...]:
    """Write each text to its file; existing files are kept unless ``force``.

    A file that cannot be written is reported in its place and costs none of the others.
    """
    return tuple(
        _written(root, f"{GENERATED_FOLDER}/{name}.yaml", text, force=force)
        for name, text in texts.items()
    )


def is_outside(root: Path, paths: Sequence[str] | None) -> bool:
    """Tell whether ``suite.paths`` leads past the generated files, so that no run uses them."""
    try:
        found = find_files(root, criteria=(), paths=paths, pattern="")
    except InvalidInput:  # told by check and run
        return False
    folder = root / GENERATED_FOLDER
    return not any(path.is_relative_to(folder) for path in found.scenario_files)


def _header(criterion: Criterion) -> tuple[str, ...]:
    return (
        f"Drafted by ci-judge generate (provider: stub) from {criterion.place.file}.",
        "A starting point, to be read, corrected and committed by people: CI Judge never changes",
        "it, unless somebody asks for it with generate --force.",
    )


def _written(root: Path, name: str, text: str, *, force: bool) -> GeneratedFile:
    path = root / name
    there = path.exists()
    if there and not force:
        return GeneratedFile(path=name, outcome="kept")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [text])
    except OSError as error:
        problem = Problem(message=f"{name} cannot be written: {error.strerror or error}")
        return GeneratedFile(path=name, outcome="failed", problem=problem)
    count = text.count("\n  - name: ")
    return GeneratedFile(path=name, outcome="replaced" if there else "written", scenarios=count)


def _unknown(wanted: str, known: Sequence[str]) -> Problem:
    close = get_close_matches(wanted, known, n=3, cutoff=0.4) or list(known)[:8]
    names = ", ".join(f'"{name}"' for name in close)
    return Problem(message=f'there is no criterion "{wanted}"', hint=f"known: {names}")
