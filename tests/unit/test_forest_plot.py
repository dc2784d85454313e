from ci_judge.renderers.forest_plot import plot_row, plot_rows
from tests.builders import a_document, a_group, a_skipped_test, a_test


def test_marks_stand_at_their_share_of_the_width() -> None:
    row = plot_row(a_test(passes=8, fails=2), group="Refunds")
    assert (row.low, row.width, row.rate, row.threshold) == ("49.02%", "45.32%", "80%", "70%")
    assert row.words == "failed: rate 80 %, interval 49 to 94 %, threshold 70 %"


def test_a_test_without_a_judged_run_has_no_dot_and_the_whole_interval() -> None:
    row = plot_row(a_test(passes=0, errors=3), group="Refunds")
    assert (row.low, row.width, row.rate) == ("0%", "100%", None)
    assert row.words == "undecided: no run was judged, threshold 70 %"


def test_what_failed_is_on_top_and_what_was_skipped_is_not_there() -> None:
    document = a_document(
        a_group(a_test("a/good"), a_skipped_test("a/later"), a_test("a/bad", fails=1))
    )
    assert [(row.name, row.group) for row in plot_rows(document)] == [
        ("Bad", "Refund policy"),
        ("Good", "Refund policy"),
    ]
