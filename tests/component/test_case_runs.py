import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ci_judge.model.evidence import CaseValue, EvidenceFailure, FailureCode
from ci_judge.model.suite import GateDefaults
from ci_judge.processes import Children
from ci_judge.suites.case_worker import CHILD_FILE, CaseProcess, Lost
from ci_judge.suites.cases import CaseHosts, discover_cases
from tests.case_folder import CaseFolder, failure_of, value_of
from tests.lifeline import Lifeline

ENDED_WITHIN_SECONDS = 30.0


@pytest.fixture
def folder(tmp_path: Path) -> CaseFolder:
    return CaseFolder(tmp_path)


def only(folder: CaseFolder, code: str) -> CaseValue | EvidenceFailure:
    folder.write("case_only.py", code)
    (outcome,) = folder.call_all().values()
    return outcome


def test_sync_and_async_cases_bring_evidence_and_its_time(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        import asyncio

        @case("R")
        def test_sync():
            return {"actual": (1, "\\ud83d")}

        @case("R")
        async def test_async():
            await asyncio.sleep(0.02)
            return {"actual": 2}
        """,
    )
    outcomes = folder.call_all()
    assert value_of(outcomes["test_sync"]) == {"actual": [1, "\ud83d"]}
    later = outcomes["test_async"]
    assert isinstance(later, CaseValue)
    assert later.value == {"actual": 2}
    assert later.latency_seconds >= 0.02


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_failed_assert_names_itself_and_shows_where_without_our_frames(
    folder: CaseFolder, kind: str
) -> None:
    failure = failure_of(
        only(
            folder,
            f"""\
            def check(total):
                assert total == 80, f"total is {{total}}"

            @case("R")
            {kind} test_a():
                check(81)
            """,
        )
    )
    assert (failure.code, failure.message) == (
        FailureCode.EXCEPTION,
        "AssertionError: total is 81 (case_only.py:3)",
    )
    first, second = failure.detail.splitlines()[:2]
    assert first == "Traceback (most recent call last):"
    assert second.endswith('case_only.py", line 7, in test_a')


def test_a_bare_assert_is_shown_by_its_line(folder: CaseFolder) -> None:
    code = '@case("R")\nasync def test_a():\n    assert 1 + 1 == 3\n'
    assert failure_of(only(folder, code)).message == (
        "AssertionError: assert 1 + 1 == 3 (case_only.py:4)"
    )


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_sys_exit_is_an_error_of_that_run_alone(folder: CaseFolder, kind: str) -> None:
    folder.write(
        "case_a.py",
        f"""\
        import sys

        @case("R")
        {kind} test_exit():
            sys.exit(3)

        @case("R")
        {kind} test_fine():
            return 1
        """,
    )
    outcomes = folder.call_all()
    failure = failure_of(outcomes["test_exit"])
    assert (failure.code, failure.message) == (
        FailureCode.EXITED,
        "the case called sys.exit(3) (case_a.py:6)",
    )
    assert value_of(outcomes["test_fine"]) == 1


def test_evidence_that_is_no_json_names_the_place(folder: CaseFolder) -> None:
    failure = failure_of(
        only(
            folder,
            """\
            from decimal import Decimal

            @case("R")
            def test_a():
                return {"items": [{"price": Decimal("1.10")}]}
            """,
        )
    )
    assert (failure.code, failure.message) == (
        FailureCode.INVALID_EVIDENCE,
        "$.items[0].price is a Decimal; use float(x) or str(x)",
    )


def test_none_is_evidence_like_any_other_value(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        @case("R")
        def test_returns_nothing():
            1 + 1

        @case("R")
        def test_holds_nothing():
            return [None]
        """,
    )
    outcomes = folder.call_all()
    assert value_of(outcomes["test_returns_nothing"]) is None
    assert value_of(outcomes["test_holds_nothing"]) == [None]


