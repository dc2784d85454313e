"""Datasets: one test for each row, filled once; each fault of a file in one line with its place."""

import json
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.errors import InvalidInput, Problem
from ci_judge.file_schema import load_yaml
from ci_judge.model.suite import GateDefaults, Scenario
from ci_judge.suites.dataset_files import Row, read_rows
from ci_judge.suites.dataset_rows import Told
from ci_judge.suites.datasets import Template, filled_entries, read_template
from ci_judge.suites.linting import warnings
from ci_judge.suites.row_filling import Filling
from ci_judge.suites.scenario_file import TestKeys
from ci_judge.suites.scenario_source import Setting, Source
from ci_judge.suites.scenarios import load_scenarios
from tests.model_builders import a_criterion
from tests.unit.test_linting import suite_of

DEFAULTS = GateDefaults(runs=7, threshold=Fraction(3, 5))
TWO = '{"q": "How?", "a": "14 days"}\n{"q": "When?", "a": "now"}\n'
ASKS = 'name: Asks\nfrom: rows.jsonl\nmessage: "{{q}}"\nexpected: Says "{{a}}".\n'


def load(
    folder: Path, rows: str | bytes, entry: str = ASKS, *, name: str = "rows.jsonl", seed: int = 0
) -> tuple[Scenario, ...]:
    place = folder / "scenarios"
    place.mkdir(exist_ok=True)
    (place / name).write_bytes(rows.encode() if isinstance(rows, str) else rows)
    file = place / "faq.yaml"
    listed = indent(dedent(entry), "    ").replace("    ", "  - ", 1)
    file.write_text(f"criterion: refunds\nscenarios:\n{listed}", "utf-8")
    return load_scenarios(
        [file],
        (a_criterion("refunds"),),
        DEFAULTS,
        root=folder,
        targets=frozenset({"staging"}),
        seed=seed,
    )


