"""Each third-party library has one home, so that replacing one is a change in one place."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent.parent / "ci_judge"
HOMES = {
    "click": ("cli",),
    "httpcore": ("transport",),
    "httpx": ("transport",),
    "jinja2": ("renderers/html_report.py", "renderers/compiled_templates.py"),
    "jsonschema": ("check_tools.py", "renderers/report_schema.py"),
    "junit_xml": ("renderers/junit.py",),
    "markdown_it": ("suites/markdown.py",),
    "pydantic": (
        "file_schema",
        "settings/sections.py",
        "targets/settings",
        "judges/settings.py",
        "suites/label_file.py",
        "suites/scenario_file.py",
        "suites/waiver_file.py",
        "workflows/calibration/file.py",
        "workflows/schemas.py",
    ),
    "pytest": ("pytest_plugin",),
    "regex": ("check_tools.py",),
    "rich": ("renderers/live_progress.py",),
    "sqlite3": ("cache/sqlite_file.py",),
    "yaml": ("file_schema",),
}


def imported_by(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add((node.module or "").partition(".")[0])
    return names


def at_home(file: str, homes: tuple[str, ...]) -> bool:
    return any(file == home or file.startswith(f"{home}/") for home in homes)


@pytest.mark.parametrize("library", sorted(HOMES))
def test_a_library_is_imported_at_home_only(library: str) -> None:
    users = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if library in imported_by(file)
    }
    assert users, f"{library} is used nowhere"
    assert [file for file in users if not at_home(file, HOMES[library])] == []
