"""How likely a verdict is ``true``, out of the log-probabilities of the tokens it was written in.

At the place where a verdict's ``true`` or ``false`` begins, the server lists the token it chose and
the likeliest others. Those that lead to ``true`` against those that lead to ``false`` give the
likelihood; whatever leads to neither (another space, a line end) is left out.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ci_judge.model.judging import Decision, Likelihood

_VERDICT = re.compile(rb'"pass"\s*:\s*(true|false)')
_UP_TO_THE_WORD = re.compile(rb'"pass"\s*:\s*')
_LARGEST = 1e-3  # of a logarithm that was rounded; a likelihood is never above 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelihoodProblem:
    """Why there is no likelihood, in one sentence."""

    message: str


class _NoLikelihood(Exception):
    """Says why there is no likelihood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    text: bytes
    likelihood: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """A token of the reply with where it begins, and the tokens that could have been there."""

    start: int
    token: _Token
    candidates: tuple[_Token, ...]


def read_likelihoods(
    choice: dict[str, Any], decisions: Sequence[Decision]
) -> tuple[Likelihood, ...] | LikelihoodProblem:
    """Return one likelihood a decision, in order, out of a chat completion's choice.

    A decision's reason is kept where it speaks for the likelier side.
    """
    try:
        chosen = tuple(_chosen(choice))
        return _likelihoods(chosen, decisions)
    except _NoLikelihood as problem:
        return LikelihoodProblem(message=str(problem))


def _chosen(choice: dict[str, Any]) -> Iterator[_Chosen]:
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list) or not content:
        raise _NoLikelihood(
            "the reply holds no log-probabilities, which judge.logprobs asks for"
            " (a server or model that gives none can judge without judge.logprobs)"
        )
    start = 0
    for entry in content:
        token = _token(entry)
        others = entry.get("top_logprobs")
        listed = [_token(other) for other in others] if isinstance(others, list) else []
        candidates = {candidate.text: candidate for candidate in (*listed, token)}
        yield _Chosen(start=start, token=token, candidates=tuple(candidates.values()))
        start += len(token.text)


def _token(entry: Any) -> _Token:
    text = entry.get("token") if isinstance(entry, dict) else None
    if not isinstance(text, str):
        raise _NoLikelihood("the reply's log-probabilities hold a token without a text")
    logprob = entry.get("logprob")
    number = isinstance(logprob, int | float) and not isinstance(logprob, bool)
    if not number or logprob > _LARGEST:
        raise _NoLikelihood("the reply holds a log-probability that is none")
    return _Token(text=_bytes(entry.get("bytes"), text), likelihood=math.exp(min(logprob, 0.0)))


def _bytes(listed: Any, text: str) -> bytes:
    """Return a token's bytes: a token may be half a character, which its text cannot show."""
    if isinstance(listed, list):
        try:
            return bytes(listed)
        except (TypeError, ValueError):
            pass
    return text.encode("utf-8", "replace")


def _likelihoods(
    chosen: Sequence[_Chosen], decisions: Sequence[Decision]
) -> tuple[Likelihood, ...]:
    written = b"".join(each.token.text for each in chosen)
    verdicts = list(_VERDICT.finditer(written))
    words = [verdict[1] == b"true" for verdict in verdicts]
    if words != [decision.passed for decision in decisions]:
        raise _NoLikelihood("the log-probabilities do not belong to the reply's verdict")
    return tuple(
        _likelihood(written, verdict, chosen, decision)
        for verdict, decision in zip(verdicts, decisions, strict=True)
    )


def _likelihood(
    written: bytes, verdict: re.Match[bytes], chosen: Sequence[_Chosen], decision: Decision
) -> Likelihood:
    place = next(each for each in reversed(chosen) if each.start <= verdict.start(1))
    before = written[: place.start]
    weights = {b"true": 0.0, b"false": 0.0}
    for candidate in place.candidates:
        word = _led_to(before + candidate.text, verdict.start())
        if word is not None:
            weights[word] += candidate.likelihood
    total = sum(weights.values())
    if not total:
        raise _NoLikelihood("the log-probabilities of the verdict are all zero")
    p = weights[b"true"] / total
    agrees = decision.passed == (p >= 0.5)  # noqa: PLR2004 - the likelier side
    return Likelihood(probability=p, reason=decision.reason if agrees else "")


def _led_to(written: bytes, verdict_start: int) -> bytes | None:
    """Return the word that a text is about to say at the verdict's place, None for neither."""
    key = _UP_TO_THE_WORD.match(written, verdict_start)
    rest = written[key.end() :] if key else b""
    words = (b"true", b"false")
    return next((w for w in words if rest and (rest.startswith(w) or w.startswith(rest))), None)
