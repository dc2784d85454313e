"""Two reports as an A/A test, as a person would ask for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ci_judge.cli.front import commands
from ci_judge.errors import CiJudgeError
from ci_judge.renderers.registry import renderer
from tests.builders import a_document, a_group, a_judge, a_panel, a_report, a_skipped_test, a_test
from tests.small_suites import SmallSuite, a_row, a_small_suite

LATER = "2026-03-02T10:30:00.000Z"


def written(path: Path, *tests: Any, run: Any = None, **changes: Any) -> Path:
    """Write a report of these tests; ``run`` is laid over what it says of its run."""
    whole = a_document()["run"] | (run or {})
    document, runs = a_report(a_group(*tests), run=whole, **changes)
    path.write_text("".join(renderer("json").render(document, runs)), "utf-8")
    return path


def again(path: Path, *tests: Any, run: Any = None, **changes: Any) -> Path:
    """Write the report of a second run, an hour later."""
    return written(path, *tests, run={"started": LATER} | (run or {}), **changes)


def asked(*reports: Path) -> Result:
    return CliRunner().invoke(commands, ["aa", *map(str, reports)], standalone_mode=False)


def said(*reports: Path) -> list[str]:
    result = asked(*reports)
    assert result.exception is None, result.exception
    assert result.return_value == 0
    return result.output.splitlines()


def refusal(*reports: Path) -> str:
    result = asked(*reports)
    assert isinstance(result.exception, CiJudgeError), result.exception or result.output
    assert result.exception.exit_code == 2
    (problem,) = result.exception.problems
    return str(problem)


def test_the_verdicts_that_flipped_are_listed_beside_what_chance_brings(tmp_path: Path) -> None:
    a = written(
        tmp_path / "a.json",
        a_test("refunds/asks", passes=10),
        a_test("refunds/begs", passes=9, fails=1),
        a_test("refunds/haggles", passes=10),
    )
    b = again(
        tmp_path / "b.json",
        a_test("refunds/asks", passes=10),
        a_test("refunds/begs", passes=9, fails=1),
        a_test("refunds/haggles", passes=9, fails=1),
    )
    assert said(a, b) == [
        "1 of 3 verdicts flipped between A and B",
        "  refunds/haggles  A passed (10 of 10), B failed (9 of 10)",
        # two misses in twenty runs flip in 90 of 190 deals, one miss always
        "chance alone flips 1.5 on average, and 1 or more in 100 % of such pairs: nothing unusual",
        (
            "    (if the runs of both reports were shuffled and dealt to A and B anew; 2π(1 - π) "
            "with each observed rate put in for the true one gives 0.9, a rough figure)"
        ),
        "    these gates flip often: `ci-judge plan` shows designs that flip less",
        (
            "runs that passed: 29 of 30 in A, 28 of 30 in B (separate draws: no run of one belongs "
            "to a run of the other)"
        ),
    ]


def test_more_flips_than_the_gates_explain_are_told(tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", *(a_test(f"t/{n}", passes=10) for n in range(4)))
    b = again(tmp_path / "b.json", *(a_test(f"t/{n}", passes=0, fails=10) for n in range(4)))
    shown = said(a, b)
    assert shown[0] == "4 of 4 verdicts flipped between A and B"
    assert shown[5] == (
        "chance alone flips 0.0 on average, and 4 or more in 0 % of such pairs: too many"
    )
    assert any("something was different in the two runs" in line for line in shown)


def test_where_nothing_flips_nothing_is_unusual(tmp_path: Path) -> None:
    test = a_test(passes=10)
    shown = said(written(tmp_path / "a.json", test), again(tmp_path / "b.json", test))
    assert shown[0] == "0 of 1 verdict flipped between A and B"
    assert shown[1] == "chance alone flips 0.0 on average"
    assert not any("warning" in line for line in shown)


def test_a_waived_test_that_failed_has_flipped_like_any_other(tmp_path: Path) -> None:
    waiver = {
        "reason": "812",
        "owner": "ann",
        "expires": "2026-12-31",
        "file": "waivers.yaml",
        "line": 1,
    }
    a = written(tmp_path / "a.json", a_test(passes=10))
    b = again(tmp_path / "b.json", a_test(passes=9, fails=1, result="waived", waiver=waiver))
    assert said(a, b)[0] == "1 of 1 verdict flipped between A and B"


def test_tests_that_say_nothing_are_left_out_and_named(tmp_path: Path) -> None:
    whole = a_test("t/whole", passes=10)
    a = written(
        tmp_path / "a.json",
        whole,
        a_test("t/other", passes=10),
        a_test("t/gone", passes=10),
        a_skipped_test("t/later"),
        a_test("t/broken", passes=9, errors=1),
        a_test("t/carried", passes=10),
        a_test("t/cached", passes=10, replayed=3),
        a_test("t/cached-too", passes=10),
    )
    b = again(
        tmp_path / "b.json",
        whole,
        a_test("t/other", passes=10, fingerprint="f2"),
        a_skipped_test("t/later"),
        a_test("t/broken", passes=10),
        a_test("t/carried", passes=10, carried_runs=10),
        a_test("t/cached", passes=10),
        a_test("t/cached-too", passes=10, replayed=10),
    )
    shown = said(a, b)
    assert shown[0] == "0 of 1 verdict flipped between A and B"
    assert [line for line in shown if line.startswith("left out")] == [
        'left out: 1 test (the test, its gate, target or judge is another): "t/other"',
        'left out: 1 test (only in one of the reports): "t/gone"',
        'left out: 1 test (skipped): "t/later"',
        'left out: 1 test (runs without a verdict): "t/broken"',
        'left out: 1 test (runs of an earlier attempt are in it): "t/carried"',
        'left out: 2 tests (answers came from the cache): "t/cached" and others',
    ]


def test_another_gate_is_another_test_even_if_it_was_put_over_the_same_runs(
    tmp_path: Path,
) -> None:
    gate = a_test(passes=10)["gate"] | {"threshold": 0.6, "threshold_text": "0.6"}
    a = written(tmp_path / "a.json", a_test(passes=10))
    b = again(tmp_path / "b.json", a_test(passes=10, gate=gate))
    assert "the test, its gate, target or judge is another" in refusal(a, b)


def test_the_same_report_twice_is_no_repetition(tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", a_test(passes=10))
    copy = tmp_path / "copy.json"
    copy.write_bytes(a.read_bytes())
    for other in (a, copy):
        assert "are reports of the same run (run the suite twice" in refusal(a, other)


def test_reports_that_share_no_test_are_refused_with_the_reasons(tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", a_test("t/one", passes=10), a_test("t/two", passes=10))
    b = again(tmp_path / "b.json", a_test("t/two", passes=10, fingerprint="f2"))
    assert refusal(a, b).startswith(
        "these are no two runs of the same tests: only in one of the reports; the test, its gate, "
        "target or judge is another (run the same suite"
    )
    empty = again(tmp_path / "empty.json")
    assert "only in one of the reports" in refusal(a, empty)


def test_a_report_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", a_test(passes=10))
    b = again(tmp_path / "b.json", a_test(passes=9, fails=1, result="passed"))
    assert 'cannot have the result "passed"' in refusal(a, b)


MODEL = a_judge(provider="openai", model="m", models_answered=["m-1"], prompt_version="3")
SAMPLING = a_judge(provider="systemone", mode="sample")


@pytest.mark.parametrize(
    ("first", "second", "warned"),
    [
        (
            {},
            {"run": {"commit": "0a0a0a0a0a0a0a"}},
            "the commits are others (4f2a9c81d0 and 0a0a0a0a0a)",
        ),
        ({}, {"run": {"commit": None}}, "the reports do not say that they are of the same commit"),
        (
            {},
            {"tool": {"name": "ci-judge", "version": "9"}},
            "the CI Judge is another: 0.1.0 and 9",
        ),
        ({}, {"run": {"interrupted": True}}, "a run was interrupted"),
        (
            {"judge": MODEL},
            {"judge": MODEL | {"models_answered": ["m-2"]}},
            "the model that answered is another: m-1 and m-2",
        ),
        (
            {"judge": MODEL},
            {"judge": MODEL | {"prompt_version": "4"}},
            "the judge's prompt is another: 3 and 4",
        ),
        (
            {"judge": MODEL},
            {"judge": a_judge()},
            "the judge is another: openai and stub",
        ),
        ({}, {"judge": a_panel("m", "n")}, "the judges are others: 1 and 2"),
        ({"judge": SAMPLING}, {"judge": SAMPLING}, "both runs drew by the same seed"),
    ],
)
def test_what_makes_two_reports_unlike_is_warned_of(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], warned: str
) -> None:
    a = written(tmp_path / "a.json", a_test(passes=10), **first)
    b = again(tmp_path / "b.json", a_test(passes=10), **second)
    warnings = [line for line in said(a, b) if line.startswith("warning: ")]
    assert any(warned in line for line in warnings), warnings


def test_a_judgement_from_the_cache_is_warned_of(tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", a_test(passes=10))
    summary = a_document(a_group(a_test(passes=10)))["summary"]
    b = again(tmp_path / "b.json", a_test(passes=10), summary=summary | {"judge_cached": 4})
    assert any("judgements came from the cache" in line for line in said(a, b))


def test_nothing_that_a_stranger_wrote_comes_alive(tmp_path: Path) -> None:
    name = "::error::\x1b[31m\n::stop"
    a = written(tmp_path / "a.json", a_test(name, passes=10))
    b = again(tmp_path / "b.json", a_test(name, passes=9, fails=1))
    result = asked(a, b)
    assert result.exception is None
    assert "\x1b" not in result.output
    assert not any(line.startswith("::") for line in result.output.splitlines())


# --- reports that runs have written ------------------------------------------------------


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[SmallSuite]:
    with a_small_suite(tmp_path / "suite") as made:
        yield made


def test_two_runs_of_a_steady_suite_agree(suite: SmallSuite) -> None:
    suite.write(
        a_row("asks", "right"),
        a_row("haggles", "3 of 4"),
        a_row("learns", "3 of 4", gate="adaptive", runs={"min": 2, "max": 12}, threshold=0.3),
    )
    for folder in ("a", "b"):
        suite.run(folder)
    shown = said(suite.report("a"), suite.report("b"))
    assert shown[0] == "0 of 3 verdicts flipped between A and B"
    assert not any(line.startswith("left out") for line in shown)


def repeated(suite: SmallSuite, *flags: str) -> Result:
    words = ["aa", "--repeat", "2", "--config", str(suite.folder / "ci-judge.yaml"), *flags]
    return CliRunner().invoke(commands, words, standalone_mode=False)


def test_a_suite_is_run_twice_on_request_and_nothing_comes_from_the_cache(
    suite: SmallSuite,
) -> None:
    rows = (a_row("asks", "right"), a_row("haggles", "4 of 8"), a_row("begs", "wrong"))
    suite.write(*rows, run={"cache": "all"})
    result = repeated(suite, "-k", "asks or haggles", "--report-dir", str(suite.folder / "twice"))
    assert result.exception is None, result.exception
    assert result.return_value == 0
    assert len(suite.served.requests) == 2 * 2 * 4
    assert "1 of 2 verdicts flipped between A and B" in result.output
    assert "  refunds/haggles  A passed (4 of 4), B failed (0 of 4)" in result.output
    assert "warning: " not in result.output.partition("flipped between")[2]
    assert suite.report("twice/a").exists()
    assert suite.report("twice/b").exists()


def test_of_gates_that_may_stop_early_no_chance_is_told(suite: SmallSuite) -> None:
    asks, haggles = a_row("asks", "right", runs=1), a_row("haggles", "4 of 8")
    rows = (asks, haggles, a_row("begs", "4 of 8, please"))
    suite.write(*rows, run={"early_stop": True, "gate": "rate", "threshold": 1})
    result = repeated(suite, "--report-dir", str(suite.folder / "twice"))
    assert result.exception is None, result.exception
    shown = result.output.partition("report.html")[2].splitlines()
    assert "2 of 3 verdicts flipped between A and B" in shown
    assert [line for line in shown if line.startswith("where ")] == [
        "where no gate may stop early, 0 of 1 verdict flipped; chance alone flips 0.0 on average",
        (
            "where a gate may stop early, 2 of 2 verdicts flipped; whether that is more than "
            "chance brings cannot be told"
        ),
    ]
    assert not any("unusual" in line or "too many" in line for line in shown)


def test_two_reports_or_a_repetition_and_not_both(tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", a_test(passes=10))
    assert "an A/A test takes two reports, not 1 (or --repeat 2" in refusal(a)
    assert "takes two reports, not 3" in refusal(a, a, a)
    for words, wrong in (
        ((a, a, "--repeat", "2"), "--repeat makes its own reports"),
        ((a, a, "-k", "asks"), "-k says nothing of reports"),
        ((a, a, "--report-dir", "x"), "--report-dir says nothing of reports"),
    ):
        assert wrong in refusal(*[Path(word) for word in words])


def test_answers_that_were_judged_again_are_no_second_run(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("a")
    config, into = (str(suite.folder / name) for name in ("ci-judge.yaml", "again"))
    words = ["rejudge", str(suite.report("a")), "--config", config, "--report-dir", into]
    judged = CliRunner().invoke(commands, words, standalone_mode=False)
    assert judged.exception is None, judged.exception
    assert "judged answers again" in refusal(suite.report("a"), suite.report("again"))
