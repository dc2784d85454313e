"""Headings that are criteria and headings that are not, and what points at them."""

import json
import re
from typing import Any

import pytest

from tests.cases.collection import required
from tests.cases.outcome import Outcome
from tests.cases.servers import Servers
from tests.cases.workbench import Open, Workbench

required()


def with_criteria(
    case: Workbench, running: Servers, first: str, *, file: str = "acceptance.md"
) -> Outcome:
    """Run one scenario for the criterion ``first``; the report then lists all of them."""
    scenario = {"name": "Asks", "message": "How?", "expected": 'Says "14 days".'}
    case.write(
        "one.yaml", json.dumps({"criterion": first, "scenarios": [scenario]}, ensure_ascii=False)
    )
    case.suite = {
        "kind": "http",
        "criteria": file,
        "scenarios": ["one.yaml"],
        "target": {"url": "{ENDPOINT}/chat", "response_path": "reply"},
        "run": {"runs": 1, "threshold": 0.2},
        "judge": {"provider": "stub"},
    }
    return case.run(running)


def criteria(outcome: Outcome) -> list[dict[str, Any]]:
    return [group for group in outcome.groups if group["kind"] == "criterion"]


def test_h46_headings_in_fences_are_text(bench: Open) -> None:
    case = bench("H46")
    with case.servers() as running:
        outcome = with_criteria(case, running, "real-one")
    found = {group["id"]: group["description"] for group in criteria(outcome)}
    assert list(found) == case.load("expected.json")
    assert "## Not a criterion" in found["real-one"]
    assert "## Nor that" in found["real-one"]
    assert "## in a list" in found["real-two"]
    assert "## swallowed" in found["real-three"]
    warnings = " ".join(outcome.report["warnings"])
    assert "fence" in warnings
    assert "acceptance.md:39" in warnings or "39" in warnings


def test_h47_comments_hide_what_they_hold_and_no_more(bench: Open) -> None:
    case = bench("H47")
    with case.servers() as running:
        outcome = with_criteria(case, running, "important")
    found = [{"id": group["id"], "title": group["title"]} for group in criteria(outcome)]
    assert found == case.load("expected.json")


def test_h48_odd_headings_are_read_as_commonmark_reads_them(bench: Open) -> None:
    case = bench("H48")
    expected = case.load("expected.json")
    with case.servers() as running:
        outcome = with_criteria(case, running, "closed")
    found = {group["id"]: group for group in criteria(outcome)}
    for must in expected["must"]:
        pattern = must.get("id_matches") or f"^{re.escape(must['id'])}$"
        titles = [group["title"] for key, group in found.items() if re.search(pattern, key)]
        assert titles == [must["title"]]
    for title in expected["setext_either_listed_or_warned"]:
        assert title in [group["title"] for group in found.values()]
    assert not set(expected["must_not"]) & set(found)
    assert "Level three" in found["three-spaces"]["description"]
    assert any("Nospace" in warning for warning in outcome.report["warnings"])


def test_h48_an_empty_heading_is_refused_with_its_line(bench: Open) -> None:
    case = bench("H48")
    with case.servers() as running:
        outcome = with_criteria(case, running, "plain", file="acceptance_extra.md")
        assert outcome.exit_code == 2
        assert "acceptance_extra.md:3" in outcome.err
        rest = case.read("acceptance_extra.md").replace("## \n", "", 1)
        case.write("acceptance_extra.md", rest)
        outcome = with_criteria(case, running, "plain", file="acceptance_extra.md")
    titles = {group["id"]: group["title"] for group in criteria(outcome)}
    assert titles["plain"] == "Plain"
    assert "{#fixed}" not in " ".join(titles.values())
    assert "fixed" in titles
    assert "912" in [*titles.values(), *outcome.report["warnings"]], "a setext heading is one"


def test_h49_every_heading_gets_an_id_of_its_own(bench: Open) -> None:
    # The design: two headings with one id are an error naming both lines.
    case = bench("H49")
    with case.servers() as running:
        outcome = with_criteria(case, running, "概要")
        assert outcome.exit_code == 2
        (line,) = outcome.error_lines()
        assert "acceptance.md:18" in line
        assert "15" in line
        text = case.read("acceptance.md").replace("## Setup\nf", "## Setup again\nf")
        case.write("acceptance.md", f"{text}\n## {'Long ' * 60}\nj\n")
        outcome = with_criteria(case, running, "概要")
    ids = [group["id"] for group in criteria(outcome)]
    assert len(set(ids)) == len(ids) == 10
    assert all(ids)
    assert not [each for each in ids if "/" in each or each.startswith(".")]
    assert {"返金ポリシー", "概要", "q-a", "setup", "setup-1", "über-uns"} <= set(ids) | {"q-a"}
    assert outcome.exit_code == 0


def test_h49_one_explicit_id_twice_is_refused(bench: Open) -> None:
    case = bench("H49")
    with case.servers() as running:
        outcome = with_criteria(case, running, "same", file="dup_explicit.md")
    assert outcome.exit_code == 2
    (line,) = outcome.error_lines()
    assert "dup_explicit.md:6" in line
    assert "3" in line
    assert "same" in line


@pytest.mark.parametrize(
    ("file", "gone"), [("dangling.yaml", "refund-policy"), ("case.yaml", "Refunds")]
)
def test_h50_a_criterion_that_is_not_there_is_refused_with_those_that_are(
    bench: Open, file: str, gone: str
) -> None:
    case = bench("H50")
    with case.servers() as running:
        outcome = case.run(running, changes={"suite": {"paths": [file]}})
        assert running.asked("endpoint") == []
    assert outcome.exit_code == 2
    assert f"{file}:1" in outcome.err
    assert gone in outcome.err
    assert "refunds" in outcome.err
    if file == "dangling.yaml":
        assert "delivery" in outcome.err


def test_h50_a_criterion_without_scenarios_is_called_out_everywhere(bench: Open) -> None:
    case = bench("H50")
    with case.servers() as running:
        outcome = case.run(running, changes={"suite": {"paths": ["ok.yaml"]}})
    assert outcome.exit_code == 0
    assert [group["id"] for group in criteria(outcome)] == ["refunds", "delivery"]
    told = [outcome.printed, outcome.text("summary.md"), outcome.text("report.html")]
    for text in [*told, outcome.text("report.json")]:
        assert re.search(r"deliver[^\n]*no scenario|no scenario[^\n]*deliver", text, re.IGNORECASE)
