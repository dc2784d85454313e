import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.renderers.markdown import blocks, render
from ci_judge.renderers.markdown_fit import Block, Fallback, fit, whole
from tests.builders import a_case, a_group, a_report, a_run, a_skipped_test, a_test


def utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_counts_come_first_and_what_failed_before_what_passed() -> None:
    text = "".join(
        render(
            *a_report(
                a_group(a_test("a/good"), a_test("a/bad", passes=8, fails=2)),
                a_group(a_case(), a_skipped_test("b/later"), id="b"),
                a_group(id="bare"),
            )
        )
    )
    lines = text.splitlines()
    assert lines[0] == "### ❌ CI Judge: 1 of 3 tests failed"
    assert lines[2] == (
        "**2 passed** · **1 failed** · 1 skipped · 21 of 21 runs · 12.4 s · commit `4f2a9c81d0`"
    )
    order = [
        "phrase check, not a judge of meaning",
        "Criteria that no test of this run covers:** `bare`",
        "| ❌ `Bad` | 8 of 10 | `··········├───┃─●──┤·` 80 % (49 to 94 %) | at least 10 of 10 |",
        "❌ **`Bad`** in `scenarios/refunds.yaml` line 12",
        "the gate needs at least 10 of 10.",
        'Run 1: The response does not contain "14 days".',
        "**Next:** read the failing answers",
        "<summary>Run 1 of 10 in full</summary>",
        "You get every penny back.",
        "<summary>1 skipped</summary>",
        "<summary>2 passed</summary>",
        "seed 7",
        "updated for `4f2a9c81d0`",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_tests_of_one_name_can_be_told_apart() -> None:
    document, runs = a_report(
        a_group(a_test("a/x", name="Asks", fails=1), a_test("b/x", name="Asks", fails=1))
    )
    text = "".join(render(document, runs))
    assert "| ❌ `a/x` |" in text
    assert "| ❌ `b/x` |" in text


def test_runs_are_read_for_what_needs_a_look_alone() -> None:
    document, runs = a_report(a_group(a_test("a/good"), a_test("a/bad", fails=1)))
    blocks(document, runs)
    assert runs.reads == ["a/bad"]


def test_an_undecided_test_shows_its_error() -> None:
    text = "".join(render(*a_report(a_group(a_test("a/x", passes=5, fails=1, errors=1)))))
    assert "⚠️ CI Judge: 1 of 1 test could not be decided" in text
    assert (
        "1 run ended in an error because the target gave no answer to judge: "
        "The target refused the connection.\\\n"
        "**Next:** first make the target answer, then run it again; "
    ) in text
    assert "<summary>Run 2 of 7 in full</summary>" in text
    assert "connection_refused: The target refused the connection." in text


def test_a_broken_judge_is_told_beside_failures() -> None:
    trouble = {"outcome": "judge_error", "reason": "answered 404: <b>@octo-user</b>", "runs": 11}
    test = a_test("a/x", passes=0, fails=3, errors=11, result="failed", troubles=[trouble])
    text = "".join(render(*a_report(a_group(test))))
    assert "| ❌ `X` | 0 of 14 | 11 runs without a verdict |" in text
    assert (
        "11 runs ended in errors because the judge gave no verdict: "
        "`answered 404: <b>@octo-user</b>`\\\n"
        'Run 1: The response does not contain "14 days". (certain: no judge was asked)\\\n'
        "**Next:** first make the judge give verdicts, then run it again."
    ) in text
    assert "bad luck" not in text


def test_errors_are_told_where_a_test_passed_in_spite_of_them() -> None:
    text = "".join(render(*a_report(a_group(a_test("a/x", passes=19, errors=1, result="passed")))))
    assert "100 % of 19 judged (83 to 100 %)" in text
    assert "\n\n- `X`: 1 run ended in an error because the target gave no answer to judge: " in text


@pytest.mark.parametrize("limit", [65_000, 20_000, 5_000, 1_500])
def test_a_comment_gives_way_by_whole_blocks_and_says_so(limit: int) -> None:
    tests = [a_test(f"c/{number}", passes=0, fails=10) for number in range(60)]
    runs = [
        a_run(test["id"], 1, "fail", transcript=[{"role": "assistant", "content": "é漢😀" * 1300}])
        for test in tests
    ]
    document, source = a_report(a_group(*tests, a_test("c/good")), runs=runs)
    text = fit(blocks(document, source), limit=limit, measure=utf16_units)
    assert utf16_units(text) <= limit
    assert text.startswith("### ❌ CI Judge: 60 of 61 tests failed")
    assert "_Shortened to fit here: " in text
    assert "1 list of passed tests left out" in text
    assert text.count("<details>") == text.count("</details>")
    assert text.count("```") % 2 == 0
    assert "updated for" in text


def test_transcripts_go_before_the_reasons_of_any_test() -> None:
    tests = [a_test(f"c/{number}", passes=0, fails=10) for number in range(20)]
    runs = [a_run(test["id"], 1, "fail", reason="Wrong price.") for test in tests]
    document, source = a_report(a_group(*tests), runs=runs)
    pieces = blocks(document, source)
    heads = sum(len(way.text) for each in pieces for way in each.fallbacks if way.order == 30)
    table = sum(len(each.text) for each in pieces if not any(w.order == 30 for w in each.fallbacks))
    text = fit(pieces, limit=heads + table + 500, measure=len)
    assert text.count("Wrong price") == 20
    assert "in full</summary>" not in text
    assert "20 transcripts left out" in text


def test_what_fits_is_left_alone() -> None:
    document, runs = a_report(a_group(a_test("a/bad", passes=8, fails=2)))
    pieces = blocks(document, runs)
    assert fit(pieces, limit=65_000, measure=utf16_units) == whole(pieces)


def test_the_least_needed_gives_way_first_and_later_blocks_before_earlier() -> None:
    def block(name: str, order: int) -> Block:
        short = Fallback(order=order, text=name, what=f"{name} text", how="shortened")
        gone = Fallback(order=order + 50, text="", what=f"{name} text", how="left out")
        return Block(text=name * 100, fallbacks=(short, gone))

    pieces = [Block(text="head"), block("a", 20), block("b", 20), block("c", 10)]
    assert "a" * 100 in fit(pieces, limit=300, measure=len)
    assert fit(pieces, limit=240, measure=len) == (
        f"head\n\n{'a' * 100}\n\nb\n\nc\n\n_Shortened to fit here: 1 b text shortened, "
        "1 c text shortened. The report's files have everything._\n"
    )


@given(
    sizes=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 100), st.integers(1, 5))),
    limit=st.integers(600, 2000),
)
def test_fits_whenever_cutting_can_make_it_fit(
    sizes: list[tuple[int, int, int]], limit: int
) -> None:
    pieces = [
        Block(
            text="x" * size,
            fallbacks=(
                Fallback(order=order, text="y" * min(size, short), what="text", how="shortened"),
                Fallback(order=order + 10, text="", what="text", how="left out"),
            ),
        )
        for size, short, order in sizes
    ]
    text = fit(pieces, limit=limit, measure=len)
    assert len(text) <= limit
    if len(whole(pieces)) <= limit:
        assert text == whole(pieces)