def test_an_exception_in_a_helper_is_placed_in_the_helper_not_in_the_library(
    folder: CaseFolder,
) -> None:
    helper = "import json\n\ndef parsed():\n    return json.loads('{')\n"
    (folder.root / "parsing.py").write_text(helper)
    folder.write(
        "case_a.py",
        """\
        from parsing import parsed

        @case("R")
        def test_a():
            return parsed()
        """,
    )
    (outcome,) = folder.call_all().values()
    assert failure_of(outcome).message.endswith("(parsing.py:4)")


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ('os.environ["CHAT_KEY"]', True),
        ("exec(\"raise ValueError('set CHAT_KEY first')\")", True),
        ('os.environ["GONE"]', False),
        ('os.environ["GIVEN_KEY"] + 1', False),
        ("exec(\"raise ValueError('no USER')\")", False),
    ],
)
def test_a_variable_that_cases_do_not_see_is_told_apart_from_one_that_is_not_set(
    folder: CaseFolder,
    code: str,
    named: bool,  # noqa: FBT001 - a parameter
) -> None:
    folder.environment = {**folder.environment, "CHAT_KEY": "hush", "GIVEN_KEY": "x", "USER": "me"}
    folder.names = ("GIVEN_KEY",)
    failure = failure_of(only(folder, f'import os\n@case("R")\ndef test_a():\n    return {code}\n'))
    assert ("suite.env names: add CHAT_KEY to it" in failure.message) is named
    assert "hush" not in failure.message


def test_a_variable_that_suite_env_names_in_vain_is_said_to_be_unset(folder: CaseFolder) -> None:
    folder.names = ("CHAT_KEY",)
    code = 'import os\n@case("R")\ndef test_a():\n    return os.environ["CHAT_KEY"]\n'
    message = failure_of(only(folder, code)).message
    assert message.endswith("suite.env names CHAT_KEY, but it is not set")


def test_evidence_over_the_limit_is_refused_by_its_size(folder: CaseFolder) -> None:
    failure = failure_of(only(folder, '@case("R")\ndef test_a():\n    return "é" * 5_242_880\n'))
    assert failure.code == FailureCode.TOO_LARGE
    assert "10,485,762 bytes" in failure.message


def test_evidence_just_within_the_limit_comes_through(folder: CaseFolder) -> None:
    value = value_of(only(folder, '@case("R")\ndef test_a():\n    return "é" * 5_242_879\n'))
    assert value == "é" * 5_242_879


def test_evidence_does_not_change_after_it_was_returned(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        STATE = []

        @case("R", runs=2)
        def test_a():
            STATE.append(len(STATE))
            return STATE
        """,
    )

    async def calls(hosts: CaseHosts) -> list[object]:
        (found,) = await discover_cases(folder.files, defaults=GateDefaults(), hosts=hosts)
        return [value_of(await hosts.call(found, run_number=number)) for number in (1, 2)]

    assert folder.use(calls) == [[0], [0, 1]]


def test_runs_share_a_process_and_a_loop(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        import asyncio
        import os

        LOCK = asyncio.Lock()
        LOOPS = []

        @case("R", runs=3)
        async def test_a():
            async with LOCK:
                await asyncio.sleep(0.01)
            LOOPS.append(asyncio.get_running_loop())
            return [os.getpid(), len(set(map(id, LOOPS)))]
        """,
    )

    async def calls(hosts: CaseHosts) -> list[object]:
        (found,) = await discover_cases(folder.files, defaults=GateDefaults(), hosts=hosts)
        several = await asyncio.gather(*(hosts.call(found, run_number=n) for n in (1, 2, 3)))
        return list(map(value_of, several))

    first, second, third = folder.use(calls)
    assert first == second == third
    assert isinstance(first, list)
    assert first[1] == 1


