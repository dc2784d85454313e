"""A look at a judge before anything is spent: that it is there, takes the key, has the model.

One cheap request: what the server shows of the model, or a tiny question where nothing tells of
models for certain. Only a plain answer counts. A server that does not know such requests, or is
busy, is left to show itself when it is asked to judge.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ci_judge.errors import CannotStart, InvalidInput, Problem
from ci_judge.judges.asking import Said, look
from ci_judge.judges.keys import find_key, key_variable
from ci_judge.judges.parts import JudgeParts
from ci_judge.judges.settings import JudgeSettings
from ci_judge.judges.tariffs import tariff_of
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Answer, CaseQuestion, JudgeFailure, Usage
from ci_judge.rules.pricing import requests_cost, total
from ci_judge.transport import Transport

_Outcome = Said | Answer | JudgeFailure

_NO_TOKENS = Usage(input_tokens=0, output_tokens=0)
_LONGEST_SECONDS = 15.0
_FURTHER_TRIES = 2
_TINY = CaseQuestion(requirement="The sum is 2.", evidence={"sum": 2})
_NOT_ANSWERED = frozenset({FailureCode.CONNECTION_REFUSED, FailureCode.NAME_NOT_FOUND})
_UNREACHABLE = _NOT_ANSWERED | {FailureCode.TLS, FailureCode.TIMEOUT}
_KEY_REFUSED = frozenset({401, 403})
_MODEL_REFUSED = frozenset({400, 404, 422})
_FINAL = _MODEL_REFUSED | {405}
_ASKED_A_QUESTION = frozenset({"systemone"})
# A key may be allowed to judge and not to look at models, which is answered with 403.
_ABOUT_SCOPE = re.compile(r"\bscopes?\b|insufficient permissions", re.IGNORECASE)
_OFF = "judge.preflight: false leaves this look out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What the look at all judges cost. Where no question was asked there were no tokens."""

    requests: int = 0
    usage: Usage = _NO_TOKENS
    cost_usd: float | None = 0.0


async def preflight(
    judges: Sequence[JudgeSettings], *, transport: Transport, environment: Mapping[str, str]
) -> Looked:
    """Look at every judge at once.

    Raises InvalidInput for keys and models that are refused, else CannotStart for judges that are
    not there; with every problem, one line each.
    """
    different = {_place(judge): judge for judge in judges if judge.preflight}
    looked = await asyncio.gather(
        *(_look_at(judge, transport, environment) for judge in different.values())
    )
    problems = tuple(dict.fromkeys(p for each in looked for p in each.problems))
    if problems:
        refused = any(each.refused for each in looked)
        raise (InvalidInput if refused else CannotStart)(*problems)
    return Looked(
        requests=sum(each.requests for each in looked),
        usage=Usage(
            input_tokens=_total([each.usage.input_tokens for each in looked]),
            output_tokens=_total([each.usage.output_tokens for each in looked]),
        ),
        cost_usd=total(each.cost_usd for each in looked),
    )


def looks(judges: Sequence[JudgeSettings]) -> int:
    """Count the requests of a look at them, when all goes well."""
    asked = (judge for judge in judges if judge.preflight and judge.provider in _LOOKS)
    return len({_place(judge) for judge in asked})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """The look at one judge. ``refused`` tells a wrong key or model from a judge out of reach."""

    requests: int = 0
    usage: Usage = _NO_TOKENS
    cost_usd: float | None = 0.0
    problems: tuple[Problem, ...] = ()
    refused: bool = False


def _place(judge: JudgeSettings) -> tuple[str | None, ...]:
    """Tell apart what has to be looked at by itself."""
    return (judge.provider, judge.base_url, judge.api_key, judge.api_key_env, judge.model)


async def _look_at(
    judge: JudgeSettings, transport: Transport, environment: Mapping[str, str]
) -> _Look:
    ask = _LOOKS.get(judge.provider)
    if ask is None:
        return _Look()
    quick = judge.model_copy(update={"timeout": min(judge.timeout, _LONGEST_SECONDS), "retries": 0})
    parts = JudgeParts(
        settings=quick,
        transport=transport,
        key=find_key(judge, environment),
        nonce=lambda: "",
    )
    outcome = await ask(parts)
    if _nobody_answered(outcome) and judge.retries:
        # Nothing was spent, and a moment later somebody may be there.
        patient = quick.model_copy(update={"retries": min(judge.retries, _FURTHER_TRIES)})
        outcome = await ask(replace(parts, settings=patient))
    return _told(parts, outcome)


def _nobody_answered(outcome: _Outcome) -> bool:
    return isinstance(outcome, JudgeFailure) and outcome.code in _NOT_ANSWERED


def _told(parts: JudgeParts, outcome: _Outcome) -> _Look:
    """Make of an answer what it says about the judge; most failures say nothing for certain."""
    if isinstance(outcome, Said):
        return _Look(requests=outcome.reply.attempts)
    if isinstance(outcome, Answer):
        price = tariff_of(parts.settings).of(outcome.model, parts.settings.model)
        cost = requests_cost(outcome.requests, outcome.usage, price)
        return _Look(requests=outcome.requests, usage=outcome.usage, cost_usd=cost)
    if outcome.code in _UNREACHABLE:
        problem = Problem(message=outcome.message, hint=_OFF)
        return _Look(requests=outcome.requests, problems=(problem,))
    refused = _refused(parts, outcome)
    if refused is None:
        return _Look(requests=outcome.requests)
    said = f"the judge '{parts.settings.provider}' {refused}: {outcome.message}"
    problem = Problem(message=said, hint=_OFF)
    return _Look(requests=outcome.requests, problems=(problem,), refused=True)


def _refused(parts: JudgeParts, failure: JudgeFailure) -> str | None:
    """Say what a final answer refuses, None where it could have other reasons."""
    judge = parts.settings
    if failure.status in _KEY_REFUSED and not _ABOUT_SCOPE.search(failure.message):
        source = "judge.api_key" if judge.api_key else key_variable(judge)
        return f"does not take the key in {source}" if parts.key else f"needs a key in {source}"
    model = judge.asked_model
    if failure.status in _MODEL_REFUSED and model and _names(model, failure.message):
        return f"has no model '{model}'"
    if failure.status in _FINAL and judge.provider in _ASKED_A_QUESTION:
        return "does not answer questions there"
    return None


def _names(model: str, message: str) -> bool:
    """Tell whether words are about a model, and do not only repeat the path that was asked for."""
    return bool(re.search(rf"(?<![\w./-]){re.escape(model)}(?![\w-]|\.\w)", message, re.IGNORECASE))


def _total(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


async def _look_at_openai(parts: JudgeParts) -> _Outcome:
    from ci_judge.judges.openai import openai_model_line  # noqa: PLC0415 - loads when used

    return await look(openai_model_line(parts))


async def _look_at_anthropic(parts: JudgeParts) -> _Outcome:
    from ci_judge.judges.anthropic import anthropic_model_line  # noqa: PLC0415 - likewise

    return await look(anthropic_model_line(parts))


async def _ask_systemone(parts: JudgeParts) -> _Outcome:
    from ci_judge.judges.systemone import build_systemone  # noqa: PLC0415 - likewise

    return await build_systemone(parts).judge(_TINY)


_LOOKS: dict[str, Callable[[JudgeParts], Awaitable[_Outcome]]] = {
    "anthropic": _look_at_anthropic,
    "openai": _look_at_openai,
    "systemone": _ask_systemone,
}
