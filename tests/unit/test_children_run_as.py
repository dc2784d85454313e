"""What a child that runs as another user is told of its home, and who decides about the user."""

import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.processes import Children, ChildUser
from ci_judge.settings import CHILDREN_RUN_AS, load_settings
from ci_judge.workflows.children import open_children
from ci_judge.workflows.surroundings import Surroundings

USER = ChildUser(
    uid=60_706,
    gid=60_706,
    folder=Path("/own"),
    inherited={"HOME": "/root", "TMPDIR": "/scratch"},
    apart=True,
)


def test_its_home_and_temporary_folder_are_its_own() -> None:
    given = {"HOME": "/root", "TMPDIR": "/scratch", "PATH": "/bin"}
    assert USER.environment(given) == {
        "HOME": "/own/home",
        "TMPDIR": "/own/tmp",
        "PATH": "/bin",
        "USER": "ci-judge",
        "LOGNAME": "ci-judge",
    }


def test_what_the_configuration_sets_for_it_stays() -> None:
    given = {"HOME": "/srv/app", "USER": "app", "TMPDIR": "/scratch"}
    found = USER.environment(given)
    assert (found["HOME"], found["USER"], found["TMPDIR"]) == ("/srv/app", "app", "/own/tmp")


@pytest.mark.parametrize(
    ("said", "explained"),
    [
        ("PermissionError: [Errno 13] Permission denied: 'app.sqlite3'", True),
        ("sqlite3.OperationalError: attempt to write a readonly database", True),
        ("sqlite3.OperationalError: unable to open database file", True),
        ("cp: cannot create 'x': permission denied", True),
        ("FileNotFoundError: 'x'", False),
    ],
)
def test_a_refusal_that_its_user_may_be_the_reason_for_is_explained(
    said: str, *, explained: bool
) -> None:
    assert (CHILDREN_RUN_AS in (Children(user=USER).hint(said) or "")) is explained
    assert Children().hint(said) is None


def opened(folder: Path, run_as: str, *, we: int) -> tuple[Children, list[str]]:
    environment = {"PATH": os.defpath, CHILDREN_RUN_AS: run_as}
    (folder / "ci-judge.yaml").write_text("judge: {provider: stub}\n")
    settings = load_settings(config=None, cwd=folder, environment=environment, overrides={})
    surroundings = Surroundings(cwd=folder, environment=environment, we=we)
    notes: list[str] = []

    async def main() -> Children:
        async with AsyncExitStack() as stack:
            return open_children(settings, surroundings, stack, redact=str, note=notes.append)

    return asyncio.run(main()), notes


@pytest.mark.parametrize("run_as", ["", "own-user", "workspace-owner", "same-user"])
def test_who_is_not_root_starts_children_as_ever_and_says_nothing(
    tmp_path: Path, run_as: str
) -> None:
    children, notes = opened(tmp_path, run_as, we=1000)
    assert (children.user, notes) == (None, [])


def test_a_person_at_a_terminal_starts_them_as_ever_also_as_root(tmp_path: Path) -> None:
    children, notes = opened(tmp_path, "", we=0)
    assert (children.user, notes) == (None, [])


def test_a_user_that_cannot_be_meant_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=f"{CHILDREN_RUN_AS}: .*workspace-owner"):
        opened(tmp_path, "nobody", we=0)
