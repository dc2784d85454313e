"""Python cases: same names, hangs, odd evidence, imports, shared state and event loops."""

import json
import time
from collections import Counter
from typing import Any

import pytest

from tests.cases.collection import required
from tests.cases.outcome import Outcome
from tests.cases.servers import Servers
from tests.cases.workbench import Open

required()


def evidence(running: Servers) -> dict[str, list[Any]]:
    """Give what judges were shown, by requirement."""
    shown: dict[str, list[Any]] = {}
    for body in running.bodies("judge"):
        shown.setdefault(body["state"]["requirement"], []).append(body["state"]["evidence"])
    return shown


def by_function(outcome: Outcome) -> dict[str, dict[str, Any]]:
    """Give each case's first run by the name of its function."""
    return {test["id"].rpartition("::")[2]: test["runs"][0] for test in outcome.tests}


def test_h55_same_names_in_different_folders(bench: Open) -> None:
    case = bench("H55")
    before = {path for path in case.root.rglob("*") if "__pycache__" in path.parts}
    with case.servers() as running:
        outcome = case.run(running)
        shown = evidence(running)
        assert len(running.asked("judge")) == 5
    assert outcome.exit_code == 0
    names = {"app": "A", "lib": "B", "third": "C", "fourth": "D", "fifth": "E"}
    assert shown == {
        f"The {name} value is {letter}.": [{"actual": letter}] for name, letter in names.items()
    }
    assert len({(each.get("classname"), each.get("name")) for each in outcome.testcases}) == 5
    assert len({test["id"] for test in outcome.tests}) == 5
    after = {path for path in case.root.rglob("*") if "__pycache__" in path.parts}
    assert after == before, "nothing is left in the workspace"


def test_h57_a_case_that_hangs_is_an_error_and_the_others_are_judged(bench: Open) -> None:
    case = bench("H57")
    began = time.monotonic()
    with case.servers() as running:
        outcome = case.run(running)
        assert len(running.asked("judge")) == 2
    assert time.monotonic() - began < 60
    assert outcome.exit_code == 3
    runs = by_function(outcome)
    hanging = ("test_spin", "test_sleep", "test_await", "test_block")
    for name in hanging:
        assert runs[name]["outcome"] == "case_error"
        assert "2" in runs[name]["reason"]
        assert runs[name]["failure"]["code"] == "timeout"
    assert runs["test_thread"]["outcome"] == runs["test_ok"]["outcome"] == "pass"


JUDGED = {"tuple", "nested", "none"}
TYPES = {
    "datetime": ("datetime", "when"),
    "decimal": ("Decimal", "price"),
    "set": ("set", "tags"),
    "bytes": ("bytes", "raw"),
    "dataclass": ("Point", ""),
    "plain": ("Plain", ""),
    "scalar": ("Scalar", "n"),
    "collide": ("int", "1"),
    "nonekey": ("None", ""),
    "loop": ("itself", ""),
    "lambda": ("function", "f"),
    "enum": ("Colour", "c"),
}


def test_h59_evidence_that_json_cannot_hold_is_an_error_of_its_case(bench: Open) -> None:
    case = bench("H59")
    with case.servers() as running:
        outcome = case.run(running)
        shown = evidence(running)
    runs = by_function(outcome)
    assert outcome.exit_code == 3
    for name, words in TYPES.items():
        run = runs[f"test_{name}"]
        assert run["outcome"] == "case_error", name
        assert all(word in run["reason"] for word in words), run["reason"]
        assert f"Evidence kind {name} is handled." not in shown
    assert runs["test_generator"]["outcome"] == "case_error"
    for name in JUDGED:
        assert runs[f"test_{name}"]["outcome"] == "pass", runs[f"test_{name}"]["reason"]
    assert shown["Evidence kind tuple is handled."] == [{"t": [1, 2]}]
    big = shown.get("Evidence kind big is handled.")
    if big is None:
        assert runs["test_big"]["outcome"] == "case_error"
    else:
        assert big == [{"text": "x" * 2_000_000}], "whole, or refused"
    assert len(outcome.tests) == 17


