"""Labels: what the file may say, what becomes of it, and each mistake as one line."""

from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.suites.labels import Label, find_label_files, load_labels
from ci_judge.suites.paths import find_files
from tests.model_builders import a_criterion

HEAD = "criterion: refunds\ncases:\n"
CASE = """\
- message: I want my money back
  expected: States the "14 days" window.
  response: Within 14 days.
  verdict: pass
"""


def loaded(folder: Path, text: str) -> tuple[Label, ...]:
    file = folder / "calibration" / "refunds.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")
    return load_labels(find_label_files(folder, ()), [a_criterion()], root=folder)


def told(folder: Path, text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        loaded(folder, text)
    return [str(problem) for problem in caught.value.problems]


def test_a_message_and_its_response_are_a_talk(tmp_path: Path) -> None:
    (label,) = loaded(tmp_path, HEAD + CASE + "  note: easy\n  source: chat of May\n")
    said = [(each.role, each.content) for each in label.conversation.transcript]
    assert said == [("user", "I want my money back"), ("assistant", "Within 14 days.")]
    assert label.conversation.response == "Within 14 days."
    assert label.passed
    assert (label.note, label.source) == ("easy", "chat of May")
    assert label.scenario.id == "calibration/refunds.yaml#1"
    assert label.scenario.name == "I want my money back"
    assert label.scenario.expectations[0].phrases == ("14 days",)
    assert str(label.scenario.place) == "calibration/refunds.yaml:3"


def test_of_a_whole_talk_every_answer_is_judged(tmp_path: Path) -> None:
    talk = """\
- name: Haggles
  turns:
  - {role: system, content: Be kind.}
  - {role: user, content: Can I get 40 days?}
  - {role: assistant, content: 14 days it is.}
  - {role: user, content: Please!}
  expected: [Holds to 14 days., Is kind.]
  checks: [{not_contains: 40 days}]
  response: Still 14 days.
  verdict: fail
"""
    (label,) = loaded(tmp_path, HEAD + talk)
    assert [reply.text for reply in label.conversation.replies] == [
        "14 days it is.",
        "Still 14 days.",
    ]
    assert label.scenario.turns == ("Can I get 40 days?", "Please!")
    assert len(label.scenario.expectations) == 2
    assert label.scenario.name == "Haggles"
    assert not label.passed


def test_numbers_and_words_without_quotes_are_the_text_that_was_typed(tmp_path: Path) -> None:
    case = "- {message: 1.10, expected: Says yes., response: No, verdict: fail}\n"
    (label,) = loaded(tmp_path, HEAD + case)
    assert label.conversation.response == "No"
    assert label.scenario.turns == ("1.10",)


def test_an_empty_answer_can_be_labelled(tmp_path: Path) -> None:
    case = '- {message: Hello?, expected: Greets., response: "", verdict: fail}\n'
    (label,) = loaded(tmp_path, HEAD + case)
    assert label.conversation.response == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            HEAD + CASE.replace("verdict: pass", "verdict: good"),
            'calibration/refunds.yaml:6:3: cases[0].verdict must be "pass" or "fail", not "good"',
        ),
        (
            HEAD + CASE.replace("  verdict: pass\n", ""),
            "calibration/refunds.yaml:3:3: cases[0].verdict is missing",
        ),
        (
            HEAD + CASE.replace("  response: Within 14 days.\n", ""),
            "calibration/refunds.yaml:3:3: cases[0].response is missing",
        ),
        (
            HEAD + CASE.replace("- message: I want my money back\n", "- name: x\n"),
            'calibration/refunds.yaml:3:3: cases["x"].message is missing (message: what the user',
        ),
        (
            HEAD + CASE.replace("expected: States", 'expected: "Really" states'),
            "YAML",
        ),
        (
            HEAD + CASE.replace('"14 days" window', '"14 days window'),
            "calibration/refunds.yaml:4:3: case 1: expected cannot be read",
        ),
        (
            HEAD + CASE.replace("Within 14 days.", "See order #42 and wait"),
            "calibration/refunds.yaml:5",
        ),
        (
            HEAD + CASE + "  turns: [{role: user, content: Hm}]\n",
            "calibration/refunds.yaml:7:3: cases[0].turns and message exclude each other",
        ),
        (
            HEAD + CASE + "  checks: [{max_latency: 3s}]\n",
            "calibration/refunds.yaml:7:3: cases[0].checks cannot hold max_latency",
        ),
        (
            HEAD + CASE + "  checks: [{contains: x, in: tools}]\n",
            "calibration/refunds.yaml:7:3: cases[0].checks cannot hold in: tools",
        ),
        (
            HEAD + CASE + "  checks: [{regex: '('}]\n",
            "calibration/refunds.yaml:7:12: case 1: checks[0] regex",
        ),
        (
            HEAD + CASE + "  verdit: fail\n",
            'calibration/refunds.yaml:7:3: unknown key "verdit" in cases[0]',
        ),
        (
            "criterion: refund\ncases:\n" + CASE,
            'calibration/refunds.yaml:1:1: there is no criterion "refund" (known: "refunds")',
        ),
        ("criterion: refunds\n", "calibration/refunds.yaml: this is no file of labels"),
        ("criterion: refunds\ncases: []\n", "calibration/refunds.yaml:2:1: the list of cases is"),
    ],
    ids=lambda value: value[-40:].strip().replace("\n", " "),
)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, text: str, line: str) -> None:
    found = told(tmp_path, text)
    assert len(found) == 1
    assert line in found[0]


