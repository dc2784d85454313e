"""Scenarios drafted from a criterion's own words, and the YAML they become."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.file_schema import load_yaml
from ci_judge.model.suite import Message
from ci_judge.rules.phrases import quoted_phrases
from ci_judge.workflows.drafts import Draft, draft_scenarios
from ci_judge.workflows.scenario_yaml import scenario_yaml
from tests.model_builders import a_criterion


def drafted(description: str, title: str = "Refund policy", count: int = 4) -> tuple[Draft, ...]:
    return draft_scenarios(a_criterion(title=title, description=description), count=count)


def phrases(description: str, title: str = "Refund policy") -> list[tuple[str, ...]]:
    found = (quoted_phrases(draft.expected) for draft in drafted(description, title, 20))
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ('Says "14 days" and “the full price”. Is polite.', [("14 days", "the full price")]),
        ("Anything can be returned within 14 days of delivery.", [("14 days",)]),
        ("It takes 3 to 5 working days.", [("3 to 5 working days",)]),
        ("Costs $4.99 a month. Is polite.", [("$4.99",)]),
        ("A discount of 20 % applies.", [("20 % applies",)]),
        ("The bot says any item can be returned for a full refund.", [("full refund",)]),
        (
            "- One `code` item.\n- *Another* thing [here](https://x.test).",
            [("code item",), ("thing",)],
        ),
        ('Never says "40 days". Names the delivery time.', [("delivery time",)]),
        ("Never promises 40 days. Names 14 days.", [("14 days",)]),
        ('A 6" shelf is 15 centimetres wide.', [("6 shelf",)]),
        ("", [("Refund policy",)]),
        ("Never lies.", [("Refund policy",)]),
        ("返品は十四日以内です。", [("返品は十四日以内です",)]),
    ],
)
def test_the_phrase_is_what_the_criterion_says_most_surely(
    description: str, expected: list[tuple[str, ...]]
) -> None:
    assert sorted(phrases(description)) == sorted(expected)


def test_headings_and_code_of_a_description_are_no_sentences() -> None:
    assert phrases("### Within 99 days\n\n```\nwithin 88 days\n```\n\nNames 14 days.") == [
        ("14 days",)
    ]


def test_a_draft_is_a_whole_scenario() -> None:
    first, *_ = drafted("Anything can be returned within 14 days.")
    assert first == Draft(
        name="Asks directly",
        kind="happy_path",
        message="Can you tell me about refund policy?",
        expected='Anything can be returned within "14 days".',
    )


def test_several_points_are_asked_for_one_by_one() -> None:
    drafts = drafted("Delivery takes 3 days. Express parcels cost 9 euros.", "Delivery")
    assert [draft.name for draft in drafts[:2]] == [
        "Asks directly, point 1",
        "Wants it in one sentence, point 2",
    ]
    assert "express parcels" in drafts[1].message
    assert "9 euros" not in drafts[1].message


def test_there_are_as_many_as_asked_for_and_as_there_are_words_for() -> None:
    one = "Names 14 days."
    assert [len(drafted(one, count=count)) for count in (1, 4, 9)] == [1, 4, 4]
    drafts = drafted(f"{one} Costs 9 euros.", count=9)
    assert len({(draft.name, draft.message) for draft in drafts}) == len(drafts) == 8


@given(
    st.text(max_size=60).filter(lambda text: any(letter.isalnum() for letter in text)),
    st.text(max_size=300),
)
def test_every_expectation_quotes_a_phrase_and_survives_yaml(title: str, description: str) -> None:
    drafts = drafted(description, title)
    assert drafts
    loaded = load_yaml(scenario_yaml("x", drafts, header=["note"]), file="x.yaml")
    for draft, entry in zip(drafts, loaded.data["scenarios"], strict=True):
        assert quoted_phrases(draft.expected)
        assert quoted_phrases(entry["expected"])


ODD = (
    "plain words",
    "yes",
    "null",
    "12",
    "1.5",
    "- dash",
    "a: b",
    "a #b",
    '"quoted" start',
    "'single'",
    "ends with colon:",
    "{brace}",
    "*star",
    "&amp",
    "% percent",
    "@at",
    "`tick`",
    "| pipe",
    "> more",
    "! bang",
    "? ask",
    "word " * 60,
    "x" * 300,
    "né 返金 🎉",
    "---",
    "...",
    "#",
    "",
)


@pytest.mark.parametrize("text", ODD)
def test_yaml_gives_back_the_very_text(text: str) -> None:
    words = " ".join(text.split())
    history = (Message(role="user", content=text),)
    draft = Draft(name=text, kind="custom", message=text, expected=text, history=history)
    data = load_yaml(scenario_yaml(text or "x", [draft, draft], header=()), file="x.yaml").data
    entry = data["scenarios"][1]
    assert (entry["name"], entry["message"], entry["expected"]) == (words, words, words)
    assert entry["history"] == [{"role": "user", "content": words}]
    assert data["criterion"] == (words or "x")


def test_what_yaml_cannot_hold_becomes_a_blank() -> None:
    draft = Draft(name="a\x00b", kind="custom", message="\ufeffm\u2028n\ud800", expected="\x1b[31m")
    data = load_yaml(scenario_yaml("x", [draft], header=()), file="x.yaml").data
    entry = data["scenarios"][0]
    assert (entry["name"], entry["message"], entry["expected"]) == ("a b", "m n", "[31m")


def test_the_file_reads_as_if_a_person_had_written_it() -> None:
    draft = Draft(
        name="Asks again",
        kind="edge_case",
        message="And now?",
        expected='States "14 days".',
        history=(Message(role="user", content="Hello"),),
    )
    entry = """\
  - name: Asks again
    kind: edge_case
    history:
      - role: user
        content: Hello
    message: And now?
    expected: >-
      States "14 days".
"""
    head = "# Drafted.\n# Read it.\ncriterion: refunds\nscenarios:\n"
    written = scenario_yaml("refunds", [draft, draft], header=["Drafted.", "Read it."])
    assert written == f"{head}{entry}\n{entry}"


@pytest.mark.parametrize("title", ["\\", '"', "A \\", "Is it?"])
def test_a_title_of_odd_marks_still_gives_a_phrase(title: str) -> None:
    (found,) = phrases("", title)
    assert found
