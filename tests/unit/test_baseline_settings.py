"""``run.baseline``: a path, or one of two words."""

import asyncio
import json
from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.settings import load_settings
from ci_judge.workflows.baseline import Baseline, FoundBaseline, NoBaseline, find_baseline
from tests.builders import a_group, a_report, a_test

LOOKED = NoBaseline(source="auto", reason="looked for")


async def look(report_name: str) -> FoundBaseline:
    assert report_name == "r.json"
    return LOOKED


def found(
    folder: Path, *, given: str | None = None, written: str = "", action: bool = True
) -> FoundBaseline | None:
    text = f"report: {{json: r.json}}\njudge: {{provider: stub}}\n{written}\n"
    (folder / "ci-judge.yaml").write_text(text)
    cwd = folder / "inner"
    cwd.mkdir(exist_ok=True)
    settings = load_settings(
        config=folder / "ci-judge.yaml",
        cwd=cwd,
        environment={},
        overrides={} if given is None else {"run.baseline": given},
    )
    return asyncio.run(find_baseline(settings, look if action else None))


def test_the_action_looks_for_one_unless_told_otherwise(tmp_path: Path) -> None:
    assert found(tmp_path) is LOOKED
    assert found(tmp_path, given="auto") is LOOKED
    assert found(tmp_path, written="run: {baseline: none}", given="auto") is LOOKED
    assert found(tmp_path, given="none") is None
    assert found(tmp_path, written="run: {baseline: none}") is None


def test_the_command_has_one_only_where_it_is_named(tmp_path: Path) -> None:
    assert found(tmp_path, action=False) is None
    nothing = found(tmp_path, given="auto", action=False)
    assert isinstance(nothing, NoBaseline)
    assert "in the GitHub action only" in nothing.reason


def test_a_path_starts_where_it_was_given(tmp_path: Path) -> None:
    document, _ = a_report(a_group(a_test()))
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "old.json").write_text(json.dumps(document))
    assert isinstance(found(tmp_path, given="old.json"), Baseline)
    assert isinstance(found(tmp_path, written="run: {baseline: inner/old.json}"), Baseline)
    with pytest.raises(InvalidInput, match=r"old\.json"):
        found(tmp_path, written="run: {baseline: old.json}")
