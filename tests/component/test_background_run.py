"""The engine in its own thread: what whoever waits for it learns, however it ends."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ci_judge.app import RunOptions
from ci_judge.errors import InvalidInput
from ci_judge.model.reasons import NotRunCode
from ci_judge.pytest_plugin.background import BackgroundRun, in_a_thread
from ci_judge.pytest_plugin.watching import Watcher
from ci_judge.workflows.surroundings import Surroundings
from tests.projects import Project, a_project, knows_refunds, scenario

BELL = threading.Event()


def rings(path: str, body: Any) -> tuple[int, Any]:
    BELL.set()
    return knows_refunds(path, body)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    BELL.clear()
    with a_project(tmp_path, rings) as made:
        yield made


def running(project: Project, **options: Any) -> BackgroundRun:
    made = BackgroundRun(
        RunOptions(config=project.folder / "ci-judge.yaml", **options),
        Surroundings(cwd=project.folder, environment=project.environment),
        Watcher(max_response_chars=1000),
    )
    made.start()
    return made


def test_whoever_waits_learns_of_a_test_as_soon_as_it_is_decided(project: Project) -> None:
    project.write(scenario("Asks"), scenario("Begs", "wrong"))
    run = running(project)
    asks, begs = (run.watcher.wait_for(f"refunds/{name}") for name in ("asks", "begs"))
    assert asks is not None
    assert begs is not None
    assert (asks.result, begs.result) == ("passed", "failed")
    assert "no idea" in begs.text
    assert run.wait()
    assert run.finished is not None
    assert run.finished.document["status"] == "failed"


def test_after_a_stop_nobody_waits_and_every_test_has_its_entry_of_the_report(
    project: Project,
) -> None:
    project.write(*(scenario(f"Asks {n}") for n in range(30)), run={"concurrency": 1, "runs": 20})
    run = running(project)
    assert BELL.wait(60)
    run.stop("somebody had enough", code=NotRunCode.MAXFAIL, by_signal=False)
    last = run.watcher.wait_for("refunds/asks-29")
    assert last is not None
    assert last.result == "error"
    assert last.text.startswith("undecided, neither passed nor failed: ")
    assert run.wait()
    assert run.finished is not None
    assert "somebody had enough" in run.finished.document["warnings"]


def test_what_cannot_start_leaves_nobody_waiting(project: Project) -> None:
    project.write(scenario("Asks"), report={"dir": "ci-judge.yaml"})
    run = running(project)
    assert run.watcher.wait_for("refunds/asks") is None
    assert isinstance(run.error, InvalidInput)
    run.stop("too late", code=NotRunCode.MAXFAIL, by_signal=False)
    assert run.wait()


def test_work_in_a_thread_gives_back_what_it_raises() -> None:
    async def fails() -> None:
        raise InvalidInput.of("no")

    with pytest.raises(InvalidInput, match="no"):
        in_a_thread(fails)
