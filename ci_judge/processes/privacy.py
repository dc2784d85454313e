"""Keeps our own environment and memory from the processes that we start."""

import ctypes
import sys
from functools import cache

_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38


@cache
def refuse_inspection() -> bool:
    """Let no other process look into this one (Linux), as far as the system allows; True if so.

    Without this, a child reads ``/proc/<parent>/environ``, and all secrets with it, as it runs as
    the same user. Who may trace any process (CAP_SYS_PTRACE, CAP_SYS_ADMIN or CAP_PERFMON: root
    outside of containers) still can. The price: no core dumps of this process, and no debugger
    attached to it.
    """
    return _controlled(_PR_SET_DUMPABLE, 0)


def refuse_new_privileges() -> bool:
    """Keep what this thread starts from becoming root by a program such as su; True if so.

    It is the thread's, so there is no remembering it; it holds for all that is started from it.
    """
    return _controlled(_PR_SET_NO_NEW_PRIVS, 1)


def _controlled(option: int, value: int) -> bool:
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (OSError, AttributeError):  # a C library without prctl
        return False
