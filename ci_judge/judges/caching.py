"""A judge that remembers: what was asked before, in this run or an earlier one, is not asked again.

The same question in flight twice is one request. An error is never kept and never shared.
"""

import asyncio
from dataclasses import replace

from ci_judge.cache import Cache, digest
from ci_judge.judges.answer_entries import answer_entry, read_answer
from ci_judge.model.judging import Answer, JudgeFailure, JudgeIdentity, Question, Usage
from ci_judge.protocols import Judge


class CachingJudge:
    """Answers for another judge. Satisfies ``protocols.Judge``.

    The repetition belongs to the key: asking three times stays asking three times, and the same
    evidence in two runs is judged once for each repetition. Likelihoods are kept, draws are not.
    ``voice`` tells apart judges of a panel that are alike (1, 2, …).
    """

    def __init__(self, judge: Judge, cache: Cache, *, voice: int = 1) -> None:
        self._judge = judge
        self._voice = voice
        self._cache = cache
        self._in_flight: dict[bytes, asyncio.Future[Answer | None]] = {}

    @property
    def identity(self) -> JudgeIdentity:
        return self._judge.identity

    def key(self, question: Question) -> bytes | None:
        return self._judge.key(question)

    async def judge(self, question: Question) -> Answer | JudgeFailure:
        """Give the answer that is known, or ask."""
        material = self.key(question)
        if material is None:
            return await self._judge.judge(question)
        key = digest("verdict", material.hex(), self._voice, question.repetition)
        known = read_answer(self._cache.recall(key), items=question.items)
        if known is not None:
            return known
        if key not in self._in_flight:
            return await self._ask_for_all(key, question)
        # Shielded: giving up on an answer must not take it from the others who wait for it.
        shared = await asyncio.shield(self._in_flight[key])
        return await self._ask(key, question) if shared is None else _at_no_cost(shared)

    async def _ask_for_all(self, key: bytes, question: Question) -> Answer | JudgeFailure:
        landing = asyncio.get_running_loop().create_future()
        self._in_flight[key] = landing
        outcome: Answer | JudgeFailure | None = None
        try:
            outcome = await self._ask(key, question)
        finally:
            del self._in_flight[key]
            landing.set_result(outcome if isinstance(outcome, Answer) else None)
        return outcome

    async def _ask(self, key: bytes, question: Question) -> Answer | JudgeFailure:
        outcome = await self._judge.judge(question)
        if isinstance(outcome, Answer):
            self._cache.keep(key, answer_entry(outcome))
        return outcome


def _at_no_cost(answer: Answer) -> Answer:
    free = Usage(input_tokens=0, output_tokens=0)
    return replace(answer, cached=True, requests=0, usage=free, latency_seconds=0.0)
