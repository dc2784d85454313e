"""Where each format of the report goes."""

from collections.abc import Mapping
from pathlib import Path

from ci_judge.protocols import Renderer
from ci_judge.renderers.registry import renderer
from ci_judge.settings import Settings
from ci_judge.sinks.files import prepare_copy, remove_old_files


def report_formats(
    settings: Settings, *, junit_copy: Path | None
) -> Mapping[str, tuple[Path, Renderer]]:
    """Map each format to its file and renderer; ``junit_copy`` is one more JUnit file."""
    formats = {kind: (path, renderer(kind)) for kind, path in _paths(settings).items()}
    if junit_copy is not None:
        formats["junit copy"] = (junit_copy, renderer("junit"))
    return formats


def clear_old_reports(
    settings: Settings, *, junit_copy: Path | None, spared: Path | None = None
) -> None:
    """Remove reports of an earlier run, so that a crash leaves none that looks like this one's.

    The one at ``spared``, from which this run goes on, stays until a new one takes its place.
    Raises InvalidInput where something else stands in the way of a report, or of the copy.
    """
    kept = None if spared is None else spared.resolve()
    remove_old_files(path for path in _paths(settings).values() if path.resolve() != kept)
    if junit_copy is not None:
        prepare_copy(junit_copy, option="--junitxml")


def written_paths(settings: Settings, *, junit_copy: Path | None) -> tuple[Path, ...]:
    """Give every file, and every folder with all in it, that a run writes."""
    copies = () if junit_copy is None else (junit_copy.absolute(),)
    return (settings.report_dir, settings.cache_dir, *_paths(settings).values(), *copies)


def _paths(settings: Settings) -> Mapping[str, Path]:
    report = settings.report
    return {
        "json": settings.report_dir / report.json_name,
        "junit": settings.report_dir / report.junit,
        "html": settings.report_dir / report.html,
        "markdown": settings.report_dir / report.markdown,
    }
