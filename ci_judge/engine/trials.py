"""The trials of one run: every judge is asked as often as it is to be, all at once."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TypedDict

from ci_judge.engine.seats import Seat, Seats
from ci_judge.model.judging import (
    Answer,
    CheckResult,
    JudgeFailure,
    Question,
    Trial,
    Usage,
    VotePolicy,
)
from ci_judge.rules.draws import draw
from ci_judge.rules.panels import Hearing, reach_panel_verdict
from ci_judge.rules.pricing import requests_cost
from ci_judge.rules.rulings import rule_on
from ci_judge.rules.verdicts import Verdict, reach_verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """One trial that is to be made. All numbers count from 1."""

    seat: Seat
    place: int
    name: str | None
    test_id: str
    run: int
    repetition: int


class _Asked(TypedDict):
    """What a trial says of who was asked, and how."""

    model_asked: str | None
    prompt_version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMaker:
    """Asks the judges and counts what they say. ``slots`` limits the requests at once."""

    seats: Seats
    slots: asyncio.Semaphore
    seed: int
    clock: Callable[[], float]

    async def make(self, question: Question, *, test_id: str, run: int) -> tuple[Trial, ...]:
        """Make all trials of all judges of a run; they come back judge by judge."""
        if not self.seats.taken:
            raise RuntimeError("a question is to be judged and there is no judge")
        orders = list(self._orders(test_id, run))
        if len(orders) == 1:  # as most often: no task of its own is needed
            return (await self._trial(orders[0], question),)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._trial(order, question)) for order in orders]
        except ExceptionGroup as several:
            raise several.exceptions[0] from several
        return tuple(task.result() for task in tasks)

    def verdict(
        self, checks: Sequence[CheckResult], trials: Sequence[Trial], *, items: int
    ) -> Verdict:
        """Add up the checks and trials of a run by the rule of its one judge, or of its panel."""
        if self.seats.rule is not None:
            return reach_panel_verdict(checks, self._hearings(trials), self.seats.rule, items=items)
        policy = self.seats.taken[0].policy if self.seats.taken else VotePolicy()
        return reach_verdict(checks, trials, policy, items=items)

    def _hearings(self, trials: Sequence[Trial]) -> list[Hearing]:
        return [
            Hearing(
                judge=name or "",
                policy=seat.policy,
                trials=[trial for trial in trials if trial.judge_index == place],
            )
            for place, seat, name in self._placed()
        ]

    def _placed(self) -> Iterator[tuple[int, Seat, str | None]]:
        for place, seat in enumerate(self.seats.taken, start=1):
            yield place, seat, self.seats.names[place - 1]

    def _orders(self, test_id: str, run: int) -> Iterator[_Order]:
        for place, seat, name in self._placed():
            for repetition in range(1, seat.policy.repetitions + 1):
                yield _Order(
                    seat=seat,
                    place=place,
                    name=name,
                    test_id=test_id,
                    run=run,
                    repetition=repetition,
                )

    async def _trial(self, order: _Order, question: Question) -> Trial:
        async with order.seat.slots or nullcontext(), self.slots:
            begun = self.clock()
            put = replace(question, repetition=order.repetition)
            answer = await order.seat.judge.judge(put)
            seconds = self.clock() - begun
        if isinstance(answer, JudgeFailure):
            return _failed_trial(order, answer, seconds)
        return self._ruled_trial(order, answer)

    def _ruled_trial(self, order: _Order, answer: Answer) -> Trial:
        def draw_for(item: int) -> float:
            return draw(
                seed=self.seed,
                test_id=order.test_id,
                run=order.run,
                repetition=order.repetition,
                judge_index=order.place,
                item=item,
            )

        return Trial(
            repetition=order.repetition,
            rulings=rule_on(answer.opinions, order.seat.policy, draw_for),
            failure=None,
            model=answer.model,
            usage=answer.usage,
            latency_seconds=answer.latency_seconds,
            requests=answer.requests,
            request_id=answer.request_id,
            judge=order.name,
            judge_index=order.place,
            raw=answer.raw,
            cached=answer.cached,
            **_asked(order),
            cost_usd=_cost(order, answer.requests, answer.usage, answer.model),
        )


def _failed_trial(order: _Order, failure: JudgeFailure, seconds: float) -> Trial:
    return Trial(
        repetition=order.repetition,
        rulings=(),
        failure=failure,
        model=None,
        usage=failure.usage,
        latency_seconds=seconds,
        requests=failure.requests,
        judge=order.name,
        judge_index=order.place,
        **_asked(order),
        cost_usd=_cost(order, failure.requests, failure.usage),
    )


def _asked(order: _Order) -> _Asked:
    identity = order.seat.judge.identity
    return {"model_asked": identity.model, "prompt_version": identity.prompt_version}


def _cost(order: _Order, requests: int, usage: Usage, answered: str | None = None) -> float | None:
    """Price a trial by the model that answered, else by the one that was asked."""
    asked = order.seat.judge.identity.model
    return requests_cost(requests, usage, order.seat.tariff.of(answered, asked))
