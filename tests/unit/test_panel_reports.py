"""A panel in every format: who voted how, in one line, and how far the judges agree."""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.engine.seats import Seat, Seats, panel, single
from ci_judge.model.document import ReportDocument
from ci_judge.model.judging import JudgeIdentity, VotePolicy
from ci_judge.protocols import RunSource
from ci_judge.renderers import console, html_report, junit, markdown
from ci_judge.renderers.panel_words import agreement_words, panel_lines, vote_lines
from ci_judge.workflows.judge_facts import judge_facts
from tests.builders import (
    Runs,
    a_group,
    a_member_vote,
    a_panel,
    a_report,
    a_run,
    a_test,
    a_trial,
    a_vote,
)
from tests.fakes import FakeJudge

RENDERERS: dict[str, Callable[[ReportDocument, RunSource], Iterator[str]]] = {
    "console": console.render,
    "html": html_report.render,
    "junit": junit.render,
    "markdown": markdown.render,
}
NAMES = ("openai gpt", "anthropic claude", "stub")
LINE = "openai gpt fail, anthropic claude pass, stub error"


def a_split_vote(item: int = 1, **changes: Any) -> Any:
    members = [
        a_member_vote(name, passed=passed, judge_index=place)
        for place, (name, passed) in enumerate(
            zip(NAMES, (False, True, None), strict=True), start=1
        )
    ]
    return a_vote(passed=False, item=item, passes=1, trials=3, needed=2, members=members, **changes)


def a_split_report(*votes: Any) -> tuple[ReportDocument, Runs]:
    trials = [
        a_trial(judge=name, judge_index=place, model=name)
        for place, name in enumerate(NAMES, start=1)
    ]
    run = a_run("c/asks", 1, "fail", checks=[], trials=trials, votes=votes or [a_split_vote()])
    test = a_test("c/asks", passes=0, fails=1)
    return a_report(a_group(test, id="c"), runs=[run], judge=a_panel(*NAMES))


def rendered(kind: str, *votes: Any) -> str:
    return "".join(RENDERERS[kind](*a_split_report(*votes)))


def test_who_voted_how_is_one_short_line() -> None:
    document, runs = a_split_report()
    (run,) = runs.runs(document["groups"][0]["tests"][0]["id"])
    assert list(vote_lines(run)) == [LINE]
    assert list(vote_lines(a_run(votes=[a_vote()]))) == []
    both = a_run(votes=[a_split_vote(1), a_split_vote(2)])
    assert list(vote_lines(both)) == [f"expectation 1: {LINE}", f"expectation 2: {LINE}"]


def test_a_panel_is_told_in_plain_words() -> None:
    *votes, agreed = panel_lines(a_panel("a", "b", "c"))
    assert votes == [
        "panel of 3 judges: 2 must pass it (more than half of them)",
        "judge a: 7 pass, 2 fail, 1 error",
        "judge b: 7 pass, 2 fail, 1 error",
        "judge c: 7 pass, 2 fail, 1 error",
    ]
    assert agreed == (
        "agreement: two judges say the same in 90 % of cases (9 votes that all took part in); "
        "where 0 is chance and 1 is full agreement, Gwet's AC1 is 0.88, Fleiss' kappa -0.05"
    )


def test_what_is_not_defined_is_called_so() -> None:
    alike = agreement_words({"votes": 4, "raw": 1.0, "fleiss_kappa": None, "gwet_ac1": 1.0})
    assert alike.startswith("agreement: two judges say the same in 100 % of cases (4 votes")
    assert alike.endswith("AC1 is 1.00, Fleiss' kappa n/a")
    none = agreement_words({"votes": 0, "raw": None, "fleiss_kappa": None, "gwet_ac1": None})
    assert "n/a" in none


@pytest.mark.parametrize("kind", ["console", "markdown"])
def test_the_texts_show_votes_and_agreement(kind: str) -> None:
    text = rendered(kind).replace("`", "")
    for said in (LINE, "2 must pass it", "judge stub: 7 pass, 2 fail", "AC1 is 0.88"):
        assert said in text


def test_markdown_marks_the_names_alone() -> None:
    text = rendered("markdown")
    assert "Votes: `openai gpt` fail, `anthropic claude` pass, `stub` error" in text
    assert "> - judge `stub`: 7 pass" in text
    assert "> - agreement: two judges" in text


def test_the_page_shows_each_vote_with_its_reason_and_the_agreement() -> None:
    text = rendered("html")
    for said in (
        "panel of 3",
        "1 of 3 judges (needs 2)",
        "openai gpt fail: Leaves it out.",
        "anthropic claude pass: Names it.",
        "stub error: No answer in time.",
        "AC1 is 0.88",
    ):
        assert said in text
    assert "Trials of run" not in text  # one trial a judge: the votes have said it all


def test_the_page_shows_trials_by_judge_where_there_are_more_than_judges() -> None:
    document, _ = a_split_report()
    trials = [
        a_trial(judge=name, judge_index=place, repetition=repetition)
        for place, name in enumerate(NAMES[:2], start=1)
        for repetition in (1, 2)
    ]
    run = a_run("c/asks", 1, "fail", trials=trials, votes=[a_split_vote()])
    text = "".join(html_report.render(document, Runs({"c/asks": [run]})))
    assert '<th scope="row">anthropic claude, 2</th>' in text


def test_the_xml_tells_each_vote_in_the_failure() -> None:
    suites = ET.fromstring(rendered("junit"))  # noqa: S314 - our own text
    (failure,) = suites.iter("failure")
    (out,) = suites.iter("system-out")
    told = f"{failure.text}{out.text}"
    assert "Judge 1 of 3: fail" in told
    assert "openai gpt: Leaves it out." in told


def test_the_entry_of_a_panel_names_its_judges_and_what_stubs_are() -> None:
    def seat(provider: str, notice: str | None = None, **policy: Any) -> Seat:
        identity = JudgeIdentity(
            provider=provider, model=None, wire="boolean", prompt_version="1", notice=notice
        )
        return Seat(judge=FakeJudge(identity=identity), policy=VotePolicy(**policy))

    seats = panel((seat("stub", "phrase check"), seat("other", repetitions=3)), "any")
    entry = judge_facts(seats, policy=VotePolicy(), models=["m"], votes=PanelVotes(2))
    assert entry is not None
    assert (entry["provider"], entry["panel_rule"], entry["panel_needed"]) == ("panel", "any", 1)
    assert (entry["notice"], entry["prompt_version"]) == ("stub: phrase check", "1")
    assert [
        (each["judge"], each["judge_index"], each["needed_votes"]) for each in entry["panel"]
    ] == [
        ("stub", 1, 1),
        ("other", 2, 2),
    ]
    assert entry["agreement"] == {"votes": 0, "raw": None, "fleiss_kappa": None, "gwet_ac1": None}


def test_the_entry_of_a_single_judge_holds_no_panel() -> None:
    seats = single(Seat(judge=FakeJudge(), policy=VotePolicy()))
    entry = judge_facts(seats, policy=VotePolicy(), models=["m"], votes=PanelVotes(1))
    assert entry is not None
    assert (entry["provider"], entry["models_answered"]) == ("fake", ["m"])
    assert (entry["panel"], entry["panel_rule"], entry["agreement"]) == ([], None, None)
    assert judge_facts(Seats(), policy=VotePolicy(), models=[], votes=PanelVotes(0)) is None
