"""Finds a user that child processes can run as, and says why where there is none."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from ci_judge.processes.child_user import ChildUser
from ci_judge.processes.user_sweep import end_all_of, processes_of

RunAs: TypeAlias = Literal["own-user", "workspace-owner", "same-user"]

UIDS = range(60_706, 61_184)
"""No distribution and no service manager gives these to anybody."""

_PROBE_SECONDS = 20
_PROBE = (
    "import os, sys\n"
    "bad = [path for path in sys.argv[1:] if not os.access(path, os.R_OK | os.X_OK)]\n"
    "sys.stdout.write(os.fsencode(bad[0]).decode('utf-8', 'replace') if bad else '')\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserQuest:
    """What a user for children must be able to do.

    ``folders`` are those that it has to read; ``owner`` is the (uid, gid) of the workspace, ``we``
    our own uid, ``homes`` where a folder for it can be made (None: where the system makes them).
    Where ``run_as`` cannot be had, the workspace's owner is tried, then it is us.
    """

    run_as: RunAs
    folders: Sequence[Path]
    owner: tuple[int, int]
    inherited: Mapping[str, str]
    we: int
    interpreter: str = sys.executable
    homes: Path | None = None


def open_user(
    quest: UserQuest, stack: ExitStack, *, note: Callable[[str], None]
) -> ChildUser | None:
    """Give the user that children run as, None for ourselves; ``note`` hears what is less than due.

    When ``stack`` closes, everything that still runs as a user of their own is ended, and the
    user's folder is gone.
    """
    if quest.we != 0 or sys.platform != "linux" or quest.run_as == "same-user":
        return None
    why: list[str] = []
    for uid, gid, apart in _candidates(quest, stack, why):
        try:
            user = stack.enter_context(_at_home(uid, gid, quest, apart=apart))
        except OSError as error:
            why.append(f"no folder can be made for it ({error.strerror or error})")
            continue
        obstacle = _obstacle(user, quest)
        if obstacle is None:
            if why:
                note(f"{_INSTEAD} the workspace's owner: {why[0]}")
            return user
        why.append(obstacle)
    if why:
        note(f"{_INSTEAD} root: {why[0]}")
    return None


_INSTEAD = "Cases and commands do not run as a user of their own but as"


def _candidates(
    quest: UserQuest, stack: ExitStack, why: list[str]
) -> Iterator[tuple[int, int, bool]]:
    if quest.run_as == "own-user":
        free = _unused_uid(quest.owner[0], stack)
        if free is None:
            why.append("all user ids that are set aside for it are taken")
        else:
            yield free, free, True
    if quest.owner[0] != 0:
        yield *quest.owner, False


def _unused_uid(owner: int, stack: ExitStack) -> int | None:
    """Claim a uid that no other run holds and no process has.

    The claim is a socket's name, which the kernel takes back whatever becomes of us.
    """
    for uid in UIDS:
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0ci-judge-children-{uid}")
        except OSError:
            claim.close()
            continue
        stack.callback(claim.close)
        if uid != owner and not any(True for _ in processes_of(uid)):
            return uid
    return None


@contextmanager
def _at_home(uid: int, gid: int, quest: UserQuest, *, apart: bool) -> Iterator[ChildUser]:
    folder = Path(tempfile.mkdtemp(prefix="ci-judge-", dir=quest.homes))
    user = ChildUser(uid=uid, gid=gid, folder=folder, inherited=quest.inherited, apart=apart)
    try:
        yield user
    finally:
        if apart:
            end_all_of(uid, gid)
        shutil.rmtree(folder, ignore_errors=True)


def _obstacle(user: ChildUser, quest: UserQuest) -> str | None:
    """Try it: only the system itself knows of capabilities, namespaces and access lists."""
    try:
        user.make_folders()
        done = subprocess.run(  # noqa: S603 - our own interpreter and code
            (quest.interpreter, "-I", "-S", "-c", _PROBE, *map(str, quest.folders)),
            env={},
            cwd="/",
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=True,
            **user.options(),
        )
    except (OSError, subprocess.SubprocessError) as error:
        why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "it fails"
        return f"{quest.interpreter} cannot be started so ({why})"
    closed = done.stdout.decode("utf-8", "replace")
    return f"it may not read {closed}" if closed else None
