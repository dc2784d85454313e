"""Reasons of runs without a verdict: one code of the closed lists each, counted in every report."""

from fractions import Fraction

import pytest

from ci_judge.document.recorded_runs import recorded_run
from ci_judge.document.run_entries import run_entry
from ci_judge.model.evidence import EvidenceFailure, FailureCode
from ci_judge.model.judging import ERROR_OUTCOMES, JudgeFailure, Outcome, Run, Trial, Usage
from ci_judge.model.reasons import NotRunCode, ReasonCode, ReasonCount
from ci_judge.model.results import Tally
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.renderers.report_schema import report_schema
from ci_judge.rules.gates import decide
from ci_judge.rules.reasons import explained, reason_code

GATE = GateRule(kind=GateKind.RATE, runs=4, threshold=Fraction(1, 2))


def a_run(outcome: Outcome, **changes: object) -> Run:
    return Run(test_id="t", number=1, outcome=outcome, reason="so", **changes)  # type: ignore[arg-type]  # fields of Run


def a_trial(code: FailureCode | None) -> Trial:
    return Trial(
        repetition=1,
        rulings=(),
        failure=None if code is None else JudgeFailure(code=code, message="no"),
        model=None,
        usage=Usage(),
        latency_seconds=0.1,
        requests=1,
    )


def a_failure(code: FailureCode) -> EvidenceFailure:
    return EvidenceFailure(code=code, message="no")


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (a_run("pass"), None),
        (a_run("fail", trials=(a_trial(FailureCode.TIMEOUT),)), None),
        (a_run("target_error", failure=a_failure(FailureCode.TLS)), FailureCode.TLS),
        (a_run("case_error", failure=a_failure(FailureCode.EXITED)), FailureCode.EXITED),
        (
            a_run("judge_error", trials=(a_trial(None), a_trial(FailureCode.REFUSED))),
            FailureCode.REFUSED,
        ),
        (
            a_run("judge_error", failure=a_failure(FailureCode.CHECK_ERROR)),
            FailureCode.CHECK_ERROR,
        ),
        (a_run("judge_error"), FailureCode.INTERNAL),
        (a_run("not_run", not_run_code=NotRunCode.MAXFAIL), NotRunCode.MAXFAIL),
    ],
)
def test_a_run_without_a_verdict_has_one_reason_and_any_other_none(
    run: Run, code: ReasonCode | None
) -> None:
    assert reason_code(run) is code
    assert run_entry(run, max_response_chars=100)["reason_code"] == code


@pytest.mark.parametrize("outcome", sorted(ERROR_OUTCOMES))
def test_no_error_is_without_a_reason(outcome: Outcome) -> None:
    assert reason_code(a_run(outcome)) is not None


def test_the_lists_are_closed_in_the_schema() -> None:
    definitions = report_schema()["$defs"]
    allowed = definitions["RunEntry"]["properties"]["reason_code"]["anyOf"]
    listed = [code for part in allowed for code in part.get("enum", ())]
    assert listed == [*map(str, FailureCode), *map(str, NotRunCode)]
    assert definitions["ReasonCountEntry"]["properties"]["code"]["anyOf"] == allowed[:2]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (NotRunCode.BUDGET, "The budget was spent before it was decided."),
        (FailureCode.BUDGET, "The budget was spent before it was decided."),
        (NotRunCode.ORIGIN_DOWN, "Nobody answered, so no more was sent."),
    ],
)
def test_a_gate_that_is_not_decided_says_what_ended_it(code: ReasonCode, said: str) -> None:
    gate = decide(GATE, Tally(planned=4, passes=1, fails=1, not_run=2))
    told = explained(gate, [ReasonCount(code=code, runs=2)])
    assert told.sentence == f"{gate.sentence} {said}"


def test_a_gate_that_stands_and_one_that_is_open_for_other_reasons_say_nothing_of_it() -> None:
    stands = decide(GATE, Tally(planned=4, passes=2, not_run=2))
    assert explained(stands, [ReasonCount(code=NotRunCode.BUDGET, runs=2)]) is stands
    open_ = decide(GATE, Tally(planned=4, passes=1, fails=1, errors=2))
    assert explained(open_, [ReasonCount(code=FailureCode.TIMEOUT, runs=2)]) is open_


@pytest.mark.parametrize("code", NotRunCode)
def test_why_a_run_was_not_made_is_read_back(code: NotRunCode) -> None:
    run = a_run("not_run", not_run_code=code)
    assert recorded_run(run_entry(run, max_response_chars=100)) == run