def problems(folder: Path, rows: str | bytes, entry: str = ASKS, **more: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        load(folder, rows, entry, **more)
    return [str(problem) for problem in caught.value.problems]


def test_each_row_is_a_test_of_its_own(tmp_path: Path) -> None:
    first, second = load(tmp_path, TWO)
    assert [first.id, second.id] == ["refunds/asks[1]", "refunds/asks[2]"]
    assert [first.name, second.name] == ["Asks [1]", "Asks [2]"]
    assert [first.turns, second.turns] == [("How?",), ("When?",)]
    assert [each.phrases for each in first.expectations] == [("14 days",)]
    assert str(first.place) == str(second.place) == "scenarios/faq.yaml:3"
    assert second.row is not None
    assert (second.row.template, str(second.row.place), second.row.some) == (
        "refunds/asks",
        "scenarios/rows.jsonl:2",
        False,
    )


def test_a_row_is_known_by_its_id_and_a_name_that_it_fills_is_its_name(tmp_path: Path) -> None:
    rows = '{"id": "öl/7", "q": "How?", "a": "x"}\n{"id": 7, "q": "When?", "a": "y"}\n'
    first, second = load(tmp_path, rows, ASKS.replace("Asks", '"Asks: {{q}}"') + "id: oil\n")
    assert [first.id, second.id] == ["oil[öl/7]", "oil[7]"]
    assert [first.name, second.name] == ["Asks: How?", "Asks: When?"]


def test_what_a_row_holds_is_never_expanded_again(tmp_path: Path) -> None:
    row = {"q": "{{a}} ${HOME} {{ q }} {{missing}}", "a": "{{q}}"}
    (test,) = load(tmp_path, json.dumps(row) + "\n", ASKS.replace("{{q}}", "{{q}} and {{a}}"))
    assert test.turns == ("{{a}} ${HOME} {{ q }} {{missing}} and {{q}}",)
    assert test.expectations[0].phrases == ("{{q}}",)


@pytest.mark.parametrize("value", ["{{other}}", ["{{other}}"], {"{{other}}": "{{other}}"}])
def test_a_value_that_is_all_of_a_text_is_not_expanded_either(value: Any) -> None:
    filling = Filling({"one": value, "other": "x"})
    assert filling.json("{{one}}") == value
    assert filling.key("message", {"deep": "{{one}}"}) == {"deep": value}


def test_more_rows_than_may_be_are_told(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"q": "?"}\n' * 9, "utf-8")
    loaded = load_yaml("scenarios: [{name: A, from: rows.jsonl, message: '{{q}}'}]", file="f")
    setting = Setting(criteria={}, gate=DEFAULTS, targets=frozenset(), root=tmp_path)
    source = Source(
        loaded=loaded,
        folder=tmp_path,
        criterion=a_criterion(),
        defaults=TestKeys(),
        setting=setting,
    )
    at = ("scenarios", 0)
    template = read_template(source, at, loaded.data["scenarios"][0])
    assert isinstance(template, Template)
    found: list[Problem] = []
    assert len(list(filled_entries(template, "a", Told(found), most=9))) == 9
    assert found == []
    assert len(list(filled_entries(template, "a", Told(found), most=8))) == 8
    assert str(found[0]) == (
        "rows.jsonl:9: the dataset holds more than 8 rows (take some of them: limit: 1000, or "
        "sample: 1000)"
    )


@given(st.text(), st.text())
def test_any_text_of_a_row_arrives_as_it_is(one: str, other: str) -> None:
    filling = Filling({"one": one, "other": other})
    assert filling.json("{{one}}") == one
    assert filling.json("<{{one}}|{{ other }}>") == f"<{one}|{other}>"


def test_every_part_of_a_scenario_can_be_filled(tmp_path: Path) -> None:
    entry = """\
        name: Asks
        from: rows.jsonl
        turns: ["{{q}}", {deep: ["{{n}}", "no {{n}}"], plain: 1.10}]
        history:
          - {role: "{{role}}", content: "Hi {{q}}"}
        expected: ["Says {{q}}.", "{{more}}"]
        checks:
          - contains: "{{n}}"
          - regex: "^{{dots}}$"
          - regex: "{{dots}}"
          - equals: {price: "{{n}}"}
          - json_path: {path: "{{path}}", equals: "{{n}}"}
          - max_chars: "{{n}}"
          - tools_called: "{{more}}"
          - json_schema: {const: "{{n}}"}
    """
    row = {"q": "?", "n": 5, "role": "user", "more": ["one", "two"], "dots": "a.b", "path": "a.0"}
    (test,) = load(tmp_path, json.dumps(row), entry)
    assert test.turns == ("?", {"deep": [5, "no 5"], "plain": 1.1})
    assert [(past.role, past.content) for past in test.history] == [("user", "Hi ?")]
    assert [each.text for each in test.expectations] == ["Says ?.", "one", "two"]
    assert [check.operand for check in test.checks] == [
        "5",
        r"^a\.b$",
        "a.b",
        {"price": 5},
        {"path": "a.0", "equals": 5},
        5,
        ["one", "two"],
        {"const": 5},
    ]


def test_a_column_can_hold_all_turns_and_the_history(tmp_path: Path) -> None:
    past = [{"role": "user", "content": "Hi"}]
    row = {"turns": ["one", "two"], "past": past, "nothing": None, "yes": True}
    entry = """\
        name: Talks
        from: rows.jsonl
        turns: "{{turns}}"
        history: "{{past}}"
        expected: "It is {{yes}}{{nothing}}."
    """
    (test,) = load(tmp_path, json.dumps(row), entry)
    assert test.turns == ("one", "two")
    assert test.history[0].content == "Hi"
    assert test.expectations[0].text == "It is true."


def test_an_exact_column_gives_a_message_of_json(tmp_path: Path) -> None:
    (test,) = load(tmp_path, '{"q": {"sku": [1, null]}, "a": "x"}')
    assert test.turns == ({"sku": [1, None]},)


CSV = 'name: Asks\nfrom: rows.csv\nmessage: "{{q}}"\nexpected: Says {{a}}.\n'


def test_csv_cells_may_hold_quotes_commas_and_lines(tmp_path: Path) -> None:
    rows = b'\xef\xbb\xbfq, a\r\n"a ""b"", c\r\nd",5\r\n\r\n"\xc3\xb6",007\r\n'
    first, second = load(tmp_path, rows, CSV, name="rows.csv")
    assert first.turns == ('a "b", c\r\nd',)
    assert [each.expectations[0].text for each in (first, second)] == ["Says 5.", "Says 007."]
    assert [str(each.row and each.row.place) for each in (first, second)] == [
        "scenarios/rows.csv:2",
        "scenarios/rows.csv:5",
    ]
    assert second.id == "refunds/asks[2]"


def test_jsonl_may_have_a_mark_windows_ends_and_blank_lines(tmp_path: Path) -> None:
    rows = "\ufeff" + TWO.replace("\n", "\r\n\r\n").removesuffix("\r\n\r\n")
    first, second = load(tmp_path, rows)
    assert [str(each.row and each.row.place) for each in (first, second)] == [
        "scenarios/rows.jsonl:1",
        "scenarios/rows.jsonl:3",
    ]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("", "scenarios/rows.jsonl: the dataset holds no row"),
        ("\n \n", "scenarios/rows.jsonl: the dataset holds no row"),
        ('{"q": "x", "a": "y"}\n{"q"', "scenarios/rows.jsonl:2: the line is not JSON: "),
        ('["q"]\n', 'scenarios/rows.jsonl:1: the line is no JSON object: a row is {"column": '),
        ('{"q": NaN}\n', "scenarios/rows.jsonl:1: the line is not JSON: NaN is no number"),
        ('{"q": 1, "q": 2}\n', 'scenarios/rows.jsonl:1: the line is not JSON: the key "q" is '),
        (
            '{"q": ' + "[" * 9_000 + "]" * 9_000 + "}",
            "scenarios/rows.jsonl:1: the line is nested too deep",
        ),
        (
            '{"q": ' + "[" * 800 + "]" * 800 + ', "a": "x"}',
            "scenarios/rows.jsonl:1: the line is nested too deep",
        ),
        ('{"q": "\\ud800"}\n', "scenarios/rows.jsonl:1: the line holds half a character"),
        (TWO.encode() + b'{"q": "\xe9"}', "scenarios/rows.jsonl:3: the line is not UTF-8 text: "),
        ("﻿a".encode("utf-16"), "scenarios/rows.jsonl:1: the file is UTF-16 text (save it as UTF"),
        (b"x" * (5 << 20), "scenarios/rows.jsonl:1: the line is longer than 4 MiB"),
    ],
)
def test_a_faulty_jsonl_file_is_told_in_one_line(
    tmp_path: Path, rows: str | bytes, told: str
) -> None:
    (line,) = problems(tmp_path, rows)
    assert line.startswith(told)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("", "scenarios/rows.csv: the dataset holds no row"),
        ("q,a\n", "scenarios/rows.csv: the dataset holds no row"),
        ("q,a\n1,2\n1,2,3\n", "scenarios/rows.csv:3: the row has 3 cells for 2 columns (a cell "),
        ('q,a\n"a\nb",2\n1\n', "scenarios/rows.csv:4: the row has 1 cells for 2 columns"),
        ("q,q\n1,2\n", 'scenarios/rows.csv:1: two columns are called "q"'),
        ("q,\n1,2\n", "scenarios/rows.csv:1: column 2 has no name"),
        ('q,a\n1,"2\n3,4\n', "scenarios/rows.csv:2: the row is not CSV: unexpected end of data"),
        ('q,a\n1,"2"x\n', "scenarios/rows.csv:2: the row is not CSV: "),
        (b"q,a\n1,\xff\n", "scenarios/rows.csv:2: the line is not UTF-8 text: byte 0xff"),
        (
            "q;a\n1;2\n",
            (
                'scenarios/faq.yaml:5:5: scenario "Asks": message names the column "q", which '
                "scenarios/rows.csv:2 does not have (commas part the columns of a .csv file)"
            ),
        ),
    ],
)
def test_a_faulty_csv_file_is_told_in_one_line(
    tmp_path: Path, rows: str | bytes, told: str
) -> None:
    line, *_ = problems(tmp_path, rows, CSV, name="rows.csv")
    assert line.startswith(told)


