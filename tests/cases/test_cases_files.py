"""Files as people write, join, copy and save them: YAML, TOML and what is misspelt in them."""

import json
import time
from typing import Any

import pytest

from tests.cases.collection import required
from tests.cases.outcome import Outcome
from tests.cases.workbench import Open, Workbench

required()


def loaded(case: Workbench, file: str, **changes: Any) -> Outcome:
    """Run a case with one scenario file, and see that a refused one sent nothing."""
    with case.servers() as running:
        outcome = case.run(running, changes={"suite": {"paths": [file]}} | changes)
        if outcome.exit_code == 2:
            assert running.asked("endpoint") == []
            assert outcome.error_lines() == outcome.err.splitlines()
    return outcome


def refused(outcome: Outcome, *words: str) -> None:
    assert outcome.exit_code == 2, outcome.printed
    for word in words:
        assert word in outcome.err


# Each phrase of these cases holds text in quotes behind a plain `Says`, inside `{…}`.
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("dup_top.yaml", ("dup_top.yaml:4", "scenarios")),
        ("dup_inner.yaml", ("dup_inner.yaml:6", "expected")),
    ],
)
def test_h40_a_key_twice_is_refused_with_its_lines(
    bench: Open, file: str, words: tuple[str, ...]
) -> None:
    refused(loaded(bench("H40"), file), *words, "twice")


def test_h40_a_section_twice_in_the_configuration_is_refused(bench: Open) -> None:
    case = bench("H40")
    outcome = case.command("run", "--config", "dup_config.yaml")
    outcome.check()
    refused(outcome, "dup_config.yaml:4", "run")


def test_h40_a_merge_key_is_no_duplicate(bench: Open) -> None:
    # The case's top-level key `defaults` is a key of scenario files here, so the file loads.
    outcome = loaded(bench("H40"), "ok_merge.yaml")
    assert outcome.exit_code == 0
    assert outcome.test("Merged")["planned"] == 5


def test_h42_a_second_document_is_refused_at_its_line(bench: Open) -> None:
    refused(loaded(bench("H42"), "two_docs.yaml"), "two_docs.yaml:5", "document")


@pytest.mark.parametrize("file", ["leading.yaml", "empty_second.yaml"])
def test_h42_marks_around_one_document_are_fine(bench: Open, file: str) -> None:
    outcome = loaded(bench("H42"), file)
    if outcome.exit_code == 2:
        refused(outcome, "empty_second.yaml:4", "document")
    else:
        assert [test["name"] for test in outcome.tests] == ["One"]


def content(outcome: Outcome) -> list[Any]:
    keys = ("id", "name", "turns", "expected")
    titles = [(group["id"], group["title"], group["description"]) for group in outcome.groups]
    return [titles, [[test[key] for key in keys] for test in outcome.tests]]


def test_h43_files_from_windows_are_the_same_files(bench: Open) -> None:
    case = bench("H43")
    plain = {"suite": {"criteria": "acceptance.md", "paths": ["scenarios.yaml"]}}
    windows = {
        "suite": {"criteria": "acceptance_bom_crlf.md", "paths": ["scenarios_bom_crlf.yaml"]}
    }
    with case.servers() as running:
        expected = case.run(running, changes=plain)
        outcome = case.run(running, changes=windows)
        assert "\\r" not in running.asked("endpoint")[-1]["body"]
    assert expected.exit_code == outcome.exit_code == 0
    assert [group["id"] for group in outcome.groups] == ["refunds"]
    assert content(outcome) == content(expected)
    assert "\\r" not in outcome.text("report.json")
    wide = loaded(case, "scenarios_utf16.yaml")
    assert content(wide) == content(expected)


def test_h43_what_cannot_be_read_is_refused_with_its_place(bench: Open) -> None:
    case = bench("H43")
    refused(loaded(case, "scenarios_tab.yaml"), "scenarios_tab.yaml:", "tab")
    refused(loaded(case, "scenarios_cp1252.yaml"), "scenarios_cp1252.yaml", "byte")


def test_h43_toml_from_windows(bench: Open) -> None:
    case = bench("H43")
    with case.servers() as running:
        rest = [
            "[suite]",
            'criteria = "acceptance_bom_crlf.md"',
            'paths = ["scenarios_bom_crlf.yaml"]',
            "[target]",
            f'url = "{running.addresses["ENDPOINT"]}/chat"',
            'response_path = "reply"',
            "[judge]",
            'provider = "stub"',
            "",
        ]
        with (case.root / "config_bom_crlf.toml").open("a", encoding="utf-8") as file:
            file.write("\r\n".join(["", *rest]))
        outcome = case.command("run", "--config", "config_bom_crlf.toml")
    outcome.check()
    assert outcome.exit_code == 0
    assert outcome.test("Asks how to get money back")["planned"] == 1


