"""A panel of judges as an entry of the report: who sat in it, how they voted and agreed."""

from collections.abc import Sequence
from dataclasses import dataclass

from ci_judge.document.judge_entries import price_entry
from ci_judge.model.document import AgreementEntry, JudgeEntry, PanelMemberEntry
from ci_judge.model.judging import JudgeIdentity, PanelRule, VotePolicy
from ci_judge.rules.agreement import Agreement
from ci_judge.rules.panels import needed_judges
from ci_judge.rules.pricing import Price
from ci_judge.rules.votes import needed_votes

_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One judge of a panel and the counts of its votes; ``models`` are those that answered."""

    name: str
    identity: JudgeIdentity
    policy: VotePolicy
    passes: int
    fails: int
    errors: int
    models: frozenset[str]
    price: Price | None = None


def panel_entry(
    members: Sequence[Member], *, rule: PanelRule, policy: VotePolicy, agreement: Agreement
) -> JudgeEntry:
    """Build the entry of a panel. ``policy`` is that of the section that holds the panel."""
    notices = [
        f"{member.name}: {member.identity.notice}" for member in members if member.identity.notice
    ]
    versions = {member.identity.prompt_version for member in members} - {None}
    return {
        "provider": "panel",
        "model": None,
        "models_answered": sorted({model for member in members for model in member.models}),
        "prompt_version": versions.pop() if len(versions) == 1 else None,
        "temperature": None,
        "mode": policy.mode,
        "threshold": policy.threshold,
        "repetitions": policy.repetitions,
        "minimum_pass_rate": policy.rate_text,
        "needed_votes": needed_votes(policy),
        "notice": "; ".join(notices) or None,
        "price": None,
        "panel": [_member(place, member) for place, member in enumerate(members, start=1)],
        "panel_rule": rule,
        "panel_needed": needed_judges(rule, len(members)),
        "agreement": agreement_entry(agreement),
        "calibration": None,
    }


def _member(place: int, member: Member) -> PanelMemberEntry:
    identity, policy = member.identity, member.policy
    return {
        "judge": member.name,
        "judge_index": place,
        "provider": identity.provider,
        "model": identity.model,
        "models_answered": sorted(member.models),
        "prompt_version": identity.prompt_version,
        "temperature": identity.temperature,
        "mode": policy.mode,
        "threshold": policy.threshold,
        "repetitions": policy.repetitions,
        "minimum_pass_rate": policy.rate_text,
        "needed_votes": needed_votes(policy),
        "notice": identity.notice,
        "price": price_entry(member.price),
        "passes": member.passes,
        "fails": member.fails,
        "errors": member.errors,
    }


def agreement_entry(agreement: Agreement) -> AgreementEntry:
    return {
        "votes": agreement.subjects,
        "raw": _rounded(agreement.raw),
        "fleiss_kappa": _rounded(agreement.fleiss_kappa),
        "gwet_ac1": _rounded(agreement.gwet_ac1),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