def test_an_unknown_column_is_blamed_on_the_template_with_what_was_meant(tmp_path: Path) -> None:
    rows = '{"question": "How?", "a": "x"}\n' * 50
    (line,) = problems(tmp_path, rows, ASKS.replace("{{q}}", "{{qestion}}"))
    assert line == (
        'scenarios/faq.yaml:5:5: scenario "Asks": message names the column "qestion", which '
        'scenarios/rows.jsonl:1 does not have (did you mean "question"?)'
    )


def test_a_later_row_without_a_column_is_blamed_itself(tmp_path: Path) -> None:
    (line,) = problems(tmp_path, TWO + '{"q": "x"}\n')
    assert line.startswith('scenarios/rows.jsonl:3: scenario "Asks": the row has no column "a"')


def test_ids_that_are_there_twice_or_are_none_are_told(tmp_path: Path) -> None:
    rows = [{"id": value, "q": "x", "a": "y"} for value in ("one", "one", "3", 1.5, " x", "")]
    lines = problems(tmp_path, "\n".join(map(json.dumps, rows)) + '\n{"q": "x", "a": "y", "id": 3}')
    assert [line.partition(": ")[2] for line in lines] == [
        'the id "one" of the row is that of line 1, too',
        "the row's id is no text and no whole number",
        "the row's id must be one line of at most 200 characters",
        "the row's id is no text and no whole number",
        'the id "3" of the row is that of line 3, too',
    ]


