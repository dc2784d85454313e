"""The verdicts of one run as entries of the verdict log: one a trial."""

import hashlib
import json
from collections.abc import Iterator, Sequence

from ci_judge.document.run_entries import iso_time, ruling_entries
from ci_judge.model.document import VerdictEntry, VerdictErrorEntry
from ci_judge.model.evidence import CaseValue, Conversation, Evidence
from ci_judge.model.judging import JudgeFailure, JudgeIdentity, Run, Trial

NOT_SENT = "not sent"


def verdict_entries(run: Run, judges: Sequence[JudgeIdentity]) -> Iterator[VerdictEntry]:
    """Yield an entry for each trial of a run; ``judges`` are those of the bench, in order."""
    response = _response_digest(run)
    for trial in run.trials:
        judge = judges[trial.judge_index - 1]
        failure = trial.failure
        yield {
            "time": iso_time(run.started_at + run.duration_seconds),
            "test": run.test_id,
            "run": run.number,
            "trial": trial.repetition,
            "judge_index": trial.judge_index,
            "provider": judge.provider,
            "model": judge.model,
            "model_answered": trial.model,
            "prompt_version": judge.prompt_version,
            "temperature": NOT_SENT if judge.temperature is None else judge.temperature,
            "verdict": _verdict(trial),
            "rulings": ruling_entries(trial),
            "error": None if failure is None else _error(failure),
            "cached": trial.cached,
            "input_tokens": trial.usage.input_tokens,
            "output_tokens": trial.usage.output_tokens,
            "requests": trial.requests,
            "request_id": trial.request_id,
            "response_sha256": response,
            "raw": trial.raw if failure is None else failure.raw,
        }


def _verdict(trial: Trial) -> bool | None:
    """Tell whether every item passed; an error is no verdict."""
    return None if trial.failure else all(ruling.passed for ruling in trial.rulings)


def _error(failure: JudgeFailure) -> VerdictErrorEntry:
    return {"code": failure.code.value, "message": failure.message, "status": failure.status}


def _response(evidence: Evidence) -> str:
    match evidence:
        case Conversation():
            return evidence.response
        case CaseValue(value=value):
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _response_digest(run: Run) -> str | None:
    """Digest what was judged: the last answer's text, or a case's evidence as JSON."""
    if run.evidence is None:
        return None
    text = _response(run.evidence)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
