"""What reports say of a budget and of runs without a verdict, and what ``check`` says before."""

import json
from pathlib import Path
from typing import Any

import pytest

from ci_judge.cli.budget_lines import Planned, budget_lines
from ci_judge.model.document import BudgetEntry, ReasonCountEntry, ReportDocument
from ci_judge.model.evidence import FailureCode
from ci_judge.model.reasons import NotRunCode
from ci_judge.protocols import RunSource
from ci_judge.renderers import console, html_report, junit, markdown
from ci_judge.renderers.budget_words import budget_words, reason_words
from ci_judge.renderers.next_steps import next_step
from ci_judge.renderers.report_schema import validate_report
from ci_judge.settings import BudgetSettings, load_settings
from tests.builders import a_group, a_report, a_test

BUDGET: BudgetEntry = {
    "usd": None,
    "requests": 2_000,
    "tokens": None,
    "minutes": None,
    "spent_usd": 0.12345,
    "spent_requests": 2_000,
    "spent_tokens": 1_500,
    "spent_minutes": 1.2345,
    "estimated": False,
    "refused": "the budget of 2,000 requests is spent (budget.requests)",
    "runs_left_out": 7,
    "tests_left_out": 1,
}
REASONS: list[ReasonCountEntry] = [
    {"code": NotRunCode.BUDGET, "runs": 7},
    {"code": FailureCode.CONNECTION_REFUSED, "runs": 1},
]


def a_spent_report(**budget: Any) -> tuple[ReportDocument, RunSource]:
    test = a_test("refunds/asks", passes=2, errors=1, planned=10, not_run=7, reasons=REASONS)
    document, runs = a_report(a_group(test, id="refunds"))
    document["summary"]["budget"] = {**BUDGET, **budget}  # type: ignore[typeddict-item]  # keys of it
    document["summary"]["reasons"] = REASONS
    return document, runs


def words(**budget: Any) -> str:
    return budget_words(a_spent_report(**budget)[0]["summary"])


def test_only_what_is_limited_is_told() -> None:
    assert words() == "2,000 of 2,000 requests"
    limits = {"usd": 0.5, "requests": None, "tokens": 2_000, "minutes": 1}
    assert words(**limits) == "$0.1235 of $0.5, 1,500 of 2,000 tokens, 1.23 of 1 minute"


def test_a_guess_is_called_one() -> None:
    said = words(usd=0.5, requests=None, estimated=True)
    assert said == "$0.1235 of $0.5 (what nobody told is estimated)"


def test_reasons_are_counted() -> None:
    summary = a_spent_report()[0]["summary"]
    assert reason_words(summary) == "8 runs without a verdict: budget spent 7, connection refused 1"
    assert reason_words({**summary, "reasons": []}) == ""
    assert budget_words({**summary, "budget": None}) == ""


@pytest.mark.parametrize("render", [console.render, markdown.render, html_report.render])
def test_every_report_for_people_tells_the_spend_and_the_reasons(render: Any) -> None:
    text = "".join(render(*a_spent_report()))
    assert "2,000 of 2,000 requests" in text
    assert "budget spent 7, connection refused 1" in text


def test_the_json_with_a_budget_is_valid() -> None:
    document, _ = a_spent_report()
    assert validate_report(json.loads(json.dumps(document))) == ()


def test_junit_books_a_test_without_budget_as_an_error() -> None:
    text = "".join(junit.render(*a_spent_report()))
    assert "<error" in text
    assert "<failure" not in text


@pytest.mark.parametrize(
    ("code", "advice"),
    [(NotRunCode.BUDGET, "raise the budget"), (NotRunCode.ORIGIN_DOWN, "a server answers")],
)
def test_the_next_step_is_about_what_ended_the_test(code: NotRunCode, advice: str) -> None:
    reasons: list[ReasonCountEntry] = [{"code": code, "runs": 8}]
    test = a_test("refunds/asks", passes=2, errors=1, planned=10, not_run=7, reasons=reasons)
    assert advice in next_step(test)


# --- before the run -----------------------------------------------------------------------


def planned(**limits: float) -> list[str]:
    return list(
        budget_lines(BudgetSettings.model_validate(limits), Planned(expected=160, with_retries=480))
    )


def test_check_prints_the_budget_beside_what_is_expected() -> None:
    assert planned() == []
    assert planned(requests=200, usd=1.5, tokens=9_000, minutes=2) == [
        "budget: 200 requests, $1.5, 9,000 tokens, 2 minutes (160 requests expected, 480 at worst)"
    ]
    assert planned(minutes=1) == ["budget: 1 minute"]


def test_check_warns_of_a_budget_that_will_not_do() -> None:
    assert planned(requests=160) == ["budget: 160 requests (160 requests expected, 480 at worst)"]
    (_, warning) = planned(requests=159)
    assert warning.startswith("warning: budget.requests is 159, below the 160 that are expected")


@pytest.mark.parametrize(
    "limit", [{"usd": 0}, {"usd": -1}, {"requests": 0}, {"requests": 1.5}, {"minutes": 0}]
)
def test_a_budget_of_nothing_is_refused(tmp_path: Path, limit: dict[str, float]) -> None:
    (tmp_path / "ci-judge.yaml").write_text(json.dumps({"budget": limit}))
    with pytest.raises(Exception, match="budget"):
        load_settings(config=None, cwd=tmp_path, environment={}, overrides={})


def test_variables_and_flags_set_the_budget(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text("budget: {requests: 5}\n")
    settings = load_settings(
        config=None,
        cwd=tmp_path,
        environment={"CI_JUDGE_BUDGET_USD": "0.5", "CI_JUDGE_BUDGET_MINUTES": "1.5"},
        overrides={"budget.requests": "7"},
    )
    budget = settings.budget
    assert (budget.usd, budget.requests, budget.tokens, budget.minutes) == (0.5, 7, None, 1.5)
