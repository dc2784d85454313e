"""The report's files: each appears whole or not at all."""

import contextlib
import errno
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ci_judge.errors import InvalidInput, Problem
from ci_judge.model.document import ReportDocument
from ci_judge.protocols import Renderer, RunSource

_SHOWN_CHARS = 100


def prepare_report_folder(folder: Path, *, top: Path | None = None) -> None:
    """Create the folder and try to write in it, so that no run is made whose report is lost.

    Raises InvalidInput, also for a folder that does not lie in ``top``.
    """
    if top is not None and not _real(folder).is_relative_to(_real(top)):
        raise InvalidInput(
            Problem(
                message=f'the report folder "{shown_path(folder)}" lies outside the workspace',
                hint="name a folder in the workspace as report.dir or report-dir",
            )
        )
    probe = folder / f".ci-judge-{secrets.token_hex(8)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise InvalidInput(
            Problem(
                message=f'cannot write reports to "{shown_path(folder)}": '
                f"{error.strerror or error}",
                hint="name a folder that can be written to as report.dir, --report-dir or"
                " report-dir; a container sees the workspace alone",
            )
        ) from error


def prepare_copy(path: Path, *, option: str) -> None:
    """See that a file can be written where ``option`` wants one more. Raises InvalidInput."""
    probe = path.parent / f".ci-judge-{secrets.token_hex(8)}"
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        probe.touch(exist_ok=False)
        probe.unlink()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InvalidInput(
            Problem(
                message=f"{option} cannot be written to {_quoted(path)}: {why}",
                hint="name a file in a folder that can be written to",
            )
        ) from error


def _quoted(path: Path) -> str:
    text = str(path)
    return f'"{text}"' if len(text) <= _SHOWN_CHARS else f'"{text[:_SHOWN_CHARS]}…"'


def remove_old_files(paths: Iterable[Path]) -> None:
    """Remove what an earlier run left at these paths; nothing there is fine.

    Raises InvalidInput with every path where no file can be put, such as a folder's.
    """
    problems = [problem for path in paths if (problem := _removed(path))]
    if problems:
        raise InvalidInput(*problems)


def _removed(path: Path) -> Problem | None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        why = "it is a folder" if path.is_dir() else error.strerror or str(error)
        return Problem(
            message=f'cannot replace "{shown_path(path)}": {why}',
            hint="move it away, or name another folder as report.dir, --report-dir or report-dir",
        )
    return None


def shown_path(path: Path) -> str:
    """Give a path as people read it: without detours, from the working directory if below it."""
    whole = _real(path)
    here = _real(Path.cwd())
    return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()


def _real(path: Path) -> Path:
    """Follow links; one that leads to itself, which Python below 3.13 does not bear, stays."""
    return Path(os.path.realpath(path))


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write the pieces as one UTF-8 file that replaces an old one at once.

    Whatever goes wrong, the old file stays as it was. Raises OSError and what ``pieces`` raises.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with draft.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


class ReportFiles:
    """Writes the report in every configured format, each by itself.

    ``formats`` maps a format's name (json, junit, html, markdown) to where it goes and who
    renders it. A format that fails is told to ``warn`` in one sentence; ``crashed`` is handed
    what a renderer raised, so that the log can show it. The others still appear.
    """

    name = "files"

    def __init__(
        self,
        formats: Mapping[str, tuple[Path, Renderer]],
        *,
        warn: Callable[[str], None],
        crashed: Callable[[Exception], None],
    ) -> None:
        self._formats = formats
        self._warn = warn
        self._crashed = crashed
        self._written: dict[str, Path] = {}

    @property
    def written(self) -> Mapping[str, Path]:
        """The files that were written, by format."""
        return self._written

    async def publish(self, document: ReportDocument, runs: RunSource) -> None:
        """Write every format. Raises nothing for a format that fails."""
        for kind, (path, renderer) in self._formats.items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, renderer.render(document, runs))
            except OSError as error:
                why = error.strerror or error
                self._warn(f'The {kind} report was not written to "{shown_path(path)}": {why}')
            except Exception as error:  # noqa: BLE001 - one broken format must not cost the others
                self._warn(f"The {kind} report was not written because of a bug in CI Judge")
                self._crashed(error)
            else:
                self._written[kind] = path
