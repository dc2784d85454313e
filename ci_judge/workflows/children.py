"""Opens the child processes of a command: who they run as, and that none is left."""

import os
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import get_args

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.processes import Children, ChildUser, RunAs, UserQuest, open_user
from ci_judge.settings import CHILDREN_RUN_AS, Settings
from ci_judge.workflows.surroundings import Surroundings

PACKAGE = Path(__file__).resolve().parents[1]
"""Where ``ci_judge`` itself lies, which the process of a case file must read."""


def silent(text: str) -> None:
    """Tell nobody."""


def open_children(
    settings: Settings,
    surroundings: Surroundings,
    stack: AsyncExitStack,
    *,
    redact: Callable[[str], str],
    note: Callable[[str], None] = silent,
) -> Children:
    """Make ready for child processes; when ``stack`` closes, whatever was started has ended.

    ``redact`` takes the secrets out of what is quoted from them, before that is cut; ``note`` hears
    why they do not run as they should. Raises InvalidInput for a user that cannot be meant.
    """
    quest = UserQuest(
        run_as=_run_as(surroundings),
        folders=(settings.root, PACKAGE),
        owner=_owner(surroundings.environment, settings.root),
        inherited=surroundings.environment,
        we=surroundings.we,
    )
    children = Children(redact=redact, user=_user(quest, stack, note))
    stack.push_async_callback(children.close)
    return children


def _user(quest: UserQuest, stack: AsyncExitStack, note: Callable[[str], None]) -> ChildUser | None:
    homes = stack.enter_context(ExitStack())
    return open_user(quest, homes, note=note)


def _run_as(surroundings: Surroundings) -> RunAs:
    wanted = surroundings.environment.get(CHILDREN_RUN_AS, "").strip()
    choices: tuple[RunAs, ...] = get_args(RunAs)
    if not wanted:
        return "own-user" if surroundings.unattended else "same-user"
    for choice in choices:
        if wanted == choice:
            return choice
    raise InvalidInput(
        Problem(
            message="is not a user that children can run as",
            hint=f"write {', '.join(choices[:-1])} or {choices[-1]}",
            place=Place(file=CHILDREN_RUN_AS),
        )
    )


def _owner(environment: Mapping[str, str], root: Path) -> tuple[int, int]:
    """Give whose the workspace is: on GitHub that is also who owns the files of commands."""
    workspace = environment.get("GITHUB_WORKSPACE", "")
    for folder in (workspace, root):
        if folder:
            try:
                found = Path(folder).stat()
            except (OSError, ValueError):
                continue
            return found.st_uid, found.st_gid
    return os.geteuid(), os.getegid()
