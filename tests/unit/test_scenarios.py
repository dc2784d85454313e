"""Scenario files: what they mean, and what is said of those that cannot be meant."""

import json
from fractions import Fraction
from pathlib import Path
from textwrap import dedent

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.model.suite import (
    Check,
    CheckKind,
    GateDefaults,
    GateKind,
    GateRule,
    Message,
    Scenario,
)
from ci_judge.suites.scenarios import load_scenarios
from tests.model_builders import a_criterion

CRITERIA = (a_criterion("refunds"), a_criterion("delivery"), a_criterion("support"))
DEFAULTS = GateDefaults(runs=7, threshold=Fraction(3, 5), confidence=Fraction(9, 10))


def load(tmp_path: Path, *texts: str, defaults: GateDefaults = DEFAULTS) -> tuple[Scenario, ...]:
    files = [tmp_path / "scenarios" / f"{number}.yaml" for number in range(len(texts))]
    for path, text in zip(files, texts, strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    targets = frozenset({"staging", "canary"})
    return load_scenarios(files, CRITERIA, defaults, root=tmp_path, targets=targets)


def load_one(tmp_path: Path, entry: str, *, above: str = "") -> Scenario:
    (scenario,) = load(tmp_path, whole(entry, above=above))
    return scenario


def whole(entry: str, *, above: str = "") -> str:
    """Make a file of one scenario in flow style: ``name: a, message: m, ...``."""
    return f"criterion: refunds\n{dedent(above)}scenarios:\n  - {{{entry}}}\n"


def problems(tmp_path: Path, *texts: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, *texts)
    return [str(problem) for problem in caught.value.problems]


def test_a_full_scenario(tmp_path: Path) -> None:
    scenario = load(
        tmp_path,
        """\
        criterion: refunds
        scenarios:
          - name: Asks   twice
            id: my own id
            kind: adversarial
            history:
              - {role: user, content: Hello}
              - {role: assistant, content: Hi}
            turns: [Can I get 40 days?, But I am premium!]
            expected:
              - States "14 days".
              - >-
                Stays polite, and “firm”.
            checks:
              - not_contains: 40 days
              - max_latency: 500ms
            runs: 20
            threshold: 2/3
            gate: exact
            tags: [refunds, smoke]
            target: staging
            advisory: true
            skip: waits for the new bot
        """,
    )[0]
    assert (scenario.id, scenario.name, scenario.kind) == ("my own id", "Asks twice", "adversarial")
    assert str(scenario.place) == "scenarios/0.yaml:3"
    assert scenario.criterion == CRITERIA[0]
    assert scenario.turns == ("Can I get 40 days?", "But I am premium!")
    assert scenario.history == (
        Message(role="user", content="Hello"),
        Message(role="assistant", content="Hi"),
    )
    assert [each.phrases for each in scenario.expectations] == [("14 days",), ("firm",)]
    assert scenario.checks == (
        Check(kind=CheckKind.NOT_CONTAINS, operand="40 days"),
        Check(kind=CheckKind.MAX_LATENCY, operand=0.5),
    )
    assert scenario.gate == GateRule(
        kind=GateKind.EXACT, runs=20, threshold=Fraction(2, 3), confidence=Fraction(9, 10)
    )
    assert scenario.tags == {"refunds", "smoke"}
    assert scenario.target == "staging"
    assert scenario.advisory
    assert scenario.skip == "waits for the new bot"


def test_what_a_scenario_does_not_say(tmp_path: Path) -> None:
    scenario = load_one(tmp_path, "name: Fragt nach Größe, message: m, expected: Is kind.")
    assert scenario.id == "refunds/fragt-nach-größe"
    assert scenario.kind == "custom"
    assert scenario.turns == ("m",)
    assert (scenario.history, scenario.checks) == ((), ())
    assert (scenario.tags, scenario.target, scenario.skip) == (frozenset(), None, None)
    assert not scenario.advisory
    assert scenario.gate == GateRule(
        kind=GateKind.LOWER_BOUND,
        runs=7,
        threshold=Fraction(3, 5),
        confidence=Fraction(9, 10),
    )


def test_an_adaptive_scenario_has_a_least_and_a_most_of_runs(tmp_path: Path) -> None:
    text = "name: a, message: m, expected: e, gate: adaptive, runs: {min: 20, max: 100}"
    gate = load_one(tmp_path, text).gate
    assert (gate.kind, gate.min_runs, gate.runs) == (GateKind.ADAPTIVE, 20, 100)


def test_checks_alone_need_no_expectation(tmp_path: Path) -> None:
    scenario = load_one(tmp_path, "name: a, message: m, checks: [{contains: yes}]")
    assert scenario.expectations == ()
    assert scenario.checks == (Check(kind=CheckKind.CONTAINS, operand="yes"),)


def test_the_defaults_of_a_file_hold_where_a_scenario_is_silent(tmp_path: Path) -> None:
    one, two = load(
        tmp_path,
        """\
        criterion: refunds
        defaults:
          kind: edge_case
          tags: all
          checks: [{max_chars: 900}]
          advisory: true
          runs: 5
        scenarios:
          - {name: a, message: m, expected: e}
          - {name: b, message: m, expected: e, kind: custom, tags: [own], checks: [{max_chars: 9}],
             advisory: false, runs: 6}
        """,
    )
    assert (str(one.kind), one.tags, one.advisory, one.gate.runs) == (
        "edge_case",
        frozenset({"all"}),
        True,
        5,
    )
    assert one.checks == (Check(kind=CheckKind.MAX_CHARS, operand=900),)
    assert (str(two.kind), two.tags, two.advisory, two.gate.runs) == (
        "custom",
        frozenset({"own"}),
        False,
        6,
    )
    assert two.checks == (Check(kind=CheckKind.MAX_CHARS, operand=9),)


@pytest.mark.parametrize(
    ("own", "of_file", "kind", "misses"),
    [
        ("misses: 0", "", GateKind.MISSES, 0),
        ("misses: 2", "gate: exact", GateKind.MISSES, 2),
        ("gate: rate", "misses: 1", GateKind.RATE, 1),
        ("runs: 7", "misses: 1", GateKind.MISSES, 1),
        ("runs: 7", "gate: exact", GateKind.EXACT, 0),
        ("gate: misses", "misses: 1", GateKind.MISSES, 1),
        ("gate: misses", "", GateKind.MISSES, 0),
    ],
)
def test_the_nearest_word_on_the_gate_counts(
    tmp_path: Path, own: str, of_file: str, kind: GateKind, misses: int
) -> None:
    above = f"defaults: {{{of_file}}}\n"
    scenario = load_one(tmp_path, f"name: a, message: m, expected: e, {own}", above=above)
    assert (scenario.gate.kind, scenario.gate.misses) == (kind, misses)


@pytest.mark.parametrize(
    "word", ["No", "12:30", "2026-01-01", "1.10", "007", "true", "0x1F", "1e3"]
)
def test_texts_stay_what_was_written(tmp_path: Path, word: str) -> None:
    scenario = load(
        tmp_path,
        f"criterion: refunds\nscenarios:\n  - name: {word}\n    turns: [{word}, {word}]\n"
        f"    history: [{{role: user, content: {word}}}]\n    expected: [{word}]\n"
        f"    checks: [contains: {word}]\n",
    )[0]
    assert scenario.name == word
    assert scenario.turns == (word, word)
    assert scenario.history[0].content == word
    assert scenario.expectations[0].text == word
    assert scenario.checks[0].operand == word


def test_a_message_may_be_any_json(tmp_path: Path) -> None:
    scenario = load_one(tmp_path, 'name: a, message: {q: [1, null, {deep: 1.5}]}, expected: "e"')
    assert scenario.turns == ({"q": [1, None, {"deep": 1.5}]},)


@pytest.mark.parametrize(
    "scalar",
    [
        '|\n      Within "14\n      days" it is.',
        '>\n      Within "14\n      days" it is.',
        'Within "14\n      days" it is.',
    ],
)
def test_a_phrase_that_the_line_wraps_is_one_phrase(tmp_path: Path, scalar: str) -> None:
    text = f"criterion: refunds\nscenarios:\n  - name: a\n    message: m\n    expected: {scalar}\n"
    assert load(tmp_path, text)[0].expectations[0].phrases == ("14 days",)


def test_every_kind_of_check(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    schema = {"type": "object", "required": ["price"]}
    (tmp_path / "scenarios" / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    scenario = load(
        tmp_path,
        r"""
        criterion: refunds
        scenarios:
          - name: a
            message: m
            checks:
              - contains: "14 days"
              - regex: '\d+ days'
              - equals: {price: 80}
              - equals: null
              - json_schema: {type: object}
              - json_schema: schema.json
              - json_path: {path: items.0.price, equals: 80}
              - max_latency: 2m
              - max_chars: 0
        """,
    )[0]
    assert [(check.kind.value, check.operand) for check in scenario.checks] == [
        ("contains", "14 days"),
        ("regex", r"\d+ days"),
        ("equals", {"price": 80}),
        ("equals", None),
        ("json_schema", {"type": "object"}),
        ("json_schema", schema),
        ("json_path", {"path": "items.0.price", "equals": 80}),
        ("max_latency", 120.0),
        ("max_chars", 0),
    ]


@pytest.mark.parametrize(
    ("line", "column", "kept", "lost"),
    [
        ("    expected: Mentions order #42 and the refund", 29, "Mentions order", "#42 and"),
        ("    message: ask #1", 17, "ask", "#1"),
        ("    turns: [ask #1\n      ]", 16, "ask", "#1"),
        ("    expected:\n      - has #1", 12, "has", "#1"),
        ("    history:\n      - {role: user, content: hi #1\n        }", 33, "hi", "#1"),
        ("    checks:\n      - contains: order #42", 24, "order", "#42"),
        ("    checks:\n      - equals: order #42", 22, "order", "#42"),
        ("    checks:\n      - equals: {a: [x, order #42\n        ]}", 30, "order", "#42"),
        ("    checks:\n      - json_path: {path: a, equals: b #1\n        }", 39, "b", "#1"),
        ("    message: {text: ask #1\n      }", 24, "ask", "#1"),
    ],
)
def test_a_comment_may_not_eat_words(
    tmp_path: Path, line: str, column: int, kept: str, lost: str
) -> None:
    rest = {"message": "m", "expected": "e"}
    fill = "".join(f"    {key}: {text}\n" for key, text in rest.items() if f"{key}:" not in line)
    if "turns" in line:
        fill = "    expected: e\n"
    (found,) = problems(tmp_path, f"criterion: refunds\nscenarios:\n  - name: a\n{fill}{line}\n")
    wanted_line = 3 + fill.count("\n") + (2 if "\n      -" in line else 1)
    assert found.startswith(f"scenarios/0.yaml:{wanted_line}:{column}: ")
    assert kept in found
    assert lost in found
    assert ">-" in found


def test_comments_elsewhere_are_comments(tmp_path: Path) -> None:
    text = """\
        # a file
        criterion: refunds # which
        scenarios: # these
          - name: 'a # b' # quoted
            kind: custom # the default
            message: {text: "m", n: 5 # a number
              }
            checks:
              - json_path: {path: a # which
                  , equals: 80 # how much
                  }
            expected: | # block
              e # part of the text
            runs: 3 # few
    """
    scenario = load(tmp_path, text)[0]
    assert scenario.name == "a # b"
    assert scenario.expectations[0].text == "e # part of the text\n"


@pytest.mark.parametrize("value", ['"14 days" is named', "Says: 14 days", "'a' and 'b'"])
def test_yaml_that_cannot_be_read_gets_the_block_form_as_a_hint(tmp_path: Path, value: str) -> None:
    text = f"criterion: refunds\nscenarios:\n  - name: a\n    message: m\n    expected: {value}\n"
    (found,) = problems(tmp_path, text)
    assert found.startswith("scenarios/0.yaml:5:")
    assert ">-" in found


def test_unbalanced_quotes_are_named_where_they_stand(tmp_path: Path) -> None:
    text = """\
        criterion: refunds
        scenarios:
          - name: lone
            message: m
            expected: >-
              Within "14 days" and
              at "full price.
          - name: inch
            message: m
            expected: ['ok', 'A 6" shelf.']
          - name: plain
            message: m
            expected: Says "x" and "y
    """
    lone, inch, plain = problems(tmp_path, text)
    assert lone.startswith('scenarios/0.yaml:7:10: scenario "lone": expected ')
    assert plain.startswith('scenarios/0.yaml:13:28: scenario "plain": expected ')
    assert inch.startswith('scenarios/0.yaml:10:22: scenario "inch": expected[1] ')


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("name: a, message: m, expectd: e", ['"expectd"', 'did you mean "expected"']),
        ("name: a, message: m, expected: e, treshold: 0.9", ['did you mean "threshold"']),
        ("name: a, message: m, expected: e, threshold: .nan", ['["a"].threshold', ".nan"]),
        ("name: a, message: m, expected: e, threshold: 70", ["threshold", "did you mean 0.7"]),
        ("name: a, message: m, expected: e, threshold: -0.1", ["threshold"]),
        ("name: a, message: m, expected: e, runs: true", ['["a"].runs', "true"]),
        ("name: a, message: m, expected: e, runs: 0", ['["a"].runs', "from 1 to"]),
        ("name: a, message: m, expected: e, runs: 2.5", ['["a"].runs']),
        ("name: a, message: m, expected: e, misses: -1", ['["a"].misses']),
        ("name: a, message: m, expected: e, history: hi", ['["a"].history']),
        ("name: a, message: m, expected: e, history: [{role: bot, content: x}]", ['"bot"']),
        ("name: a, message: m, expected: e, history: [{role: user}]", ["content is missing"]),
        ("name: a, message: m, expected: e, gate: lucky", ["gate", '"lucky"']),
        ("name: a, message: m, expected: e, skip: true", ["skip", "the reason"]),
        ("name: a, message: m, expected: e, skip: ' '", ["skip", "say why"]),
        ("name: a, message: m, expected: e, in: tools", ['unknown key "in"']),
        ("message: m, expected: e", ["name is missing"]),
        ("name: a, expected: e", ['scenario "a": message is missing']),
        ("name: a, message: , expected: e", ["message is missing"]),
        ("name: a, message: m, turns: [m], expected: e", ["exclude each other"]),
        ("name: a, turns: [], expected: e", ["message is missing"]),
        ("name: a, turns: [m, null], expected: e", ["turns holds an empty item"]),
        ("name: a, message: m", ["expected is missing"]),
        ("name: a, message: m, expected: ' '", ["expected is empty"]),
        ("name: a, message: m, expected: []", ["expected is missing"]),
        ("name: '!', message: m, expected: e", ["no letter or digit", "id:"]),
        ('name: a, message: m, expected: e, id: "a\\nb"', ["id", "one line"]),
        ("name: a, message: m, expected: e, target: stagin", ["target", '"staging"']),
        ("name: a, message: m, expected: e, runs: {min: 2, max: 4}", ["runs needs a number of"]),
        ("name: a, message: m, expected: e, misses: 8", ["misses makes 8 misses of 7 runs"]),
        ("name: a, message: m, expected: e, misses: 2, runs: 1", ["2 misses of 1 runs"]),
        ("name: a, message: m, expected: e, misses: 1, gate: exact", ["misses does nothing"]),
        ("name: a, message: m, expected: e, misses: 1, threshold: 1", ["threshold does nothing"]),
        ("name: a, message: m, checks: [{contains: a, regex: b}]", ["exactly one key"]),
        ("name: a, message: m, checks: [{}]", ["exactly one key"]),
        ("name: a, message: m, checks: [{max_price: 1}]", ['"max_price"']),
        ("name: a, message: m, checks: [{contains: }]", ["contains has no value"]),
        ("name: a, message: m, checks: [{max_latency: 0}]", ["max_latency", "duration"]),
        ("name: a, message: m, checks: [{regex: '(('}]", ["checks[0] regex"]),
        ("name: a, message: m, checks: [{regex: ''}]", ["checks[0].regex is empty"]),
        ("name: a, message: m, checks: [{json_schema: {type: nope}}]", ["checks[0] json_schema"]),
        ("name: a, message: m, checks: [{json_schema: gone.json}]", ['"gone.json"', "not exist"]),
        ("name: a, message: m, checks: [{json_path: {path: a}}]", ["equals is missing"]),
    ],
)
def test_a_mistake_is_one_line_with_place_scenario_and_key(
    tmp_path: Path, entry: str, words: list[str]
) -> None:
    (found,) = problems(tmp_path, whole(entry))
    assert found.startswith("scenarios/0.yaml:3:")
    for word in words:
        assert word in found


@pytest.mark.parametrize(
    ("defaults", "words"),
    [
        ("{gate: exact, misses: 1}", "defaults: misses does nothing"),
        ("{target: nowhere}", 'defaults: target names "nowhere"'),
        ("{checks: [{regex: '(('}]}", "defaults: checks[0] regex"),
        ("{runs: 0}", "defaults.runs must be"),
        ("\n  checks:\n    - contains: order #42\n", '"#42"'),
    ],
)
def test_mistakes_of_the_defaults_are_told_once(tmp_path: Path, defaults: str, words: str) -> None:
    entries = "  - {name: a, message: m, expected: e}\n  - {name: b, message: m, expected: e}\n"
    text = f"criterion: refunds\ndefaults: {defaults}\nscenarios:\n{entries}"
    (found,) = problems(tmp_path, text)
    assert found.startswith(("scenarios/0.yaml:2:", "scenarios/0.yaml:4:"))
    assert words in found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: x\n", ["no scenario file"]),
        ("", ["no scenario file"]),
        ("- 1\n", ["no scenario file"]),
        ("criterion: refunds\nscenarios: []\n", ["empty"]),
        ("criterion: refunds\nscenarios:\n  first: {}\n", ["must be a list"]),
        ("criterion: refunds\nscenarios:\n  - text\n", ["scenarios[0]"]),
        ("scenarios: [{name: a, message: m, expected: e}]\n", ["criterion is missing"]),
        ("criterion: Refunds\nscenarios: [1]\n", ['"Refunds"', 'known: "refunds", "delivery"']),
        ("criterion: suport\nscenarios: [1]\n", ['known: "support", ']),
        ("criterion: refunds\ndefaults: {name: x}\nscenarios: [1]\n", ['"name"']),
        ("criterion: a\ncriterion: b\nscenarios: [1]\n", ['"criterion" stands twice']),
        ("criterion: refunds\nscenarios: [1]\n---\na: 1\n", ["second document"]),
        ("criterion: refunds\n\tscenarios: [1]\n", ["tab"]),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, words: list[str]) -> None:
    (found,) = problems(tmp_path, text)
    assert found.startswith("scenarios/0.yaml")
    for word in words:
        assert word in found


