"""What imports are written with: YAML that reads back the same, names, notes and tables."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.errors import Place
from ci_judge.file_schema import load_yaml
from ci_judge.workflows.importing.imported import (
    Draft,
    Notes,
    criterion_id,
    told_apart,
    without_phrases,
)
from ci_judge.workflows.importing.nunjucks import Untranslatable, rendered
from ci_judge.workflows.importing.tables import tables_of
from ci_judge.workflows.importing.yaml_text import yaml_block

texts = st.text(st.characters(exclude_categories=["Cs"])) | st.text("ab \n'\"#:-{}[]|>%@&*!,?\t\r1")
values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(texts, values, min_size=1, max_size=4))
def test_whatever_is_written_reads_back_the_same(value: dict[str, object]) -> None:
    assert load_yaml(yaml_block(value) + "\n", file="x").data == value


def test_prose_is_written_as_people_write_it() -> None:
    long = "word " * 30
    data = {"a": "Plain words", "b": long.strip(), "c": "two\nlines", "d": 'Says "x".', "e": "1.10"}
    assert yaml_block(data).split("\n") == [
        "a: Plain words",
        "b: >-",
        "  " + "word " * 16 + "word",
        "  " + "word " * 12 + "word",
        "c: |-",
        "  two",
        "  lines",
        "d: >-",
        '  Says "x".',
        'e: "1.10"',
    ]


def test_names_are_short_and_told_apart() -> None:
    names = ["Same", "same", "!!", "x" * 200, "x" * 200]
    drafts = told_apart(Draft(name=name, turns=("m",)) for name in names)
    assert [draft.name for draft in drafts][:3] == ["Same", "same 2", "Test 3"]
    assert len({draft.name for draft in drafts}) == 5
    assert all(len(draft.name) <= 70 for draft in drafts)


@pytest.mark.parametrize(
    ("name", "wanted"), [("a b/c", "a-b-c"), ("--x--y.v0", "x-y.v0"), ("/", "imported")]
)
def test_ids_are_file_names_too(name: str, wanted: str) -> None:
    assert criterion_id(name) == wanted


def test_no_quote_of_others_is_a_phrase() -> None:
    assert without_phrases(' "a" “b” „c” ') == "'a' \u2018b\u2019 \u201ac\u2019"


def test_a_note_is_said_once_and_counted() -> None:
    notes = Notes()
    for line in (3, 4, 5):
        notes.add(Place(file="f", line=line, column=2), "no counterpart")
    assert list(notes.lines()) == ["f:3: no counterpart (and 2 more)"]


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        ("Hi {{ name }}, {{a.b}}{{gone}}!", "Hi {{x}}, 5!"),
        ({"k": ["{{name}}"]}, {"k": ["{{x}}"]}),
        ("{{name | trim}}", "{{x}}"),
        (7, 7),
    ],
)
def test_names_between_braces_are_filled_once(template: object, wanted: object) -> None:
    assert rendered(template, {"name": "{{x}}", "a": {"b": 5}}) == wanted


@pytest.mark.parametrize("template", ["{% if a %}b{% endif %}", "{# c #}", "{{a | upper}}"])
def test_more_than_names_is_not_translated(template: str) -> None:
    with pytest.raises(Untranslatable):
        rendered(template, {})


def _drafts(count: int) -> list[Draft]:
    return [
        Draft(name=f"N{n}", turns=(f"m{n}",), checks=({"contains": f"c{n}"}, {"contains": "same"}))
        for n in range(count)
    ]


def test_a_table_has_a_column_for_what_differs() -> None:
    (table,), rest = tables_of([*_drafts(12), Draft(name="O", turns=("m",), expected=("e",))])
    assert [draft.name for draft in rest] == ["O"]
    assert table.template == {
        "name": "{{name}}",
        "message": "{{message}}",
        "checks": [{"contains": "{{contains}}"}, {"contains": "same"}],
    }
    assert json.loads(next(table.lines())) == {"name": "N0", "message": "m0", "contains": "c0"}


def test_two_columns_of_one_check_have_two_names() -> None:
    drafts = [
        Draft(name=f"N{n}", turns=("m",), checks=({"contains": f"a{n}"}, {"contains": f"b{n}"}))
        for n in range(12)
    ]
    (table,), _ = tables_of(drafts)
    assert table.template["checks"] == [
        {"contains": "{{contains}}"},
        {"contains": "{{contains_2}}"},
    ]
    assert table.rows[1]["contains_2"] == "b1"


def test_what_looks_like_a_column_is_never_left_in_a_template() -> None:
    drafts = [Draft(name=f"N{n}", turns=("Say {{x}}",), expected=("e",)) for n in range(12)]
    (table,), _ = tables_of(drafts)
    assert table.template["message"] == "{{message}}"
    assert table.rows[0]["message"] == "Say {{x}}"


def test_few_rows_are_no_table() -> None:
    tables, rest = tables_of(_drafts(9))
    assert tables == ()
    assert len(rest) == 9
