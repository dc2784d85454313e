"""The tests that ``ci-judge check`` lists: of a dataset the first rows, exactly counted."""

from ci_judge.cli.listed_tests import MOST_ROWS, listed_tests
from ci_judge.errors import Place
from ci_judge.model.suite import DataRow, Scenario, Waiver
from tests.model_builders import a_case_test, a_scenario

WAIVER = Waiver(reason="Known", owner="ann", expires="2026-12-31", place=Place(file="waivers.yaml"))


def rows(count: int, template: str = "refunds/asks") -> list[Scenario]:
    row = DataRow(template=template, place=Place(file="rows.csv", line=2))
    return [a_scenario("asks", id=f"{template}[{number}]", row=row) for number in range(count)]


def listed(*tests: Scenario, every_row: bool = False) -> list[str]:
    return [line.split("  ")[1] for line in listed_tests(tests, every_row=every_row)]


def test_a_large_dataset_is_its_first_rows_and_how_many_follow() -> None:
    named = [f"refunds/asks[{number}]" for number in range(MOST_ROWS)]
    more = "… and 1,195 more rows of refunds/asks (-k or -m lists every row)"
    assert listed(*rows(1200)) == [*named, more]
    assert listed(*rows(MOST_ROWS)) == named


def test_each_template_is_counted_for_itself_and_what_a_person_wrote_is_all_there() -> None:
    written = [a_scenario(f"own-{number}") for number in range(9)]
    lines = listed(*rows(6), *written, *rows(7, "refunds/other"))
    assert [line for line in lines if "own" in line] == [test.id for test in written]
    assert [line for line in lines if line.startswith("…")] == [
        "… and 1 more row of refunds/asks (-k or -m lists every row)",
        "… and 2 more rows of refunds/other (-k or -m lists every row)",
    ]
    cases = [a_case_test(f"test_{number}") for number in range(9)]
    assert len(list(listed_tests(cases))) == 9


def test_a_row_that_is_unlike_the_others_is_not_hidden_among_them() -> None:
    tests = rows(20)
    tests[17] = a_scenario("asks", id="refunds/asks[17]", row=tests[17].row, waiver=WAIVER)
    lines = list(listed_tests(tests))
    assert [line for line in lines if "waived until 2026-12-31" in line] == [lines[MOST_ROWS]]
    assert "… and 14 more rows" in lines[-1]


def test_a_first_row_that_is_unlike_the_others_makes_none_of_them_special() -> None:
    tests = rows(20)
    tests[0] = a_scenario("asks", id="refunds/asks[0]", row=tests[0].row, waiver=WAIVER)
    assert len(listed(*tests)) == MOST_ROWS + 1


def test_every_row_is_listed_where_that_is_wanted() -> None:
    assert len(listed(*rows(40), every_row=True)) == 40