def test_loops_of_the_cases_own_work_in_sync_cases(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        import asyncio
        import functools

        async def value():
            await asyncio.sleep(0)
            return 80

        @case("R")
        def test_run():
            return asyncio.run(value())

        @case("R")
        def test_get_loop():
            return asyncio.get_event_loop().run_until_complete(value())

        @case("R")
        def test_returns_a_coroutine():
            return value()

        @case("R")
        async def test_leaves_a_task():
            asyncio.get_running_loop().create_task(asyncio.sleep(3600))
            return await value()
        """,
    )
    outcomes = folder.call_all()
    assert [value_of(outcome) for outcome in outcomes.values()] == [80] * 4


def test_a_generator_is_never_judged_as_its_repr(folder: CaseFolder) -> None:
    code = '@case("R")\nasync def test_a():\n    yield 1\n'
    failure = failure_of(only(folder, code))
    assert failure.message.startswith("$ is an async_generator; collect it in a list")


def test_output_stays_out_of_ours_and_is_shown_with_a_failure(
    folder: CaseFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    failure = failure_of(
        only(
            folder,
            """\
            import os, sys

            @case("R")
            def test_a():
                print("x" * 1_000_000)
                print("::error::forged", end="")
                print("\\ud800 to stderr", file=sys.stderr)
                os.write(1, b"no newline")
                raise RuntimeError("stop")
            """,
        )
    )
    assert capfd.readouterr() == ("", "")
    assert failure.detail.endswith("::error::forged\\ud800 to stderr\nno newline")
    assert len(failure.detail) < 10_000


def test_the_environment_holds_no_secret_that_is_not_named(tmp_path: Path) -> None:
    folder = CaseFolder(
        tmp_path,
        environment={"PATH": os.defpath, "GITHUB_TOKEN": "g", "MY_KEY": "m", "OTHER_KEY": "o"},
        names=["MY_KEY"],
    )
    code = '@case("R")\ndef test_a():\n    import os\n    return dict(os.environ)\n'
    seen = value_of(only(folder, code))
    assert isinstance(seen, dict)
    assert seen["MY_KEY"] == "m"
    assert not {"GITHUB_TOKEN", "OTHER_KEY"} & set(seen)


def test_the_path_holds_the_folder_of_the_file_and_nothing_of_ours(folder: CaseFolder) -> None:
    code = '@case("R")\ndef test_a():\n    import os, sys\n    return [os.getcwd(), *sys.path]\n'
    folder.write("sub/case_only.py", code)
    (outcome,) = folder.call_all().values()
    value = value_of(outcome)
    assert isinstance(value, list)
    here, *path = value
    assert here == str(folder.root)
    path.remove(str(folder.root / "sub"))
    show = (sys.executable, "-P", "-c", "import sys; print(*sys.path, sep='\\n')")
    own = subprocess.run(show, env={}, capture_output=True, text=True, check=True)
    assert path == own.stdout.split("\n")[:-1]


HANGS = {
    "spins": "def test_hang():\n    while True:\n        pass\n",
    "sleeps": "def test_hang():\n    time.sleep(3600)\n",
    "waits": "async def test_hang():\n    await asyncio.Event().wait()\n",
    "blocks its loop": "async def test_hang():\n    time.sleep(3600)\n",
}


@pytest.mark.parametrize("code", HANGS.values(), ids=HANGS.keys())
def test_a_hang_is_ended_at_the_limit_and_shown_where(folder: CaseFolder, code: str) -> None:
    folder.timeout_seconds = 0.5
    failure = failure_of(only(folder, f'import asyncio, time\n@case("R")\n{code}'))
    assert (failure.code, failure.message) == (
        FailureCode.TIMEOUT,
        "the case did not return within 0.5 s (suite.case_timeout)",
    )
    assert "in test_hang" in failure.detail
    assert "suites" not in failure.detail


def test_others_in_the_process_of_a_hang_run_once_more(folder: CaseFolder) -> None:
    """The second of a pair counts in a file how often it was begun, and returns in its second
    life only, so that it must have been called again.
    """
    folder.timeout_seconds = 2.0
    folder.write(
        "case_a.py",
        """\
        import asyncio, time
        from pathlib import Path

        @case("R")
        async def test_hang():
            await asyncio.sleep(0.3)
            time.sleep(3600)

        @case("R")
        async def test_victim():
            begun = Path("begun")
            begun.write_text((begun.read_text() if begun.exists() else "") + "x")
            if begun.read_text() == "x":
                await asyncio.sleep(3600)
            return begun.read_text()
        """,
    )
    outcomes = folder.call_all()
    assert failure_of(outcomes["test_hang"]).code == FailureCode.TIMEOUT
    assert value_of(outcomes["test_victim"]) == "xx"


CRASHES = {
    "os._exit(0)": "the process ended with exit code 0",
    "os._exit(7)": "the process ended with exit code 7",
    "os.kill(os.getpid(), signal.SIGSEGV); time.sleep(3600)": "the process was ended by SIGSEGV",
    "ctypes.string_at(0)": "the process was ended by SIGSEGV",
    "os.write(int(sys.orig_argv[-2]), b'garbage\\n'); time.sleep(3600)": "ended by SIGKILL",
}


@pytest.mark.parametrize(("code", "message"), CRASHES.items())
def test_a_crash_is_tried_once_more_and_named(folder: CaseFolder, code: str, message: str) -> None:
    folder.write(
        "case_a.py",
        f"""\
        import ctypes, os, signal, sys, time

        @case("R")
        def test_crash():
            time.sleep(0.1)
            {code}

        @case("R")
        def test_victim():
            time.sleep(0.3)
            return 1
        """,
    )
    outcomes = folder.call_all()
    failure = failure_of(outcomes["test_crash"])
    assert (failure.code, failure.attempts) == (FailureCode.CRASHED, 2)
    assert message in failure.message
    assert value_of(outcomes["test_victim"]) == 1


def test_the_traceback_of_a_segmentation_fault_is_kept(folder: CaseFolder) -> None:
    code = '@case("R")\ndef test_a():\n    import ctypes\n    ctypes.string_at(0)\n'
    failure = failure_of(only(folder, code))
    assert "Segmentation fault" in failure.detail
    assert "in test_a" in failure.detail


def test_a_new_process_serves_after_a_crash(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        import os

        @case("R")
        def test_crash():
            os._exit(1)

        @case("R")
        def test_fine():
            return 1
        """,
    )

    async def one_after_the_other(hosts: CaseHosts) -> list[object]:
        crash, fine = await discover_cases(folder.files, defaults=GateDefaults(), hosts=hosts)
        await hosts.call(crash, run_number=1)
        return [value_of(await hosts.call(fine, run_number=1)) for _ in range(2)]

    assert folder.use(one_after_the_other) == [1, 1]


