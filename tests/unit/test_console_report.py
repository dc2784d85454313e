import pytest
from hypothesis import given

from ci_judge.renderers.console import render, render_briefly
from ci_judge.renderers.registry import FORMATS, renderer
from tests.builders import a_case, a_group, a_report, a_skipped_test, a_test
from tests.hostile import a_hostile_report, texts


def test_reads_as_a_person_would_tell_it() -> None:
    document, runs = a_report(
        a_group(
            a_test("refunds/asks", passes=8, fails=2),
            a_test("refunds/follows-up"),
            a_test("refunds/abroad", passes=0, errors=2),
            a_test("refunds/tone", passes=4, fails=6, advisory=True),
            a_skipped_test("refunds/later"),
            id="refunds",
        ),
        a_group(id="privacy"),
        warnings=["Something\nis odd."],
    )
    assert "".join(render(document, runs)) == (
        "• Refunds\n"
        "  ✗ Asks  8 of 10, 80 % (interval 49 to 94 %), needs at least 10 of 10\n"
        "      gate: 8 of 10 passed (95 % interval 49 to 94 %); the gate needs at least 10 of 10.\n"
        '      run 1: The response does not contain "14 days". (certain: no judge was asked)\n'
        "      next: read the failing answers; fix the feature if they are wrong, "
        "the expectation if they are right. If so many failures are fine, lower the threshold, "
        "or set runs to about 50 to prove the rate.\n"
        "      at scenarios/refunds.yaml:12\n"
        "  ✓ Follows up  10 of 10, 100 % (interval 72 to 100 %), needs at least 10 of 10\n"
        "  ? Abroad  0 of 2, 2 runs without a verdict, needs at least 2 of 2, undecided\n"
        "      gate: 0 of 0 passed (95 % interval 0 to 100 %); the gate needs at least 2 of 2.\n"
        "      errors: 2 runs ended in errors because the target gave no answer to judge: "
        "The target refused the connection.\n"
        "      next: first make the target answer, then run it again; "
        "an error neither passes nor fails.\n"
        "      at scenarios/refunds.yaml:12\n"
        "  ! Tone  4 of 10, 40 % (interval 17 to 69 %), needs at least 10 of 10, advisory\n"
        "      gate: 4 of 10 passed (95 % interval 17 to 69 %); the gate needs at least 10 of 10.\n"
        '      run 1: The response does not contain "14 days". (certain: no judge was asked)\n'
        "      next: read the failing answers; fix the feature if they are wrong, "
        "the expectation if they are right.\n"
        "      at scenarios/refunds.yaml:12\n"
        "  - Later  skipped: waits for the new catalogue\n"
        "\n"
        "• Privacy\n"
        "  no test of this run covers this criterion\n"
        "\n"
        "warning: Something is odd.\n"
        "note: phrase check, not a judge of meaning\n"
        "✗ 1 of 3 tests failed, 1 undecided\n"
        "1 passed, 1 failed, 1 undecided, 1 skipped, 1 advisory, 32 of 32 runs, seed 7, 12.4 s\n"
    )


def test_a_broken_judge_is_told_beside_failures() -> None:
    reason = "judge answered 404:\x1b[31m no such model"
    trouble = {"outcome": "judge_error", "reason": reason, "runs": 11}
    test = a_test("a/x", passes=0, fails=3, errors=11, result="failed", troubles=[trouble])
    text = "".join(render(*a_report(a_group(test))))
    assert "✗ X  0 of 14, 11 runs without a verdict, needs" in text
    assert (
        "errors: 11 runs ended in errors because the judge gave no verdict: "
        "judge answered 404:\\x1b[31m no such model\n"
    ) in text
    assert "next: first make the judge give verdicts" in text
    assert "0 %" not in text.replace("100 %", "").partition("gate:")[0]


def test_errors_are_told_where_a_test_passed_in_spite_of_them() -> None:
    test = a_test("a/x", passes=19, errors=1, result="passed")
    text = "".join(render(*a_report(a_group(test))))
    assert "✓ X  19 of 20, 100 % of 19 judged (interval" in text
    assert "errors: 1 run ended in an error because the target gave no answer to judge: " in text
    assert "next:" not in text


def test_one_run_has_no_rate() -> None:
    text = "".join(render(*a_report(a_group(a_case(fails=1)))))
    assert "✗ test_discount  0 of 1, needs" in text


def test_briefly_is_what_needs_a_look_and_the_result() -> None:
    document, runs = a_report(
        a_group(
            a_test("a/undecided", passes=9, errors=1),
            a_test("a/good"),
            a_test("a/tone", fails=1, advisory=True),
            a_skipped_test("a/later"),
            a_test("a/bad", passes=8, fails=2),
        ),
        warnings=["Something is odd."],
    )
    lines = "".join(render_briefly(document, runs)).splitlines()
    heads = [line.partition("  ")[0] for line in lines if not line.startswith(" ")]
    assert heads == ["✗ a/bad", "? a/undecided", "✗ 1 of 3 tests failed, 1 undecided"]
    words = [line.partition(":")[0].strip() for line in lines if line.startswith(" ")]
    assert [word.partition(" ")[0] for word in words] == [
        *("gate", "run", "next", "at"),
        *("gate", "errors", "next", "at"),
    ]


def test_briefly_says_the_result_alone_when_all_passed() -> None:
    document, runs = a_report(a_group(a_test("a/x"), a_test("a/y")), warnings=["Odd."])
    assert list(render_briefly(document, runs)) == ["✓ All 2 tests passed\n"]
    assert runs.reads == []


def test_a_failure_that_is_forgiven_has_no_tick() -> None:
    document, runs = a_report(a_group(a_test("a/x", fails=1)), status="passed")
    text = "".join(render(document, runs))
    assert "\n! 1 of 1 test failed; this does not fail the step\n" in text


@given(text=texts)
def test_hostile_text_is_short_visible_lines(text: str) -> None:
    document, runs = a_hostile_report(text)
    lines = [*render(document, runs), *render_briefly(document, runs)]
    for line in lines:
        assert line.endswith("\n")
        body = line[:-1]
        assert body.isprintable() or not set(body) & {*"\x00\x07\x1b\r\n\x7f\x85\u2028\u202e"}
        assert len(body) < 700
        assert not body.lstrip().startswith(("::", "##["))
        body.encode()


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_where_the_registry_says(name: str) -> None:
    document, runs = a_report(a_group(a_test(fails=1)))
    assert "".join(renderer(name).render(document, runs)).endswith("\n")
