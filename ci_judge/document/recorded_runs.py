"""Reads entries of runs back: for a run that goes on, and for another judge over old evidence."""

import json
from collections.abc import Iterator

from ci_judge.document.run_entries import iso_seconds
from ci_judge.model.document import (
    CapturedEntry,
    CheckEntry,
    FailureEntry,
    MemberVoteEntry,
    MessageEntry,
    RulingEntry,
    RunEntry,
    TrialEntry,
    VoteEntry,
)
from ci_judge.model.evidence import (
    CaseValue,
    Conversation,
    Evidence,
    EvidenceFailure,
    FailureCode,
    Reply,
)
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
from ci_judge.model.reasons import NotRunCode
from ci_judge.model.suite import CheckKind, JsonValue, Message
from ci_judge.rules.pricing import total


def recorded_run(entry: RunEntry) -> Run:
    """Give the run that an entry was made of, as far as it was kept.

    Texts are as they were written down: without secrets, and cut where they were too long
    (``cut_chars``). Raises KeyError, TypeError or ValueError for what is no entry of ours.
    """
    return Run(
        test_id=entry["test"],
        number=entry["number"],
        outcome=entry["outcome"],
        reason=entry["reason"],
        not_run_code=_not_run_code(entry),
        certain=entry["certain"],
        evidence=recorded_evidence(entry),
        failure=_evidence_failure(entry),
        checks=tuple(map(_check, entry["checks"])),
        trials=tuple(map(_trial, entry["trials"])),
        votes=tuple(map(_vote, entry["votes"])),
        suspicious=tuple(
            Suspicion(kind=each["kind"], found=each["found"]) for each in entry["suspicious"]
        ),
        started_at=iso_seconds(entry["started"]),
        duration_seconds=entry["duration_seconds"],
    )


def _not_run_code(entry: RunEntry) -> NotRunCode | None:
    code = entry["reason_code"]
    return NotRunCode(code) if entry["outcome"] == "not_run" and code is not None else None


def recorded_evidence(entry: RunEntry) -> Evidence | None:
    """Give what the run brought back, None where it brought nothing."""
    if entry["response"] is not None:
        return Conversation(
            transcript=tuple(map(_message, entry["transcript"])),
            replies=tuple(_replies(entry)),
            replayed=entry["replayed"],
            trace_id=entry["trace_id"],
        )
    if entry["outcome"] in {"target_error", "case_error", "not_run"}:
        return None
    return CaseValue(value=entry["evidence"], latency_seconds=entry["latency_seconds"] or 0.0)


def _replies(entry: RunEntry) -> Iterator[Reply]:
    """Take the answers, which close the transcript, turn by turn."""
    told = {each["turn"]: each for each in entry["captured"]}
    answers = [each["content"] for each in entry["transcript"] if each["role"] == "assistant"]
    own = answers[-len(entry["replies"]) :]
    for content, reply in zip(own, entry["replies"], strict=True):
        captured: CapturedEntry | None = told.get(reply["turn"])
        yield Reply(
            text=_text(content),
            value=content,
            latency_seconds=reply["latency_seconds"],
            status=reply["status"],
            attempts=reply["requests"],
            priced=_is_priced(entry),
            cost_usd=reply["cost_usd"],
            context=captured["context"] if captured else None,
            tools=captured["tools"] if captured else None,
            first_token_seconds=reply["first_token_seconds"],
        )


def _is_priced(entry: RunEntry) -> bool:
    """Tell whether answers had a price: it is known, or it is what is not known of the cost."""
    judged = total(trial["cost_usd"] for trial in entry["trials"])
    unknown = entry["cost_usd"] is None and judged is not None
    return unknown or entry["target_cost_usd"] is not None


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _message(entry: MessageEntry) -> Message:
    role = entry["role"]
    if role not in {"user", "assistant", "system"}:
        raise ValueError(f"{role!r} is nobody's role in a conversation")
    return Message(role=role, content=entry["content"])  # type: ignore[arg-type]


def _evidence_failure(entry: RunEntry) -> EvidenceFailure | None:
    failure = entry["failure"]
    if failure is None:
        return None
    return EvidenceFailure(
        code=FailureCode(failure["code"]),
        message=failure["message"],
        status=failure["status"],
        attempts=failure["attempts"],
        detail=failure["detail"],
        transcript=_said_before(entry),
        priced=_is_priced(entry),
        trace_id=entry["trace_id"],
    )


def _said_before(entry: RunEntry) -> tuple[Message, ...]:
    """Give what was said before there was no answer; with an answer the evidence holds it."""
    return () if entry["response"] is not None else tuple(map(_message, entry["transcript"]))


def _judge_failure(failure: FailureEntry, trial: TrialEntry) -> JudgeFailure:
    return JudgeFailure(
        code=FailureCode(failure["code"]),
        message=failure["message"],
        status=failure["status"],
        requests=failure["attempts"],
        usage=_usage(trial),
        raw=failure["detail"],
    )


def _usage(trial: TrialEntry) -> Usage:
    return Usage(input_tokens=trial["input_tokens"], output_tokens=trial["output_tokens"])


def _trial(entry: TrialEntry) -> Trial:
    failure = entry["failure"]
    return Trial(
        repetition=entry["repetition"],
        rulings=tuple(map(_ruling, entry["rulings"])),
        failure=None if failure is None else _judge_failure(failure, entry),
        model=entry["model"],
        usage=_usage(entry),
        latency_seconds=entry["latency_seconds"],
        requests=entry["requests"],
        request_id=entry["request_id"],
        judge=entry["judge"],
        judge_index=entry["judge_index"],
        cached=entry["cached"],
        cost_usd=entry["cost_usd"],
        model_asked=entry["model_asked"],
        prompt_version=entry["prompt_version"],
    )


def _ruling(entry: RulingEntry) -> Ruling:
    return Ruling(
        passed=entry["passed"],
        reason=entry["reason"],
        probability=entry["probability"],
        draw=entry["draw"],
    )


def _check(entry: CheckEntry) -> CheckResult:
    return CheckResult(
        kind="phrase" if entry["kind"] == "phrase" else CheckKind(entry["kind"]),
        wanted=entry["wanted"],
        passed=entry["passed"],
        found=entry["found"],
        item=entry["item"],
        inside=entry["inside"],
    )


def _vote(entry: VoteEntry) -> ItemVote:
    return ItemVote(
        item=entry["item"],
        passes=entry["passes"],
        trials=entry["trials"],
        needed=entry["needed"],
        passed=entry["passed"],
        reason=entry["reason"],
        members=tuple(map(_member_vote, entry["members"])),
    )


def _member_vote(entry: MemberVoteEntry) -> MemberVote:
    return MemberVote(
        judge=entry["judge"],
        judge_index=entry["judge_index"],
        passes=entry["passes"],
        trials=entry["trials"],
        needed=entry["needed"],
        passed=entry["passed"],
        reason=entry["reason"],
    )
