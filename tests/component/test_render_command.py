import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ci_judge.cli.render import command
from ci_judge.errors import InvalidInput
from ci_judge.renderers.json_report import render
from ci_judge.renderers.registry import renderer
from ci_judge.workflows.render import read_report, render_again
from tests.builders import a_case, a_group, a_report, a_skipped_test, a_test


def a_written_report(folder: Path) -> Path:
    document, runs = a_report(
        a_group(a_test("a/x", passes=8, fails=2), a_skipped_test("a/later")),
        a_group(a_case(), id="case_price.py", kind="cases"),
    )
    path = folder / "report.json"
    path.write_text("".join(render(document, runs)), "utf-8")
    return path


@pytest.mark.parametrize("name", ["json", "junit", "html", "markdown", "console"])
def test_what_is_read_back_renders_as_it_did(tmp_path: Path, name: str) -> None:
    document, runs = a_report(a_group(a_test("a/x", passes=8, fails=2)))
    path = tmp_path / "report.json"
    path.write_text("".join(render(document, runs)), "utf-8")
    again = read_report(path)
    first = "".join(renderer(name).render(document, runs))
    assert "".join(renderer(name).render(again.document, again.runs)) == first


def test_files_have_the_names_of_a_run(tmp_path: Path) -> None:
    report = read_report(a_written_report(tmp_path))
    paths = render_again(report, folder=tmp_path / "again", formats=("junit", "html", "markdown"))
    assert [path.name for path in paths] == ["junit.xml", "report.html", "summary.md"]
    assert sorted(tmp_path.joinpath("again").iterdir()) == sorted(paths)


def test_the_command_writes_beside_the_report_and_leaves_it_alone(tmp_path: Path) -> None:
    path = a_written_report(tmp_path)
    before = path.read_bytes()
    result = CliRunner().invoke(command, [str(path)])
    assert result.exit_code == 0, result.output
    assert result.output == "".join(
        f"wrote {tmp_path / name}\n" for name in ("junit.xml", "report.html", "summary.md")
    )
    assert path.read_bytes() == before


def test_the_command_prints_and_writes_what_is_asked_for(tmp_path: Path) -> None:
    path = a_written_report(tmp_path)
    result = CliRunner().invoke(command, [str(path), "--format", "console", "--format", "html"])
    assert "✗ X  8 of 10" in result.output
    assert result.output.endswith(f"wrote {tmp_path / 'report.html'}\n")
    assert not (tmp_path / "junit.xml").exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", ":1:1: not JSON: Expecting value"),
        (b'{"a" 1}', ":1:6: not JSON: "),
        (b"\xff\xfe", ": not a report: "),
        (b'{"a": NaN}', ": not a report: NaN is no JSON"),
        (b"[" * 200_000, ": not a report: "),
        (b"[]", ": $: [] is not of type 'object'"),
        (b'{"schema_version": 99}', ": schema_version is 99, and this CI Judge reads 1"),
    ],
)
def test_what_is_no_report_is_one_clear_line(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as error:
        read_report(path)
    first = str(error.value.problems[0])
    assert first.startswith(f"{path}{problem}")
    assert "\n" not in first


def test_a_missing_report_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere\.json: cannot be read: No such file"):
        read_report(tmp_path / "nowhere.json")


def test_everything_wrong_with_a_report_is_told_at_once(tmp_path: Path) -> None:
    path = a_written_report(tmp_path)
    value: Any = json.loads(path.read_text("utf-8"))
    del value["judge"]
    value["groups"][0]["tests"][0]["anchor"] = 7
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InvalidInput) as error:
        read_report(path)
    assert [problem.message for problem in error.value.problems] == [
        "$: 'judge' is a required property",
        "$.groups[0].tests[0].anchor: 7 is not of type 'string'",
    ]


def test_a_byte_order_mark_is_no_trouble(tmp_path: Path) -> None:
    path = a_written_report(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_report(path).document["summary"]["tests"] == 3
