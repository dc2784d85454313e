"""``ci-judge import promptfoo``: files in kind, translated, and accepted by ``ci-judge check``."""

import csv
import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from ci_judge.file_schema import load_yaml
from tests.imports import Import, imported

HEAD = "prompts: ['{{question}}']\nproviders: [openai:gpt-4.1]\n"


def promptfoo(folder: Path, text: str, **environment: str) -> Import:
    (folder / "promptfooconfig.yaml").write_text(dedent(text), "utf-8")
    return imported("promptfoo", folder, "promptfooconfig.yaml", environment=environment)


def scenarios_of(folder: Path, assertions: str, **variables: Any) -> list[dict[str, Any]]:
    given = json.dumps({"question": "How?"} | variables)
    text = f"{HEAD}tests:\n  - vars: {given}\n    assert:\n{assertions}"
    return promptfoo(folder, text).scenarios("promptfooconfig")


def an_assertion(folder: Path, assertion: str, **variables: Any) -> dict[str, Any]:
    (found,) = scenarios_of(folder, f"      - {assertion}\n", **variables)
    return {key: found[key] for key in ("expected", "checks") if key in found}


@pytest.mark.parametrize(
    ("assertion", "wanted"),
    [
        ("{type: icontains, value: 14 days}", {"contains": "14 days"}),
        ("{type: contains, value: '14'}", {"contains": "14"}),
        ("{type: contains, value: 007}", {"contains": "007"}),
        ("{type: not-icontains, value: no}", {"not_contains": "no"}),
        ("{type: contains-any, value: [a.b, c]}", {"regex": r"(?:a\.b|c)"}),
        ("{type: icontains-any, value: 'a, b'}", {"regex": "(?i)(?:a|b)"}),
        ("{type: equals, value: Yarr}", {"equals": "Yarr"}),
        ("{type: equals, value: {a: 1}}", {"equals": {"a": 1}}),
        ("{type: starts-with, value: 'Hi.'}", {"regex": r"\AHi\."}),
        ("{type: regex, value: 'a|b'}", {"regex": "a|b"}),
        ("{type: not-regex, value: 'a|b'}", {"regex": r"\A(?![\s\S]*(?:a|b))"}),
        ("{type: is-json}", {"json_schema": {}}),
        ("{type: is-json, value: {type: array}}", {"json_schema": {"type": "array"}}),
        ("{type: latency, threshold: 2500}", {"max_latency": "2500ms"}),
        ("{type: latency, threshold: 30000}", {"max_latency": "30s"}),
        ("{type: contains, value: '{{city}}'}", {"contains": "Paris"}),
    ],
)
def test_assertions_that_are_checks(tmp_path: Path, assertion: str, wanted: dict[str, Any]) -> None:
    found = an_assertion(tmp_path, assertion, city="Paris")
    assert found == {"checks": [wanted]}


@pytest.mark.parametrize(
    ("assertion", "wanted"),
    [
        ("{type: contains-all, value: 'a, b,'}", [{"contains": "a"}, {"contains": "b"}]),
        ("{type: contains-any, value: [a, '']}", [{"regex": "(?:a)"}]),
        ("{type: not-contains-any, value: [a, ' ']}", [{"not_contains": "a"}]),
    ],
)
def test_an_empty_one_of_several_is_left_out_and_told(
    tmp_path: Path, assertion: str, wanted: list[Any]
) -> None:
    text = f"{HEAD}tests:\n  - vars: {{question: How?}}\n    assert: [{assertion}]\n"
    made = promptfoo(tmp_path, text)
    assert made.scenarios("promptfooconfig")[0]["checks"] == wanted
    assert any("an empty text of" in note for note in made.notes)


def test_every_one_of_several_is_a_check(tmp_path: Path) -> None:
    found = an_assertion(tmp_path, "{type: contains-all, value: [a, b]}")
    assert found["checks"] == [{"contains": "a"}, {"contains": "b"}]


@pytest.mark.parametrize(
    ("assertion", "wanted"),
    [
        ("{type: llm-rubric, value: Is polite to {{city}}}", None),
        ("{type: llm-rubric, value: 'Is polite to {{city}}'}", "Is polite to Paris"),
        ('{type: llm-rubric, value: Says "x" or “y”}', "Says 'x' or \u2018y\u2019"),
        ("{type: model-graded-closedqa, value: Names it}", "Names it"),
        ("{type: is-refusal}", "Refuses what was asked."),
    ],
)
def test_what_a_model_grades_is_expected(
    tmp_path: Path, assertion: str, wanted: str | None
) -> None:
    if wanted is None:  # braces without quotes are no YAML that says what was meant
        assert imported_error(tmp_path, assertion)
        return
    assert an_assertion(tmp_path, assertion, city="Paris") == {"expected": wanted}


