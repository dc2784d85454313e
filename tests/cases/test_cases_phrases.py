"""Quoted phrases: scripts and spaces, line breaks that are the author's, and nothing to check."""

import json
from typing import Any

import pytest

from tests.cases.collection import required
from tests.cases.workbench import Open

required()

SAYS_YES = {"content": [{"type": "text", "text": '{"pass": true, "reason": "Fine."}'}]}

# What the design says of each pair: NFC, case-folded (a ligature and ß unfold), white space as one
# space, straight or curly double quotes; guillemets are no quotes.
PAIRS = ["pass", "pass", "pass", "pass", "fail", None, "pass", "pass"]
GUILLEMETS = PAIRS.index(None)


@pytest.mark.parametrize("provider", ["stub", "anthropic"])
def test_h52_a_phrase_means_the_same_under_every_judge(bench: Open, provider: str) -> None:
    case = bench("H52")
    pairs = case.load("pairs.json")
    scenarios = [
        {"name": f"Pair {number}", "message": f"{number}", "expected": pair["expected"]}
        for number, pair in enumerate(pairs)
    ]
    suite = {"criterion": "refunds", "scenarios": scenarios}
    case.write("scenarios.yaml", json.dumps(suite, ensure_ascii=False))
    case.change(judge={"provider": provider, "replies": [{"status": 200, "json": SAYS_YES}]})
    outcome = case.play(changes={"run": {"concurrency": 1}})
    tests = [outcome.test(f"Pair {number}") for number in range(len(pairs))]
    runs = [test["runs"][0] for test in tests]
    assert [run["response"] for run in runs] == [pair["reply"] for pair in pairs]
    outcomes = [run["outcome"] for run in runs]
    without_phrase = outcomes.pop(GUILLEMETS)
    assert outcomes == [each for each in PAIRS if each is not None]
    assert without_phrase == {"stub": "judge_error", "anthropic": "pass"}[provider]
    assert any("\u00ab14 days\u00bb" in warning for warning in outcome.report["warnings"])
    for test, pair in zip(tests, pairs, strict=True):
        assert test["expected"] == [pair["expected"]], "as it was written"


@pytest.mark.parametrize("name", ["Unbalanced", "Inches", "Empty phrase"])
def test_h53_marks_that_are_no_pair_are_refused(bench: Open, name: str) -> None:
    case = bench("H53")
    case.write("wrapped.yaml", only(case.read("wrapped.yaml"), name))
    with case.servers() as running:
        outcome = case.run(running)
        assert running.asked("endpoint") == []
    assert outcome.exit_code == 2
    (line,) = outcome.error_lines()
    assert "wrapped.yaml:" in line
    assert "quote" in line


def test_h53_a_line_break_inside_a_phrase_is_a_space(bench: Open) -> None:
    case = bench("H53")
    case.write("wrapped.yaml", only(case.read("wrapped.yaml"), "Literal", "Folded", "Plain"))
    outcome = case.play()
    assert outcome.exit_code == 0
    assert [phrases(run) for run in outcome.runs] == [["14 days"]] * 3


def only(text: str, *names: str) -> str:
    """Keep these scenarios of a file."""
    head, *scenarios = text.split("\n  - ")
    kept = [
        each for each in scenarios if each.startswith(tuple(f"name: {name}\n" for name in names))
    ]
    assert len(kept) == len(names)
    return "\n  - ".join([head, *kept]).rstrip() + "\n"


def phrases(run: dict[str, Any]) -> list[str]:
    return [check["wanted"] for check in run["checks"] if check["kind"] == "phrase"]


@pytest.mark.parametrize("reply", ["", "I cannot help"])
def test_h54_nothing_to_check_is_never_a_pass(bench: Open, reply: str) -> None:
    case = bench("H54")
    case.change(endpoint_replies=[{"reply": reply}])
    outcome = case.play()
    assert outcome.exit_code != 0
    # The design: an expectation without a phrase is an error under the stub ("this needs a judge").
    for name in ("Quotes eaten by YAML", "No quotes"):
        (run,) = outcome.test(name)["runs"]
        assert run["outcome"] == "judge_error"
        assert "judge" in run["reason"]
    assert outcome.test("Really quoted")["runs"][0]["outcome"] == "fail"
    assert outcome.report["summary"]["passed"] == 0
    if not reply:
        for name in ("summary.md", "report.html", "junit.xml"):
            assert "empty" in outcome.text(name), name
