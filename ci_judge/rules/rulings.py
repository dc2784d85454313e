"""From what a judge says (yes, no, or how likely) to what a trial says (pass or fail)."""

from collections.abc import Callable, Sequence

from ci_judge.model.judging import Decision, Likelihood, Opinion, Ruling, VotePolicy
from ci_judge.rules.rounding import apart

_SHOWN_DIGITS = 2


def rule_on(
    opinions: Sequence[Opinion], policy: VotePolicy, draw: Callable[[int], float]
) -> tuple[Ruling, ...]:
    """Turn each opinion into a ruling, in order.

    ``draw(item)`` gives u in [0, 1) for an item (from 1); it is called for likelihoods in sample
    mode alone. A likelihood p passes when p >= threshold, or in sample mode when u < p.
    """
    return tuple(
        _rule(opinion, policy, item, draw) for item, opinion in enumerate(opinions, start=1)
    )


def _rule(opinion: Opinion, policy: VotePolicy, item: int, draw: Callable[[int], float]) -> Ruling:
    match opinion:
        case Decision():
            return Ruling(passed=opinion.passed, reason=opinion.reason)
        case Likelihood() if policy.mode == "sample":
            return _by_draw(opinion, draw(item))
        case Likelihood():
            return _by_threshold(opinion, policy.threshold)


def _by_draw(opinion: Likelihood, drawn: float) -> Ruling:
    p = opinion.probability
    said = f"likelihood {_shown(p, drawn)}, drawn {_shown(drawn, p)}"
    return Ruling(passed=drawn < p, reason=_reason(opinion, said), probability=p, draw=drawn)


def _by_threshold(opinion: Likelihood, threshold: float) -> Ruling:
    p = opinion.probability
    said = f"likelihood {_shown(p, threshold)}, threshold {_shown(threshold, p)}"
    return Ruling(passed=p >= threshold, reason=_reason(opinion, said), probability=p)


def _reason(opinion: Likelihood, said: str) -> str:
    """Put the figures that decided behind the judge's words, which may speak for the other side."""
    return f"{opinion.reason} ({said})" if opinion.reason else said


def _shown(value: float, other: float) -> str:
    return apart(value, (other,), digits=_SHOWN_DIGITS)