def imported_error(folder: Path, assertion: str) -> bool:
    text = f"{HEAD}tests:\n  - vars: {{question: x}}\n    assert:\n      - {assertion}\n"
    return promptfoo(folder, text).exit_code == 2


def test_a_quoted_text_of_theirs_is_no_phrase_of_ours(tmp_path: Path) -> None:
    found = scenarios_of(tmp_path, '      - {type: llm-rubric, value: "Names \\"5\\" pipes"}\n')
    assert found[0]["expected"] == "Names '5' pipes"


@pytest.mark.parametrize(
    "assertion",
    [
        *("{type: javascript, value: output.length < 9}", "{type: python, value: 'True'}"),
        *("{type: similar, value: x, threshold: 0.8}", "{type: rouge-n, value: x}"),
        *("{type: cost, threshold: 0.01}", "{type: llm-rubric, value: '{% if a %}b{% endif %}'}"),
        *("{type: regex, value: '('}", "{type: is-json, value: {type: 5}}", "{value: x}"),
        "{type: contains, value: file://gone.py}",
    ],
)
def test_what_has_no_counterpart_is_named_with_its_line(tmp_path: Path, assertion: str) -> None:
    text = (
        f"{HEAD}tests:\n  - vars: {{question: How?}}\n    assert:\n      - {assertion}\n"
        "      - {type: icontains, value: fine}\n"
    )
    made = promptfoo(tmp_path, text)
    assert made.exit_code == 0
    (line,) = [line for line in made.notes if line.startswith("promptfooconfig.yaml:6: ")]
    assert "no counterpart" in line
    (scenario,) = made.scenarios("promptfooconfig")
    assert scenario["checks"] == [{"contains": "fine"}]
    for file in ("ci-judge.yaml", "scenarios/promptfooconfig.yaml"):
        assert f"# - {line}\n" in made.text(file)


def test_a_test_of_which_nothing_can_be_said_is_left_out(tmp_path: Path) -> None:
    text = f"{HEAD}tests:\n  - vars: {{question: How?}}\n    assert: [{{type: python, value: x}}]\n"
    made = promptfoo(tmp_path, text)
    assert made.exit_code == 0
    assert any("a test without an assertion that has a counterpart" in line for line in made.notes)
    assert "so nothing was written" in made.output
    assert not made.into.exists()


KEYS = {"SHOP_HOST": "shop.example", "SHOP_TOKEN": "t", "OPENAI_API_KEY": "k"}
HTTP = """\
    description: Shop assistant
    prompts: ["{{question}}"]
    providers:
      - id: https
        config:
          url: "https://{{env.SHOP_HOST}}/chat"
          method: PUT
          headers: {Authorization: "Bearer {{ env.SHOP_TOKEN }}"}
          queryParams: {v: "2"}
          body: '{"text": {{prompt | dump}}, "user": "me"}'
          transformResponse: json.choices[0].message['content']
          tls: x
      - anthropic:messages:claude-x
    defaultTest:
      options: {provider: "openai:chat:gpt-4o-mini", transform: output.trim()}
      assert: [{type: latency, threshold: 1000}]
    evaluateOptions: {repeat: 12}
    redteam: {numTests: 3}
    tests:
      - vars: {question: Yes}
        threshold: 0.5
        assert: [{type: llm-rubric, value: Is polite, weight: 2}]
    """


def test_provider_grader_and_defaults(tmp_path: Path) -> None:
    made = promptfoo(tmp_path, HTTP, **KEYS)
    config = made.yaml("ci-judge.yaml")
    assert config["target"] == {
        "url": "https://${SHOP_HOST}/chat",
        "method": "PUT",
        "headers": {"Authorization": "Bearer ${SHOP_TOKEN}"},
        "query": {"v": "2"},
        "body": {"text": "{{message}}", "user": "me"},
        "response_path": "choices.0.message.content",
    }
    assert config["judge"] == {"provider": "openai", "model": "gpt-4o-mini"}
    assert config["run"] == {"runs": 12}
    (scenario,) = made.scenarios("promptfooconfig")
    assert scenario == {
        "name": "Yes",
        "message": "Yes",
        "expected": "Is polite",
        "checks": [{"max_latency": "1s"}],
    }
    told = "\n".join(made.notes)
    for what in ("tls", "anthropic:messages:claude-x", "transform", "redteam", "weight"):
        assert what in told
    assert "the key threshold of a test" in told
    assert "## Shop assistant {#promptfooconfig}" in made.text("acceptance.md")


