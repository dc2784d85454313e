"""One run as an entry of the report: one line of the ledger."""

import json
from datetime import UTC, datetime

from ci_judge.model.document import (
    CapturedEntry,
    CheckEntry,
    FailureEntry,
    MemberVoteEntry,
    MessageEntry,
    ReplyEntry,
    RulingEntry,
    RunEntry,
    TrialEntry,
    VoteEntry,
)
from ci_judge.model.evidence import CaseValue, Conversation, EvidenceFailure
from ci_judge.model.judging import CheckResult, ItemVote, JudgeFailure, MemberVote, Run, Trial
from ci_judge.model.suite import JsonValue, Message
from ci_judge.rules.pricing import run_cost
from ci_judge.rules.reasons import reason_code

REASON_CHARS = 2_000
DETAIL_CHARS = 10_000
USD_DIGITS = 10


def run_entry(run: Run, *, max_response_chars: int) -> RunEntry:
    """One run as an entry; what is longer than ``max_response_chars`` is cut and counted."""
    cutter, cost = _Cutter(max_response_chars), run_cost(run)
    return {
        "test": run.test_id,
        "number": run.number,
        "outcome": run.outcome,
        "reason": _Cutter(REASON_CHARS).text(run.reason),
        "reason_code": reason_code(run),
        "certain": run.certain,
        "started": iso_time(run.started_at),
        "duration_seconds": round(run.duration_seconds, 6),
        "latency_seconds": _latency(run),
        "first_token_seconds": _first_token(run),
        "trace_id": _trace_id(run),
        "cost_usd": usd(cost.usd),
        "target_cost_usd": usd(cost.target) if cost.priced else None,
        "replayed": isinstance(run.evidence, Conversation) and run.evidence.replayed,
        "response": _response(run, max_response_chars),
        "evidence": cutter.value(run.evidence.value)
        if isinstance(run.evidence, CaseValue)
        else None,
        "transcript": [_message(message, cutter) for message in _transcript(run)],
        "captured": _captured(run, cutter),
        "replies": _replies(run),
        "cut_chars": cutter.cut_chars,
        "redacted": False,
        "checks": [_check(result) for result in run.checks],
        "trials": [_trial(trial) for trial in run.trials],
        "votes": [_vote(vote) for vote in run.votes],
        "suspicious": [{"kind": each.kind, "found": each.found} for each in run.suspicious],
        "failure": _failure(run.failure),
    }