def test_h60_numbers_that_are_not_json_are_errors_and_words_are_kept(bench: Open) -> None:
    case = bench("H60")
    with case.servers() as running:
        outcome = case.run(running)
        bodies = [request["body"] for request in running.asked("judge")]
        shown = evidence(running)
    runs = by_function(outcome)
    assert runs["test_nan"]["outcome"] == runs["test_inf"]["outcome"] == "case_error"
    assert "mean" in runs["test_nan"]["reason"]
    assert "ratio" in runs["test_inf"]["reason"]
    said = {"actual": "BaNaNa Infinity -Infinity NaN", "NaN": "key", "zero": -0.0}
    assert shown == {"The word is kept.": [said]}
    assert runs["test_text"]["evidence"] == said
    assert len(bodies) == 1
    assert json.loads(bodies[0], parse_constant=pytest.fail)


def test_h61_a_case_belongs_to_the_module_that_defines_it(bench: Open) -> None:
    case = bench("H61")
    with case.servers() as running:
        outcome = case.run(running)
        shown = Counter({key: len(values) for key, values in evidence(running).items()})
    twice = [line for line in outcome.error_lines() if "c_cases.py" in line]
    if twice:  # two decorators on one function are refused
        assert outcome.exit_code == 2
        case.write(
            "cases/c_cases.py", case.read("cases/c_cases.py").replace('@case("Outer.")\n', "")
        )
        with case.servers() as running:
            outcome = case.run(running)
            shown = Counter({key: len(values) for key, values in evidence(running).items()})
    assert outcome.exit_code == 0
    assert shown["Shared value is 1."] == shown["Own value is 2."] == 1
    assert sum(shown.values()) == 3
    assert len(outcome.tests) == len(outcome.testcases) == 3


def test_h62_evidence_is_what_it_was_when_it_was_returned(bench: Open) -> None:
    case = bench("H62")
    with case.servers() as running:
        outcome = case.run(running, changes={"run": {"concurrency": 4}})
        shown = evidence(running)
    assert outcome.has_report, "chdir moved nothing"
    for test in outcome.tests:
        (run,) = test["runs"]
        if run["outcome"] == "case_error":
            assert test["id"].endswith("::test_moving")
            continue
        judged = shown[test["requirement"]]
        assert judged == [run["evidence"]] * 3
    assert shown["The folder is kept."] == [{"cwd": "/"}] * 3


def test_h63_every_way_to_use_an_event_loop(bench: Open) -> None:
    case = bench("H63")
    with case.servers() as running:
        outcome = case.run(running)
        shown = evidence(running)
    runs = {name: run["outcome"] for name, run in by_function(outcome).items()}
    assert runs == {
        "test_run": "pass",
        "test_new_loop": "pass",
        "test_lock_one": "pass",
        "test_lock_two": "pass",
        "test_pending": "pass",
        "test_agen": "case_error",
        "test_coro": runs["test_coro"],
    }
    assert "generator" in by_function(outcome)["test_agen"]["reason"]
    assert runs["test_coro"] in {"pass", "case_error"}
    assert shown.get("Coroutine from a plain function.", [{"actual": 80}]) == [{"actual": 80}]
    assert "Task was destroyed" not in outcome.printed + outcome.text("report.json")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("cases_bad", ["bad_import_cases.py:1", "no_such_module_held"]),
        ("cases_syntax", ["syntax_cases.py:5"]),
        ("cases_nobrackets", ["nobrackets_cases.py:4", "@case("]),
    ],
)
def test_h64_what_cannot_be_imported_stops_the_run(
    bench: Open, path: str, words: list[str]
) -> None:
    case = bench("H64")
    with case.servers() as running:
        outcome = case.run(running, changes={"suite": {"paths": [path]}})
        assert running.asked("judge") == []
    assert outcome.exit_code == 2
    for word in words:
        assert word in outcome.err


def test_h64_a_package_may_import_from_itself_or_is_told_how(bench: Open) -> None:
    case = bench("H64")
    with case.servers() as running:
        outcome = case.run(running, changes={"suite": {"paths": ["cases_rel"]}})
        shown = evidence(running)
    if outcome.exit_code == 2:
        assert "relative_cases.py:3" in outcome.err
        assert "import" in outcome.err
    else:
        assert shown == {"The value is 80.": [{"actual": 80}]}


def test_h64_every_misshapen_case_is_named_at_once(bench: Open) -> None:
    case = bench("H64")
    with case.servers() as running:
        outcome = case.run(running, changes={"suite": {"paths": ["cases_shape"]}})
    assert outcome.exit_code == 2
    places = {"4": "test_arg", "9": "requirement", "14": "test_dup"}
    assert len(outcome.error_lines()) == len(places)
    for line, word in places.items():
        assert any(
            f"shape_cases.py:{line}:" in each and word in each for each in outcome.error_lines()
        )
