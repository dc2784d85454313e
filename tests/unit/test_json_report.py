import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given

from ci_judge.model.document import ReportDocument, RunEntry
from ci_judge.renderers.json_report import render
from tests.builders import Runs, a_group, a_report, a_run, a_test
from tests.hostile import a_hostile_report, texts


def rendered(document: ReportDocument, runs: Runs) -> Any:
    text = "".join(render(document, runs))
    text.encode()
    return json.loads(text, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))


def test_is_the_document_with_the_runs_of_each_test_inside() -> None:
    document, runs = a_report(
        a_group(a_test("a/x", passes=1, fails=1), a_test("a/y", passes=2)), a_group(id="bare")
    )
    value = rendered(document, runs)
    x, y = value["groups"][0]["tests"]
    assert [run["outcome"] for run in x.pop("runs")] == ["fail", "pass"]
    assert [run["test"] for run in y.pop("runs")] == ["a/y", "a/y"]
    assert value == document


def test_what_is_not_finite_becomes_null_and_the_rest_stays() -> None:
    document, runs = a_report(
        a_group(a_test("a/x", passes=1)),
        runs=[a_run("a/x", evidence={"nan": float("nan"), "list": [float("inf"), 1.5]})],
    )
    [run] = rendered(document, runs)["groups"][0]["tests"][0]["runs"]
    assert run["evidence"] == {"nan": None, "list": [None, 1.5]}


def test_letters_of_every_language_stay_letters() -> None:
    document, runs = a_report(headline="été 漢字 😀")
    assert '"été 漢字 😀"' in "".join(render(document, runs))


def test_writes_run_by_run_as_they_are_read() -> None:
    read: list[int] = []

    class Reading:
        def runs(self, test_id: str) -> Iterator[RunEntry]:
            for number in (1, 2, 3):
                read.append(number)
                yield a_run(test_id, number)

    document, _ = a_report(a_group(a_test("a/x")))
    written = [(len(read), piece) for piece in render(document, Reading()) if '"number"' in piece]
    assert [count for count, _ in written] == [1, 2, 3]


@given(text=texts)
def test_hostile_text_reads_back(text: str) -> None:
    document, runs = a_hostile_report(text)
    value = rendered(document, runs)
    assert [len(test["runs"]) for test in value["groups"][0]["tests"]] == [3, 3, 3, 3, 10]