def test_what_a_filled_scenario_cannot_be_is_told_at_its_row(tmp_path: Path) -> None:
    rows = [{"q": "", "a": "x"}, {"q": "x", "a": '5" pipe'}, {"q": "y", "a": ""}]
    lines = problems(tmp_path, "\n".join(map(json.dumps, rows)), ASKS + 'tags: ["x"]\n')
    assert lines == [
        (
            'scenarios/rows.jsonl:2: scenario "Asks": the column "a" holds a double quote, which '
            "would end the phrase that it is quoted in: use the check contains"
        ),
        (
            'scenarios/rows.jsonl:3: scenario "Asks": expected cannot be read: the double quote at '
            "character 6 begins an empty phrase (phrases stand between double quotes, always two "
            "of them)"
        ),
    ]


def test_a_quoted_phrase_that_a_row_brings_along_is_one(tmp_path: Path) -> None:
    rows = '{"q": "x", "a": "States \\"14 days\\" at once"}\n'
    (test,) = load(tmp_path, rows, ASKS.replace('Says "{{a}}".', '"{{a}}"'))
    assert test.expectations[0].phrases == ("14 days",)


@pytest.mark.parametrize("expected", ['"{{e}}"', '["{{e}}"]', '["Says x.", "{{e}}"]'])
def test_a_row_takes_no_expectation_away(tmp_path: Path, expected: str) -> None:
    entry = (
        f"name: A\nfrom: rows.jsonl\nmessage: x\nexpected: {expected}\nchecks: [{{max_chars: 9}}]\n"
    )
    (line,) = problems(tmp_path, '{"e": []}\n', entry)
    assert 'the column "e" holds an empty list, so nothing is expected' in line


@pytest.mark.parametrize(
    ("check", "row", "told"),
    [
        ('regex: "{{e}}"', {"e": ""}, "the check regex is empty, so every answer would pass it"),
        ('regex: "{{e}}{{f}}"', {"e": "", "f": None}, "the check regex is empty, so every answer"),
        ('regex: "{{e}}|{{f}}"', {"e": "a", "f": ""}, "the check regex finds an empty text, so"),
        ('regex: "({{f}}|x)"', {"e": "a", "f": ""}, "the check regex finds an empty text, so"),
        ('regex: "^{{f}}"', {"e": "a", "f": ""}, "the check regex finds an empty text, so every"),
        ('regex: "{{f}}.*"', {"e": "a", "f": ""}, "the check regex finds an empty text, so every"),
        ('contains: "{{e}}"', {"e": " "}, "the check contains is empty, so every answer"),
        ('not_contains: "{{e}}"', {"e": ""}, "the check not_contains is empty, so no answer could"),
    ],
)
def test_a_check_that_a_row_leaves_nothing_of_is_told_at_the_row(
    tmp_path: Path, check: str, row: dict[str, Any], told: str
) -> None:
    entry = f"name: A\nfrom: rows.jsonl\nmessage: x\nchecks: [{{{check}}}]\n"
    rows = [{"e": "a", "f": "b"}, row]
    (line,) = problems(tmp_path, "\n".join(map(json.dumps, rows)), entry)
    assert line.startswith(f'scenarios/rows.jsonl:2: scenario "A": {told}')
    empty = [name for name, value in row.items() if not (value or "").strip()]
    named = " and ".join(f'"{name}"' for name in empty)
    assert line.endswith(f"(fill in {named}, or give such rows a scenario without this check)")


