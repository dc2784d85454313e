"""What the judges that answer in words share: one prompt, one reply, and two ways to do better.

A server that refuses a part of the request is asked once more without it, which is remembered; a
reply that was cut is asked for once more with twice the room.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ci_judge.judges.asking import Line, Said, ask
from ci_judge.judges.prompt import Prompt, render_prompt
from ci_judge.judges.reply import ReplyProblem, read_reply
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Answer, JudgeFailure, JudgeIdentity, Question, Usage
from ci_judge.visible_text import no_lone_surrogates

_MAX_EXCHANGES = 4  # the first, without schema, with the other limit's name, with twice the room
_REJECTED = frozenset({400, 422})
_ABOUT_SCHEMA = re.compile(
    r"response_format|json_schema|output_config|output_format|structured|schema|grammar",
    re.IGNORECASE,
)
_ABOUT_LIMIT = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """How a question is put: what this server is known to take, and how long the reply may be."""

    max_tokens: int
    with_schema: bool = True
    old_limit_name: bool = False
    doubled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Why a successful answer holds no words to read."""

    code: FailureCode
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The words of a reply, or why there are none."""

    words: str | Silence
    usage: Usage


class Dialect(Protocol):
    """One provider's wire: what a question and an answer look like."""

    def body(self, prompt: Prompt, mode: Mode) -> dict[str, Any]: ...

    def heard(self, said: Said) -> Heard: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What the settings say about asking, and the source of fresh random marks."""

    max_tokens: int
    instructions: str | None
    nonce: Callable[[], str]


class ChatJudge:
    """A model that answers with pass or fail and a reason."""

    def __init__(
        self, *, identity: JudgeIdentity, dialect: Dialect, line: Line, manner: Manner
    ) -> None:
        self._identity = identity
        self._dialect = dialect
        self._line = line
        self._manner = manner
        self._mode = Mode(max_tokens=manner.max_tokens)

    @property
    def identity(self) -> JudgeIdentity:
        return self._identity

    async def judge(self, question: Question) -> Answer | JudgeFailure:
        """Ask until the server understands the question; at most four requests but for retries."""
        prompt = render_prompt(
            question, instructions=self._manner.instructions, nonce=self._manner.nonce
        )
        mode, requests, usage = self._mode, 0, Usage(input_tokens=0, output_tokens=0)
        outcome: Answer | JudgeFailure
        for _ in range(_MAX_EXCHANGES):
            outcome = await self._exchange(prompt, mode)
            requests += outcome.requests
            usage = _sum(usage, outcome.usage)
            better = self._better(mode, outcome)
            if better is None:
                break
            mode = better
        return replace(outcome, requests=requests, usage=usage)

    async def _exchange(self, prompt: Prompt, mode: Mode) -> Answer | JudgeFailure:
        said = await ask(self._line, self._dialect.body(prompt, mode))
        if isinstance(said, JudgeFailure):
            free = Usage(input_tokens=0, output_tokens=0)
            return replace(said, usage=free, message=self._advised(said))
        heard = self._dialect.heard(said)
        if isinstance(heard.words, Silence):
            return _failure(heard.words.code, heard.words.message, said, heard)
        decisions = read_reply(heard.words, items=prompt.items)
        if isinstance(decisions, ReplyProblem):
            return _failure(FailureCode.UNREADABLE_VERDICT, decisions.message, said, heard)
        return Answer(
            opinions=decisions,
            model=said.model,
            usage=heard.usage,
            latency_seconds=said.reply.latency_seconds,
            request_id=said.request_id,
            requests=said.reply.attempts,
            raw=no_lone_surrogates(heard.words),
        )

    def _better(self, mode: Mode, outcome: Answer | JudgeFailure) -> Mode | None:
        """Return another way to put the same question, None when there is none to try."""
        if not isinstance(outcome, JudgeFailure):
            return None
        if outcome.code is FailureCode.TRUNCATED and not mode.doubled:
            return replace(mode, max_tokens=2 * mode.max_tokens, doubled=True)
        if outcome.status not in _REJECTED:
            return None
        simpler = _simpler(mode, outcome.message)
        if simpler is not None:
            self._mode = replace(simpler, max_tokens=self._manner.max_tokens, doubled=False)
        return simpler

    def _advised(self, failure: JudgeFailure) -> str:
        about = failure.status in _REJECTED and "temperature" in failure.message.lower()
        if about and self._identity.temperature is not None:
            return f"{failure.message} (unset judge.temperature for this model)"
        return failure.message


def _simpler(mode: Mode, complaint: str) -> Mode | None:
    if not mode.old_limit_name and _ABOUT_LIMIT.search(complaint):
        return replace(mode, old_limit_name=True)
    if mode.with_schema and _ABOUT_SCHEMA.search(complaint):
        return replace(mode, with_schema=False)
    return None


def _failure(code: FailureCode, message: str, said: Said, heard: Heard) -> JudgeFailure:
    words = heard.words if isinstance(heard.words, str) else said.reply.text()
    return JudgeFailure(
        code=code,
        message=message,
        status=said.reply.status,
        requests=said.reply.attempts,
        usage=heard.usage,
        raw=no_lone_surrogates(words[:20_000]),
    )


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=_plus(one.input_tokens, other.input_tokens),
        output_tokens=_plus(one.output_tokens, other.output_tokens),
    )


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
