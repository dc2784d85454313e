"""The library as programs use it: what importing it costs, and runs beside each other."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ci_judge
from ci_judge.errors import InvalidInput
from tests.projects import Project, a_project, knows_refunds, scenario

PACKAGE = Path(ci_judge.__file__).parent
MODULES = (
    "import sys\nbefore = set(sys.modules)\n{imports}\nprint(*sorted(set(sys.modules) - before))\n"
)
"""What Python itself loads at its start is not counted, nor what a .pth file makes it load."""


def loaded_by(imports: str) -> set[str]:
    script = MODULES.format(imports=imports)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_importing_the_library_loads_next_to_nothing() -> None:
    loaded = loaded_by("from ci_judge import case, run")
    ours = {name for name in loaded if name.partition(".")[0] == "ci_judge"}
    assert ours == {
        *("ci_judge", "ci_judge.version", "ci_judge.suites", "ci_judge.suites.case_marker")
    }
    foreign = {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    assert foreign == {"ci_judge"}
    assert not loaded & {"asyncio", "inspect", "dataclasses", "pathlib", "json", "ssl"}
    assert len(loaded) < 40


def test_the_plugin_itself_loads_next_to_nothing() -> None:
    loaded = loaded_by("import pytest\nbefore = set(sys.modules)\nimport ci_judge.pytest_plugin")
    assert loaded <= {"ci_judge", "ci_judge.version", "ci_judge.pytest_plugin"}


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()


def test_two_runs_in_one_loop_do_not_mix(tmp_path: Path) -> None:
    with (
        a_project(tmp_path / "right", knows_refunds) as right,
        a_project(tmp_path / "wrong", knows_refunds) as wrong,
    ):
        right.write(scenario("Asks", "right?"))
        wrong.write(scenario("Asks", "wrong?"), scenario("Begs", "wrong!"))

        async def both() -> tuple[Any, Any]:
            return await asyncio.gather(running(right, runs=3), running(wrong, runs=4))

        one, other = asyncio.run(both())
    assert (one["status"], other["status"]) == ("passed", "failed")
    assert [len(test["runs"]) for test in one["groups"][0]["tests"]] == [3]
    assert [len(test["runs"]) for test in other["groups"][0]["tests"]] == [4, 4]
    assert right.report()["summary"]["runs_made"] == 3
    assert wrong.report()["summary"]["runs_made"] == 8


def test_two_runs_of_one_suite_need_two_report_folders(tmp_path: Path) -> None:
    with a_project(tmp_path, knows_refunds) as project:
        project.write(scenario("Asks"))

        async def both(first: str, second: str) -> tuple[Any, Any]:
            return await asyncio.gather(
                running(project, folder=first),
                running(project, folder=second),
                return_exceptions=True,
            )

        reports = asyncio.run(both("one", "two"))
        assert [report["status"] for report in reports] == ["passed", "passed"]
        assert (tmp_path / "one/report.json").exists()
        assert (tmp_path / "two/report.json").exists()
        refused = [each for each in asyncio.run(both("same", "same")) if not isinstance(each, dict)]
        assert all(isinstance(each, InvalidInput) for each in refused)
        assert len(refused) == 1


def test_a_run_leaves_a_running_loop_as_it_was(tmp_path: Path) -> None:
    async def within() -> set["asyncio.Task[Any]"]:
        before = asyncio.all_tasks()
        await running(project)
        return asyncio.all_tasks() - before

    with a_project(tmp_path, knows_refunds) as project:
        project.write(scenario("Asks"))
        assert asyncio.run(within()) == set()


@pytest.mark.parametrize("name", ["case", "run", "__version__"])
def test_everything_that_is_offered_is_there(name: str) -> None:
    assert name in ci_judge.__all__
    assert getattr(ci_judge, name)


def test_nothing_else_is() -> None:
    with pytest.raises(AttributeError, match="nothing_else"):
        ci_judge.nothing_else  # noqa: B018 - asked for to be refused


async def running(project: Project, *, runs: int = 2, folder: str = "out") -> Any:
    overrides = {"run.runs": runs, "report.dir": str(project.folder / folder), "run.cache": "off"}
    async with asyncio.timeout(60):
        return await ci_judge.run(project.folder / "ci-judge.yaml", overrides=overrides)