@pytest.mark.parametrize(
    ("check", "row"),
    [
        ('equals: "{{e}}"', {"e": ""}),
        ('json_path: {path: a, equals: "{{e}}"}', {"e": ""}),
        ('tools_called: "{{e}}"', {"e": []}),
        ('regex: "(a|{{e}})b"', {"e": ""}),
        ('regex: "[|{{e}}]"', {"e": ""}),
        ('regex: "^{{e}}$"', {"e": ""}),
        ('regex: "Price.{{e}}"', {"e": ""}),
    ],
)
def test_an_empty_cell_that_still_says_something_is_one(
    tmp_path: Path, check: str, row: dict[str, Any]
) -> None:
    entry = f"name: A\nfrom: rows.jsonl\nmessage: x\nchecks: [{{{check}}}]\n"
    (test,) = load(tmp_path, json.dumps(row), entry)
    assert len(test.checks) == 1


def test_rows_may_be_nested_as_deep_as_yaml(tmp_path: Path) -> None:
    row = '{"q": ' + "[" * 99 + "]" * 99 + ', "a": "x"}'
    (test,) = load(tmp_path, row)
    assert isinstance(test.turns[0], list)


def test_wrong_types_of_a_row_are_told_with_the_key(tmp_path: Path) -> None:
    entry = 'name: A\nfrom: rows.jsonl\nturns: "{{q}}"\nexpected: x\n'
    (line,) = problems(tmp_path, '{"q": "no list"}', entry)
    assert line == (
        'scenarios/rows.jsonl:1: scenarios["A"].turns must be a list (each item a JSON value), '
        'not "no list"'
    )


def test_so_many_faults_are_told_and_no_more(tmp_path: Path) -> None:
    lines = problems(tmp_path, TWO + "oops\n" * 5_000)
    assert len(lines) == 21
    assert lines[-1] == (
        "scenarios/rows.jsonl:23: more than 20 rows are wrong; from here on none is told"
    )


def test_a_template_without_use_for_rows_and_a_column_out_of_place_are_refused(
    tmp_path: Path,
) -> None:
    (useless,) = problems(tmp_path, TWO, "name: A\nfrom: rows.jsonl\nmessage: m\nexpected: x\n")
    assert "from does nothing: no {{column}} is in the scenario" in useless
    (misplaced,) = problems(tmp_path, TWO, ASKS + 'id: "{{q}}"\n')
    assert "id holds a {{column}}, and no row fills it there" in misplaced


def test_mistakes_of_the_template_are_told_once_for_all_rows(tmp_path: Path) -> None:
    lines = problems(tmp_path, TWO, ASKS + "target: prod\nmisses: 3\ngate: exact\n")
    assert [line.partition(" ")[0] for line in lines] == [
        "scenarios/faq.yaml:7:5:",
        "scenarios/faq.yaml:8:5:",
    ]
    (unknown,) = problems(tmp_path, TWO, ASKS + "thresold: 1\n")
    assert 'unknown key "thresold"' in unknown


@pytest.mark.parametrize("named", ["../../rows.jsonl", "/etc/hostname", "link.jsonl"])
def test_no_file_outside_the_configuration_s_folder_is_read(tmp_path: Path, named: str) -> None:
    project = tmp_path / "project"
    (project / "scenarios").mkdir(parents=True)
    (tmp_path / "rows.jsonl").write_text(TWO, "utf-8")
    (project / "scenarios" / "link.jsonl").symlink_to(tmp_path / "rows.jsonl")
    entry = ASKS.replace("rows.jsonl", named)
    (line,) = problems(project, TWO, entry)
    assert f'from names "{named}", which does not lie there' in line


def test_a_file_that_is_not_there_or_of_another_kind_is_told(tmp_path: Path) -> None:
    (missing,) = problems(tmp_path, TWO, ASKS.replace("rows", "raws"))
    assert missing == "scenarios/raws.jsonl: the file cannot be read: it does not exist"
    (other,) = problems(tmp_path, TWO, ASKS.replace("rows.jsonl", "rows.xlsx"), name="rows.xlsx")
    assert "its name must end in .jsonl or .csv" in other