@pytest.mark.parametrize(
    ("turns", "wrong"),
    [
        ("[{role: user, content: a}, {role: assistant, content: b}]", "must end with the user"),
        ("[{role: user, content: a}, {role: user, content: b}]", "must alternate"),
        ("[{role: system, content: a}]", "must end with the user"),
    ],
)
def test_a_talk_ends_with_the_user_and_takes_turns(tmp_path: Path, turns: str, wrong: str) -> None:
    case = f"- {{turns: {turns}, expected: Greets., response: Hi, verdict: pass}}\n"
    (line,) = told(tmp_path, HEAD + case)
    assert wrong in line


def test_all_mistakes_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "calibration"
    folder.mkdir()
    for name in ("a", "b"):
        wrong = CASE.replace("pass", "maybe")
        (folder / f"{name}.yaml").write_text(
            HEAD + wrong + CASE.replace("Within", f"{name},") + wrong, "utf-8"
        )
    with pytest.raises(InvalidInput) as caught:
        load_labels(find_label_files(tmp_path, ()), [a_criterion()], root=tmp_path)
    files = [problem.place and problem.place.file for problem in caught.value.problems]
    assert files == ["calibration/a.yaml"] * 2 + ["calibration/b.yaml"] * 2


def test_a_response_is_labelled_once(tmp_path: Path) -> None:
    """Copies of a label would make ten of one, and a bound that nothing supports."""
    other = CASE.replace("Within", "In")
    again = CASE.replace("pass", "fail").replace("- message", "- note: once more\n  message")
    known = "this response is labelled already, at calibration/refunds.yaml:3"
    hint = "(keep one label of a response)"
    assert told(tmp_path, HEAD + CASE + other + again + CASE) == [
        f"calibration/refunds.yaml:11: {known}, and with another verdict {hint}",
        f"calibration/refunds.yaml:16: {known} {hint}",
    ]


def test_another_question_or_expectation_is_another_label(tmp_path: Path) -> None:
    asked = CASE.replace("my money", "all of it")
    wanted = CASE.replace("window", "rule")
    checked = CASE + "  checks: [{not_contains: 40 days}]\n"
    assert len(loaded(tmp_path, HEAD + CASE + asked + wanted + checked)) == 4


def test_no_labels_at_all_are_an_error_that_says_where_they_belong(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r'"calibration" holds no \*\.yaml'):
        find_label_files(tmp_path, ())
    with pytest.raises(InvalidInput, match=r"labels\.yaml"):
        find_label_files(tmp_path, [tmp_path / "labels.yaml"])


def test_files_can_be_named_and_folders_are_searched(tmp_path: Path) -> None:
    deep = tmp_path / "calibration" / "may"
    deep.mkdir(parents=True)
    for path in (deep / "b.yml", deep / "a.yaml", deep / ".draft.yaml", deep / "c.txt"):
        path.write_text("", "utf-8")
    assert find_label_files(tmp_path, ()) == (deep / "a.yaml", deep / "b.yml")
    assert find_label_files(tmp_path, [deep / "a.yaml", deep]) == (deep / "a.yaml", deep / "b.yml")


def test_labels_are_no_scenarios(tmp_path: Path) -> None:
    loaded(tmp_path, HEAD + CASE)
    (tmp_path / "more.yaml").write_text("criterion: x\nscenarios: []\n", "utf-8")
    found = find_files(tmp_path, criteria=(), paths=["."], pattern="case_*.py")
    assert found.scenario_files == (tmp_path / "more.yaml",)
