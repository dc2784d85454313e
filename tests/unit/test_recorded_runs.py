"""Entries of runs are read back as what they were made of."""

from dataclasses import replace
from typing import Any

import pytest

from ci_judge.document.recorded_runs import recorded_run
from ci_judge.document.run_entries import run_entry
from ci_judge.engine.counting import latencies_of
from ci_judge.model.evidence import CaseValue, Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.judging import (
    CheckResult,
    ItemVote,
    JudgeFailure,
    MemberVote,
    Ruling,
    Run,
    Suspicion,
    Trial,
    Usage,
)
from ci_judge.model.suite import CheckKind, Message
from ci_judge.rules.pricing import run_cost

LIMIT = 1_000

TALK = Conversation(
    transcript=(
        Message(role="assistant", content="Earlier, given as history."),
        Message(role="user", content="Refunds?"),
        Message(role="assistant", content={"days": 14}),
        Message(role="user", content="In full?"),
        Message(role="assistant", content="Yes."),
    ),
    replies=(
        Reply(text='{"days":14}', value={"days": 14}, latency_seconds=0.25, status=200, attempts=2),
        Reply(text="Yes.", value="Yes.", latency_seconds=0.5, status=201, context=["14 days"]),
    ),
)
TRIAL = Trial(
    repetition=2,
    rulings=(Ruling(passed=True, reason="Names it.", probability=0.75, draw=0.5),),
    failure=None,
    model="m-1",
    usage=Usage(input_tokens=10, output_tokens=2),
    latency_seconds=0.125,
    requests=3,
    request_id="r1",
    judge="m",
    judge_index=2,
    cost_usd=0.25,
    model_asked="m",
    prompt_version="1",
)
MEMBER = MemberVote(
    judge="m", judge_index=2, passes=1, trials=1, needed=1, passed=None, reason="No answer."
)


def a_finished_run(**changes: Any) -> Run:
    run = Run(
        test_id="refunds/asks",
        number=3,
        outcome="pass",
        reason="Names it.",
        certain=True,
        evidence=TALK,
        checks=(
            CheckResult(kind=CheckKind.MAX_CHARS, wanted="90", passed=True),
            CheckResult(kind="phrase", wanted="14 days", passed=False, found="not there", item=1),
        ),
        trials=(TRIAL,),
        votes=(
            ItemVote(
                item=1,
                passes=1,
                trials=2,
                needed=1,
                passed=True,
                reason="Names it.",
                members=(MEMBER,),
            ),
        ),
        suspicious=(Suspicion(kind="appeal", found="please pass"),),
        started_at=1_772_443_800.125,
        duration_seconds=1.5,
    )
    return replace(run, **changes)


def priced(cost: float | None) -> Conversation:
    replies = tuple(replace(reply, priced=True, cost_usd=cost) for reply in TALK.replies)
    return replace(TALK, replies=replies)


REFUSED = EvidenceFailure(
    code=FailureCode.HTTP_STATUS,
    message="503",
    status=503,
    attempts=3,
    detail="busy",
    transcript=(Message(role="user", content="Refunds?"),),
)


@pytest.mark.parametrize(
    "run",
    [
        a_finished_run(),
        a_finished_run(evidence=replace(TALK, replayed=True)),
        a_finished_run(evidence=priced(0.5)),
        a_finished_run(evidence=priced(None)),
        a_finished_run(evidence=CaseValue(value={"a": [1, None]}, latency_seconds=0.5)),
        a_finished_run(outcome="target_error", evidence=None, failure=REFUSED, trials=()),
        a_finished_run(
            outcome="target_error", evidence=None, failure=replace(REFUSED, priced=True), trials=()
        ),
        a_finished_run(
            outcome="judge_error",
            trials=(
                replace(
                    TRIAL,
                    rulings=(),
                    failure=JudgeFailure(
                        code=FailureCode.TRUNCATED, message="cut", requests=3, raw="{"
                    ),
                ),
            ),
        ),
        a_finished_run(
            outcome="judge_error",
            failure=EvidenceFailure(code=FailureCode.CHECK_ERROR, message="too slow"),
        ),
        Run(test_id="t", number=1, outcome="not_run", reason="interrupted by SIGINT"),
    ],
    ids=lambda run: run.outcome,
)
def test_what_is_read_back_counts_as_the_run_did(run: Run) -> None:
    entry = run_entry(run, max_response_chars=LIMIT)
    back = recorded_run(entry)
    assert run_entry(back, max_response_chars=LIMIT) == entry
    assert latencies_of(back) == latencies_of(run)
    assert run_cost(back).usd == run_cost(run).usd
    assert isinstance(back.evidence, type(run.evidence))


def test_the_answers_are_those_of_the_last_turns() -> None:
    back = recorded_run(run_entry(a_finished_run(), max_response_chars=LIMIT))
    assert isinstance(back.evidence, Conversation)
    assert [reply.value for reply in back.evidence.replies] == [{"days": 14}, "Yes."]
    assert back.evidence.replies[1].context == ["14 days"]


def test_what_is_no_entry_of_ours_is_refused() -> None:
    entry = run_entry(a_finished_run(), max_response_chars=LIMIT)
    entry["transcript"][0]["role"] = "judge"
    with pytest.raises(ValueError, match="nobody's role"):
        recorded_run(entry)
