"""One letter to a model that answers in words, and two ways to do better.

A server that refuses a part of the request is asked once more without it, which is remembered; a
reply that was cut is asked for once more with twice the room.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from ci_judge.judges.asking import Line, Said, ask
from ci_judge.judges.habits import Habit
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import JudgeFailure, Usage
from ci_judge.visible_text import no_lone_surrogates

T = TypeVar("T")

_MAX_EXCHANGES = 4  # the first, without schema, with the other limit's name, with twice the room
_REJECTED = frozenset({400, 422})
_ABOUT_SCHEMA = re.compile(
    r"response_format|json_schema|output_config|output_format|structured|schema|grammar",
    re.IGNORECASE,
)
_ABOUT_LIMIT = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)
_KEPT_CHARS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyForm:
    """The form that a reply is held to, by a server that can be: a name and a JSON Schema."""

    name: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What a model is sent, and the form in which it has to answer."""

    system: str
    user: str
    form: ReplyForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """How a letter is put: what this server is known to take, and how long the reply may be."""

    max_tokens: int
    with_schema: bool = True
    old_limit_name: bool = False
    doubled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Why a successful answer holds nothing that can be used."""

    code: FailureCode
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The words of a reply, or why there are none."""

    words: str | Silence
    usage: Usage


class Dialect(Protocol):
    """One provider's wire: what a letter and an answer look like."""

    def body(self, letter: Letter, mode: Mode) -> dict[str, Any]: ...

    def heard(self, said: Said) -> Heard: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood(Generic[T]):
    """A reply that was read: ``value`` out of ``words``. Requests and tokens are those of all."""

    value: T
    words: str
    said: Said
    requests: int
    usage: Usage


Reader: TypeAlias = Callable[[str, Said], T | Silence]
"""(words, answer) -> what they mean, or why they mean nothing."""


class ChatWire:
    """The way to one model behind one address."""

    def __init__(self, *, dialect: Dialect, line: Line, habit: Habit, max_tokens: int) -> None:
        self.line = line
        self._dialect = dialect
        self._habit = habit
        self._first = Mode(max_tokens=max_tokens)

    def first_body(self, letter: Letter) -> dict[str, Any]:
        """Give the letter as it is put at first, whatever the server turns out not to take."""
        return self._dialect.body(letter, self._first)

    async def put(self, letter: Letter, read: Reader[T]) -> Understood[T] | JudgeFailure:
        """Ask until the server understands the letter; at most four requests but for retries."""
        mode = self._usual(self._first)
        requests, usage = 0, Usage(input_tokens=0, output_tokens=0)
        outcome: Understood[T] | JudgeFailure
        for _ in range(_MAX_EXCHANGES):
            outcome = await self._exchange(letter, mode, read)
            requests += outcome.requests
            usage = _sum(usage, outcome.usage)
            better = self._better(mode, outcome)
            if better is None:
                break
            mode = better
        return replace(outcome, requests=requests, usage=usage)

    async def _exchange(
        self, letter: Letter, mode: Mode, read: Reader[T]
    ) -> Understood[T] | JudgeFailure:
        body = self._dialect.body(letter, mode)
        said = await ask(self.line, body)
        if isinstance(said, JudgeFailure):
            free = Usage(input_tokens=0, output_tokens=0)
            return replace(said, usage=free, message=self._advised(said, body))
        heard = self._dialect.heard(said)
        if isinstance(heard.words, Silence):
            return _failure(heard.words, said, heard)
        value = read(heard.words, said)
        if isinstance(value, Silence):
            return _failure(value, said, heard)
        return Understood(
            value=value,
            words=heard.words,
            said=said,
            requests=said.reply.attempts,
            usage=heard.usage,
        )

    def _better(self, mode: Mode, outcome: Understood[T] | JudgeFailure) -> Mode | None:
        """Return another way to put the same letter, None when there is none to try."""
        if not isinstance(outcome, JudgeFailure):
            return None
        if outcome.code is FailureCode.TRUNCATED and not mode.doubled:
            return replace(mode, max_tokens=2 * mode.max_tokens, doubled=True)
        if outcome.status in _REJECTED and self._learnt(mode, outcome.message):
            return self._usual(mode)
        return None

    def _usual(self, mode: Mode) -> Mode:
        """Leave out of a mode what the server is known to refuse."""
        habit = self._habit
        return replace(mode, with_schema=habit.with_schema, old_limit_name=habit.old_limit_name)

    def _learnt(self, mode: Mode, complaint: str) -> bool:
        """Remember what a server complains about, True when there is a way around it."""
        if not mode.old_limit_name and _ABOUT_LIMIT.search(complaint):
            self._habit.use_old_limit_name()
            return True
        if mode.with_schema and _ABOUT_SCHEMA.search(complaint):
            self._habit.forgo_schema()
            return True
        return False

    def _advised(self, failure: JudgeFailure, body: dict[str, Any]) -> str:
        if failure.status in _REJECTED:
            complaint = failure.message.lower()
            for setting in ("temperature", "logprobs"):
                if setting in complaint and setting in body:
                    key = f"{self.line.asked.section}.{setting}"
                    return f"{failure.message} (unset {key} for this model)"
        return failure.message


def _failure(silence: Silence, said: Said, heard: Heard) -> JudgeFailure:
    words = heard.words if isinstance(heard.words, str) else said.reply.text()
    return JudgeFailure(
        code=silence.code,
        message=silence.message,
        status=said.reply.status,
        requests=said.reply.attempts,
        usage=heard.usage,
        raw=no_lone_surrogates(said.reply.redact(words)[:_KEPT_CHARS]),
    )


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=_plus(one.input_tokens, other.input_tokens),
        output_tokens=_plus(one.output_tokens, other.output_tokens),
    )


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
