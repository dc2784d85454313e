"""One judge as an entry of the report: who it is, how its trials count, what it costs."""

from collections.abc import Iterable

from ci_judge.model.document import JudgeEntry, PriceEntry
from ci_judge.model.judging import JudgeIdentity, VotePolicy
from ci_judge.rules.pricing import Price


def judge_entry(
    identity: JudgeIdentity,
    policy: VotePolicy,
    *,
    needed_votes: int,
    models: Iterable[str],
    price: Price | None = None,
) -> JudgeEntry:
    return {
        "provider": identity.provider,
        "model": identity.model,
        "models_answered": sorted(models),
        "prompt_version": identity.prompt_version,
        "temperature": identity.temperature,
        "mode": policy.mode,
        "threshold": policy.threshold,
        "repetitions": policy.repetitions,
        "minimum_pass_rate": policy.rate_text,
        "needed_votes": needed_votes,
        "notice": identity.notice,
        "price": price_entry(price),
        "panel": [],
        "panel_rule": None,
        "panel_needed": None,
        "agreement": None,
        "calibration": None,
    }


def price_entry(price: Price | None) -> PriceEntry | None:
    if price is None:
        return None
    return {"input": price.input, "output": price.output, "source": price.source}