def test_variables_of_the_tests_in_the_request(tmp_path: Path) -> None:
    one = """\
        providers:
          - id: http://bot.example/ask
            config:
              body: |
                {"q": "{{ question }}"{% if image %}, "image": "{{ image }}"{% endif %}}
              transformResponse: json
        defaultTest: {options: {transform: output.answer}}
        tests: [{vars: {question: "How {{much}}?"}, assert: [{type: icontains, value: x}]}]
        """
    made = promptfoo(tmp_path, one)
    target = made.yaml("ci-judge.yaml")["target"]
    assert target["body"] == {"q": "{{message}}"}
    assert target["response_path"] == "answer"
    assert made.scenarios("promptfooconfig")[0]["message"] == "How {{much}}?"
    assert any("{% if image %}" in line for line in made.notes)

    several = one.replace('"{{ question }}"', '"{{ question }}", "to": "{{who}}"')
    (tmp_path / "two").mkdir()
    made = promptfoo(tmp_path / "two", several.replace("{question:", "{who: Ann, question:"))
    assert made.yaml("ci-judge.yaml")["target"]["body"] == "{{message}}"
    (scenario,) = made.scenarios("promptfooconfig")
    assert scenario["message"] == {"q": "How {{much}}?", "to": "Ann"}


def test_prompts_in_files_and_of_messages(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("A {{question}}\n---\nB {{question}}\n", "utf-8")
    talk = [{"role": "system", "content": "Kind."}, {"role": "user", "content": "{{question}}"}]
    (tmp_path / "talk.json").write_text(json.dumps(talk), "utf-8")
    made = promptfoo(
        tmp_path,
        """\
        prompts: [file://two.txt, file://talk.json, file://code.py, {id: "{{question}}!", label: L}]
        providers: [openai:gpt-4.1]
        tests: [{description: T, vars: {question: 'Say "hi"'}, assert: [{type: is-json}]}]
        """,
    )
    found = made.scenarios("promptfooconfig")
    assert [each["message"] for each in found] == [
        *('A Say "hi"', 'B Say "hi"', 'Say "hi"', 'Say "hi"!')
    ]
    assert found[2]["history"] == [{"role": "system", "content": "Kind."}]
    assert found[3]["name"] == "T, L"
    assert any("code.py" in line for line in made.notes)


def test_lists_of_variables_are_combined_unless_they_shall_not(tmp_path: Path) -> None:
    text = """\
        prompts: ["{{a}} {{b}} {{c}}"]
        providers: [openai:gpt-4.1]
        tests: [{vars: {a: [1, 2], b: [x, y], c: z}, assert: [{type: is-json}]}]
        """
    made = promptfoo(tmp_path, text)
    messages = [each["message"] for each in made.scenarios("promptfooconfig")]
    assert messages == ["1 x z", "1 y z", "2 x z", "2 y z"]
    (tmp_path / "kept").mkdir()
    kept = f"{dedent(text)}defaultTest: {{options: {{disableVarExpansion: true}}}}\n"
    made = promptfoo(tmp_path / "kept", kept)
    assert [each["message"] for each in made.scenarios("promptfooconfig")] == [
        '[1, 2] ["x", "y"] z'
    ]


def test_scenarios_references_and_files_of_tests(tmp_path: Path) -> None:
    (tmp_path / "more.yaml").write_text(
        "- {vars: {question: More?}, assert: [{type: icontains, value: m}]}\n", "utf-8"
    )
    made = promptfoo(
        tmp_path,
        f"""\
        {HEAD.splitlines()[0]}
        {HEAD.splitlines()[1]}
        tests: [file://more.yaml, file://gone.yaml]
        scenarios:
          - config: [{{vars: {{language: French}}}}, {{vars: {{language: Welsh}}}}]
            tests:
              - vars: {{question: "Hi"}}
                assert:
                  - {{type: llm-rubric, value: "Is {{{{language}}}}"}}
                  - $ref: '#/assertionTemplates/short'
        assertionTemplates: {{short: {{type: regex, value: "^.{{1,9}}$"}}}}
        """,
    )
    found = made.scenarios("promptfooconfig")
    assert [each.get("expected") for each in found] == [None, "Is French", "Is Welsh"]
    assert found[1]["checks"] == [{"regex": "^.{1,9}$"}]
    assert any("gone.yaml" in line for line in made.notes)


def _table(folder: Path, rows: int) -> None:
    with (folder / "tests.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "__expected", "__expected2", "__description", "__metric"])
        for number in range(rows):
            cells = [f'Is "{number}", {{{{a}}}}\nso?', f"icontains: a{number}", f"grade: p{number}"]
            writer.writerow([*cells, f"Test {number}", "m"])
        writer.writerow(["Plain?", "Yes, it is", "", "", ""])


def test_a_table_of_tests_becomes_a_dataset(tmp_path: Path) -> None:
    _table(tmp_path, 12)
    made = promptfoo(tmp_path, f"{HEAD}tests: file://tests.csv\n")
    plain, template = made.scenarios("promptfooconfig")
    assert plain == {"name": "Plain?", "message": "Plain?", "checks": [{"equals": "Yes, it is"}]}
    assert template == {
        "name": "{{name}}",
        "id": "promptfooconfig",
        "from": "promptfooconfig.jsonl",
        "message": "{{message}}",
        "expected": "{{expected}}",
        "checks": [{"contains": "{{contains}}"}],
    }
    rows = [json.loads(line) for line in made.text("scenarios/promptfooconfig.jsonl").splitlines()]
    assert len(rows) == 12
    assert rows[3] == {
        "name": "Test 3",
        "message": 'Is "3", {{a}}\nso?',
        "expected": "p3",
        "contains": "a3",
    }
    assert "13 tests, " in made.checked
    assert any("__metric" in line and "11 more" in line for line in made.notes)


def test_a_small_table_is_written_out(tmp_path: Path) -> None:
    _table(tmp_path, 3)
    made = promptfoo(tmp_path, f"{HEAD}tests: file://tests.csv\n")
    assert len(made.scenarios("promptfooconfig")) == 4
    assert not (made.into / "scenarios/promptfooconfig.jsonl").exists()


def test_what_is_there_is_never_touched(tmp_path: Path) -> None:
    text = f"{HEAD}tests: [{{vars: {{question: x}}, assert: [{{type: is-json}}]}}]\n"
    first = promptfoo(tmp_path, text)
    mine = dict.fromkeys(("ci-judge.yaml", "scenarios/promptfooconfig.yaml"), "mine")
    for path, content in mine.items():
        (first.into / path).write_text(content, "utf-8")
    (first.into / "acceptance.md").write_text("## Mine\n\nx\n", "utf-8")
    again = imported("promptfoo", tmp_path, "promptfooconfig.yaml", check=False)
    assert again.exit_code == 0
    assert [again.text(path) for path in mine] == ["mine", "mine"]
    assert again.text("acceptance.md") == "## Mine\n\nx\n"
    assert "## What promptfooconfig.yaml expects" in again.text("acceptance-promptfooconfig.md")
    assert again.output.count("kept  ") == 3
    assert "name it in suite.criteria, beside acceptance.md" in again.output


@pytest.mark.parametrize("text", ["a: 1\n", "[]\n", "", "prompts: [x]\n", "a: [\n"])
def test_what_is_no_such_file_is_refused(tmp_path: Path, text: str) -> None:
    made = promptfoo(tmp_path, text)
    assert made.exit_code == 2
    assert made.error.startswith("promptfooconfig.yaml:") or "no configuration" in made.error
    assert not made.into.exists()


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    made = imported("promptfoo", tmp_path, "gone.yaml")
    assert (made.exit_code, made.error) == (2, "gone.yaml: the file does not exist")


def test_notes_of_hostile_names_are_inert_comments(tmp_path: Path) -> None:
    evil = "x\\nsuite: {paths: [/]}\\u0007"
    text = (
        f"{HEAD}tests:\n  - vars: {{question: x}}\n    assert: [{{type: is-json}}, "
        f'{{type: "{evil}"}}]\n'
    )
    made = promptfoo(tmp_path, text)
    assert load_yaml(made.text("ci-judge.yaml"), file="x").data["suite"]["paths"] == ["scenarios"]
    assert all("\n" not in line and "\x07" not in line for line in made.notes)
