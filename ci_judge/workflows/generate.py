"""``ci-judge generate``: drafts of scenarios, a file a criterion, for people to review."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from ci_judge.errors import InvalidInput, Problem
from ci_judge.model.suite import Criterion
from ci_judge.sinks.files import write_whole
from ci_judge.suites.criteria import load_criteria
from ci_judge.suites.paths import DEFAULT_CRITERIA, find_files
from ci_judge.workflows.drafting.writers import Order, Writer
from ci_judge.workflows.scenario_yaml import scenario_yaml

GENERATED_FOLDER = "scenarios/generated"
_AT_ONCE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedFile:
    """What became of one criterion's file.

    ``path`` is shown from the configuration's folder, ``scenarios`` counts those written, and
    ``dropped`` says in sentences which were not. ``problem`` says why there is no file:
    there was nothing to write, or (``unwritten``) no way to write it.
    """

    path: str
    outcome: Literal["written", "replaced", "kept", "failed"]
    scenarios: int = 0
    dropped: tuple[str, ...] = ()
    problem: Problem | None = None
    unwritten: bool = False


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Where files go and what is asked for. ``today`` is the date that stands in them."""

    root: Path
    order: Order
    force: bool
    today: date


async def generate(
    criteria: Sequence[Criterion], job: Job, writer: Writer
) -> AsyncGenerator[GeneratedFile, None]:
    """Yield what becomes of each criterion's file, in order; each is written when it is ready.

    A file that exists is kept, and nothing is asked for it, unless forced. What fails is reported
    in its place and costs none of the others; whoever stops early keeps what is written.
    """
    limit = asyncio.Semaphore(_AT_ONCE)
    tasks = [asyncio.create_task(_generated(each, job, writer, limit)) for each in criteria]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def is_outside(root: Path, paths: Sequence[str] | None) -> bool:
    """Tell whether ``suite.paths`` leads past the generated files, so that no run uses them."""
    try:
        found = find_files(root, criteria=(), paths=paths, pattern="")
    except InvalidInput:  # told by check and run
        return False
    folder = root / GENERATED_FOLDER
    return not any(path.is_relative_to(folder) for path in found.scenario_files)


async def _generated(
    criterion: Criterion, job: Job, writer: Writer, limit: asyncio.Semaphore
) -> GeneratedFile:
    name = _file_name(criterion, job.order)
    there = (job.root / name).exists()
    if there and not job.force:
        return GeneratedFile(path=name, outcome="kept")
    async with limit:
        drafted = await writer.write(criterion, job.order)
    if isinstance(drafted, Problem):
        return GeneratedFile(path=name, outcome="failed", problem=drafted)
    text = scenario_yaml(
        criterion.id, drafted.drafts, header=_header(criterion, drafted.origin, job)
    )
    problem = _written(job.root / name, name, text)
    if problem is not None:
        return GeneratedFile(path=name, outcome="failed", problem=problem, unwritten=True)
    return GeneratedFile(
        path=name,
        outcome="replaced" if there else "written",
        scenarios=len(drafted.drafts),
        dropped=drafted.dropped,
    )


def _file_name(criterion: Criterion, order: Order) -> str:
    sort = ".adversarial" if order.adversarial else ""
    return f"{GENERATED_FOLDER}/{criterion.id}{sort}.yaml"


def _header(criterion: Criterion, origin: str | None, job: Job) -> tuple[str, ...]:
    """Say where a file comes from. The stub's files hold no date: they are always the same."""
    source = criterion.place.file
    who = (
        (f"Drafted by ci-judge generate (provider: stub) from {source}.",)
        if origin is None
        else (f"Drafted by ci-judge generate from {source} on {job.today.isoformat()}.", origin)
    )
    return (
        *who,
        "A starting point, to be read, corrected and committed by people: CI Judge never changes",
        "it, unless somebody asks for it with generate --force.",
    )


def _written(path: Path, name: str, text: str) -> Problem | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [text])
    except OSError as error:
        return Problem(message=f"{name} cannot be written: {error.strerror or error}")
    return None


def _unknown(wanted: str, known: Sequence[str]) -> Problem:
    close = get_close_matches(wanted, known, n=3, cutoff=0.4) or list(known)[:8]
    names = ", ".join(f'"{name}"' for name in close)
    return Problem(message=f'there is no criterion "{wanted}"', hint=f"known: {names}")
