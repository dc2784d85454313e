import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings

from ci_judge.model.document import ReportDocument
from ci_judge.renderers.html_report import render
from ci_judge.visible_text import visible
from tests.builders import (
    Runs,
    a_case,
    a_check,
    a_group,
    a_report,
    a_run,
    a_skipped_test,
    a_test,
    a_trial,
)
from tests.hostile import NASTY, a_hostile_report, texts

VOID = {"meta", "link", "input", "br", "circle", "path", "line", "rect", "use"}


class Page(HTMLParser):
    """What a browser would see: elements with attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def rendered(document: ReportDocument, runs: Runs) -> str:
    return "".join(render(document, runs))


def page(*groups: Any, **changes: Any) -> Page:
    return Page(rendered(*a_report(*groups, **changes)))


def test_the_file_allows_itself_nothing() -> None:
    html = rendered(*a_report(a_group(a_test(fails=1))))
    [style] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = Page(html).all("meta")[1]["content"]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'; ")
    assert "unsafe" not in policy
    assert html.index("<meta charset") < 1024
    for asks_for_more in ("<script", " style=", "url(", "@import", " src="):
        assert asks_for_more not in html


def test_every_link_inside_leads_somewhere_and_ids_are_unique() -> None:
    found = page(
        a_group(a_test("a/x", passes=8, fails=2), a_test("a/y", passes=9, errors=1)),
        a_group(a_case(), id="case_price.py", kind="cases"),
    )
    ids = Counter(attributes["id"] for _, attributes in found.elements if "id" in attributes)
    assert set(ids.values()) == {1}
    inside = {link["href"] for link in found.all("a") + found.all("use")}
    inside -= {"https://github.com/example/shop/actions/runs/1234567890"}
    assert {href.removeprefix("#") for href in inside} <= set(ids)
    assert "#test-a-x-run-1" in inside


def test_the_verdict_stands_in_title_and_heading() -> None:
    html = rendered(*a_report(a_group(a_test("a/x", fails=1), a_test("a/y"))))
    assert "<title>1 of 2 tests failed · CI Judge</title>" in html
    assert "<h1>1 of 2 tests failed</h1>" in html
    assert 'banner card failed"' in html


def test_failing_tests_are_open_with_every_failing_run_and_passing_ones_closed() -> None:
    found = page(a_group(a_test("a/x", passes=5, fails=5), a_test("a/y")))
    tests = [d for d in found.all("details") if d["class"].startswith("test ")]
    assert [("open" in test) for test in tests] == [True, False]
    assert len(found.all("article")) == 5
    assert found.text.count("You get every penny back.") >= 5


def test_passing_runs_are_a_few_closed_samples_unless_all_are_wanted() -> None:
    def samples(**changes: Any) -> int:
        found = page(a_group(a_test("a/x")), **changes)
        return sum(d["class"] == "run pass" for d in found.all("details"))

    assert samples() == 2
    assert samples(settings={"report": {"transcripts": "all"}}) == 10


def test_the_strip_has_a_cell_for_each_run() -> None:
    html = rendered(*a_report(a_group(a_test("a/x", passes=4, fails=1, errors=1, not_run=1))))
    [strip] = re.findall(r'<div class="strip">(.*?)</div>', html, re.DOTALL)
    signs = re.findall(r"<[ai][^>]*>(.)</[ai]>", strip)
    assert signs == [*"✗?✓✓✓✓-"]
    assert 'href="#test-a-x-run-1" aria-label="Run 1: failed"' in strip


def test_the_strip_explains_its_signs_and_outlines() -> None:
    text = page(a_group(a_test("a/x", passes=4, fails=1, errors=1))).text
    assert (
        "Runs in order: ✓ passed, ✗ failed, ? ended in an error, which neither passes nor fails."
        " Outlined runs are shown below: select one to go there."
    ) in text
    assert "- not run" not in text
    nothing_shown = page(a_group(a_test("a/x", passes=0, not_run=3, planned=3, result="error")))
    assert "Runs in order: - not run." in nothing_shown.text
    assert "Outlined" not in nothing_shown.text


def test_undecided_is_explained_in_words() -> None:
    text = page(a_group(a_test("a/x", passes=9, errors=1))).text
    assert (
        "undecided: runs ended in errors or were not made, so neither passed nor failed"
    ) in text
    assert "Next: first make the target answer" in text


def test_a_broken_judge_is_told_beside_failures() -> None:
    trouble = {"outcome": "judge_error", "reason": "answered <b>404</b>", "runs": 11}
    test = a_test("a/x", passes=0, fails=3, errors=11, result="failed", troubles=[trouble])
    html = rendered(*a_report(a_group(test)))
    found = Page(html)
    assert (
        "11 runs ended in errors because the judge gave no verdict: answered <b>404</b>"
    ) in found.text
    assert "Next: first make the judge give verdicts" in found.text
    assert "0 of 3 judged" in found.text
    [plot] = [svg["aria-label"] for svg in found.all("svg") if "aria-label" in svg]
    assert plot == "failed: 11 runs without a verdict, threshold 70 %"
    assert 'href="#dot-failed" x="0%"' not in html
    assert "56 %" not in found.text.replace(test["gate"]["sentence"], "")


def test_a_rate_of_some_runs_is_told_as_theirs() -> None:
    found = page(a_group(a_test("a/x", passes=8, errors=2)))
    assert "100 % of 8 judged" in found.text
    assert "8 of 8 judged" in found.text


def test_a_failure_that_is_forgiven_is_not_green() -> None:
    html = rendered(
        *a_report(a_group(a_test("a/x", fails=1)), status="passed", headline="Forgiven by fail_on.")
    )
    assert "<h1>1 of 1 test failed; this does not fail the step</h1>" in html
    assert 'banner card advisory"' in html
    assert "<p>Forgiven by fail_on.</p>" in html


def test_what_checks_found_is_marked_in_the_answer() -> None:
    said = "You have 14\n days, or 114 days."
    run = a_run(
        "a/x",
        1,
        "fail",
        transcript=[
            {"role": "user", "content": "14 days?"},
            {"role": "assistant", "content": said},
        ],
        checks=[a_check(), a_check(kind="contains", wanted="money", passed=False)],
    )
    html = rendered(*a_report(a_group(a_test("a/x", passes=0, fails=1)), runs=[run]))
    assert "You have <mark>14\n days</mark>, or 114 days." in html
    assert html.count("<mark>") == 1


def test_trials_show_probability_and_draw() -> None:
    ruling = {"item": 1, "passed": True, "reason": "", "probability": 0.8312, "draw": 0.4119}
    run = a_run("a/x", 1, "fail", trials=[a_trial(rulings=[ruling])])
    text = page(a_group(a_test("a/x", passes=0, fails=1)), runs=[run]).text
    assert "0.831" in text
    assert "0.412" in text


def test_what_was_not_judged_is_said() -> None:
    text = page(
        a_group(id="bare"), a_group(a_skipped_test("a/later")), warnings=["Something is odd."]
    ).text
    assert "No test of this run covers this criterion" in text
    assert "Skipped: waits for the new catalogue" in text
    assert "Something is odd." in text
    assert "phrase check, not a judge of meaning" in text


def test_description_is_text_in_paragraphs() -> None:
    html = rendered(*a_report(a_group(a_test(), description="One **two**.\r\n\r\n<b>Three</b>")))
    assert "<p>One **two**.</p>" in html
    assert "<p>&lt;b&gt;Three&lt;/b&gt;</p>" in html


def test_an_empty_report_renders() -> None:
    assert "No test had a gate to pass" in page().text


def test_only_web_addresses_become_links() -> None:
    document, runs = a_report(a_group(a_test()))
    document["run"]["url"] = "javascript:alert(1)"
    assert "javascript" not in rendered(document, runs)


def test_large_reports_stay_small_and_keep_every_test() -> None:
    long = [{"role": "assistant", "content": '<"long" & hard> ' * 1000}]
    tests = [a_test(f"a/{number}", passes=0, fails=20) for number in range(150)]

    class Long:
        def runs(self, test_id: str) -> Any:
            return (a_run(test_id, number, "fail", transcript=long) for number in range(1, 21))

    document, _ = a_report(a_group(*tests))
    html = "".join(render(document, Long()))
    assert len(html.encode()) < 4 * 1024 * 1024
    found = Page(html)
    shown = {article["id"].partition("-run-")[0] for article in found.all("article")}
    assert len(shown) == 150
    assert "report.json has every run" in found.text


def test_reads_each_tests_runs_once() -> None:
    document, runs = a_report(a_group(a_test("a/x", fails=1), a_test("a/y")))
    rendered(document, runs)
    assert runs.reads == ["a/x", "a/y"]


def skeleton(found: Page) -> list[tuple[str, frozenset[str]]]:
    """Elements and names of attributes, but for what a mark or paragraph adds."""
    return [
        (tag, frozenset(attributes) - {"colspan"})
        for tag, attributes in found.elements
        if tag not in {"mark", "p"}
    ]


HARMLESS = skeleton(Page(rendered(*a_hostile_report("plain words"))))


@pytest.mark.parametrize("text", [text for text in NASTY if len(text) > 1])
def test_payloads_can_be_read_literally(text: str) -> None:
    found = Page(rendered(*a_hostile_report(text)))
    assert visible(text).strip() in found.text


@settings(max_examples=40, deadline=None)
@given(text=texts)
def test_hostile_text_adds_no_element_and_no_attribute(text: str) -> None:
    html = rendered(*a_hostile_report(text))
    html.encode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\u202a-\u202e]", html)
    found = Page(html)
    assert found.open == []
    if text.strip():
        assert set(skeleton(found)) <= set(HARMLESS)
        assert [tag for tag, _ in skeleton(found)] == [tag for tag, _ in HARMLESS]


def luminance(colour: str) -> float:
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, relative luminance and contrast ratio."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_colour_has_enough_contrast(scheme: int) -> None:
    css = files("ci_judge.renderers").joinpath("templates/report.css").read_text("utf-8")
    block = re.findall(r":root \{(.*?)\}", css, re.DOTALL)[scheme]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
    grounds = ("paper", "card", "inset")
    pairs = [(ink, ground) for ink in ("ink", "soft", "link") for ground in grounds]
    pairs += [(hue, "card") for hue in ("pass", "fail", "open", "calm")]
    pairs += [(hue, f"{hue}-tint") for hue in ("pass", "fail", "open", "calm")]
    pairs += [("ink", f"{hue}-tint") for hue in ("pass", "fail", "open", "calm")]
    pairs += [("ink", "mark"), ("paper", "ink")]
    poor = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < 4.5} == {}
