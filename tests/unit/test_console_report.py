import pytest
from hypothesis import given

from ci_judge.renderers.console import render
from ci_judge.renderers.registry import FORMATS, renderer
from tests.builders import a_group, a_report, a_skipped_test, a_test
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
        "  ✗ Asks  8 of 10, 80 % (49 to 94 %), needs at least 10 of 10\n"
        "      gate: 8 of 10 passed (95 % interval 49 to 94 %); the gate needs at least 10 of 10.\n"
        '      run 1: The response does not contain "14 days".\n'
        "      at scenarios/refunds.yaml:12\n"
        "  ✓ Follows up  10 of 10, 100 % (72 to 100 %), needs at least 10 of 10\n"
        "  ? Abroad  0 of 2, needs at least 2 of 2, undecided\n"
        "      gate: 0 of 0 passed (95 % interval 0 to 100 %); the gate needs at least 2 of 2.\n"
        "      run 1: The target refused the connection.\n"
        "      at scenarios/refunds.yaml:12\n"
        "  ! Tone  4 of 10, 40 % (17 to 69 %), needs at least 10 of 10, advisory\n"
        "      gate: 4 of 10 passed (95 % interval 17 to 69 %); the gate needs at least 10 of 10.\n"
        '      run 1: The response does not contain "14 days".\n'
        "      at scenarios/refunds.yaml:12\n"
        "  - Later  skipped: waits for the new catalogue\n"
        "\n"
        "• Privacy\n"
        "  nothing covers this criterion\n"
        "\n"
        "warning: Something is odd.\n"
        "note: phrase check, not a judge of meaning\n"
        "✗ 1 of 3 tests failed, 1 undecided\n"
        "1 passed, 1 failed, 1 undecided, 1 skipped, 1 advisory, 32 of 32 runs, seed 7, 12.4 s\n"
    )


@given(text=texts)
def test_hostile_text_is_short_visible_lines(text: str) -> None:
    lines = list(render(*a_hostile_report(text)))
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