def iso_time(seconds: float) -> str:
    """Seconds since the epoch as UTC ISO 8601 with milliseconds."""
    moment = datetime.fromtimestamp(seconds, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def iso_seconds(text: str) -> float:
    """Read such a time back. Raises ValueError."""
    return datetime.fromisoformat(text).timestamp()


def usd(amount: float | None) -> float | None:
    """Round money so far that no token gets lost; unknown stays None."""
    return None if amount is None else round(amount, USD_DIGITS)


class _Cutter:
    """Shortens long texts of one run and counts the characters that it took."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.cut_chars = 0

    def text(self, text: str) -> str:
        extra = len(text) - self._limit
        if extra <= 0:
            return text
        self.cut_chars += extra
        return f"{text[: self._limit]}… [{extra} more characters]"

    def value(self, value: JsonValue) -> JsonValue:
        """Give a JSON value, or where it is too long the beginning of its text."""
        if isinstance(value, str):
            return self.text(value)
        text = json.dumps(value, ensure_ascii=False)
        return value if len(text) <= self._limit else self.text(text)


def _response(run: Run, limit: int) -> str | None:
    """Give the last answer; in the transcript, where it stands too, its cut is counted."""
    if not isinstance(run.evidence, Conversation):
        return None
    return _Cutter(limit).text(run.evidence.response)


def _transcript(run: Run) -> tuple[Message, ...]:
    if isinstance(run.evidence, Conversation):
        return run.evidence.transcript
    return run.failure.transcript if run.failure else ()


def _captured(run: Run, cutter: _Cutter) -> list[CapturedEntry]:
    replies = run.evidence.replies if isinstance(run.evidence, Conversation) else ()
    return [
        {
            "turn": turn,
            "context": cutter.value(reply.context),
            "tools": cutter.value(reply.tools),
        }
        for turn, reply in enumerate(replies, start=1)
        if reply.context is not None or reply.tools is not None
    ]


def _replies(run: Run) -> list[ReplyEntry]:
    replies = run.evidence.replies if isinstance(run.evidence, Conversation) else ()
    return [
        {
            "turn": turn,
            "status": reply.status,
            "requests": reply.attempts,
            "latency_seconds": _seconds(reply.latency_seconds),
            "first_token_seconds": None
            if reply.first_token_seconds is None
            else _seconds(reply.first_token_seconds),
            "cost_usd": usd(reply.cost_usd),
        }
        for turn, reply in enumerate(replies, start=1)
    ]


def _latency(run: Run) -> float | None:
    match run.evidence:
        case Conversation(replies=replies):
            return round(max(reply.latency_seconds for reply in replies), 6)
        case CaseValue(latency_seconds=seconds):
            return round(seconds, 6)
        case None:
            return None


def _first_token(run: Run) -> float | None:
    replies = run.evidence.replies if isinstance(run.evidence, Conversation) else ()
    waits = [reply.first_token_seconds for reply in replies]
    return max((_seconds(wait) for wait in waits if wait is not None), default=None)


def _seconds(exact: float) -> float:
    return round(exact, 6)


def _trace_id(run: Run) -> str | None:
    if isinstance(run.evidence, Conversation):
        return run.evidence.trace_id
    return run.failure.trace_id if run.failure else None


def _message(message: Message, cutter: _Cutter) -> MessageEntry:
    return {"role": message.role, "content": cutter.value(message.content)}


def _check(result: CheckResult) -> CheckEntry:
    return {
        "kind": str(result.kind),
        "wanted": result.wanted,
        "passed": result.passed,
        "found": _Cutter(REASON_CHARS).text(result.found),
        "item": result.item,
        "inside": result.inside,
    }


def ruling_entries(trial: Trial) -> list[RulingEntry]:
    """Make an entry of what a trial says of each item."""
    return [
        RulingEntry(
            item=item,
            passed=ruling.passed,
            reason=_Cutter(REASON_CHARS).text(ruling.reason),
            probability=ruling.probability,
            draw=ruling.draw,
        )
        for item, ruling in enumerate(trial.rulings, start=1)
    ]


def _trial(trial: Trial) -> TrialEntry:
    return {
        "judge": trial.judge,
        "judge_index": trial.judge_index,
        "repetition": trial.repetition,
        "rulings": ruling_entries(trial),
        "failure": _failure(trial.failure),
        "model": trial.model,
        "model_asked": trial.model_asked,
        "prompt_version": trial.prompt_version,
        "input_tokens": trial.usage.input_tokens,
        "output_tokens": trial.usage.output_tokens,
        "latency_seconds": round(trial.latency_seconds, 6),
        "requests": trial.requests,
        "request_id": trial.request_id,
        "cached": trial.cached,
        "cost_usd": usd(trial.cost_usd),
    }


def _vote(vote: ItemVote) -> VoteEntry:
    return {
        "item": vote.item,
        "passes": vote.passes,
        "trials": vote.trials,
        "needed": vote.needed,
        "passed": vote.passed,
        "reason": _Cutter(REASON_CHARS).text(vote.reason),
        "members": [_member_vote(member) for member in vote.members],
    }


def _member_vote(vote: MemberVote) -> MemberVoteEntry:
    return {
        "judge": vote.judge,
        "judge_index": vote.judge_index,
        "passes": vote.passes,
        "trials": vote.trials,
        "needed": vote.needed,
        "passed": vote.passed,
        "reason": _Cutter(REASON_CHARS).text(vote.reason),
    }


def _failure(failure: EvidenceFailure | JudgeFailure | None) -> FailureEntry | None:
    if failure is None:
        return None
    if isinstance(failure, EvidenceFailure):
        attempts, detail = failure.attempts, failure.detail
    else:
        attempts, detail = failure.requests, failure.raw
    return {
        "code": failure.code.value,
        "message": _Cutter(REASON_CHARS).text(failure.message),
        "status": failure.status,
        "attempts": attempts,
        "detail": _Cutter(DETAIL_CHARS).text(detail),
    }
