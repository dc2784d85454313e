"""Makes one report of those of processes that shared a suite while they ran."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ci_judge.document.merging import shard_of, tests_of
from ci_judge.engine.ledger import LEDGER_NAME
from ci_judge.model.document import ReportDocument
from ci_judge.model.reasons import NotRunCode
from ci_judge.redaction import Redactor
from ci_judge.settings import Settings
from ci_judge.sinks.files import ReportFiles, write_whole
from ci_judge.workflows.baseline import FoundBaseline
from ci_judge.workflows.merging import merge_reports
from ci_judge.workflows.publishing import report_formats


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The report of all, on disk. ``files`` maps formats to paths."""

    document: ReportDocument
    files: Mapping[str, Path]


def gather_reports(
    reports: Sequence[Path],
    *,
    settings: Settings,
    redactor: Redactor,
    baseline: FoundBaseline | None,
    warn: Callable[[str], None],
) -> Gathered:
    """Merge the reports (each of ``handing_out``) and write every format of the whole.

    Planned tests that are in none of them are undecided, and said to be missing.
    Raises InvalidInput for reports that do not belong together.
    """
    _complete(reports, redactor.value(settings.public()))
    merged = merge_reports(
        reports, folder=settings.report_dir, baseline=baseline, lost=NotRunCode.INTERRUPTED
    )
    merged.draft.replace(settings.report_dir / LEDGER_NAME)
    files = ReportFiles(
        report_formats(settings, junit_copy=None),
        warn=warn,
        crashed=lambda error: warn(f"{type(error).__name__}: {error}"),
    )
    asyncio.run(files.publish(merged.document, merged.ledger))
    return Gathered(document=merged.document, files=files.written)


def _complete(reports: Sequence[Path], settings: dict[str, Any]) -> None:
    """Write into each report which part of the whole it is, which it could not know."""
    held = [_ids(_read(path)) for path in reports]
    planned = shard_of(_read(reports[0]))["planned_ids"]
    rest = [test for test in planned if not any(test in ids for ids in held)]
    parts = [[test for test in planned if test in ids] for ids in held]
    parts += [rest] if rest else []
    for index, path in enumerate(reports, start=1):
        document = _read(path)
        place = {**shard_of(document), "index": index, "count": len(parts), "parts": parts}
        whole = {**document, "settings": settings, "run": {**document["run"], "shard": place}}
        write_whole(path, json.JSONEncoder(ensure_ascii=False).iterencode(whole))


def _read(path: Path) -> ReportDocument:
    """Read what a worker has just written; the merge looks closer at it."""
    document: ReportDocument = json.loads(path.read_text("utf-8"))
    return document


def _ids(document: ReportDocument) -> frozenset[str]:
    return frozenset(test["id"] for test in tests_of(document["groups"]))
