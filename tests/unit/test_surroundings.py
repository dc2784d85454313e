"""What a command takes from the world around it."""

from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.workflows.surroundings import Surroundings, localhost_surprises


@pytest.mark.parametrize(
    ("in_container", "on_github", "parent_pid", "surprises"),
    [
        (True, True, 400, True),
        (True, False, 0, True),
        (True, False, 1, True),
        (True, False, 400, False),
        (False, True, 400, False),
        (False, False, 1, False),
    ],
)
def test_localhost_surprises_only_where_a_container_was_started_for_the_command(
    *, in_container: bool, on_github: bool, parent_pid: int, surprises: bool
) -> None:
    found = localhost_surprises(
        in_container=in_container, on_github=on_github, parent_pid=parent_pid
    )
    assert found is surprises


def test_a_working_directory_that_is_gone_is_a_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(InvalidInput) as refused:
        Surroundings.real()
    assert "working directory" in str(refused.value)
