import asyncio
from pathlib import PurePosixPath
from typing import Any

import pytest

from ci_judge.model import document
from ci_judge.sinks.annotations import Annotations
from ci_judge.sinks.log import LogWriter
from tests.builders import a_group, a_report, a_test
from tests.runner_double import SeenLog, read_log


def annotate(*tests: document.TestEntry, before: int = 0, **changes: Any) -> SeenLog:
    """Annotate a report, after as many warnings and errors of the step itself."""
    pieces: list[str] = []
    log = LogWriter(pieces.append, commands=True)
    for number in range(before):
        log.command("warning", f"before {number}")
        log.command("error", f"before {number}")
    sink = Annotations(log, folder=PurePosixPath("examples/faq-bot"))
    asyncio.run(sink.publish(*a_report(a_group(*tests), **changes)))
    seen = read_log("".join(pieces))
    assert seen.dropped() == {}
    assert {one.name for one in seen.commands} <= {"error", "warning", "notice"}
    return seen


def failed(count: int) -> list[document.TestEntry]:
    return [a_test(f"refunds/{n}", passes=7, fails=3, line=n + 1) for n in range(count)]


def undecided(count: int) -> list[document.TestEntry]:
    return [a_test(f"down/{n}", passes=0, errors=3) for n in range(count)]


def test_a_pass_is_one_notice() -> None:
    seen = annotate(a_test(), headline="1 of 1 tests passed")
    assert [(one.name, one.message) for one in seen.commands] == [("notice", "1 of 1 tests passed")]


def test_a_failed_test_is_an_error_at_its_line() -> None:
    result, test = annotate(*failed(1), headline="1 of 1 tests failed").annotations("error")
    assert result.message == "1 of 1 tests failed"
    assert "file" not in result.properties
    assert test.properties["file"] == "examples/faq-bot/scenarios/refunds.yaml"
    assert test.properties["line"] == "1"
    assert test.message.startswith("refunds/0: 7 of 10 passed")


def test_a_failure_that_is_let_off_is_no_reason_why_the_step_fails() -> None:
    change = {"kind": "unchanged", "let_off": True, "result": "failed", "passes": 7, "judged": 10}
    known = a_test("refunds/known", passes=7, fails=3, change=change | {"reasons": []})
    seen = annotate(*failed(1), known).annotations("error")
    assert [one.message.partition(":")[0] for one in seen[1:]] == ["refunds/0"]


def test_what_is_left_out_is_counted() -> None:
    errors = annotate(*failed(30)).annotations("error")
    assert len(errors) == 10
    assert errors[-1].message == "and 22 more"


def test_eight_failed_tests_need_no_more() -> None:
    assert annotate(*failed(8)).annotations("error")[-1].message.startswith("refunds/7")


def test_undecided_tests_are_warnings_beside_the_error_that_says_why_the_step_fails() -> None:
    seen = annotate(*undecided(12), headline="undecided")
    assert [one.message for one in seen.annotations("error")] == ["undecided"]
    warnings = seen.annotations("warning")
    assert len(warnings) == 9
    assert warnings[-1].message == "and 4 more"


def test_a_step_that_goes_on_has_no_error_and_no_warning_too_many() -> None:
    seen = annotate(*failed(5), *undecided(9), exit_code=0, headline="as you like it")
    assert seen.annotations("error") == ()
    warnings = [one.message for one in seen.annotations("warning")]
    assert warnings[0] == "as you like it"
    assert [message for message in warnings if message.startswith("and")] == ["and 7 more"]


@pytest.mark.parametrize("exit_code", [0, 1])
@pytest.mark.parametrize("bad", [0, 7, 8, 9, 30])
@pytest.mark.parametrize("unknown", [0, 1, 8, 9, 30])
def test_the_runner_drops_none(exit_code: int, bad: int, unknown: int) -> None:
    seen = annotate(*failed(bad), *undecided(unknown), exit_code=exit_code)
    pointed = [one for one in seen.commands if "line" in one.properties]
    left_out = [int(one.message.split()[1]) for one in seen.commands if one.message[:4] == "and "]
    assert len(pointed) + sum(left_out) == bad + unknown


def test_advisory_tests_are_not_annotated() -> None:
    seen = annotate(a_test(passes=1, fails=9, advisory=True), exit_code=0)
    assert [one.name for one in seen.commands] == ["notice"]


@pytest.mark.parametrize("exit_code", [0, 1])
@pytest.mark.parametrize("before", [0, 3, 8, 9, 10, 12])
@pytest.mark.parametrize("bad", [0, 5, 30])
@pytest.mark.parametrize("unknown", [0, 5, 30])
def test_what_the_step_wrote_before_counts(
    exit_code: int, before: int, bad: int, unknown: int
) -> None:
    seen = annotate(
        *failed(bad), *undecided(unknown), before=before, exit_code=exit_code, headline="the result"
    )
    said = [*(one.message for one in seen.commands), *seen.shown]
    assert len([text for text in said if "the result" in text]) == 1


def test_undecided_tests_are_titled_as_errors_of_the_infrastructure() -> None:
    (warning,) = annotate(*undecided(1), headline="undecided").annotations("warning")
    assert warning.properties["title"].startswith("Infrastructure error")


def test_without_the_tests_only_what_stops_the_step_is_written() -> None:
    pieces: list[str] = []
    log = LogWriter(pieces.append, commands=True)
    sink = Annotations(log, folder=PurePosixPath(), tests=False)
    for exit_code in (0, 1):
        report = a_report(a_group(*failed(2)), exit_code=exit_code, headline=f"code {exit_code}")
        asyncio.run(sink.publish(*report))
    assert [(one.name, one.message) for one in read_log("".join(pieces)).commands] == [
        ("error", "code 1")
    ]
