"""What passes between the action's door, the suite's run and the publishing desk."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ci_judge.action_inputs import Override
from ci_judge.ci_context import CiContext
from ci_judge.engine.stopping import StopSign
from ci_judge.model.document import ReportDocument
from ci_judge.protocols import RunSource
from ci_judge.sinks.fitting import MarkdownWithin
from ci_judge.sinks.log import LogWriter
from ci_judge.workflows.baseline import LookForBaseline
from ci_judge.workflows.earlier_attempts import LookForEarlier


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What the action asks for. Paths in it start from ``working_directory``, which is absolute.

    No configuration above ``workspace`` is ever found. ``overrides`` maps configuration keys
    ("run.runs") to text, or to several texts; ``secrets`` are values that no output may show,
    besides those that the configuration uses; ``requirements`` are installed for the children;
    ``look_for_baseline`` is how ``run.baseline: auto`` finds one, ``look_for_earlier`` how a re-run
    finds the attempt before; with ``fresh`` that one is told of and nothing taken over.
    """

    config: str | None
    overrides: Mapping[str, Override]
    select: str | None
    tags: str | None
    working_directory: Path
    workspace: Path
    context: CiContext
    secrets: tuple[str, ...]
    requirements: str | None
    look_for_baseline: LookForBaseline | None = None
    look_for_earlier: LookForEarlier | None = None
    fresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A finished run, its files written.

    ``files`` is by format; ``root`` is where the report's file names start. The Markdown fits a
    limit in bytes (summary) or UTF-16 units (comment). With ``quiet`` no comment is begun for it.
    """

    document: ReportDocument
    runs: RunSource
    root: Path
    report_dir: Path
    files: Mapping[str, Path]
    summary_markdown: MarkdownWithin
    comment_markdown: MarkdownWithin
    quiet: bool = False


Judge: TypeAlias = Callable[[Order, LogWriter, StopSign], Awaitable[Judged]]
"""Runs the suite and writes its report; raises CiJudgeError for what stops it."""
