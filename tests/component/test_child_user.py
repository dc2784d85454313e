"""As root, children run as a user of their own: really tried, with programs that everybody has."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from ci_judge.processes import Children, ChildUser, RunAs, UserQuest, open_user, run_command
from ci_judge.processes.own_user import UIDS
from ci_judge.processes.user_sweep import processes_of

PYTHON = "/usr/bin/python3"

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="Linux's users and /proc"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else"),
    pytest.mark.skipif(not Path(PYTHON).exists(), reason=f"needs a {PYTHON} that all may run"),
]

LOOK = """
import json, os, signal, socket, sys
found = {"uid": os.getuid(), "gid": os.getgid(), "groups": os.getgroups(),
         "home": os.environ["HOME"], "tmp": os.environ["TMPDIR"], "user": os.environ["USER"]}
for name in ("environ", "mem", "maps"):
    try:
        open(f"/proc/{os.getppid()}/{name}", "rb").read(10)
        found[name] = "read"
    except OSError as error:
        found[name] = type(error).__name__
try:
    os.kill(os.getppid(), signal.SIGTERM)
    found["kill"] = "killed"
except OSError as error:
    found["kill"] = type(error).__name__
for place in (found["home"], found["tmp"]):
    open(place + "/mine", "w").close()
with open("/dev/stdout", "w") as again:  # a pipe is opened anew by its name
    again.write(json.dumps(found))
"""
FLEE = """
import os, sys, time
for _ in range(3):
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            while True: time.sleep(600)
        os._exit(0)
    os.waitpid(child, 0)
print("gone", flush=True)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder that everybody may look into, unlike those of pytest as root."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def quest(folder: Path, run_as: RunAs = "own-user") -> UserQuest:
    return UserQuest(
        run_as=run_as,
        folders=(folder,),
        owner=(1001, 1001),
        inherited={"HOME": "/root", "TMPDIR": "/var/tmp"},  # noqa: S108 - only a name here
        we=0,
        interpreter=PYTHON,
    )


def notes_and_user(wanted: UserQuest, stack: ExitStack) -> tuple[list[str], ChildUser | None]:
    notes: list[str] = []
    return notes, open_user(wanted, stack, note=notes.append)


def run(code: str, user: ChildUser, folder: Path) -> bytes:
    async def main() -> bytes:
        async with Children(user=user) as children:
            done = await run_command(
                (PYTHON, "-c", code),
                children=children,
                stdin=b"",
                timeout_seconds=60,
                environment={"HOME": "/root", "PATH": os.defpath},
                cwd=folder,
            )
            assert done.exit_code == 0, done.stderr
            return done.stdout

    return asyncio.run(main())


@pytest.fixture
def member_of_docker() -> Iterator[None]:
    """Belong to one more group while the test lasts, as who may talk to Docker does."""
    before = os.getgroups()
    os.setgroups([*before, 998])
    yield
    os.setgroups(before)


@pytest.mark.usefixtures("member_of_docker")
def test_a_child_is_nobody_we_know_and_cannot_reach_us(folder: Path) -> None:
    with ExitStack() as stack:
        notes, user = notes_and_user(quest(folder), stack)
        assert user is not None
        found = json.loads(run(LOOK, user, folder))
    assert notes == []
    assert found["uid"] == found["gid"] == user.uid in UIDS
    assert found["groups"] == []
    assert found["user"] == "ci-judge"
    assert Path(found["home"]).parent == Path(found["tmp"]).parent == user.folder
    assert found["kill"] == "PermissionError"
    assert {found[name] for name in ("environ", "mem", "maps")} == {"PermissionError"}
    assert not user.folder.exists()


def test_two_runs_at_once_have_two_users(folder: Path) -> None:
    with ExitStack() as stack:
        (_, one), (_, two) = (notes_and_user(quest(folder), stack) for _ in range(2))
        assert one is not None
        assert two is not None
        assert one.uid != two.uid


def test_a_process_that_has_left_its_group_and_session_is_ended(folder: Path) -> None:
    with ExitStack() as stack:
        _, user = notes_and_user(quest(folder), stack)
        assert user is not None
        assert run(FLEE, user, folder) == b"gone\n"
        assert len(list(processes_of(user.uid))) == 3
    assert list(processes_of(user.uid)) == []


def test_the_workspaces_owner_when_asked_for(folder: Path) -> None:
    with ExitStack() as stack:
        notes, user = notes_and_user(quest(folder, "workspace-owner"), stack)
        assert user is not None
        assert (user.uid, user.gid, user.apart) == (1001, 1001, False)
    assert notes == []


def test_the_owner_where_nobody_else_may_read_the_folder(folder: Path) -> None:
    os.chown(folder, 1001, 1001)
    folder.chmod(0o700)
    with ExitStack() as stack:
        notes, user = notes_and_user(quest(folder), stack)
        assert user is not None
        assert user.uid == 1001
    (note,) = notes
    assert "workspace's owner" in note
    assert str(folder) in note


@pytest.mark.parametrize("owner", [0, 1001])
def test_where_no_other_user_can_do_it_that_is_said_once(folder: Path, owner: int) -> None:
    folder.chmod(0o700)
    with ExitStack() as stack:
        wanted = replace(quest(folder), owner=(owner, owner))
        notes, user = notes_and_user(wanted, stack)
    assert user is None
    (note,) = notes
    assert "but as root" in note


def test_where_the_system_does_not_let_us_that_is_said_once(folder: Path) -> None:
    with ExitStack() as stack:
        notes, user = notes_and_user(replace(quest(folder), interpreter="/nowhere/python"), stack)
    assert user is None
    (note,) = notes
    assert "No such file" in note


def test_where_it_can_have_no_home_that_is_said_once(folder: Path) -> None:
    with ExitStack() as stack:
        notes, user = notes_and_user(replace(quest(folder), homes=folder / "nowhere"), stack)
    assert user is None
    (note,) = notes
    assert "No such file or directory" in note


@pytest.mark.parametrize("change", [{"we": 1000}, {"run_as": "same-user"}])
def test_who_is_not_root_or_does_not_want_it_starts_children_as_ever(
    folder: Path, change: dict[str, object]
) -> None:
    with ExitStack() as stack:
        notes, user = notes_and_user(replace(quest(folder), **change), stack)  # type: ignore[arg-type]
    assert (notes, user) == ([], None)


WITHOUT_SETUID = """
import ctypes, os, sys
for capability in (6, 7):  # CAP_SETGID, CAP_SETUID
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1], *sys.argv[2:]])
"""
TRY = """
import sys
from contextlib import ExitStack
from pathlib import Path
from ci_judge.processes import UserQuest, open_user
with ExitStack() as stack:
    wanted = UserQuest(run_as="own-user", folders=(Path("/"),), owner=(1001, 1001), inherited={},
                       we=0, interpreter="/usr/bin/python3")
    print(open_user(wanted, stack, note=print))
"""


def test_root_that_may_not_change_users_says_so_and_goes_on(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_SETUID, TRY],
        env={"PATH": os.defpath, "PYTHONPATH": str(Path.cwd())},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    note, user = done.stdout.splitlines()
    assert "Operation not permitted" in note
    assert user == "None"
