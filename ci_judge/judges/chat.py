"""A judge that answers in words: the prompt, and what a reply says about it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ci_judge.judges.answer_key import FIXED_MARK, answer_key
from ci_judge.judges.asking import Said
from ci_judge.judges.chat_wire import ChatWire, Letter, ReplyForm, Silence, Understood
from ci_judge.judges.prompt import Prompt, PromptWords, render_prompt
from ci_judge.judges.reply import ReplyProblem, read_reply
from ci_judge.judges.verdict_schema import verdict_schema
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    Answer,
    Decision,
    JudgeFailure,
    JudgeIdentity,
    Opinion,
    Question,
)
from ci_judge.visible_text import no_lone_surrogates

Weigh: TypeAlias = Callable[[Said, Sequence[Decision]], tuple[Opinion, ...] | Silence]
"""(answer, decisions read from it) -> the opinions that count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What the settings say about asking, and fresh random marks."""

    words: PromptWords
    nonce: Callable[[], str]


def as_decided(said: Said, decisions: Sequence[Decision]) -> tuple[Opinion, ...]:
    """Take the decisions as they are."""
    del said
    return tuple(decisions)


class ChatJudge:
    """A model that answers in words: with pass or fail and a reason."""

    def __init__(
        self,
        *,
        identity: JudgeIdentity,
        wire: ChatWire,
        manner: Manner,
        weigh: Weigh = as_decided,
    ) -> None:
        self._identity = identity
        self._wire = wire
        self._manner = manner
        self._weigh = weigh

    @property
    def identity(self) -> JudgeIdentity:
        return self._identity

    async def judge(self, question: Question) -> Answer | JudgeFailure:
        """Ask until the server understands the question; at most four requests but for retries."""
        prompt = render_prompt(question, words=self._manner.words, nonce=self._manner.nonce)

        def opinions(words: str, said: Said) -> tuple[Opinion, ...] | Silence:
            decisions = read_reply(words, items=prompt.items)
            if isinstance(decisions, ReplyProblem):
                return Silence(code=FailureCode.UNREADABLE_VERDICT, message=decisions.message)
            return self._weigh(said, decisions)

        outcome = await self._wire.put(_letter(prompt), opinions)
        return outcome if isinstance(outcome, JudgeFailure) else _answer(outcome)

    def key(self, question: Question) -> bytes | None:
        """Digest the question as it is put at first, whatever the server turns out not to take.

        None for evidence that holds the mark which all keys share.
        """
        try:
            prompt = render_prompt(question, words=self._manner.words, nonce=lambda: FIXED_MARK)
        except ValueError:
            return None
        body = self._wire.first_body(_letter(prompt))
        return answer_key(self._identity, self._wire.line, body)


def _letter(prompt: Prompt) -> Letter:
    form = ReplyForm(name="verdict", schema=verdict_schema(prompt.items))
    return Letter(system=prompt.system, user=prompt.user, form=form)


def _answer(outcome: Understood[tuple[Opinion, ...]]) -> Answer:
    return Answer(
        opinions=outcome.value,
        model=outcome.said.model,
        usage=outcome.usage,
        latency_seconds=outcome.said.reply.latency_seconds,
        request_id=outcome.said.request_id,
        requests=outcome.requests,
        raw=no_lone_surrogates(outcome.words),
    )