def test_limit_takes_the_first_rows_and_reads_no_further(tmp_path: Path) -> None:
    tests = load(tmp_path, TWO + "no JSON at all", ASKS + "limit: 2\n")
    assert [test.id for test in tests] == ["refunds/asks[1]", "refunds/asks[2]"]
    assert tests[0].row is not None
    assert tests[0].row.some


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("limit: 2\nsample: 2\n", "sample and limit exclude each other"),
        ("limit: 0\n", "limit must be a whole number"),
    ],
)
def test_unfit_choices_of_rows_are_refused(tmp_path: Path, keys: str, told: str) -> None:
    (line,) = problems(tmp_path, TWO, ASKS + keys)
    assert told in line


def test_a_choice_without_rows_is_refused(tmp_path: Path) -> None:
    (line,) = problems(tmp_path, TWO, "name: A\nmessage: m\nexpected: x\nlimit: 2\n")
    assert "limit chooses rows, and there are none (add from: a file)" in line


def _numbered(numbers: Sequence[int], *, with_id: bool = False) -> str:
    rows = [
        {"q": f"question {number}", "a": "x"} | ({"id": f"r{number}"} if with_id else {})
        for number in numbers
    ]
    return "\n".join(map(json.dumps, rows))


def _sampled(folder: Path, rows: str, *, seed: int = 0, size: int = 5) -> set[Any]:
    tests = load(folder, rows, f"{ASKS}sample: {size}\n", seed=seed)
    return {test.turns[0] for test in tests}


@pytest.mark.parametrize("with_id", [True, False])
def test_a_sample_is_the_same_whatever_the_order_of_rows(tmp_path: Path, *, with_id: bool) -> None:
    numbers = list(range(60))
    drawn = _sampled(tmp_path, _numbered(numbers, with_id=with_id))
    assert len(drawn) == 5
    random.Random(3).shuffle(numbers)  # noqa: S311 - any order but the first
    assert _sampled(tmp_path, _numbered(numbers, with_id=with_id)) == drawn


def test_a_row_that_comes_to_a_file_displaces_at_most_one_of_a_sample(tmp_path: Path) -> None:
    for more in range(60, 80):
        drawn = _sampled(tmp_path, _numbered(range(60)))
        assert len(drawn - _sampled(tmp_path, _numbered([more, *range(60)]))) <= 1


def test_seeds_draw_other_samples_and_a_large_one_is_all(tmp_path: Path) -> None:
    rows = _numbered(range(60))
    assert len({frozenset(_sampled(tmp_path, rows, seed=seed)) for seed in range(6)}) > 4
    assert len(_sampled(tmp_path, rows, size=1_000)) == 60


def test_a_sample_keeps_the_order_of_the_file(tmp_path: Path) -> None:
    tests = load(tmp_path, _numbered(range(60)), ASKS + "sample: 9\n")
    lines = [test.row.place.line for test in tests if test.row]
    assert lines == sorted(lines, key=lambda line: line or 0)


def test_checks_of_a_template_are_read_at_its_place(tmp_path: Path) -> None:
    first, second = load(tmp_path, TWO, ASKS + "checks:\n  - not_contains: no\n")
    assert first.checks == second.checks
    assert str(second.checks[0].place) == "scenarios/faq.yaml:8:9"


def test_warnings_name_one_row_and_count_the_others(tmp_path: Path) -> None:
    tests = load(tmp_path, TWO, ASKS.replace('Says "{{a}}".', 'Never says "{{a}}".'))
    (line,) = warnings(suite_of(*tests), providers=(), policies=())
    assert '"refunds/asks[1]": the answer must hold "14 days"' in line
    assert "(and 1 more of its rows)" in line


def test_rows_are_read_one_after_another(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text('{"q": 1}\n' * 1_000 + "oops\n", "utf-8")
    rows = read_rows(path, file="many.jsonl")
    assert next(rows) == Row(number=1, line=1, values={"q": 1})
    rows.close()  # type: ignore[attr-defined]  # a generator is what it is
