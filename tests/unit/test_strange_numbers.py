"""Numbers that no report holds are refused wherever a report is read back."""

import json
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.renderers.registry import renderer
from ci_judge.workflows.render import read_report
from tests.builders import a_group, a_report, a_run, a_test


def written(folder: Path, **changes: Any) -> Path:
    test = a_test(passes=8, fails=2)
    document, runs = a_report(a_group(test), runs=[a_run(test["id"], 1, "fail")])
    report = json.loads("".join(renderer("json").render(document, runs)))
    report["groups"][0]["tests"][0].update(changes)
    path = folder / "report.json"
    path.write_text(json.dumps(report), encoding="utf-8")
    return path


def test_what_we_write_can_be_read_back(tmp_path: Path) -> None:
    read_report(written(tmp_path))


@pytest.mark.parametrize(
    "changes",
    [
        {"rate": 1e308},
        {"rate": -0.5},
        {"passes": -1},
        {"passes": 10**400},
        {"planned": 2**53 + 1},
        {"cost_usd": -1.5e300},
    ],
    ids=lambda changes: str(changes)[:30],
)
def test_what_no_renderer_could_show_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="so large or small a number cannot stand there"):
        read_report(written(tmp_path, **changes))


def test_numbers_that_others_wrote_are_theirs(tmp_path: Path) -> None:
    path = written(tmp_path)
    report = json.loads(path.read_text("utf-8"))
    report["settings"] = {"body": {"rate": -1e308}}
    report["groups"][0]["tests"][0]["turns"] = [10**30, -1e308]
    path.write_text(json.dumps(report), encoding="utf-8")
    read_report(path)