MERGE_BOMB = "\n".join(
    [
        "criterion: refunds",
        "a: &a {k: v}",
        *(
            f"{b}: &{b} {{<<: [{', '.join([f'*{a}'] * 9)}]}}"
            for a, b in zip("abcdef", "bcdefg", strict=True)
        ),
        "scenarios: []",
        "",
    ]
)


@pytest.mark.parametrize("file", ["bomb.yaml", "recursive.yaml", "merges.yaml"])
def test_h44_aliases_that_explode_are_refused_quickly(bench: Open, file: str) -> None:
    case = bench("H44")
    case.write("merges.yaml", MERGE_BOMB)
    with case.servers() as running:
        case.configure(running, {"suite": {"paths": [file]}})
        began = time.monotonic()
        outcome, peak_mib = case.measured("run")
        seconds = time.monotonic() - began
    outcome.check()
    refused(outcome, f"{file}:")
    assert len(outcome.err) < 2000
    assert peak_mib < 300
    assert seconds < 15, "5 of its own, and the machine may be busy"


def test_h44_ordinary_anchors_are_fine(bench: Open) -> None:
    outcome = loaded(bench("H44"), "anchors_ok.yaml")
    assert [test["turns"] for test in outcome.tests] == [["How long have I got?"]] * 2


def test_h44_a_large_honest_file_loads(bench: Open) -> None:
    case = bench("H44")
    case.make("make_large.py")
    with case.servers() as running:
        case.configure(running, {"suite": {"paths": ["large_ok.yaml"]}})
        outcome = case.command("check")
    assert outcome.exit_code == 0
    assert "20,000 tests" in outcome.out or "20000" in outcome.out


NAMED = (
    'did you mean "expected"',
    'did you mean "threshold"',
    'did you mean "runs"',
    None,
    "threshold",
    "runs",
    "history",
    "role",
    "content",
    "name",
    "message",
    "expected",
)


def test_h45_each_misspelt_field_is_named_all_at_once(bench: Open) -> None:
    case = bench("H45")
    text = case.read("bad_fields.yaml")
    text = text.replace('threshold: "0.8"', 'threshold: "0.2"')  # "0.2" is the number it says
    entries = [line for line in text.splitlines() if line.startswith("- ")]
    case.write(
        "all.yaml", "criterion: refunds\nscenarios:\n" + "".join(f"  {each}\n" for each in entries)
    )
    outcome = loaded(case, "all.yaml")
    assert outcome.exit_code == 2
    assert len(entries) == len(NAMED)
    for number, word in enumerate(NAMED, start=3):
        lines = [line for line in outcome.error_lines() if f"all.yaml:{number}:" in line]
        if word is None:
            assert lines == []
        else:
            assert any(word in line for line in lines), (number, lines)


@pytest.mark.parametrize(
    ("file", "word"), [("map_not_list.yaml", "list"), ("no_criterion.yaml", "criterion")]
)
def test_h45_a_file_of_the_wrong_shape_is_refused(bench: Open, file: str, word: str) -> None:
    refused(loaded(bench("H45"), file), f"{file}:", word)


def test_h45_a_body_that_never_holds_the_message_is_pointed_out(bench: Open) -> None:
    case = bench("H45")
    case.write("good.yaml", json.dumps(GOOD_SUITE))
    case.change(target={"body": {"question": "always the same"}})
    outcome = loaded(case, "good.yaml")
    assert outcome.exit_code == 2 or "{{message}}" in " ".join(outcome.report["warnings"])
    assert "{{message}}" in outcome.printed


GOOD_SUITE = {
    "criterion": "refunds",
    "scenarios": [{"name": "Asks", "message": "How?", "expected": 'Says "14 days".'}],
}


def test_h45_a_judge_without_a_name_is_refused(bench: Open) -> None:
    case = bench("H45")
    case.write("good.yaml", json.dumps(GOOD_SUITE))
    judge = {"judge": {"provider": "anthropic", "model": "", "api_key_env": "STUB_KEY"}}
    refused(loaded(case, "good.yaml", **judge), "judge.model")
