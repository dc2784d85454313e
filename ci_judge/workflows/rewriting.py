"""Writes a report that was made out of other reports: every format, under the usual names."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ci_judge.errors import InvalidInput, Problem
from ci_judge.model.document import ReportDocument
from ci_judge.protocols import Renderer, RunSource
from ci_judge.renderers.registry import renderer
from ci_judge.sinks.files import (
    ReportFiles,
    prepare_copy,
    prepare_report_folder,
    remove_old_files,
    shown_path,
)
from ci_judge.workflows.render import FILE_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """Where a report goes. ``warn`` hears of a format not written, ``crashed`` of a bug."""

    folder: Path
    junit_copy: Path | None
    warn: Callable[[str], None]
    crashed: Callable[[Exception], None]

    def prepare(self, *, sources: Iterable[Path]) -> None:
        """Make sure that the report can be written, and that it replaces none of ``sources``.

        Raises InvalidInput.
        """
        read = {source.resolve() for source in sources}
        problems = [
            Problem(
                message=f'"{shown_path(path)}" would be replaced by the new report',
                hint="name another folder: --report-dir",
            )
            for path, _ in self._formats().values()
            if path.resolve() in read
        ]
        if problems:
            raise InvalidInput(*problems)
        prepare_report_folder(self.folder)
        if self.junit_copy is not None:
            prepare_copy(self.junit_copy, option="--junitxml")

    def write(self, document: ReportDocument, runs: RunSource) -> Mapping[str, Path]:
        """Write every format and give its path; nothing of an older report stays."""
        files = ReportFiles(self._formats(), warn=self.warn, crashed=self.crashed)
        remove_old_files(path for path, _ in self._formats().values())
        asyncio.run(files.publish(document, runs))
        return files.written

    def _formats(self) -> dict[str, tuple[Path, Renderer]]:
        formats = {kind: (self.folder / name, renderer(kind)) for kind, name in FILE_NAMES.items()}
        if self.junit_copy is not None:
            formats["junit copy"] = (self.junit_copy, renderer("junit"))
        return formats
