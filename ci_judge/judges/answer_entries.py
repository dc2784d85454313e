"""Answers as JSON for the cache, and back."""

from typing import Any

from ci_judge.model.judging import Answer, Decision, Likelihood, Opinion, Usage


def answer_entry(answer: Answer) -> dict[str, Any]:
    """Write down what an answer says and who gave it. What it cost was paid once."""
    return {
        "opinions": [_opinion_entry(opinion) for opinion in answer.opinions],
        "model": answer.model,
        "request_id": answer.request_id,
    }


def read_answer(entry: Any, *, items: int) -> Answer | None:
    """Read an entry back; None unless it is an answer to a question of so many items."""
    if not isinstance(entry, dict) or not isinstance(entry.get("opinions"), list):
        return None
    read = [_read_opinion(opinion) for opinion in entry["opinions"]]
    opinions = tuple(opinion for opinion in read if opinion is not None)
    if len(opinions) != len(read) or len(opinions) != items:
        return None
    return Answer(
        opinions=opinions,
        model=_text(entry.get("model")),
        usage=Usage(input_tokens=0, output_tokens=0),
        request_id=_text(entry.get("request_id")),
        requests=0,
        cached=True,
    )


def _opinion_entry(opinion: Opinion) -> dict[str, Any]:
    match opinion:
        case Decision(passed=passed, reason=reason):
            return {"pass": passed, "reason": reason}
        case Likelihood(probability=probability, reason=reason):
            return {"p": probability, "reason": reason}


def _read_opinion(entry: Any) -> Opinion | None:
    match entry:
        case {"pass": bool(passed), "reason": str(reason)}:
            return Decision(passed=passed, reason=reason)
        case {"p": int(p) | float(p), "reason": str(reason)} if not isinstance(p, bool):
            return Likelihood(probability=float(p), reason=reason) if 0 <= p <= 1 else None
        case _:
            return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