def test_what_a_case_leaves_behind_is_ended(folder: CaseFolder) -> None:
    lifeline = Lifeline(folder.root / "lifeline")
    value = value_of(
        only(
            folder,
            f"""\
            import subprocess, sys, threading, time

            @case("R")
            def test_a():
                threading.Thread(target=time.sleep, args=(3600,)).start()
                holder = [sys.executable, "-c", {Lifeline.HOLD!r}, "lifeline"]
                process = subprocess.Popen(holder, stdout=subprocess.PIPE)
                return process.stdout.readline().decode()
            """,
        )
    )
    assert value == "held\n"
    assert lifeline.was_held_and_released()


def test_the_process_ends_by_itself_when_we_are_gone(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        import threading, time

        threading.Thread(target=time.sleep, args=(3600,)).start()

        @case("R")
        def test_a(): ...
        """,
    )
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(
            (sys.executable, str(CHILD_FILE), str(theirs.fileno()), str(folder.files[0])),
            pass_fds=(theirs.fileno(),),
        )
        ours.settimeout(ENDED_WITHIN_SECONDS)
        assert b"test_a" in ours.recv(4096)
    try:
        assert process.wait(timeout=ENDED_WITHIN_SECONDS) == 0
    finally:
        process.kill()


def test_exit_handlers_of_a_case_file_run(folder: CaseFolder) -> None:
    only(
        folder,
        """\
        import atexit
        from pathlib import Path

        atexit.register(Path("cleaned").touch)

        @case("R")
        async def test_a():
            return 1
        """,
    )
    assert (folder.root / "cleaned").exists()


def test_a_call_that_is_cancelled_leaves_nothing_behind(folder: CaseFolder) -> None:
    folder.write("case_a.py", '@case("R")\ndef test_a():\n    while True:\n        pass\n')

    async def cancelled(hosts: CaseHosts) -> bool:
        (found,) = await discover_cases(folder.files, defaults=GateDefaults(), hosts=hosts)
        calling = asyncio.ensure_future(hosts.call(found, run_number=1))
        await asyncio.wait({calling}, timeout=0.1)
        calling.cancel()
        await asyncio.wait({calling})
        return calling.cancelled()

    assert folder.use(cancelled)


def test_a_case_that_exits_with_what_cannot_be_shown_has_exited_all_the_same(
    tmp_path: Path,
) -> None:
    code = """\
        class Code:
            def __repr__(self):
                raise ValueError("no text")

        @case("R")
        def test_a():
            raise SystemExit(Code())
        """
    failure = failure_of(only(CaseFolder(tmp_path, timeout_seconds=20), code))
    assert failure.code is FailureCode.EXITED
    assert failure.message.startswith("the case called sys.exit(…)")


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 200_000,
        b'{"id": 1, "failure": {"code": "nope", "message": "", "where": "", "detail": ""}}',
        b'{"id": 1, "failure": 1}',
        b'{"id": 1}',
        b'{"id": 1, "value": 1, "seconds": "soon"}',
        b'{"id": 1, "value": 1, "seconds": "nan"}',
        b'{"id": 1, "value": 1, "seconds": 1e999}',
        b'{"id": 1, "value": 1, "seconds": -1}',
        b'{"id": 1, "value": 1, "seconds": 1' + b"0" * 400 + b"}",
        b'{"id": 1, "value": NaN, "seconds": 1}',
        b'{"id": 1, "value": ' + b"[" * 900 + b"]" * 900 + b', "seconds": 1}',
    ],
)
def test_nonsense_on_the_channel_is_no_evidence_and_no_crash_of_ours(
    folder: CaseFolder, line: bytes
) -> None:
    code = f"""\
        import os, sys
        @case("R")
        def test_a():
            os.write(int(sys.orig_argv[-2]), {line + bytes([10])!r})
            return 1
        """
    failure = failure_of(only(folder, code))
    assert failure.code in {FailureCode.INVALID_EVIDENCE, FailureCode.CRASHED}


def test_a_call_over_a_channel_that_is_just_lost_is_lost_and_nothing_else(tmp_path: Path) -> None:
    # Seen red with writelines on Python 3.12 and 3.13, whose transport then fails in a callback.
    file = tmp_path / "case_a.py"
    file.write_text("from ci_judge import case\n@case('R')\ndef test_a():\n    return 1\n")

    async def call() -> tuple[object, list[dict[str, Any]]]:
        complaints: list[dict[str, Any]] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        worker = await CaseProcess(
            children=Children(),
            file=file,
            root=tmp_path,
            environment={"PATH": os.defpath},
            limit_seconds=ENDED_WITHIN_SECONDS,
        ).start()
        try:
            worker._writer.transport.abort()
            await asyncio.sleep(0)
            assert not worker.ended
            limit = ENDED_WITHIN_SECONDS
            return await worker.call("test_a", run_number=1, limit_seconds=limit), complaints
        finally:
            await worker.close(kill=True)

    outcome, complaints = asyncio.run(call())
    assert isinstance(outcome, Lost)
    assert complaints == []