def test_the_problems_of_all_files_come_at_once_in_order(tmp_path: Path) -> None:
    entry = "criterion: refunds\nscenarios:\n  - {name: a, message: m}\n  - {name: b, x: 1}\n"
    found = problems(tmp_path, entry, "criterion: nope\nscenarios: [1]\n", entry)
    places = [problem.split(": ")[0] for problem in found]
    assert [place.rsplit(":", 1)[0] for place in places] == [
        "scenarios/0.yaml:3", "scenarios/0.yaml:4", "scenarios/1.yaml:1",
        "scenarios/2.yaml:3", "scenarios/2.yaml:4",
    ]  # fmt: skip


def test_ids_are_unique_over_the_suite(tmp_path: Path) -> None:
    one = whole("name: Asks it, message: m, expected: e")
    two = whole("name: asks IT!, message: m, expected: e")
    (found,) = problems(tmp_path, one, two)
    assert '"refunds/asks-it": scenarios/0.yaml:3 and scenarios/1.yaml:3' in found
    explicit = whole("id: other, name: asks it, message: m, expected: e")
    assert [scenario.id for scenario in load(tmp_path, one, explicit)] == [
        "refunds/asks-it",
        "other",
    ]


def test_windows_files_mean_the_same(tmp_path: Path) -> None:
    text = 'criterion: refunds\nscenarios:\n  - name: a\n    message: m\n    expected: Says "x".\n'
    path = tmp_path / "a.yaml"

    def loaded(content: bytes) -> tuple[Scenario, ...]:
        path.write_bytes(content)
        return load_scenarios([path], CRITERIA, DEFAULTS, root=tmp_path, targets=frozenset())

    plain = loaded(text.encode())
    assert loaded(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()) == plain
    assert loaded(text.encode("utf-16")) == plain
