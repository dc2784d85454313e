"""What the report says of who judged: one judge, or a panel and how it voted."""

from collections.abc import Collection, Iterable, Iterator

from ci_judge.document.judge_entries import judge_entry
from ci_judge.document.panel_entries import Member, panel_entry
from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.engine.seats import Seat, Seats
from ci_judge.model.document import JudgeEntry
from ci_judge.model.judging import VotePolicy
from ci_judge.rules.pricing import Price
from ci_judge.rules.votes import needed_votes


def judge_facts(
    seats: Seats, *, policy: VotePolicy, models: Collection[str], votes: PanelVotes
) -> JudgeEntry | None:
    """Build the report's entry of the judge; None where no test needed one.

    ``policy`` is that of the section ``judge``, ``models`` are those that answered.
    """
    if not seats.taken:
        return None
    if seats.rule is not None:
        members = _members(seats, votes)
        return panel_entry(members, rule=seats.rule, policy=policy, agreement=votes.agreement)
    (seat,) = seats.taken
    return judge_entry(
        seat.judge.identity,
        policy,
        needed_votes=needed_votes(policy),
        models=models,
        price=_price(seat, models),
    )


def _price(seat: Seat, answered: Iterable[str]) -> Price | None:
    return seat.tariff.of(*sorted(answered), seat.judge.identity.model)


def drift_warnings(judge: JudgeEntry | None) -> Iterator[str]:
    """Say it where the model behind a judge changed while the suite was judged."""
    if judge is None:
        return
    for one in judge["panel"] or (judge,):
        models = one["models_answered"]
        if len(models) > 1:
            name = one["model"] or one["provider"]
            yield (
                f"the judge changed within this run: {name} was asked, and {' and '.join(models)} "
                "answered; their verdicts are not comparable (pin a version in judge.model)"
            )


def _members(seats: Seats, votes: PanelVotes) -> list[Member]:
    return [
        Member(
            name=name or "",
            identity=seat.judge.identity,
            policy=seat.policy,
            passes=count.passes,
            fails=count.fails,
            errors=count.errors,
            models=frozenset(count.models),
            price=_price(seat, count.models),
        )
        for seat, name, count in zip(seats.taken, seats.names, votes.members, strict=True)
    ]
